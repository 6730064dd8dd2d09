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
    /// Compiles a schema; what it cannot use is listed by `skipped`.
    ///
    /// # Errors
    ///
    /// It is not JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "JsonInput")] schema: &str,
    ) -> Result<Validator, JsValue> {
        let view = View::new(schema).map_err(|fault| not_json(schema, fault))?;
        Ok(Self { inner: validate::Validator::new(view) })
    }

    /// Checks a value, or the text of one.
    ///
    /// # Errors
    ///
    /// It is not JSON.
    #[wasm_bindgen(unchecked_return_type = "Verdict")]
    pub fn check(
        &self,
        #[wasm_bindgen(unchecked_param_type = "JsonInput")] value: &str,
    ) -> Result<JsValue, JsValue> {
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

/// Checks a value against a schema once; a string is the text of either.
///
/// # Errors
///
/// One of them is not JSON.
#[wasm_bindgen(unchecked_return_type = "Verdict")]
pub fn validate(
    #[wasm_bindgen(unchecked_param_type = "JsonInput")] schema: &str,
    #[wasm_bindgen(unchecked_param_type = "JsonInput")] value: &str,
) -> Result<JsValue, JsValue> {
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
