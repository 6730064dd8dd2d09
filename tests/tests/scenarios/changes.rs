//! Storms of notifications that a list has changed.

use selvedge_core::client::Event;
use selvedge_tests::{World, line};

const METHODS: [(&str, Event); 3] = [
    ("notifications/tools/list_changed", Event::ToolsChanged),
    ("notifications/resources/list_changed", Event::ResourcesChanged),
    ("notifications/prompts/list_changed", Event::PromptsChanged),
];

#[test]
fn a_change_is_told_at_once_and_once() {
    for (method, event) in METHODS {
        let mut world = World::ready();
        world.peer(line::notification(method, "{}"));
        assert_eq!(world.take_events(), [event]);
        world.pass_millis(10_000);
        world.assert_quiet();
    }
}

#[test]
fn a_storm_is_told_a_few_times_and_the_last_time_after_its_end() {
    for (method, event) in METHODS {
        let mut world = World::ready();
        for _ in 0..1_000 {
            world.peer(line::notification(method, "{}"));
            world.pass_millis(1);
        }
        let during = world.take_events().len();
        world.pass_millis(1_000);
        let after = world.take_events();
        assert_eq!(after, [event], "the last change is told after it");
        assert!(during + after.len() <= 4, "{during} during the storm");
    }
}

#[test]
fn lists_do_not_hold_each_other_back() {
    let mut world = World::ready();
    for (method, event) in METHODS {
        world.peer(line::notification(method, "{}"));
        assert_eq!(world.take_events(), [event]);
    }
}

#[test]
fn updates_and_logs_are_told_as_they_come() {
    let mut world = World::ready();
    world.peer(line::notification("notifications/resources/updated", r#"{"uri":"a://b"}"#));
    world.peer(line::notification(
        "notifications/message",
        r#"{"level":"odd","logger":"l","data":{"n":1.10}}"#,
    ));
    let events = world.take_events();
    let [Event::ResourceUpdated { uri }, Event::Logged { level, logger, data }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((uri.as_str(), level.as_str(), logger.as_deref()), ("a://b", "odd", Some("l")));
    assert_eq!(data.as_str(), r#"{"n":1.10}"#);
    world.peer(line::notification("notifications/message", r#"{"data":1}"#));
    world.peer(line::notification("notifications/resources/updated", "{}"));
    assert!(world.take_events().iter().all(|event| matches!(event, Event::PeerViolated(_))));
    world.assert_quiet();
}
