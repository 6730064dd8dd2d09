//! The client: lifecycle, handshake, calls, and what a server may ask of us.

mod answers;
mod asks;
mod cache;
mod calls;
mod changes;
mod closing;
mod config;
#[cfg_attr(not(feature = "checks"), path = "unchecked.rs")]
mod contracts;
mod echo;
mod event;
mod inbound;
mod listen;
mod negotiate;
mod process;
mod rounds;
mod state;
mod stray;

use alloc::{
    boxed::Box,
    collections::VecDeque,
    string::{String, ToString},
};

use crate::{
    Misuse, Tick, Violation,
    frame::Framer,
    json::RawJson,
    jsonrpc,
    protocol::{Envelope, Era, Handshake, LogLevel, Pages, Revision},
    requests::Requests,
};
use asks::Asked;
use cache::{Cache, Key};
use changes::Changes;
use closing::Ending;
use contracts::{Contracts, Promise};
use echo::Echo;
use listen::Listens;
use rounds::{Again, Paced};
use state::Trigger;
use stray::Tail;

pub use calls::CallOptions;
#[cfg(feature = "checks")]
pub use config::Checks;
pub use config::{ClientConfig, EraPolicy, Offers};
#[cfg(feature = "checks")]
pub use contracts::{BadResult, Side, Unchecked};
pub use event::{
    Answer, AnswerFault, AskId, CallError, CallId, Effect, Event, Hint, Offered, Progress, Reason,
};
pub use process::{Evidence, ExitStatus, OpenError, RetirementError};
pub use state::State;
pub use stray::Stray;

/// One session with one server, as a value: bytes, ticks and commands in, effects out.
///
/// - *Inputs* (`handle_*`) say what the world did. They never fail.
/// - *Commands* (`connect`, `call_tool`, …) say what the application wants. They fail only through the
///   application's own mistake.
/// - [`poll_effect`](Self::poll_effect) says what the host must do, oldest first, until `None`; it may be
///   drained at any rhythm.
/// - [`poll_timeout`](Self::poll_timeout) says when the host must call
///   [`handle_timeout`](Self::handle_timeout) next; calling early does nothing.
///
/// Every call is settled exactly once, whatever becomes of the server.
#[derive(Debug)]
pub struct Client {
    config: ClientConfig,
    state: State,
    now: Tick,
    framer: Framer,
    requests: Requests<Tag, Asked>,
    effects: VecDeque<Effect>,
    handshake: Option<Handshake>,
    /// The era of the requests that are made: while that is open, the one of the last question.
    era: Era,
    /// What every request of the modern era carries.
    envelope: Option<Envelope>,
    /// When the handshake must be done.
    handshake_due: Option<Tick>,
    /// Until when a server that may not know the question is given to answer it.
    probe_due: Option<Tick>,
    /// The question that was given up: its answer may still come.
    late_probe: Option<u64>,
    /// The level of log messages that calls of the modern era name.
    log_level: Option<LogLevel>,
    /// Some call has asked for log messages.
    has_wanted_logs: bool,
    paced: Paced,
    cache: Cache,
    listens: Listens,
    ending: Ending,
    changes: Changes,
    contracts: Contracts,
    stray: Stray,
    echo: Echo,
    stderr: Tail,
    /// What may have become of answers that do not come.
    hint: Option<Hint>,
    /// The only request that an error without an id can have meant, and that error.
    blamed: Option<(u64, jsonrpc::RpcError)>,
}

/// What a request of ours is for.
#[derive(Debug)]
struct Tag {
    call: CallId,
    purpose: Purpose,
    /// What it takes to make the call again, where a server may ask for that.
    again: Option<Box<Again>>,
    /// The generation of the cache when the request was made.
    generation: u64,
    /// How far the server was when it told so last.
    progress: Option<RawJson>,
}

