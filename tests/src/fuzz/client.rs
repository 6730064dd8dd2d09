//! A script of everything that can happen to a client, its host and a count of its calls.

use std::{collections::BTreeSet, time::Duration};

use selvedge_core::{
    Client, ClientConfig, Misuse, Patience, Tick, Tolerance,
    client::{AskId, CallId, CallOptions, Effect, EraPolicy, Event, ExitStatus, OpenError, State},
    json::RawJson,
    jsonrpc::RpcError,
    protocol::{Interests, Revision},
};

use crate::{
    line,
    spec::check_modern,
    world::{changed, exit_code, fail, to_line},
};

/// How a host treats a client. None of it may matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    /// It calls `handle_timeout` before every step, early or not.
    pub ticks_early: bool,
    /// Its clock goes back to the origin before every step.
    pub looks_back: bool,
    /// When it takes effects.
    pub drain: Drain,
}

/// When a host takes effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drain {
    /// After every step.
    #[default]
    AtOnce,
    /// Only where the script cannot go on without them.
    Late,
    /// One effect after each step, the rest late.
    Slowly,
}

pub(super) fn check(data: &[u8]) {
    let effects = run(data, Host::default());
    let hosts = [
        Host { ticks_early: true, ..Host::default() },
        Host { looks_back: true, ..Host::default() },
        Host { drain: Drain::Late, ..Host::default() },
        Host { ticks_early: true, looks_back: true, drain: Drain::Slowly },
    ];
    for host in hosts {
        assert!(run(data, host) == effects, "{host:?}");
    }
}

/// Runs a script to the end of its client, checks what must hold on the way, and returns all effects.
#[must_use]
pub fn run(script: &[u8], host: Host) -> Vec<Effect> {
    let mut script = Script(script);
    let mut stage = Stage::new(script.next(), host);
    while !script.0.is_empty() {
        stage.before();
        stage.step(&mut script);
        stage.after();
    }
    stage.finish()
}

/// The bytes of a script; at its end, zeros.
struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(len.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn pick<'b, T>(&mut self, from: &'b [T]) -> Option<&'b T> {
        from.get(usize::from(self.next()) % from.len().max(1))
    }
}

/// What a peer may write, good and bad; `$` stands for an id.
const LINES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":$,"result":{"content":[{"type":"text","text":"x"}]}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"c$"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[]}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32601,"message":"no"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"content":"oops"}}"#,
    r#"{"jsonrpc":"2.0","id":"$","result":{}}"#,
    r#"{"id":$,"result":{},"error":null}"#,
    r#"{"jsonrpc":"2.0","id":$}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{},"error":{}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"content":["#,
    r#"{"jsonrpc":"2.0","id":$,"id":$,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":NaN}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":"roots/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":"sampling/createMessage","params":[]}"#,
    r#"{"jsonrpc":"2.0","id":$,"method":7}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$,"progress":1}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":$}}"#,
    r#"[{"jsonrpc":"2.0","id":$,"result":{}},{"jsonrpc":"2.0","id":$,"result":{}},7]"#,
    "[]",
    "{",
    "hello $",
    r#"{"jsonrpc":"2.0","id":$,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":9}}"#,
    r#"{"jsonrpc":"2.0","id":$,"error":{"code":-32022,"message":"no","data":{"supported":["2025-06-18"]}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"roots/list"}}}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"input_required","requestState":"s$"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"input_required"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"resultType":"later"}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[],"contents":[],"ttlMs":50}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:"]},"_meta":{"io.modelcontextprotocol/subscriptionId":$}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:","_meta":{"io.modelcontextprotocol/subscriptionId":$}}}"#,
    "Content-Length: 7$",
    "Content-Type: x",
    "",
    "null",
    r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[{"name":"t","inputSchema":{"required":["b"],"properties":{"a":{"pattern":"(?=x)"}}}}]}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"tools":[{"name":"t","inputSchema":{"properties":{"a":{"items":{"pattern":"(?!"}}}},"outputSchema":{"required":["b"],"pattern":"(?="}}]}}"#,
    r#"{"jsonrpc":"2.0","id":$,"result":{"content":[],"structuredContent":{"b":$}}}"#,
];

/// A client on its host, and the count of its calls.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about what was told so far")]
struct Stage {
    client: Client,
    host: Host,
    now: Tick,
    effects: Vec<Effect>,
    /// The calls that were made, and those that have not ended.
    made: Vec<CallId>,
    open: BTreeSet<CallId>,
    /// The calls that were made after the end.
    late: BTreeSet<CallId>,
    asks: Vec<AskId>,
    /// How many effects the count has seen.
    seen: usize,
    has_closed: bool,
    has_retired: bool,
    input_is_closed: bool,
    /// How often the server was to be started, and whether an exit was reported.
    opened: usize,
    has_exited: bool,
}

