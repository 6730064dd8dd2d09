//! Clients that mean no good: they end their own connections and nobody else's.

use std::{io::Write as _, net::Ipv4Addr, time::Duration};

use serde_json::json;

use crate::{
    Sign, Wire, legacy, modern, server, server_with,
    wire::{is_served, session},
};

const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_head_that_does_not_come_ends_its_connection() {
    let served = server_with(|options| options.head_timeout = SHORT);
    for start in ["", "P", "PRI * HTTP/2.0\r\n\r\n", "POST /mcp HTTP/1.1\r\nhost: loc"] {
        let mut wire = Wire::new(&served);
        wire.send(start);
        let rest = wire.rest();
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 408"), "{start:?}: {rest:?}");
    }
    is_served(&served);
}

#[test]
fn a_body_that_does_not_come_is_answered_with_408() {
    let served = server_with(|options| options.endpoint.body_timeout = SHORT);
    let whole = modern(1, "tools/list", json!({}));
    let mut wire = Wire::new(&served);
    wire.send(&whole[..whole.len() - 1]);
    assert_eq!(wire.response().status, 408);
    is_served(&served);
}

#[test]
fn a_giant_head_is_refused_before_it_is_kept() {
    let served = server();
    let mut wire = Wire::new(&served);
    wire.send("GET /mcp HTTP/1.1\r\nhost: localhost\r\nx-giant: ");
    // The server closes the connection while this is being written.
    let _ = wire.stream.get_mut().write_all(&vec![b'x'; 8 << 20]);
    let rest = wire.rest();
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 431"), "{rest:?}");
    let many = "x-many: 1\r\n".repeat(150);
    let rest = {
        let mut wire = Wire::new(&served);
        wire.send(&format!("GET /mcp HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"));
        wire.rest()
    };
    assert!(rest.starts_with("HTTP/1.1 431"), "{rest:?}");
    is_served(&served);
}

#[test]
fn a_body_that_announces_too_much_is_refused_before_it_comes() {
    let served = server();
    let mut wire = Wire::new(&served);
    wire.send(concat!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n",
        "expect: 100-continue\r\ncontent-length: 1000000000\r\n\r\n",
    ));
    assert_eq!(wire.head().status, 413);
    is_served(&served);
}

#[test]
fn names_and_pages_from_elsewhere_are_refused() {
    let served = server();
    let list = modern(1, "tools/list", json!({}));
    let port = served.server.local_addr().port();
    for (host, status) in [
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost", 200),
        ("localhost:1", 200),
        ("[::1]", 200),
    ] {
        let asked = list.replace("host: localhost", &format!("host: {host}"));
        assert_eq!(Wire::new(&served).ask(&asked).status, status, "{host}");
    }
    let own = list.replace("host: localhost", &format!("host: 127.0.0.1:{port}"));
    assert_eq!(Wire::new(&served).ask(&own).status, 200);
    let page = list.replace("host: localhost", "host: localhost\r\norigin: https://evil.example");
    assert_eq!(Wire::new(&served).ask(&page).status, 403);
}

#[test]
fn a_session_that_is_none_is_not_found() {
    let served = server();
    let own = session(&served);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(Wire::new(&served).ask(&legacy(Some(&own), &list)).status, 200);
    assert_eq!(Wire::new(&served).ask(&legacy(Some("AAAA"), &list)).status, 404);
    assert_eq!(Wire::new(&served).ask(&legacy(None, &list)).status, 400);
}

#[test]
fn a_tool_that_panics_is_answered_and_the_others_go_on() {
    let served = server();
    let mut wire = Wire::new(&served);
    let crashed = wire.ask(&modern(1, "tools/call", json!({ "name": "panic" })));
    assert_eq!(crashed.json()["error"]["code"], -32603);
    assert!(!crashed.body.contains("on purpose"), "{crashed:?}");
    let echoed = wire.ask(&modern(2, "tools/call", json!({ "name": "echo", "arguments": { "a": 1 } })));
    assert_eq!(echoed.json()["result"]["content"][0]["text"], "{\"a\":1}");
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let served = server();
    let mut wire = Wire::new(&served);
    let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
    wire.send(&modern(1, "tools/call", json!({ "name": "flood", "_meta": meta })));
    served.sees(Sign::Started);
    served.sees(Sign::Dropped);
    is_served(&served);
}

