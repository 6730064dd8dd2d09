//! The clients: bytes that were written before, and as little reading as shows where an answer ends.

use std::{
    io::{BufRead, BufReader, Read as _, Write as _},
    net::TcpStream as Blocking,
    process::Child,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    runtime::Builder,
};

use crate::{Measured, Size};

const IN_FLIGHT: usize = 64;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
const TEXT: &str = "a text of a hundred bytes, which is what small tools answer with: a number, a name, a line of a file or so";

fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len(),
    )
}

fn modern(method: &str, headers: &str, params: &str) -> String {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{META}}}}}"#);
    let headers = format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{headers}");
    post(&headers, &body)
}

fn call() -> String {
    let params = format!(r#""name":"echo","arguments":{{"text":"{TEXT}"}},"#);
    modern("tools/call", "mcp-name: echo\r\n", &params)
}

fn authority(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches("/mcp")
}

/// Has 64 connections make one call after the other.
pub(crate) fn http(url: &str, size: Size) -> Measured {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let each = size.calls / IN_FLIGHT;
        // The first calls find everything cold.
        calls(url, each.min(50)).await;
        let start = Instant::now();
        let times = calls(url, each).await;
        measured(times, start.elapsed())
    })
}

async fn calls(url: &str, each: usize) -> Vec<Duration> {
    let connections: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let address = authority(url).to_owned();
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(address).await.expect("a connection");
                stream.set_nodelay(true).expect("an option");
                let (request, mut buffer) = (call(), Vec::with_capacity(8 << 10));
                let mut times = Vec::with_capacity(each);
                for _ in 0..each {
                    let start = Instant::now();
                    stream.write_all(request.as_bytes()).await.expect("a request");
                    buffer.clear();
                    while !is_whole(&buffer) {
                        let read = stream.read_buf(&mut buffer).await.expect("an answer");
                        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&buffer));
                    }
                    times.push(start.elapsed());
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for connection in connections {
        times.extend(connection.await.expect("a client"));
    }
    times
}

/// Returns whether a response is complete; one that is no success ends the benchmark.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let (head, body) = (String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase(), &bytes[end + 4..]);
    assert!(head.starts_with("http/1.1 200"), "{}", String::from_utf8_lossy(bytes));
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let is_whole = match length {
        Some(length) => body.len() >= length.parse().expect("a number"),
        None => body.ends_with(b"0\r\n\r\n"),
    };
    assert!(
        !is_whole || body.windows(9).any(|nine| nine == b"\"content\""),
        "{}",
        String::from_utf8_lossy(body)
    );
    is_whole
}

fn measured(mut times: Vec<Duration>, all: Duration) -> Measured {
    times.sort();
    let count = u32::try_from(times.len()).expect("a number of calls");
    Measured {
        per_second: f64::from(count) / all.as_secs_f64(),
        p50: times[times.len() / 2],
        p99: times[times.len() * 99 / 100],
        own: Duration::ZERO,
        kernel: Duration::ZERO,
    }
}

/// Keeps 64 calls in flight on a pipe.
pub(crate) fn stdio(child: &mut Child, size: Size) -> Measured {
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::with_capacity(1 << 16, child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    let hello = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}"#;
    writeln!(input, "{hello}").expect("a request");
    output.read_line(&mut line).expect("an answer");
    assert!(line.contains("serverInfo"), "{line}");
    writeln!(input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).expect("a message");
    let start = Instant::now();
    let mut sent_at = Vec::with_capacity(size.calls);
    let mut times = Vec::with_capacity(size.calls);
    while times.len() < size.calls {
        let mut batch = String::new();
        while sent_at.len() < size.calls && sent_at.len() - times.len() < IN_FLIGHT {
            let id = sent_at.len();
            let params = format!("{{\"name\":\"echo\",\"arguments\":{{\"text\":\"{TEXT}\"}}}}");
            batch.push_str(r#"{"jsonrpc":"2.0","method":"tools/call","id":"#);
            batch.push_str(&id.to_string());
            batch.push_str(",\"params\":");
            batch.push_str(&params);
            batch.push_str("}\n");
            sent_at.push(Instant::now());
        }
        input.write_all(batch.as_bytes()).expect("requests");
        loop {
            line.clear();
            output.read_line(&mut line).expect("an answer");
            let id = line.split("\"id\":").nth(1).and_then(|rest| rest.split([',', '}']).next());
            let id: usize = id.and_then(|id| id.parse().ok()).expect("an answer with its id");
            assert!(line.contains("\"content\""), "{line}");
            times.push(sent_at[id].elapsed());
            if times.len() == size.calls || !output.buffer().contains(&b'\n') {
                break;
            }
        }
    }
    measured(times, start.elapsed())
}

/// Opens sessions that nobody uses; returns how many.
pub(crate) fn sessions(url: &str, count: usize) -> usize {
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}"#;
    let request = post("connection: close\r\n", hello);
    for _ in 0..count {
        let mut stream = Blocking::connect(authority(url)).expect("a connection");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.contains("mcp-session-id"), "{answer}");
    }
    count
}

/// Opens streams on which nothing is said.
pub(crate) fn streams(url: &str, count: usize) -> Vec<BufReader<Blocking>> {
    let listen = modern("subscriptions/listen", "", r#""notifications":{"toolsListChanged":true},"#);
    let open = || {
        let mut stream = Blocking::connect(authority(url)).expect("a connection");
        stream.write_all(listen.as_bytes()).expect("a request");
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while !line.contains("acknowledged") {
            line.clear();
            assert_ne!(stream.read_line(&mut line).expect("an answer"), 0);
        }
        stream
    };
    (0..count).map(|_| open()).collect()
}
