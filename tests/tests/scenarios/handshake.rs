//! The handshake: what is offered, which answers are taken, which are refused, and how eras meet.

use std::time::Duration;

use selvedge_core::{
    ClientConfig, Violation,
    client::{CallOptions, Effect, Event, Reason, State},
    protocol::Revision,
};
use selvedge_tests::{World, line, world::changed};

fn initialize(config: ClientConfig) -> String {
    let mut world = World::opening(config);
    world.client.handle_opened(world.now);
    let mut sent = world.take_sent();
    assert_eq!(sent.len(), 1);
    sent.remove(0)
}

/// Answers `initialize` and returns the world.
fn answered(line: impl AsRef<[u8]>) -> World {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(line);
    world
}

fn assert_ended(world: &mut World, expected: impl Fn(&Reason) -> bool) {
    let effects = world.take_effects();
    let [Effect::Event(Event::Closed(reason)), Effect::CloseInput] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(expected(reason), "{reason:?}");
    assert_eq!(world.client.state(), State::Closing);
    world.pass_millis(500);
    assert_eq!(world.take_effects(), [Effect::Terminate]);
}

#[test]
fn nothing_is_declared_by_default() {
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"selvedge","version":"{version}"}}}}}}"#
    );
    assert_eq!(initialize(ClientConfig::default()), expected);
}

#[test]
fn each_offer_declares_exactly_itself() {
    for on in 0..8_u8 {
        let names = ["sampling", "elicitation", "roots"];
        let line = initialize(changed(|config| {
            config.offers.sampling = on & 1 != 0;
            config.offers.elicitation = on & 2 != 0;
            config.offers.roots = on & 4 != 0;
        }));
        let declared: Vec<_> = names
            .iter()
            .enumerate()
            .filter(|(at, _)| on & (1 << at) != 0)
            .map(|(_, name)| format!(r#""{name}":{{}}"#))
            .collect();
        let expected = format!(r#""capabilities":{{{}}},"clientInfo""#, declared.join(","));
        assert!(line.contains(&expected), "{line}");
    }
}

#[test]
fn each_legacy_revision_is_taken_and_confirmed() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut world = answered(line::welcome(revision, "{}"));
        assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#]);
        let events = world.take_events();
        let [Event::Ready(handshake)] = &events[..] else { panic!("{events:?}") };
        assert_eq!((handshake.revision.as_str(), handshake.server.name.as_str()), (revision, "peer"));
        assert_eq!(world.client.poll_timeout(), None);
        world.assert_lives();
    }
}

#[test]
fn an_unknown_revision_ends_the_session_and_both_sides_are_named() {
    for revision in ["1999-01-01", "2027-01-01", "", "2025-11-25 "] {
        let mut world = answered(line::welcome(revision, "{}"));
        assert_ended(&mut world, |reason| match reason {
            Reason::VersionUnsupported { server, client } => {
                let text = reason.to_string();
                *server == [revision] && *client == Revision::ALL && text.contains("2025-11-25")
            }
            _ => false,
        });
    }
}

#[test]
fn a_result_that_is_no_handshake_ends_the_session() {
    let malformed = ["{}", "[]", "null", r#"{"protocolVersion":null}"#, r#"{"protocolVersion":20251125}"#];
    for result in malformed {
        let mut world = answered(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#));
        assert_ended(&mut world, |reason| matches!(reason, Reason::HandshakeMalformed(_)));
    }
}

#[test]
fn an_error_inside_a_result_is_no_success_and_is_shown() {
    let mut world =
        answered(r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32601,"message":"nested"}}}"#);
    assert_ended(
        &mut world,
        |reason| matches!(reason, Reason::HandshakeMalformed(why) if why.contains("nested (-32601)")),
    );
}

#[test]
fn a_handshake_that_is_odd_somewhere_is_taken_with_diagnostics() {
    let odd = [
        (r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#, vec!["serverInfo"]),
        (r#"{"protocolVersion":"2025-11-25","capabilities":null,"serverInfo":{}}"#, vec!["capabilities"]),
        (r#"{"protocolVersion":"2025-11-25"}"#, vec!["serverInfo", "capabilities"]),
        (
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":true},"serverInfo":{}}"#,
            vec!["capabilities.tools"],
        ),
    ];
    for (result, members) in odd {
        let mut world = answered(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#));
        let events = world.take_events();
        let found: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::PeerViolated(Violation::OddHandshake { member, .. }) => Some(*member),
                _ => None,
            })
            .collect();
        assert_eq!(found, members, "{result}");
        let Some(Event::Ready(handshake)) = events.last() else { panic!("{events:?}") };
        assert_eq!(handshake.capabilities.tools, result.contains("tools"));
        world.assert_lives();
    }
}

#[test]
fn logs_and_changes_before_the_handshake_are_told() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(line::notification("notifications/message", r#"{"level":"info","data":"boot"}"#));
    world.peer(line::notification("notifications/tools/list_changed", "{}"));
    world.peer(line::welcome("2025-11-25", "{}"));
    let events = world.take_events();
    assert!(
        matches!(&events[..], [Event::Logged { level, .. }, Event::ToolsChanged, Event::Ready(_)] if level == "info"),
        "{events:?}"
    );
}

#[test]
fn a_ping_with_the_id_of_our_handshake_is_answered_and_confuses_nothing() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(line::request("1", "ping", "{}"));
    assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    assert_eq!(world.client.state(), State::Negotiating);
    world.peer(line::welcome("2025-11-25", "{}"));
    assert_eq!(world.client.state(), State::Ready);
}

#[test]
fn no_call_is_made_before_the_handshake_is_done() {
    for start in [World::opening, World::negotiating] {
        let mut world = start(ClientConfig::default());
        assert!(world.client.call_tool(world.now, "t", "{}", CallOptions::default()).is_err());
        assert!(world.client.ping(world.now, CallOptions::default()).is_err());
        world.assert_quiet();
    }
}

#[test]
fn the_handshake_has_its_time_from_connecting() {
    for start in [World::opening, World::negotiating] {
        let mut world = start(ClientConfig::default());
        world.pass_millis(29_999);
        world.assert_quiet();
        world.pass_millis(1);
        let after = Duration::from_secs(30);
        assert_ended(&mut world, |reason| *reason == Reason::HandshakeTimedOut { after, hint: None });
    }
}

#[test]
fn a_handshake_that_times_out_says_what_the_server_wrote() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer("{");
    world.take_events();
    world.pass_millis(30_000);
    let events = world.take_events();
    let [Event::Closed(reason)] = &events[..] else { panic!("{events:?}") };
    assert!(reason.to_string().contains("multi-line JSON"), "{reason}");
}

#[test]
fn a_handshake_that_times_out_says_what_the_server_reported() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#);
    world.take_events();
    world.pass_millis(30_000);
    let events = world.take_events();
    let [Event::Closed(reason)] = &events[..] else { panic!("{events:?}") };
    assert!(reason.to_string().contains("Parse error (-32700)"), "{reason}");
}

#[test]
fn a_broken_answer_to_the_handshake_ends_the_session() {
    for line in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":NaN}}"[..],
        b"{\"id\":1,\"result\":{\"a\":\"\xFF\"}}",
    ] {
        let mut world = World::negotiating(ClientConfig::default());
        world.peer(line);
        let events = world.take_events();
        assert!(matches!(events[1], Event::Closed(Reason::HandshakeMalformed(_))), "{events:?}");
    }
}
