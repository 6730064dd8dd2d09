//! Results that stay fresh for a while.

use selvedge_core::client::{Answer, CallId, CallOptions};
use selvedge_tests::{
    World,
    line::{self, acknowledged, notification, of_stream},
    world::changed,
};

use super::{NORMAL, json};

type Command = fn(&mut World) -> CallId;

fn tools(ttl: &str, cursor: &str) -> String {
    tools_named("a", ttl, cursor)
}

fn tools_named(name: &str, ttl: &str, cursor: &str) -> String {
    format!(
        r#"{{"tools":[{{"name":"{name}","inputSchema":{{}}}}],"ttlMs":{ttl},"cacheScope":"private"{cursor}}}"#
    )
}

fn contents(ttl: &str) -> String {
    format!(r#"{{"contents":[{{"uri":"x:/a","text":"t"}}],"ttlMs":{ttl},"cacheScope":"public"}}"#)
}

/// The peer answers the one request that was made.
fn served(world: &mut World, call: CallId, result: &str) {
    assert_eq!(world.take_sent().len(), 1);
    world.peer(line::result(call, result));
    assert!(world.outcome(call).is_ok());
}

fn read(world: &mut World, uri: &str) -> CallId {
    world.must(|client, now| client.read_resource(now, uri, NORMAL))
}

/// The call was answered without a frame.
fn is_kept(world: &mut World, call: CallId) -> bool {
    let sent = world.take_sent();
    if sent.is_empty() {
        assert!(world.outcome(call).is_ok());
        return true;
    }
    assert_eq!(sent.len(), 1);
    world.cancel(call);
    world.take_effects();
    false
}

/// Returns commands whose results may be kept, with such results, and one more of them.
fn kept_with(last: (Command, &'static str)) -> [(Command, &'static str); 6] {
    [
        (World::list_tools, r#"{"tools":[],"ttlMs":9}"#),
        (|world| world.must(|client, now| client.list_prompts(now, NORMAL)), r#"{"prompts":[],"ttlMs":9}"#),
        (
            |world| world.must(|client, now| client.list_resources(now, NORMAL)),
            r#"{"resources":[],"ttlMs":9}"#,
        ),
        (
            |world| world.must(|client, now| client.list_resource_templates(now, NORMAL)),
            r#"{"resourceTemplates":[],"ttlMs":9}"#,
        ),
        (|world| read(world, "x:/a"), r#"{"contents":[],"ttlMs":9}"#),
        last,
    ]
}

#[test]
fn a_listing_is_asked_for_once_while_it_is_fresh() {
    let mut world = World::modern();
    let call = world.list_tools();
    served(&mut world, call, &tools("1000", ""));
    world.pass_millis(999);
    let again = world.list_tools();
    let Ok(Answer::Tools(listing)) = world.outcome(again) else { panic!() };
    assert_eq!(listing.items[0].name, "a");
    world.assert_quiet();
    assert_ne!(again, call);
    world.pass_millis(1);
    let call = world.list_tools();
    assert!(!is_kept(&mut world, call), "its time is over");
}

#[test]
fn every_kind_of_result_that_may_be_kept_is_kept_apart() {
    let commands = kept_with((
        |world| world.must(|client, now| client.discover(now, NORMAL)),
        r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":9}"#,
    ));
    let mut world = World::modern();
    for (command, result) in commands {
        let call = command(&mut world);
        served(&mut world, call, result);
    }
    for (command, _) in commands {
        let call = command(&mut world);
        assert!(is_kept(&mut world, call));
    }
    let other = read(&mut world, "x:/b");
    assert!(!is_kept(&mut world, other), "another resource is another result");
    world.pass_millis(9);
    for (command, _) in commands {
        let call = command(&mut world);
        assert!(!is_kept(&mut world, call));
    }
}

#[test]
fn the_answer_to_the_first_question_is_kept_too() {
    let mut world = World::negotiating(super::policy(selvedge_core::client::EraPolicy::ModernFirst));
    world.peer(line::discovered(1, "{}").replace(r#""ttlMs":0"#, r#""ttlMs":50"#));
    world.take_effects();
    let call = world.must(|client, now| client.discover(now, NORMAL));
    let Ok(Answer::Discovered(handshake)) = world.outcome(call) else { panic!() };
    assert_eq!(handshake.server.name, "peer");
    world.assert_quiet();
}

#[test]
fn a_time_that_is_none_keeps_nothing() {
    for ttl in ["0", "-1", "null", "\"1000\"", "1.5", "1e3", "99999999999999999999", "[]"] {
        let mut world = World::modern();
        let call = read(&mut world, "x:/a");
        served(&mut world, call, &contents(ttl));
        let call = read(&mut world, "x:/a");
        assert!(!is_kept(&mut world, call), "{ttl}");
    }
    let mut world = World::modern();
    let call = read(&mut world, "x:/a");
    served(&mut world, call, r#"{"contents":[]}"#);
    let call = read(&mut world, "x:/a");
    assert!(!is_kept(&mut world, call));
}

#[test]
fn a_time_without_end_never_ends() {
    let mut world = World::modern();
    let call = read(&mut world, "x:/a");
    served(&mut world, call, &contents("9223372036854775807"));
    world.pass_millis(1 << 50);
    let call = read(&mut world, "x:/a");
    assert!(is_kept(&mut world, call));
}

#[test]
fn the_application_may_insist_on_asking_and_what_comes_is_kept() {
    let mut world = World::modern();
    let call = read(&mut world, "x:/a");
    served(&mut world, call, &contents("1000"));
    let insisting = CallOptions { bypass_cache: true, ..NORMAL };
    let call = world.must(|client, now| client.read_resource(now, "x:/a", insisting));
    served(&mut world, call, &contents("2000"));
    world.pass_millis(1_999);
    let call = read(&mut world, "x:/a");
    assert!(is_kept(&mut world, call));
    let call = world.must(|client, now| client.list_tools(now, NORMAL));
    served(&mut world, call, &tools("1000", ""));
    let call = world.must(|client, now| client.list_tools(now, insisting));
    assert!(!is_kept(&mut world, call));
}

#[test]
fn a_listing_of_several_pages_is_kept_whole_or_not_at_all() {
    let mut world = World::modern();
    let call = world.list_tools();
    world.take_sent();
    world.peer(line::result(call, &tools("1000", r#","nextCursor":"c""#)));
    world.take_sent();
    world.pass_millis(10);
    world.peer(line::result_of(8, &tools_named("b", "500", "")));
    assert!(world.outcome(call).is_ok());
    world.pass_millis(499);
    let call = world.list_tools();
    let Ok(Answer::Tools(listing)) = world.outcome(call) else { panic!() };
    assert_eq!(listing.items.len(), 2);
    world.assert_quiet();
    world.pass_millis(1);
    let call = world.list_tools();
    let sent = world.take_sent();
    assert!(
        matches!(&sent[..], [line] if !line.contains("cursor")),
        "the first page is asked for too: {sent:?}"
    );
    // The new listing is shorter: nothing of the old one is left.
    world.peer(line::result(call, &tools("1000", "")));
    let Ok(Answer::Tools(listing)) = world.outcome(call) else { panic!() };
    assert_eq!(listing.items.len(), 1);
}

#[test]
fn a_change_ends_the_freshness_of_what_it_is_about_and_of_nothing_else() {
    let mut world = World::modern();
    let listen = selvedge_core::protocol::Interests {
        tools: true,
        prompts: true,
        resources: true,
        uris: vec!["x:/a".to_owned()],
    };
    world.must(|client, now| client.listen(now, &listen, NORMAL));
    let all = r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x:/a"]}"#;
    world.peer(acknowledged(7, all));
    world.take_effects();
    let commands = kept_with((|world| read(world, "x:/b"), r#"{"contents":[],"ttlMs":9}"#));
    let changes: [(&str, &str, [bool; 6]); 4] = [
        ("notifications/tools/list_changed", "", [false, true, true, true, true, true]),
        ("notifications/prompts/list_changed", "", [true, false, true, true, true, true]),
        ("notifications/resources/list_changed", "", [true, true, false, false, true, true]),
        ("notifications/resources/updated", r#""uri":"x:/a""#, [true, true, true, true, false, true]),
    ];
    for (method, members, kept) in changes {
        for (command, result) in commands {
            let call = command(&mut world);
            if world.take_sent().len() == 1 {
                world.peer(line::result(call, result));
            }
            assert!(world.outcome(call).is_ok());
        }
        world.peer(of_stream(7, method, members));
        world.take_effects();
        for ((command, _), kept) in commands.iter().zip(kept) {
            let call = command(&mut world);
            assert_eq!(is_kept(&mut world, call), kept, "{method}");
        }
    }
}

#[test]
fn a_change_that_nobody_asked_for_ends_freshness_all_the_same() {
    let mut world = World::modern();
    let call = world.list_tools();
    served(&mut world, call, &tools("1000", ""));
    world.peer(notification("notifications/tools/list_changed", "{}"));
    world.take_effects();
    let call = world.list_tools();
    assert!(!is_kept(&mut world, call));
}

#[test]
fn what_was_asked_for_before_a_change_is_not_kept() {
    let mut world = World::modern();
    let call = world.list_tools();
    world.peer(notification("notifications/tools/list_changed", "{}"));
    world.take_events();
    served(&mut world, call, &tools("1000", ""));
    let call = world.list_tools();
    assert!(!is_kept(&mut world, call), "it may be what was there before");
}

#[test]
fn what_came_of_answers_is_not_kept() {
    let mut world = World::modern_with(changed(|config| config.offers.roots = true));
    let call = read(&mut world, "x:/a");
    world.take_sent();
    let asks =
        r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},"ttlMs":1000}"#;
    world.peer(line::result(call, asks));
    let events = world.take_events();
    let [selvedge_core::client::Event::Asked { ask, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(world.client.answer_ask(world.now, ask, Ok(&json(r#"{"roots":[]}"#))), Ok(()));
    world.take_sent();
    world.peer(line::result_of(8, &contents("1000")));
    assert!(world.outcome(call).is_ok());
    let call = read(&mut world, "x:/a");
    assert!(!is_kept(&mut world, call));
}

#[test]
fn what_cannot_be_read_is_not_kept() {
    let mut world = World::modern();
    for result in [r#"{"tools":{},"ttlMs":1000}"#, r#"{"tools":[],"ttlMs":1000,"resultType":"later"}"#] {
        let call = world.list_tools();
        world.take_sent();
        world.peer(line::result(call, result));
        world.failure(call);
        let call = world.list_tools();
        assert!(!is_kept(&mut world, call), "{result}");
    }
    let call = read(&mut world, "x:/a");
    world.take_sent();
    world.peer(line::result(call, r#"{"contents":7,"ttlMs":1000}"#));
    world.failure(call);
    let call = read(&mut world, "x:/a");
    assert!(!is_kept(&mut world, call));
}

#[test]
fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
    let mut world = World::modern_with(changed(|config| config.limits.max_cache_bytes = 4_000));
    let text = "x".repeat(1_000);
    let result = format!(r#"{{"contents":[{{"uri":"x:","text":"{text}"}}],"ttlMs":1000}}"#);
    for name in ["a", "b", "c", "d"] {
        let call = read(&mut world, name);
        served(&mut world, call, &result);
    }
    for (name, kept) in [("a", false), ("b", true), ("c", true), ("d", true)] {
        let call = read(&mut world, name);
        assert_eq!(is_kept(&mut world, call), kept, "{name}");
    }
    let call = read(&mut world, "long");
    served(&mut world, call, &result.replace(&text, &"x".repeat(5_000)));
    let call = read(&mut world, "long");
    assert!(!is_kept(&mut world, call), "longer than all that may be kept");
    let call = read(&mut world, "b");
    assert!(is_kept(&mut world, call), "and it drove nothing out");
}

#[test]
fn nothing_is_kept_of_a_legacy_server() {
    let mut world = World::ready();
    let call = read(&mut world, "x:/a");
    served(&mut world, call, &contents("1000"));
    let call = read(&mut world, "x:/a");
    assert!(!is_kept(&mut world, call));
}