#[derive(Debug)]
enum Purpose {
    Initialize {
        asked: Revision,
    },
    Discover {
        refusal: Option<Box<Reason>>,
        is_second: bool,
    },
    CallTool {
        promise: Option<Promise>,
    },
    List {
        pages: Pages,
        /// How often the tools had changed when the first page came.
        edition: u64,
    },
    ReadResource {
        key: Option<Box<Key>>,
    },
    GetPrompt,
    Complete,
    Listen,
    Rediscover,
    Done,
    Raw,
}

impl Client {
    /// Makes a parked client: it owns no process and nothing has been opened.
    #[must_use]
    pub fn new(config: ClientConfig) -> Self {
        Self {
            framer: Framer::new(config.limits.max_message_bytes),
            config,
            state: State::Parked,
            now: Tick::ZERO,
            requests: Requests::new(),
            effects: VecDeque::new(),
            handshake: None,
            era: Era::Legacy,
            envelope: None,
            handshake_due: None,
            probe_due: None,
            late_probe: None,
            log_level: None,
            has_wanted_logs: false,
            paced: Paced::new(),
            cache: Cache::default(),
            listens: Listens::default(),
            ending: Ending::default(),
            changes: Changes::default(),
            contracts: Contracts::default(),
            stray: Stray::default(),
            echo: Echo::default(),
            stderr: Tail::default(),
            hint: None,
            blamed: None,
        }
    }

    /// Starts the session: has the server opened, then shakes hands with it.
    ///
    /// # Errors
    ///
    /// A session connects once.
    pub fn connect(&mut self, now: Tick) -> Result<(), Misuse> {
        let now = self.turn(now);
        if !self.advance(Trigger::Connect) {
            return Err(Misuse::AlreadyConnected { state: self.state.name() });
        }
        self.handshake_due = Some(now.after(self.config.handshake_timeout));
        self.effects.push_back(Effect::Open);
        Ok(())
    }

    /// Ends the session: settles what waits, then retires the server. Once is enough; more does nothing.
    pub fn shutdown(&mut self, now: Tick) {
        self.turn(now);
        self.end(Reason::ShutDown);
    }

    /// The host has started the server.
    pub fn handle_opened(&mut self, now: Tick) {
        self.turn(now);
        self.ending.is_opened |= self.state != State::Parked;
        if self.advance(Trigger::Opened) {
            self.negotiate();
        }
    }

    /// The host could not start the server.
    pub fn handle_open_failed(&mut self, now: Tick, error: OpenError) {
        self.turn(now);
        self.open_failed(error);
    }

    /// The server wrote these bytes on its output.
    pub fn handle_bytes(&mut self, now: Tick, bytes: &[u8]) {
        self.turn(now);
        self.read(bytes);
    }

    /// The server's output has ended.
    pub fn handle_eof(&mut self, now: Tick) {
        self.turn(now);
        self.output_ended();
    }

    /// The server's input takes no more bytes.
    pub fn handle_write_failed(&mut self, now: Tick, error: &str) {
        self.turn(now);
        self.input_failed(error);
    }

    /// The server wrote these bytes on its diagnostic stream.
    pub fn handle_stderr(&mut self, bytes: &[u8]) {
        self.stderr.push(bytes, self.config.limits.max_stderr_kept_bytes);
    }

    /// The server has exited.
    pub fn handle_exited(&mut self, now: Tick, status: ExitStatus) {
        self.turn(now);
        self.exited(status);
    }

    /// The host lost sight of the server: whether it has exited will never be known.
    pub fn handle_exit_lost(&mut self, now: Tick) {
        self.turn(now);
        self.exit_lost();
    }

    /// Time has passed. Calling early does nothing.
    pub fn handle_timeout(&mut self, now: Tick) {
        let now = self.turn(now);
        self.expire_handshake(now);
        self.expire_probe(now);
        self.expire_calls(now);
        self.expire_paced(now);
        while let Some(event) = self.changes.expire(now, self.config.changes_interval) {
            self.tell(event);
        }
        self.expire_ending(now);
    }

