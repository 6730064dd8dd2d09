//! How a client meets servers of the other era, and of revisions that it does not speak.

use selvedge_core::{
    ClientConfig,
    client::{Event, Reason, State},
    protocol::Revision,
};
use selvedge_tests::{World, line};

fn refused(id: u64, error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

fn unsupported(world: &mut World) -> Vec<String> {
    let events = world.take_events();
    let [Event::Closed(Reason::VersionUnsupported { server, client })] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*client, Revision::ALL);
    server.clone()
}

#[test]
fn initialize_comes_first_and_nothing_else_before_its_answer() {
    let mut world = World::opening(ClientConfig::default());
    world.client.handle_opened(world.now);
    let sent = world.take_sent();
    assert!(matches!(&sent[..], [line] if line.contains(r#""method":"initialize""#)), "{sent:?}");
    world.pass_millis(29_999);
    world.assert_quiet();
}

#[test]
fn a_modern_server_that_names_its_revisions_is_asked_in_its_own_way() {
    let error = r#"{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}"#;
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(refused(1, error));
    let sent = world.take_sent();
    assert!(matches!(&sent[..], [line] if line.contains(r#""id":2,"method":"server/discover""#)), "{sent:?}");
    world.peer(r#"{"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#);
    assert_eq!(world.client.state(), State::Ready);
    assert_eq!(world.client.handshake().unwrap().revision, Revision::V2026_07_28);
    assert_eq!(world.take_sent(), [""; 0], "the modern era confirms nothing");
}

#[test]
fn a_server_that_refuses_initialize_and_names_no_revision_is_asked_what_it_speaks() {
    let errors = [
        r#"{"code":-32601,"message":"Method not found"}"#,
        r#"{"code":-32022,"message":"no"}"#,
        r#"{"code":-32602,"message":"Invalid params"}"#,
        r#"{"code":-32600,"message":"no"}"#,
        r#"{"code":-32603,"message":"boom"}"#,
        r#"{"code":-32000,"message":"Bad Request"}"#,
        r#"{"code":-32001,"message":"no"}"#,
        r#""no""#,
    ];
    for error in errors {
        let mut world = World::negotiating(ClientConfig::default());
        world.peer(refused(1, error));
        let sent = world.take_sent();
        let [discover] = &sent[..] else { panic!("{error}: {sent:?}") };
        assert!(discover.contains(r#""id":2,"method":"server/discover","params":{"_meta":{"#), "{discover}");
        assert!(discover.contains(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#), "{discover}");
        assert!(discover.contains(r#""io.modelcontextprotocol/clientCapabilities":{}"#), "{discover}");
        world.peer(r#"{"jsonrpc":"2.0","id":2,"result":{"supportedVersions":["2027-01-01"]}}"#);
        assert_eq!(unsupported(&mut world), ["2027-01-01"]);
    }
}

#[test]
fn a_server_that_refuses_discovery_by_version_is_named_too() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(refused(1, r#"{"code":-32601,"message":"Method not found"}"#));
    world.peer(refused(2, r#"{"code":-32022,"message":"no","data":{"supported":["2027-01-01"]}}"#));
    assert_eq!(unsupported(&mut world), ["2027-01-01"]);
}

#[test]
fn a_server_that_knows_neither_handshake_has_refused_the_first() {
    let answers = [
        refused(2, r#"{"code":-32603,"message":"what?"}"#),
        r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"result":{"supportedVersions":"all"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"result":7}"#.to_owned(),
    ];
    for answer in answers {
        let mut world = World::negotiating(ClientConfig::default());
        world.peer(refused(1, r#"{"code":-32601,"message":"Method not found"}"#));
        world.peer(&answer);
        let events = world.take_events();
        assert!(
            matches!(&events[..], [Event::Closed(Reason::HandshakeRefused(error))] if error.code == -32601),
            "{answer}: {events:?}"
        );
    }
}

#[test]
fn a_server_that_refuses_both_questions_has_refused_the_first() {
    for error in
        [r#"{"code":-32603,"message":"boom"}"#, r#"{"code":-32000,"message":"API key missing"}"#, r#""no""#]
    {
        let mut world = World::negotiating(ClientConfig::default());
        world.peer(refused(1, error));
        assert_eq!(world.take_sent().len(), 1);
        world.peer(refused(2, r#"{"code":-32601,"message":"Method not found"}"#));
        let events = world.take_events();
        let [Event::Closed(Reason::HandshakeRefused(first))] = &events[..] else { panic!("{events:?}") };
        assert!(error.contains(&first.message), "{error}: {first}");
        assert_eq!(world.take_sent(), [""; 0]);
    }
}

#[test]
fn a_server_that_refuses_a_revision_without_naming_one_is_asked_for_each_older_one() {
    let messages =
        ["Unsupported protocol version: 2025-11-25", "cannot speak 2025-11-25", "Unknown Revision"];
    for message in messages {
        let mut world = World::negotiating(ClientConfig::default());
        let mut asked = Vec::new();
        for id in 1..=3 {
            let message = message.replace("2025-11-25", asked.last().map_or("2025-11-25", String::as_str));
            world.peer(refused(id, &format!(r#"{{"code":-32602,"message":"{message}"}}"#)));
            let sent = world.take_sent();
            let [initialize] = &sent[..] else { panic!("{sent:?}") };
            let version = initialize.split_once(r#""protocolVersion":""#).unwrap().1;
            asked.push(version[..10].to_owned());
        }
        assert_eq!(asked, ["2025-06-18", "2025-03-26", "2024-11-05"], "{message}");
        world.peer(r#"{"jsonrpc":"2.0","id":4,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"p","version":"1"}}}"#);
        assert!(matches!(&world.take_events()[..], [Event::Ready(_)]), "{message}");
    }
    let mut world = World::negotiating(ClientConfig::default());
    for id in 1..=4 {
        world.peer(refused(id, r#"{"code":-32602,"message":"Unsupported protocol version"}"#));
    }
    let sent = world.take_sent();
    assert!(sent.last().unwrap().contains("server/discover"), "{sent:?}");
}

#[test]
fn a_server_that_never_answers_discovery_times_out_with_the_handshake() {
    let mut world = World::negotiating(ClientConfig::default());
    world.pass_millis(20_000);
    world.peer(refused(1, r#"{"code":-32601,"message":"Method not found"}"#));
    world.take_sent();
    world.pass_millis(9_999);
    world.assert_quiet();
    world.pass_millis(1);
    assert!(matches!(world.take_events()[..], [Event::Closed(Reason::HandshakeTimedOut { .. })]));
}

#[test]
fn a_server_that_refuses_our_newest_revision_and_names_an_older_one_gets_it() {
    let error = r#"{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05","2025-06-18","2026-07-28"],"requested":"2025-11-25"}}"#;
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(refused(1, error));
    assert_eq!(world.take_events(), []);
    let sent = world.take_sent();
    let [again] = &sent[..] else { panic!("{sent:?}") };
    assert!(
        again.contains(r#""id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18""#),
        "{again}"
    );
    world.peer(line::welcome("2025-06-18", "{}").replace(r#""id":1"#, r#""id":2"#));
    assert_eq!(world.client.state(), State::Ready);
    assert_eq!(world.client.handshake().unwrap().revision, Revision::V2025_06_18);
}

#[test]
fn a_server_that_keeps_naming_other_revisions_runs_out_of_them() {
    let mut world = World::negotiating(ClientConfig::default());
    for id in 1..=4 {
        let error = r#"{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25"]}}"#;
        assert_eq!(world.client.state(), State::Negotiating);
        world.peer(refused(id, error));
    }
    assert_eq!(world.client.state(), State::Closing);
    assert_eq!(world.take_sent().len(), 3, "each revision is asked for once");
    assert_eq!(unsupported(&mut world).len(), 4);
}
