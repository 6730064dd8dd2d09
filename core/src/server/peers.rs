//! The clients of a server, and what it knows of each.

use alloc::{string::String, sync::Arc};

use super::{Origin, Peer, event::Declared, permits::Party};
use crate::{
    json::View,
    jsonrpc::Id,
    map::{BTreeMap, BTreeSet},
    protocol::{LogLevel, Revision},
};

/// How a client is joined to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// A pipe: both eras, message by message.
    Pipe,
    /// A session over HTTP, of the legacy era.
    Session,
    /// One request over HTTP, of the modern era.
    Exchange,
}

/// A client.
#[derive(Debug)]
pub(super) struct PeerState {
    pub(super) binding: Binding,
    /// Whose permits its calls take.
    pub(super) party: Party,
    pub(super) principal: Option<Arc<str>>,
    /// What the handshake of the legacy era settled.
    pub(super) session: Option<Session>,
    /// The streams that the client listens on (modern era), by the request that opened them.
    pub(super) listens: BTreeMap<Id, Listen>,
    pub(super) is_closed: bool,
}

impl PeerState {
    pub(super) const fn new(binding: Binding, party: Party, principal: Option<Arc<str>>) -> Self {
        Self { binding, party, principal, session: None, listens: BTreeMap::new(), is_closed: false }
    }
}

/// A session of the legacy era.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) revision: Revision,
    pub(super) declared: Arc<Declared>,
    pub(super) log_level: LogLevel,
    pub(super) subscriptions: BTreeSet<String>,
}

/// A stream of notifications of the modern era.
#[derive(Debug, Default)]
pub(super) struct Listen {
    pub(super) origin: Origin,
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) uris: BTreeSet<String>,
}

/// Returns whether a declaration of capabilities holds this one, at a path of member names.
pub(super) fn declares(capabilities: View<'_>, path: &[&str]) -> bool {
    let found = path.iter().try_fold(capabilities, |view, name| view.get(name));
    found.is_some_and(|value| !value.is_null() && value.as_bool() != Some(false))
}

/// Names the peers and the calls of a hub.
#[derive(Debug, Default)]
pub(super) struct Serial(u64);

impl Serial {
    pub(super) const fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    pub(super) const fn next_peer(&mut self) -> Peer {
        Peer(self.next())
    }
}