#[test]
fn no_more_connections_are_served_than_the_bound_says() {
    let served = server_with(|options| options.max_connections = 1);
    let mut first = Wire::new(&served);
    let health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    first.send(&modern(1, "tools/call", json!({ "name": "gate" })));
    served.sees(Sign::Started);
    let mut second = Wire::new(&served);
    second.send(health);
    second.stream.get_ref().set_read_timeout(Some(SHORT)).unwrap();
    assert_eq!(second.rest(), "");
    drop(first);
    second.stream.get_ref().set_read_timeout(Some(crate::served::PATIENCE)).unwrap();
    assert_eq!(second.response().status, 200);
}

#[cfg(target_os = "linux")]
#[test]
fn no_more_connections_of_one_address_are_served_than_the_bound_says() {
    let served = server_with(|options| options.max_connections_per_address = 1);
    let mut first = Wire::new(&served);
    let health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    first.send(&modern(1, "tools/call", json!({ "name": "gate" })));
    served.sees(Sign::Started);
    assert_eq!(Wire::new(&served).rest(), "");
    let mut other = Wire::from(&served, Ipv4Addr::new(127, 0, 0, 2));
    assert_eq!(other.ask(health).status, 200);
    drop(first);
    // Its place is free once the server has seen that.
    let last = "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let is_served = (0..1_000).any(|_| {
        let mut wire = Wire::new(&served);
        // Until then this one is cut, perhaps before it has said anything.
        let _ = wire.stream.get_mut().write_all(last.as_bytes());
        wire.rest().starts_with("HTTP/1.1 200")
    });
    assert!(is_served);
}

#[test]
fn an_idle_connection_ends_for_one_that_comes() {
    let served = server_with(|options| options.max_connections = 2);
    let mut idle = Wire::new(&served);
    let health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let mut used = Wire::new(&served);
    assert_eq!(used.ask(health).status, 200);
    assert_eq!(Wire::new(&served).ask(health).status, 200);
    assert_eq!(idle.rest(), "", "the one that never asked anything has ended");
    assert_eq!(used.ask(health).status, 200);
}

#[test]
fn answers_that_nobody_reads_are_refused_beyond_the_bound() {
    let served = server_with(|options| options.max_waiting_bytes = 40 << 20);
    let text = "z".repeat(12 << 20);
    let echo = modern(1, "tools/call", json!({ "name": "echo", "arguments": { "a": text } }));
    let mut deaf: Vec<_> = (0..6).map(|_| Wire::new(&served)).collect();
    for wire in &mut deaf {
        wire.send(&echo);
        served.sees(Sign::Started);
    }
    is_served(&served);
    let statuses: Vec<_> = deaf.iter_mut().map(|wire| wire.response().status).collect();
    assert!(statuses.contains(&200) && statuses.contains(&503), "{statuses:?}");
}

#[test]
fn requests_that_name_no_host_or_two_are_refused() {
    let served = server();
    let ask = |text: &str| Wire::new(&served).ask(text).status;
    assert_eq!(ask("GET /health HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(ask("GET http://localhost/health HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(ask("GET http://evil.example/health HTTP/1.1\r\nhost: localhost\r\n\r\n"), 400);
    assert_eq!(ask("GET http://localhost/health HTTP/1.1\r\nhost: evil.example\r\n\r\n"), 400);
    assert_eq!(ask("GET http://evil.example/health HTTP/1.1\r\nhost: evil.example\r\n\r\n"), 403);
    assert_eq!(ask("GET http://localhost/health HTTP/1.1\r\nhost: localhost\r\n\r\n"), 200);
}

#[test]
fn http_2_is_spoken_without_tls() {
    let served = server();
    let mut wire = Wire::new(&served);
    wire.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0");
    let mut frame = [0; 4];
    std::io::Read::read_exact(&mut wire.stream, &mut frame).unwrap();
    assert_eq!(frame[3], 4, "the first frame is that of the settings");
}
