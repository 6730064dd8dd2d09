//! The endpoint: which request is answered by whom.

use alloc::collections::VecDeque;

use super::{EndpointConfig, Exchange, HttpEffect, RequestHead, store::EventStore};
use crate::{
    Misuse, Tick,
    server::{Hub, HubEffect, ServedCall},
};
use alloc::boxed::Box;

/// A server behind HTTP, as a value: heads, bodies, ticks and commands in, effects out.
///
/// What a server can do besides is in [`Hub`], which [`hub`](Self::hub) reaches: calls are answered there.
#[derive(Debug)]
pub struct Endpoint {
    hub: Hub,
    now: Tick,
    serial: u64,
    effects: VecDeque<HttpEffect>,
}

impl Endpoint {
    /// Makes an endpoint that keeps the messages of its streams in memory.
    #[must_use]
    pub fn new(config: EndpointConfig) -> Self {
        Self { hub: Hub::new(config.server), now: Tick::ZERO, serial: 0, effects: VecDeque::new() }
    }

    /// Makes an endpoint that keeps the messages of its streams elsewhere.
    #[must_use]
    pub fn with_store(config: EndpointConfig, _store: Box<dyn EventStore>) -> Self {
        Self::new(config)
    }

    /// The head of a request has come; its body follows, or its end.
    pub fn handle_request(&mut self, now: Tick, _head: &RequestHead<'_>) -> Exchange {
        self.now = self.now.max(now);
        self.serial += 1;
        Exchange(self.serial)
    }

    /// A part of a request's body has come.
    pub fn handle_body(&mut self, _now: Tick, _exchange: Exchange, _bytes: &[u8]) {}

    /// The body of a request is complete; a request without a body has ended too.
    pub fn handle_body_end(&mut self, _now: Tick, _exchange: Exchange) {}

    /// The client of an exchange is gone, or nothing more can be written to it.
    pub fn handle_disconnect(&mut self, _now: Tick, _exchange: Exchange) {}

    /// Time has passed; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Tick) {
        self.hub.handle_timeout(now);
    }

    /// Returns when the host must call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Tick> {
        self.hub.poll_timeout()
    }

    /// Returns the next thing that the host must do, oldest first.
    pub fn poll_effect(&mut self) -> Option<HttpEffect> {
        if let Some(effect) = self.effects.pop_front() {
            return Some(effect);
        }
        match self.hub.poll_effect()? {
            HubEffect::Event(event) => Some(HttpEffect::Event(event)),
            HubEffect::Deliver(_) => None,
        }
    }

    /// Returns the server behind the endpoint.
    pub const fn hub(&mut self) -> &mut Hub {
        &mut self.hub
    }

    /// Closes the connection of a call while it goes on; its client comes back for the rest (2025-11-25,
    /// polling).
    ///
    /// # Errors
    ///
    /// The call does not wait for the application, or its client could not come back.
    pub fn close_stream(&mut self, _now: Tick, _call: ServedCall) -> Result<(), Misuse> {
        Err(Misuse::UnknownAsk)
    }

    /// Stops taking requests, ends the streams that belong to no call, and lets calls end.
    pub fn drain(&mut self, now: Tick) {
        self.hub.end_subscriptions(now);
    }

    /// Returns whether the endpoint drains and nothing is under way any more.
    #[must_use]
    pub const fn is_drained(&self) -> bool {
        false
    }

    /// Returns how many exchanges are under way.
    #[must_use]
    pub const fn exchanges(&self) -> usize {
        0
    }

    /// Returns how many sessions there are.
    #[must_use]
    pub const fn sessions(&self) -> usize {
        0
    }
}
