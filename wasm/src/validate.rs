//! A value against a JSON Schema.

use selvedge_core::{
    json::View,
    validate::{self, GaveUp, Outcome},
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    error::not_json,
    object::{Object, accompanied, list},
    peer::{mismatch, skipped},
};

/// A compiled schema.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Validator {
    inner: validate::Validator,
}

#[wasm_bindgen]
impl Validator {
    /// Compiles the text of a schema; what it cannot use is listed by `skipped`.
    ///
    /// # Errors
    ///
    /// The text is not JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: &str) -> Result<Validator, JsValue> {
        let view = View::new(schema).map_err(|fault| not_json(schema, fault))?;
        Ok(Self { inner: validate::Validator::new(view) })
    }

    /// Checks the text of a value.
    ///
    /// # Errors
    ///
    /// The text is not JSON.
    #[wasm_bindgen(unchecked_return_type = "Verdict")]
    pub fn check(&self, value: &str) -> Result<JsValue, JsValue> {
        let view = View::new(value).map_err(|fault| not_json(value, fault))?;
        Ok(verdict(&self.inner.check(view)))
    }

    /// Returns what is not checked, up to 64 entries.
    ///
    /// # Errors
    ///
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Skipped[]")]
    pub fn skipped(&self) -> Result<JsValue, JsValue> {
        accompanied(list(self.inner.skipped().iter().map(skipped)))
    }
}

/// Checks a value against a schema once; both are JSON texts.
///
/// # Errors
///
/// One of the texts is not JSON.
#[wasm_bindgen(unchecked_return_type = "Verdict")]
pub fn validate(schema: &str, value: &str) -> Result<JsValue, JsValue> {
    Validator::new(schema)?.check(value)
}

fn verdict(outcome: &Outcome) -> JsValue {
    match outcome {
        Outcome::Valid => Object::kind("valid"),
        Outcome::Invalid(found) => return mismatch(found),
        Outcome::GaveUp(why) => {
            let cause = if *why == GaveUp::Steps { "steps" } else { "depth" };
            Object::told("gaveUp", why).text("cause", cause)
        }
    }
    .done()
}
