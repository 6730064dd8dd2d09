//! Writes messages: one line each, without the line end.

use alloc::string::String;
use core::fmt::Write as _;

use super::{Id, RpcError};
use crate::json::{push_compact, push_string};

const HEAD: &str = r#"{"jsonrpc":"2.0""#;

/// Appends a request; `params` appends its parameters, an object.
pub(crate) fn push_request(out: &mut String, id: u64, method: &str, params: impl FnOnce(&mut String)) {
    out.push_str(HEAD);
    // Writing to a `String` never fails.
    let _ = write!(out, ",\"id\":{id},\"method\":");
    push_string(out, method);
    out.push_str(",\"params\":");
    params(out);
    out.push('}');
}

/// Appends a notification; `params` appends its parameters, an object.
pub(crate) fn push_notification(out: &mut String, method: &str, params: Option<&str>) {
    out.push_str(HEAD);
    out.push_str(",\"method\":");
    push_string(out, method);
    if let Some(params) = params {
        out.push_str(",\"params\":");
        push_compact(out, params);
    }
    out.push('}');
}

/// Appends the answer to a peer's request.
pub(crate) fn push_result(out: &mut String, id: &Id, result: &str) {
    push_result_with(out, id, |out| push_compact(out, result));
}

/// Appends the answer to a peer's request; `result` appends what it holds.
pub(crate) fn push_result_with(out: &mut String, id: &Id, result: impl FnOnce(&mut String)) {
    out.push_str(HEAD);
    out.push_str(",\"id\":");
    id.push_to(out);
    out.push_str(",\"result\":");
    result(out);
    out.push('}');
}

/// Appends an error as the answer to a peer's request; without an id where the request showed none.
pub(crate) fn push_error(out: &mut String, id: Option<&Id>, error: &RpcError) {
    out.push_str(HEAD);
    out.push_str(",\"id\":");
    match id {
        Some(id) => id.push_to(out),
        None => out.push_str("null"),
    }
    push_error_member(out, error);
}

/// Appends an error that answers what showed no request (2026-07-28, whose ids are never null).
pub(crate) fn push_error_without_id(out: &mut String, error: &RpcError) {
    out.push_str(HEAD);
    push_error_member(out, error);
}

fn push_error_member(out: &mut String, error: &RpcError) {
    // Writing to a `String` never fails.
    let _ = write!(out, ",\"error\":{{\"code\":{},\"message\":", error.code);
    push_string(out, &error.message);
    if let Some(data) = &error.data {
        out.push_str(",\"data\":");
        push_compact(out, data.as_str());
    }
    out.push_str("}}");
}
