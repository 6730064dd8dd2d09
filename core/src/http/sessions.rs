//! Sessions of the legacy era: their ids, whose they are, and when they end.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::{
    Endpoint, EndpointLimits, Exchange,
    endpoint::{Bond, Owner, Timer},
    reply::Reply,
    streams::Stream,
};
use crate::{
    Tick,
    jsonrpc::code,
    server::{Binding, Peer},
    sse,
};

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: Peer,
    pub(super) name: Arc<str>,
    client: u64,
    principal: Option<Arc<str>>,
    /// The stream that carries everything (2024-11-05).
    pub(super) old: Option<Exchange>,
    /// The streams by their numbers; the one that belongs to no request is 0.
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) last_stream: u64,
    /// Its id has not been told yet.
    pub(super) is_new: bool,
    /// Since when nobody has used it.
    idle_since: Option<Tick>,
}

impl Session {
    fn is_idle(&self) -> bool {
        self.old.is_none() && self.streams.values().all(Stream::is_idle)
    }
}

/// All sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    seed: [u8; 32],
    serial: u64,
    table: BTreeMap<u64, Session>,
    names: BTreeMap<Arc<str>, u64>,
    by_client: BTreeMap<u64, usize>,
    /// Those that nobody uses: by client, the one that was idle for longest first.
    idle: BTreeSet<(u64, Tick, u64)>,
}

impl Sessions {
    pub(super) const fn new(seed: [u8; 32]) -> Self {
        Self {
            seed,
            serial: 0,
            table: BTreeMap::new(),
            names: BTreeMap::new(),
            by_client: BTreeMap::new(),
            idle: BTreeSet::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn get(&self, session: u64) -> Option<&Session> {
        self.table.get(&session)
    }

    pub(super) fn get_mut(&mut self, session: u64) -> Option<&mut Session> {
        self.table.get_mut(&session)
    }

    /// Returns the session with this name, where it is this principal's.
    pub(super) fn find(&self, name: &str, principal: Option<&str>, is_old: bool) -> Option<u64> {
        let serial = *self.names.get(name)?;
        let session = self.table.get(&serial)?;
        let is_own = session.principal.as_deref() == principal;
        (is_own && session.old.is_some() == is_old).then_some(serial)
    }

    /// Returns which session must end before this client can have one more; `Err` where none can.
    fn victim(&self, limits: &EndpointLimits, client: u64) -> Result<Option<u64>, ()> {
        let own = self.by_client.get(&client).copied().unwrap_or_default();
        let from = if own >= limits.max_sessions_per_client {
            client
        } else if self.table.len() < limits.max_sessions {
            return Ok(None);
        } else {
            // Whoever has most gives one up, so that a flood ends its own sessions.
            let most = self.by_client.iter().max_by_key(|(_, count)| **count);
            most.map_or(client, |(client, _)| *client)
        };
        let first = self.idle.range((from, Tick::ZERO, 0)..).next();
        first.filter(|(client, _, _)| *client == from).map(|(_, _, session)| Some(*session)).ok_or(())
    }

    fn next_name(&mut self) -> (u64, Arc<str>) {
        self.serial += 1;
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.seed).expect("a key");
        mac.update(b"session");
        mac.update(&self.serial.to_be_bytes());
        let bytes: [u8; 32] = mac.finalize().into_bytes().into();
        let mut name = String::with_capacity(32);
        BASE64.encode_string(bytes.get(..24).unwrap_or(&bytes), &mut name);
        (self.serial, name.into())
    }

    fn insert(&mut self, peer: Peer, client: u64, principal: Option<Arc<str>>, old: Option<Exchange>) -> u64 {
        let (serial, name) = self.next_name();
        self.names.insert(name.clone(), serial);
        *self.by_client.entry(client).or_default() += 1;
        let session = Session {
            peer,
            name,
            client,
            principal,
            old,
            streams: BTreeMap::new(),
            last_stream: 0,
            is_new: true,
            idle_since: None,
        };
        self.table.insert(serial, session);
        serial
    }

    fn remove(&mut self, serial: u64) -> Option<Session> {
        let session = self.table.remove(&serial)?;
        self.names.remove(&session.name);
        if let Some(since) = session.idle_since {
            self.idle.remove(&(session.client, since, serial));
        }
        if let Some(count) = self.by_client.get_mut(&session.client) {
            *count -= 1;
            if *count == 0 {
                self.by_client.remove(&session.client);
            }
        }
        Some(session)
    }

    /// Notes whether a session is used; returns since when it has not been, before and from here on.
    fn note(&mut self, serial: u64, now: Tick) -> Option<(Option<Tick>, Option<Tick>)> {
        let session = self.table.get_mut(&serial)?;
        let since = session.is_idle().then_some(now);
        let before = core::mem::replace(&mut session.idle_since, since);
        if let Some(before) = before {
            self.idle.remove(&(session.client, before, serial));
        }
        self.idle.extend(since.map(|since| (session.client, since, serial)));
        Some((before, since))
    }
}

impl Endpoint {
    /// Opens a session for the client of an exchange.
    pub(super) fn open_session(&mut self, exchange: Exchange, is_old: bool) -> Result<u64, Reply> {
        let busy = || {
            let reply = Reply::refusal(503, code::INTERNAL_ERROR, "there are too many sessions");
            reply.with("retry-after", "5")
        };
        let open = self.open(exchange).ok_or_else(busy)?;
        let (client, principal) = (open.client, open.principal.clone());
        match self.sessions.victim(&self.config.limits, client) {
            Ok(None) => {}
            Ok(Some(victim)) => self.end_session(victim),
            Err(()) => return Err(busy()),
        }
        let peer = self.hub.attach(Binding::Session, client, principal.clone());
        let session = self.sessions.insert(peer, client, principal, is_old.then_some(exchange));
        self.owners.insert(peer, Owner::Session(session));
        Ok(session)
    }

