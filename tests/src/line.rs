//! Lines as peers write them, without the line end.

use selvedge_core::client::CallId;

/// The result of `initialize` that declares everything a server can declare.
pub const EVERYTHING: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{},"completions":{},"logging":{}},"serverInfo":{"name":"peer","version":"1"}}"#;

/// What a modern server declares that has everything and tells of nothing.
pub const CAPABILITIES: &str = r#"{"tools":{},"resources":{},"prompts":{},"completions":{},"logging":{}}"#;

/// Returns the answer to `server/discover`, whose request has this id, with these capabilities.
#[must_use]
pub fn discovered(id: u64, capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{capabilities},"ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"peer","version":"1"}}}}}}}}"#
    )
}

/// Returns the answer to a request with this result.
#[must_use]
pub fn result_of(id: u64, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Returns a notification of the stream that this request opened.
#[must_use]
pub fn of_stream(id: u64, method: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    notification(method, &format!("{{{meta}{comma}{members}}}"))
}

/// Returns the acknowledgement of the stream that this request opened.
#[must_use]
pub fn acknowledged(id: u64, notifications: &str) -> String {
    of_stream(id, "notifications/subscriptions/acknowledged", &format!(r#""notifications":{notifications}"#))
}

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
