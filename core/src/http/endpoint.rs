//! The endpoint: its inputs, its commands, and what it has in hand.

use alloc::{
    boxed::Box,
    collections::{BTreeMap, BTreeSet, VecDeque},
    string::String,
    sync::Arc,
    vec::Vec,
};
use core::mem;

use super::{
    EndpointConfig, Exchange, HttpEffect, MemoryStore, RequestHead, ResponseHead,
    batches::Batches,
    head::Fields,
    mirror::Rules,
    reply::Reply,
    sessions::Sessions,
    shares::{Account, Shares},
    store::EventStore,
};
use crate::{
    Tick,
    jsonrpc::code,
    server::{Hub, HubEffect, Peer},
    sse,
};

/// A server behind HTTP, as a value: heads, bodies, ticks and commands in, effects out.
///
/// What a server can do besides is in [`Hub`], which [`hub`](Self::hub) reaches: calls are answered there.
#[derive(Debug)]
pub struct Endpoint {
    pub(super) hub: Hub,
    pub(super) config: EndpointConfig,
    pub(super) now: Tick,
    pub(super) sessions: Sessions,
    pub(super) store: Box<dyn EventStore>,
    pub(super) rules: Rules,
    /// Whose the clients of the hub are.
    pub(super) owners: BTreeMap<Peer, Owner>,
    pub(super) is_draining: bool,
    pub(super) batches: Batches,
    /// What each client has of exchanges, and of bodies that are not complete.
    pub(super) shares: Shares,
    exchanges: BTreeMap<Exchange, Open>,
    timers: BTreeSet<(Tick, Timer)>,
    serial: u64,
    effects: VecDeque<HttpEffect>,
}

/// Whose a client of the hub is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// One exchange (modern era).
    Exchange(Exchange),
    /// A session (legacy era).
    Session(u64),
}

/// What waits for time to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    Exchange(Exchange),
    /// A session that nobody uses.
    Session(u64),
    /// A session with calls whose client is gone.
    Silence(u64),
    /// A stream of a session that nobody has come back to.
    Stream(u64, u64),
}

/// An exchange under way.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) account: Account,
    /// An earlier request of its connection was answered.
    pub(super) is_established: bool,
    pub(super) principal: Option<Arc<str>>,
    /// The page that asks, where one does.
    origin: Option<String>,
    pub(super) stage: Stage,
    due: Option<Tick>,
}

/// How far an exchange is.
#[derive(Debug)]
pub(super) enum Stage {
    /// Its body is coming.
    Body(Box<Posted>),
    /// Its body is being read; nothing has been said.
    Read,
    /// It waits for what the hub says; nothing has been said.
    Waiting(Bond),
    /// It is a stream of events.
    Streaming(Bond),
}

/// What the output of an exchange is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bond {
    /// That of a client of its own (modern era).
    Peer(Peer),
    /// A stream of a session.
    Stream(u64, u64),
    /// All that is said in a session (2024-11-05).
    Session(u64),
}

/// A message that is being posted.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) fields: Fields,
    /// The session of 2024-11-05 that it belongs to.
    pub(super) old_session: Option<u64>,
    pub(super) body: Vec<u8>,
}

impl Endpoint {
    /// Makes an endpoint that keeps the messages of its streams in memory.
    #[must_use]
    pub fn new(config: EndpointConfig) -> Self {
        let store = Box::new(MemoryStore::new(&config.limits));
        Self::with_store(config, store)
    }

    /// Makes an endpoint that keeps the messages of its streams elsewhere.
    #[must_use]
    pub fn with_store(mut config: EndpointConfig, store: Box<dyn EventStore>) -> Self {
        Self {
            hub: Hub::new(mem::take(&mut config.server)),
            now: Tick::ZERO,
            sessions: Sessions::new(config.seed),
            store,
            rules: Rules::default(),
            owners: BTreeMap::new(),
            is_draining: false,
            batches: Batches::default(),
            shares: Shares::default(),
            exchanges: BTreeMap::new(),
            timers: BTreeSet::new(),
            serial: 0,
            effects: VecDeque::new(),
            config,
        }
    }

    /// The head of a request has come; its body follows, or its end.
    pub fn handle_request(&mut self, now: Tick, head: &RequestHead<'_>) -> Exchange {
        self.turn(now);
        self.serial += 1;
        let exchange = Exchange(self.serial);
        let account = Account { client: head.client, connection: head.connection };
        let (principal, is_established) = (head.principal.clone(), head.is_established);
        let open = Open { account, is_established, principal, origin: None, stage: Stage::Read, due: None };
        self.exchanges.insert(exchange, open);
        if !self.shares.begin(&self.config.limits, account) {
            let reply = Reply::refusal(503, code::INTERNAL_ERROR, "too many requests are under way");
            self.reply(exchange, reply.with("retry-after", "1"));
            return exchange;
        }
        if let Err(reply) = self.route(exchange, head) {
            self.reply(exchange, reply);
        }
        exchange
    }

