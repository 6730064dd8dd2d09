//! JSON to `MessagePack` and back.

use selvedge_core::{
    interchange::{self, Fault, Reason},
    json::View,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    error::{error, not_json},
    js::{self, Uint8Array},
    options::{flag, read, unknown},
};

/// Carries a JSON value, or the text of one, over to `MessagePack`.
///
/// # Errors
///
/// The value is not JSON, or holds what `MessagePack` cannot.
#[wasm_bindgen(js_name = toMsgpack)]
pub fn to_msgpack(
    #[wasm_bindgen(unchecked_param_type = "JsonInput")] json: &str,
) -> Result<Uint8Array, JsValue> {
    let view = View::new(json).map_err(|fault| not_json(json, fault))?;
    let bytes = interchange::to_msgpack(view).map_err(|fault| not_carried(&fault))?;
    Ok(Uint8Array::copied(&bytes))
}

/// Carries `MessagePack` over to JSON: to the value, or to its text where `raw` is chosen.
///
/// # Errors
///
/// The bytes are not one value, or hold what JSON cannot.
#[wasm_bindgen(js_name = toJson, skip_typescript)]
pub fn to_json(bytes: &[u8], options: &JsValue) -> Result<JsValue, JsValue> {
    let is_raw = read(options, "options", |is_raw: &mut bool, name, value| {
        *is_raw = if name == "raw" { flag(value)? } else { return Err(unknown()) };
        Ok(())
    })?;
    let json = interchange::to_json(bytes).map_err(|fault| not_carried(&fault))?;
    Ok(if is_raw { JsValue::from_str(json.as_str()) } else { js::parse(json.as_str()) })
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
