//! What was said on the streams of sessions, kept for clients that come back for it.

use alloc::{
    collections::{BTreeMap, VecDeque},
    string::String,
    vec::Vec,
};
use core::fmt;

use super::EndpointLimits;

/// What an event costs beside its text.
const OVERHEAD: usize = 64;

/// Names a stream of a session. The names of sessions are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey {
    /// The session.
    pub session: u64,
    /// The stream, within its session.
    pub stream: u64,
}

/// A message that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number on its stream; numbers go up by one.
    pub number: u64,
    /// The message.
    pub message: String,
}

/// Keeps what was said on the streams of sessions, for clients that lost their connection.
///
/// A store is asked while the endpoint takes its inputs, so it must not wait for anything.
pub trait EventStore: fmt::Debug + Send {
    /// Keeps a message; it may drop older ones, of this stream and of others.
    fn keep(&mut self, stream: StreamKey, number: u64, message: &str);

    /// Returns what was said on this stream, and on no other, after that number, oldest first.
    ///
    /// Messages that were dropped are left out: the numbers show it.
    fn after(&self, stream: StreamKey, number: u64) -> Vec<StoredEvent>;

    /// A stream cannot be resumed any more.
    fn forget_stream(&mut self, stream: StreamKey);

    /// A session has ended.
    fn forget_session(&mut self, session: u64);
}

/// A store in memory, bounded for each session and in total: the oldest messages make room for new ones.
#[derive(Debug)]
pub struct MemoryStore {
    max_events: usize,
    max_session_bytes: usize,
    max_bytes: usize,
    sessions: BTreeMap<u64, Kept>,
    /// Which session kept something, oldest first; entries whose event is gone are skipped.
    ages: BTreeMap<u64, u64>,
    next_age: u64,
    bytes: usize,
}

/// What is kept of one session, oldest first.
#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Entry>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    age: u64,
    stream: u64,
    event: StoredEvent,
}

impl Entry {
    fn bytes(&self) -> usize {
        self.event.message.len() + OVERHEAD
    }
}

impl MemoryStore {
    /// Makes a store with the bounds that an endpoint has.
    #[must_use]
    pub const fn new(limits: &EndpointLimits) -> Self {
        Self {
            max_events: limits.max_events_per_session,
            max_session_bytes: limits.max_event_bytes_per_session,
            max_bytes: limits.max_event_bytes,
            sessions: BTreeMap::new(),
            ages: BTreeMap::new(),
            next_age: 0,
            bytes: 0,
        }
    }

    /// Returns what the kept messages cost, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Drops the oldest message of a session.
    fn drop_oldest(&mut self, session: u64) {
        let Some(kept) = self.sessions.get_mut(&session) else { return };
        let Some(entry) = kept.events.pop_front() else { return };
        kept.bytes -= entry.bytes();
        self.bytes -= entry.bytes();
        self.ages.remove(&entry.age);
        if kept.events.is_empty() {
            self.sessions.remove(&session);
        }
    }

    fn is_over(&self, session: u64) -> bool {
        self.sessions
            .get(&session)
            .is_some_and(|kept| kept.events.len() > self.max_events || kept.bytes > self.max_session_bytes)
    }
}

