//! Deadlines and progress.

use std::time::Duration;

use selvedge_core::{
    Patience, Violation,
    client::{CallError, CallOptions, Event},
};
use selvedge_tests::{World, line};

const SECOND: u64 = 1_000;

fn patient(idle: u64, total: u64) -> CallOptions<'static> {
    let patience = Patience { idle: Duration::from_secs(idle), total: Duration::from_secs(total) };
    CallOptions { patience: Some(patience), progress: true, ..CallOptions::default() }
}

fn progress(world: &mut World, done: u32) {
    let params = format!(r#"{{"progressToken":7,"progress":{done},"total":60,"message":"m"}}"#);
    world.peer(line::notification("notifications/progress", &params));
}

#[test]
fn an_unanswered_call_times_out_once_and_on_time_and_the_server_is_told() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.pass_millis(59_999);
    world.assert_quiet();
    world.pass_millis(1);
    assert_eq!(world.failure(call), CallError::TimedOut { after: Duration::from_mins(1), hint: None });
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"timed out"}}"#;
    assert_eq!(world.take_sent(), [cancelled]);
    world.pass(Duration::from_hours(1));
    world.assert_quiet();
    assert_eq!((world.client.calls_in_flight(), world.client.poll_timeout()), (0, None));
}

#[test]
fn a_late_answer_is_dropped_and_the_session_goes_on() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.pass_millis(60_000);
    world.take_effects();
    world.peer(line::ok(call));
    assert!(matches!(
        world.take_events()[..],
        [Event::PeerViolated(selvedge_core::Violation::UnknownResponse)]
    ));
    world.assert_quiet();
    world.assert_lives();
}

#[test]
fn progress_keeps_a_call_alive_until_its_answer() {
    let mut world = World::ready();
    let call = world.call_with("t", "{}", patient(30, 60));
    for tenth in 1..=5 {
        world.pass_millis(10 * SECOND);
        progress(&mut world, tenth * 10);
    }
    world.pass_millis(5 * SECOND);
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
    let events = world.take_events();
    assert_eq!(events.len(), 5);
    let Event::Progressed { progress, .. } = &events[2] else { panic!("{events:?}") };
    assert_eq!((progress.share(), progress.message.as_deref()), (Some(0.5), Some("m")));
}

#[test]
fn progress_for_ever_ends_at_the_total_time_with_one_cancel() {
    let mut world = World::ready();
    let call = world.call_with("t", "{}", patient(30, 60));
    world.take_sent();
    for tenth in 1..=7 {
        world.pass_millis(10 * SECOND);
        progress(&mut world, tenth);
    }
    assert_eq!(world.failure(call), CallError::TimedOut { after: Duration::from_mins(1), hint: None });
    assert_eq!(world.take_sent().len(), 1);
    assert_eq!(world.take_events().len(), 5, "progress after the end is not told");
    world.assert_lives();
}

#[test]
fn silence_after_progress_ends_at_the_idle_time() {
    let mut world = World::ready();
    let call = world.call_with("t", "{}", patient(30, 600));
    world.pass_millis(20 * SECOND);
    progress(&mut world, 1);
    world.pass_millis(30 * SECOND - 1);
    assert_eq!(world.client.calls_in_flight(), 1);
    world.pass_millis(1);
    assert_eq!(world.failure(call), CallError::TimedOut { after: Duration::from_secs(30), hint: None });
}

#[test]
fn the_total_time_counts_without_progress_too() {
    let mut world = World::ready();
    let call = world.call_with("t", "{}", patient(600, 60));
    world.pass_millis(60 * SECOND);
    assert_eq!(world.failure(call), CallError::TimedOut { after: Duration::from_mins(1), hint: None });
}

#[test]
fn progress_of_one_call_keeps_no_other_alive() {
    let mut world = World::ready();
    let (seven, eight) = (world.call("t", "{}"), world.call("t", "{}"));
    world.pass_millis(30 * SECOND);
    progress(&mut world, 1);
    world.pass_millis(30 * SECOND);
    assert!(matches!(world.failure(eight), CallError::TimedOut { .. }));
    assert_eq!(world.client.calls_in_flight(), 1);
    world.peer(line::ok(seven));
    assert_eq!(world.text(seven), "ok");
}

