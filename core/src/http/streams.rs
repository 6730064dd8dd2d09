//! What is said to clients: as the body of a response, or as events on a stream that they can come back to.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    Endpoint, Exchange, StreamKey,
    endpoint::{Bond, Owner, Stage, Timer},
    head::Fields,
    reply::Reply,
};
use crate::{
    Misuse, Tick,
    jsonrpc::code,
    protocol::Revision,
    server::{Delivery, Origin, Peer, Refusal, Route, ServedCall},
    sse,
};

/// A stream of a session: what answers one post, or, under the number 0, what belongs to none.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Where it is written to, while somebody listens.
    pub(super) exchange: Option<Exchange>,
    /// It can be resumed, because its client has seen it.
    is_seen: bool,
    /// Its last message has been said.
    is_done: bool,
    /// The number of its last message.
    last: u64,
    /// The number of the last message that was written to somebody.
    written: u64,
    /// When it is forgotten.
    pub(super) due: Option<Tick>,
    is_aside: bool,
}

impl Stream {
    /// Returns whether nobody uses it: no one listens, and nothing is being worked on.
    pub(super) const fn is_idle(&self) -> bool {
        self.exchange.is_none() && (self.is_done || self.is_aside)
    }
}

impl Endpoint {
    /// Takes a message of the hub to the client that it is for.
    pub(super) fn deliver(&mut self, delivery: Delivery) {
        let Delivery { peer, route, message, refusal } = delivery;
        let is_last = matches!(route, Route::Answer(_));
        match self.owners.get(&peer) {
            Some(Owner::Exchange(exchange)) => self.say_once(*exchange, peer, message, is_last, refusal),
            Some(Owner::Session(session)) => {
                let session = *session;
                let number = match route {
                    Route::Answer(origin) | Route::During(origin) => origin.0,
                    Route::Aside => 0,
                };
                self.say(session, number, message, is_last, refusal);
            }
            None => {}
        }
    }

    /// Nothing will answer what came with this origin.
    pub(super) fn dropped(&mut self, peer: Peer, origin: Origin) {
        let Some(Owner::Session(session)) = self.owners.get(&peer) else { return };
        let session = *session;
        let Some(stream) = self.stream_mut(session, origin.0) else { return };
        stream.is_done = true;
        match stream.exchange {
            Some(exchange) => self.end_exchange(exchange, 202),
            None => self.leave(session, origin.0, None),
        }
    }

    /// Says something to the client of one exchange (modern era).
    fn say_once(
        &mut self,
        exchange: Exchange,
        peer: Peer,
        message: String,
        is_last: bool,
        refusal: Option<Refusal>,
    ) {
        let Some(open) = self.open(exchange) else { return };
        let is_waiting = matches!(open.stage, Stage::Waiting(_));
        if is_waiting && is_last {
            let status = match refusal {
                Some(Refusal::Method) => 404,
                Some(_) => 400,
                None => 200,
            };
            return self.reply(exchange, Reply::json(status, message));
        }
        if is_waiting {
            self.begin(exchange, Bond::Peer(peer));
        }
        let mut bytes = Vec::new();
        sse::push_event(&mut bytes, None, None, &message);
        self.write(exchange, bytes);
        if is_last {
            self.finish(exchange);
        }
    }

    /// Says something in a session (legacy era).
    fn say(&mut self, session: u64, number: u64, message: String, is_last: bool, refusal: Option<Refusal>) {
        let Some(own) = self.sessions.get_mut(session) else { return };
        if let Some(exchange) = own.old {
            let mut bytes = Vec::new();
            sse::push_event(&mut bytes, Some("message"), None, &message);
            self.write(exchange, bytes);
            if self.is_draining {
                self.end_idle_old_sessions();
            }
            return;
        }
        if number == 0 {
            own.streams.entry(0).or_insert(Stream { is_aside: true, is_seen: true, ..Stream::default() });
        }
        let Some(stream) = own.streams.get_mut(&number) else { return };
        stream.is_done |= is_last;
        let (exchange, is_seen) = (stream.exchange, stream.is_seen);
        match exchange {
            Some(exchange) if is_last && !is_seen => {
                let name = core::mem::take(&mut own.is_new).then(|| own.name.to_string());
                let status = if refusal == Some(Refusal::Malformed) { 400 } else { 200 };
                let mut reply = Reply::json(status, message);
                reply.headers.extend(name.map(|name| ("mcp-session-id", name)));
                return self.reply(exchange, reply);
            }
            Some(exchange) if !is_seen => self.begin(exchange, Bond::Stream(session, number)),
            _ => {}
        }
        self.say_event(session, number, &message);
        match exchange {
            Some(exchange) if is_last => self.finish(exchange),
            None if is_last => self.leave(session, number, None),
            _ => {}
        }
    }

