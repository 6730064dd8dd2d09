//! The attacks.

use std::{
    io::{BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use tokio::net::TcpSocket;

use crate::{
    honest::{Honest, ask, call, connect, hello, post, session},
    server::Server,
};

const MAX_PEAK_MIB: u64 = 256;
const MAX_DURING: Duration = Duration::from_secs(1);
const MAX_AFTER: Duration = Duration::from_millis(200);

/// Attacks until it is told to stop; what it returns is kept open for the time of the attack.
type Deed = fn(&str, &AtomicBool);

/// An attack.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    attackers: usize,
    descriptors: Option<u32>,
    deed: Deed,
}

const fn attack(name: &'static str, attackers: usize, deed: Deed) -> Attack {
    Attack { name, attackers, descriptors: None, deed }
}

pub(crate) const ALL: &[Attack] = &[
    attack("calls that wait, then their callers go", 4, waiting_calls),
    attack("sessions without end", 4, sessions),
    attack("1,100 streams of the old transport", 1, old_streams),
    attack("16 addresses with 32 calls that wait", 1, addresses),
    Attack { descriptors: Some(1_024), ..attack("1,100 idle sockets, 1,024 descriptors", 1, idle_sockets) },
    attack("140 answers of 15 MiB that nobody reads", 1, unread),
    attack("HTTP/2 with a window of 0 and pings", 1, window_zero),
    attack("a batch of 200 reads of 4 MiB", 4, large_batch),
    attack("batches of 10,000", 16, long_batches),
    attack("heads and bodies that do not end", 1, slow),
];

impl Attack {
    /// Runs the attack and prints what came of it; returns whether the bounds were held, of which those of time
    /// count or not.
    pub(crate) fn run(&self, span: Duration, is_untimed: bool) -> bool {
        let server = Server::start(self.descriptors);
        let mut honest = Honest::new(&server.address);
        let stop = Arc::new(AtomicBool::new(false));
        let deed = self.deed;
        let attackers: Vec<_> = (0..self.attackers)
            .map(|_| {
                let (address, stop) = (server.address.clone(), stop.clone());
                thread::spawn(move || deed(&address, &stop))
            })
            .collect();
        let during = honest.calls(span);
        let keeps = honest.keeps_session();
        stop.store(true, Relaxed);
        for attacker in attackers {
            attacker.join().expect("an attacker");
        }
        let after = honest.calls(span / 4);
        let peak = server.peak_mib();
        let said = server.end();
        let is_in_time = during.longest <= MAX_DURING && after.longest <= MAX_AFTER;
        let is_held =
            peak <= MAX_PEAK_MIB && (is_in_time || is_untimed) && during.lost + after.lost == 0 && keeps;
        println!(
            "{:<44} {peak:>4} MiB {:>7} ms {:>7} ms  {}{}{}",
            self.name,
            during.longest.as_millis(),
            after.longest.as_millis(),
            if is_held { "held" } else { "BROKEN" },
            if keeps { "" } else { ", the session was lost" },
            match during.lost + after.lost {
                0 => String::new(),
                lost => format!(", {lost} calls without an answer"),
            },
        );
        for line in said.lines().take(3) {
            println!("    {line}");
        }
        is_held
    }
}

fn hold(stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        thread::park_timeout(Duration::from_millis(20));
    }
}

fn send(address: &str, request: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    Some(stream)
}

fn legacy_call(session: &str, name: &str) -> String {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"{name}","arguments":{{}}}}}}"#
    );
    post(&format!("mcp-session-id: {session}\r\n"), &body)
}

fn waiting_calls(address: &str, stop: &AtomicBool) {
    let mut kept = Vec::new();
    while !stop.load(Relaxed) {
        let Some(session) = connect(address).ok().and_then(|mut stream| session(&mut stream, "2025-11-25"))
        else {
            continue;
        };
        // The callers go at once, and their calls wait on.
        let calls = (0..40).filter_map(|_| send(address, &legacy_call(&session, "wait")));
        drop(calls.collect::<Vec<_>>());
        if kept.len() < 50 {
            kept.extend(send(address, &call("wait")));
        }
    }
}

fn sessions(address: &str, stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        let Ok(mut stream) = connect(address) else { continue };
        for _ in 0..10 {
            if ask(&mut stream, &hello("2025-11-25")).is_err() {
                break;
            }
        }
    }
}

fn old_streams(address: &str, stop: &AtomicBool) {
    let get = "GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n";
    let streams: Vec<_> = (0..1_100).filter_map(|_| send(address, get)).collect();
    hold(stop);
    drop(streams);
}

