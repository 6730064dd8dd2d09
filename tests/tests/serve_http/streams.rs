//! Streams: what they cost, what a lost connection means, and how a client comes back.

use std::{env, fs, process::Command};

use serde_json::json;

use crate::{Served, Sign, Wire, legacy, modern, server, wire::session};

/// Is set in the environment of a test that has its process to itself.
const ALONE: &str = "SELVEDGE_TEST_ALONE";

fn listen(served: &Served, id: u32) -> Wire {
    let mut wire = Wire::new(served);
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    wire.send(&modern(id, "subscriptions/listen", wanted));
    let head = wire.head();
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let first = wire.message().unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    wire
}

#[test]
fn a_thousand_idle_streams_cost_little_and_hear_of_every_change() {
    // What other tests take and give back would count as well, so a process of its own does it.
    if env::var_os(ALONE).is_none() {
        let name = "streams::a_thousand_idle_streams_cost_little_and_hear_of_every_change";
        let mut again = Command::new(env::current_exe().unwrap());
        let ended = again.args([name, "--exact", "--nocapture"]).env(ALONE, "1").status().unwrap();
        assert!(ended.success());
        return;
    }
    let served = server();
    // A stream has two ends here.
    let count = open_files().map_or(1_000, |most| 1_000.min((most - 100) / 2));
    let before = resident();
    let mut streams: Vec<_> = (0..count).map(|at| listen(&served, u32::try_from(at).unwrap())).collect();
    let after = resident();
    println!("{count} idle streams take {} KiB in client and server together", after - before);
    assert!(after - before < 64 << 10, "{} KiB", after - before);
    let mut wire = Wire::new(&served);
    assert_eq!(wire.ask(&modern(1, "tools/call", json!({ "name": "change" }))).status, 200);
    for stream in &mut streams {
        assert_eq!(stream.message().unwrap()["method"], "notifications/tools/list_changed");
    }
    served.server.shutdown();
    for stream in &mut streams {
        assert!(stream.message().unwrap()["result"].is_object());
        assert_eq!(stream.message(), None);
    }
}

/// Returns the memory of this process in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

/// Returns how many files may be open.
fn open_files() -> Option<usize> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}

#[test]
fn a_modern_call_ends_with_its_connection() {
    let served = server();
    let mut wire = Wire::new(&served);
    wire.send(&modern(1, "tools/call", json!({ "name": "wait" })));
    served.sees(Sign::Started);
    drop(wire);
    served.sees(Sign::Dropped);
}

#[test]
fn a_modern_call_that_streams_ends_with_its_connection() {
    let served = server();
    let mut wire = Wire::new(&served);
    let call = json!({ "name": "gate", "_meta": { "progressToken": 1 } });
    wire.send(&modern(1, "tools/call", call));
    wire.head();
    assert_eq!(wire.message().unwrap()["method"], "notifications/progress");
    served.sees(Sign::Started);
    drop(wire);
    served.sees(Sign::Dropped);
}

#[test]
fn a_legacy_call_outlives_its_connection_and_its_client_comes_back() {
    let served = server();
    let own = session(&served);
    let mut wire = Wire::new(&served);
    let params = json!({ "name": "gate", "_meta": { "progressToken": 1 } });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    wire.send(&legacy(Some(&own), &call));
    wire.head();
    let primed = wire.event().unwrap();
    let id = primed.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    assert_eq!(wire.message().unwrap()["method"], "notifications/progress");
    drop(wire);
    served.open_gate();
    let mut again = Wire::new(&served);
    again.send(&format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {own}\r\n\
         last-event-id: {id}\r\n\r\n"
    ));
    assert_eq!(again.head().status, 200);
    assert_eq!(again.message().unwrap()["method"], "notifications/progress");
    let answer = again.message().unwrap();
    assert_eq!((&answer["id"], answer["result"].is_object()), (&json!(7), true));
    assert_eq!(again.message(), None);
    served.sees(Sign::Started);
    served.sees_nothing_more();
}