    /// Opens a session of 2024-11-05, whose first event says where messages are posted.
    pub(super) fn open_old_session(&mut self, exchange: Exchange) -> Result<(), Reply> {
        let session = self.open_session(exchange, true)?;
        self.stream(exchange, Bond::Session(session), None);
        let path = self.config.sse_path.as_deref().unwrap_or_default();
        let name = self.sessions.get(session).map(|session| session.name.clone()).unwrap_or_default();
        let mut bytes = alloc::vec::Vec::new();
        sse::push_event(&mut bytes, Some("endpoint"), None, &alloc::format!("{path}?session={name}"));
        self.write(exchange, bytes);
        Ok(())
    }

    /// Ends a session: its calls are cancelled, its streams end, and its id is not known any more.
    pub(super) fn end_session(&mut self, serial: u64) {
        let Some(session) = self.sessions.remove(serial) else { return };
        self.owners.remove(&session.peer);
        self.set_timer(Timer::Session(serial), session.idle_since.map(|since| self.idle_end(since)), None);
        // Nobody was told of a session that never shook hands.
        if self.hub.revision(session.peer).is_some() {
            self.hub.close(self.now, session.peer);
        }
        self.hub.detach(self.now, session.peer);
        self.store.forget_session(serial);
        for (number, stream) in session.streams {
            self.set_timer(Timer::Stream(serial, number), stream.due, None);
            let Some(exchange) = stream.exchange else { continue };
            self.end_exchange(exchange, 404);
        }
        if let Some(exchange) = session.old {
            self.end_exchange(exchange, 404);
        }
    }

    /// A client does not use its session as it did: it may be idle from here on.
    pub(super) fn note_use(&mut self, serial: u64) {
        let Some((before, since)) = self.sessions.note(serial, self.now) else { return };
        let (before, due) = (before.map(|at| self.idle_end(at)), since.map(|at| self.idle_end(at)));
        self.set_timer(Timer::Session(serial), before, due);
    }

    fn idle_end(&self, since: Tick) -> Tick {
        since.after(self.config.session_idle)
    }

    /// Ends the sessions of 2024-11-05 that wait for no answer: the server is about to stop.
    pub(super) fn end_idle_old_sessions(&mut self) {
        let old = self.sessions.table.iter().filter(|(_, session)| session.old.is_some());
        let idle: alloc::vec::Vec<_> =
            old.filter(|(_, session)| !self.hub.has_calls(session.peer)).map(|(serial, _)| *serial).collect();
        for serial in idle {
            self.end_session(serial);
        }
    }
}
