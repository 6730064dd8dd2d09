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
    shares::Account,
    streams::Stream,
};
use crate::{
    Tick,
    jsonrpc::code,
    server::{Binding, Party, Peer, Unit},
    sse,
};

/// Sessions of one client that one connection has opened and that end before those of others.
const FLOOD: usize = 16;

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: Peer,
    pub(super) name: Arc<str>,
    /// Who opened it.
    account: Account,
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
    /// When its calls are given up, because its client is gone.
    silent_due: Option<Tick>,
    /// Messages that came in it after it was opened.
    messages: u32,
    /// How much it is worth, against others of its client.
    worth: Worth,
}

/// How much a session is worth: less means that it ends before others do, where there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    /// How much it was used: not at all, for its handshake only, or in steps of four times as much.
    rank: u32,
    /// Somebody listens.
    is_open: bool,
    /// When it was used last.
    since: Tick,
}

impl Session {
    fn is_idle(&self) -> bool {
        self.old.is_none() && self.streams.values().all(Stream::is_idle)
    }

    fn is_open(&self) -> bool {
        self.old.is_some() || self.streams.values().any(|stream| stream.exchange.is_some())
    }

    fn worth(&self, now: Tick) -> Worth {
        let rank = match self.messages {
            0 | 1 => self.messages,
            more => 2 + more.ilog2() / 2,
        };
        Worth { rank, is_open: self.is_open(), since: now }
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
    /// By client and by the connection that opened them.
    by_connection: BTreeMap<(u64, u64), usize>,
    /// By client, the one that is worth least first.
    order: BTreeSet<(u64, Worth, u64)>,
}

impl Sessions {
    pub(super) const fn new(seed: [u8; 32]) -> Self {
        Self {
            seed,
            serial: 0,
            table: BTreeMap::new(),
            names: BTreeMap::new(),
            by_client: BTreeMap::new(),
            by_connection: BTreeMap::new(),
            order: BTreeSet::new(),
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

    /// Returns which session must end before this client can have one more; `Err` where none can, because too
    /// many have calls that somebody waits for.
    fn victim(
        &self,
        limits: &EndpointLimits,
        client: u64,
        has_calls: impl Fn(Peer) -> bool,
    ) -> Result<Option<u64>, ()> {
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
        let floods = self.flooding(from);
        let (mut idle, mut gone, mut idle_count) = (None, None, 0);
        let least = Worth { rank: 0, is_open: false, since: Tick::ZERO };
        for (client, worth, serial) in self.order.range((from, least, 0)..) {
            let Some(session) = self.table.get(serial).filter(|_| *client == from) else { break };
            if has_calls(session.peer) {
                // The newest one is the likeliest to be of a flood.
                gone = gone.max((!session.is_open()).then_some(*serial));
                continue;
            }
            if floods.map_or(worth.rank == 0, |connection| session.account.connection == connection) {
                return Ok(Some(*serial));
            }
            idle_count += 1;
            idle.get_or_insert((worth.rank, *serial));
        }
        let of_client = self.by_client.get(&from).copied().unwrap_or_default();
        match (idle, gone) {
            (Some((0, serial)), _) | (_, Some(serial)) => Ok(Some(serial)),
            // Sessions that are used are not ended for one that comes where nearly all others have calls.
            (Some((_, serial)), None) if idle_count * 4 >= of_client => Ok(Some(serial)),
            _ => Err(()),
        }
    }

    /// Returns the connection that opened so many sessions of a client that they end first.
    fn flooding(&self, client: u64) -> Option<u64> {
        let own = self.by_connection.range((client, 0)..=(client, u64::MAX));
        let ((_, connection), count) = own.max_by_key(|(_, count)| **count)?;
        (*count >= FLOOD).then_some(*connection)
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

    fn insert(
        &mut self,
        now: Tick,
        peer: Peer,
        account: Account,
        principal: Option<Arc<str>>,
        old: Option<Exchange>,
    ) -> u64 {
        let (serial, name) = self.next_name();
        self.names.insert(name.clone(), serial);
        *self.by_client.entry(account.client).or_default() += 1;
        *self.by_connection.entry((account.client, account.connection)).or_default() += 1;
        let session = Session {
            peer,
            name,
            account,
            principal,
            old,
            streams: BTreeMap::new(),
            last_stream: 0,
            is_new: true,
            idle_since: None,
            silent_due: None,
            messages: 0,
            worth: Worth { rank: 0, is_open: true, since: now },
        };
        self.order.insert((account.client, session.worth, serial));
        self.table.insert(serial, session);
        serial
    }

    fn remove(&mut self, serial: u64) -> Option<Session> {
        let session = self.table.remove(&serial)?;
        self.names.remove(&session.name);
        let Account { client, connection } = session.account;
        self.order.remove(&(client, session.worth, serial));
        take_one(&mut self.by_client, &client);
        take_one(&mut self.by_connection, &(client, connection));
        Some(session)
    }

    /// Notes whether a session is used; returns since when it has not been, before and from here on.
    fn note(&mut self, serial: u64, now: Tick) -> Option<(Option<Tick>, Option<Tick>)> {
        let session = self.table.get_mut(&serial)?;
        let since = session.is_idle().then_some(now);
        let before = core::mem::replace(&mut session.idle_since, since);
        let worth = session.worth(now);
        if worth != session.worth {
            let client = session.account.client;
            self.order.remove(&(client, session.worth, serial));
            self.order.insert((client, worth, serial));
            session.worth = worth;
        }
        Some((before, since))
    }
}

/// Takes one from what is counted of somebody, and forgets who has nothing.
fn take_one<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
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
        let (account, principal) = (open.account, open.principal.clone());
        let has_calls = |peer| self.hub.has_calls(peer);
        match self.sessions.victim(&self.config.limits, account.client, has_calls) {
            Ok(None) => {}
            Ok(Some(victim)) => self.end_session(victim),
            Err(()) => return Err(busy()),
        }
        let unit = Unit::Session(self.sessions.serial + 1);
        let party = Party { group: account.client, unit, is_established: false };
        let peer = self.hub.attach(Binding::Session, party, principal.clone());
        let old = is_old.then_some(exchange);
        let session = self.sessions.insert(self.now, peer, account, principal, old);
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
        self.set_timer(Timer::Silence(serial), session.silent_due, None);
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
        let Some(session) = self.sessions.get_mut(serial) else { return };
        // Whoever is gone has its calls given up, but whoever comes back or says something has not.
        let is_silent = !session.is_open() && self.hub.has_calls(session.peer);
        let due = is_silent.then(|| self.now.after(self.config.abandon_after));
        let before = core::mem::replace(&mut session.silent_due, due);
        if before != due {
            self.set_timer(Timer::Silence(serial), before, due);
        }
    }

    /// A message has come in a session.
    pub(super) fn note_message(&mut self, serial: u64) {
        if let Some(session) = self.sessions.get_mut(serial) {
            session.messages = session.messages.saturating_add(1);
        }
        self.note_use(serial);
    }

    /// Gives up the calls of a session whose client is gone.
    pub(super) fn abandon_calls(&mut self, serial: u64) {
        let Some(session) = self.sessions.get_mut(serial) else { return };
        session.silent_due = None;
        let peer = session.peer;
        self.hub.abandon_calls(self.now, peer, self.config.abandon_after);
        self.pump();
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
