//! What a peer said or did, as objects: violations, errors, handshakes.

#[cfg(any(feature = "checks", feature = "generator"))]
use selvedge_core::validate::{Mismatch, Skipped};
use selvedge_core::{
    Violation,
    json::SyntaxError,
    jsonrpc::{Fault, Oddities, RpcError},
    protocol::{Handshake, Implementation, Revision},
};
use wasm_bindgen::JsValue;

use crate::object::{Object, whole_unsigned};

/// Makes the object of a violation.
#[must_use]
pub fn violation(violation: &Violation) -> JsValue {
    let told = |kind: &'static str| Object::told(kind, violation);
    match violation {
        Violation::NotJson(fault) => syntax(told("notJson"), *fault),
        Violation::Text { bytes } => told("text").size("bytes", *bytes),
        Violation::JoinedLine { at } => told("joinedLine").size("at", *at),
        Violation::Echoed => told("echoed"),
        Violation::MultiLineJson => told("multiLineJson"),
        Violation::Utf16 => told("utf16"),
        Violation::NotUtf8 { valid_up_to } => told("notUtf8").size("validUpTo", *valid_up_to),
        Violation::NotJsonRpc(fault) => told("notJsonRpc").word("fault", fault_name(*fault)),
        Violation::BadRequest(fault) => told("badRequest").word("fault", fault_name(*fault)),
        Violation::OddEnvelope(oddities) => told("oddEnvelope").value("oddities", &odd(*oddities)),
        Violation::TooLarge { limit } => told("tooLarge").size("limit", *limit),
        Violation::BadHeader { bytes } => told("badHeader").size("bytes", *bytes),
        Violation::Batch { messages } => told("batch").size("messages", *messages),
        Violation::BatchTooLong { messages, limit } => {
            told("batchTooLong").size("messages", *messages).size("limit", *limit)
        }
        Violation::UnknownResponse => told("unknownResponse"),
        Violation::RespelledId { id } => told("respelledId").value("id", &whole_unsigned(*id)),
        other => request_violation(other),
    }
    .done()
}

/// Goes on with what a peer does wrong while it asks or tells.
fn request_violation(violation: &Violation) -> Object {
    let told = |kind: &'static str| Object::told(kind, violation);
    let bounded =
        |kind: &'static str, bytes: usize, limit: usize| told(kind).size("bytes", bytes).size("limit", limit);
    match violation {
        Violation::MethodNotOffered => told("methodNotOffered"),
        Violation::MethodTooLong { bytes, limit } => bounded("methodTooLong", *bytes, *limit),
        Violation::IdTooLong { bytes, limit } => bounded("idTooLong", *bytes, *limit),
        Violation::BadParams => told("badParams"),
        Violation::DuplicateName { pointer } => told("duplicateName").text("pointer", pointer),
        Violation::WayNotOffered => told("wayNotOffered"),
        Violation::RequestOfServer => told("requestOfServer"),
        Violation::QuestionsNotAllowed { method } => told("questionsNotAllowed").text("method", method),
        Violation::NotListenedFor { method } => told("notListenedFor").text("method", method),
        Violation::NotAcknowledged { method } => told("notAcknowledged").text("method", method),
        Violation::TooManySubscriptions { limit } => told("tooManySubscriptions").size("limit", *limit),
        Violation::IdInUse => told("idInUse"),
        Violation::TooManyAsks { limit } => told("tooManyAsks").size("limit", *limit),
        Violation::BadNotification { method } => told("badNotification").text("method", method),
        Violation::BadCursor => told("badCursor"),
        Violation::RepeatedEntries { count, list, key } => {
            told("repeatedEntries").size("count", *count).text("list", list).text("key", key)
        }
        Violation::EndlessChanges { method, interval } => {
            told("endlessChanges").text("method", method).time("interval", *interval)
        }
        Violation::ProgressNotRising => told("progressNotRising"),
        Violation::OddHandshake { member, expected } => {
            told("oddHandshake").text("member", member).text("expected", expected)
        }
        Violation::TooManyStrayLines { limit } => told("tooManyStrayLines").size("limit", *limit),
        Violation::TooManyStrayBytes { limit } => told("tooManyStrayBytes").size("limit", *limit),
        _ => told("other"),
    }
}

