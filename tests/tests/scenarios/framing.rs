//! Lines: how a byte stream becomes messages, whatever a server writes between them.

use selvedge_core::{
    Violation,
    client::{AnswerFault, CallError, Event},
    json::{Expected, SyntaxError},
};
use selvedge_tests::{World, line, line::ok};

#[test]
fn a_banner_before_an_answer_is_counted_and_nothing_is_written_back() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();

    world.peer("listening on stdio...");
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::Text { bytes: 21 })]);
    assert_eq!((world.client.stray().lines(), world.client.stray().bytes()), (1, 21));
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
    world.assert_quiet();
}

#[test]
fn a_byte_order_mark_may_stand_before_the_first_message_only() {
    let welcome = line::welcome("2025-11-25", "{}");
    let mut world = World::negotiating(selvedge_core::ClientConfig::default());
    world.peer([b"\xEF\xBB\xBF", welcome.as_bytes()].concat());
    assert!(matches!(world.take_events()[..], [Event::Ready(_)]));

    world.peer(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    assert!(matches!(world.take_events()[..], [Event::PeerViolated(Violation::Text { .. })]));
}

#[test]
fn carriage_returns_and_blank_lines_are_no_lines_at_all() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer_bytes(format!("\r\n\r\n \t \n\n{}\r\n\r\n\t\r\n   \n", line::ok(call)));
    assert_eq!(world.text(call), "ok");
    world.assert_quiet();
    assert_eq!(world.client.stray().lines(), 0);
}

#[test]
fn a_carriage_return_is_no_part_of_a_line() {
    for pieces in [&["junk\r\n"][..], &["ju", "nk\r\n"], &["junk\r", "\n"]] {
        let mut world = World::ready();
        for piece in pieces {
            world.peer_bytes(piece);
        }
        assert_eq!(world.client.stray().bytes(), 4, "{pieces:?}");
        assert_eq!(world.client.stray().samples().collect::<Vec<_>>(), ["junk"], "{pieces:?}");
    }
}

#[test]
fn a_broken_line_settles_only_what_it_clearly_answers() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","result":NaN}"#,
        r#"{"jsonrpc":"2.0","id":7,"#,
        r#"{"jsonrpc":"2.0","result":{"id":7,"x":NaN}}"#,
        r#"{"id":8,"id":7,"result":NaN}"#,
        r#"[{"id":7,"result":NaN}]"#,
        r#"log: {"id":7,"result":NaN}"#,
        r#"{"ID":7,"result":NaN}"#,
    ];
    for line in lines {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(line);
        assert_eq!((world.take_events().len(), world.client.calls_in_flight()), (1, 1), "{line}");
        world.assert_quiet();
        world.peer(ok(call));
        assert_eq!(world.text(call), "ok", "{line}");
    }
}

#[test]
fn a_character_may_be_cut_anywhere() {
    let answer =
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"é€😀\"}]}}\n";
    for cut in 0..=answer.len() {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        let (head, tail) = answer.as_bytes().split_at(cut);
        world.peer_bytes(head);
        world.peer_bytes(tail);
        assert_eq!(world.text(call), "é€😀", "cut at {cut}");
        assert_eq!(world.take_events(), [], "cut at {cut}");
    }
}

#[test]
fn messages_in_one_read_or_in_bytes_are_the_same_messages() {
    let lines = [
        line::notification("notifications/message", r#"{"level":"info","data":"a"}"#),
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#.to_owned(),
        line::request("1", "ping", "{}"),
    ]
    .join("\n")
        + "\n";
    let mut at_once = World::ready();
    at_once.call("t", "{}");
    at_once.peer_bytes(&lines);
    let mut in_bytes = World::ready();
    in_bytes.call("t", "{}");
    for byte in lines.bytes() {
        in_bytes.peer_bytes([byte]);
    }
    let effects = at_once.take_effects();
    assert_eq!(effects.len(), 4);
    assert_eq!(effects, in_bytes.take_effects());
}

#[test]
fn a_line_that_is_not_utf8_settles_the_call_it_answers() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xFFb\"}]}}",
    );
    let fault = AnswerFault::NotUtf8 { valid_up_to: 69 };
    assert_eq!(world.failure(call), CallError::Malformed { fault, raw: None });
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::NotUtf8 { valid_up_to: 69 })]);
    world.assert_quiet();
    world.assert_lives();
}

#[test]
fn a_lone_surrogate_is_kept_as_spelled_and_shown_replaced() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    let result = r#"{"content":[{"type":"text","text":"a\ud83db"}]}"#;
    world.peer(line::result(call, result));
    let Ok(selvedge_core::client::Answer::Called(answer)) = world.outcome(call) else { panic!("no answer") };
    assert_eq!(answer.text(), "a\u{FFFD}b");
    assert_eq!(answer.raw().as_str(), result);
}

