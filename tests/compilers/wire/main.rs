mod selvedge;
mod wire;

use std::cell::RefCell;

use selvedge::{Answer, Content, Fault, Invoke, Json, McpError};

struct Recorder(RefCell<Vec<Answer>>);

fn text(value: &Json) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Int(value) => value.to_string(),
        Json::Float(value) => value.to_string(),
        Json::Text(value) => quoted(value),
        Json::List(items) => format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().map(|(name, value)| (name, text(value))).collect();
            members.sort();
            let members: Vec<_> = members.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

impl Invoke for Recorder {
    fn invoke(&self, server: &str, tool: &str, arguments: Json) -> Result<Answer, Fault> {
        println!("{server}\t{tool}\t{}", text(&arguments));
        Ok(self.0.borrow_mut().remove(0))
    }
}

fn main() {
    let object = |id: Json| Json::Object(vec![("id".into(), id), ("at".into(), Json::Null)]);
    let say = |text: &str| vec![Content::Text(text.into())];
    let tools = wire::Tools::new(Recorder(RefCell::new(vec![
        Answer { content: say("done"), is_error: false, structured: Some(object(Json::Int(7))) },
        Answer { content: vec![], is_error: false, structured: Some(object(Json::Text("x".into()))) },
        Answer { content: say("broken"), is_error: true, structured: None },
    ])));
    let reply = tools
        .send_it_1e52c219(wire::SendIt {
            to: "é\"\n".into(),
            kind_f5387f9b: wire::SendItKind::AB,
            note: Some(None),
            x_y_cc96fed8: Some(42.0),
            where_b48111c1: Some(wire::SendItWhere { page: 1, at_dc20964b: Some("x".into()) }),
        })
        .unwrap();
    let at = match reply.structured.at.clone() {
        Some(Some(at)) => at,
        Some(None) => "null".into(),
        None => "absent".into(),
    };
    println!("reply {} {at} {}", reply.structured.id, reply.text());
    let absent = wire::SendIt {
        to: "x".into(),
        kind_f5387f9b: wire::SendItKind::C,
        note: None,
        x_y_cc96fed8: None,
        where_b48111c1: None,
    };
    match tools.send_it_1e52c219(absent) {
        Err(McpError::ResultSchemaMismatch { mismatch, .. }) if mismatch.path == "/id" => println!("mismatch"),
        other => println!("{other:?}"),
    }
    match tools.then() {
        Err(McpError::ToolFailed { message, .. }) => println!("failed {message}"),
        other => println!("{other:?}"),
    }
}
