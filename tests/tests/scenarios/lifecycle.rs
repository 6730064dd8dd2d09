//! The lifecycle: which inputs mean something in which state, and every way for a session to end.

use std::time::Duration;

use selvedge_core::{
    ClientConfig, Misuse, Tick,
    client::{CallError, CallOptions, Effect, Event, Evidence, ExitStatus, OpenError, Reason, State},
};
use selvedge_tests::{World, line, world::exit_code};

#[test]
fn a_parked_client_owns_nothing_and_nothing_happens_to_it() {
    let mut world = World::default();
    world.peer("{}");
    world.client.handle_opened(world.now);
    world.client.handle_open_failed(world.now, OpenError::Other("x".to_owned()));
    world.eof();
    world.exit(1);
    world.client.handle_exit_lost(world.now);
    world.client.handle_write_failed(world.now, "x");
    world.pass(Duration::from_hours(1));
    world.assert_quiet();
    assert_eq!((world.client.state(), world.client.poll_timeout()), (State::Parked, None));

    let early = world.client.call_tool(world.now, "t", "{}", CallOptions::default());
    assert_eq!(early, Err(Misuse::NotReady { state: "parked" }));
    assert_eq!(world.client.connect(world.now), Ok(()));
    assert_eq!(world.take_effects(), [Effect::Open]);
}

#[test]
fn a_session_that_was_never_opened_retires_at_once() {
    let mut world = World::default();
    world.shut_down();
    let effects = world.take_effects();
    assert_eq!(
        effects,
        [
            Effect::Event(Event::Closed(Reason::ShutDown)),
            Effect::Event(Event::Retired(Ok(Evidence::NeverOpened)))
        ]
    );
    assert_eq!(world.client.connect(world.now), Err(Misuse::AlreadyConnected { state: "retired" }));
    world.shut_down();
    world.assert_quiet();
}

#[test]
fn a_session_connects_once() {
    let mut world = World::opening(ClientConfig::default());
    assert_eq!(world.client.connect(world.now), Err(Misuse::AlreadyConnected { state: "opening" }));
    world.client.handle_opened(world.now);
    world.take_effects();
    assert_eq!(world.client.connect(world.now), Err(Misuse::AlreadyConnected { state: "negotiating" }));
    world.client.handle_opened(world.now);
    world.assert_quiet();
}

#[test]
fn a_server_that_cannot_be_started_was_never_opened() {
    let error = OpenError::CommandNotFound("nope".to_owned());
    let mut world = World::opening(ClientConfig::default());
    world.client.handle_open_failed(world.now, error.clone());
    let effects = world.take_effects();
    assert_eq!(
        effects,
        [
            Effect::Event(Event::Closed(Reason::OpenFailed(error.clone()))),
            Effect::Event(Event::Retired(Ok(Evidence::NeverOpened))),
        ],
        "there is nothing to close, to terminate or to kill"
    );
    assert_eq!((world.client.state(), world.client.poll_timeout()), (State::Retired, None));
    let call = world.call("t", "{}");
    assert_eq!(world.failure(call), CallError::Unavailable(Reason::OpenFailed(error)));
}

#[test]
fn a_start_that_fails_after_the_shutdown_is_evidence_too() {
    let mut world = World::opening(ClientConfig::default());
    world.shut_down();
    world.take_effects();
    world.client.handle_open_failed(world.now, OpenError::Other("late".to_owned()));
    assert_eq!(world.take_effects(), [Effect::Event(Event::Retired(Ok(Evidence::NeverOpened)))]);
    assert_eq!(world.client.reason(), Some(&Reason::ShutDown));
}

#[test]
fn a_server_that_was_opened_cannot_be_said_to_have_failed_to_start() {
    let mut world = World::ready();
    world.client.handle_open_failed(world.now, OpenError::Other("late".to_owned()));
    world.assert_quiet();
    world.assert_lives();
    world.shut_down();
    world.take_effects();
    world.client.handle_open_failed(world.now, OpenError::Other("later".to_owned()));
    world.assert_quiet();
    assert_eq!(world.client.state(), State::Closing);
}

type End = fn(&mut World);

