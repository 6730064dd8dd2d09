//! Streams of the legacy era: what goes where, and how clients come back to it.

use std::time::Duration;

use selvedge_core::{
    Misuse,
    client::Offered,
    json::RawJson,
    protocol::LogLevel,
    server::{Answer, Input, Question},
};
use selvedge_tests::{
    Web, line,
    web::{Sent, call},
};

fn log(web: &mut Web, text: &str) {
    let data = RawJson::new(format!("\"{text}\"")).unwrap();
    web.endpoint.hub().log_to_all(web.now, LogLevel::Error, None, &data);
    web.drain();
}

fn resume(session: &str, id: &str) -> Sent {
    Sent::get(session).with("Last-Event-ID", id)
}

#[test]
fn an_answer_that_comes_at_once_is_one_json_body() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let exchange = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    web.answer(own, "42");
    let response = web.response(exchange);
    assert_eq!((response.status(), response.header("content-type")), (200, Some("application/json")));
    assert!(response.is_finished && response.text().contains("42"));
}

#[test]
fn a_stream_begins_with_a_place_to_come_back_to_where_clients_know_that() {
    for (revision, first) in [("2025-11-25", "retry: 1000\nid: 2-0\ndata: \n\n"), ("2025-06-18", "")] {
        let mut web = Web::new(|_| {});
        let session = web.session(revision);
        let exchange = web.send(&Sent::post(&session, &call("2")));
        let own = web.take_call();
        web.pass_millis(1_000);
        assert_eq!(web.response(exchange).text(), first);
        web.progress(own, 1.0);
        web.answer(own, "42");
        let events = web.response(exchange).events();
        let ids: Vec<_> = events.iter().map(|(name, id, _)| (name.as_str(), id.as_str())).collect();
        assert_eq!(ids, [("", "2-1"), ("", "2-2")]);
        assert!(events[1].2.contains("42") && web.response(exchange).is_finished);
    }
}

#[test]
fn questions_to_a_client_come_on_the_stream_of_the_call_that_asks() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let get = web.send(&Sent::get(&session));
    let exchange = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    let question = Question {
        key: "k".to_owned(),
        what: Offered::Elicitation,
        params: RawJson::new(r#"{"message":"m","requestedSchema":{"type":"object"}}"#).unwrap(),
    };
    let input = Input { questions: vec![question], state: None };
    web.endpoint.hub().answer(web.now, own, Answer::Input(input)).unwrap();
    let asked: serde_json::Value = serde_json::from_str(&web.response(exchange).messages()[0]).unwrap();
    assert_eq!(asked["method"], "elicitation/create");
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"action":"accept"}}}}"#, asked["id"]);
    assert_eq!(web.ask(&Sent::post(&session, &answer)).status(), 202);
    let calls = web.take_calls();
    assert_eq!(calls[0].2.answered("k").unwrap().as_str(), r#"{"action":"accept"}"#);
    web.answer(calls[0].0, "42");
    assert!(web.response(exchange).messages()[1].contains("42"));
    assert_eq!(web.response(get).messages(), [""; 0], "nothing of it stands on another stream");
}

#[test]
fn what_belongs_to_no_request_comes_on_the_stream_that_was_opened_for_it() {
    let mut web = Web::new(|_| {});
    let (first, second) = (web.session("2025-11-25"), web.session("2025-11-25"));
    let get = web.send(&Sent::get(&first));
    let post = web.send(&Sent::post(&first, &call("2")));
    log(&mut web, "one");
    let messages = web.response(get).messages();
    assert!(messages.len() == 1 && messages[0].contains("one"), "{messages:?}");
    assert_eq!(web.response(post).status(), 0);
    // The other session has opened none: what it misses waits.
    let late = web.send(&Sent::get(&second));
    assert!(web.response(late).messages()[0].contains("one"));
    web.disconnect(late);
    let again = web.send(&Sent::get(&second));
    assert_eq!(web.response(again).messages(), [""; 0], "it is not said twice");
}

#[test]
fn what_waits_for_a_stream_is_bounded_and_holds_nothing_twice() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    for _ in 0..100 {
        log(&mut web, "same");
    }
    for at in 0..100 {
        log(&mut web, &at.to_string());
    }
    let get = web.send(&Sent::get(&session));
    let messages = web.response(get).messages();
    assert_eq!(messages.len(), 32);
    assert!(messages[0].contains("same") && messages[1].contains("\"0\""));
}

#[test]
fn the_newest_connection_to_a_stream_is_the_one_that_counts() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let first = web.send(&Sent::get(&session));
    let second = web.send(&Sent::get(&session));
    assert!(web.response(first).is_finished && !web.response(second).is_finished);
    web.disconnect(first);
    log(&mut web, "one");
    assert!(web.response(second).messages()[0].contains("one"));
}

