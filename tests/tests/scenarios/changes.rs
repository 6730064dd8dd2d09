//! Storms of notifications that a list has changed.

use selvedge_core::{Violation, client::Event};
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

#[test]
fn a_list_that_changes_whenever_it_is_listed_is_told_less_and_less_often_and_named() {
    let mut world = World::ready();
    let (mut told, mut violations) = (Vec::new(), Vec::new());
    world.peer(line::notification(METHODS[0].0, "{}"));
    for second in 0..600 {
        for event in world.take_events() {
            match event {
                // The application lists again, and that is another change.
                Event::ToolsChanged => {
                    told.push(second);
                    world.peer(line::notification(METHODS[0].0, "{}"));
                }
                Event::PeerViolated(violation) => violations.push(violation),
                other => panic!("{other:?}"),
            }
        }
        world.pass_millis(1_000);
    }
    assert!(told.len() <= 20, "{told:?}");
    assert!(told.windows(2).all(|pair| pair[1] - pair[0] <= 62), "it is told all the same: {told:?}");
    assert!(matches!(&violations[..], [Violation::EndlessChanges { .. }]), "{violations:?}");

    // Left alone for long enough, the list is one like any other.
    world.pass_millis(300_000);
    world.take_events();
    world.peer(line::notification(METHODS[0].0, "{}"));
    assert_eq!(world.take_events(), [Event::ToolsChanged]);
    world.peer(line::notification(METHODS[0].0, "{}"));
    world.pass_millis(1_000);
    assert_eq!(world.take_events(), [Event::ToolsChanged]);
}
