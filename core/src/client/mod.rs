//! The client: lifecycle, handshake, calls, and what a server may ask of us.

mod asks;
mod calls;
mod changes;
mod closing;
mod contracts;
mod event;
mod inbound;
mod negotiate;
mod state;
mod stray;

use alloc::{
    collections::VecDeque,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::time::Duration;

use crate::{
    Limits, Misuse, Tick, Tolerance, Violation,
    frame::{Framer, Framing},
    jsonrpc,
    protocol::{Handshake, Implementation, Pages, Revision},
    requests::{Patience, Requests},
};
use changes::Changes;
use closing::Ending;
use contracts::{Contracts, Demand};
use state::Trigger;
use stray::Tail;

pub use calls::CallOptions;
pub use event::{
    Answer, AnswerFault, AskId, BadResult, CallError, CallId, Effect, Event, Evidence, ExitStatus, Hint,
    Offered, OpenError, Progress, Reason, RetirementError, Side, Unchecked,
};
pub use state::State;
pub use stray::Stray;

/// How a client behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientConfig {
    /// Who the client says it is.
    pub implementation: Implementation,
    /// What a server may ask of the application; nothing by default.
    pub offers: Offers,
    /// How output that is not the protocol is taken.
    pub tolerance: Tolerance,
    /// How messages to the server are delimited.
    pub framing: Framing,
    /// The time from connecting to the end of the handshake. Default 30 s.
    pub handshake_timeout: Duration,
    /// How long a call may take where its options do not say. Default 60 s, with progress 600 s.
    pub patience: Patience,
    /// The time a server has to end by itself once its input is closed. Default 500 ms.
    pub close_grace: Duration,
    /// The time it then has to end on SIGTERM. Default 2 s.
    pub terminate_grace: Duration,
    /// The time its end is waited for once it is killed. Default 2 s.
    pub kill_grace: Duration,
    /// The time from the end of a server's output to its exit, or the other way round. Default 50 ms.
    pub drain_grace: Duration,
    /// The shortest time between two events that say that one list has changed. Default 334 ms.
    pub changes_interval: Duration,
    /// Say goodbye with a `shutdown` request and an `exit` notification, for servers built on
    /// language-server libraries. Off by default: the protocol has no such messages.
    pub farewell: bool,
    /// What of a call is checked against the schemas of its tool, once the tools were listed.
    pub checks: Checks,
    /// Bounds on what the server can make the client keep.
    pub limits: Limits,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("selvedge", env!("CARGO_PKG_VERSION")),
            offers: Offers::default(),
            tolerance: Tolerance::default(),
            framing: Framing::default(),
            handshake_timeout: Duration::from_secs(30),
            patience: Patience { idle: Duration::from_mins(1), total: Duration::from_mins(10) },
            close_grace: Duration::from_millis(500),
            terminate_grace: Duration::from_secs(2),
            kill_grace: Duration::from_secs(2),
            drain_grace: Duration::from_millis(50),
            changes_interval: Duration::from_millis(334),
            farewell: false,
            checks: Checks::default(),
            limits: Limits::default(),
        }
    }
}

/// What a server may ask of the application.
///
/// What is offered here is declared to the server and comes as [`Event::Asked`]; what is not is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offers {
    /// The server may have the application's model complete messages.
    pub sampling: bool,
    /// The server may put questions to the application's user.
    pub elicitation: bool,
    /// The server may learn which folders the application works on.
    pub roots: bool,
}

/// What of a call is checked against the schemas of its tool.
///
/// The newest listing counts that the application made with `list_tools`; what it did not list is not checked,
/// nor is anything from the moment that the server says that its tools have changed until they are listed again.
/// [`Event::Unchecked`] says what cannot be checked, which stands in the way of no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Arguments that do not fit are [`Misuse::BadArguments`], and nothing is sent.
    pub arguments: bool,
    /// A result that is not what was promised is [`CallError::BadResult`], with the result in it.
    pub results: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Self { arguments: true, results: true }
    }
}

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
    requests: Requests<Tag, Offered>,
    effects: VecDeque<Effect>,
    handshake: Option<Handshake>,
    /// When the handshake must be done.
    handshake_due: Option<Tick>,
    ending: Ending,
    changes: Changes,
    contracts: Contracts,
    stray: Stray,
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
}

#[derive(Debug)]
enum Purpose {
    Initialize {
        asked: Revision,
    },
    Discover {
        refusal: jsonrpc::RpcError,
    },
    CallTool {
        promise: Option<Arc<Demand>>,
    },
    List {
        pages: Pages,
        /// How often the tools had changed when the first page came.
        edition: u64,
    },
    ReadResource,
    GetPrompt,
    Complete,
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
            handshake_due: None,
            ending: Ending::default(),
            changes: Changes::default(),
            contracts: Contracts::default(),
            stray: Stray::default(),
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
            self.initialize();
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
        self.expire_calls(now);
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
        [
            self.handshake_due,
            self.requests.poll_timeout(),
            self.changes.poll_timeout(),
            self.ending.poll_timeout(),
        ]
        .into_iter()
        .flatten()
        .min()
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
            self.send_cancelled(id, "timed out");
            let outcome = Err(CallError::TimedOut { after, hint: self.hint_for(id) });
            self.tell(Event::Settled { call: waiting.tag.call, outcome });
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

impl Offers {
    /// Returns what is offered as the protocol's capability object.
    fn to_capabilities(self) -> String {
        let declared =
            [("sampling", self.sampling), ("elicitation", self.elicitation), ("roots", self.roots)];
        let members: Vec<_> = declared
            .iter()
            .filter(|(_, is_on)| *is_on)
            .map(|(name, _)| alloc::format!("\"{name}\":{{}}"))
            .collect();
        alloc::format!("{{{}}}", members.join(","))
    }
}