#[test]
fn a_client_that_lost_its_connection_comes_back_for_the_rest_and_only_for_that() {
    for revision in ["2025-03-26", "2025-11-25"] {
        let mut web = Web::new(|_| {});
        let session = web.session(revision);
        let exchange = web.send(&Sent::post(&session, &call("2")));
        let own = web.take_call();
        web.progress(own, 1.0);
        web.progress(own, 2.0);
        let seen = web.response(exchange).events()[0].1.clone();
        web.disconnect(exchange);
        assert_eq!(web.take_events(), [], "a lost connection cancels nothing");
        web.progress(own, 3.0);
        let back = web.send(&resume(&session, &seen));
        let shown = |web: &mut Web| -> Vec<String> {
            let messages = web.response(back).messages();
            messages
                .iter()
                .filter_map(|text| Some(text.split("\"progress\":").nth(1)?[..1].to_owned()))
                .collect()
        };
        assert_eq!(shown(&mut web), ["2", "3"], "{revision}");
        web.progress(own, 4.0);
        web.answer(own, "42");
        assert_eq!(shown(&mut web), ["2", "3", "4"]);
        let response = web.response(back);
        assert!(response.is_finished && response.messages()[3].contains("42"));
        // Once more, after the end: the same, and the end.
        let again = web.ask(&resume(&session, &seen));
        assert!(again.is_finished);
        assert_eq!(again.messages(), response.messages());
        let last = web.ask(&resume(&session, &response.last_id()));
        assert!(last.is_finished && last.messages().is_empty());
    }
}

#[test]
fn an_answer_that_came_while_nobody_listened_is_there_for_who_comes_back() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let exchange = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    web.pass_millis(1_000);
    let place = web.response(exchange).last_id();
    web.disconnect(exchange);
    web.answer(own, "42");
    let back = web.ask(&resume(&session, &place));
    assert!(back.is_finished && back.messages()[0].contains("42"));
}

#[test]
fn a_stream_can_be_resumed_for_a_while_only() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let exchange = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    web.progress(own, 1.0);
    web.answer(own, "42");
    let id = web.response(exchange).events()[0].1.clone();
    web.pass(Duration::from_millis(299_999));
    assert_eq!(web.ask(&resume(&session, &id)).status(), 200);
    web.pass(Duration::from_mins(5));
    assert_eq!(web.ask(&resume(&session, &id)).status(), 400);
}

#[test]
fn an_answer_for_a_client_that_left_before_any_stream_began_is_dropped() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let exchange = web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    web.disconnect(exchange);
    assert_eq!(web.endpoint.hub().calls_in_flight(), 1);
    web.answer(own, "42");
    assert_eq!((web.endpoint.hub().calls_in_flight(), web.endpoint.exchanges()), (0, 0));
    assert_eq!(web.ask(&resume(&session, "2-0")).status(), 400);
}

#[test]
fn a_call_lets_go_of_its_connection_and_its_client_polls() {
    for is_streaming in [false, true] {
        let mut web = Web::new(|config| config.retry = Duration::from_millis(500));
        let session = web.session("2025-11-25");
        let exchange = web.send(&Sent::post(&session, &call("2")));
        let own = web.take_call();
        web.pass_millis(if is_streaming { 1_000 } else { 0 });
        web.endpoint.close_stream(web.now, own).unwrap();
        let response = web.response(exchange);
        assert!(response.is_finished && response.is_stream());
        assert!(response.text().ends_with("retry: 500\n\n"), "{}", response.text());
        assert_eq!((response.last_id(), response.messages().len()), ("2-0".to_owned(), 0));
        assert_eq!(web.endpoint.close_stream(web.now, own), Ok(()), "it is closed already");
        let back = web.send(&resume(&session, "2-0"));
        web.answer(own, "42");
        assert!(web.response(back).messages()[0].contains("42"));
        assert_eq!(web.endpoint.close_stream(web.now, own), Err(Misuse::UnknownAsk));
    }
}

#[test]
fn a_connection_is_not_closed_on_a_client_that_cannot_come_back() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-06-18");
    web.send(&Sent::post(&session, &call("2")));
    let own = web.take_call();
    assert_eq!(web.endpoint.close_stream(web.now, own), Err(Misuse::NotResumable));
    web.send(&Sent::modern("1", "tools/call", r#""name":"t","arguments":{}"#));
    let own = web.take_call();
    assert_eq!(web.endpoint.close_stream(web.now, own), Err(Misuse::NotResumable));
}

#[test]
fn event_ids_that_are_none_are_refused() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    for id in ["x", "1", "-", "1-", "-1", "9-0", "0-5", "18446744073709551616-0", "1-1-1", "é"] {
        assert_eq!(web.ask(&resume(&session, id)).status(), 400, "{id}");
    }
    assert_eq!(web.endpoint.exchanges(), 0);
    let empty = web.send(&resume(&session, ""));
    assert!(web.response(empty).is_stream() && !web.response(empty).is_finished);
}

#[test]
fn the_streams_of_a_session_are_bounded() {
    let mut web = Web::new(|config| config.limits.max_streams_per_session = 4);
    let session = web.session("2025-11-25");
    for id in 0..4 {
        web.send(&Sent::post(&session, &call(&id.to_string())));
    }
    let calls = web.take_calls();
    let refused = web.ask(&Sent::post(&session, &call("\"more\"")));
    assert_eq!((refused.status(), refused.header("retry-after")), (429, Some("1")));
    assert!(refused.text().contains(r#""id":"more""#));
    let notification = line::notification("notifications/x", "{}");
    assert_eq!(web.ask(&Sent::post(&session, &notification)).status(), 202);
    web.progress(calls[0].0, 1.0);
    web.answer(calls[0].0, "42");
    // What is there for coming back only makes room.
    let more = web.send(&Sent::post(&session, &call("\"more\"")));
    let own = web.take_call();
    web.answer(own, "43");
    assert_eq!(web.response(more).status(), 200);
}

#[test]
fn a_silent_stream_is_kept_alive() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-06-18");
    let get = web.send(&Sent::get(&session));
    web.pass_millis(14_999);
    assert_eq!(web.response(get).text(), "");
    web.pass_millis(30_001);
    assert_eq!(web.response(get).text(), ":\n\n:\n\n:\n\n");
}
