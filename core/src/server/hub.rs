//! One server with all its clients: whole messages in, whole messages and events out.

use alloc::{collections::VecDeque, string::String, sync::Arc};

use super::{
    Peer, ServedCall, ServerConfig, ServerEvent,
    batch::Batch,
    calls::Call,
    lists::Catalogue,
    peers::{Binding, PeerState, Serial},
    permits::{Party, Permits},
    rounds::Ask,
};
use crate::{
    Tick, Violation,
    jsonrpc::{self, Id, RpcError},
    map::{BTreeMap, BTreeSet},
    protocol::{Era, ListKind, Revision},
    requests::Requests,
};

/// Names what a transport received a message with; the answers come with the same name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin(pub(crate) u64);

/// Where a message belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// It answers what came with this origin; nothing follows for it.
    Answer(Origin),
    /// It is said while that is being worked on.
    During(Origin),
    /// It belongs to no request.
    Aside,
}

/// Why a request was turned away before anything was done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Its envelope, or the message itself, is malformed.
    Malformed,
    /// Its revision is not spoken.
    Version,
    /// Its method is not offered.
    Method,
    /// Its client lacks a capability.
    Capability,
}

/// A message to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) peer: Peer,
    pub(crate) route: Route,
    pub(crate) message: String,
    pub(crate) refusal: Option<Refusal>,
}

/// What a hub asks of what carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HubEffect {
    Deliver(Delivery),
    Event(ServerEvent),
    /// Nothing will answer what came with this origin: its request was cancelled.
    Dropped {
        peer: Peer,
        origin: Origin,
    },
}

/// Where a message came from, and what its answer is part of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) peer: Peer,
    pub(super) origin: Origin,
    pub(super) batch: Option<u64>,
}

/// One server with all its clients.
///
/// It is reached through what joins it to clients: [`Server::hub`](super::Server::hub) on a pipe.
#[derive(Debug)]
pub struct Hub {
    pub(super) config: ServerConfig,
    pub(super) now: Tick,
    pub(super) tools: Catalogue,
    pub(super) resources: Catalogue,
    pub(super) templates: Catalogue,
    pub(super) prompts: Catalogue,
    pub(super) peers: BTreeMap<Peer, PeerState>,
    pub(super) calls: BTreeMap<u64, Call>,
    /// When calls are given up.
    pub(super) call_deadlines: BTreeSet<(Tick, u64)>,
    /// What we ask of clients, and the calls that clients make.
    pub(super) requests: Requests<Ask, u64, (Peer, Id)>,
    pub(super) permits: Permits,
    pub(super) batches: BTreeMap<u64, Batch>,
    /// How many clients watch a resource.
    pub(super) watched: BTreeMap<String, usize>,
    pub(super) serial: Serial,
    effects: VecDeque<HubEffect>,
}

impl Hub {
    /// Makes a server that has met no client yet.
    #[must_use]
    pub(crate) fn new(mut config: ServerConfig) -> Self {
        let take = core::mem::take;
        Self {
            now: Tick::ZERO,
            tools: Catalogue::new(ListKind::Tools, take(&mut config.tools)),
            resources: Catalogue::new(ListKind::Resources, take(&mut config.resources)),
            templates: Catalogue::new(ListKind::ResourceTemplates, take(&mut config.resource_templates)),
            prompts: Catalogue::new(ListKind::Prompts, take(&mut config.prompts)),
            peers: BTreeMap::new(),
            calls: BTreeMap::new(),
            call_deadlines: BTreeSet::new(),
            requests: Requests::new(),
            permits: Permits::default(),
            batches: BTreeMap::new(),
            watched: BTreeMap::new(),
            serial: Serial::default(),
            effects: VecDeque::new(),
            config,
        }
    }

    /// A client has come, whose calls take the permits of this party.
    pub(crate) fn attach(&mut self, binding: Binding, party: Party, principal: Option<Arc<str>>) -> Peer {
        let peer = self.serial.next_peer();
        self.peers.insert(peer, PeerState::new(binding, party, principal));
        peer
    }

    /// A client will say nothing more; what it waits for may still be answered.
    pub(crate) fn close(&mut self, now: Tick, peer: Peer) {
        self.turn(now);
        let Some(state) = self.peers.get_mut(&peer).filter(|state| !state.is_closed) else { return };
        state.is_closed = true;
        self.forget_subscriptions(peer);
        // A client that says nothing more answers nothing more.
        self.drop_asks(peer);
        self.tell(ServerEvent::Closed { peer });
    }

