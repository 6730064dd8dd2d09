//! A whole client over real pipes: ours, `rmcp`, and the floor that pipes and processes set.
//!
//! All talk to the same echo server in the same run, in turns. `cargo bench -p selvedge-tests --bench stdio`
//! prints medians and ratios; `-- --smoke` runs each once.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use rmcp::{ServiceExt, model::CallToolRequestParams, transport::TokioChildProcess};
use selvedge::{Connection, Server};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

const ECHO: &str = env!("CARGO_BIN_EXE_echo");
const IN_FLIGHT: usize = 64;
const SMALL: usize = 100;
const LARGE: usize = 8_000_000;

/// How much is measured.
#[derive(Clone, Copy)]
struct Size {
    rounds: usize,
    sequential: usize,
    parallel: usize,
    large: usize,
}

/// The medians of one client.
#[derive(Default)]
struct Times {
    sequential: Vec<Duration>,
    parallel: Vec<Duration>,
    large: Vec<Duration>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut smoke, mut role) = (false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--smoke" => smoke = true,
            "--memory-of" => role = arguments.next(),
            _ => {}
        }
    }
    if let Some(role) = role {
        return memory(&role);
    }
    let size = if smoke {
        Size { rounds: 1, sequential: 50, parallel: 640, large: 1 }
    } else {
        Size { rounds: 7, sequential: 20_000, parallel: 128_000, large: 15 }
    };
    let runtimes = [("current thread", current_thread()), ("two workers", two_workers())];
    let mut floor = Times::default();
    let mut ours = [Times::default(), Times::default()];
    let mut theirs = [Times::default(), Times::default()];
    for _ in 0..size.rounds {
        measure_floor(size, &mut floor);
        for ((_, runtime), (ours, theirs)) in runtimes.iter().zip(ours.iter_mut().zip(&mut theirs)) {
            ours.add(on(runtime, measure_ours(size)));
            theirs.add(on(runtime, measure_theirs(size)));
        }
    }
    let floor = floor.medians();
    report("raw pipes, blocking", floor, floor);
    let mut best = floor.map(|_| Duration::MAX);
    for ((name, _), theirs) in runtimes.iter().zip(theirs) {
        let theirs = theirs.medians();
        report(&format!("rmcp, {name}"), theirs, floor);
        for (best, theirs) in best.iter_mut().zip(theirs) {
            *best = theirs.min(*best);
        }
    }
    for ((name, _), ours) in runtimes.iter().zip(ours) {
        let ours = ours.medians();
        report(&format!("selvedge, {name}"), ours, floor);
        println!(
            "{:<28} sequential {:>5.1} x as fast   in flight {:>5.1} x   8 MB {:>5.1} x",
            "  against rmcp's best",
            ratio(best[0], ours[0]),
            ratio(best[1], ours[1]),
            ratio(best[2], ours[2]),
        );
    }
    for role in ["selvedge", "rmcp"] {
        let executable = std::env::current_exe().expect("the benchmark knows its own path");
        let run = Command::new(executable).args(["--memory-of", role]).output().expect("it runs itself");
        print!("{}", String::from_utf8_lossy(&run.stdout));
    }
}

/// Runs a measurement as a task, as the code of an application runs.
fn on(runtime: &Runtime, measurement: impl Future<Output = Times> + Send + 'static) -> Times {
    runtime.block_on(async { tokio::spawn(measurement).await.expect("a measurement") })
}

impl Times {
    fn add(&mut self, other: Self) {
        self.sequential.extend(other.sequential);
        self.parallel.extend(other.parallel);
        self.large.extend(other.large);
    }

