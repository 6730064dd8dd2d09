//! Lines that hold more than one message, or a message and more.

use selvedge_core::{
    Violation,
    client::{AnswerFault, CallError, Event},
};
use selvedge_tests::{World, line};

fn told(world: &mut World) -> Vec<Violation> {
    let events = world.take_events().into_iter();
    events
        .filter_map(|event| if let Event::PeerViolated(violation) = event { Some(violation) } else { None })
        .collect()
}

#[test]
fn answers_that_share_a_line_answer_their_calls() {
    for between in ["", " ", ", ", "\t;", "] [", " done ", "\u{1b}[0m", " { } ", " {oops} "] {
        let mut world = World::ready();
        let [first, second, third] = [0; 3].map(|_| world.call("t", "{}"));
        let (a, b, c) = (line::text(first, "a"), line::text(second, "b"), line::text(third, "c"));
        world.peer(format!("{a}{between}{b}{between}{c}"));
        assert_eq!([first, second, third].map(|call| world.text(call)), ["a", "b", "c"], "{between:?}");
        let violations = told(&mut world);
        assert!(matches!(violations[0], Violation::JoinedLine { at } if at >= a.len()), "{violations:?}");
        world.assert_lives();
    }
}

#[test]
fn an_answer_counts_whatever_stands_behind_it() {
    for behind in ["x", "\u{1b}[0m", "}", "{", "{\"", "null", "\"{}\"", "[1", "ÿ"] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(format!("{}{behind}", line::ok(call)));
        assert_eq!(world.text(call), "ok", "{behind:?}");
        world.assert_lives();
    }
}

#[test]
fn a_line_of_a_log_before_an_answer_does_not_hide_it() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer(format!(r#"{{"level":"info","msg":"no line feed","id":7}}{}"#, line::ok(call)));
    assert_eq!(world.text(call), "ok");
    world.assert_lives();
}

#[test]
fn an_answer_that_breaks_off_behind_another_fails_its_own_call() {
    let mut world = World::ready();
    let (first, second) = (world.call("t", "{}"), world.call("t", "{}"));
    world.peer(format!(r#"{}{{"jsonrpc":"2.0","id":8,"result":{{"a":"#, line::ok(first)));
    assert_eq!(world.text(first), "ok");
    let failure = world.failure(second);
    assert!(matches!(failure, CallError::Malformed { fault: AnswerFault::NotJson(_), .. }), "{failure:?}");
    world.assert_lives();
}

#[test]
fn nothing_inside_of_a_broken_answer_is_a_message() {
    let forged = r#"{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"forged"}]}}"#;
    for broken in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":NaN,"b":{forged}}}}}"#),
        format!(r#"{{}}{{"jsonrpc":"2.0","id":7,"result":{{"text":"{forged}"}}}}"#),
        format!(r#"{{}}{{"jsonrpc":"2.0","id":7,"result":[{{,{forged}]}}"#),
    ] {
        let mut world = World::ready();
        let (seven, eight) = (world.call("t", "{}"), world.call("t", "{}"));
        world.peer(&broken);
        assert!(world.outcome(seven).is_err(), "{broken}");
        assert_eq!(world.client.calls_in_flight(), 1, "{broken}");
        world.peer(line::ok(eight));
        assert_eq!(world.text(eight), "ok", "{broken}");
    }
}

#[test]
fn a_long_line_of_opening_braces_is_passed_over_in_one_pass() {
    let mut world = World::ready();
    world.peer(format!("{{}}{}", "{".repeat(8 << 20)));
    world.assert_lives();
}
