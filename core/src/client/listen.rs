//! Streams of notifications of a modern server (2026-07-28 `basic/patterns/subscriptions`).

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{Answer, CallError, CallId, CallOptions, Client, Event, Purpose};
use crate::{
    Misuse, Tick, Violation,
    json::View,
    jsonrpc::{Id, RpcError},
    map::{BTreeMap, BTreeSet},
    protocol::{Interests, SUBSCRIPTION_ID},
};

pub(super) const METHOD: &str = "subscriptions/listen";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const UPDATED: &str = "notifications/resources/updated";

/// The streams that were asked for and have not ended, by the ids of their requests.
#[derive(Debug, Default)]
pub(super) struct Listens {
    open: BTreeMap<u64, Listen>,
    /// The streams that the server has cancelled, whose response may follow.
    cancelled: BTreeSet<u64>,
}

#[derive(Debug)]
struct Listen {
    call: CallId,
    owner: Owner,
    wanted: Interests,
    /// What the server agreed to; `None` until it has.
    honoured: Option<Interests>,
}

/// Who opened a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The client itself, to be told of changes of lists.
    Client,
    /// The application, with `listen`.
    Listener,
    /// The application, with `subscribe`.
    Subscriber,
}

impl Client {
    /// Has a modern server tell of changes. The call is settled with [`Answer::Listening`] once the server has
    /// said what it agrees to tell; the events come until [`stop_listening`](Self::stop_listening), or until
    /// the server ends the stream with [`Event::ListenEnded`].
    ///
    /// Changes of lists come without this, where the configuration does not say otherwise.
    ///
    /// # Errors
    ///
    /// The session is not ready or of the legacy era, or too many calls are in flight or streams open.
    pub fn listen(
        &mut self,
        now: Tick,
        interests: &Interests,
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        if let Some(handshake) = self.handshake.as_ref().filter(|_| !self.is_modern()) {
            return Err(Misuse::NotInRevision {
                what: "`subscriptions/listen`",
                revision: handshake.revision,
            });
        }
        self.open_listen(now, interests.clone(), Owner::Listener, options)
    }

    /// Ends a stream that `listen` opened. A call that still waits for it is settled as cancelled.
    ///
    /// # Errors
    ///
    /// No such stream is open.
    pub fn stop_listening(&mut self, now: Tick, listen: CallId) -> Result<(), Misuse> {
        self.turn(now);
        let is_own = |own: &Listen| own.owner == Owner::Listener && own.call == listen;
        let found = self.listens.open.iter().find(|(_, own)| is_own(own)).map(|(id, _)| *id);
        self.close_listen(found.ok_or(Misuse::UnknownListen)?);
        Ok(())
    }

    /// Subscribes to a resource: one stream for each.
    pub(super) fn listen_to(
        &mut self,
        now: Tick,
        uri: &str,
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        self.turn(now);
        let is_open = self.subscriptions(uri).any(|(_, listen)| listen.honoured.is_some());
        if is_open {
            return Ok(self.settle_at_once(Answer::Done));
        }
        self.open_listen(now, Interests::resource(uri), Owner::Subscriber, options)
    }

    /// Ends the subscriptions to a resource; nobody has to be waited for.
    pub(super) fn stop_listening_to(&mut self, now: Tick, uri: &str) -> CallId {
        self.turn(now);
        let ids: Vec<_> = self.subscriptions(uri).map(|(id, _)| *id).collect();
        for id in ids {
            self.close_listen(id);
        }
        self.settle_at_once(Answer::Done)
    }