    /// Says something as an event that can be said again.
    fn say_event(&mut self, session: u64, number: u64, message: &str) {
        let key = StreamKey { session, stream: number };
        let most = self.config.limits.max_waiting_events as u64;
        let Some(stream) = self.sessions.get_mut(session).and_then(|own| own.streams.get_mut(&number)) else {
            return;
        };
        if !stream.is_seen {
            return;
        }
        if number == 0 && stream.exchange.is_none() {
            let waiting = self.store.after(key, stream.written);
            // Whoever has not heard of a change need not hear of it twice.
            if waiting.len() as u64 >= most || waiting.iter().any(|event| event.message == message) {
                return;
            }
        }
        stream.last += 1;
        let (last, exchange) = (stream.last, stream.exchange);
        self.store.keep(key, last, message);
        let Some(exchange) = exchange else { return };
        stream.written = last;
        self.write_event(exchange, number, last, message);
    }

    fn write_event(&mut self, exchange: Exchange, stream: u64, number: u64, message: &str) {
        let mut bytes = Vec::new();
        sse::push_event(&mut bytes, None, Some(&format!("{stream}-{number}")), message);
        self.write(exchange, bytes);
    }

    /// Begins the response of an exchange as a stream.
    pub(super) fn begin(&mut self, exchange: Exchange, bond: Bond) {
        let Bond::Stream(session, number) = bond else { return self.stream(exchange, bond, None) };
        let Some(own) = self.sessions.get_mut(session) else { return };
        let name = core::mem::take(&mut own.is_new).then(|| own.name.to_string());
        self.stream(exchange, bond, name);
        let Some(stream) = self.stream_mut(session, number) else { return };
        stream.is_seen = true;
        let written = stream.written;
        self.prime(exchange, session, number, written);
    }

    /// Tells a client from where it can come back, before there is anything to say (2025-11-25). Older clients
    /// would take the event for a message.
    fn prime(&mut self, exchange: Exchange, session: u64, number: u64, at: u64) {
        if !self.can_poll(session) {
            return;
        }
        let mut bytes = Vec::new();
        sse::push_retry(&mut bytes, self.config.retry.as_millis());
        sse::push_event(&mut bytes, None, Some(&format!("{number}-{at}")), "");
        self.write(exchange, bytes);
    }

    fn can_poll(&self, session: u64) -> bool {
        let peer = self.sessions.get(session).filter(|own| own.old.is_none()).map(|own| own.peer);
        let revision = peer.and_then(|peer| self.hub.revision(peer));
        revision.is_some_and(|revision| revision >= Revision::V2025_11_25)
    }

    fn stream_mut(&mut self, session: u64, number: u64) -> Option<&mut Stream> {
        self.sessions.get_mut(session)?.streams.get_mut(&number)
    }

    /// Opens a stream for what answers a post; `None` where the session has too many.
    pub(super) fn open_stream(&mut self, session: u64, exchange: Exchange) -> Option<u64> {
        let own = self.sessions.get(session)?;
        if own.streams.len() >= self.config.limits.max_streams_per_session {
            let oldest = own.streams.iter().find(|(_, stream)| stream.is_done && stream.exchange.is_none());
            let number = *oldest?.0;
            self.forget_stream(session, number);
        }
        let own = self.sessions.get_mut(session)?;
        own.last_stream += 1;
        let number = own.last_stream;
        own.streams.insert(number, Stream { exchange: Some(exchange), ..Stream::default() });
        self.bind(exchange, Bond::Stream(session, number));
        self.note_use(session);
        Some(number)
    }