    /// A part of a request's body has come.
    pub fn handle_body(&mut self, now: Tick, exchange: Exchange, bytes: &[u8]) {
        self.turn(now);
        let limit = self.hub.config().limits.max_message_bytes;
        let Some(Open { stage: Stage::Body(posted), account, .. }) = self.exchanges.get_mut(&exchange) else {
            return;
        };
        if posted.body.len() + bytes.len() > limit {
            return self.reply(exchange, too_large(limit));
        }
        if !self.shares.keep(&self.config.limits, *account, bytes.len()) {
            let reply = Reply::refusal(503, code::INTERNAL_ERROR, "too many bodies are under way");
            return self.reply(exchange, reply.with("retry-after", "1"));
        }
        posted.body.extend_from_slice(bytes);
    }

    /// The body of a request is complete; a request without a body has ended too.
    pub fn handle_body_end(&mut self, now: Tick, exchange: Exchange) {
        self.turn(now);
        let Some(open) = self.exchanges.get_mut(&exchange) else { return };
        if !matches!(open.stage, Stage::Body(_)) {
            return;
        }
        let Stage::Body(posted) = mem::replace(&mut open.stage, Stage::Read) else { return };
        self.shares.free(open.account, posted.body.len());
        self.set_due(exchange, None);
        self.posted(exchange, &posted);
        self.pump();
    }

    /// The client of an exchange is gone, or nothing more can be written to it.
    pub fn handle_disconnect(&mut self, now: Tick, exchange: Exchange) {
        self.turn(now);
        let Some(open) = self.close(exchange) else { return };
        if let Stage::Waiting(bond) | Stage::Streaming(bond) = open.stage {
            self.unbind(exchange, bond);
        }
        self.pump();
    }