#[test]
fn an_unbounded_call_waits_for_ever() {
    let mut world = World::ready();
    let options = CallOptions { patience: Some(Patience::UNBOUNDED), ..CallOptions::default() };
    let call = world.call_with("t", "{}", options);
    world.pass(Duration::from_hours(24 * 365 * 100));
    assert_eq!(world.client.calls_in_flight(), 1);
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn a_malformed_progress_report_is_told_and_extends_nothing() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.pass_millis(30 * SECOND);
    for params in
        ["{}", r#"{"progressToken":7}"#, r#"{"progressToken":7,"progress":"1"}"#, r#"{"progress":1}"#]
    {
        world.peer(line::notification("notifications/progress", params));
        let events = world.take_events();
        assert!(matches!(events[..], [Event::PeerViolated(_)]), "{params}: {events:?}");
    }
    for token in ["99", "\"7\"", "7.5", "-7", "null"] {
        let params = format!(r#"{{"progressToken":{token},"progress":1}}"#);
        world.peer(line::notification("notifications/progress", &params));
        assert_eq!(world.take_events(), [], "{token}");
    }
    world.pass_millis(30 * SECOND);
    assert!(matches!(world.failure(call), CallError::TimedOut { .. }));
}

#[test]
fn time_that_goes_back_changes_nothing() {
    let mut world = World::ready();
    world.pass_millis(10 * SECOND);
    let call = world.call("t", "{}");
    world.take_sent();
    world.now = selvedge_core::Tick::ZERO;
    world.client.handle_timeout(world.now);
    world.peer(line::request("1", "ping", "{}"));
    assert_eq!(world.take_effects().len(), 1);
    let later = world.call("t", "{}");
    world.take_sent();
    world.now = selvedge_core::Tick::from_millis(70 * SECOND - 1);
    world.client.handle_timeout(world.now);
    world.assert_quiet();
    world.pass_millis(1);
    for call in [call, later] {
        assert!(
            matches!(world.failure(call), CallError::TimedOut { .. }),
            "both count from the latest reading"
        );
    }
}

#[test]
fn only_progress_that_rises_is_told_and_keeps_a_call_alive() {
    for reports in [
        &["5", "5", "5.0", "50e-1"][..],
        &["5", "4", "0", "-1", "4.99999999999999999999999999"],
        &["0", "-0", "0.0"],
        &["5", "1e400", "1e99999999999"],
    ] {
        let mut world = World::ready();
        let call = world.call_with("t", "{}", patient(30, 600));
        world.take_effects();
        for report in reports {
            world.pass_millis(5_000);
            let params = format!(r#"{{"progressToken":7,"progress":{report}}}"#);
            world.peer(line::notification("notifications/progress", &params));
        }
        let events = world.take_events();
        let told = |event: &&Event| matches!(event, Event::Progressed { .. });
        assert_eq!(events.iter().filter(told).count(), 1, "{reports:?}: {events:?}");
        let rest = |event: &&Event| **event == Event::PeerViolated(Violation::ProgressNotRising);
        assert_eq!(events.iter().filter(rest).count(), reports.len() - 1, "{reports:?}: {events:?}");
        world.pass_millis(35_000 - 5_000 * reports.len() as u64 - 1);
        assert_eq!(world.client.calls_in_flight(), 1, "{reports:?}");
        world.pass_millis(1);
        assert!(matches!(world.failure(call), CallError::TimedOut { .. }), "{reports:?}");
    }
}

#[test]
fn a_total_that_progress_has_passed_is_left_out() {
    for (report, total) in [("7", "5"), ("1", "-1"), ("1", "1e400"), ("1", "null"), ("1", r#""9""#)] {
        let mut world = World::ready();
        world.call_with("t", "{}", patient(60, 60));
        world.take_effects();
        let params = format!(r#"{{"progressToken":7,"progress":{report},"total":{total}}}"#);
        world.peer(line::notification("notifications/progress", &params));
        let events = world.take_events();
        let [Event::Progressed { progress, .. }] = &events[..] else { panic!("{total}: {events:?}") };
        assert_eq!(progress.total, None, "{total}");
    }
}
