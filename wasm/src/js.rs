//! What JavaScript itself has and is used here: a fraction of what a crate for all of it keeps in a module.

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// An array while it is filled.
    pub(crate) type Array;

    #[wasm_bindgen(constructor, js_class = "Array")]
    pub(crate) fn new() -> Array;

    #[wasm_bindgen(method)]
    pub(crate) fn push(this: &Array, value: &JsValue);

    /// Bytes that are JavaScript's own.
    pub type Uint8Array;

    #[wasm_bindgen(constructor, js_class = "Uint8Array")]
    pub(crate) fn copied(bytes: &[u8]) -> Uint8Array;
}

#[wasm_bindgen(module = "/js/glue.js")]
extern "C" {
    /// What the package throws.
    #[wasm_bindgen(js_name = SelvedgeError)]
    pub(crate) type Error;

    #[wasm_bindgen(constructor, js_class = "SelvedgeError")]
    pub(crate) fn new(code: &str, message: &str) -> Error;

    /// Writes a value as JSON; what has no JSON is refused under the name of the parameter.
    #[wasm_bindgen(catch)]
    pub(crate) fn stringify(value: &JsValue, name: &str) -> Result<JsValue, JsValue>;

    /// Reads the text of a JSON value.
    #[cfg(feature = "generator")]
    pub(crate) fn parse(text: &str) -> JsValue;
}