    /// Time has passed; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Tick) {
        self.turn(now);
        self.hub.handle_timeout(self.now);
        self.pump();
        self.take_batches();
        while let Some((_, timer)) = self.timers.first().copied().filter(|(due, _)| *due <= self.now) {
            self.timers.pop_first();
            match timer {
                Timer::Exchange(exchange) => self.exchange_is_due(exchange),
                Timer::Session(session) => self.end_session(session),
                Timer::Silence(session) => self.abandon_calls(session),
                Timer::Stream(session, stream) => self.forget_stream(session, stream),
            }
        }
        self.pump();
    }

    /// Returns when the host must call [`handle_timeout`](Self::handle_timeout) next.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Tick> {
        let own = self.timers.first().map(|(due, _)| *due);
        own.into_iter().chain(self.hub.poll_timeout()).chain(self.batches.due()).min()
    }

    /// Returns the next thing that the host must do, oldest first.
    pub fn poll_effect(&mut self) -> Option<HttpEffect> {
        loop {
            if let Some(effect) = self.effects.pop_front() {
                return Some(effect);
            }
            self.now = self.now.max(self.hub.now());
            let effect = self.hub.poll_effect()?;
            self.carry_out(effect);
        }
    }

    /// Returns the server behind the endpoint.
    pub const fn hub(&mut self) -> &mut Hub {
        &mut self.hub
    }

    /// Stops taking requests, ends the streams that belong to no call, and lets calls end.
    pub fn drain(&mut self, now: Tick) {
        self.turn(now);
        if mem::replace(&mut self.is_draining, true) {
            return;
        }
        self.hub.end_subscriptions(self.now);
        self.pump();
        let is_aside = |bond: &Bond| matches!(bond, Bond::Stream(_, 0));
        let aside: Vec<_> = self
            .exchanges
            .iter()
            .filter(|(_, open)| matches!(&open.stage, Stage::Streaming(bond) if is_aside(bond)))
            .map(|(exchange, _)| *exchange)
            .collect();
        for exchange in aside {
            self.finish(exchange);
        }
        self.end_idle_old_sessions();
        self.pump();
    }

    /// Returns whether the endpoint drains and nothing is under way any more.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.is_draining
            && self.exchanges.is_empty()
            && self.hub.calls_in_flight() == 0
            && self.batches.due().is_none()
    }

    /// Returns how many exchanges are under way.
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.exchanges.len()
    }

    /// Returns how many sessions there are.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Takes a reading of the clock, and what the application has had the hub say until then.
    pub(super) fn turn(&mut self, now: Tick) {
        self.now = self.now.max(now).max(self.hub.now());
        self.pump();
    }

    pub(super) fn pump(&mut self) {
        while let Some(effect) = self.hub.poll_effect() {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: HubEffect) {
        match effect {
            HubEffect::Event(event) => self.effects.push_back(HttpEffect::Event(event)),
            HubEffect::Deliver(delivery) => self.deliver(delivery),
            HubEffect::Dropped { peer, origin } => self.dropped(peer, origin),
        }
    }

    pub(super) fn open(&self, exchange: Exchange) -> Option<&Open> {
        self.exchanges.get(&exchange)
    }

    pub(super) fn set_stage(&mut self, exchange: Exchange, stage: Stage) {
        if let Some(open) = self.exchanges.get_mut(&exchange) {
            open.stage = stage;
        }
    }

    pub(super) fn set_origin(&mut self, exchange: Exchange, origin: Option<String>) {
        if let Some(open) = self.exchanges.get_mut(&exchange) {
            open.origin = origin;
        }
    }

    pub(super) fn set_due(&mut self, exchange: Exchange, due: Option<Tick>) {
        let Some(open) = self.exchanges.get_mut(&exchange) else { return };
        let before = mem::replace(&mut open.due, due);
        self.set_timer(Timer::Exchange(exchange), before, due);
    }

    /// Moves a timer.
    pub(super) fn set_timer(&mut self, timer: Timer, before: Option<Tick>, due: Option<Tick>) {
        if let Some(before) = before {
            self.timers.remove(&(before, timer));
        }
        self.timers.extend(due.map(|due| (due, timer)));
    }

    /// Sends a whole response.
    pub(super) fn reply(&mut self, exchange: Exchange, mut reply: Reply) {
        self.respond(exchange, reply.status, mem::take(&mut reply.headers));
        if let Some(body) = reply.into_body() {
            self.effects.push_back(HttpEffect::Write { exchange, bytes: body.into_bytes() });
        }
        self.finish(exchange);
    }

    /// Begins a stream of events.
    pub(super) fn stream(&mut self, exchange: Exchange, bond: Bond, session: Option<String>) {
        let fields = [
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache, no-transform"),
            ("x-accel-buffering", "no"),
        ];
        let mut headers: Vec<_> = fields.map(|(name, value)| (name, value.into())).into();
        headers.extend(session.map(|session| ("mcp-session-id", session)));
        self.respond(exchange, 200, headers);
        self.set_stage(exchange, Stage::Streaming(bond));
        self.set_due(exchange, Some(self.now.after(self.config.keep_alive)));
    }

    fn respond(&mut self, exchange: Exchange, status: u16, mut headers: Vec<(&'static str, String)>) {
        let origin = self.exchanges.get(&exchange).and_then(|open| open.origin.clone());
        if let Some(origin) = origin {
            headers.push(("access-control-allow-origin", origin));
            headers.push(("access-control-expose-headers", "mcp-session-id, www-authenticate".into()));
            headers.push(("vary", "origin".into()));
        }
        self.effects.push_back(HttpEffect::Respond { exchange, head: ResponseHead { status, headers } });
    }

    /// Sends a part of a stream.
    pub(super) fn write(&mut self, exchange: Exchange, bytes: Vec<u8>) {
        self.effects.push_back(HttpEffect::Write { exchange, bytes });
        self.set_due(exchange, Some(self.now.after(self.config.keep_alive)));
    }

    /// Ends a response.
    pub(super) fn finish(&mut self, exchange: Exchange) {
        let Some(open) = self.close(exchange) else { return };
        self.effects.push_back(HttpEffect::Finish { exchange });
        if let Stage::Waiting(bond) | Stage::Streaming(bond) = open.stage {
            self.unbind(exchange, bond);
        }
    }

    /// Forgets an exchange.
    fn close(&mut self, exchange: Exchange) -> Option<Open> {
        let open = self.exchanges.remove(&exchange)?;
        self.set_timer(Timer::Exchange(exchange), open.due, None);
        if let Stage::Body(posted) = &open.stage {
            self.shares.free(open.account, posted.body.len());
        }
        self.shares.end(open.account);
        Some(open)
    }

    fn exchange_is_due(&mut self, exchange: Exchange) {
        let Some(open) = self.exchanges.get(&exchange) else { return };
        match open.stage {
            Stage::Body(_) | Stage::Read => {
                let millis = self.config.body_timeout.as_millis();
                let message = alloc::format!("no body within {millis} ms");
                self.reply(exchange, Reply::refusal(408, code::INVALID_REQUEST, &message));
            }
            Stage::Waiting(bond) => self.begin(exchange, bond),
            Stage::Streaming(_) => {
                let mut bytes = Vec::new();
                sse::push_comment(&mut bytes);
                self.write(exchange, bytes);
            }
        }
    }
}

pub(super) fn too_large(limit: usize) -> Reply {
    let message = alloc::format!("the body exceeds {limit} bytes");
    Reply::refusal(413, code::INVALID_REQUEST, &message)
}