impl Stage {
    fn new(kind: u8, host: Host) -> Self {
        let config = changed(|config: &mut ClientConfig| {
            config.tolerance = if kind & 1 == 0 { Tolerance::Tolerant } else { Tolerance::Strict };
            config.offers.roots = kind & 2 != 0;
            config.farewell = kind & 4 != 0;
            config.era = match kind & 0x30 {
                0x10 => EraPolicy::ModernFirst,
                0x20 => EraPolicy::Pinned(Revision::V2026_07_28),
                0x30 => EraPolicy::Pinned(Revision::V2025_03_26),
                _ => EraPolicy::LegacyFirst,
            };
            config.limits.max_message_bytes = 600;
            config.limits.max_listens = 3;
            config.limits.max_rounds = 2;
            config.limits.max_cache_bytes = 600;
            config.limits.max_calls_in_flight = 5;
            config.limits.max_asks = 3;
            config.limits.max_stray_lines = 20;
            config.limits.max_pages = 4;
        });
        let mut stage = Self {
            client: Client::new(config),
            host,
            now: Tick::ZERO,
            effects: Vec::new(),
            made: Vec::new(),
            open: BTreeSet::new(),
            late: BTreeSet::new(),
            asks: Vec::new(),
            seen: 0,
            has_closed: false,
            has_retired: false,
            input_is_closed: false,
            opened: 0,
            has_exited: false,
        };
        // Half of the scripts start with a handshake that is done.
        if kind & 8 != 0 {
            assert_eq!(stage.client.connect(stage.now), Ok(()));
            stage.client.handle_opened(stage.now);
            let capabilities = r#"{"tools":{"listChanged":true}}"#;
            let answer = match kind & 0x30 {
                0x10 | 0x20 => line::discovered(1, capabilities),
                0x30 => line::welcome("2025-03-26", capabilities),
                _ => line::welcome("2025-11-25", capabilities),
            };
            stage.peer(answer.as_bytes());
            stage.peer(b"\n");
        }
        stage
    }

    fn before(&mut self) {
        if self.host.ticks_early {
            self.client.handle_timeout(self.now);
        }
        if self.host.looks_back {
            self.client.handle_timeout(Tick::ZERO);
            self.client.handle_bytes(Tick::ZERO, b"");
        }
    }

