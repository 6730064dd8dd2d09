//! The engine alone: from a response's bytes to its settled event, against one pass of `serde_json` over the
//! same text into a borrowed envelope.
//!
//! `cargo bench -p selvedge-tests --bench core` prints medians and their ratios; `-- --smoke` runs each once.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    fmt::Write as _,
    hint::black_box,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use selvedge_core::{
    Client, ClientConfig, Tick,
    client::{CallOptions, Effect, Event},
};
use serde::Deserialize;
use serde_json::value::RawValue;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "counts the allocations of the system's allocator")]
// SAFETY: every method hands its arguments on unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as demanded of our caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as demanded of our caller.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as demanded of our caller.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The yardstick: what a reader of envelopes needs, borrowed from the text.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: &'a str,
    id: u64,
    #[serde(borrow)]
    result: &'a RawValue,
}

const CHUNK_BYTES: usize = 64 << 10;

fn ready() -> Client {
    let mut client = Client::new(ClientConfig::default());
    client.connect(Tick::ZERO).expect("a parked client connects");
    client.handle_opened(Tick::ZERO);
    client.handle_bytes(
        Tick::ZERO,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\
          \"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n",
    );
    while client.poll_effect().is_some() {}
    client
}

/// Measures one response: the time from its first byte to its settled event, and the allocations meanwhile.
fn engine(client: &mut Client, head: &str, tail: &str, line: &mut String) -> (Duration, usize) {
    let call = client.call_tool(Tick::ZERO, "t", "{}", CallOptions::default()).expect("a ready client calls");
    while client.poll_effect().is_some() {}
    line.clear();
    let _ = writeln!(line, "{head}{}{tail}", call.as_u64());
    let allocations = ALLOCATIONS.load(Ordering::Relaxed);
    let start = Instant::now();
    for chunk in line.as_bytes().chunks(CHUNK_BYTES) {
        client.handle_bytes(Tick::ZERO, chunk);
    }
    let effect = client.poll_effect();
    let time = start.elapsed();
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - allocations;
    match black_box(effect) {
        Some(Effect::Event(Event::Settled { outcome: Ok(_), .. })) => (time, allocations),
        other => panic!("the call was not settled: {other:?}"),
    }
}

fn yardstick(line: &str) -> Duration {
    let start = Instant::now();
    let envelope: Envelope<'_> =
        serde_json::from_slice(black_box(line.as_bytes())).expect("the line is valid");
    black_box((envelope.jsonrpc, envelope.id, envelope.result.get().len()));
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn measure(name: &str, result: &str, rounds: usize) {
    let (head, tail) = (r#"{"jsonrpc":"2.0","id":"#, format!(",\"result\":{result}}}"));
    let mut client = ready();
    let mut line = String::with_capacity(result.len() + 128);
    let (mut ours, mut theirs, mut allocations) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, count) = engine(&mut client, head, &tail, &mut line);
        ours.push(time);
        allocations.push(count);
        theirs.push(yardstick(line.trim_end()));
    }
    allocations.sort_unstable();
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{name:<28} {:>9} B  engine {ours:>10.2?} ({:>6.2} GB/s, {} allocations)  serde_json {theirs:>10.2?}  ratio {:.2}",
        line.len(),
        f64::from(u32::try_from(line.len()).unwrap_or(u32::MAX)) / ours.as_secs_f64() / 1e9,
        allocations.get(allocations.len() / 2).copied().unwrap_or_default(),
        ours.as_secs_f64() / theirs.as_secs_f64(),
    );
}

fn rows(bytes: usize) -> String {
    let mut rows = String::from("{\"content\":[],\"structuredContent\":{\"rows\":[");
    let mut at = 0;
    while rows.len() < bytes {
        if at > 0 {
            rows.push(',');
        }
        let _ = write!(
            rows,
            "{{\"id\":{at},\"name\":\"row {at}\",\"price\":{at}.25,\"tags\":[\"a\",\"b\"],\"ok\":true}}"
        );
        at += 1;
    }
    rows.push_str("]}}");
    rows
}

fn text(bytes: usize) -> String {
    format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}],\"isError\":false}}", "x".repeat(bytes))
}

fn main() {
    let smoke = std::env::args().any(|argument| argument == "--smoke");
    let rounds = |full: usize| if smoke { 1 } else { full };
    measure("text, 100 B", &text(100), rounds(200_000));
    measure("text, 200 B", &text(200), rounds(200_000));
    measure("text, 1 MB", &text(1_000_000), rounds(500));
    let lines = format!(
        "{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}],\"isError\":false}}",
        "A line of prose — with a dash, and its end.\\n".repeat(22_000)
    );
    measure("prose with escapes, 1 MB", &lines, rounds(300));
    measure("structured rows, 677 KB", &rows(677_000), rounds(500));
}
