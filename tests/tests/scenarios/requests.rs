//! What a server asks that every client must answer or refuse.

use selvedge_core::{Violation, client::Event, jsonrpc::Fault};
use selvedge_tests::{World, line};

/// Returns the one reply to a line, and what was reported about it.
fn reply(line: impl AsRef<[u8]>) -> (String, Option<Violation>) {
    let mut world = World::ready();
    world.peer(line);
    let sent = world.take_sent();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let violation = world.take_events().into_iter().next().map(|event| match event {
        Event::PeerViolated(violation) => violation,
        other => panic!("{other:?}"),
    });
    world.assert_lives();
    (sent[0].clone(), violation)
}

fn refused(reply: &str, id: &str, code: i64) -> bool {
    reply.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"#))
}

#[test]
fn a_ping_is_answered_at_once_whatever_else_waits() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    for at in 0..100 {
        world.pass_millis(100);
        world.peer(line::request(&at.to_string(), "ping", "{}"));
        assert_eq!(world.take_sent(), [format!(r#"{{"jsonrpc":"2.0","id":{at},"result":{{}}}}"#)]);
    }
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
    world.assert_quiet();
}

#[test]
fn a_ping_may_come_without_parameters_and_with_the_id_of_a_call_of_ours() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","id":7,"result":{}}"#]);
    world.assert_quiet();
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn an_unknown_request_is_refused_by_name_and_an_unknown_notification_is_not_answered() {
    let (reply, violation) = reply(line::request("3", "foo/bar", "{}"));
    assert!(refused(&reply, "3", -32601), "{reply}");
    assert_eq!(violation, Some(Violation::MethodNotOffered));

    let mut world = World::ready();
    world.peer(line::notification("foo/bar", "{}"));
    world.assert_quiet();
}

#[test]
fn what_was_not_offered_is_refused_and_not_told() {
    for method in ["sampling/createMessage", "elicitation/create", "roots/list", "tools/list"] {
        let (reply, violation) = reply(line::request("\"x\"", method, "{}"));
        assert!(refused(&reply, "\"x\"", -32601), "{reply}");
        assert_eq!(violation, Some(Violation::MethodNotOffered));
    }
}

#[test]
fn a_method_of_absurd_length_is_refused_and_so_are_parameters_that_are_no_object() {
    let (reply_to_long, violation) = reply(line::request("3", &"m".repeat(1 << 20), "{}"));
    assert!(refused(&reply_to_long, "3", -32600), "{reply_to_long}");
    assert!(reply_to_long.len() < 200);
    assert_eq!(violation, Some(Violation::MethodTooLong { bytes: 1 << 20, limit: 1_024 }));
    for params in ["[1]", r#""x""#, "7", "true"] {
        let (reply, violation) = reply(line::request("3", "ping", params));
        assert!(refused(&reply, "3", -32602), "{reply}");
        assert_eq!(violation, Some(Violation::BadParams));
    }
}

#[test]
fn an_id_of_absurd_length_is_refused() {
    let id = format!("\"{}\"", "i".repeat(2_000));
    let (reply, violation) = reply(line::request(&id, "ping", "{}"));
    assert!(refused(&reply, &id, -32600), "{reply}");
    assert_eq!(violation, Some(Violation::IdTooLong { bytes: 2_002, limit: 1_024 }));
}

#[test]
fn a_method_that_is_no_string_is_an_invalid_request() {
    let (reply, violation) = reply(r#"{"jsonrpc":"2.0","id":4,"method":5}"#);
    assert!(refused(&reply, "4", -32600), "{reply}");
    assert_eq!(violation, Some(Violation::BadRequest(Fault::MethodNotAString)));
}

#[test]
fn a_request_whose_id_is_no_id_is_not_answered() {
    for id in ["null", "[1]", "{}", "true"] {
        let mut world = World::ready();
        world.peer(line::request(id, "ping", "{}"));
        assert_eq!(world.take_sent(), [""; 0], "{id}");
        assert_eq!(world.take_events(), [Event::PeerViolated(Violation::NotJsonRpc(Fault::BadId))], "{id}");
    }
}

#[test]
fn json_that_is_no_message_is_counted_and_not_answered() {
    for line in ["[]", "null", "42", r#""x""#, "{}", "true", r#"{"a":1}"#] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(line);
        let events = world.take_events();
        assert!(matches!(events[..], [Event::PeerViolated(Violation::NotJsonRpc(_))]), "{line}: {events:?}");
        assert_eq!(world.client.stray().lines(), 1, "{line}");
        world.assert_quiet();
        world.peer(line::ok(call));
        assert_eq!(world.text(call), "ok", "{line}");
    }
}
