//! Sessions of the legacy era: how they begin, whose they are, and how they end.

use std::{collections::BTreeSet, time::Duration};

use selvedge_core::{protocol::Revision, server::ServerEvent};
use selvedge_tests::{
    Web, line,
    web::{Sent, call, initialize},
};

use crate::code;

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn ping(session: &str) -> Sent {
    Sent::post(session, &line::request("9", "ping", "{}"))
}

#[test]
fn a_handshake_opens_a_session_whose_id_cannot_be_guessed() {
    let mut web = Web::new(|_| {});
    let mut seen = BTreeSet::new();
    for revision in LEGACY {
        let response = web.ask(&Sent::new("POST", &initialize(revision)));
        assert_eq!((response.status(), response.header("content-type")), (200, Some("application/json")));
        assert!(response.text().contains(&format!(r#""protocolVersion":"{revision}""#)));
        let session = response.header("mcp-session-id").unwrap().to_owned();
        assert!(
            session.len() >= 32 && session.bytes().all(|byte| (0x21..=0x7e).contains(&byte)),
            "{session}"
        );
        assert_eq!(web.ask(&ping(&session)).text(), r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
        assert_eq!(web.ask(&ping(&session)).header("mcp-session-id"), None, "it is told once");
        assert!(seen.insert(session));
    }
    let other = Web::new(|config| config.seed = [8; 32]).session("2025-11-25");
    assert!(!seen.contains(&other), "another seed makes other ids");
    let events = web.take_events();
    let initialized = events.iter().filter(|event| matches!(event, ServerEvent::Initialized { .. })).count();
    assert_eq!(initialized, 4);
}

#[test]
fn a_handshake_asking_for_the_modern_revision_gets_the_newest_legacy_one() {
    let mut web = Web::new(|_| {});
    let response = web.ask(&Sent::new("POST", &initialize("2026-07-28")));
    assert!(response.text().contains(Revision::V2025_11_25.as_str()));
}

#[test]
fn a_handshake_that_fails_leaves_no_session() {
    let mut web = Web::new(|_| {});
    let response = web.ask(&Sent::new("POST", &line::request("1", "initialize", "{}")));
    assert_eq!((response.status(), code(response.text())), (400, -32602));
    assert_eq!((response.header("mcp-session-id"), web.endpoint.sessions()), (None, 0));
    assert_eq!((web.take_events(), web.endpoint.poll_timeout()), (vec![], None));
}

#[test]
fn a_message_without_its_session_is_refused() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    for body in [
        line::request("9", "tools/list", "{}"),
        line::notification("notifications/initialized", "{}"),
        "[]".to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
    ] {
        let response = web.ask(&Sent::new("POST", &body));
        assert_eq!((response.status(), code(response.text())), (400, -32600), "{body}");
        for wrong in ["x", "", &session[1..], &format!("{session}x"), &session.to_lowercase()] {
            assert_eq!(web.ask(&Sent::post(wrong, &body)).status(), 404, "{wrong}");
        }
    }
    let named = web.ask(&Sent::new("POST", &line::request("\"i\"", "tools/list", "{}")));
    assert!(named.text().contains(r#""id":"i""#), "{}", named.text());
    assert_eq!(web.ask(&Sent::new("GET", "")).status(), 400);
    assert_eq!(web.ask(&Sent::new("DELETE", "")).status(), 400);
    assert_eq!(web.ask(&Sent::get("x")).status(), 404);
    assert_eq!(web.ask(&Sent::new("DELETE", "").with("Mcp-Session-Id", "x")).status(), 404);
}

#[test]
fn a_session_is_there_for_its_own_principal_only() {
    let mut web = Web::new(|_| {});
    let own = web.session_of("2025-11-25", |sent| sent.of("ann"));
    let open = web.session("2025-11-25");
    assert_eq!(web.ask(&ping(&own).of("ann")).status(), 200);
    for sent in [ping(&own).of("eve"), ping(&own), ping(&open).of("eve"), Sent::get(&own).of("eve")] {
        assert_eq!(web.ask(&sent).status(), 404);
    }
    let delete = Sent::new("DELETE", "").with("Mcp-Session-Id", &own);
    assert_eq!(web.ask(&delete.clone().of("eve")).status(), 404);
    assert_eq!(web.ask(&delete.of("ann")).status(), 204);
}

#[test]
fn the_header_of_the_revision_may_be_absent_but_not_wrong() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-06-18");
    for revision in LEGACY {
        assert_eq!(web.ask(&ping(&session).with("MCP-Protocol-Version", revision)).status(), 200);
    }
    for wrong in ["1999-01-01", "foo", "", "2025-06-18x", "2024-10-07"] {
        let sent = ping(&session).with("MCP-Protocol-Version", wrong);
        let response = web.ask(&sent);
        assert_eq!((response.status(), code(response.text())), (400, -32600), "{wrong}");
        let first = Sent::new("POST", &initialize("2025-06-18")).with("MCP-Protocol-Version", wrong);
        assert_eq!(web.ask(&first).status(), 400);
    }
    assert_eq!(web.endpoint.sessions(), 1);
}

#[test]
fn what_needs_no_answer_is_accepted() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    for body in [
        line::notification("notifications/initialized", "{}"),
        line::notification("no/such", "{}"),
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#.to_owned(),
    ] {
        let response = web.ask(&Sent::post(&session, &body));
        assert_eq!((response.status(), response.text(), response.is_finished), (202, "", true));
    }
}

#[test]
fn a_request_that_is_refused_in_a_session_is_answered_with_an_error_all_the_same() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    for (method, expected) in [("no/such", -32601), ("server/discover", -32601), ("tools/call", -32602)] {
        let response = web.ask(&Sent::post(&session, &line::request("2", method, "{}")));
        assert_eq!((response.status(), code(response.text())), (200, expected), "{method}");
    }
    let again = web.ask(&Sent::post(&session, &initialize("2025-11-25")));
    assert_eq!((again.status(), code(again.text())), (400, -32600));
    let misfit = web.ask(&Sent::post(&session, r#"{"jsonrpc":"2.0","id":3,"method":7}"#));
    assert_eq!((misfit.status(), code(misfit.text())), (400, -32600));
    assert!(misfit.text().contains("\"id\":3"));
    assert_eq!(web.ask(&ping(&session)).status(), 200);
}

#[test]
fn batches_are_for_the_revision_that_has_them() {
    let mut web = Web::new(|_| {});
    let batch = format!("[{},{}]", line::request("1", "ping", "{}"), call("2"));
    let session = web.session("2025-03-26");
    let exchange = web.send(&Sent::post(&session, &batch));
    let own = web.take_call();
    assert_eq!(web.response(exchange).status(), 0);
    web.answer(own, "42");
    let response = web.response(exchange);
    let answers: Vec<serde_json::Value> = serde_json::from_str(response.text()).unwrap();
    assert_eq!((response.status(), answers.len(), &answers[0]["id"]), (200, 2, &serde_json::json!(1)));
    let quiet = format!("[{0},{0}]", line::notification("notifications/initialized", "{}"));
    assert_eq!(web.ask(&Sent::post(&session, &quiet)).status(), 202);
    assert_eq!(web.ask(&Sent::post(&session, "[]")).status(), 400);
    for revision in ["2025-06-18", "2025-11-25"] {
        let session = web.session(revision);
        let response = web.ask(&Sent::post(&session, &batch));
        assert_eq!((response.status(), code(response.text())), (400, -32600));
    }
}

#[test]
fn a_batch_whose_requests_are_all_cancelled_ends_without_an_answer() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-03-26");
    let exchange = web.send(&Sent::post(&session, &format!("[{},{}]", call("1"), call("2"))));
    for id in [1, 2] {
        let cancel = line::notification("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#));
        web.ask(&Sent::post(&session, &cancel));
    }
    assert_eq!((web.response(exchange).status(), web.response(exchange).text()), (202, ""));
}

#[test]
fn a_cancelled_request_ends_its_response_without_an_answer() {
    for is_streaming in [false, true] {
        let mut web = Web::new(|_| {});
        let session = web.session("2025-11-25");
        let exchange = web.send(&Sent::post(&session, &call("5")));
        let own = web.take_call();
        web.pass_millis(if is_streaming { 2_000 } else { 0 });
        web.ask(&Sent::post(&session, &line::notification("notifications/cancelled", r#"{"requestId":5}"#)));
        assert_eq!(web.take_events(), [ServerEvent::Cancelled { call: own }]);
        let response = web.response(exchange);
        assert!(response.is_finished && response.messages().is_empty(), "{}", response.text());
        assert_eq!(response.status(), if is_streaming { 200 } else { 202 });
    }
}

#[test]
fn a_deleted_session_ends_its_calls_and_its_streams_and_is_not_found_again() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let get = web.send(&Sent::get(&session));
    let post = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    let response = web.ask(&Sent::new("DELETE", "").with("Mcp-Session-Id", &session));
    assert_eq!((response.status(), response.text()), (204, ""));
    assert!(web.response(get).is_finished);
    assert_eq!(web.response(post).status(), 404);
    let events = web.take_events();
    assert!(events.contains(&ServerEvent::Cancelled { call: own }), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, ServerEvent::Closed { .. })));
    for sent in
        [ping(&session), Sent::get(&session), Sent::new("DELETE", "").with("Mcp-Session-Id", &session)]
    {
        assert_eq!(web.ask(&sent).status(), 404);
    }
    assert_eq!(
        (web.endpoint.sessions(), web.endpoint.exchanges(), web.endpoint.poll_timeout()),
        (0, 0, None)
    );
}

#[test]
fn a_session_that_nobody_uses_ends() {
    let mut web = Web::new(|config| config.session_idle = Duration::from_mins(1));
    let session = web.session("2025-11-25");
    web.pass_millis(59_000);
    assert_eq!(web.ask(&ping(&session)).status(), 200);
    web.pass_millis(59_000);
    web.ask(&Sent::post(&session, &line::notification("notifications/x", "{}")));
    web.pass_millis(59_999);
    assert_eq!(web.endpoint.sessions(), 1);
    web.pass_millis(1);
    assert_eq!(web.endpoint.sessions(), 0);
    assert_eq!(web.ask(&ping(&session)).status(), 404);
    assert!(matches!(web.take_events()[..], [ServerEvent::Closed { .. }]));
}

#[test]
fn a_session_with_an_open_stream_or_a_call_is_in_use() {
    let mut web = Web::new(|config| {
        (config.session_idle, config.abandon_after) = (Duration::from_mins(1), Duration::from_mins(5));
    });
    let session = web.session("2025-11-25");
    let get = web.send(&Sent::get(&session));
    web.pass_millis(120_000);
    assert_eq!(web.endpoint.sessions(), 1);
    let post = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    web.disconnect(get);
    web.disconnect(post);
    web.pass_millis(120_000);
    assert_eq!(web.endpoint.sessions(), 1, "its call goes on");
    web.answer(own, "42");
    web.pass_millis(60_000);
    assert_eq!(web.endpoint.sessions(), 0);
}

#[test]
fn a_session_more_ends_the_one_that_was_idle_for_longest() {
    let mut web = Web::new(|config| config.limits.max_sessions_per_client = 2);
    let first = web.session("2025-11-25");
    web.pass_millis(1);
    let second = web.session("2025-11-25");
    web.pass_millis(1);
    assert_eq!(web.ask(&ping(&first)).status(), 200);
    let third = web.session("2025-11-25");
    assert_eq!(web.ask(&ping(&second)).status(), 404);
    let calls = [&first, &third].map(|session| web.send(&Sent::post(session, &call("2"))));
    let response = web.ask(&Sent::new("POST", &initialize("2025-11-25")));
    assert_eq!((response.status(), code(response.text())), (503, -32603));
    assert!(response.text().contains("\"id\":1"));
    let own = web.take_calls().remove(0).0;
    web.answer(own, "42");
    assert!(web.response(calls[0]).is_finished);
    web.session("2025-11-25");
    assert_eq!((web.ask(&ping(&first)).status(), web.ask(&ping(&third)).status()), (404, 200));
}

#[test]
fn a_flood_of_handshakes_ends_its_own_sessions_only() {
    let mut web = Web::new(|config| config.limits.max_sessions = 50);
    let victim = web.session_of("2025-11-25", |sent| sent.by(2));
    web.pass_millis(1);
    for _ in 0..500 {
        web.session("2025-11-25");
    }
    assert_eq!(web.endpoint.sessions(), 50);
    assert_eq!(web.ask(&ping(&victim)).status(), 200);
}