    /// A client is gone: nobody waits for its answers any more.
    pub(crate) fn detach(&mut self, now: Tick, peer: Peer) {
        self.turn(now);
        if !self.peers.contains_key(&peer) {
            return;
        }
        self.forget_subscriptions(peer);
        self.drop_asks(peer);
        self.drop_calls(peer);
        self.drop_batches(peer);
        self.peers.remove(&peer);
    }

    /// Time has passed; early calls do nothing.
    pub(crate) fn handle_timeout(&mut self, now: Tick) {
        self.turn(now);
        self.expire_calls();
        self.expire_asks();
    }

    /// Returns when [`handle_timeout`](Self::handle_timeout) must be called next.
    pub(crate) fn poll_timeout(&self) -> Option<Tick> {
        let call = self.call_deadlines.first().map(|(due, _)| *due);
        call.into_iter().chain(self.requests.poll_timeout()).min()
    }

    pub(crate) fn poll_effect(&mut self) -> Option<HubEffect> {
        self.effects.pop_front()
    }

    /// Returns the revision that the handshake with a client settled.
    pub(crate) fn revision(&self, peer: Peer) -> Option<Revision> {
        self.peers.get(&peer)?.session.as_ref().map(|session| session.revision)
    }

    /// Returns the latest reading of the clock.
    pub(crate) const fn now(&self) -> Tick {
        self.now
    }

    /// Returns where a call came from.
    pub(crate) fn source_of(&self, call: ServedCall) -> Option<(Peer, Origin)> {
        self.calls.get(&call.0).map(|call| (call.source.peer, call.source.origin))
    }

    /// Returns whether a client waits for an answer of the application.
    pub(crate) fn has_calls(&self, peer: Peer) -> bool {
        self.calls_of(peer).next().is_some()
    }

    /// Returns how the server behaves; what it offers is not in here.
    #[must_use]
    pub const fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Returns how many calls wait for the application.
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.calls.len()
    }

    /// Takes a reading of the clock: time never goes back.
    pub(super) fn turn(&mut self, now: Tick) {
        self.now = self.now.max(now);
    }

    pub(super) fn tell(&mut self, event: ServerEvent) {
        self.effects.push_back(HubEffect::Event(event));
    }

    /// A message will not be answered: a part of a batch, or all that came with its origin.
    pub(super) fn leave_unanswered(&mut self, source: Source) {
        if source.batch.is_some() {
            return self.answer_in_batch(source, None, None);
        }
        let Source { peer, origin, .. } = source;
        self.effects.push_back(HubEffect::Dropped { peer, origin });
    }

    pub(super) fn violated(&mut self, peer: Peer, violation: Violation) {
        self.tell(ServerEvent::PeerViolated { peer, violation });
    }

    pub(super) fn deliver(&mut self, peer: Peer, route: Route, message: String) {
        self.effects.push_back(HubEffect::Deliver(Delivery { peer, route, message, refusal: None }));
    }

    /// Answers a message: at once, or as a part of its batch.
    pub(super) fn deliver_answer(
        &mut self,
        source: Source,
        id: Option<&Id>,
        message: String,
        refusal: Option<Refusal>,
    ) {
        if source.batch.is_some() {
            return self.answer_in_batch(source, id, Some(message));
        }
        let Source { peer, origin, .. } = source;
        let delivery = Delivery { peer, route: Route::Answer(origin), message, refusal };
        self.effects.push_back(HubEffect::Deliver(delivery));
    }

    pub(super) fn reply(&mut self, source: Source, id: &Id, result: &str) {
        let mut message = String::with_capacity(64 + result.len());
        jsonrpc::push_result(&mut message, id, result);
        self.deliver_answer(source, Some(id), message, None);
    }

    /// Answers with a whole result of the engine's own; `members` appends what it holds, which is never nothing.
    pub(super) fn reply_members(
        &mut self,
        source: Source,
        id: &Id,
        era: Era,
        members: impl FnOnce(&Self, &mut String),
    ) {
        let mut message = String::with_capacity(256);
        jsonrpc::push_result_with(&mut message, id, |out| {
            match era {
                Era::Legacy => out.push('{'),
                Era::Modern => {
                    self.push_result_head(out, "complete");
                    out.push_str("},");
                }
            }
            members(self, out);
            out.push('}');
        });
        self.deliver_answer(source, Some(id), message, None);
    }

    pub(super) fn reply_error(&mut self, source: Source, id: Option<&Id>, error: &RpcError) {
        self.refuse_with(source, id, error, None);
    }

    pub(super) fn refuse_with(
        &mut self,
        source: Source,
        id: Option<&Id>,
        error: &RpcError,
        refusal: Option<Refusal>,
    ) {
        let mut message = String::with_capacity(96 + error.message.len());
        jsonrpc::push_error(&mut message, id, error);
        self.deliver_answer(source, id, message, refusal);
    }
}
