//! Strict sessions: the first malformed or oversized line is the last.

use selvedge_core::{
    ClientConfig, Tolerance, Violation,
    client::{AnswerFault, CallError, Effect, Event, Reason},
};
use selvedge_tests::{World, line, world::changed};

#[test]
fn the_first_line_that_is_no_message_ends_the_session() {
    let lines: [&[u8]; 16] = [
        b"listening on stdio",
        b"{",
        b"{\"jsonrpc\":",
        b"null",
        b"[]",
        b"{}",
        b"[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]",
        b"{\"id\":7,\"result\":{}}",
        b"{\"jsonrpc\":\"1.0\",\"id\":7,\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":7}",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{},\"error\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"x\":NaN}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\xFF\"}",
        b"Content-Type: x\nx",
        b"\0{\0}",
    ];
    for bytes in lines {
        let mut world = World::strict();
        let (seven, eight) = (world.call("t", "{}"), world.call("t", "{}"));
        world.take_sent();
        world.peer([bytes, b"\n{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}"].concat());
        let shown = bytes.escape_ascii();
        assert!(world.outcome(seven).is_err(), "{shown}");
        let Some(reason @ Reason::Violated(_)) = world.client.reason().cloned() else { panic!("{shown}") };
        assert_eq!(world.failure(eight), CallError::Unavailable(reason.clone()), "{shown}");
        let effects = world.take_effects();
        let violated = Effect::Event(Event::PeerViolated(match &reason {
            Reason::Violated(violation) => violation.clone(),
            other => panic!("{other}"),
        }));
        assert_eq!(effects, [violated, Effect::Event(Event::Closed(reason)), Effect::CloseInput], "{shown}");
    }
}

#[test]
fn what_is_no_message_by_its_members_ends_the_session() {
    for line in [
        r#"{"id":5,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":7}"#,
        r#"{"id":99}"#,
        r#"{"jsonrpc":"2.0","id":99}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{},"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":true,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}} x"#,
    ] {
        assert!(World::strict_after(line), "{line}");
    }
}

#[test]
fn an_answer_to_an_id_of_nobody_ends_nothing() {
    for id in [r#""abc""#, r#""""#, "99", r#""99""#] {
        assert!(!World::strict_after(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)), "{id}");
    }
}

#[test]
fn an_oversized_line_ends_the_session() {
    let mut world = World::ready_with(changed(|config| {
        config.tolerance = Tolerance::Strict;
        config.limits.max_message_bytes = 500;
    }));
    let call = world.call("t", "{}");
    world.peer(line::text(call, &"x".repeat(600)));
    let reason = Reason::Violated(Violation::TooLarge { limit: 500 });
    assert_eq!(world.failure(call), CallError::Unavailable(reason.clone()));
    assert_eq!(world.client.reason(), Some(&reason));
}

#[test]
fn a_strict_session_ends_for_one_reason_whatever_the_limits() {
    let mut world = World::ready_with(changed(|config| {
        config.tolerance = Tolerance::Strict;
        config.limits.max_stray_lines = 0;
        config.limits.max_stray_bytes = 0;
    }));
    world.peer("junk");
    let violation = Violation::Text { bytes: 4 };
    assert_eq!(
        world.take_events(),
        [Event::PeerViolated(violation.clone()), Event::Closed(Reason::Violated(violation))]
    );
}

#[test]
fn no_call_settles_after_the_end_is_told() {
    for answer in [&br#"{"jsonrpc":"2.0","id":"7","result":{}}"#[..], br#"{"jsonrpc":"2.0","id":7}"#] {
        let mut world = World::strict();
        world.call("t", "{}");
        world.peer(answer);
        let events = world.take_events();
        assert!(matches!(events.last(), Some(Event::Closed(_))), "{events:?}");
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Settled { .. })).count(), 1);
    }
}

#[test]
fn what_servers_may_do_is_no_reason_to_end() {
    let mut world = World::strict();
    let call = world.call("t", "{}");
    world.cancel(call);
    world.peer(line::ok(call));
    world.peer("\r");
    world.peer(line::notification("x/unknown", "{}"));
    world.peer(line::request("1", "x/unknown", "{}"));
    world.peer(line::notification("notifications/progress", r#"{"progressToken":99,"progress":1}"#));
    world.peer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#);
    assert_eq!(world.client.reason(), None);
    world.assert_lives();
}

#[test]
fn an_entry_that_cannot_be_used_fails_its_listing_and_not_the_session() {
    let mut world = World::strict();
    let call = world.list_tools();
    world.peer(line::result(call, r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b"}]}"#));
    let CallError::Malformed { fault: AnswerFault::BadEntry { index, reason }, .. } = world.failure(call)
    else {
        panic!("no bad entry")
    };
    assert_eq!((index, reason.as_str()), (1, "`inputSchema` is absent"));
    world.assert_lives();
}

#[test]
fn a_strict_handshake_takes_no_banner() {
    let mut world = World::negotiating(changed(|config| config.tolerance = Tolerance::Strict));
    world.peer("starting...");
    assert!(matches!(world.take_events().last(), Some(Event::Closed(Reason::Violated(_)))));

    let mut world = World::negotiating(ClientConfig::default());
    world.peer("starting...");
    world.peer(line::welcome("2025-11-25", "{}"));
    assert!(matches!(world.take_events().last(), Some(Event::Ready(_))));
}
