//! JSON to `MessagePack` and back.

use selvedge_core::{
    interchange::{self, Fault, Reason},
    json::View,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    error::{error, not_json},
    js::Uint8Array,
};

/// Carries a JSON text over to `MessagePack`.
///
/// # Errors
///
/// The text is not JSON, or holds what `MessagePack` cannot.
#[wasm_bindgen(js_name = toMsgpack)]
pub fn to_msgpack(json: &str) -> Result<Uint8Array, JsValue> {
    let view = View::new(json).map_err(|fault| not_json(json, fault))?;
    let bytes = interchange::to_msgpack(view).map_err(|fault| not_carried(&fault))?;
    Ok(Uint8Array::copied(&bytes))
}

/// Carries `MessagePack` over to the text of a JSON value.
///
/// # Errors
///
/// The bytes are not one value, or hold what JSON cannot.
#[wasm_bindgen(js_name = toJson)]
pub fn to_json(bytes: &[u8]) -> Result<String, JsValue> {
    interchange::to_json(bytes).map(|json| json.as_str().to_owned()).map_err(|fault| not_carried(&fault))
}

fn not_carried(fault: &Fault) -> JsValue {
    let code = match fault.reason {
        Reason::IntegerOutOfRange(_) => "integerOutOfRange",
        Reason::FloatOutOfRange(_) => "floatOutOfRange",
        Reason::NotFinite(_) => "notFinite",
        Reason::LoneSurrogate => "loneSurrogate",
        Reason::NotUtf8 => "notUtf8",
        Reason::DuplicateName(_) => "duplicateName",
        Reason::KeyNotString(_) => "keyNotString",
        Reason::NoForm(_) => "noForm",
        Reason::TooLong(_) => "tooLong",
        Reason::TooDeep => "tooDeep",
        Reason::Truncated { .. } => "truncated",
        Reason::Trailing { .. } => "trailing",
        _ => "notCarried",
    };
    error(code, fault).text("pointer", &fault.pointer).done()
}
