//! How both sides find out which era they meet in, and what becomes of servers that do not survive the question.

use selvedge_core::{
    ClientConfig, Violation,
    client::{Effect, EraPolicy, Event, Evidence, OpenError, Reason, RetirementError, State},
    protocol::Revision,
};
use selvedge_tests::{
    World,
    line::{self, discovered, result_of},
    world::{changed, exit_code},
};

use super::{json, policy};

type Change = fn(&mut ClientConfig);

const DISCOVER: &str = r#""method":"server/discover""#;
const INITIALIZE: &str = r#""method":"initialize""#;

fn refused(id: u64, code: i64, data: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no","data":{data}}}}}"#)
}

fn welcome(id: u64) -> String {
    line::welcome("2025-11-25", "{}").replace(r#""id":1"#, &format!(r#""id":{id}"#))
}

/// The client has sent one message, and this is in it.
fn sent(world: &mut World, part: &str) {
    let sent = world.take_sent();
    assert!(matches!(&sent[..], [line] if line.contains(part)), "{part}: {sent:?}");
}

fn probing() -> World {
    let mut world = World::opening(policy(EraPolicy::ModernFirst));
    world.client.handle_opened(world.now);
    sent(&mut world, DISCOVER);
    world
}

fn revision(world: &World) -> Revision {
    assert_eq!(world.client.state(), State::Ready);
    world.client.handshake().unwrap().revision
}

#[test]
fn the_first_question_carries_the_whole_envelope_and_nothing_is_declared_by_default() {
    let mut world = World::opening(policy(EraPolicy::ModernFirst));
    world.client.handle_opened(world.now);
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"selvedge","version":"{version}"}}}}}}}}"#
    );
    assert_eq!(world.take_sent(), [expected]);
}

