//! HTTP+SSE of 2024-11-05: everything comes on one stream, and messages are posted beside it.

use selvedge_core::{protocol::Revision, server::ServerEvent};
use selvedge_tests::{
    Web, line,
    web::{Sent, call, initialize},
};

use crate::code;

fn open(web: &mut Web) -> (selvedge_core::http::Exchange, String) {
    let get = web.send(&Sent::new("GET", "").at("/sse"));
    let response = web.response(get);
    assert!(response.is_stream() && !response.is_finished);
    let events = response.events();
    let [(name, id, target)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((name.as_str(), id.as_str()), ("endpoint", ""));
    assert!(target.starts_with("/sse?session=") && target.len() >= 13 + 32, "{target}");
    (get, target.clone())
}

fn post(web: &mut Web, target: &str, body: &str) -> u16 {
    let response = web.ask(&Sent::new("POST", body).at(target).without("Accept"));
    assert!(response.is_finished);
    response.status()
}

#[test]
fn a_whole_session_of_the_old_transport() {
    let mut web = Web::new(|_| {});
    let (get, target) = open(&mut web);
    assert_eq!(post(&mut web, &target, &initialize("2024-11-05")), 202);
    assert_eq!(post(&mut web, &target, &line::notification("notifications/initialized", "{}")), 202);
    let events = web.take_events();
    assert!(
        matches!(&events[..], [ServerEvent::Initialized { revision: Revision::V2024_11_05, .. }]),
        "{events:?}"
    );
    assert_eq!(post(&mut web, &target, &call("\"c\"")), 202);
    let own = web.take_call();
    web.progress(own, 1.0);
    web.answer(own, "42");
    web.endpoint.hub().set_tools(web.now, Vec::new()).unwrap();
    let events = web.response(get).events();
    assert!(events[1..].iter().all(|(name, id, _)| name == "message" && id.is_empty()), "{events:?}");
    let messages: Vec<_> = events.iter().map(|(_, _, data)| data.as_str()).collect();
    for (message, part) in messages[1..].iter().zip([
        r#""protocolVersion":"2024-11-05""#,
        "notifications/progress",
        r#""id":"c","result""#,
        "notifications/tools/list_changed",
    ]) {
        assert!(message.contains(part), "{message} has no {part}");
    }
    assert_eq!(messages.len(), 5);
}

#[test]
fn the_end_of_the_stream_ends_the_session() {
    let mut web = Web::new(|_| {});
    let (get, target) = open(&mut web);
    post(&mut web, &target, &initialize("2024-11-05"));
    post(&mut web, &target, &call("2"));
    let own = web.take_call();
    web.disconnect(get);
    let events = web.take_events();
    assert!(events.contains(&ServerEvent::Cancelled { call: own }), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, ServerEvent::Closed { .. })));
    assert_eq!(post(&mut web, &target, &call("3")), 404);
    assert_eq!(
        (web.endpoint.sessions(), web.endpoint.exchanges(), web.endpoint.poll_timeout()),
        (0, 0, None)
    );
}

#[test]
fn sessions_of_both_transports_do_not_mix() {
    let mut web = Web::new(|_| {});
    let (_get, target) = open(&mut web);
    let old = target.rsplit('=').next().unwrap().to_owned();
    let new = web.session("2025-11-25");
    let ping = line::request("1", "ping", "{}");
    assert_eq!(post(&mut web, &format!("/sse?session={new}"), &ping), 404);
    assert_eq!(web.ask(&Sent::post(&old, &ping)).status(), 404);
    assert_eq!(web.ask(&Sent::get(&old)).status(), 404);
    assert_eq!(web.ask(&Sent::new("POST", &ping).at(&target).of("eve")).status(), 404);
    assert_eq!(post(&mut web, &target.replace("session", "other"), &ping), 405);
    assert_eq!(post(&mut web, &target, &ping), 202);
}

#[test]
fn what_cannot_be_read_is_refused_where_it_was_posted() {
    let mut web = Web::new(|_| {});
    let (get, target) = open(&mut web);
    let response = web.ask(&Sent::new("POST", "{").at(&target));
    assert_eq!((response.status(), code(response.text())), (400, -32700));
    assert_eq!(post(&mut web, &target, r#"{"jsonrpc":"2.0","id":3,"method":7}"#), 202);
    assert!(web.response(get).messages()[1].contains("-32600"));
}

#[test]
fn a_client_that_tries_the_new_transport_first_is_told_to_fall_back() {
    let mut web = Web::new(|_| {});
    assert_eq!(web.ask(&Sent::new("POST", &initialize("2025-11-25")).at("/sse")).status(), 405);
    let mut off = Web::new(|config| config.sse_path = None);
    assert_eq!(off.ask(&Sent::new("GET", "").at("/sse")).status(), 404);
}

#[test]
fn old_sessions_end_when_the_server_drains_and_their_last_call_is_answered() {
    let mut web = Web::new(|_| {});
    let (idle, _) = open(&mut web);
    let (busy, target) = open(&mut web);
    post(&mut web, &target, &initialize("2024-11-05"));
    post(&mut web, &target, &call("2"));
    let own = web.take_call();
    web.endpoint.drain(web.now);
    assert!(web.response(idle).is_finished && !web.response(busy).is_finished);
    web.answer(own, "42");
    let response = web.response(busy);
    assert!(response.is_finished && response.text().contains("42"));
    assert!(web.endpoint.is_drained());
}