fn addresses(address: &str, stop: &AtomicBool) {
    let to: SocketAddr = address.parse().expect("an address");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut streams = Vec::new();
    for last in 2..18 {
        for _ in 0..32 {
            let stream = runtime.block_on(async {
                let socket = TcpSocket::new_v4()?;
                socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
                socket.connect(to).await?.into_std()
            });
            let Ok(mut stream) = stream else { continue };
            // What cannot be written is not waited for.
            let _ = stream.write_all(call("wait").as_bytes());
            streams.push(stream);
        }
    }
    hold(stop);
}

fn idle_sockets(address: &str, stop: &AtomicBool) {
    let sockets: Vec<_> = (0..1_100).filter_map(|_| TcpStream::connect(address).ok()).collect();
    hold(stop);
    drop(sockets);
}

fn unread(address: &str, stop: &AtomicBool) {
    let streams: Vec<_> = (0..140).filter_map(|_| send(address, &call("large"))).collect();
    hold(stop);
    drop(streams);
}

fn large_batch(address: &str, stop: &AtomicBool) {
    let entry =
        |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{{"uri":"a://b"}}}}"#);
    let batch: Vec<_> = (0..200).map(entry).collect();
    batches(address, stop, &format!("[{}]", batch.join(",")));
}

fn long_batches(address: &str, stop: &AtomicBool) {
    let batch: Vec<_> =
        (0..10_000).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#)).collect();
    batches(address, stop, &format!("[{}]", batch.join(",")));
}

fn batches(address: &str, stop: &AtomicBool, body: &str) {
    let Some(session) = connect(address).ok().and_then(|mut stream| session(&mut stream, "2025-03-26"))
    else {
        return;
    };
    let request = post(&format!("mcp-session-id: {session}\r\nconnection: close\r\n"), body);
    while !stop.load(Relaxed) {
        let Some(mut stream) = send(address, &request) else { continue };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
        let mut buffer = vec![0; 1 << 16];
        while !stop.load(Relaxed) && stream.read(&mut buffer).is_ok_and(|read| read > 0) {}
    }
}

fn slow(address: &str, stop: &AtomicBool) {
    let whole = call("echo");
    let heads = (0..300).filter_map(|_| send(address, &whole[..40]));
    let bodies = (0..300).filter_map(|_| send(address, &whole[..whole.len() - 1]));
    let mut streams: Vec<_> = heads.chain(bodies).collect();
    let long = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 16000000\r\n\r\n";
    let filler = vec![b' '; 8 << 20];
    for _ in 0..20 {
        let Some(mut stream) = send(address, long) else { continue };
        let _ = stream.set_write_timeout(Some(Duration::from_millis(200)));
        let _ = stream.write_all(&filler);
        streams.push(stream);
    }
    hold(stop);
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short frame").to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Makes calls over HTTP/2 whose answers may not be sent, and answers every ping.
fn window_zero(address: &str, stop: &AtomicBool) {
    let mut kept = Vec::new();
    let request = call("large");
    let (head, body) = request.split_once("\r\n\r\n").expect("a head");
    let mut fields =
        vec![(":method", "POST"), (":scheme", "http"), (":authority", "localhost"), (":path", "/mcp")];
    fields.extend(head.lines().skip(2).filter_map(|line| line.split_once(": ")));
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).expect("a short field"));
            block.extend(text.as_bytes());
        }
    }
    for _ in 0..10 {
        let Some(stream) = send(address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") else { continue };
        let mut stream = BufReader::new(stream);
        // SETTINGS_INITIAL_WINDOW_SIZE is 0.
        let mut bytes = frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]);
        for at in 0..20 {
            bytes.extend(frame(1, 4, at * 2 + 1, &block));
            bytes.extend(frame(0, 1, at * 2 + 1, body.as_bytes()));
        }
        let _ = stream.get_mut().write_all(&bytes);
        let _ = stream.get_ref().set_read_timeout(Some(Duration::from_millis(10)));
        kept.push(stream);
    }
    while !stop.load(Relaxed) {
        for stream in &mut kept {
            let mut head = [0; 9];
            if stream.read_exact(&mut head).is_err() {
                continue;
            }
            let mut payload = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
            let _ = stream.read_exact(&mut payload);
            let answer = match (head[3], head[4]) {
                (6, 0) => frame(6, 1, 0, &payload),
                (4, 0) => frame(4, 1, 0, &[]),
                _ => continue,
            };
            let _ = stream.get_mut().write_all(&answer);
        }
    }
}
