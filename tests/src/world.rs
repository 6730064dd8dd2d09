//! One client, a peer that a script plays, and a clock that only the script moves.

use std::{collections::VecDeque, time::Duration};

use selvedge_core::{
    Client, ClientConfig, Misuse, Tick, Tolerance,
    client::{Answer, CallError, CallId, CallOptions, Effect, EraPolicy, Event, ExitStatus, State},
    json::RawJson,
    protocol::Revision,
};

use crate::{line, spec::check_written};

/// Options that ask for nothing, for commands that are constants.
pub const NORMAL: CallOptions<'static> = CallOptions {
    patience: None,
    progress: false,
    log_level: None,
    meta: None,
    bypass_cache: false,
    unchecked: false,
};

/// The calls that a ready world has behind it: the next one has id 7, so that scripts can spell ids out.
const CALLS_BEFORE: usize = 5;

/// A client, the time, and everything that the client has asked of its host and that no test has taken yet.
#[derive(Debug)]
pub struct World {
    /// The client under test.
    pub client: Client,
    /// What the clock shows.
    pub now: Tick,
    log: VecDeque<Effect>,
}

impl Default for World {
    fn default() -> Self {
        Self::of(ClientConfig::default())
    }
}

// The states of the lifecycle.
impl World {
    /// Returns a world whose client is parked.
    #[must_use]
    pub fn of(config: ClientConfig) -> Self {
        Self { client: Client::new(config), now: Tick::ZERO, log: VecDeque::new() }
    }

    /// Returns a world whose client waits for its server to be started.
    #[must_use]
    pub fn opening(config: ClientConfig) -> Self {
        let mut world = Self::of(config);
        assert_eq!(world.client.connect(world.now), Ok(()));
        assert_eq!(world.take_effects(), [Effect::Open]);
        world
    }

    /// Returns a world whose client has sent `initialize`, with id 1.
    #[must_use]
    pub fn negotiating(config: ClientConfig) -> Self {
        let mut world = Self::opening(config);
        world.client.handle_opened(world.now);
        assert_eq!(world.take_sent().len(), 1);
        world
    }

    /// Returns a world whose client is ready; its server declares everything. The next call has id 7.
    #[must_use]
    pub fn ready() -> Self {
        Self::ready_with(ClientConfig::default())
    }

    /// Returns a world whose client is ready and strict. The next call has id 7.
    #[must_use]
    pub fn strict() -> Self {
        Self::ready_with(changed(|config| config.tolerance = Tolerance::Strict))
    }

    /// Returns whether a strict session ends with this line.
    #[must_use]
    pub fn strict_after(line: &str) -> bool {
        let mut world = Self::strict();
        world.peer(line);
        world.client.reason().is_some()
    }

    /// Returns a world whose client is ready and was made like this. The next call has id 7.
    #[must_use]
    pub fn ready_with(config: ClientConfig) -> Self {
        Self::ready_for(config, &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, line::EVERYTHING))
    }

    /// Returns a world whose client is ready after this answer to `initialize`. The next call has id 7.
    #[must_use]
    pub fn ready_for(config: ClientConfig, welcome: &str) -> Self {
        let mut world = Self::negotiating(config);
        world.peer(welcome);
        assert_eq!(world.client.state(), State::Ready);
        for _ in 0..CALLS_BEFORE {
            let ping = world.must(|client, now| client.ping(now, CallOptions::default()));
            world.peer(line::result(ping, "{}"));
        }
        world.take_effects();
        world
    }
}

// The states of a client of the modern era.
impl World {
    /// Returns a world whose client is ready, with a modern server that declares everything but that it tells of
    /// changes. The next call has id 7.
    #[must_use]
    pub fn modern() -> Self {
        Self::modern_with(ClientConfig::default())
    }

    /// Returns a world whose client is ready, modern, and was made like this. The next call has id 7.
    #[must_use]
    pub fn modern_with(config: ClientConfig) -> Self {
        Self::modern_for(config, line::CAPABILITIES)
    }

    /// Returns a world whose client is ready with a modern server that declares this. The next call has id 7, or
    /// 8 where the client listens for changes, under id 2.
    #[must_use]
    pub fn modern_for(mut config: ClientConfig, capabilities: &str) -> Self {
        config.era = EraPolicy::Pinned(Revision::V2026_07_28);
        let mut world = Self::negotiating(config);
        world.peer(line::discovered(1, capabilities));
        assert_eq!(world.client.state(), State::Ready);
        for _ in 0..CALLS_BEFORE {
            let made =
                world.must(|client, now| client.request(now, "x/nothing", "{}", CallOptions::default()));
            world.peer(line::result(made, "{}"));
        }
        world.take_effects();
        world
    }
}

// What the world does.
impl World {
    /// The peer writes a line.
    pub fn peer(&mut self, line: impl AsRef<[u8]>) {
        let mut bytes = line.as_ref().to_vec();
        bytes.push(b'\n');
        self.peer_bytes(bytes);
    }

    /// The peer writes bytes.
    pub fn peer_bytes(&mut self, bytes: impl AsRef<[u8]>) {
        self.client.handle_bytes(self.now, bytes.as_ref());
    }

    /// Time passes. Every deadline that the client names on the way is met on time.
    ///
    /// A client that never stops naming deadlines fails the test.
    pub fn pass(&mut self, span: Duration) {
        let target = self.now.after(span);
        let mut steps = 0;
        while let Some(due) = self.client.poll_timeout().filter(|due| *due <= target) {
            self.now = self.now.max(due);
            self.client.handle_timeout(self.now);
            steps += 1;
            assert!(steps <= 10_000, "the client spins at {:?}", self.now);
        }
        self.now = target;
    }

