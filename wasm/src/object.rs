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
}

// Reading a word out of the module's memory takes longer than everything else that is done with it. All words here
// are constants, which stand there unchanged for as long as the module does: JavaScript knows them by their place.
#[wasm_bindgen(module = "/js/glue.js")]
extern "C" {
    fn learn(at: usize, bytes: usize, word: &str);

    #[wasm_bindgen(js_name = put)]
    fn put(object: &Object, at: usize, bytes: usize, value: &JsValue) -> bool;

    #[wasm_bindgen(js_name = put)]
    fn put_text(object: &Object, at: usize, bytes: usize, value: &str) -> bool;

    #[wasm_bindgen(js_name = put)]
    fn put_number(object: &Object, at: usize, bytes: usize, value: f64) -> bool;

    #[wasm_bindgen(js_name = put)]
    fn put_flag(object: &Object, at: usize, bytes: usize, value: bool) -> bool;

    #[wasm_bindgen(js_name = putJson)]
    fn put_json(object: &Object, at: usize, bytes: usize, text: &str) -> bool;

    #[wasm_bindgen(js_name = putBoth)]
    fn put_both(object: &Object, at: usize, bytes: usize, text: &str) -> bool;

    #[wasm_bindgen(js_name = putResult)]
    fn put_result(object: &Object, text: &str);

    #[wasm_bindgen(js_name = putWord)]
    fn put_word(object: &Object, at: usize, bytes: usize, value_at: usize, value_bytes: usize) -> bool;
}

/// Says where a word stands.
fn place(word: &'static str) -> (usize, usize) {
    debug_assert!(word.len() < 64, "the place and the length make one number");
    (word.as_ptr().addr(), word.len())
}

/// Does what needs words; JavaScript is taught them where it does not know them yet.
fn with(words: &[&'static str], put: &dyn Fn() -> bool) {
    if put() {
        return;
    }
    for word in words {
        let (at, bytes) = place(word);
        learn(at, bytes, word);
    }
    put();
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
    pub(crate) fn kind(kind: &'static str) -> Self {
        Self::new().word("kind", kind)
    }

    /// Makes an object of a kind that also says what it is in a sentence.
    pub(crate) fn told(kind: &'static str, message: &dyn Display) -> Self {
        Self::kind(kind).text("message", &message.to_string())
    }

    pub(crate) fn value(self, key: &'static str, value: &JsValue) -> Self {
        let (at, bytes) = place(key);
        with(&[key], &|| put(&self, at, bytes, value));
        self
    }

    pub(crate) fn text(self, key: &'static str, value: &str) -> Self {
        let (at, bytes) = place(key);
        with(&[key], &|| put_text(&self, at, bytes, value));
        self
    }

    /// Puts the value of a JSON text.
    pub(crate) fn json(self, key: &'static str, text: &str) -> Self {
        let (at, bytes) = place(key);
        with(&[key], &|| put_json(&self, at, bytes, text));
        self
    }

    /// Puts the value of a JSON text where there is one.
    pub(crate) fn maybe_json(self, key: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.json(key, text),
            None => self,
        }
    }

    /// Puts the value of a JSON text, and the text itself as `raw`.
    pub(crate) fn both(self, key: &'static str, text: &str) -> Self {
        let (at, bytes) = place(key);
        with(&[key], &|| put_both(&self, at, bytes, text));
        self
    }

    /// Puts the parts of a tool's result, and its text as `raw`.
    pub(crate) fn result(self, text: &str) -> Self {
        put_result(&self, text);
        self
    }

    /// Puts a text that is one of few.
    pub(crate) fn word(self, key: &'static str, value: &'static str) -> Self {
        let ((at, bytes), (value_at, value_bytes)) = (place(key), place(value));
        with(&[key, value], &|| put_word(&self, at, bytes, value_at, value_bytes));
        self
    }

    pub(crate) fn flag(self, key: &'static str, value: bool) -> Self {
        let (at, bytes) = place(key);
        with(&[key], &|| put_flag(&self, at, bytes, value));
        self
    }

    /// Puts a count or a size; memory ends long before a number stops being exact.
    #[expect(clippy::cast_precision_loss, reason = "no size comes near 2⁵³")]
    pub(crate) fn size(self, key: &'static str, value: usize) -> Self {
        self.number(key, value as f64)
    }

    pub(crate) fn number(self, key: &'static str, value: f64) -> Self {
        let (at, bytes) = place(key);
        with(&[key], &|| put_number(&self, at, bytes, value));
        self
    }

    /// Puts a whole number: as a number where that is exact, as a `BigInt` where not.
    pub(crate) fn whole(self, key: &'static str, value: i64) -> Self {
        self.value(key, &whole(value))
    }

    /// Puts a time in milliseconds; one without an end is `Infinity`.
    pub(crate) fn time(self, key: &'static str, value: Duration) -> Self {
        let millis = if value == Duration::MAX { f64::INFINITY } else { value.as_secs_f64() * 1_000.0 };
        self.number(key, millis)
    }

    /// Puts a text where there is one: what is absent stays absent.
    pub(crate) fn maybe_text(self, key: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    pub(crate) fn maybe(self, key: &'static str, value: Option<JsValue>) -> Self {
        match value {
            Some(value) => self.value(key, &value),
            None => self,
        }
    }

    pub(crate) fn list(self, key: &'static str, values: impl Iterator<Item = JsValue>) -> Self {
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