    fn after(&mut self) {
        match self.host.drain {
            Drain::AtOnce => self.drain(),
            Drain::Slowly => self.effects.extend(self.client.poll_effect()),
            Drain::Late => {}
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        match script.next() {
            0..=59 => self.command(script),
            60..=159 => self.write_line(script),
            160..=174 => {
                let len = usize::from(script.next()) % 48;
                self.peer(script.take(len));
            }
            175..=179 => self.peer(&[b'x'; 700]),
            180..=219 => {
                let unit = script.pick(&[1, 40, 350, 2_000, 30_000]).copied().unwrap_or(1);
                self.pass(u64::from(script.next()) * unit);
            }
            220..=229 => self.answer_ask(script),
            230..=239 => self.client.handle_opened(self.now),
            _ => self.end(script),
        }
    }

    fn command(&mut self, script: &mut Script<'_>) {
        let now = self.now;
        let patience = Patience { idle: Duration::from_secs(2), total: Duration::from_secs(5) };
        let options = CallOptions {
            patience: script.pick(&[None, Some(patience), Some(Patience::UNBOUNDED)]).copied().flatten(),
            progress: true,
            unchecked: script.0.len().is_multiple_of(4),
            ..CallOptions::default()
        };
        let tools = Interests { tools: true, ..Interests::default() };
        let made = match script.next() % 16 {
            0..=2 => self.client.call_tool(now, "t", "{\"a\":[\n]}", options),
            3 => self.client.list_tools(now, options),
            4 => self.client.ping(now, options),
            5 => self.client.request(now, "x/y", "{}", options),
            6 => self.client.read_resource(now, "x:", options),
            7 => self.client.listen(now, &tools, options),
            8 => self.client.subscribe(now, "x:", options),
            9 => self.client.unsubscribe(now, "x:", options),
            10 => self.client.discover(now, options),
            11 => self.client.set_log_level(now, "info", options),
            12 => {
                if let Some(call) = script.pick(&self.made).copied() {
                    let _ = self.client.stop_listening(now, call);
                }
                return;
            }
            13 | 14 => {
                if let Some(call) = script.pick(&self.made).copied() {
                    self.client.cancel(now, call);
                }
                return;
            }
            _ => {
                let _ = self.client.connect(now);
                return;
            }
        };
        self.note(made);
    }

    fn note(&mut self, made: Result<CallId, Misuse>) {
        match made {
            Ok(call) => {
                assert!(!self.made.contains(&call), "{call:?} was made before");
                self.made.push(call);
                if self.client.reason().is_some() {
                    self.late.insert(call);
                }
                self.open.insert(call);
            }
            Err(Misuse::NotReady { .. }) => assert!(self.client.reason().is_none()),
            Err(Misuse::BadArguments { mismatch, .. }) => {
                assert!(self.client.reason().is_none(), "nothing is checked at the end");
                assert_eq!(mismatch.expected, "property `b`");
            }
            Err(Misuse::TooManyCalls { .. }) => assert_eq!(self.client.calls_in_flight(), 5),
            Err(Misuse::NotInRevision { .. } | Misuse::TooManyListens { limit: 3 }) => {
                assert!(self.client.handshake().is_some());
            }
            Err(misuse) => fail(&format!("{misuse}")),
        }
    }

    fn write_line(&mut self, script: &mut Script<'_>) {
        let Some(line) = script.pick(LINES) else { return };
        let line = line.replace('$', &(script.next() % 24).to_string());
        let cut = usize::from(script.next()) % (line.len() + 2);
        let line = line + if cut.is_multiple_of(2) { "\n" } else { "\r\n" };
        let (head, tail) = line.as_bytes().split_at(cut);
        self.peer(head);
        self.after();
        self.peer(tail);
    }

    fn peer(&mut self, bytes: &[u8]) {
        self.client.handle_bytes(self.now, bytes);
    }

    fn pass(&mut self, millis: u64) {
        let target = self.now.after(Duration::from_millis(millis));
        let mut steps = 0;
        while let Some(due) = self.client.poll_timeout().filter(|due| *due <= target) {
            self.now = self.now.max(due);
            self.client.handle_timeout(self.now);
            self.after();
            steps += 1;
            assert!(steps <= 10_000, "the client spins");
        }
        self.now = target;
    }

    /// The application answers a question; it must have heard of it first.
    fn answer_ask(&mut self, script: &mut Script<'_>) {
        self.drain();
        let Some(ask) = script.pick(&self.asks).cloned() else { return };
        let refusal = RpcError::new(-1, "no");
        let answered = match RawJson::new("{\n}") {
            Ok(result) if script.next().is_multiple_of(2) => {
                self.client.answer_ask(self.now, &ask, Ok(&result))
            }
            _ => self.client.answer_ask(self.now, &ask, Err(&refusal)),
        };
        assert!(matches!(answered, Ok(()) | Err(Misuse::UnknownAsk)), "{answered:?}");
    }

    fn end(&mut self, script: &mut Script<'_>) {
        let now = self.now;
        match script.next() % 10 {
            0 | 1 => self.client.shutdown(now),
            2 | 3 => self.client.handle_eof(now),
            4 | 5 => {
                self.has_exited = true;
                let status = ExitStatus { code: None, signal: Some(9) };
                let status = if script.next().is_multiple_of(2) { exit_code(3) } else { status };
                self.client.handle_exited(now, status);
            }
            6 => self.client.handle_exit_lost(now),
            7 => self.client.handle_write_failed(now, "broken pipe"),
            8 => self.client.handle_open_failed(now, OpenError::Other("x".to_owned())),
            _ => self.client.handle_stderr(b"trouble\n"),
        }
    }

    /// The end of every script: shut down, and wait until nothing is left to wait for.
    fn finish(mut self) -> Vec<Effect> {
        self.client.shutdown(self.now);
        self.pass(3_600_000);
        self.drain();
        assert_eq!((self.client.state(), self.client.poll_timeout()), (State::Retired, None));
        assert_eq!((self.open, self.client.calls_in_flight()), (BTreeSet::new(), 0));
        assert!(self.has_closed && self.has_retired);
        self.effects
    }

    fn drain(&mut self) {
        while let Some(effect) = self.client.poll_effect() {
            self.effects.push(effect);
        }
        let fresh: Vec<_> = self.effects.iter().skip(self.seen).cloned().collect();
        self.seen = self.effects.len();
        for effect in fresh {
            self.count(effect);
        }
        if self.client.state() == State::Ready {
            assert_eq!(self.client.calls_in_flight(), self.open.len());
        }
    }

    /// Counts an effect, and checks that it may come.
    fn count(&mut self, effect: Effect) {
        match effect {
            Effect::Send(bytes) => {
                assert!(!self.input_is_closed, "a message behind the end of the input");
                let message = to_line(&bytes);
                if message.contains("io.modelcontextprotocol/protocolVersion")
                    && !message.contains("inputResponses")
                {
                    check_modern(&message);
                }
            }
            Effect::CloseInput => {
                assert!(!self.input_is_closed, "the input is closed twice");
                self.input_is_closed = true;
            }
            Effect::Event(Event::Settled { call, .. }) => {
                assert!(self.open.remove(&call), "{call:?} ended, but was not open");
            }
            Effect::Event(Event::Retired(_)) => {
                assert!(self.has_closed && !self.has_retired, "retired without an end, or twice");
                self.has_retired = true;
            }
            Effect::Event(event) => {
                assert!(!self.has_closed, "{event:?} after the end");
                match event {
                    Event::Closed(_) => {
                        self.has_closed = true;
                        assert!(self.open.is_subset(&self.late), "the end is told while calls wait");
                    }
                    Event::Asked { ask, .. } => self.asks.push(ask),
                    _ => {}
                }
            }
            Effect::Open => {
                self.opened += 1;
                assert!(self.opened == 1 || (self.opened == 2 && self.has_exited), "started beside another");
                self.input_is_closed = false;
            }
            Effect::Terminate | Effect::Kill => {}
        }
    }
}