    /// Returns the next thing that the host must do, oldest first.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Returns when the host must call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Tick> {
        let dues = [
            self.handshake_due,
            self.probe_due,
            self.paced.first().map(|(due, _)| *due),
            self.requests.poll_timeout(),
            self.changes.poll_timeout(),
            self.ending.poll_timeout(),
        ];
        let mut first = None;
        for due in dues {
            if first.is_none_or(|first| due.is_some_and(|due| due < first)) {
                first = due;
            }
        }
        first
    }

    /// Returns where the client stands.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// Returns what the handshake settled.
    #[must_use]
    pub const fn handshake(&self) -> Option<&Handshake> {
        self.handshake.as_ref()
    }

    /// Returns why the session ended.
    #[must_use]
    pub const fn reason(&self) -> Option<&Reason> {
        self.ending.reason()
    }

    /// Returns what the server wrote that is no message.
    #[must_use]
    pub const fn stray(&self) -> &Stray {
        &self.stray
    }

    /// Returns the newest text of the server's diagnostic stream.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.stderr.to_text()
    }

    /// Returns how many calls wait for their answers.
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.requests.count()
    }

    /// Returns how the client behaves.
    #[must_use]
    pub const fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Returns whether the requests that are made are those of the modern era.
    const fn is_modern(&self) -> bool {
        matches!(self.era, Era::Modern)
    }

    /// Starts a turn: time never goes back.
    fn turn(&mut self, now: Tick) -> Tick {
        self.now = self.now.max(now);
        self.now
    }

    /// Moves on in the table of states; `false` where the trigger means nothing.
    const fn advance(&mut self, trigger: Trigger) -> bool {
        match self.state.after(trigger) {
            Some(state) => {
                self.state = state;
                true
            }
            None => false,
        }
    }

    fn tell(&mut self, event: Event) {
        self.effects.push_back(Effect::Event(event));
    }

    /// Sends a message, unless the input of the server is closed.
    fn send(&mut self, message: String) {
        if self.ending.input_is_open() {
            self.echo.wrote(&message);
            self.effects.push_back(Effect::Send(self.config.framing.frame(message.into_bytes())));
        }
    }

    /// Reports a violation and does what follows from it, short of replying; returns the code to reply with.
    fn violated(&mut self, violation: Violation) -> Option<i64> {
        let verdict = violation.verdict(self.config.tolerance);
        match &violation {
            Violation::MultiLineJson => self.hint = Some(Hint::MultiLineJson),
            Violation::Utf16 => self.hint = Some(Hint::Utf16),
            _ => {}
        }
        self.tell(Event::PeerViolated(violation.clone()));
        match verdict {
            crate::Verdict::Reply(code) => Some(code),
            crate::Verdict::Ignore => None,
            crate::Verdict::Close => {
                self.end(Reason::Violated(violation));
                None
            }
        }
    }

    /// Gives up on the requests whose time is up.
    fn expire_calls(&mut self, now: Tick) {
        while let Some((id, waiting)) = self.requests.expire(now) {
            let after = waiting.spent();
            if waiting.tag.is_sent() {
                self.send_cancelled(id, "timed out");
            }
            let error = CallError::TimedOut { after, hint: self.hint_for(id) };
            self.fail(&waiting.tag, error);
            self.abandon(id, &waiting.tag);
        }
    }

    /// Returns what may have become of the answer to a request.
    pub(super) fn hint_for(&self, id: u64) -> Option<Hint> {
        let blamed = self.blamed.as_ref().filter(|(blamed, _)| *blamed == id);
        blamed.map(|(_, error)| Hint::PeerError(error.clone())).or_else(|| self.hint.clone())
    }

    /// Tells the server that a request's answer is not wanted any more.
    fn send_cancelled(&mut self, id: u64, reason: &str) {
        let mut params = String::from("{\"requestId\":");
        params.push_str(&id.to_string());
        params.push_str(",\"reason\":");
        crate::json::push_string(&mut params, reason);
        params.push('}');
        let mut message = String::new();
        jsonrpc::push_notification(&mut message, "notifications/cancelled", Some(&params));
        self.send(message);
    }
}
