//! A real client and a real server over a wire that delays, cuts and breaks.

use std::time::Duration;

use selvedge_core::{
    client::{Answer, CallError, Event, Evidence, ExitStatus, Reason, State},
    frame::Framing,
    json::RawJson,
    server::{Answer as ServerAnswer, ServerEvent},
};
use selvedge_tests::{
    Pair,
    pair::{Fault, Wire},
    world::{changed, exit_code},
};

const SECOND: Duration = Duration::from_secs(1);

fn echoed(pair: &mut Pair, arguments: &str) {
    let call = pair.call("echo", arguments);
    pair.pass(SECOND);
    let outcome = pair.outcome(call);
    let Ok(Answer::Called(answer)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(answer.structured_content().unwrap().as_str(), arguments);
}

#[test]
fn both_sides_agree_through_any_wire() {
    for max_chunk in [1, 2, 3, 7, 64, usize::MAX] {
        for framing in [Framing::Newline, Framing::ContentLength] {
            let wire = Wire { max_chunk, ..Wire::default() };
            let mut pair = Pair::of(wire, changed(|config| config.framing = framing));
            pair.pass(SECOND);
            assert_eq!(pair.client.state(), State::Ready, "{max_chunk} {framing:?}");
            assert!(matches!(pair.server_events[..], [ServerEvent::Initialized { .. }]));
            echoed(&mut pair, r#"{"n":12345678901234567890,"f":1.10,"e":1E400,"s":"é\ud83d\u2028"}"#);
            pair.client.shutdown(pair.now);
            pair.pass(SECOND);
            let retired = Event::Retired(Ok(Evidence::Exited(exit_code(0))));
            assert_eq!(pair.events.last(), Some(&retired));
            assert!(
                !pair.events.iter().any(|event| matches!(event, Event::PeerViolated(_))),
                "{:?}",
                pair.events
            );
        }
    }
}

#[test]
fn a_hundred_large_calls_at_once_arrive_whole() {
    let mut pair = Pair::new(Wire { max_chunk: 8_192, ..Wire::default() });
    pair.pass(SECOND);
    let arguments: Vec<_> =
        (0..100).map(|at| format!(r#"{{"at":{at},"x":"{}"}}"#, "é".repeat(50_000))).collect();
    let calls: Vec<_> = arguments.iter().map(|arguments| pair.call("echo", arguments)).collect();
    pair.pass(SECOND);
    for (call, arguments) in calls.into_iter().zip(arguments) {
        let Ok(Answer::Called(answer)) = pair.outcome(call) else { panic!("no answer") };
        assert!(answer.structured_content().unwrap().as_str() == arguments);
    }
}

#[test]
fn results_come_back_on_one_line_whatever_they_hold() {
    let mut pair = Pair::new(Wire::default());
    pair.pass(SECOND);
    let call = pair.call("wait", "{}");
    pair.pass(SECOND);
    let (served, ..) = pair.called.remove(0);
    let result = "{\r\n  \"content\": [\n    {\"type\": \"text\", \"text\": \"a\\nb\u{2028}c\"}\n  ]\n}\n";
    pair.answer(&served, &RawJson::new(result).unwrap());
    pair.pass(SECOND);
    let Ok(Answer::Called(answer)) = pair.outcome(call) else { panic!("no answer") };
    assert_eq!(answer.text(), "a\nb\u{2028}c");
    assert!(!pair.events.iter().any(|event| matches!(event, Event::PeerViolated(_))), "{:?}", pair.events);
}

#[test]
fn a_wire_that_breaks_anywhere_leaves_no_call_waiting() {
    for fault in [Fault::Silence, Fault::Eof, Fault::Exit] {
        for after in (0..700).step_by(7) {
            let mut pair = Pair::new(Wire { fault: Some((after, fault)), ..Wire::default() });
            pair.pass(SECOND);
            let ready = pair.client.state() == State::Ready;
            let calls: Vec<_> =
                if ready { vec![pair.call("echo", "{}"), pair.call("wait", "{}")] } else { vec![] };
            pair.pass(Duration::from_mins(3));
            for call in calls {
                let outcome = pair.outcome(call);
                let is_right = match fault {
                    Fault::Silence => matches!(outcome, Ok(_) | Err(CallError::TimedOut { .. })),
                    Fault::Eof | Fault::Exit => {
                        matches!(
                            outcome,
                            Ok(_)
                                | Err(CallError::Unavailable(_)
                                    | CallError::Malformed { .. }
                                    | CallError::TimedOut { .. })
                        )
                    }
                };
                assert!(is_right, "{fault:?} after {after}: {outcome:?}");
            }
            pair.client.shutdown(pair.now);
            pair.pass(Duration::from_mins(1));
            assert_eq!(pair.client.state(), State::Retired, "{fault:?} after {after}");
            let retirements = pair.events.iter().filter(|event| matches!(event, Event::Retired(_))).count();
            assert_eq!(retirements, 1);
        }
    }
}

#[test]
fn a_server_that_dies_settles_all_calls_with_its_exit_code() {
    let mut whole = Pair::new(Wire::default());
    whole.pass(SECOND);
    let written = line_lengths(&mut whole);
    let mut pair = Pair::new(Wire { fault: Some((written, Fault::Exit)), ..Wire::default() });
    pair.pass(SECOND);
    let calls = [pair.call("wait", "{}"), pair.call("wait", "{}"), pair.call("echo", "{}")];
    pair.pass(Duration::from_millis(100));
    for call in calls {
        assert_eq!(pair.outcome(call), Err(CallError::Unavailable(Reason::Exited(exit_code(3)))));
    }
    assert_eq!(pair.client.state(), State::Retired);
}

/// Returns how many bytes the server of a pair has written by the end of the handshake.
fn line_lengths(pair: &mut Pair) -> usize {
    let handshake = pair.client.handshake().unwrap().raw.as_str().len();
    r#"{"jsonrpc":"2.0","id":1,"result":}"#.len() + handshake + 1
}

#[test]
fn a_stubborn_server_is_killed_and_its_end_is_seen() {
    let mut pair = Pair::new(Wire { is_stubborn: true, ..Wire::default() });
    pair.pass(SECOND);
    let started = pair.now;
    pair.client.shutdown(pair.now);
    pair.pass(Duration::from_millis(2_400));
    assert_eq!(pair.client.state(), State::Closing);
    pair.pass(Duration::from_secs(2));
    assert!(pair.now.since(started) < Duration::from_secs(5));
    let killed = ExitStatus { code: None, signal: Some(9) };
    assert_eq!(pair.events.last(), Some(&Event::Retired(Ok(Evidence::Exited(killed)))));
}

#[test]
fn a_cancel_reaches_the_server_and_its_answer_has_nowhere_to_go() {
    let mut pair = Pair::new(Wire::default());
    pair.pass(SECOND);
    let call = pair.call("wait", "{}");
    pair.pass(SECOND);
    pair.client.cancel(pair.now, call);
    assert_eq!(pair.called.len(), 1);
    pair.pass(SECOND);
    assert_eq!(pair.outcome(call), Err(CallError::Cancelled));
    let (served, ..) = pair.called.remove(0);
    assert_eq!(pair.server_events.last(), Some(&ServerEvent::Cancelled { call: served }));
    let answer = ServerAnswer::Result(RawJson::new("{}").unwrap());
    assert!(pair.server.answer(pair.now, served, answer).is_err());
    echoed(&mut pair, "{}");
}
