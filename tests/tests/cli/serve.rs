//! The built-in server as any client sees it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout},
};

use serde_json::{Value, json};

use crate::harness::{command, wait};

struct Served {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Served {
    fn new() -> Self {
        let mut command = command(&["serve", "--demo"]);
        command.stdin(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut served = Self { child, input, output };
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {} });
        served.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        assert_eq!(served.receive().unwrap()["result"]["serverInfo"]["name"], "selvedge-demo");
        served
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, id: u64, name: &str, arguments: &Value) {
        let params = json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": id } });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// Reads the next message; `None` is the end.
    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }
}

#[test]
fn reports_of_progress_stand_before_the_answer() {
    let mut served = Served::new();
    served.call(1, "count", &json!({ "to": 3 }));
    for at in 1..=3 {
        let report = served.receive().unwrap();
        assert_eq!(
            report["params"],
            json!({ "progressToken": 1, "progress": at, "total": 3, "message": format!("counted {at}") })
        );
    }
    assert_eq!(served.receive().unwrap()["result"]["content"][0]["text"], "counted to 3");
}

#[test]
fn a_slow_call_keeps_no_other_waiting_and_can_be_cancelled() {
    let mut served = Served::new();
    served.call(1, "count", &json!({ "to": 1, "delay_ms": 60_000 }));
    served.call(2, "add", &json!({ "a": 1, "b": 2 }));
    assert_eq!(served.receive().unwrap()["id"], 2);
    served.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
    );
    // The end waits for no call any more, and the cancelled one is not answered.
    served.input = None;
    assert_eq!(served.receive(), None);
    assert_eq!(wait(&mut served.child).code(), Some(0));
}

#[test]
fn calls_under_way_are_answered_after_the_end_of_the_input() {
    let mut served = Served::new();
    served.call(1, "count", &json!({ "to": 2, "delay_ms": 20 }));
    served.input = None;
    let answers: Vec<_> = std::iter::from_fn(|| served.receive()).collect();
    assert_eq!(answers.last().unwrap()["result"]["content"][0]["text"], "counted to 2");
    assert_eq!(wait(&mut served.child).code(), Some(0));
}

#[test]
fn what_a_model_can_put_right_is_a_failure_of_the_tool() {
    let mut served = Served::new();
    served.call(1, "add", &json!({ "a": "one" }));
    let answer = served.receive().unwrap();
    assert_eq!(answer["result"]["isError"], true);
    served.call(2, "subtract", &json!({}));
    assert_eq!(served.receive().unwrap()["error"]["code"], -32602);
}

#[cfg(unix)]
#[test]
fn a_termination_is_an_end_in_order() {
    let mut served = Served::new();
    served.call(1, "add", &json!({ "a": 1, "b": 2 }));
    assert_eq!(served.receive().unwrap()["id"], 1);
    let pid = served.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    assert_eq!(served.receive(), None);
    assert_eq!(wait(&mut served.child).code(), Some(0));
}