impl EventStore for MemoryStore {
    fn keep(&mut self, stream: StreamKey, number: u64, message: &str) {
        let StreamKey { session, stream } = stream;
        let event = StoredEvent { number, message: message.into() };
        let entry = Entry { age: self.next_age, stream, event };
        self.next_age += 1;
        self.ages.insert(entry.age, session);
        self.bytes += entry.bytes();
        let kept = self.sessions.entry(session).or_default();
        kept.bytes += entry.bytes();
        kept.events.push_back(entry);
        while self.is_over(session) {
            self.drop_oldest(session);
        }
        while self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.ages.first_key_value() else { return };
            self.drop_oldest(*oldest);
        }
    }

    fn after(&self, stream: StreamKey, number: u64) -> Vec<StoredEvent> {
        let events = self.sessions.get(&stream.session).into_iter().flat_map(|kept| &kept.events);
        let own = events.filter(|entry| entry.stream == stream.stream && entry.event.number > number);
        own.map(|entry| entry.event.clone()).collect()
    }

    fn forget_stream(&mut self, stream: StreamKey) {
        let Some(kept) = self.sessions.get_mut(&stream.session) else { return };
        let (ages, bytes) = (&mut self.ages, &mut self.bytes);
        kept.events.retain(|entry| {
            if entry.stream != stream.stream {
                return true;
            }
            kept.bytes -= entry.bytes();
            *bytes -= entry.bytes();
            ages.remove(&entry.age);
            false
        });
        if kept.events.is_empty() {
            self.sessions.remove(&stream.session);
        }
    }

    fn forget_session(&mut self, session: u64) {
        let Some(kept) = self.sessions.remove(&session) else { return };
        self.bytes -= kept.bytes;
        for entry in kept.events {
            self.ages.remove(&entry.age);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: StreamKey = StreamKey { session: 1, stream: 0 };
    const B: StreamKey = StreamKey { session: 1, stream: 1 };
    const C: StreamKey = StreamKey { session: 2, stream: 0 };

    fn store(events: usize, session_bytes: usize, bytes: usize) -> MemoryStore {
        let mut limits = EndpointLimits::default();
        (limits.max_events_per_session, limits.max_event_bytes_per_session) = (events, session_bytes);
        limits.max_event_bytes = bytes;
        MemoryStore::new(&limits)
    }

    fn texts(store: &MemoryStore, stream: StreamKey, number: u64) -> Vec<String> {
        store.after(stream, number).into_iter().map(|event| event.message).collect()
    }

    #[test]
    fn each_stream_gives_back_its_own_messages_only() {
        let mut store = store(8, 10_000, 10_000);
        for (stream, number, message) in [(A, 1, "a1"), (B, 1, "b1"), (A, 2, "a2"), (C, 1, "c1")] {
            store.keep(stream, number, message);
        }
        assert_eq!(texts(&store, A, 0), ["a1", "a2"]);
        assert_eq!(texts(&store, A, 1), ["a2"]);
        assert_eq!(texts(&store, B, 0), ["b1"]);
        store.forget_stream(A);
        assert_eq!((texts(&store, A, 0).len(), texts(&store, B, 0).len()), (0, 1));
        store.forget_session(1);
        store.forget_session(1);
        assert_eq!((texts(&store, B, 0).len(), texts(&store, C, 0).len()), (0, 1));
        store.forget_stream(C);
        assert_eq!((store.bytes(), store.ages.len(), store.sessions.len()), (0, 0, 0));
    }

    #[test]
    fn the_oldest_messages_make_room() {
        let mut by_count = store(2, 10_000, 10_000);
        for number in 1..=3 {
            by_count.keep(A, number, "x");
        }
        assert_eq!(by_count.after(A, 0).first().map(|event| event.number), Some(2));
        let mut by_bytes = store(10, 2 * OVERHEAD + 10, 10_000);
        by_bytes.keep(A, 1, "12345");
        by_bytes.keep(B, 1, "123456");
        assert_eq!((by_bytes.after(A, 0).len(), by_bytes.after(B, 0).len()), (0, 1));
        by_bytes.keep(B, 2, &"x".repeat(1_000));
        assert_eq!(by_bytes.bytes(), 0, "what is larger than everything is not kept");
        let mut in_total = store(10, 10_000, 2 * OVERHEAD + 2);
        for (stream, number) in [(A, 1), (C, 1), (C, 2)] {
            in_total.keep(stream, number, "x");
        }
        assert_eq!((in_total.after(A, 0).len(), in_total.after(C, 0).len()), (0, 2));
        assert_eq!((in_total.ages.len(), in_total.sessions.len()), (2, 1));
    }
}
