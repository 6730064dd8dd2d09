//! `Content-Length` framing: detected message by message, written where it is configured.

use selvedge_core::{
    Violation,
    client::{AnswerFault, CallError, Effect, Event},
    frame::Framing,
};
use selvedge_tests::{World, line, world::changed};

#[test]
fn both_framings_are_read_in_one_session() {
    let mut world = World::ready();
    let (seven, eight, nine) = (world.call("t", "{}"), world.call("t", "{}"), world.call("t", "{}"));
    let body = line::ok(seven);
    world.peer_bytes(format!("Content-Length: {}\r\nContent-Type: x\r\n\r\n{body}", body.len()));
    assert_eq!(world.text(seven), "ok");
    world.peer(line::ok(eight));
    assert_eq!(world.text(eight), "ok");
    let body = line::ok(nine);
    world.peer_bytes(format!("content-length:{}\n\n{body}", body.len()));
    assert_eq!(world.text(nine), "ok");
    assert_eq!(world.take_events(), []);
    world.assert_lives();
}

#[test]
fn a_client_writes_headers_only_where_it_is_told_to() {
    let mut world = World::opening(changed(|config| config.framing = Framing::ContentLength));
    world.client.handle_opened(world.now);
    let effects = world.take_effects();
    let [Effect::Send(bytes)] = &effects[..] else { panic!("{effects:?}") };
    let text = String::from_utf8(bytes.clone()).unwrap();
    let (header, body) = text.split_once("\r\n\r\n").unwrap();
    assert_eq!(header, format!("Content-Length: {}", body.len()));
    assert!(body.starts_with(r#"{"jsonrpc":"2.0","id":1,"method":"initialize""#) && body.ends_with('}'));
}

#[test]
fn a_header_block_that_announces_nothing_is_reported_and_the_line_behind_it_is_read() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer("Content-Type: application/json");
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::BadHeader { bytes: 30 })]);
}

#[test]
fn a_body_that_the_end_cuts_short_settles_its_call() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer_bytes("Content-Length: 500\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[");
    world.eof();
    let failure = world.failure(call);
    assert!(matches!(failure, CallError::Malformed { fault: AnswerFault::NotJson(_), .. }), "{failure}");
}

#[test]
fn a_body_means_the_same_wherever_it_is_cut() {
    for body in ["{\"a\r", "x\r", " \r", "\r", "\n", "{}\r\n", "{\"id\":7,\"result\":\r"] {
        let stream = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut whole = World::ready();
        whole.call("t", "{}");
        whole.peer_bytes(&stream);
        let effects = whole.take_effects();
        for cut in 0..stream.len() {
            let mut world = World::ready();
            world.call("t", "{}");
            let (head, tail) = stream.as_bytes().split_at(cut);
            world.peer_bytes(head);
            world.peer_bytes(tail);
            assert_eq!(world.take_effects(), effects, "{body:?} cut at {cut}");
            assert_eq!(world.client.stray().bytes(), whole.client.stray().bytes(), "{body:?} cut at {cut}");
        }
    }
}

#[test]
fn a_body_that_is_too_long_is_dropped_and_its_call_settled() {
    let mut world = World::ready_with(changed(|config| config.limits.max_message_bytes = 256));
    let call = world.call("t", "{}");
    let body = line::text(call, &"x".repeat(300));
    world.peer_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    assert_eq!(world.failure(call), CallError::TooLarge { limit: 256 });
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::TooLarge { limit: 256 })]);
    world.assert_lives();
}

#[test]
fn an_announced_length_beyond_all_numbers_is_text() {
    let mut world = World::ready();
    world.peer("Content-Length: 99999999999999999999999999");
    assert!(matches!(world.take_events()[..], [Event::PeerViolated(Violation::Text { .. })]));
    world.peer("Content-Length: +5");
    assert!(matches!(world.take_events()[..], [Event::PeerViolated(Violation::Text { .. })]));
    world.assert_lives();
}