/// Every way for a ready session to end, and the reason that follows.
fn endings() -> Vec<(End, Reason)> {
    vec![
        (World::shut_down, Reason::ShutDown),
        (World::eof, Reason::OutputClosed),
        (|world| world.exit(3), Reason::Exited(exit_code(3))),
        (
            |world| world.client.handle_exited(world.now, ExitStatus { code: None, signal: Some(11) }),
            Reason::Exited(ExitStatus { code: None, signal: Some(11) }),
        ),
        (|world| world.client.handle_exit_lost(world.now), Reason::OutputClosed),
        (
            |world| world.client.handle_write_failed(world.now, "broken pipe"),
            Reason::InputClosed("broken pipe".to_owned()),
        ),
    ]
}

#[test]
fn every_end_settles_every_call_once_with_the_same_reason() {
    for (end, reason) in endings() {
        let mut world = World::ready();
        let calls = [world.call("t", "{}"), world.list_tools(), world.call("u", "{}")];
        world.take_sent();
        end(&mut world);
        world.pass_millis(100);
        for call in calls {
            assert_eq!(world.failure(call), CallError::Unavailable(reason.clone()));
        }
        assert_eq!(world.take_events()[0], Event::Closed(reason.clone()));
        assert_eq!(world.take_sent(), [""; 0], "nothing is written to a session that ends");
        let later = world.call("t", "{}");
        assert_eq!(world.failure(later), CallError::Unavailable(reason.clone()));
        assert_eq!(world.take_sent(), [""; 0]);
        world.pass(Duration::from_hours(1));
        assert_eq!(world.client.reason(), Some(&reason));
        assert_eq!((world.client.state(), world.client.poll_timeout()), (State::Retired, None));
    }
}

#[test]
fn the_first_reason_stays() {
    let mut world = World::ready();
    world.shut_down();
    world.exit(7);
    world.eof();
    world.client.handle_write_failed(world.now, "x");
    world.client.handle_exit_lost(world.now);
    world.pass(Duration::from_hours(1));
    let events = world.take_events();
    assert_eq!(events, [Event::Closed(Reason::ShutDown), Event::Retired(Ok(Evidence::Exited(exit_code(7))))]);
}

#[test]
fn an_exit_and_the_end_of_the_output_come_in_any_order_and_mean_the_exit() {
    for exit_first in [true, false] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        if exit_first {
            world.exit(3);
            world.peer(line::ok(call));
            world.eof();
        } else {
            world.peer(line::ok(call));
            world.eof();
            world.pass_millis(49);
            world.exit(3);
        }
        assert_eq!(world.text(call), "ok", "what was written before the end still counts");
        let reason = Reason::Exited(exit_code(3));
        assert_eq!(
            world.take_events(),
            [Event::Closed(reason), Event::Retired(Ok(Evidence::Exited(exit_code(3))))]
        );
        assert_eq!(world.client.poll_timeout(), None);
    }
}

#[test]
fn a_server_that_dies_before_the_handshake_ends_it_with_its_exit_code() {
    for start in [World::opening, World::negotiating] {
        let mut world = start(ClientConfig::default());
        world.client.handle_stderr(b"Error: API_KEY missing\n");
        world.exit(3);
        world.eof();
        assert_eq!(world.take_events()[0], Event::Closed(Reason::Exited(exit_code(3))));
        assert_eq!(world.client.stderr_tail(), "Error: API_KEY missing\n");
        assert!(world.now == Tick::ZERO, "at once");
        assert_eq!(world.take_sent(), [""; 0]);
    }
}

#[test]
fn a_session_that_has_ended_reads_nothing_more() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.shut_down();
    world.take_effects();
    world.peer(line::ok(call));
    world.peer("junk");
    world.peer(line::request("1", "ping", "{}"));
    world.assert_quiet();
    assert_eq!(world.client.stray().lines(), 0);
}

#[test]
fn nothing_is_told_and_nothing_is_due_after_the_end() {
    let mut world = World::ready();
    let changed = line::notification("notifications/tools/list_changed", "{}");
    world.peer(&changed);
    world.peer(&changed);
    world.take_effects();
    world.shut_down();
    world.exit(0);
    world.take_effects();
    assert_eq!(world.client.poll_timeout(), None);
    world.pass(Duration::from_hours(1));
    world.assert_quiet();
}