#[test]
fn numbers_that_json_does_not_know_settle_the_call_with_their_column() {
    for number in ["NaN", "Infinity", "-Infinity"] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        let head = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"x":"#;
        world.peer(format!("{head}{number}}}}}}}"));
        let (sign, expected) =
            if number.starts_with('-') { (1, Expected::Digit) } else { (0, Expected::Value) };
        let error = SyntaxError { at: head.len() + sign, expected };
        assert_eq!(
            world.failure(call),
            CallError::Malformed { fault: AnswerFault::NotJson(error), raw: None }
        );
        assert!(error.to_string().contains(&format!("column {}", head.len() + sign + 1)), "{error}");
        world.assert_lives();
    }
}

#[test]
fn a_truncated_answer_settles_its_call_and_spares_the_next_one() {
    let mut world = World::ready();
    let (seven, eight) = (world.call("t", "{}"), world.call("t", "{}"));
    world.peer(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]"#);
    world.peer(line::ok(eight));
    assert!(matches!(
        world.failure(seven),
        CallError::Malformed { fault: AnswerFault::NotJson(SyntaxError { at: 46, .. }), .. }
    ));
    assert_eq!(world.text(eight), "ok");
    world.assert_lives();
}

#[test]
fn the_last_line_counts_without_its_line_end() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer_bytes(line::ok(call));
    assert_eq!(world.take_events(), []);
    world.eof();
    assert_eq!(world.text(call), "ok");
    assert_eq!(world.take_events(), []);
    world.pass_millis(50);
    assert_eq!(world.take_events(), [Event::Closed(selvedge_core::client::Reason::OutputClosed)]);
}

#[test]
fn json_over_several_lines_is_no_message_and_hints_at_itself() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    let pretty = ["{", r#"  "jsonrpc": "2.0","#, r#"  "id": 7,"#, r#"  "result": {}"#, "}"];
    world.peer_bytes(pretty.join("\n") + "\n");
    assert_eq!(world.client.stray().lines(), 5);
    assert_eq!(world.take_events()[0], Event::PeerViolated(Violation::MultiLineJson));
    assert_eq!(world.take_sent(), [""; 0]);

    world.pass_millis(60_000);
    let failure = world.failure(call);
    assert!(failure.to_string().contains("multi-line JSON"), "{failure}");
    world.assert_lives();
}

#[test]
fn escape_sequences_around_a_message_make_it_no_message() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer(format!("\x1b[32m{}\x1b[0m", line::ok(call)));
    assert!(matches!(world.take_events()[..], [Event::PeerViolated(Violation::Text { .. })]));
    let samples: Vec<_> = world.client.stray().samples().collect();
    assert_eq!(samples.len(), 1);
    assert!(samples[0].starts_with(r"\x1b[32m{") && samples[0].is_ascii(), "{samples:?}");
    assert!(!samples[0].contains('\x1b'));
    assert_eq!(world.client.calls_in_flight(), 1);
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn utf16_and_nul_bytes_are_named() {
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#;
    let little: Vec<u8> = answer.encode_utf16().chain([10]).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = answer.encode_utf16().chain([10]).flat_map(u16::to_be_bytes).collect();
    let marked = [&b"\xFF\xFE"[..], &little].concat();
    for stream in [little, big, marked, b"\0\0\0\0\n".to_vec()] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer_bytes(&stream);
        world.peer("");
        let events = world.take_events();
        assert_eq!(events[0], Event::PeerViolated(Violation::Utf16), "{}", stream.escape_ascii());
        assert_eq!(world.take_sent(), [""; 0]);
        world.pass_millis(60_000);
        let failure = world.failure(call).to_string();
        assert!(failure.contains("UTF-16"), "{failure}");
        world.assert_lives();
    }
}

#[test]
fn a_sample_is_cut_inside_a_character_without_harm() {
    for before in 1_020..1_026 {
        let mut world = World::ready();
        world.peer(format!("{}€€€", "x".repeat(before)));
        let sample = world.client.stray().samples().next().unwrap();
        assert!(sample.starts_with("xxx") && sample.is_ascii(), "{sample}");
        world.assert_lives();
    }
}

#[test]
fn nesting_of_any_depth_is_read() {
    let mut world = World::ready();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    world.peer(line::notification("notifications/message", &format!(r#"{{"level":"info","data":{deep}}}"#)));
    let events = world.take_events();
    let [Event::Logged { data, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(data.as_str(), deep);
    world.peer(line::request("1", "ping", &format!(r#"{{"x":{deep}}}"#)));
    assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    world.assert_lives();
}
