//! Several messages as one: known to 2025-03-26, taken from others with a diagnostic.

use selvedge_core::{
    ClientConfig, Violation,
    client::{Event, State},
    jsonrpc::Fault,
};
use selvedge_tests::{World, line, world::changed};

const LOG: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;

fn of(revision: &str) -> World {
    World::ready_for(ClientConfig::default(), &line::welcome(revision, "{}"))
}

#[test]
fn the_messages_of_a_batch_are_taken_in_order_and_without_comment_where_the_revision_knows_them() {
    let mut world = of("2025-03-26");
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(format!("[{},{LOG}, {}]", line::ok(call), line::request("3", "ping", "{}")));
    let events = world.take_events();
    assert!(matches!(events[..], [Event::Settled { .. }, Event::Logged { .. }]), "{events:?}");
    assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","id":3,"result":{}}"#]);
}

#[test]
fn a_batch_of_another_revision_is_taken_with_one_diagnostic() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut world = of(revision);
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(format!("[{},{LOG}]", line::ok(call)));
        let events = world.take_events();
        assert_eq!(events[0], Event::PeerViolated(Violation::Batch { messages: 2 }), "{revision}");
        assert!(matches!(events[1..], [Event::Settled { .. }, Event::Logged { .. }]), "{events:?}");
        world.assert_quiet();
        world.assert_lives();
    }
}

#[test]
fn bad_entries_spoil_neither_their_neighbours_nor_the_count_of_lines() {
    let mut world = of("2025-03-26");
    let call = world.call("t", "{}");
    world.take_sent();
    let batch = format!("[1,{},null,[],{{}}]", line::ok(call));
    world.peer(&batch);
    assert_eq!(world.text(call), "ok");
    let events = world.take_events();
    let expected = [Fault::NotAnObject, Fault::NotAnObject, Fault::NotAnObject, Fault::NotVersioned];
    assert_eq!(events, expected.map(|fault| Event::PeerViolated(Violation::NotJsonRpc(fault))));
    assert_eq!(world.client.stray().lines(), 4);
    assert!(world.client.stray().bytes() <= batch.len(), "each entry counts its own bytes");
    world.assert_quiet();
}

#[test]
fn an_empty_batch_is_no_message() {
    for revision in ["2025-03-26", "2025-11-25"] {
        let mut world = of(revision);
        world.peer("[ ]");
        assert_eq!(world.take_events(), [Event::PeerViolated(Violation::NotJsonRpc(Fault::EmptyBatch))]);
        world.assert_quiet();
    }
}

#[test]
fn a_broken_batch_is_no_message_at_all() {
    let mut world = of("2025-03-26");
    let call = world.call("t", "{}");
    world.peer(format!("[{},", line::ok(call)));
    assert!(matches!(world.take_events()[..], [Event::PeerViolated(Violation::NotJson(_))]));
    assert_eq!(world.client.calls_in_flight(), 1);
}

#[test]
fn a_handshake_may_come_in_a_batch_and_ends_in_it() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(format!("[{},{LOG}]", line::welcome("2025-03-26", "{}")));
    assert_eq!(world.client.state(), State::Ready);
    assert!(matches!(world.take_events().last(), Some(Event::Logged { .. })));

    let mut world = World::negotiating(ClientConfig::default());
    world.peer(format!("[{},{LOG}]", line::welcome("1999-01-01", "{}")));
    assert!(matches!(world.take_events().last(), Some(Event::Closed(_))), "nothing is told after the end");
}

#[test]
fn a_batch_beyond_the_limit_is_a_stray_line() {
    let mut world = World::ready_with(changed(|config| config.limits.max_batch_messages = 3));
    let entry = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    world.peer(format!("[{entry},{entry},{entry},{entry}]"));
    let events = world.take_events();
    assert!(
        events.contains(&Event::PeerViolated(Violation::BatchTooLong { messages: 4, limit: 3 })),
        "{events:?}"
    );
    assert!(!events.contains(&Event::ToolsChanged), "{events:?}");
    assert_eq!(world.client.stray().lines(), 1);
    world.assert_lives();
}