    fn subscriptions<'a>(&'a self, uri: &'a str) -> impl Iterator<Item = (&'a u64, &'a Listen)> {
        let is_about = move |listen: &Listen| listen.wanted.uris.iter().any(|own| own == uri);
        self.listens
            .open
            .iter()
            .filter(move |(_, listen)| listen.owner == Owner::Subscriber && is_about(listen))
    }

    /// Listens for the changes that the server says it tells of.
    pub(super) fn listen_for_changes(&mut self) {
        let Some(handshake) = self.handshake.as_ref().filter(|_| self.config.listens_for_changes) else {
            return;
        };
        let own = &handshake.capabilities;
        let (tools, prompts, resources) = (own.tools_change, own.prompts_change, own.resources_change);
        let wanted = Interests { tools, prompts, resources, uris: Vec::new() };
        if wanted.is_empty() {
            return;
        }
        let id = self.requests.mint();
        let Ok((message, _)) =
            self.encode(id, METHOD, super::calls::Extra::default(), &|out| push(out, &wanted))
        else {
            return;
        };
        // Nobody waits for this stream, so it has no deadline: a server that never acknowledges it never tells.
        let listen = Listen { call: CallId(id), owner: Owner::Client, wanted, honoured: None };
        self.listens.open.insert(id, listen);
        self.send(message);
    }

    fn open_listen(
        &mut self,
        now: Tick,
        wanted: Interests,
        owner: Owner,
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        self.turn(now);
        let limit = self.config.limits.max_listens;
        if self.listens.open.len() >= limit {
            return Err(Misuse::TooManyListens { limit });
        }
        let call = self.call(now, Purpose::Listen, METHOD, options, &|out| push(out, &wanted))?;
        if self.requests.get(call.0).is_some() {
            self.listens.open.insert(call.0, Listen { call, owner, wanted, honoured: None });
        }
        Ok(call)
    }

    /// Tells the server to end a stream.
    fn close_listen(&mut self, id: u64) {
        if self.requests.get(id).is_some() {
            return self.cancel_request(id);
        }
        self.listens.open.remove(&id);
        self.send_cancelled(id, "no longer wanted");
    }

    /// Forgets the stream of a request that has failed.
    pub(super) fn forget_listen(&mut self, id: u64) {
        self.listens.open.remove(&id);
    }

    pub(super) fn forget_listens(&mut self) {
        self.listens = Listens::default();
    }

    /// Takes a response to a stream that is open, or that was cancelled by the server just before; returns
    /// whether it was one. While a call still waits for a stream, its response is one like any other.
    pub(super) fn listen_ended(&mut self, id: u64, error: Option<RpcError>) -> bool {
        if self.listens.cancelled.remove(&id) {
            return true;
        }
        if self.requests.get(id).is_some() {
            return false;
        }
        let Some(listen) = self.listens.open.remove(&id) else { return false };
        self.tell(Event::ListenEnded { listen: listen.call, interests: listen.wanted, error });
        true
    }

    /// The server cancels one of its streams, which is all that it may cancel.
    fn listen_cancelled(&mut self, params: Option<View<'_>>) -> Option<()> {
        let id = params?.get("requestId")?;
        let Some(id) = subscription(id).filter(|id| self.listens.open.contains_key(id)) else {
            // Of a stream that has ended already, or of nothing that we know.
            return Id::read(id).map(drop);
        };
        if let Some(waiting) = self.requests.take(id) {
            self.forget_listen(id);
            self.fail(&waiting.tag, CallError::StreamEnded);
        } else {
            self.listen_ended(id, None);
        }
        self.listens.cancelled.insert(id);
        while self.listens.cancelled.len() > self.config.limits.max_listens {
            self.listens.cancelled.pop_first();
        }
        Some(())
    }

    /// A modern server notifies.
    pub(super) fn notified_modern(&mut self, method: &str, params: Option<View<'_>>) {
        let meta = params.and_then(|params| params.get("_meta"));
        let subscription = meta.and_then(|meta| meta.get(SUBSCRIPTION_ID));
        let known = match method {
            ACKNOWLEDGED => (ACKNOWLEDGED, self.acknowledged(subscription, params)),
            "notifications/progress" => ("notifications/progress", self.progressed(params)),
            "notifications/message" => ("notifications/message", self.logged_modern(params)),
            "notifications/cancelled" => ("notifications/cancelled", self.listen_cancelled(params)),
            _ => return self.changed(method, params, subscription),
        };
        if let (method, None) = known {
            self.violated(Violation::BadNotification { method });
        }
    }

    fn logged_modern(&mut self, params: Option<View<'_>>) -> Option<()> {
        if self.has_wanted_logs {
            return self.logged(params);
        }
        self.violated(Violation::NotListenedFor { method: "notifications/message" });
        Some(())
    }

    fn acknowledged(&mut self, subscription_id: Option<View<'_>>, params: Option<View<'_>>) -> Option<()> {
        let id = subscription(subscription_id?)?;
        let said = Interests::read(params?.get("notifications")?)?;
        let Some(listen) = self.listens.open.get_mut(&id) else {
            // Of a stream that was given up meanwhile.
            return (id <= self.requests.last_id()).then_some(());
        };
        if listen.honoured.is_some() {
            return None;
        }
        let exceeds = !listen.wanted.covers(&said);
        let honoured = listen.wanted.agreed(&said);
        listen.honoured = Some(honoured.clone());
        let is_useless = listen.owner == Owner::Subscriber && honoured.uris.is_empty();
        let owner = listen.owner;
        if exceeds {
            self.violated(Violation::NotListenedFor { method: ACKNOWLEDGED });
        }
        let Some(waiting) = self.requests.take(id) else { return Some(()) };
        let outcome = match owner {
            _ if is_useless => Err(CallError::NotHonoured),
            Owner::Subscriber => Ok(Answer::Done),
            Owner::Client | Owner::Listener => {
                Ok(Answer::Listening { listen: waiting.tag.call, agreed: honoured })
            }
        };
        self.settle(waiting.tag.call, outcome);
        if is_useless {
            self.close_listen(id);
        }
        Some(())
    }

    /// The server says that something has changed.
    fn changed(&mut self, method: &str, params: Option<View<'_>>, subscription_id: Option<View<'_>>) {
        let Some((method, change)) = change(method, params) else {
            if method == UPDATED {
                self.violated(Violation::BadNotification { method: UPDATED });
            }
            // Any other notification is not known here and asks for nothing.
            return;
        };
        // What is kept is doubtful from here on, whoever was meant to be told.
        self.cache.invalidate(&change);
        if change.tools {
            self.contracts.forget();
        }
        let id = subscription_id.and_then(subscription);
        let Some(listen) = id.and_then(|id| self.listens.open.get(&id)) else {
            // A stream that was given up may not have ended for the server.
            if id.is_none_or(|id| id > self.requests.last_id()) {
                self.violated(Violation::NotListenedFor { method });
            }
            return;
        };
        let is_wanted = listen.wanted.concerns(&change);
        let is_agreed = listen.honoured.as_ref().is_some_and(|honoured| honoured.concerns(&change));
        if !is_wanted {
            self.violated(Violation::NotListenedFor { method });
            return;
        }
        if !is_agreed {
            // The order is wrong, but what it says was asked for.
            self.violated(Violation::NotAcknowledged { method });
        }
        self.tell_change(method, change);
    }

    fn tell_change(&mut self, method: &str, change: Interests) {
        if self.is_over() {
            return;
        }
        if change.uris.is_empty() {
            return self.list_changed(method);
        }
        for uri in change.uris {
            self.tell(Event::ResourceUpdated { uri });
        }
    }
}

/// Returns what a notification says has changed.
fn change(method: &str, params: Option<View<'_>>) -> Option<(&'static str, Interests)> {
    let none = Interests::default();
    Some(match method {
        "notifications/tools/list_changed" => {
            ("notifications/tools/list_changed", Interests { tools: true, ..none })
        }
        "notifications/prompts/list_changed" => {
            ("notifications/prompts/list_changed", Interests { prompts: true, ..none })
        }
        "notifications/resources/list_changed" => {
            ("notifications/resources/list_changed", Interests { resources: true, ..none })
        }
        UPDATED => (UPDATED, Interests::resource(params?.get("uri")?.to_str()?.to_string())),
        _ => return None,
    })
}

/// Reads the id of a stream, which must come back as the number that it was sent as.
fn subscription(id: View<'_>) -> Option<u64> {
    id.as_number().and_then(|digits| digits.parse().ok())
}

fn push(out: &mut String, interests: &Interests) {
    out.push_str("\"notifications\":");
    interests.push_to(out);
}
