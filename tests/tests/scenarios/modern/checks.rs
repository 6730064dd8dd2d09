//! Calls that are checked against what a modern server listed.

use selvedge_core::{
    Misuse, Violation,
    client::{Answer, CallError, CallId, CallOptions, Event},
};
use selvedge_tests::{
    World,
    line::{self, acknowledged, notification, of_stream},
    world::changed,
};

use super::{NORMAL, json};

const TOOLS: &str = "notifications/tools/list_changed";
const NUMBER: &str = r#"{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"outputSchema":{"type":"object","required":["sum"]}}"#;
const OTHER: &str = r#"{"name":"u","inputSchema":{"type":"object"}}"#;
const GOOD: &str = r#"{"n":1}"#;
const QUESTION: &str = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;

/// Lists these tools, which stay fresh for so long.
fn list(world: &mut World, tools: &str, millis: u64) {
    let call = world.list_tools();
    assert_eq!(world.take_sent().len(), 1, "the server is asked");
    world.peer(line::result(call, &format!(r#"{{"tools":[{tools}],"ttlMs":{millis}}}"#)));
    assert!(matches!(world.outcome(call), Ok(Answer::Tools(_))));
}

fn listed() -> World {
    let mut world = World::modern_with(changed(|config| config.offers.roots = true));
    list(&mut world, NUMBER, 0);
    world
}

fn try_call(world: &mut World, arguments: &str) -> Result<CallId, Misuse> {
    world.client.call_tool(world.now, "t", arguments, NORMAL)
}

/// A bad call is refused and nothing is sent.
fn assert_checks(world: &mut World) {
    assert!(matches!(try_call(world, r#"{"n":"1"}"#), Err(Misuse::BadArguments { .. })));
    world.assert_quiet();
}

/// A bad call is sent, and given up.
fn assert_lets_through(world: &mut World) {
    let call = try_call(world, "{}").unwrap();
    assert_eq!(world.take_sent().len(), 1);
    world.cancel(call);
    world.take_effects();
}

/// The server asks one question, which is answered; returns the id of the request that the answer goes with.
fn round(world: &mut World, id: u64) -> u64 {
    world.peer(line::result_of(id, QUESTION));
    let asked = world.take_events();
    let [Event::Asked { ask, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(world.client.answer_ask(world.now, ask, Ok(&json(r#"{"roots":[]}"#))), Ok(()));
    let sent = world.take_sent();
    super::member(&sent[0], &["id"]).unwrap().parse().unwrap()
}

#[test]
fn arguments_that_do_not_fit_are_refused_and_nothing_is_sent() {
    let mut world = listed();
    assert_checks(&mut world);
    assert_eq!(world.client.calls_in_flight(), 0);
    assert!(try_call(&mut world, GOOD).is_ok());
    let unchecked = CallOptions { unchecked: true, ..NORMAL };
    world.call_with("t", "{}", unchecked);
    assert_eq!(world.take_sent().len(), 2);
}

#[test]
fn a_result_is_held_against_the_promise_at_the_time_of_its_call_however_many_rounds_it_takes() {
    for (result, is_kept) in [
        (r#"{"content":[],"structuredContent":{"sum":1}}"#, true),
        (r#"{"content":[],"structuredContent":{}}"#, false),
        (r#"{"content":[]}"#, false),
    ] {
        let mut world = listed();
        let call = try_call(&mut world, GOOD).unwrap();
        world.take_sent();
        let id = round(&mut world, call.as_u64());
        list(&mut world, OTHER, 0);
        let id = round(&mut world, id);
        world.peer(line::result_of(id, result));
        match world.outcome(call) {
            Ok(Answer::Called(_)) if is_kept => {}
            Err(CallError::BadResult(bad)) if !is_kept => assert_eq!(bad.result.raw().as_str(), result),
            other => panic!("{result}: {other:?}"),
        }
        world.assert_quiet();
    }
}

#[test]
fn a_call_that_is_left_unchecked_is_so_in_all_its_rounds() {
    let mut world = listed();
    let call = world.call_with("t", "{}", CallOptions { unchecked: true, ..NORMAL });
    world.take_sent();
    let id = round(&mut world, call.as_u64());
    world.peer(line::result_of(id, r#"{"content":[{"type":"text","text":"ok"}]}"#));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn a_call_that_is_on_its_way_when_the_tools_change_is_made_again_all_the_same() {
    let mut world = listed();
    let call = try_call(&mut world, GOOD).unwrap();
    world.take_sent();
    list(&mut world, &NUMBER.replace("integer", "string"), 0);
    let id = round(&mut world, call.as_u64());
    world.peer(line::result_of(id, r#"{"content":[],"structuredContent":{"sum":1}}"#));
    assert!(world.outcome(call).is_ok(), "its arguments were good when it was made");
}

#[test]
fn content_of_any_type_can_be_promised() {
    let mut world = World::modern();
    list(&mut world, r#"{"name":"t","inputSchema":{},"outputSchema":{"type":"array","minItems":1}}"#, 0);
    for (content, is_kept) in [("[1]", true), ("[]", false), ("null", false)] {
        let call = try_call(&mut world, "{}").unwrap();
        world.peer(line::result(call, &format!(r#"{{"content":[],"structuredContent":{content}}}"#)));
        assert_eq!(world.outcome(call).is_ok(), is_kept, "{content}");
    }
}

#[test]
fn a_listing_that_was_kept_counts_as_a_fresh_one_does() {
    let mut world = World::modern();
    list(&mut world, NUMBER, 1_000);
    let kept = world.list_tools();
    assert!(matches!(world.outcome(kept), Ok(Answer::Tools(_))));
    world.assert_quiet();
    assert_checks(&mut world);
    world.pass_millis(1_000);
    assert_checks(&mut world);
    list(&mut world, OTHER, 1_000);
    assert_lets_through(&mut world);
    let kept = world.list_tools();
    assert!(world.outcome(kept).is_ok());
    assert_lets_through(&mut world);
}

#[test]
fn a_change_told_on_a_stream_ends_the_checks_until_the_tools_are_listed_again() {
    let mut world = World::modern_for(
        changed(|_| {}),
        r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true}}"#,
    );
    let told = r#"{"toolsListChanged":true,"promptsListChanged":true}"#;
    world.peer(acknowledged(2, told));
    list(&mut world, NUMBER, 60_000);
    world.peer(of_stream(2, "notifications/prompts/list_changed", ""));
    assert_eq!(world.take_events(), [Event::PromptsChanged]);
    assert_checks(&mut world);
    world.peer(of_stream(2, TOOLS, ""));
    assert_eq!(world.take_events(), [Event::ToolsChanged]);
    assert_lets_through(&mut world);
    list(&mut world, NUMBER, 60_000);
    assert_checks(&mut world);
    // The event waits for its interval, the doubt does not.
    world.peer(of_stream(2, TOOLS, ""));
    assert_eq!(world.take_events(), []);
    assert_lets_through(&mut world);
}

#[test]
fn a_change_that_was_not_listened_for_ends_the_checks_too() {
    let mut world = listed();
    world.peer(notification(TOOLS, "{}"));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::NotListenedFor { method: TOOLS })]);
    assert_lets_through(&mut world);
}

#[test]
fn a_listing_that_the_tools_changed_under_is_not_relied_on() {
    for (changes_after, is_checked) in [(0, true), (1, false)] {
        let mut world = World::modern();
        let call = world.list_tools();
        for (at, page) in
            [format!(r#"{{"tools":[{NUMBER}],"nextCursor":"A"}}"#), format!(r#"{{"tools":[{OTHER}]}}"#)]
                .iter()
                .enumerate()
        {
            if at == changes_after {
                world.peer(notification(TOOLS, "{}"));
            }
            world.peer(line::result_of(call.as_u64() + at as u64, page));
        }
        assert!(matches!(world.outcome(call), Ok(Answer::Tools(listing)) if listing.items.len() == 2));
        assert_eq!(try_call(&mut world, "{}").is_err(), is_checked, "changed before page {changes_after}");
    }
}
