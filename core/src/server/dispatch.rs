//! What a client says: requests go to their era, answers to the call that asked.

use alloc::format;

use super::{Hub, Origin, Peer, Refusal, ServerEvent, hub::Source, peers::Binding};
use crate::{
    Tick, Tolerance, Verdict, Violation,
    json::{Kind, View, name_twice},
    jsonrpc::{Body, Id, Message, Misfit, ResponseId, RpcError, code},
    protocol::modern,
};

/// The members of a request's parameters that the engine reads, found in one walk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Params<'a> {
    pub(super) meta: Option<View<'a>>,
    pub(super) name: Option<View<'a>>,
    pub(super) uri: Option<View<'a>>,
    pub(super) arguments: Option<View<'a>>,
    pub(super) cursor: Option<View<'a>>,
    pub(super) level: Option<View<'a>>,
    pub(super) reference: Option<View<'a>>,
    pub(super) argument: Option<View<'a>>,
    pub(super) context: Option<View<'a>>,
    pub(super) responses: Option<View<'a>>,
    pub(super) state: Option<View<'a>>,
    pub(super) notifications: Option<View<'a>>,
    pub(super) version: Option<View<'a>>,
    pub(super) capabilities: Option<View<'a>>,
    pub(super) client: Option<View<'a>>,
}

/// The members that [`Params`] holds, in its order.
const PARAMS: [&str; 15] = [
    "_meta",
    "name",
    "uri",
    "arguments",
    "cursor",
    "level",
    "ref",
    "argument",
    "context",
    "inputResponses",
    "requestState",
    "notifications",
    "protocolVersion",
    "capabilities",
    "clientInfo",
];

impl<'a> Params<'a> {
    fn read(params: Option<View<'a>>) -> Self {
        let found = params.map_or([None; PARAMS.len()], |params| params.pick(PARAMS));
        let [
            meta,
            name,
            uri,
            arguments,
            cursor,
            level,
            reference,
            argument,
            context,
            responses,
            state,
            notifications,
            version,
            capabilities,
            client,
        ] = found;
        Self {
            meta,
            name,
            uri,
            arguments,
            cursor,
            level,
            reference,
            argument,
            context,
            responses,
            state,
            notifications,
            version,
            capabilities,
            client,
        }
    }
}

impl Hub {
    /// A client sent a message.
    pub(crate) fn accept(&mut self, now: Tick, peer: Peer, origin: Origin, text: &str, message: Message<'_>) {
        self.turn(now);
        self.take(Source { peer, origin, batch: None }, text, message);
    }

    /// A client sent what is no message.
    pub(crate) fn accept_misfit(&mut self, now: Tick, peer: Peer, origin: Origin, misfit: &Misfit) {
        self.turn(now);
        self.misfit(Source { peer, origin, batch: None }, misfit);
    }

    /// A client sent what shows no message at all.
    pub(crate) fn accept_unreadable(
        &mut self,
        now: Tick,
        peer: Peer,
        origin: Origin,
        violation: Violation,
        error: &RpcError,
    ) {
        self.turn(now);
        self.violated(peer, violation);
        let source = Source { peer, origin, batch: None };
        self.refuse_with(source, None, error, Some(Refusal::Malformed));
    }

    pub(super) fn take(&mut self, source: Source, text: &str, message: Message<'_>) {
        match message {
            Message::Request { id, method, params } => self.request(source, id, &method, params),
            Message::Notification { method, params } => self.notified(source.peer, &method, params),
            Message::Response { id, body } => self.answered(source.peer, id, text, body),
        }
    }

    /// Answers a message that is none.
    pub(super) fn misfit(&mut self, source: Source, misfit: &Misfit) {
        self.violated(source.peer, Violation::NotJsonRpc(misfit.fault));
        let error = RpcError::new(code::INVALID_REQUEST, format!("{}", misfit.fault));
        if let Some(asked) = misfit.response.filter(|id| self.waits_for(source.peer, *id)) {
            self.asked_is_answered(source.peer, asked, Err(error.clone()));
        }
        self.refuse_with(source, misfit.request.as_ref(), &error, Some(Refusal::Malformed));
    }

    /// Refuses a request with the code that its violation calls for.
    pub(super) fn refuse(&mut self, source: Source, id: &Id, violation: Violation) {
        if let Verdict::Reply(code) = violation.verdict(Tolerance::Tolerant) {
            let refusal = match code {
                code::METHOD_NOT_FOUND => Some(Refusal::Method),
                code::INVALID_REQUEST => Some(Refusal::Malformed),
                _ => None,
            };
            self.refuse_with(source, Some(id), &RpcError::new(code, format!("{violation}")), refusal);
        }
        self.violated(source.peer, violation);
    }

    fn request(&mut self, source: Source, id: Id, method: &str, params: Option<View<'_>>) {
        if let Err(violation) = self.check_request(source.peer, &id, method, params) {
            return self.refuse(source, &id, violation);
        }
        let params = Params::read(params);
        let Some(peer) = self.peers.get(&source.peer) else { return };
        let is_modern = match peer.binding {
            Binding::Exchange => true,
            Binding::Session => false,
            // Nothing but `server/discover` shows its era without an envelope.
            Binding::Pipe => modern::version_of(params.meta).is_some() || method == "server/discover",
        };
        if is_modern {
            self.modern_request(source, id, method, &params);
        } else {
            self.legacy_request(source, id, method, &params);
        }
    }

    fn check_request(
        &self,
        peer: Peer,
        id: &Id,
        method: &str,
        params: Option<View<'_>>,
    ) -> Result<(), Violation> {
        let limits = &self.config.limits;
        if id.bytes() > limits.max_id_bytes {
            return Err(Violation::IdTooLong { bytes: id.bytes(), limit: limits.max_id_bytes });
        }
        if method.len() > limits.max_method_bytes {
            return Err(Violation::MethodTooLong { bytes: method.len(), limit: limits.max_method_bytes });
        }
        if params.is_some_and(|params| params.kind() != Kind::Object) {
            return Err(Violation::BadParams);
        }
        if let Some(pointer) = params.and_then(|params| name_twice(params.as_str())) {
            return Err(Violation::DuplicateName { pointer: format!("/params{pointer}") });
        }
        let listens = |id: &Id| self.peers.get(&peer).is_some_and(|peer| peer.listens.contains_key(id));
        if self.requests.asked(&(peer, id.clone())) || listens(id) {
            return Err(Violation::IdInUse);
        }
        Ok(())
    }

    fn notified(&mut self, peer: Peer, method: &str, params: Option<View<'_>>) {
        match method {
            "notifications/cancelled" => {
                let params = params.filter(|params| name_twice(params.as_str()).is_none());
                let id = params.and_then(|params| params.get("requestId")).and_then(Id::read);
                if let Some(id) = id {
                    return self.cancelled(peer, &id);
                }
                self.violated(peer, Violation::BadNotification { method: "notifications/cancelled" });
            }
            "notifications/roots/list_changed" if self.revision(peer).is_some() => {
                self.tell(ServerEvent::RootsChanged { peer });
            }
            _ => {}
        }
    }

    fn answered(&mut self, peer: Peer, id: ResponseId, text: &str, body: Body) {
        let Some(asked) = id.number() else {
            return self.violated(peer, Violation::UnknownResponse);
        };
        let answer = match body {
            Body::Result { span } => Ok(View::trusted(span.of(text))),
            Body::Error(error) => Err(error),
            Body::Faulty(fault) => Err(RpcError::new(code::INVALID_REQUEST, format!("{fault}"))),
        };
        self.asked_is_answered(peer, asked, answer);
    }
}
