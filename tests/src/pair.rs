//! A client and a server, joined by a wire that delays, cuts and breaks.

use std::{collections::VecDeque, time::Duration};

use selvedge_core::{
    Client, ClientConfig, Server, ServerConfig, Tick,
    client::{Answer, CallError, CallId, CallOptions, Effect, Event, ExitStatus},
    json::RawJson,
    server::{Answer as ServerAnswer, Request, ServedCall, ServerEffect, ServerEvent},
};

use crate::{
    spec::check_written,
    world::{exit_code, fail},
};

/// How the wire between both is.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    /// The time that anything takes from one end to the other.
    pub delay: Duration,
    /// The most bytes that arrive at once.
    pub max_chunk: usize,
    /// What happens to the server's output, and after how many bytes of it.
    pub fault: Option<(usize, Fault)>,
    /// The server lives on after the end of its input, until it is killed.
    pub is_stubborn: bool,
}

impl Default for Wire {
    fn default() -> Self {
        Self { delay: Duration::from_millis(1), max_chunk: usize::MAX, fault: None, is_stubborn: false }
    }
}

/// How a wire breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing arrives any more, and nobody is told.
    Silence,
    /// The output ends while the process lives.
    Eof,
    /// The process exits.
    Exit,
}

/// What is under way to the client.
#[derive(Debug)]
enum Arrival {
    Bytes(Vec<u8>),
    End,
    Exit(ExitStatus),
}

/// A client and a server with their wire and their clock. The server's tool `echo` answers with what it was
/// given; calls of any other tool wait for the test.
#[derive(Debug)]
pub struct Pair {
    /// The client.
    pub client: Client,
    /// The server.
    pub server: Server,
    /// What the clock shows.
    pub now: Tick,
    /// What the client has told its application.
    pub events: Vec<Event>,
    /// The calls that wait for the test: the call, the tool and the arguments.
    pub called: Vec<(ServedCall, String, RawJson)>,
    /// Everything else that the server has told its application.
    pub server_events: Vec<ServerEvent>,
    wire: Wire,
    /// How many bytes the server has written.
    written: usize,
    is_broken: bool,
    is_gone: bool,
    to_client: VecDeque<(Tick, Arrival)>,
    /// `None` is the end of the input.
    to_server: VecDeque<(Tick, Option<Vec<u8>>)>,
}

impl Pair {
    /// Joins a client and a server and connects them.
    #[must_use]
    pub fn new(wire: Wire) -> Self {
        Self::of(wire, ClientConfig::default())
    }

    /// Joins a client that was made like this and a server, and connects them.
    #[must_use]
    pub fn of(wire: Wire, config: ClientConfig) -> Self {
        Self::with(wire, config, |_| {})
    }

    /// Joins a client that was made like this and a server that was changed like that, and connects them.
    #[must_use]
    pub fn with(wire: Wire, config: ClientConfig, change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut server = ServerConfig::default();
        server.tools = ["echo", "wait"].into_iter().map(tool).collect();
        server.framing = config.framing;
        change(&mut server);
        let mut pair = Self {
            client: Client::new(config),
            server: Server::new(server),
            now: Tick::ZERO,
            events: Vec::new(),
            called: Vec::new(),
            server_events: Vec::new(),
            wire,
            written: 0,
            is_broken: false,
            is_gone: false,
            to_client: VecDeque::new(),
            to_server: VecDeque::new(),
        };
        assert_eq!(pair.client.connect(pair.now), Ok(()));
        pair
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &str) -> CallId {
        match self.client.call_tool(self.now, tool, arguments, CallOptions::default()) {
            Ok(call) => call,
            Err(misuse) => fail(&format!("a call failed: {misuse}")),
        }
    }

    /// Answers a call that waits.
    pub fn answer(&mut self, call: &ServedCall, result: &RawJson) {
        let answer = ServerAnswer::Result(result.clone());
        assert_eq!(self.server.answer(self.now, *call, answer), Ok(()));
    }

    /// Takes how a call ended. It must have, once.
    pub fn outcome(&mut self, call: CallId) -> Result<Answer, CallError> {
        let is_own = |event: &mut Event| matches!(event, Event::Settled { call: own, .. } if *own == call);
        let mut outcomes: Vec<_> = self.events.extract_if(.., is_own).collect();
        assert_eq!(outcomes.len(), 1, "{call:?} must have ended once: {outcomes:?}");
        match outcomes.remove(0) {
            Event::Settled { outcome, .. } => outcome,
            other => fail(&format!("{other:?}")),
        }
    }

