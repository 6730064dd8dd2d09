//! How a server ends.

use std::time::Duration;

use serde_json::json;

use crate::{Sign, Wire, modern, server, server_with, wire::is_served};

#[test]
fn a_server_that_stops_lets_its_calls_end() {
    let mut served = server();
    let mut wire = Wire::new(&served);
    wire.send(&modern(1, "tools/call", json!({ "name": "gate", "_meta": { "progressToken": 1 } })));
    wire.head();
    wire.message();
    served.sees(Sign::Started);
    served.server.shutdown();
    served.open_gate();
    assert!(wire.message().unwrap()["result"].is_object());
    assert_eq!(wire.message(), None);
    served.ends();
    assert!(std::net::TcpStream::connect(served.server.local_addr()).is_err());
    served.sees_nothing_more();
}

#[test]
fn a_call_that_never_ends_has_its_time_and_no_more() {
    let mut served = server_with(|options| options.grace = Duration::from_millis(100));
    let mut wire = Wire::new(&served);
    wire.send(&modern(1, "tools/call", json!({ "name": "wait" })));
    served.sees(Sign::Started);
    served.server.shutdown();
    served.ends();
    served.sees(Sign::Dropped);
    assert_eq!(wire.rest(), "");
}

#[test]
fn a_server_without_anything_in_hand_stops_at_once() {
    let mut served = server_with(|options| options.grace = Duration::from_hours(1));
    let mut idle = Wire::new(&served);
    assert_eq!(idle.ask("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").status, 200);
    served.server.shutdown();
    served.ends();
    assert_eq!(idle.rest(), "");
}

#[test]
fn a_server_that_is_dropped_ends_at_once() {
    let served = server();
    is_served(&served);
    let mut wire = Wire::new(&served);
    wire.send(&modern(1, "tools/call", json!({ "name": "wait" })));
    served.sees(Sign::Started);
    let crate::Served { runtime, server, .. } = served;
    drop(server);
    assert_eq!(wire.rest(), "");
    drop(runtime);
}
