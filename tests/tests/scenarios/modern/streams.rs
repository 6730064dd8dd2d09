//! Streams of notifications: opened, acknowledged, told on, ended by either side.

use std::time::Duration;

use selvedge_core::{
    Misuse, Patience, Violation,
    client::{Answer, CallError, CallOptions, Event},
    protocol::Interests,
};
use selvedge_tests::{
    World,
    line::{self, acknowledged, notification, of_stream},
    world::changed,
};

use super::NORMAL;

const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";
const TELLS: &str = r#"{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":false}}"#;

fn tools() -> Interests {
    Interests { tools: true, ..Interests::default() }
}

fn unasked(method: &'static str) -> Event {
    Event::PeerViolated(Violation::NotListenedFor { method })
}

/// A client that listens for tools under id 7.
fn listening() -> World {
    let mut world = World::modern();
    let call = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.take_sent();
    world.peer(acknowledged(7, r#"{"toolsListChanged":true}"#));
    assert_eq!(world.outcome(call), Ok(Answer::Listening { listen: call, agreed: tools() }));
    world.assert_quiet();
    world
}

#[test]
fn a_client_listens_by_itself_for_what_the_server_says_it_tells() {
    let mut world = World::modern();
    assert_eq!(world.client.poll_timeout(), None, "a server that tells nothing is not listened to");
    world.assert_quiet();

    let mut config = changed(|_| {});
    config.era = selvedge_core::client::EraPolicy::Pinned(selvedge_core::protocol::Revision::V2026_07_28);
    let mut world = World::negotiating(config);
    world.peer(line::discovered(1, TELLS));
    let sent = world.take_sent();
    let [listen] = &sent[..] else { panic!("{sent:?}") };
    let expected = r#""id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourcesListChanged":true},"_meta":{"#;
    assert!(listen.contains(expected), "{listen}");
    assert!(matches!(world.take_events()[..], [Event::Ready(_)]));
    assert_eq!(world.client.calls_in_flight(), 0, "nobody waits for it");
    world.peer(acknowledged(2, r#"{"toolsListChanged":true,"resourcesListChanged":true}"#));
    world.assert_quiet();
    world.peer(of_stream(2, TOOLS, ""));
    world.peer(of_stream(2, RESOURCES, ""));
    assert_eq!(world.take_events(), [Event::ToolsChanged, Event::ResourcesChanged]);
    world.peer(of_stream(2, PROMPTS, ""));
    assert_eq!(world.take_events(), [unasked(PROMPTS)]);
    world.pass_millis(3_600_000);
    world.assert_quiet();
}

#[test]
fn a_client_that_is_told_not_to_listens_to_nothing() {
    let config = changed(|config| config.listens_for_changes = false);
    let mut world = World::modern_for(config, TELLS);
    let call = world.call("t", "{}");
    assert_eq!(call.as_u64(), 7, "no id was spent on a stream");
    world.take_effects();
    world.peer(notification(TOOLS, "{}"));
    assert_eq!(world.take_events(), [unasked(TOOLS)]);
}

#[test]
fn a_storm_of_changes_is_told_a_few_times() {
    let mut world = listening();
    for _ in 0..1_000 {
        world.peer(of_stream(7, TOOLS, ""));
        world.pass_millis(1);
    }
    world.pass_millis(1_000);
    let told = world.take_events();
    assert!(
        (3..=5).contains(&told.len()) && told.iter().all(|event| *event == Event::ToolsChanged),
        "{told:?}"
    );
}

#[test]
fn a_stream_is_open_once_it_is_acknowledged_and_tells_what_was_agreed() {
    let mut world = World::modern();
    let wanted = Interests { tools: true, prompts: true, resources: true, uris: vec!["x:/a".to_owned()] };
    let call = world.must(|client, now| client.listen(now, &wanted, NORMAL));
    let sent = world.take_sent();
    let filter = r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x:/a"]}"#;
    assert!(sent[0].contains(&format!(r#""params":{{"notifications":{filter},"#)), "{sent:?}");
    world.pass_millis(100);
    world.assert_quiet();
    world.peer(acknowledged(7, r#"{"promptsListChanged":true,"resourceSubscriptions":["x:/a"]}"#));
    let honoured = Interests { tools: false, resources: false, ..wanted };
    assert_eq!(world.outcome(call), Ok(Answer::Listening { listen: call, agreed: honoured }));
    world.peer(of_stream(7, PROMPTS, ""));
    world.peer(of_stream(7, UPDATED, r#""uri":"x:/a""#));
    world.peer(of_stream(7, UPDATED, r#""uri":"x:/a/part""#));
    let updated = |uri: &str| Event::ResourceUpdated { uri: uri.to_owned() };
    assert_eq!(world.take_events(), [Event::PromptsChanged, updated("x:/a"), updated("x:/a/part")]);
    world.peer(of_stream(7, UPDATED, r#""uri":"x:/b""#));
    assert_eq!(world.take_events(), [unasked(UPDATED)]);
    world.pass_millis(3_600_000);
    world.assert_quiet();
}

#[test]
fn what_a_server_agrees_to_beyond_what_was_asked_is_a_violation_and_counts_for_nothing() {
    let mut world = World::modern();
    let call = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.take_sent();
    world.peer(acknowledged(7, r#"{"toolsListChanged":true,"promptsListChanged":true}"#));
    assert_eq!(world.outcome(call), Ok(Answer::Listening { listen: call, agreed: tools() }));
    assert_eq!(world.take_events(), [unasked("notifications/subscriptions/acknowledged")]);
    world.peer(of_stream(7, PROMPTS, ""));
    assert_eq!(world.take_events(), [unasked(PROMPTS)]);
}

#[test]
fn what_a_server_agrees_to_many_times_is_kept_once() {
    let mut world = World::modern();
    let call = world.must(|client, now| client.listen(now, &Interests::resource("x:/a"), NORMAL));
    world.take_sent();
    let many = vec![r#""x:/a""#; 100_000].join(",");
    world.peer(acknowledged(7, &format!(r#"{{"resourceSubscriptions":[{many}]}}"#)));
    let agreed = Interests::resource("x:/a");
    assert_eq!(world.outcome(call), Ok(Answer::Listening { listen: call, agreed }));
    world.assert_quiet();
}

#[test]
fn what_comes_before_the_acknowledgement_is_told_with_a_violation() {
    let mut world = World::modern();
    let call = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.take_sent();
    world.peer(of_stream(7, TOOLS, ""));
    let early = Event::PeerViolated(Violation::NotAcknowledged { method: TOOLS });
    assert_eq!(world.take_events(), [early, Event::ToolsChanged]);
    world.peer(acknowledged(7, r#"{"toolsListChanged":true}"#));
    assert_eq!(world.outcome(call), Ok(Answer::Listening { listen: call, agreed: tools() }));
}

#[test]
fn notifications_of_no_stream_are_violations() {
    let mut world = listening();
    for line in [
        notification(TOOLS, "{}"),
        notification(TOOLS, r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}"#),
        of_stream(99, TOOLS, ""),
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned(),
    ] {
        world.peer(&line);
        assert_eq!(world.take_events(), [unasked(TOOLS)], "{line}");
    }
    for line in [
        acknowledged(99, "{}"),
        acknowledged(7, "{}"),
        acknowledged(7, "[]"),
        notification("notifications/subscriptions/acknowledged", r#"{"notifications":{}}"#),
        of_stream(7, UPDATED, ""),
        of_stream(7, UPDATED, r#""uri":7"#),
    ] {
        world.peer(&line);
        assert!(
            matches!(world.take_events()[..], [Event::PeerViolated(Violation::BadNotification { .. })]),
            "{line}"
        );
    }
    world.peer(of_stream(7, "notifications/x", ""));
    world.assert_quiet();
}

#[test]
fn an_acknowledgement_that_does_not_come_in_time_ends_the_call_and_the_stream() {
    let mut world = World::modern();
    let patience = Some(Patience::exactly(Duration::from_secs(5)));
    let options = CallOptions { patience, ..NORMAL };
    let call = world.must(|client, now| client.listen(now, &tools(), options));
    world.take_sent();
    world.pass_millis(5_000);
    assert!(matches!(world.failure(call), CallError::TimedOut { .. }));
    assert!(world.take_sent()[0].contains(r#""requestId":7,"#));
    // What was under way says nothing any more.
    world.peer(acknowledged(7, r#"{"toolsListChanged":true}"#));
    world.peer(of_stream(7, TOOLS, ""));
    world.assert_quiet();
}

#[test]
fn the_application_ends_a_stream_and_late_notifications_are_passed_over() {
    let mut world = listening();
    let call = world.call("t", "{}");
    world.take_sent();
    let listen = listen_of(&mut world);
    assert_eq!(world.client.stop_listening(world.now, listen), Ok(()));
    let sent = world.take_sent();
    assert!(sent[0].contains(r#""method":"notifications/cancelled","params":{"requestId":9,"#), "{sent:?}");
    world.peer(of_stream(9, TOOLS, ""));
    world.assert_quiet();
    assert_eq!(world.client.stop_listening(world.now, listen), Err(Misuse::UnknownListen));
    assert_eq!(world.client.stop_listening(world.now, call), Err(Misuse::UnknownListen));
}

/// Opens a further stream, under id 9.
fn listen_of(world: &mut World) -> selvedge_core::client::CallId {
    let listen = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.take_sent();
    world.peer(acknowledged(listen.as_u64(), "{}"));
    assert_eq!(world.outcome(listen), Ok(Answer::Listening { listen, agreed: Interests::default() }));
    listen
}

#[test]
fn the_server_ends_a_stream_by_response_by_cancelling_or_by_both_in_any_order() {
    let response = line::result_of(
        7,
        r#"{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#,
    );
    let cancelled = notification("notifications/cancelled", r#"{"requestId":7}"#);
    let ways: [&[&String]; 4] =
        [&[&response], &[&cancelled], &[&response, &cancelled], &[&cancelled, &response]];
    for way in ways {
        let mut world = listening();
        for line in way {
            world.peer(line.as_str());
        }
        let events = world.take_events();
        let [Event::ListenEnded { listen, interests, error: None }] = &events[..] else {
            panic!("{way:?}: {events:?}")
        };
        assert_eq!((listen.as_u64(), interests), (7, &tools()));
        world.assert_quiet();
        world.peer(of_stream(7, TOOLS, ""));
        world.assert_quiet();
        world.assert_lives();
    }
}

#[test]
fn a_stream_that_ends_before_it_is_open_fails_its_call() {
    let cancelled = notification("notifications/cancelled", r#"{"requestId":7}"#);
    for end in [line::result_of(7, r#"{"resultType":"complete"}"#), cancelled] {
        let mut world = World::modern();
        let call = world.must(|client, now| client.listen(now, &tools(), NORMAL));
        world.take_sent();
        world.peer(end);
        assert_eq!(world.failure(call), CallError::StreamEnded);
        world.assert_quiet();
        assert_eq!(world.client.stop_listening(world.now, call), Err(Misuse::UnknownListen));
    }
    let mut world = World::modern();
    let call = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.take_sent();
    world.peer(line::error(call, -32_601, "no"));
    assert!(matches!(world.failure(call), CallError::Refused(_)));
    assert_eq!(world.client.stop_listening(world.now, call), Err(Misuse::UnknownListen));
}

#[test]
fn a_server_that_refuses_the_stream_it_announced_is_told_of_and_costs_nothing() {
    let mut world = World::modern_for(changed(|_| {}), TELLS);
    world.peer(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#);
    let events = world.take_events();
    assert!(
        matches!(&events[..], [Event::ListenEnded { error: Some(error), .. }] if error.code == -32_601),
        "{events:?}"
    );
    world.assert_lives();
}

#[test]
fn cancelling_anything_else_means_nothing() {
    let mut world = listening();
    let call = world.call("t", "{}");
    world.take_sent();
    for id in ["8", "99", "\"x\""] {
        world.peer(notification("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#)));
    }
    world.assert_quiet();
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn subscribing_to_a_resource_opens_a_stream_and_unsubscribing_ends_it() {
    let mut world = World::modern();
    let call = world.must(|client, now| client.subscribe(now, "x:/a", NORMAL));
    let sent = world.take_sent();
    assert!(
        sent[0].contains(
            r#""subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["x:/a"]},"#
        ),
        "{sent:?}"
    );
    world.peer(acknowledged(7, r#"{"resourceSubscriptions":["x:/a"]}"#));
    assert_eq!(world.outcome(call), Ok(Answer::Done));
    let again = world.must(|client, now| client.subscribe(now, "x:/a", NORMAL));
    assert_eq!(world.outcome(again), Ok(Answer::Done));
    world.assert_quiet();
    world.peer(of_stream(7, UPDATED, r#""uri":"x:/a""#));
    assert_eq!(world.take_events(), [Event::ResourceUpdated { uri: "x:/a".to_owned() }]);
    let other = world.must(|client, now| client.unsubscribe(now, "x:/b", NORMAL));
    assert_eq!(world.outcome(other), Ok(Answer::Done));
    assert_eq!(world.take_sent(), [""; 0]);
    let done = world.must(|client, now| client.unsubscribe(now, "x:/a", NORMAL));
    assert_eq!(world.outcome(done), Ok(Answer::Done));
    let sent = world.take_sent();
    assert!(matches!(&sent[..], [line] if line.contains(r#""requestId":7,"#)), "{sent:?}");
    world.assert_quiet();
}

#[test]
fn a_resource_that_the_server_does_not_tell_of_cannot_be_subscribed_to() {
    let mut world = World::modern();
    let call = world.must(|client, now| client.subscribe(now, "x:/a", NORMAL));
    world.take_sent();
    world.peer(acknowledged(7, "{}"));
    assert_eq!(world.failure(call), CallError::NotHonoured);
    assert!(world.take_sent()[0].contains(r#""requestId":7,"#));
}

#[test]
fn unsubscribing_gives_up_on_a_subscription_that_is_not_open_yet() {
    let mut world = World::modern();
    let call = world.must(|client, now| client.subscribe(now, "x:/a", NORMAL));
    world.take_sent();
    let done = world.must(|client, now| client.unsubscribe(now, "x:/a", NORMAL));
    assert_eq!(world.failure(call), CallError::Cancelled);
    assert_eq!(world.outcome(done), Ok(Answer::Done));
    assert_eq!(world.take_sent().len(), 1);
}

#[test]
fn streams_are_bounded_and_make_room_when_they_end() {
    let mut world = World::modern_with(changed(|config| config.limits.max_listens = 2));
    let one = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.must(|client, now| client.listen(now, &tools(), NORMAL));
    let now = world.now;
    assert_eq!(world.client.listen(now, &tools(), NORMAL), Err(Misuse::TooManyListens { limit: 2 }));
    world.cancel(one);
    assert!(world.client.listen(now, &tools(), NORMAL).is_ok());
}

#[test]
fn the_end_of_the_session_ends_every_stream_with_it() {
    let mut world = listening();
    let call = world.must(|client, now| client.listen(now, &tools(), NORMAL));
    world.exit(0);
    world.eof();
    assert!(matches!(world.failure(call), CallError::Unavailable(_)));
    let events = world.take_events();
    assert!(matches!(events[..], [Event::Closed(_), Event::Retired(_)]), "{events:?}");
}
