//! Output that is no message: counted, sampled, bounded.

use selvedge_core::{
    Violation,
    client::{CallError, Event, Reason},
};
use selvedge_tests::{World, line, world::changed};

#[test]
fn an_oversized_answer_settles_its_call_and_its_neighbours_are_delivered() {
    let mut world = World::ready_with(changed(|config| config.limits.max_message_bytes = 1_000));
    let [seven, eight, nine] = [0; 3].map(|_| world.call("t", "{}"));
    world.take_sent();
    let long = line::text(eight, &"x".repeat(1_000));
    world.peer_bytes(format!("{}\n{long}\n{}\n", line::ok(seven), line::ok(nine)));
    assert_eq!(world.text(seven), "ok");
    assert_eq!(world.failure(eight), CallError::TooLarge { limit: 1_000 });
    assert_eq!(world.text(nine), "ok");
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::TooLarge { limit: 1_000 })]);
    world.assert_lives();
}

#[test]
fn the_limit_is_the_last_length_that_passes() {
    let answer = |length: usize| {
        let bare = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
        format!("{bare}{}", " ".repeat(length - bare.len()))
    };
    for (length, passes) in [(1_000, true), (1_001, false)] {
        let mut world = World::ready_with(changed(|config| config.limits.max_message_bytes = 1_000));
        let call = world.call("t", "{}");
        world.peer(answer(length));
        assert_eq!(world.outcome(call).is_ok(), passes, "{length}");
    }
}

#[test]
fn an_id_at_the_end_of_an_oversized_answer_is_found_too() {
    let mut world = World::ready_with(changed(|config| config.limits.max_message_bytes = 500));
    let call = world.call("t", "{}");
    world.peer_bytes(format!(r#"{{"result":{{"x":"{}"}}"#, "x".repeat(2_000)));
    assert_eq!(world.client.calls_in_flight(), 1);
    world.peer_bytes(",\"id\":7,\"jsonrpc\":\"2.0\"}\n");
    assert_eq!(world.failure(call), CallError::TooLarge { limit: 500 });
    world.assert_lives();
}

#[test]
fn an_oversized_answer_that_the_end_cuts_short_settles_its_call() {
    let mut world = World::ready_with(changed(|config| config.limits.max_message_bytes = 500));
    let call = world.call("t", "{}");
    world.peer_bytes(format!(r#"{{"result":"{}","id":7"#, "x".repeat(2_000)));
    world.eof();
    assert_eq!(world.failure(call), CallError::TooLarge { limit: 500 });
}

#[test]
fn an_oversized_request_settles_nothing_and_is_not_answered() {
    let mut world = World::ready_with(changed(|config| config.limits.max_message_bytes = 500));
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(format!(r#"{{"id":7,"method":"x","params":{{"result":"{}"}}}}"#, "x".repeat(1_000)));
    assert_eq!(world.client.calls_in_flight(), 1);
    assert_eq!(world.take_events().len(), 1);
    world.assert_quiet();
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn one_line_more_than_the_limit_ends_the_session_with_that_reason() {
    let mut world = World::ready_with(changed(|config| config.limits.max_stray_lines = 10));
    let call = world.call("t", "{}");
    for _ in 0..10 {
        world.peer("junk");
    }
    world.take_effects();
    assert_eq!(world.client.calls_in_flight(), 1);
    world.peer("junk");
    let violation = Violation::TooManyStrayLines { limit: 10 };
    let reason = Reason::Violated(violation.clone());
    assert_eq!(world.failure(call), CallError::Unavailable(reason.clone()));
    let events = world.take_events();
    assert_eq!(events[1..], [Event::PeerViolated(violation), Event::Closed(reason)]);
}

#[test]
fn more_bytes_than_the_limit_end_the_session_even_inside_one_line() {
    let mut world = World::ready_with(changed(|config| {
        config.limits.max_message_bytes = 1_000;
        config.limits.max_stray_bytes = 5_000;
    }));
    world.peer_bytes("x".repeat(4_000));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::TooLarge { limit: 1_000 })]);
    world.peer_bytes("x".repeat(2_000));
    let violation = Violation::TooManyStrayBytes { limit: 5_000 };
    assert_eq!(
        world.take_events(),
        [Event::PeerViolated(violation.clone()), Event::Closed(Reason::Violated(violation))]
    );
}

#[test]
fn samples_keep_the_newest_lines_within_their_bytes() {
    let mut world = World::ready();
    for at in 0..10_000 {
        world.peer(format!("line {at} {}", "x".repeat(100)));
    }
    let samples: Vec<_> = world.client.stray().samples().collect();
    assert!(samples.last().unwrap().starts_with("line 9999 "));
    let kept: usize = samples.iter().map(|sample| sample.len()).sum();
    assert!(kept <= 64 << 10 && kept > 60 << 10, "{kept}");
    assert_eq!(world.client.stray().lines(), 10_000);
}

#[test]
fn the_newest_of_the_diagnostic_stream_is_kept() {
    let mut world = World::ready_with(changed(|config| config.limits.max_stderr_kept_bytes = 10));
    world.client.handle_stderr(b"0123456789abc");
    assert_eq!(world.client.stderr_tail(), "3456789abc");
    world.client.handle_stderr(b"de");
    assert_eq!(world.client.stderr_tail(), "56789abcde");
    world.client.handle_stderr("é".as_bytes());
    assert_eq!(world.client.stderr_tail(), "789abcdeé");
    assert!(world.take_effects().is_empty());
}
