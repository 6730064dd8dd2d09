//! The server: lifecycle gate and dispatch of tools, in the legacy era.

mod dispatch;

use alloc::{collections::VecDeque, string::String, vec::Vec};

use crate::{
    Limits, Misuse, Tick, Violation,
    frame::{Framer, Framing},
    json::{Kind, RawJson},
    jsonrpc::{self, Id, RpcError},
    protocol::{Implementation, Revision},
    requests::Requests,
};

/// How a server behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Who the server says it is.
    pub implementation: Implementation,
    /// What the server wants a model to know.
    pub instructions: Option<String>,
    /// The tools, each as the object that `tools/list` shows.
    pub tools: Vec<RawJson>,
    /// How messages to the client are delimited.
    pub framing: Framing,
    /// Bounds on what a client can make the server keep.
    pub limits: Limits,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("selvedge", env!("CARGO_PKG_VERSION")),
            instructions: None,
            tools: Vec::new(),
            framing: Framing::default(),
            limits: Limits::default(),
        }
    }
}

/// What a server asks its host to do next.
///
/// Exhaustive on purpose: a host that cannot carry out a new effect must not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum ServerEffect {
    /// Write these bytes to the client, whole and in order.
    Send(Vec<u8>),
    /// Tell the application.
    Event(ServerEvent),
}

/// Names a call that a client makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServedCall(Id);

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A client has shaken hands.
    Initialized {
        /// The client; its name is empty where it did not give one.
        client: Implementation,
        /// The revision that both sides speak from here on.
        revision: Revision,
    },
    /// A client calls a tool; `answer` answers it.
    Called {
        /// The call.
        call: ServedCall,
        /// The tool, one of the listed ones.
        name: String,
        /// Its arguments, an object.
        arguments: RawJson,
    },
    /// The client does not want the answer any more.
    Cancelled {
        /// The call.
        call: ServedCall,
    },
    /// The client did something against the protocol.
    PeerViolated(Violation),
    /// The client has closed the session; calls under way may still be answered.
    Closed,
}

/// One session with one client, as a value: bytes and commands in, effects out.
///
/// The verbs are those of [`Client`](crate::Client).
#[derive(Debug)]
pub struct Server {
    config: ServerConfig,
    framer: Framer,
    requests: Requests<(), Served>,
    effects: VecDeque<ServerEffect>,
    revision: Option<Revision>,
    is_closed: bool,
}

/// A call that waits for the application.
#[derive(Debug)]
struct Served {
    /// The token that the client wants progress reported under, as its JSON text.
    progress_token: Option<String>,
}

impl Server {
    /// Makes a server that has met no client yet.
    #[must_use]
    pub fn new(config: ServerConfig) -> Self {
        Self {
            framer: Framer::new(config.limits.max_message_bytes),
            config,
            requests: Requests::new(),
            effects: VecDeque::new(),
            revision: None,
            is_closed: false,
        }
    }

    /// The client wrote these bytes.
    pub fn handle_bytes(&mut self, _now: Tick, bytes: &[u8]) {
        if self.is_closed {
            return;
        }
        let mut framer = core::mem::replace(&mut self.framer, Framer::new(0));
        let mut feed = framer.feed(bytes);
        while let Some(piece) = feed.next() {
            self.piece(piece);
        }
        self.framer = framer;
    }

    /// The client's output has ended.
    pub fn handle_eof(&mut self, _now: Tick) {
        if self.is_closed {
            return;
        }
        if let Some(piece) = self.framer.finish() {
            self.piece(piece);
        }
        self.is_closed = true;
        self.tell(ServerEvent::Closed);
    }

    /// Time has passed. No deadline of a server exists yet.
    pub fn handle_timeout(&mut self, _now: Tick) {}

    /// Answers a call with its result, an object, or with a protocol error.
    ///
    /// # Errors
    ///
    /// The client does not wait for this answer, or the result is not an object.
    pub fn answer(&mut self, call: &ServedCall, answer: Result<&RawJson, &RpcError>) -> Result<(), Misuse> {
        if answer.is_ok_and(|result| result.view().kind() != Kind::Object) {
            return Err(Misuse::NotAnObject { what: "the answer" });
        }
        if self.requests.answer(&call.0).is_none() {
            return Err(Misuse::UnknownAsk);
        }
        match answer {
            Ok(result) => self.reply(&call.0, result.as_str()),
            Err(error) => self.reply_error(Some(&call.0), error),
        }
        Ok(())
    }

    /// Reports how far a call is, where its client wants to know: what is done, what there is to do, and
    /// what is being done.
    ///
    /// # Errors
    ///
    /// The client does not wait for an answer to this call.
    pub fn report_progress(
        &mut self,
        call: &ServedCall,
        progress: u64,
        total: Option<u64>,
        message: Option<&str>,
    ) -> Result<(), Misuse> {
        use core::fmt::Write as _;
        let served = self.requests.get_asked(&call.0).ok_or(Misuse::UnknownAsk)?;
        let Some(token) = &served.progress_token else { return Ok(()) };
        // Writing to a `String` never fails.
        let mut params = String::new();
        let _ = write!(params, "{{\"progressToken\":{token},\"progress\":{progress}");
        if let Some(total) = total {
            let _ = write!(params, ",\"total\":{total}");
        }
        if let Some(message) = message {
            params.push_str(",\"message\":");
            crate::json::push_string(&mut params, message);
        }
        params.push('}');
        let mut message = String::new();
        jsonrpc::push_notification(&mut message, "notifications/progress", Some(&params));
        self.send(message);
        Ok(())
    }

    /// Returns the next thing that the host must do, oldest first.
    pub fn poll_effect(&mut self) -> Option<ServerEffect> {
        self.effects.pop_front()
    }

    /// Returns when the host must call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Tick> {
        None
    }

    /// Returns how many calls wait for the application.
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.requests.asks()
    }

    fn tell(&mut self, event: ServerEvent) {
        self.effects.push_back(ServerEffect::Event(event));
    }

    fn send(&mut self, message: String) {
        self.effects.push_back(ServerEffect::Send(self.config.framing.frame(message.into_bytes())));
    }

    fn reply(&mut self, id: &Id, result: &str) {
        let mut message = String::with_capacity(64 + result.len());
        jsonrpc::push_result(&mut message, id, result);
        self.send(message);
    }

    fn reply_error(&mut self, id: Option<&Id>, error: &RpcError) {
        let mut message = String::with_capacity(96 + error.message.len());
        jsonrpc::push_error(&mut message, id, error);
        self.send(message);
    }
}
