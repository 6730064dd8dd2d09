//! What is thrown: an `Error` with a `code` that a program tells apart, and a message for a person.

use core::fmt::Display;

use selvedge_core::Misuse;
#[cfg(feature = "generator")]
use selvedge_core::json::SyntaxError;
use wasm_bindgen::prelude::{JsCast as _, JsValue};

#[cfg(feature = "checks")]
use crate::peer::differs;
use crate::{
    js::{self, Error},
    object::Object,
};

/// Makes an error to be thrown.
pub(crate) fn error(code: &str, message: &dyn Display) -> Object {
    JsValue::from(Error::new(code, &message.to_string())).unchecked_into()
}

pub(crate) fn misuse(misuse: &Misuse) -> JsValue {
    let code = match misuse {
        Misuse::NotReady { .. } => "notReady",
        Misuse::AlreadyConnected { .. } => "alreadyConnected",
        Misuse::NotJson { .. } => "notJson",
        Misuse::NotAnObject { .. } => "notAnObject",
        Misuse::MetaTwice => "metaTwice",
        Misuse::TooLarge { .. } => "tooLarge",
        Misuse::TooManyCalls { .. } => "tooManyCalls",
        #[cfg(feature = "checks")]
        Misuse::BadArguments { tool, mismatch } => {
            return differs(error("badArguments", misuse), mismatch).text("tool", tool).done();
        }
        Misuse::UnknownAsk => "unknownAsk",
        Misuse::NotInRevision { .. } => "notInRevision",
        Misuse::UnknownLogLevel => "unknownLogLevel",
        Misuse::UnknownListen => "unknownListen",
        Misuse::TooManyListens { .. } => "tooManyListens",
        Misuse::NotFinite { .. } => "notFinite",
        Misuse::CannotAsk { .. } => "cannotAsk",
        Misuse::NotResumable => "notResumable",
        Misuse::UnusableEntry { .. } => "unusableEntry",
        _ => "misuse",
    };
    error(code, misuse).done()
}

/// Adds the place where a text stops being JSON: bytes from 0, lines and characters from 1.
#[cfg(feature = "generator")]
pub(crate) fn place(object: Object, text: &str, fault: SyntaxError) -> Object {
    let before = text.get(..fault.at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    object
        .size("at", fault.at)
        .size("line", before.split('\n').count())
        .size("column", line.chars().count() + 1)
}

#[cfg(feature = "generator")]
pub(crate) fn not_json(text: &str, fault: SyntaxError) -> JsValue {
    place(error("notJson", &fault), text, fault).done()
}

pub(crate) fn bad_option(message: &dyn Display) -> JsValue {
    error("badOption", message).done()
}

/// Writes what an application passed as the JSON that it stands for.
pub(crate) fn stringify(value: &JsValue, name: &str) -> Result<String, JsValue> {
    Ok(js::stringify(value, name)?.as_string().unwrap_or_default())
}
