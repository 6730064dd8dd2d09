//! A server with one client at the other end of a pipe.

use alloc::{format, vec::Vec};

use super::{
    Answer, Binding, Delivery, Hub, HubEffect, Origin, Party, Peer, ServedCall, ServerConfig, ServerEvent,
    Unit,
};
use crate::{
    Misuse, Tick, Violation,
    frame::{Bytes, Framer, Piece},
    jsonrpc::{self, Envelope, RpcError, Shape, code},
};

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

/// One server with one client, as a value: bytes, ticks and commands in, effects out.
///
/// The verbs are those of [`Client`](crate::Client); what a server can do besides answering is in
/// [`Hub`], which [`hub`](Self::hub) reaches.
#[derive(Debug)]
pub struct Server {
    hub: Hub,
    peer: Peer,
    framer: Framer,
    is_closed: bool,
}

impl Server {
    /// Makes a server that has met no client yet.
    #[must_use]
    pub fn new(config: ServerConfig) -> Self {
        let framer = Framer::new(config.limits.max_message_bytes);
        let mut hub = Hub::new(config);
        let peer =
            hub.attach(Binding::Pipe, Party { group: 0, unit: Unit::Pipe, is_established: true }, None);
        Self { hub, peer, framer, is_closed: false }
    }

    /// The client wrote these bytes.
    pub fn handle_bytes(&mut self, now: Tick, bytes: &[u8]) {
        if self.is_closed {
            return;
        }
        let mut framer = core::mem::replace(&mut self.framer, Framer::new(0));
        let mut feed = framer.feed(bytes);
        while let Some(piece) = feed.next() {
            self.piece(now, piece);
        }
        self.framer = framer;
    }

    /// The client's output has ended.
    pub fn handle_eof(&mut self, now: Tick) {
        if self.is_closed {
            return;
        }
        let mut framer = core::mem::replace(&mut self.framer, Framer::new(0));
        if let Some(piece) = framer.finish() {
            self.piece(now, piece);
        }
        self.is_closed = true;
        self.hub.close(now, self.peer);
    }

    /// Time has passed; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Tick) {
        self.hub.handle_timeout(now);
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Nothing waits for this answer, a result is no object, or a question cannot be put.
    pub fn answer(&mut self, now: Tick, call: ServedCall, answer: Answer) -> Result<(), Misuse> {
        self.hub.answer(now, call, answer)
    }

    /// Returns the server behind the pipe.
    pub const fn hub(&mut self) -> &mut Hub {
        &mut self.hub
    }

    /// Returns the next thing that the host must do, oldest first.
    pub fn poll_effect(&mut self) -> Option<ServerEffect> {
        loop {
            return match self.hub.poll_effect()? {
                HubEffect::Event(event) => Some(ServerEffect::Event(event)),
                HubEffect::Deliver(Delivery { message, .. }) => {
                    let framing = self.hub.config().framing;
                    Some(ServerEffect::Send(framing.frame(message.into_bytes())))
                }
                HubEffect::Dropped { .. } => continue,
            };
        }
    }

    /// Returns when the host must call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Tick> {
        self.hub.poll_timeout()
    }

    /// Returns how many calls wait for the application.
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.hub.calls_in_flight()
    }

    fn piece(&mut self, now: Tick, piece: Piece<'_>) {
        match piece {
            Piece::Message(Bytes::Borrowed(bytes)) => self.message(now, bytes),
            Piece::Message(Bytes::Owned(bytes)) => self.message(now, &bytes),
            Piece::Overflowed { .. } => {
                let limit = self.hub.config().limits.max_message_bytes;
                self.unreadable(now, Violation::TooLarge { limit }, code::INVALID_REQUEST);
            }
            Piece::BadHeader(bytes) => {
                self.unreadable(now, Violation::BadHeader { bytes }, code::PARSE_ERROR);
            }
            Piece::Dropped(_) | Piece::Resumed { .. } => {}
        }
    }

    fn message(&mut self, now: Tick, bytes: &[u8]) {
        let text = match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let violation = Violation::NotUtf8 { valid_up_to: error.valid_up_to() };
                return self.unreadable(now, violation, code::PARSE_ERROR);
            }
        };
        let mut envelope = Envelope::default();
        match jsonrpc::read(text, &mut envelope) {
            Ok(Shape::One) => match jsonrpc::classify_once(text, &envelope) {
                Ok(message) => self.hub.accept(now, self.peer, Origin::default(), text, message),
                Err(misfit) => self.hub.accept_misfit(now, self.peer, Origin::default(), &misfit),
            },
            Ok(Shape::Batch(batch)) => {
                self.hub.accept_batch(now, self.peer, Origin::default(), text, &batch);
            }
            Err(error) => self.unreadable(now, Violation::NotJson(error), code::PARSE_ERROR),
        }
    }

    /// Answers a message that shows no request (JSON-RPC 2.0 §5: the id is then null).
    fn unreadable(&mut self, now: Tick, violation: Violation, code: i64) {
        let error = RpcError::new(code, format!("{violation}"));
        self.hub.accept_unreadable(now, self.peer, Origin::default(), violation, &error);
    }
}
