//! Lines as peers write them, without the line end.

use selvedge_core::client::CallId;

/// The result of `initialize` that declares everything a server can declare.
pub const EVERYTHING: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{},"completions":{},"logging":{}},"serverInfo":{"name":"peer","version":"1"}}"#;

/// Returns the answer to a call with this result.
#[must_use]
pub fn result(call: CallId, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, call.as_u64())
}

/// Returns the answer to a tool call with the text `ok`.
#[must_use]
pub fn ok(call: CallId) -> String {
    text(call, "ok")
}

/// Returns the answer to a tool call with a text, which must need no escaping.
#[must_use]
pub fn text(call: CallId, text: &str) -> String {
    result(call, &format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))
}

/// Returns the answer to a call with an error.
#[must_use]
pub fn error(call: CallId, code: i64, message: &str) -> String {
    let id = call.as_u64();
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// Returns a notification with these parameters.
#[must_use]
pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// Returns a request with this id and these parameters, each as its JSON text.
#[must_use]
pub fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Returns the result of `initialize` with this revision and these capabilities.
#[must_use]
pub fn welcome(revision: &str, capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{revision}","capabilities":{capabilities},"serverInfo":{{"name":"peer","version":"1"}}}}}}"#
    )
}
