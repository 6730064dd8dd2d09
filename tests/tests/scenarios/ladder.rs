//! The shutdown ladder: close the input, then SIGTERM, then SIGKILL, and evidence at the end.

use std::time::Duration;

use selvedge_core::client::{Effect, Event, Evidence, ExitStatus, Reason, RetirementError, State};
use selvedge_tests::{
    World,
    world::{changed, exit_code},
};

fn retired(evidence: Result<Evidence, RetirementError>) -> Effect {
    Effect::Event(Event::Retired(evidence))
}

/// Shuts a ready world down and checks the first rung.
fn closing() -> World {
    let mut world = World::ready();
    world.shut_down();
    assert_eq!(world.take_effects(), [Effect::Event(Event::Closed(Reason::ShutDown)), Effect::CloseInput]);
    world
}

#[test]
fn a_server_that_ends_with_its_input_is_not_signalled() {
    let mut world = closing();
    world.pass_millis(499);
    world.assert_quiet();
    world.eof();
    world.exit(0);
    // What the server started may be left.
    assert_eq!(world.take_effects(), [Effect::Kill, retired(Ok(Evidence::Exited(exit_code(0))))]);
    world.pass(Duration::from_hours(1));
    world.assert_quiet();
}

#[test]
fn each_rung_comes_on_time_and_once() {
    let mut world = closing();
    world.pass_millis(500);
    assert_eq!(world.take_effects(), [Effect::Terminate]);
    world.pass_millis(1_999);
    world.assert_quiet();
    world.pass_millis(1);
    assert_eq!(world.take_effects(), [Effect::Kill]);
    world.pass_millis(1_999);
    world.assert_quiet();
    world.pass_millis(1);
    let after = Duration::from_secs(2);
    assert_eq!(world.take_effects(), [retired(Err(RetirementError::RetirementTimedOut { after }))]);
    assert_eq!((world.client.state(), world.client.poll_timeout()), (State::Retired, None));
}

#[test]
fn a_request_to_end_is_no_evidence() {
    let mut world = closing();
    world.pass_millis(2_500);
    assert_eq!(world.take_effects(), [Effect::Terminate, Effect::Kill]);
    assert_eq!(world.client.state(), State::Closing);
    world.eof();
    world.client.handle_write_failed(world.now, "broken pipe");
    world.assert_quiet();
    assert_eq!(world.client.state(), State::Closing, "the end of its output is not its end either");
    let killed = ExitStatus { code: None, signal: Some(9) };
    world.client.handle_exited(world.now, killed);
    assert_eq!(world.take_effects(), [Effect::Kill, retired(Ok(Evidence::Exited(killed)))]);
}

#[test]
fn an_end_that_cannot_be_seen_is_unconfirmed() {
    let mut world = closing();
    world.client.handle_exit_lost(world.now);
    assert_eq!(
        world.take_effects(),
        [Effect::Kill, retired(Err(RetirementError::RetirementUnconfirmed))],
        "the group is killed all the same"
    );
    world.exit(0);
    world.pass(Duration::from_hours(1));
    world.assert_quiet();
}

#[test]
fn shutting_down_again_starts_nothing_again() {
    let mut world = closing();
    world.pass_millis(400);
    world.shut_down();
    world.assert_quiet();
    world.pass_millis(100);
    assert_eq!(world.take_effects(), [Effect::Terminate]);
    world.exit(0);
    world.take_effects();
    world.shut_down();
    world.assert_quiet();
}

#[test]
fn a_late_look_at_the_clock_climbs_one_rung_at_a_time() {
    let mut world = closing();
    world.now = world.now.after(Duration::from_mins(1));
    world.client.handle_timeout(world.now);
    assert_eq!(world.take_effects(), [Effect::Terminate], "SIGTERM keeps its time to work");
    world.pass_millis(2_000);
    assert_eq!(world.take_effects(), [Effect::Kill]);
}

#[test]
fn a_server_whose_output_ends_is_retired_the_same_way() {
    let mut world = World::ready();
    world.eof();
    world.assert_quiet();
    world.pass_millis(50);
    assert_eq!(
        world.take_effects(),
        [Effect::Event(Event::Closed(Reason::OutputClosed)), Effect::CloseInput]
    );
    world.pass_millis(500);
    assert_eq!(world.take_effects(), [Effect::Terminate]);
}

#[test]
fn a_start_that_is_shut_down_is_retired_too() {
    let mut world = World::opening(selvedge_core::ClientConfig::default());
    world.shut_down();
    world.client.handle_opened(world.now);
    assert_eq!(world.take_effects(), [Effect::Event(Event::Closed(Reason::ShutDown)), Effect::CloseInput]);
    world.pass_millis(2_500);
    assert_eq!(world.take_effects(), [Effect::Terminate, Effect::Kill]);
    assert_eq!(world.take_sent(), [""; 0], "no handshake with a server that is being retired");
}

#[test]
fn graces_of_nothing_do_not_spin() {
    let mut world = World::ready_with(changed(|config| {
        config.close_grace = Duration::ZERO;
        config.terminate_grace = Duration::ZERO;
        config.kill_grace = Duration::ZERO;
        config.drain_grace = Duration::ZERO;
        config.changes_interval = Duration::ZERO;
    }));
    world.eof();
    world.pass_millis(0);
    assert_eq!(world.client.state(), State::Retired);
    assert_eq!(world.client.poll_timeout(), None);
}
