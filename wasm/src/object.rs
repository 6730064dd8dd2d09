//! Builds the plain objects that JavaScript sees.

use core::{fmt::Display, time::Duration};

use wasm_bindgen::prelude::{JsCast as _, JsValue, wasm_bindgen};

use crate::js::Array;

/// The largest whole number that JavaScript's own numbers hold exactly, with all below it.
const MAX_SAFE: u64 = (1 << 53) - 1;

#[wasm_bindgen]
extern "C" {
    /// An object while it is filled.
    #[wasm_bindgen(js_name = Object)]
    pub(crate) type Object;

    #[wasm_bindgen(constructor, js_class = "Object")]
    fn new() -> Object;

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn put(this: &Object, key: &str, value: &JsValue);

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn put_text(this: &Object, key: &str, value: &str);

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn put_number(this: &Object, key: &str, value: f64);

    #[wasm_bindgen(method, structural, indexing_setter)]
    fn put_flag(this: &Object, key: &str, value: bool);
}

/// Hands a reference to JavaScript in the company of a fault that there never is.
///
/// V8 before 13 (Node 20 and 22) puts calls of exports into the code that calls them, and aborts the whole process
/// where such code is given up while an export runs that returns one reference and nothing else; memory that grows
/// is enough for that. An export that returns several values is called as it stands.
#[expect(clippy::unnecessary_wraps, reason = "the fault is there for its place alone")]
pub(crate) const fn accompanied(value: JsValue) -> Result<JsValue, JsValue> {
    Ok(value)
}

impl Object {
    /// Makes an object of no kind.
    pub(crate) fn plain() -> Self {
        Self::new()
    }

    /// Makes an object of a kind.
    pub(crate) fn kind(kind: &str) -> Self {
        Self::new().text("kind", kind)
    }

    /// Makes an object of a kind that also says what it is in a sentence.
    pub(crate) fn told(kind: &str, message: &dyn Display) -> Self {
        Self::kind(kind).text("message", &message.to_string())
    }

    pub(crate) fn value(self, key: &str, value: &JsValue) -> Self {
        self.put(key, value);
        self
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        self.put_text(key, value);
        self
    }

    pub(crate) fn flag(self, key: &str, value: bool) -> Self {
        self.put_flag(key, value);
        self
    }

    /// Puts a count or a size; memory ends long before a number stops being exact.
    #[expect(clippy::cast_precision_loss, reason = "no size comes near 2⁵³")]
    pub(crate) fn size(self, key: &str, value: usize) -> Self {
        self.put_number(key, value as f64);
        self
    }

    pub(crate) fn number(self, key: &str, value: f64) -> Self {
        self.put_number(key, value);
        self
    }

    /// Puts a whole number: as a number where that is exact, as a `BigInt` where not.
    pub(crate) fn whole(self, key: &str, value: i64) -> Self {
        self.value(key, &whole(value))
    }

    /// Puts a time in milliseconds; one without an end is `Infinity`.
    pub(crate) fn time(self, key: &str, value: Duration) -> Self {
        let millis = if value == Duration::MAX { f64::INFINITY } else { value.as_secs_f64() * 1_000.0 };
        self.number(key, millis)
    }

    /// Puts a text where there is one: what is absent stays absent.
    pub(crate) fn maybe_text(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    pub(crate) fn maybe(self, key: &str, value: Option<JsValue>) -> Self {
        match value {
            Some(value) => self.value(key, &value),
            None => self,
        }
    }

    pub(crate) fn list(self, key: &str, values: impl Iterator<Item = JsValue>) -> Self {
        self.value(key, &list(values))
    }

    pub(crate) fn done(self) -> JsValue {
        self.unchecked_into()
    }
}

pub(crate) fn list(values: impl Iterator<Item = JsValue>) -> JsValue {
    let list = Array::new();
    values.for_each(|value| list.push(&value));
    list.into()
}

/// Carries a whole number over exactly.
#[expect(clippy::cast_precision_loss, reason = "larger ones become a `BigInt`")]
pub(crate) fn whole(value: i64) -> JsValue {
    if value.unsigned_abs() > MAX_SAFE { JsValue::from(value) } else { JsValue::from_f64(value as f64) }
}

/// Carries a whole number over exactly.
#[expect(clippy::cast_precision_loss, reason = "larger ones become a `BigInt`")]
pub(crate) fn whole_unsigned(value: u64) -> JsValue {
    if value > MAX_SAFE { JsValue::from(value) } else { JsValue::from_f64(value as f64) }
}
