//! The farewell of language servers, for servers that end on nothing else.

use selvedge_core::client::{Effect, Event};
use selvedge_tests::{
    World,
    world::{changed, exit_code},
};

#[test]
fn no_farewell_is_said_by_default() {
    let mut world = World::ready();
    world.shut_down();
    assert_eq!(world.take_sent(), [""; 0]);
}

#[test]
fn a_farewell_is_said_before_the_input_is_closed() {
    let mut world = World::ready_with(changed(|config| config.farewell = true));
    let call = world.call("t", "{}");
    world.take_sent();
    world.shut_down();
    assert!(world.outcome(call).is_err());
    let effects = world.take_effects();
    let sent = r#"{"jsonrpc":"2.0","id":8,"method":"shutdown","params":{}}"#.to_owned() + "\n";
    let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#.to_owned() + "\n";
    assert_eq!(effects[0], Effect::Send(sent.into_bytes()));
    assert_eq!(effects[1], Effect::Send(exit.into_bytes()));
    assert!(matches!(effects[2..], [Effect::Event(Event::Closed(_)), Effect::CloseInput]), "{effects:?}");
    world.peer(r#"{"jsonrpc":"2.0","id":8,"result":null}"#);
    world.assert_quiet();
    world.client.handle_exited(world.now, exit_code(0));
    assert!(matches!(world.take_events()[..], [Event::Retired(Ok(_))]));
}

#[test]
fn no_farewell_is_said_to_a_server_that_has_gone_or_was_never_met() {
    let config = || changed(|config| config.farewell = true);
    let mut world = World::ready_with(config());
    world.eof();
    world.exit(1);
    assert_eq!(world.take_sent(), [""; 0]);
    let mut world = World::ready_with(config());
    world.client.handle_write_failed(world.now, "broken pipe");
    world.shut_down();
    assert_eq!(world.take_sent(), [""; 0]);
    let mut world = World::negotiating(config());
    world.shut_down();
    assert_eq!(world.take_sent(), [""; 0]);
    let mut world = World::modern_with(config());
    world.shut_down();
    assert_eq!(world.take_sent(), [""; 0], "the modern era has no words for it");
}
