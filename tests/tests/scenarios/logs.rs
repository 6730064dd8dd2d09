//! Logs in JSON on the channel of messages, and a terminal that repeats what is written to it.

use selvedge_core::{
    Violation,
    client::{CallError, Event, Hint},
    jsonrpc::Fault,
};
use selvedge_tests::{World, line, world::changed};

#[test]
fn a_line_of_a_log_in_json_answers_nothing_and_is_not_answered() {
    let lines = [
        r#"{"level":30,"time":1,"msg":"handling","id":7}"#,
        r#"{"id":7,"error":"upstream timeout","level":"error"}"#,
        r#"{"level":"info","id":7,"result":"cache hit","msg":"x"}"#,
        r#"{"level":"error","id":7,"error":{"code":1,"message":"m"},"msg":"x"}"#,
        r#"{"id":7,"method":"GET","url":"/x","status":200}"#,
        r#"{"id":"req-1","method":"POST","url":"/mcp"}"#,
        r#"{"id":7,"method":5,"level":"info"}"#,
        r#"{"id":7}"#,
        r#"{"id":7,"error":"text"}"#,
        r#"{"jsonrpc":"1.0","id":7,"result":{},"level":"info"}"#,
        r#"{"time":"t","method":"MSG","msg":"received"}"#,
    ];
    for log in lines {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(log);
        let expected = Event::PeerViolated(Violation::NotJsonRpc(Fault::NotVersioned));
        assert_eq!(world.take_events(), [expected], "{log}");
        assert_eq!(world.client.stray().lines(), 1, "{log}");
        world.assert_quiet();
        world.peer(line::ok(call));
        assert_eq!(world.text(call), "ok", "{log}");
        assert!(World::strict_after(log), "a strict session ends: {log}");
    }
}

#[test]
fn an_answer_without_the_version_counts_where_it_is_nothing_else() {
    for answer in [r#"{"id":7,"result":{}}"#, r#"{"id":7,"error":{"code":-1,"message":"m"}}"#] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(answer);
        let outcome = world.outcome(call);
        assert_eq!(outcome.is_ok(), answer.contains("result"), "{answer}");
        assert!(matches!(outcome, Ok(_) | Err(CallError::Refused(_))), "{answer}");
    }
}

#[test]
fn an_error_that_is_null_is_no_refusal() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer(r#"{"jsonrpc":"2.0","id":7,"error":null}"#);
    let failure = world.failure(call);
    assert!(matches!(failure, CallError::Malformed { .. }), "{failure:?}");
}

#[test]
fn what_a_terminal_repeats_is_passed_over_and_named_once() {
    let mut world = World::opening(changed(|config| config.offers.roots = true));
    world.client.handle_opened(world.now);
    let repeat = |world: &mut World| {
        for sent in world.take_sent() {
            world.peer(format!("{sent}\r"));
        }
    };
    repeat(&mut world);
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::Echoed)]);
    world.assert_quiet();
    world.peer(line::welcome("2025-11-25", r#"{"tools":{}}"#));
    repeat(&mut world);
    let events = world.take_events();
    assert!(matches!(&events[..], [Event::Ready(_)]), "{events:?}");

    // Requests of both sides with the same ids, their answers, and a cancellation: none is taken for the other's.
    let call = world.call("t", "{}");
    repeat(&mut world);
    world.peer(line::request("2", "roots/list", "{}"));
    let events = world.take_events();
    let [Event::Asked { ask, .. }] = &events[..] else { panic!("{events:?}") };
    let answer = selvedge_core::json::RawJson::new(r#"{"roots":[]}"#).unwrap();
    world.client.answer_ask(world.now, ask, Ok(&answer)).unwrap();
    repeat(&mut world);
    let ping = world.must(|client, now| client.ping(now, selvedge_tests::world::NORMAL));
    repeat(&mut world);
    world.peer(line::result(ping, "{}"));
    assert!(world.outcome(ping).is_ok());
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
    assert_eq!(world.take_effects(), []);
}

#[test]
fn a_handshake_that_only_comes_back_says_so_when_its_time_is_up() {
    let mut world = World::opening(changed(|_| {}));
    world.client.handle_opened(world.now);
    let sent = world.take_sent().remove(0);
    world.peer(sent);
    world.take_events();
    world.pass_millis(30_000);
    let events = world.take_events();
    let [Event::Closed(reason)] = &events[..] else { panic!("{events:?}") };
    assert!(reason.to_string().contains(&Hint::Echo.to_string()), "{reason}");
}

#[test]
fn a_request_that_no_server_makes_is_no_echo_under_an_id_that_is_not_ours() {
    for id in ["0", "99", r#""7""#, "-1"] {
        let mut world = World::ready();
        world.peer(line::request(id, "tools/list", "{}"));
        assert_eq!(world.take_events(), [Event::PeerViolated(Violation::MethodNotOffered)], "{id}");
    }
}
