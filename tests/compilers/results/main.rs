mod results;
mod selvedge;

use std::{cell::RefCell, collections::VecDeque, fmt::Display};

use results::{SayIt, Tools};
use selvedge::{Answer, Content, Fault, Invoke, Json, McpError, Reply};

struct Recorder(RefCell<VecDeque<Result<Json, Fault>>>);

impl Invoke for Recorder {
    fn invoke(&self, _: &str, tool: &str, arguments: Json) -> Result<Answer, Fault> {
        println!("{tool} {}", compact(&arguments));
        let answer = self.0.borrow_mut().pop_front().expect("an answer was recorded");
        Answer::read(&answer?)
    }
}

fn compact(value: &Json) -> String {
    match value {
        Json::Int(value) => value.to_string(),
        Json::Float(value) => value.to_string(),
        Json::Text(value) => format!("{value:?}"),
        Json::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", compact(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        other => format!("{other:?}"),
    }
}

fn text(value: &str) -> Json {
    Json::Text(value.into())
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn said(value: &str) -> Json {
    object([("type", text("text")), ("text", text(value))])
}

fn image() -> Json {
    object([("type", text("image")), ("data", text("")), ("mimeType", text("image/png"))])
}

fn content<const N: usize>(parts: [Json; N]) -> (&'static str, Json) {
    ("content", Json::List(parts.into()))
}

fn structured(name: &str, value: Json) -> (&'static str, Json) {
    ("structuredContent", object([(name, value)]))
}

fn recorded() -> VecDeque<Result<Json, Fault>> {
    let count = || structured("n", Json::Int(1));
    let fault = |code: &str, message: &str| Fault { code: code.into(), message: message.into() };
    VecDeque::from([
        Ok(object([content([])])),
        Ok(object([content([said(&"x".repeat(17 << 20))])])),
        Ok(object([content([said("broken")]), ("isError", Json::Bool(true)), structured("n", text("x"))])),
        Ok(object([content([said("{\"n\":1}")])])),
        Ok(object([content([]), count()])),
        Ok(object([content([said("{\"n\":2}")]), count()])),
        Ok(object([content([said("a"), image(), said("b")]), count()])),
        Ok(object([content([said("kept")]), structured("n", text("x"))])),
        Ok(object([])),
        Ok(object([content([said("x")]), structured("result", text("x"))])),
        Ok(object([content([said("x")])])),
        Err(fault("-32602", "unknown tool")),
        Err(fault("mcp_unavailable", "the server has left")),
    ])
}

fn outcome<T, S: Display>(reply: Reply<T>, show: impl Fn(&[Content], &str, &T) -> S) {
    match reply {
        Ok(result) => println!("{}", show(&result.content, &result.text(), &result.structured)),
        Err(error) => println!("{}", explained(error)),
    }
}

fn explained(error: McpError) -> String {
    match error {
        McpError::ToolFailed { message, .. } => format!("failed: {message}"),
        McpError::ServerUnavailable(reason) => format!("unavailable: {reason}"),
        McpError::Denied { code, message } => format!("denied {code}: {message}"),
        McpError::ResultMalformed(reason) => format!("malformed: {reason}"),
        McpError::ResultSchemaMismatch { mismatch, result } => {
            let path = if mismatch.path.is_empty() { "the root" } else { &mismatch.path };
            format!("mismatch at {path}: {}, text {}", mismatch.reason, result.text())
        }
    }
}

fn sizes(content: &[Content], text: &str, structured: &str) -> String {
    format!("content {}, structured {structured}, text {}", content.len(), text.len())
}

fn main() {
    let tools = Tools::new(Recorder(RefCell::new(recorded())));
    let untyped = |content: &[Content], text: &str, structured: &Option<Json>| {
        sizes(content, text, &structured.as_ref().map_or("none".into(), compact))
    };
    outcome(tools.say_it_92410966(SayIt { n: 42.0, i: None, text: None }), untyped);
    outcome(tools.say_it_92410966(SayIt { n: 0.5, i: Some(3), text: Some("x".into()) }), untyped);
    outcome(tools.say_it_92410966(SayIt { n: f64::INFINITY, i: None, text: None }), untyped);
    let counted = |content: &[Content], text: &str, count: &results::CountResult| {
        sizes(content, text, &format!("{{\"n\":{}}}", count.n))
    };
    for _ in 0..4 {
        outcome(tools.count(), counted);
    }
    outcome(tools.count(), |content, text, _| {
        let kinds = content.iter().map(|part| match part {
            Content::Text(_) => "text",
            Content::Other { kind, .. } => kind,
        });
        format!("content {}; text {}", kinds.collect::<Vec<_>>().join(","), text.replace('\n', "|"))
    });
    for _ in 0..2 {
        outcome(tools.count(), counted);
    }
    for _ in 0..2 {
        outcome(tools.wrapped(), |_, _, wrapped| format!("wrapped {}", wrapped.result));
    }
    for _ in 0..2 {
        outcome(tools.say_it_92410966(SayIt { n: 1.0, i: None, text: None }), untyped);
    }
}