/// Adds where a text stops being JSON.
pub(crate) fn syntax(object: Object, fault: SyntaxError) -> Object {
    object.size("at", fault.at).text("expected", &fault.expected.to_string())
}

pub(crate) const fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::NotAnObject => "notAnObject",
        Fault::EmptyBatch => "emptyBatch",
        Fault::DuplicateMember(_) => "duplicateMember",
        Fault::MethodNotAString => "methodNotAString",
        Fault::BadId => "badId",
        Fault::NoId => "noId",
        Fault::ResultAndError => "resultAndError",
        Fault::NoContent => "noContent",
        Fault::NotVersioned => "notVersioned",
        _ => "other",
    }
}

fn odd(oddities: Oddities) -> JsValue {
    Object::plain()
        .flag("wrongVersion", oddities.wrong_version)
        .flag("nullBeside", oddities.null_beside)
        .flag("nullMember", oddities.null_member)
        .maybe_text("duplicate", oddities.duplicate)
        .done()
}

pub(crate) fn rpc_error(error: &RpcError) -> JsValue {
    let object = Object::plain().whole("code", error.code).text("message", &error.message);
    match (&error.data, &error.malformed) {
        (_, Some(malformed)) => object.both("malformed", malformed.as_str()),
        (Some(data), None) => object.both("data", data.as_str()),
        (None, None) => object,
    }
    .done()
}

pub(crate) fn implementation(implementation: &Implementation) -> JsValue {
    Object::plain()
        .text("name", &implementation.name)
        .text("version", &implementation.version)
        .maybe_text("title", implementation.title.as_deref())
        .done()
}

pub(crate) fn handshake(handshake: &Handshake) -> JsValue {
    let declared = &handshake.capabilities;
    let capabilities = Object::plain()
        .flag("tools", declared.tools)
        .flag("resources", declared.resources)
        .flag("prompts", declared.prompts)
        .flag("completions", declared.completions)
        .flag("logging", declared.logging)
        .both("value", declared.raw.as_str());
    Object::plain()
        .word("revision", handshake.revision.as_str())
        .value("server", &implementation(&handshake.server))
        .value("capabilities", &capabilities.done())
        .maybe_text("instructions", handshake.instructions.as_deref())
        .text("raw", handshake.raw.as_str())
        .done()
}

#[cfg(any(feature = "checks", feature = "generator"))]
/// Makes the object of a part of a schema that is not checked.
pub(crate) fn skipped(skipped: &Skipped) -> JsValue {
    Object::plain()
        .text("pointer", &skipped.pointer)
        .text("keyword", &skipped.keyword)
        .text("reason", &skipped.reason)
        .done()
}

#[cfg(any(feature = "checks", feature = "generator"))]
/// Makes the object that says where a value differs from its schema.
pub(crate) fn mismatch(mismatch: &Mismatch) -> JsValue {
    differs(Object::told("invalid", mismatch), mismatch).done()
}

#[cfg(any(feature = "checks", feature = "generator"))]
/// Adds where a value differs from its schema.
pub(crate) fn differs(object: Object, mismatch: &Mismatch) -> Object {
    object
        .text("pointer", &mismatch.pointer)
        .text("expected", &mismatch.expected)
        .text("found", &mismatch.found)
        .maybe_text("hint", mismatch.hint.as_deref())
}

pub(crate) fn revisions(revisions: &[Revision]) -> impl Iterator<Item = JsValue> {
    revisions.iter().map(|revision| JsValue::from_str(revision.as_str()))
}
