//! The server that `selvedge serve --demo` is: five small tools that need nothing.

use std::time::Duration;

use selvedge::{
    Link, Service,
    core::{
        ServerConfig,
        json::RawJson,
        jsonrpc::{RpcError, code},
        protocol::Implementation,
        server::{Answer, Context, Request},
    },
};
use serde_json::{Value, json};

const MAX_COUNT: u64 = 1_000;
const MAX_DELAY_MILLIS: u64 = 60_000;
/// A PNG of one grey pixel.
const PIXEL: &str = concat!(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB",
    "2kUIOwAAAABJRU5ErkJggg=="
);

/// The built-in tools.
#[derive(Debug)]
pub(crate) struct Demo;

impl Service for Demo {
    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.implementation = Implementation::new("selvedge-demo", env!("CARGO_PKG_VERSION"));
        config.instructions = Some("Five small tools to try a client on.".to_owned());
        config.tools =
            [add(), count(), echo(), fail(), pixel()].iter().filter_map(|tool| raw(tool).ok()).collect();
        config
    }

    async fn serve(&self, request: Request, _: Context, link: Link) -> Answer {
        let Request::CallTool { name, arguments } = request else { return Answer::NotFound };
        let arguments: Value = match serde_json::from_str(arguments.as_str()) {
            Ok(arguments) => arguments,
            Err(error) => return Answer::Failed(RpcError::new(code::INVALID_PARAMS, error.to_string())),
        };
        let result = match name.as_str() {
            "add" => call_add(&arguments),
            "count" => call_count(&arguments, &link).await,
            "echo" => string(&arguments, "text").map(text),
            "fail" => Err(string(&arguments, "reason").unwrap_or("this tool always fails").to_owned()),
            _ => Ok(json!({ "content": [
                { "type": "text", "text": "One grey pixel:" },
                { "type": "image", "mimeType": "image/png", "data": PIXEL },
            ] })),
        };
        // What a model can put right is a tool's failure (revision 2025-11-25), not one of the protocol.
        let result = raw(&result.unwrap_or_else(|reason| {
            let mut failure = text(&reason);
            if let Value::Object(members) = &mut failure {
                members.insert("isError".to_owned(), Value::Bool(true));
            }
            failure
        }));
        result.map_or_else(Answer::Failed, Answer::Result)
    }
}

fn add() -> Value {
    json!({
        "name": "add",
        "description": "Adds two numbers",
        "inputSchema": {
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": { "sum": { "type": "number" } },
            "required": ["sum"],
        },
    })
}

fn count() -> Value {
    json!({
        "name": "count",
        "description": "Counts up and reports its progress",
        "inputSchema": {
            "type": "object",
            "properties": {
                "to": { "type": "integer", "minimum": 0, "maximum": MAX_COUNT },
                "delay_ms": { "type": "integer", "minimum": 0, "maximum": MAX_DELAY_MILLIS, "default": 0 },
            },
            "required": ["to"],
            "additionalProperties": false,
        },
    })
}

fn echo() -> Value {
    json!({
        "name": "echo",
        "description": "Answers with its text",
        "inputSchema": {
            "type": "object",
            "properties": { "text": { "type": "string" } },
            "required": ["text"],
            "additionalProperties": false,
        },
    })
}

fn fail() -> Value {
    json!({
        "name": "fail",
        "description": "Answers that it failed",
        "inputSchema": {
            "type": "object",
            "properties": { "reason": { "type": "string" } },
            "additionalProperties": false,
        },
    })
}

fn pixel() -> Value {
    json!({
        "name": "pixel",
        "description": "Answers with an image",
        "inputSchema": { "type": "object", "additionalProperties": false },
    })
}

fn call_add(arguments: &Value) -> Result<Value, String> {
    let (a, b) = (number(arguments, "a")?, number(arguments, "b")?);
    let whole = a.as_i64().zip(b.as_i64()).and_then(|(a, b)| a.checked_add(b));
    let sum = match (whole, a.as_f64().zip(b.as_f64())) {
        (Some(sum), _) => json!(sum),
        (None, Some((a, b))) if (a + b).is_finite() => json!(a + b),
        _ => return Err("the sum is out of range".to_owned()),
    };
    let mut result = text(&sum.to_string());
    if let Value::Object(members) = &mut result {
        members.insert("structuredContent".to_owned(), json!({ "sum": sum }));
    }
    Ok(result)
}

async fn call_count(arguments: &Value, link: &Link) -> Result<Value, String> {
    let to = whole(arguments, "to", MAX_COUNT)?;
    let delay = match arguments.get("delay_ms") {
        Some(_) => Duration::from_millis(whole(arguments, "delay_ms", MAX_DELAY_MILLIS)?),
        None => Duration::ZERO,
    };
    for at in 1..=to {
        tokio::time::sleep(delay).await;
        link.progress(float(at), Some(float(to)), Some(&format!("counted {at}"))).await;
    }
    Ok(text(&format!("counted to {to}")))
}

/// The counts of this server are small.
fn float(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

fn number<'a>(arguments: &'a Value, name: &str) -> Result<&'a Value, String> {
    let found = arguments.get(name).filter(|value| value.is_number());
    found.ok_or_else(|| format!("`{name}` must be a number"))
}

fn whole(arguments: &Value, name: &str, max: u64) -> Result<u64, String> {
    let found = arguments.get(name).and_then(Value::as_u64).filter(|value| *value <= max);
    found.ok_or_else(|| format!("`{name}` must be a whole number from 0 to {max}"))
}

fn string<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` must be a string"))
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn raw(value: &Value) -> Result<RawJson, RpcError> {
    RawJson::new(value.to_string()).map_err(|error| RpcError::new(code::INTERNAL_ERROR, error.to_string()))
}