    fn medians(mut self) -> [Duration; 3] {
        [&mut self.sequential, &mut self.parallel, &mut self.large].map(|times| {
            times.sort();
            times[times.len() / 2]
        })
    }
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

fn report(name: &str, [sequential, parallel, large]: [Duration; 3], floor: [Duration; 3]) {
    println!(
        "{name:<28} sequential {sequential:>9.2?} ({:.2} x floor)   {IN_FLIGHT} in flight {parallel:>9.2?} a call ({:.2} x)   \
         8 MB {large:>9.2?} ({:.2} x)",
        ratio(sequential, floor[0]),
        ratio(parallel, floor[1]),
        ratio(large, floor[2]),
    );
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn two_workers() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The same bytes over the same pipes with blocking reads and no JSON at all.
struct Raw {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Raw {
    fn start() -> Self {
        let mut child =
            Command::new(ECHO).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the echo server");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::with_capacity(1 << 16, child.stdout.take().expect("a pipe"));
        Self { child, input, output, line: Vec::new() }
    }

    fn request(id: usize, bytes: usize) -> String {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\
             \"params\":{{\"name\":\"echo\",\"arguments\":{{\"bytes\":{bytes}}}}}}}\n"
        )
    }

    fn read(&mut self) {
        self.line.clear();
        self.output.read_until(b'\n', &mut self.line).expect("an answer");
    }

    fn call(&mut self, id: usize, bytes: usize) -> Duration {
        let start = Instant::now();
        self.input.write_all(Self::request(id, bytes).as_bytes()).expect("a request");
        self.read();
        start.elapsed()
    }

    fn calls_in_flight(&mut self, calls: usize) -> Duration {
        let start = Instant::now();
        let (mut sent, mut received) = (0, 0);
        while received < calls {
            let mut batch = String::new();
            while sent < calls && sent - received < IN_FLIGHT {
                batch.push_str(&Self::request(sent, SMALL));
                sent += 1;
            }
            self.input.write_all(batch.as_bytes()).expect("requests");
            loop {
                self.read();
                received += 1;
                if received == calls || !self.output.buffer().contains(&b'\n') {
                    break;
                }
            }
        }
        start.elapsed()
    }
}

fn measure_floor(size: Size, times: &mut Times) {
    let mut raw = Raw::start();
    for id in 0..100 {
        raw.call(id, SMALL);
    }
    times.sequential.push(median((0..size.sequential).map(|id| raw.call(id, SMALL)).collect()));
    times.parallel.push(raw.calls_in_flight(size.parallel) / u32::try_from(size.parallel).unwrap_or(1));
    raw.call(0, LARGE);
    times.large.push(median((0..size.large).map(|id| raw.call(id, LARGE)).collect()));
    drop(raw.input);
    raw.child.wait().expect("the echo server's end");
}

async fn measure_ours(size: Size) -> Times {
    let mut times = Times::default();
    let connection = Connection::spawn(Server::new(ECHO, [""; 0])).await.expect("a session");
    let call = async |bytes: usize| {
        let start = Instant::now();
        connection.call_tool("echo", &json!({ "bytes": bytes })).await.expect("a result");
        start.elapsed()
    };
    for _ in 0..100 {
        call(SMALL).await;
    }
    let mut sequential = Vec::with_capacity(size.sequential);
    for _ in 0..size.sequential {
        sequential.push(call(SMALL).await);
    }
    times.sequential.push(median(sequential));
    let start = Instant::now();
    let callers: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let connection = connection.clone();
            tokio::spawn(async move {
                for _ in 0..size.parallel / IN_FLIGHT {
                    connection.call_tool("echo", &json!({ "bytes": SMALL })).await.expect("a result");
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("a caller");
    }
    times.parallel.push(start.elapsed() / u32::try_from(size.parallel).unwrap_or(1));
    call(LARGE).await;
    let mut large = Vec::with_capacity(size.large);
    for _ in 0..size.large {
        large.push(call(LARGE).await);
    }
    times.large.push(median(large));
    connection.shutdown().await.expect("the server's end");
    times
}

fn params(bytes: usize) -> CallToolRequestParams {
    let mut params = CallToolRequestParams::new("echo");
    params.arguments = json!({ "bytes": bytes }).as_object().cloned();
    params
}

async fn measure_theirs(size: Size) -> Times {
    let mut times = Times::default();
    let transport = TokioChildProcess::new(tokio::process::Command::new(ECHO)).expect("the echo server");
    let client = ().serve(transport).await.expect("a session");
    let call = async |bytes: usize| {
        let start = Instant::now();
        client.call_tool(params(bytes)).await.expect("a result");
        start.elapsed()
    };
    for _ in 0..100 {
        call(SMALL).await;
    }
    let mut sequential = Vec::with_capacity(size.sequential);
    for _ in 0..size.sequential {
        sequential.push(call(SMALL).await);
    }
    times.sequential.push(median(sequential));
    let start = Instant::now();
    let callers: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let peer = client.peer().clone();
            tokio::spawn(async move {
                for _ in 0..size.parallel / IN_FLIGHT {
                    peer.call_tool(params(SMALL)).await.expect("a result");
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("a caller");
    }
    times.parallel.push(start.elapsed() / u32::try_from(size.parallel).unwrap_or(1));
    call(LARGE).await;
    let mut large = Vec::with_capacity(size.large);
    for _ in 0..size.large {
        large.push(call(LARGE).await);
    }
    times.large.push(median(large));
    client.cancel().await.expect("the session's end");
    times
}

/// Measures, in a process of its own, how much memory one 8 MB result takes at its peak.
fn memory(role: &str) {
    let peak = current_thread().block_on(async {
        if role == "selvedge" {
            let connection = Connection::spawn(Server::new(ECHO, [""; 0])).await.expect("a session");
            connection.call_tool("echo", &json!({ "bytes": SMALL })).await.expect("a result");
            let before = peak_kib();
            let result = connection.call_tool("echo", &json!({ "bytes": LARGE })).await.expect("a result");
            let peak = peak_kib() - before;
            drop(result);
            connection.shutdown().await.expect("the server's end");
            peak
        } else {
            let transport =
                TokioChildProcess::new(tokio::process::Command::new(ECHO)).expect("the echo server");
            let client = ().serve(transport).await.expect("a session");
            client.call_tool(params(SMALL)).await.expect("a result");
            let before = peak_kib();
            let result = client.call_tool(params(LARGE)).await.expect("a result");
            let peak = peak_kib() - before;
            drop(result);
            client.cancel().await.expect("the session's end");
            peak
        }
    });
    let lines = peak * 1_024 * 100 / LARGE;
    println!("{role:<28} peak memory for 8 MB {peak:>8} KiB ({}.{:02} x the line)", lines / 100, lines % 100);
}

/// Returns the most memory that this process has had, where the system says so.
fn peak_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}
