//! What a client may write to a server, and what the server answers to what is no request.

use selvedge_core::{Tick, Violation, jsonrpc::Fault, server::ServerEvent};
use selvedge_tests::line;

use super::server_gate::Desk;

#[test]
fn what_cannot_be_read_is_answered_without_an_id() {
    let lines: [(&[u8], i64); 10] = [
        (b"hello", -32700),
        (b"{", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}", -32700),
        (b"\"\xFF\"", -32700),
        (b"[]", -32600),
        (b"null", -32600),
        (b"{}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32600),
    ];
    for (bytes, code) in lines {
        let mut desk = Desk::ready("2025-11-25");
        desk.client(bytes);
        let reply = desk.reply();
        let expected = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"#);
        assert!(reply.starts_with(&expected), "{}: {reply}", bytes.escape_ascii());
        assert!(matches!(desk.take_events()[..], [ServerEvent::PeerViolated { .. }]));
        desk.client(line::request("3", "ping", "{}"));
        assert_eq!(desk.reply(), r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    }
}

#[test]
fn a_bad_request_is_answered_under_its_id() {
    let long = format!("\"{}\"", "i".repeat(2_000));
    let requests = [
        (line::request("3", "ping", "[1]"), "3", -32602),
        (line::request("3", "ping", "7"), "3", -32602),
        (line::request("1.50", &"m".repeat(1 << 20), "{}"), "1.50", -32600),
        (line::request(&long, "ping", "{}"), &long, -32600),
        (line::request("-1", "foo/bar", "{}"), "-1", -32601),
        (r#"{"jsonrpc":"2.0","id":"a\"b","method":7}"#.to_owned(), r#""a\"b""#, -32600),
    ];
    for (request, id, code) in requests {
        let mut desk = Desk::ready("2025-11-25");
        desk.client(request);
        let reply = desk.reply();
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"#);
        assert!(reply.starts_with(&expected), "{expected}: {reply}");
    }
}

#[test]
fn notifications_and_responses_are_never_answered() {
    let mut desk = Desk::ready("2025-11-25");
    desk.client(line::notification("foo/bar", "{}"));
    desk.client(line::notification("notifications/cancelled", r#"{"requestId":99}"#));
    desk.client(line::notification("notifications/cancelled", "{}"));
    desk.client(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    desk.client(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#);
    desk.client(r#"{"jsonrpc":"2.0","id":1}"#);
    desk.client("\r\n \t");
    assert_eq!(desk.take_sent(), [""; 0]);
}

#[test]
fn ids_come_back_as_they_were_spelled() {
    for id in ["9007199254740993", r#""a\"b""#, "-1", "0", "1.50", "-0", r#""\u0041""#] {
        let mut desk = Desk::ready("2025-11-25");
        desk.client(line::request(id, "ping", "{}"));
        assert_eq!(desk.reply(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

#[test]
fn a_batch_is_served_where_the_revision_knows_it_and_refused_elsewhere() {
    let batch = format!("[{},{},1]", line::request("3", "ping", "{}"), line::notification("foo/bar", "{}"));
    let mut desk = Desk::ready("2025-03-26");
    desk.client(&batch);
    let reply = desk.reply();
    assert!(reply.starts_with(r#"[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":null,"error""#));
    assert!(reply.ends_with("}]"), "{reply}");
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut desk = Desk::ready(revision);
        desk.client(&batch);
        assert!(desk.reply().contains(r#""id":null,"error":{"code":-32600,"#));
        assert!(matches!(
            desk.take_events()[..],
            [ServerEvent::PeerViolated { violation: Violation::Batch { messages: 3 }, .. }]
        ));
    }
    let mut desk = Desk::new(|_| {});
    desk.client(format!("[{}]", line::request("3", "initialize", r#"{"protocolVersion":"2025-03-26"}"#)));
    assert!(
        desk.reply().contains(r#""id":null,"error":{"code":-32600,"#),
        "a handshake never comes in a batch"
    );
}

#[test]
fn the_answers_of_a_batch_come_as_one_once_all_are_there() {
    let mut desk = Desk::ready("2025-03-26");
    let call = |id: &str| line::request(id, "tools/call", r#"{"name":"t"}"#);
    desk.client(format!("[{},{},{}]", call("3"), call("4"), call("5")));
    let calls = desk.take_events().into_iter().map(|event| match event {
        ServerEvent::Requested { call, .. } => call,
        event => panic!("{event:?}"),
    });
    let calls: Vec<_> = calls.collect();
    desk.answer(calls[2], r#"{"x":5}"#).unwrap();
    desk.client(line::notification("notifications/cancelled", r#"{"requestId":4}"#));
    assert_eq!(desk.take_sent(), [""; 0]);
    desk.answer(calls[0], "{}").unwrap();
    let expected = r#"[{"jsonrpc":"2.0","id":5,"result":{"x":5}},{"jsonrpc":"2.0","id":3,"result":{}}]"#;
    assert_eq!(desk.reply(), expected);
    desk.client(format!("[{}]", line::notification("foo/bar", "{}")));
    assert_eq!(desk.take_sent(), [""; 0], "nothing in it is answered");
}

#[test]
fn an_oversized_request_is_refused_once_and_the_next_one_is_served() {
    let mut desk = Desk::new(|config| config.limits.max_message_bytes = 300);
    desk.client(line::request("1", "ping", &format!(r#"{{"x":"{}"}}"#, "x".repeat(5_000))));
    assert!(
        desk.reply().contains(r#""id":null,"error":{"code":-32600,"message":"message exceeds 300 bytes""#)
    );
    desk.client(line::request("2", "ping", "{}"));
    assert!(desk.reply().contains(r#""id":2,"result""#));
}

#[test]
fn a_stream_means_the_same_wherever_it_is_cut() {
    let stream = [
        "\u{feff}".to_owned() + &line::request("1", "initialize", r#"{"protocolVersion":"2025-03-26"}"#),
        "junk é".to_owned(),
        line::request("\"é\"", "ping", "{}") + "\r",
        format!("[{},[]]", line::request("3", "tools/list", "{}")),
        line::request("4", "tools/call", r#"{"name":"t"}"#),
    ]
    .join("\n");
    let read = |pieces: &[&[u8]]| {
        let mut desk = Desk::new(|_| {});
        for piece in pieces {
            desk.server.handle_bytes(Tick::ZERO, piece);
        }
        desk.server.handle_eof(Tick::ZERO);
        (desk.take_sent(), desk.take_events())
    };
    let whole = read(&[stream.as_bytes()]);
    assert_eq!(whole.0.len(), 4);
    let fault = Violation::NotJsonRpc(Fault::NotAnObject);
    let is_told = |event: &ServerEvent| matches!(event, ServerEvent::PeerViolated { violation, .. } if *violation == fault);
    assert!(whole.1.iter().any(is_told));
    for cut in 0..stream.len() {
        let (head, tail) = stream.as_bytes().split_at(cut);
        assert_eq!(read(&[head, tail]), whole, "cut at {cut}");
    }
}
