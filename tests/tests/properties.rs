//! What holds for every stream, every host and every order of events.

use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use selvedge_core::client::Effect;
use selvedge_tests::fuzz::{self, Drain, Host, replay, replay_modern, replay_whole};

/// The same cases in every run: a failure is found again by running again.
fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Config::default() }
}

/// Everything that a server may write, good and bad, in one stream.
fn mixed_stream() -> Vec<u8> {
    let long = "x".repeat(600);
    let body = format!(r#"{{"id":7,"result":"{long}"#);
    let parts: Vec<Vec<u8>> = vec![
        "listening on stdio… é😀\r\n\r\n \t\n".into(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"é€😀\ud83d"}]}}"#.into(),
        b"\r\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":\"a\xFFb\"}\n".to_vec(),
        format!(r#"{{"jsonrpc":"2.0","id":9,"result":{{"content":[],"x":"{long}"}}}}"#).into_bytes(),
        b"\n{\n  \"jsonrpc\": \"2.0\",\n}\n".to_vec(),
        br#"[{"jsonrpc":"2.0","id":99,"result":{}},1,{"jsonrpc":"2.0","id":"p","method":"ping"}]"#.to_vec(),
        b"\n".to_vec(),
        b"Content-Length: 41\r\nContent-Type: x\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":-0,\"method\":\"ping\"}"
            .to_vec(),
        b"Content-Length: 4\n\n{\"a\rcontent-type: y\nnot a header\n".to_vec(),
        format!("Content-Length: {}\n\n{body}", body.len()).into_bytes(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"roots/list\"}\n\xFF\xFEh\0i\0\n\0\n".to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":[1.10]}}"#
            .to_vec(),
        b"\n{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n".to_vec(),
        br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_vec(),
        b"\n\x1b[0mbye\n{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"foo/bar\"}".to_vec(),
    ];
    parts.concat()
}

#[test]
fn a_stream_means_the_same_at_every_cut() {
    let stream = mixed_stream();
    let whole = replay_whole(&stream);
    let sent = whole.effects.iter().filter(|effect| matches!(effect, Effect::Send(_))).count();
    assert!(whole.effects.len() > 25 && sent == 3, "{:#?}", whole.effects);
    for cut in 0..=stream.len() {
        let (head, tail) = stream.split_at(cut);
        assert!(replay([head, tail]) == whole, "cut at {cut}");
    }
    for size in 1..64 {
        assert!(replay(stream.chunks(size)) == whole, "in chunks of {size}");
    }
}

/// Everything that a modern server may write, good and bad, in one stream.
fn modern_stream() -> Vec<u8> {
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":10}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":10},"notifications":{"toolsListChanged":true,"promptsListChanged":true}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"a\u0041":{"method":"roots/list"}},"requestState":"é\ud83d"}}"#,
        r#"{"jsonrpc":"2.0","id":8,"result":{"resultType":"input_required","requestState":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{"resultType":"later","content":[]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10}}"#,
        r#"{"jsonrpc":"2.0","id":10,"result":{"resultType":"complete"}}"#,
    ];
    lines.join("\r\n").into_bytes()
}

#[test]
fn a_modern_stream_means_the_same_at_every_cut() {
    let stream = modern_stream();
    let whole = replay_modern([&stream[..]]);
    let sent: Vec<_> = whole.iter().filter(|effect| matches!(effect, Effect::Send(_))).collect();
    assert!(whole.len() > 14 && sent.len() == 1, "the paced call is made again: {whole:#?}");
    for cut in 0..=stream.len() {
        let (head, tail) = stream.split_at(cut);
        assert!(replay_modern([head, tail]) == whole, "cut at {cut}");
    }
    for size in 1..64 {
        assert!(replay_modern(stream.chunks(size)) == whole, "in chunks of {size}");
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_stream_means_the_same_under_any_cuts(sizes in prop::collection::vec(1_usize..400, 1..40)) {
        let stream = mixed_stream();
        let mut rest = &stream[..];
        let mut pieces = Vec::new();
        for size in sizes {
            let (piece, tail) = rest.split_at(size.min(rest.len()));
            pieces.push(piece);
            rest = tail;
        }
        pieces.push(rest);
        prop_assert_eq!(replay(pieces), replay_whole(&stream));
    }

    #[test]
    fn any_bytes_mean_the_same_under_any_cut(stream in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz::frame(&stream);
    }

    #[test]
    fn any_pieces_of_messages_mean_the_same_under_any_cut(stream in pieces(40)) {
        fuzz::frame(stream.as_bytes());
    }

    #[test]
    fn any_line_is_answered_as_the_model_says(line in pieces(14)) {
        fuzz::jsonrpc(line.as_bytes());
    }

    #[test]
    fn any_text_is_json_where_the_field_says_so(text in pieces(12)) {
        fuzz::json(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn every_call_ends_exactly_once_and_early_ticks_the_clock_and_draining_do_not_matter(
        script in prop::collection::vec(any::<u8>(), 1..300)
    ) {
        fuzz::client(&script);
    }
}

/// Texts that are almost messages.
fn pieces(max: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u00e9",
        "\\ud83d",
        "\n",
        "\r\n",
        " ",
        "0",
        "-1",
        "7",
        "8.0",
        "1e5",
        "true",
        "null",
        "nul",
        "é",
        "\"jsonrpc\":\"2.0\"",
        "\"id\":7",
        "\"id\":\"x\"",
        "\"result\":{}",
        "\"error\":{}",
        "\"method\":\"ping\"",
        "\"method\":\"foo\"",
        "\"params\":{}",
        "\"params\":[1]",
        ",\"a\":",
        "{\"b\":[1,2]}",
        "{\"jsonrpc\":\"2.0\",",
        "{\"id\":7,\"result\":",
        "Content-Length: 5\r\n",
        "Content-Type: x\n",
        "\t",
        "\"x\"",
        "\"id\":8,",
        "\"method\":\"roots/list\",",
        "\"method\":\"tools/call\",",
        "\u{feff}",
        "\0",
    ]);
    prop::collection::vec(piece, 0..max).prop_map(|pieces| pieces.concat())
}

#[test]
fn effects_wait_for_a_host_that_never_drains() {
    let script: Vec<u8> = (0..=255).flat_map(|byte: u8| [byte.wrapping_mul(97), byte, byte ^ 0x5A]).collect();
    let at_once = fuzz::run(&script, Host::default());
    let late = fuzz::run(&script, Host { ticks_early: true, looks_back: true, drain: Drain::Late });
    assert_eq!(at_once, late);
}