    /// A client listens to what belongs to no request, or comes back to a stream.
    pub(super) fn listen(&mut self, exchange: Exchange, fields: &Fields) -> Result<(), Reply> {
        let session = self.find_session(exchange, fields)?;
        let gone = || Reply::refusal(400, code::INVALID_REQUEST, "there is no such event to go on behind");
        let from = match fields.last_event_id.as_deref().filter(|id| !id.is_empty()) {
            None => None,
            Some(id) => Some(read_event_id(id).ok_or_else(gone)?),
        };
        let number = from.map_or(0, |(number, _)| number);
        let own = self.sessions.get_mut(session).ok_or_else(gone)?;
        if number == 0 {
            own.streams.entry(0).or_insert(Stream { is_aside: true, is_seen: true, ..Stream::default() });
        }
        let stream = own.streams.get_mut(&number).filter(|stream| stream.is_seen).ok_or_else(gone)?;
        let after = from.map_or(stream.written, |(_, event)| event);
        if after > stream.last {
            return Err(gone());
        }
        let (due, is_done) = (stream.due.take(), stream.is_done);
        // A connection that was lost may not have been seen to be: the newest one counts.
        let before = stream.exchange.replace(exchange);
        stream.written = stream.last;
        self.set_timer(Timer::Stream(session, number), due, None);
        if let Some(before) = before {
            self.finish(before);
        }
        self.stream(exchange, Bond::Stream(session, number), None);
        self.prime(exchange, session, number, after);
        for event in self.store.after(StreamKey { session, stream: number }, after) {
            self.write_event(exchange, number, event.number, &event.message);
        }
        if is_done {
            self.finish(exchange);
        }
        self.note_use(session);
        Ok(())
    }

    /// An exchange does not carry what it carried any more.
    pub(super) fn unbind(&mut self, exchange: Exchange, bond: Bond) {
        match bond {
            Bond::Peer(peer) => {
                self.owners.remove(&peer);
                self.hub.detach(self.now, peer);
            }
            Bond::Session(session) => self.end_session(session),
            Bond::Stream(session, number) => self.leave(session, number, Some(exchange)),
        }
    }

    /// Nobody listens to a stream any more, unless another exchange does than the one that is gone: it waits
    /// for its client for a while, if that can come back at all.
    fn leave(&mut self, session: u64, number: u64, gone: Option<Exchange>) {
        let due = self.now.after(self.config.resume_window);
        let Some(own) = self.sessions.get_mut(session) else { return };
        let Some(stream) = own.streams.get_mut(&number) else { return };
        if stream.exchange != gone {
            return;
        }
        stream.exchange = None;
        let before = stream.due;
        if stream.is_done && !stream.is_seen {
            own.streams.remove(&number);
        } else if stream.is_done || stream.is_aside {
            stream.due = Some(due);
            self.set_timer(Timer::Stream(session, number), before, Some(due));
        }
        self.note_use(session);
    }

    /// Nobody comes back to a stream any more.
    pub(super) fn forget_stream(&mut self, session: u64, number: u64) {
        let Some(own) = self.sessions.get_mut(session) else { return };
        let Some(stream) = own.streams.get_mut(&number) else { return };
        let due = stream.due.take();
        // What waits for a first listener is kept as long as the session.
        let is_wanted = stream.is_aside && stream.written < stream.last;
        if !stream.is_aside {
            own.streams.remove(&number);
        }
        self.set_timer(Timer::Stream(session, number), due, None);
        if !is_wanted {
            self.store.forget_stream(StreamKey { session, stream: number });
        }
    }

    /// Ends an exchange whose answer will not come; the status is for one that has said nothing yet.
    pub(super) fn end_exchange(&mut self, exchange: Exchange, status: u16) {
        match self.open(exchange).map(|open| &open.stage) {
            Some(Stage::Streaming(_)) => self.finish(exchange),
            Some(_) => self.reply(exchange, Reply::empty(status)),
            None => {}
        }
    }

    /// Closes the connection of a call while it goes on; its client comes back for the rest (2025-11-25
    /// `basic/transports`, polling).
    ///
    /// # Errors
    ///
    /// Nothing waits for an answer to this call, or its client could not come back.
    pub fn close_stream(&mut self, now: Tick, call: ServedCall) -> Result<(), Misuse> {
        self.turn(now);
        let (peer, origin) = self.hub.source_of(call).ok_or(Misuse::UnknownAsk)?;
        let Some(Owner::Session(session)) = self.owners.get(&peer).copied() else {
            return Err(Misuse::NotResumable);
        };
        if !self.can_poll(session) {
            return Err(Misuse::NotResumable);
        }
        let Some(exchange) = self.stream_mut(session, origin.0).and_then(|stream| stream.exchange) else {
            return Ok(());
        };
        if matches!(self.open(exchange).map(|open| &open.stage), Some(Stage::Waiting(_))) {
            self.begin(exchange, Bond::Stream(session, origin.0));
        }
        let mut bytes = Vec::new();
        sse::push_retry(&mut bytes, self.config.retry.as_millis());
        bytes.push(b'\n');
        self.write(exchange, bytes);
        self.finish(exchange);
        Ok(())
    }
}

/// Reads the id of an event: its stream, and its number there.
fn read_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, number) = id.split_once('-')?;
    Some((stream.parse().ok()?, number.parse().ok()?))
}
