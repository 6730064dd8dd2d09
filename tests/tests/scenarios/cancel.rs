//! Giving up on calls, in both directions.

use selvedge_core::{
    Violation,
    client::{CallError, CallOptions, Event, Offered},
    jsonrpc::RpcError,
};
use selvedge_tests::{World, line, world::changed};

#[test]
fn a_cancelled_call_ends_at_once_and_its_late_answer_is_dropped() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.cancel(call);
    assert_eq!(world.failure(call), CallError::Cancelled);
    let sent = world.take_sent();
    assert_eq!(sent.len(), 1);
    assert!(
        sent[0].contains(r#""method":"notifications/cancelled","params":{"requestId":7,"#),
        "{}",
        sent[0]
    );

    world.peer(line::ok(call));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::UnknownResponse)]);
    world.assert_quiet();
    world.assert_lives();
}

#[test]
fn cancelling_twice_or_after_the_answer_or_after_the_time_sends_nothing() {
    let mut world = World::ready();
    let (cancelled, answered, late) = (world.call("t", "{}"), world.call("t", "{}"), world.call("t", "{}"));
    world.cancel(cancelled);
    world.peer(line::ok(answered));
    world.pass_millis(60_000);
    world.take_effects();
    for call in [cancelled, answered, late] {
        world.cancel(call);
        world.assert_quiet();
    }
}

#[test]
fn the_handshake_is_never_cancelled() {
    // The id of another client's call is all that an application could name it by.
    let mut other = World::ready_for(
        changed(|config| config.limits.max_calls_in_flight = 8),
        &line::welcome("2025-11-25", "{}"),
    );
    let mut world = World::negotiating(selvedge_core::ClientConfig::default());
    for _ in 0..3 {
        let foreign = other.call("t", "{}");
        world.cancel(foreign);
        world.assert_quiet();
    }
    world.pass_millis(30_000);
    assert_eq!(world.take_sent(), [""; 0], "a handshake that times out is not cancelled either");
}

#[test]
fn a_listing_is_cancelled_by_the_page_it_waits_for() {
    let mut world = World::ready();
    let call = world.list_tools();
    world.peer(line::result(call, r#"{"tools":[],"nextCursor":"A"}"#));
    world.take_effects();
    world.cancel(call);
    assert_eq!(world.failure(call), CallError::Cancelled);
    let sent = world.take_sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains(r#""requestId":8,"#), "{}", sent[0]);
    world.peer(r#"{"jsonrpc":"2.0","id":8,"result":{"tools":[],"nextCursor":"B"}}"#);
    assert_eq!(world.take_sent(), [""; 0]);
    assert_eq!(world.client.calls_in_flight(), 0);
}

#[test]
fn a_server_may_withdraw_what_it_asked_whatever_its_id() {
    for id in ["0", "-1", "\"\"", "1.50", "9007199254740993"] {
        let mut world = World::ready_with(changed(|config| config.offers.roots = true));
        world.peer(line::request(id, "roots/list", "{}"));
        let events = world.take_events();
        let [Event::Asked { ask, what: Offered::Roots, .. }] = &events[..] else { panic!("{events:?}") };
        world.peer(line::notification("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#)));
        assert_eq!(world.take_events(), [Event::AskWithdrawn { ask: ask.clone() }], "{id}");
        let refusal = RpcError::new(1, "late");
        assert!(world.client.answer_ask(world.now, ask, Err(&refusal)).is_err());
        world.assert_quiet();
    }
}

#[test]
fn a_cancel_of_nothing_does_nothing_and_a_malformed_one_is_told() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(line::notification("notifications/cancelled", r#"{"requestId":7}"#));
    world.assert_quiet();
    assert_eq!(world.client.calls_in_flight(), 1, "a server cannot cancel our call");
    for params in ["{}", r#"{"requestId":null}"#, r#"{"requestId":[7]}"#] {
        world.peer(line::notification("notifications/cancelled", params));
        let events = world.take_events();
        assert!(matches!(events[..], [Event::PeerViolated(Violation::BadNotification { .. })]), "{events:?}");
    }
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn a_call_can_be_cancelled_while_the_session_drains() {
    let mut world = World::ready();
    let call = world.call_with("t", "{}", CallOptions::default());
    world.take_sent();
    world.client.handle_write_failed(world.now, "broken pipe");
    world.cancel(call);
    assert_eq!(world.failure(call), CallError::Cancelled);
    assert_eq!(world.take_sent(), [""; 0], "nothing can be written any more");
}