    /// Time passes: what is under way arrives, and every deadline is met on time.
    pub fn pass(&mut self, span: Duration) {
        let target = self.now.after(span);
        for _ in 0..100_000 {
            self.carry_out();
            let arrivals =
                [self.to_client.front().map(|(at, _)| *at), self.to_server.front().map(|(at, _)| *at)];
            let due = self.client.poll_timeout();
            let Some(next) = arrivals.into_iter().chain([due]).flatten().min().filter(|at| *at <= target)
            else {
                self.now = target;
                return;
            };
            self.now = self.now.max(next);
            self.turn(due);
        }
        fail("the pair spins");
    }

    /// Does what is due now: one arrival, or the client's deadline.
    fn turn(&mut self, due: Option<Tick>) {
        let now = self.now;
        if let Some((_, arrival)) = self.to_client.pop_front_if(|(at, _)| *at <= now) {
            match arrival {
                Arrival::Bytes(bytes) => self.client.handle_bytes(now, &bytes),
                Arrival::End => self.client.handle_eof(now),
                Arrival::Exit(status) => self.client.handle_exited(now, status),
            }
        } else if let Some((_, bytes)) = self.to_server.pop_front_if(|(at, _)| *at <= now) {
            match bytes {
                _ if self.is_gone => {}
                Some(bytes) => self.server.handle_bytes(now, &bytes),
                None => self.server.handle_eof(now),
            }
        } else if due.is_some_and(|due| due <= now) {
            self.client.handle_timeout(now);
        }
    }

    fn carry_out(&mut self) {
        while let Some(effect) = self.client.poll_effect() {
            let arrives = self.now.after(self.wire.delay);
            match effect {
                Effect::Open => self.client.handle_opened(self.now),
                Effect::Send(bytes) => {
                    check_written(&bytes);
                    let chunks =
                        bytes.chunks(self.wire.max_chunk).map(|chunk| (arrives, Some(chunk.to_vec())));
                    self.to_server.extend(chunks);
                }
                Effect::CloseInput => self.to_server.push_back((arrives, None)),
                Effect::Terminate => {}
                Effect::Kill => self.go(ExitStatus { code: None, signal: Some(9) }),
                Effect::Event(event) => self.events.push(event),
            }
        }
        while let Some(effect) = self.server.poll_effect() {
            match effect {
                ServerEffect::Send(bytes) => self.write(&bytes),
                ServerEffect::Event(ServerEvent::Requested { call, request, .. }) => {
                    self.requested(call, request);
                }
                ServerEffect::Event(ServerEvent::Closed { .. }) if !self.wire.is_stubborn => {
                    self.go(exit_code(0));
                }
                ServerEffect::Event(event) => self.server_events.push(event),
            }
        }
    }

    fn requested(&mut self, call: ServedCall, request: Request) {
        let Request::CallTool { name, arguments } = request else { fail("the server offers only tools") };
        if name != "echo" {
            return self.called.push((call, name, arguments.as_ref().clone()));
        }
        match RawJson::new(format!(r#"{{"content":[],"structuredContent":{arguments}}}"#)) {
            Ok(result) => self.answer(&call, &result),
            Err(error) => fail(&format!("arguments are not JSON: {error}")),
        }
    }

    /// The server writes; the wire may break on the way.
    fn write(&mut self, bytes: &[u8]) {
        if self.is_broken || self.is_gone {
            return;
        }
        let arrives = self.now.after(self.wire.delay);
        let room = self.wire.fault.map_or(usize::MAX, |(after, _)| after - self.written);
        let (bytes, lost) = bytes.split_at(bytes.len().min(room));
        self.written += bytes.len();
        let chunks = bytes.chunks(self.wire.max_chunk).map(|chunk| (arrives, Arrival::Bytes(chunk.to_vec())));
        self.to_client.extend(chunks);
        if lost.is_empty() {
            return;
        }
        self.is_broken = true;
        match self.wire.fault {
            Some((_, Fault::Eof)) => self.to_client.push_back((arrives, Arrival::End)),
            Some((_, Fault::Exit)) => self.go(exit_code(3)),
            Some((_, Fault::Silence)) | None => {}
        }
    }

    /// The server's process ends.
    fn go(&mut self, status: ExitStatus) {
        if self.is_gone {
            return;
        }
        self.is_gone = true;
        let arrives = self.now.after(self.wire.delay);
        self.to_client.push_back((arrives, Arrival::End));
        self.to_client.push_back((arrives, Arrival::Exit(status)));
    }
}

fn tool(name: &str) -> RawJson {
    match RawJson::new(format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)) {
        Ok(tool) => tool,
        Err(error) => fail(&format!("a tool is not JSON: {error}")),
    }
}