    /// Milliseconds pass.
    pub fn pass_millis(&mut self, millis: u64) {
        self.pass(Duration::from_millis(millis));
    }

    /// The peer's output ends.
    pub fn eof(&mut self) {
        self.client.handle_eof(self.now);
    }

    /// The peer exits with this code.
    pub fn exit(&mut self, code: i32) {
        self.client.handle_exited(self.now, exit_code(code));
    }
}

// What the application wants.
impl World {
    /// Calls a tool.
    pub fn call(&mut self, name: &str, arguments: &str) -> CallId {
        self.call_with(name, arguments, CallOptions::default())
    }

    /// Calls a tool with options.
    pub fn call_with(&mut self, name: &str, arguments: &str, options: CallOptions<'_>) -> CallId {
        self.must(|client, now| client.call_tool(now, name, arguments, options))
    }

    /// Lists the tools.
    pub fn list_tools(&mut self) -> CallId {
        self.must(|client, now| client.list_tools(now, CallOptions::default()))
    }

    /// Gives a command that must not fail.
    pub fn must<T>(&mut self, command: impl FnOnce(&mut Client, Tick) -> Result<T, Misuse>) -> T {
        match command(&mut self.client, self.now) {
            Ok(done) => done,
            Err(misuse) => fail(&format!("a command failed: {misuse}")),
        }
    }

    /// Gives up on a call.
    pub fn cancel(&mut self, call: CallId) {
        self.client.cancel(self.now, call);
    }

    /// Shuts the session down.
    pub fn shut_down(&mut self) {
        self.client.shutdown(self.now);
    }
}

// What the client has asked of its host.
impl World {
    /// Takes everything, oldest first.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        self.drain();
        self.log.drain(..).collect()
    }

    /// Takes the events, and leaves the rest.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.take(|effect| match effect {
            Effect::Event(event) => Some(event.clone()),
            _ => None,
        })
    }

    /// Takes what was written to the peer, message by message without its line end, and leaves the rest.
    pub fn take_sent(&mut self) -> Vec<String> {
        self.take(|effect| match effect {
            Effect::Send(bytes) => Some(to_line(bytes)),
            _ => None,
        })
    }

    /// Takes the settlement of a call and leaves the rest. It must be there, once.
    pub fn outcome(&mut self, call: CallId) -> Result<Answer, CallError> {
        let mut outcomes = self.take(|effect| match effect {
            Effect::Event(Event::Settled { call: own, outcome }) if *own == call => Some(outcome.clone()),
            _ => None,
        });
        assert_eq!(outcomes.len(), 1, "{call:?} must have ended once: {outcomes:?}");
        outcomes.remove(0)
    }

    /// Takes the settlement of a tool call that went well, and returns its text.
    pub fn text(&mut self, call: CallId) -> String {
        match self.outcome(call) {
            Ok(Answer::Called(result)) => result.text(),
            other => fail(&format!("{call:?} went wrong: {other:?}")),
        }
    }

    /// Takes the settlement of a call that went wrong.
    pub fn failure(&mut self, call: CallId) -> CallError {
        match self.outcome(call) {
            Err(error) => error,
            Ok(answer) => fail(&format!("{call:?} went well: {answer:?}")),
        }
    }

    /// Nothing is left of what the client asked of its host.
    pub fn assert_quiet(&mut self) {
        assert_eq!(self.take_effects(), []);
    }

    /// The session works: a call and its answer do what they must and nothing else.
    pub fn assert_lives(&mut self) {
        self.take_effects();
        let call = self.call("t", "{}");
        assert_eq!(self.take_sent().len(), 1);
        self.peer(line::ok(call));
        assert_eq!(self.text(call), "ok");
        self.assert_quiet();
    }

    fn drain(&mut self) {
        while let Some(effect) = self.client.poll_effect() {
            if let Effect::Send(bytes) = &effect {
                check_written(bytes);
            }
            self.log.push_back(effect);
        }
    }

    fn take<T>(&mut self, wanted: impl Fn(&Effect) -> Option<T>) -> Vec<T> {
        self.drain();
        let taken = self.log.iter().filter_map(&wanted).collect();
        self.log.retain(|effect| wanted(effect).is_none());
        taken
    }
}

/// Returns the default configuration with a change.
pub fn changed(change: impl FnOnce(&mut ClientConfig)) -> ClientConfig {
    let mut config = ClientConfig::default();
    change(&mut config);
    config
}

/// Returns the status of a process that exited with this code.
#[must_use]
pub const fn exit_code(code: i32) -> ExitStatus {
    ExitStatus { code: Some(code), signal: None }
}

/// Takes a written message apart: it must be UTF-8, one JSON value, and end with the only line feed in it.
#[must_use]
pub fn to_line(bytes: &[u8]) -> String {
    let Ok(mut text) = String::from_utf8(bytes.to_vec()) else { fail("a written message is not UTF-8") };
    assert_eq!(text.pop(), Some('\n'), "a written message ends with a line feed: {text}");
    assert!(!text.contains('\n'), "a written message holds a line feed: {text}");
    assert!(RawJson::new(text.as_str()).is_ok(), "a written message is not JSON: {text}");
    text
}

/// Fails the test.
#[expect(clippy::panic, reason = "a harness fails by panicking")]
pub(crate) fn fail(why: &str) -> ! {
    panic!("{why}")
}
