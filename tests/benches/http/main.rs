//! Servers under load: ours and `rmcp`'s, with the same tool and the same clients, in turns.
//!
//! Each server is a process of its own. Over HTTP 64 connections make one call of 2026-07-28 after the other;
//! over a pipe 64 calls are in flight. `cargo bench -p selvedge-tests --bench http` prints throughput, the
//! latency that 99 of 100 calls stay below, what a call costs the server's processor in the server itself and in
//! the kernel, and what idle clients cost; `-- --smoke` runs each once. Where the clients share the processor with
//! the server, throughput hides most of the difference: the clients and the kernel cost both servers the same.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark fails by panicking")]

mod load;
mod servers;

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// How much is measured.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    rounds: usize,
    /// Calls of one round.
    calls: usize,
    /// Idle clients.
    idle: usize,
}

/// What a round came to.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    per_second: f64,
    p50: Duration,
    p99: Duration,
    /// What the server's processor spent on each call: in the server, and for it in the kernel.
    own: Duration,
    kernel: Duration,
}

const NAMES: [&str; 2] = ["selvedge", "rmcp"];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut is_smoke = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--smoke" => is_smoke = true,
            "--serve-http" => return servers::http(&arguments.next().expect("a name")),
            "--serve-stdio" => return servers::stdio_of(&arguments.next().expect("a name")),
            _ => {}
        }
    }
    let size = if is_smoke {
        Size { rounds: 1, calls: 640, idle: 20 }
    } else {
        Size { rounds: 5, calls: 32_000, idle: 1_000 }
    };
    compare("HTTP, 64 connections", size, |name, size| {
        let server = Server::start("--serve-http", name);
        let measured = load::http(&server.url(), size);
        server.charged(measured, size)
    });
    compare("pipe, 64 in flight", size, |name, size| {
        let mut server = Server::start("--serve-stdio", name);
        let measured = load::stdio(&mut server.child, size);
        server.charged(measured, size)
    });
    idle(size);
}

/// Measures both servers in turns, and prints the medians.
fn compare(what: &str, size: Size, measure: impl Fn(&str, Size) -> Measured) {
    let mut all = NAMES.map(|_| Vec::new());
    for _ in 0..size.rounds {
        for (name, all) in NAMES.iter().zip(&mut all) {
            all.push(measure(name, size));
        }
    }
    let medians = all.map(|all| Measured {
        per_second: median(all.iter().map(|one| one.per_second)),
        p50: median(all.iter().map(|one| one.p50)),
        p99: median(all.iter().map(|one| one.p99)),
        own: median(all.iter().map(|one| one.own)),
        kernel: median(all.iter().map(|one| one.kernel)),
    });
    for (name, Measured { per_second, p50, p99, own, kernel }) in NAMES.iter().zip(&medians) {
        println!(
            "{what:<22} {name:<9} {per_second:>9.0} calls/s   p50 {p50:>9.2?}   p99 {p99:>9.2?}   \
             a call costs {own:>9.2?} and {kernel:>9.2?} in the kernel"
        );
    }
    let [ours, theirs] = medians;
    print!(
        "{what:<22} {:.2} x the throughput, {:.2} x the p99",
        ours.per_second / theirs.per_second,
        ours.p99.as_secs_f64() / theirs.p99.as_secs_f64(),
    );
    // A few calls take less than the kernel counts.
    if !ours.own.is_zero() {
        let ratio = theirs.own.as_secs_f64() / ours.own.as_secs_f64();
        print!(", {ratio:.2} x the calls for the same time of the server");
    }
    println!();
}

fn median<T: PartialOrd + Copy>(all: impl Iterator<Item = T>) -> T {
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    all[all.len() / 2]
}

/// Prints what idle clients of ours cost the server.
fn idle(size: Size) {
    let server = Server::start("--serve-http", NAMES[0]);
    let url = server.url();
    // What the first client costs is not what each costs.
    let first = load::sessions(&url, 10) + load::streams(&url, 10).len();
    let before = server.resident_kib();
    let opened = load::sessions(&url, size.idle);
    let after = server.resident_kib();
    let each = (after - before) * 1_024 / opened as u64;
    println!("{opened} idle sessions           {each} bytes each");
    let streams = load::streams(&url, size.idle);
    let with_streams = server.resident_kib();
    println!("{} open streams            {} KiB in all", streams.len(), with_streams - after);
    drop((streams, first));
}

/// A server in a process of its own.
struct Server {
    child: Child,
    url: Option<String>,
}

impl Server {
    fn start(role: &str, name: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("the benchmark knows its own path"));
        command.args([role, name]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it runs itself");
        let url = (role == "--serve-http").then(|| {
            let mut line = String::new();
            let output = child.stdout.take().expect("a pipe");
            BufReader::new(output).read_line(&mut line).expect("a URL");
            line.trim().to_owned()
        });
        Self { child, url }
    }

    fn url(&self) -> String {
        self.url.clone().expect("a server behind HTTP")
    }

    /// Adds what the server has computed, start included.
    fn charged(&self, measured: Measured, size: Size) -> Measured {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let mut times = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
        let calls = u32::try_from(size.calls).expect("a number of calls");
        // The kernel counts hundredths of a second.
        let mut spent = || times.next().and_then(|time| time.parse::<u32>().ok()).unwrap_or_default();
        let mut each = || Duration::from_millis(10) * spent() / calls;
        Measured { own: each(), kernel: each(), ..measured }
    }

    fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