#[test]
fn each_offer_declares_exactly_itself() {
    let declared = |change: Change| {
        let mut world = World::opening(changed(|config| {
            config.era = EraPolicy::ModernFirst;
            change(config);
        }));
        world.client.handle_opened(world.now);
        let sent = world.take_sent().remove(0);
        let path = ["params", "_meta", "io.modelcontextprotocol/clientCapabilities"];
        super::member(&sent, &path).unwrap()
    };
    let cases: [(Change, &str); 7] = [
        (|config| config.offers.sampling = true, r#"{"sampling":{}}"#),
        (|config| config.offers.sampling_tools = true, "{}"),
        (
            |config| (config.offers.sampling, config.offers.sampling_tools) = (true, true),
            r#"{"sampling":{"tools":{}}}"#,
        ),
        (|config| config.offers.elicitation = true, r#"{"elicitation":{"form":{}}}"#),
        (|config| config.offers.elicitation_url = true, r#"{"elicitation":{"url":{}}}"#),
        (|config| config.offers.roots = true, r#"{"roots":{}}"#),
        (
            |config| {
                config.offers.roots = true;
                config.extensions.insert("com.example/x".to_owned(), json("{\n}"));
            },
            r#"{"roots":{},"extensions":{"com.example/x":{}}}"#,
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(declared(change), expected);
    }
}

#[test]
fn a_server_that_answers_the_question_is_ready_without_more_words() {
    let mut world = probing();
    world.peer(discovered(1, r#"{"tools":{}}"#));
    let events = world.take_events();
    let [Event::Ready(handshake)] = &events[..] else { panic!("{events:?}") };
    assert_eq!((handshake.revision, handshake.server.name.as_str()), (Revision::V2026_07_28, "peer"));
    assert!(handshake.capabilities.tools && !handshake.capabilities.prompts);
    world.assert_quiet();
    assert_eq!(world.client.poll_timeout(), None);
    world.assert_lives();
}

#[test]
fn any_error_but_one_about_our_revision_is_followed_by_initialize_on_the_same_streams() {
    let answers = [
        refused(1, -32_601, "null"),
        refused(1, -32_600, "null"),
        refused(1, -32_602, r#"{"supported":["2026-07-28"]}"#),
        refused(1, -32_000, "null"),
        refused(1, -32_001, "null"),
        refused(1, -32_021, r#"{"requiredCapabilities":{}}"#),
        refused(1, -32_022, "null"),
        refused(1, -32_022, r#"{"supported":[]}"#),
        refused(1, -32_022, r#"{"supported":["2027-01-01"]}"#),
        r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#.to_owned(),
        result_of(1, "7"),
        result_of(1, "{}"),
        result_of(1, r#"{"supportedVersions":"all"}"#),
        result_of(1, r#"{"supportedVersions":["2027-01-01"]}"#),
        result_of(1, r#"{"supportedVersions":["2025-06-18","2025-11-25"]}"#),
        result_of(1, r#"{"resultType":"input_required","requestState":"x"}"#),
        result_of(1, r#"{"resultType":"later","supportedVersions":["2026-07-28"]}"#),
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}"#.to_owned(),
    ];
    for answer in answers {
        let mut world = probing();
        world.peer(&answer);
        let sent = world.take_sent();
        let [initialize] = &sent[..] else { panic!("{answer}: {sent:?}") };
        let expected = r#""id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25""#;
        assert!(initialize.contains(expected), "{answer}: {initialize}");
        assert!(!initialize.contains("_meta"), "{initialize}");
        world.peer(welcome(2));
        assert_eq!(revision(&world), Revision::V2025_11_25, "{answer}");
        world.take_effects();
        world.assert_lives();
    }
}

#[test]
fn a_server_that_lists_legacy_revisions_only_is_asked_for_the_newest_of_them() {
    for answer in [
        refused(1, -32_022, r#"{"supported":["2024-11-05","2025-06-18"]}"#),
        result_of(1, r#"{"supportedVersions":["2024-11-05","2025-06-18"]}"#),
    ] {
        let mut world = probing();
        world.peer(answer);
        sent(&mut world, r#""method":"initialize","params":{"protocolVersion":"2025-06-18""#);
    }
}

#[test]
fn a_refusal_that_names_our_revision_is_tried_again_once() {
    let error = r#"{"supported":["2026-07-28","2025-11-25"],"requested":"2026-07-28"}"#;
    let mut world = probing();
    world.peer(refused(1, -32_022, error));
    sent(&mut world, r#""id":2,"method":"server/discover""#);
    world.peer(discovered(2, "{}"));
    assert_eq!(revision(&world), Revision::V2026_07_28);

    let mut world = probing();
    world.peer(refused(1, -32_022, error));
    world.take_effects();
    world.peer(refused(2, -32_022, error));
    sent(&mut world, r#""id":3,"method":"initialize""#);
}

#[test]
fn a_server_that_does_not_answer_in_time_is_asked_otherwise_and_its_late_answer_counts_for_nothing() {
    for answer in [discovered(1, "{}"), refused(1, -32_601, "null")] {
        let mut world = probing();
        world.pass_millis(9_999);
        world.assert_quiet();
        world.pass_millis(1);
        sent(&mut world, INITIALIZE);
        world.peer(&answer);
        world.assert_quiet();
        world.peer(&answer);
        assert_eq!(world.take_events(), [Event::PeerViolated(Violation::UnknownResponse)], "once is enough");
        world.peer(welcome(2));
        assert_eq!(revision(&world), Revision::V2025_11_25);
        world.take_effects();
        world.assert_lives();
    }
}

#[test]
fn a_server_that_was_pinned_by_the_first_question_is_asked_in_the_modern_way_again() {
    let mut world = probing();
    world.pass_millis(10_000);
    sent(&mut world, INITIALIZE);
    world.peer(discovered(1, "{}"));
    world.peer(refused(2, -32_022, r#"{"supported":["2026-07-28"],"requested":"2025-11-25"}"#));
    sent(&mut world, r#""id":3,"method":"server/discover""#);
    world.peer(discovered(3, "{}"));
    assert_eq!(revision(&world), Revision::V2026_07_28);
}

#[test]
fn both_questions_are_asked_at_most_twice() {
    let supported = r#"{"supported":["2026-07-28"]}"#;
    let mut world = probing();
    let mut asked = 1;
    for id in 1..10 {
        if world.client.reason().is_none() {
            world.peer(refused(id, -32_022, supported));
            asked += world.take_sent().len();
        }
    }
    assert!(
        matches!(world.client.reason(), Some(Reason::HandshakeRefused(_))),
        "{:?}",
        world.client.reason()
    );
    assert_eq!(asked, 5, "discover twice, initialize, discover twice");
}

#[test]
fn a_server_that_exits_over_the_question_is_started_anew_once_its_end_is_seen() {
    let mut world = probing();
    world.exit(1);
    assert_eq!(world.take_effects(), [Effect::Kill], "its output may still come");
    world.eof();
    let cause = Reason::Exited(exit_code(1));
    let expected = [Effect::Event(Event::Replaced(cause)), Effect::CloseInput, Effect::Open];
    assert_eq!(world.take_effects(), expected);
    assert_eq!(world.client.state(), State::Opening);
    world.client.handle_opened(world.now);
    sent(&mut world, INITIALIZE);
    world.peer(welcome(2));
    assert_eq!(revision(&world), Revision::V2025_11_25);
    world.take_effects();
    world.assert_lives();
}

#[test]
fn the_end_of_the_output_and_a_failed_write_are_an_end_too_but_nothing_is_started_beside_what_lives() {
    let ends: [fn(&mut World); 2] = [World::eof, |world| {
        let now = world.now;
        world.client.handle_write_failed(now, "broken pipe");
    }];
    for end in ends {
        let mut world = probing();
        end(&mut world);
        world.assert_quiet();
        world.pass_millis(50);
        let effects = world.take_effects();
        assert!(
            matches!(&effects[..], [Effect::Event(Event::Replaced(_)), Effect::CloseInput]),
            "{effects:?}"
        );
        assert_eq!(world.client.state(), State::Reopening);
        world.pass_millis(500);
        assert_eq!(world.take_effects(), [Effect::Terminate]);
        world.pass_millis(2_000);
        assert_eq!(world.take_effects(), [Effect::Kill]);
        world.exit(137);
        assert_eq!(world.take_effects(), [Effect::Kill, Effect::Open]);
    }
}

#[test]
fn a_server_whose_end_is_not_seen_is_not_replaced() {
    let mut world = probing();
    world.eof();
    world.pass_millis(50 + 500 + 2_000 + 2_000);
    let events = world.take_events();
    let [Event::Replaced(_), Event::Closed(Reason::OutputClosed), Event::Retired(Err(error))] = &events[..]
    else {
        panic!("{events:?}")
    };
    assert!(matches!(error, RetirementError::RetirementTimedOut { .. }));
    assert!(!world.take_effects().contains(&Effect::Open));

    let mut world = probing();
    let now = world.now;
    world.client.handle_exit_lost(now);
    assert!(!world.take_effects().contains(&Effect::Open));
    assert_eq!(world.client.state(), State::Retired);
}

#[test]
fn the_second_server_is_the_last_one() {
    let mut world = probing();
    world.exit(1);
    world.eof();
    world.client.handle_opened(world.now);
    world.take_effects();
    world.exit(2);
    world.eof();
    let events = world.take_events();
    let status = exit_code(2);
    let expected = [Event::Closed(Reason::Exited(status)), Event::Retired(Ok(Evidence::Exited(status)))];
    assert_eq!(events, expected);
    assert!(!world.take_effects().contains(&Effect::Open));
}

#[test]
fn a_second_server_that_cannot_be_started_leaves_the_first_ones_end_as_evidence() {
    let mut world = probing();
    world.exit(1);
    world.eof();
    world.take_effects();
    let now = world.now;
    world.client.handle_open_failed(now, OpenError::Other("x".to_owned()));
    let events = world.take_events();
    let [Event::Closed(Reason::OpenFailed(_)), Event::Retired(evidence)] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*evidence, Ok(Evidence::Exited(exit_code(1))));
}

#[test]
fn a_shutdown_while_the_server_is_replaced_starts_no_other() {
    let mut world = probing();
    world.eof();
    world.pass_millis(50);
    world.take_effects();
    world.shut_down();
    assert_eq!(world.take_events(), [Event::Closed(Reason::ShutDown)]);
    world.exit(0);
    let evidence = Event::Retired(Ok(Evidence::Exited(exit_code(0))));
    assert_eq!(world.take_effects(), [Effect::Kill, Effect::Event(evidence)]);
}

#[test]
fn the_handshake_as_a_whole_has_its_time_whatever_is_tried() {
    let mut world = probing();
    world.pass_millis(29_999);
    assert_eq!(world.take_events(), []);
    world.pass_millis(1);
    let events = world.take_events();
    assert!(matches!(events[..], [Event::Closed(Reason::HandshakeTimedOut { .. })]), "{events:?}");

    let mut world = probing();
    world.pass_millis(9_000);
    world.exit(1);
    world.eof();
    world.client.handle_opened(world.now);
    world.take_effects();
    world.pass_millis(20_999);
    world.assert_quiet();
    world.pass_millis(1);
    let events = world.take_events();
    assert!(matches!(events[..], [Event::Closed(Reason::HandshakeTimedOut { .. })]), "{events:?}");
}

#[test]
fn a_server_that_ends_once_it_was_asked_otherwise_is_not_replaced() {
    let mut world = probing();
    world.peer(refused(1, -32_601, "null"));
    world.take_effects();
    world.exit(1);
    world.eof();
    assert!(!world.take_effects().contains(&Effect::Open));
    assert_eq!(world.client.reason(), Some(&Reason::Exited(exit_code(1))));
}

#[test]
fn legacy_first_replaces_nobody() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(refused(1, -32_601, "null"));
    sent(&mut world, DISCOVER);
    world.exit(1);
    world.eof();
    assert!(!world.take_effects().contains(&Effect::Open));
    assert_eq!(world.client.reason(), Some(&Reason::Exited(exit_code(1))));
}

#[test]
fn a_server_that_agrees_to_the_modern_revision_by_handshake_is_asked_in_its_own_way() {
    let mut world = World::negotiating(ClientConfig::default());
    world.peer(line::welcome("2026-07-28", "{}"));
    sent(&mut world, DISCOVER);
    world.peer(discovered(2, "{}"));
    assert_eq!(revision(&world), Revision::V2026_07_28);

    let mut world = World::negotiating(ClientConfig::default());
    world.peer(line::welcome("2026-07-28", "{}"));
    world.peer(refused(2, -32_601, "null"));
    assert!(
        matches!(world.client.reason(), Some(Reason::VersionUnsupported { server, .. }) if server == &["2026-07-28"])
    );
}

#[test]
fn a_pinned_revision_is_spoken_or_none() {
    for pinned in [Revision::V2024_11_05, Revision::V2025_06_18] {
        let mut world = World::opening(policy(EraPolicy::Pinned(pinned)));
        world.client.handle_opened(world.now);
        sent(&mut world, &format!(r#""initialize","params":{{"protocolVersion":"{pinned}""#));
        world.peer(line::welcome(pinned.as_str(), "{}"));
        assert_eq!(revision(&world), pinned);
    }
    let answers = [
        line::welcome("2025-11-25", "{}"),
        refused(1, -32_602, r#"{"supported":["2024-11-05","2026-07-28"]}"#),
        refused(1, -32_022, r#"{"supported":["2026-07-28"]}"#),
        line::welcome("2026-07-28", "{}"),
    ];
    for answer in answers {
        let mut world = World::negotiating(policy(EraPolicy::Pinned(Revision::V2025_06_18)));
        world.peer(&answer);
        assert_eq!(world.take_sent(), [""; 0], "{answer}");
        let reason = world.client.reason().cloned();
        let Some(Reason::VersionUnsupported { client, .. }) = reason else { panic!("{answer}: {reason:?}") };
        assert_eq!(client, [Revision::V2025_06_18]);
    }
}

#[test]
fn pinned_to_the_modern_revision_no_handshake_is_tried() {
    let modern = || World::negotiating(policy(EraPolicy::Pinned(Revision::V2026_07_28)));
    let mut world = modern();
    world.pass_millis(10_000);
    world.assert_quiet();
    world.peer(discovered(1, "{}"));
    assert_eq!(revision(&world), Revision::V2026_07_28);
    for answer in [
        refused(1, -32_601, "null"),
        result_of(1, r#"{"supportedVersions":["2025-11-25"]}"#),
        result_of(1, "{}"),
        refused(1, -32_022, r#"{"supported":["2027-01-01"]}"#),
    ] {
        let mut world = modern();
        world.peer(&answer);
        assert_eq!(world.take_sent(), [""; 0], "{answer}");
        assert_eq!(world.client.state(), State::Closing, "{answer}");
    }
    let mut world = modern();
    world.exit(1);
    world.eof();
    assert!(!world.take_effects().contains(&Effect::Open));
}
