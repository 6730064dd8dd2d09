//! Calls: what a client wants of the application, from its arrival to its one answer.

use alloc::{format, string::String, sync::Arc, vec::Vec};

use super::{
    Context, Hub, Peer, Request, ServedCall, ServerEvent,
    dispatch::Params,
    event::Declared,
    hub::Source,
    permits::{Admission, Party},
};
use crate::{
    Tick, Violation,
    json::{Kind, RawJson},
    jsonrpc::{Id, RpcError, code},
    map::BTreeMap,
    protocol::{LogLevel, Revision},
};

/// Who makes a call, and what it said so far.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) revision: Revision,
    /// What its session declared (legacy era).
    pub(super) client: Option<Arc<Declared>>,
    pub(super) log_level: Option<LogLevel>,
    pub(super) principal: Option<Arc<str>>,
    pub(super) meta: Option<Arc<RawJson>>,
    pub(super) answers: Option<Arc<RawJson>>,
    pub(super) state: Option<String>,
    pub(super) round: usize,
}

impl Caller {
    /// Returns what is kept of it, in bytes.
    fn bytes(&self) -> usize {
        let of = |json: &Option<Arc<RawJson>>| json.as_ref().map_or(0, |json| json.as_str().len());
        of(&self.meta) + of(&self.answers) + self.state.as_ref().map_or(0, String::len)
    }
}

/// A request that waits for the application, for a permit, or for what its client answers.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) source: Source,
    pub(super) id: Id,
    pub(super) request: Request,
    pub(super) caller: Caller,
    pub(super) party: Party,
    /// What is kept for it.
    pub(super) bytes: usize,
    pub(super) phase: Phase,
    pub(super) due: Tick,
    /// The token that the client wants progress reported under, as its JSON text.
    pub(super) progress_token: Option<String>,
    pub(super) progress: Option<f64>,
}

/// What a call waits for.
#[derive(Debug)]
pub(super) enum Phase {
    /// A permit.
    Queued,
    /// The application.
    Running,
    /// The answers of its client (legacy era): those that have come, by key.
    Asking { answers: BTreeMap<String, RawJson>, left: usize },
}

impl Hub {
    /// Takes up a call, or refuses it.
    pub(super) fn call(&mut self, source: Source, id: Id, method: &str, params: &Params<'_>, caller: Caller) {
        let request = match self.read_request(method, params) {
            Ok(Some(request)) => request,
            Ok(None) => return self.refuse_method(source, &id),
            Err(error) => return self.reply_error(source, Some(&id), &error),
        };
        if let Request::CallTool { name, arguments } = &request
            && let Some(failure) = self.refuse_tool(name, arguments)
        {
            return self.refuse_call(source, &id, caller.revision, &failure);
        }
        let Some(party) = self.peers.get(&source.peer).map(|peer| peer.party) else { return };
        let serial = self.serial.next();
        let token = params.meta.and_then(|meta| meta.get("progressToken"));
        let progress_token = token
            .filter(|token| matches!(token.kind(), Kind::Number | Kind::String))
            .filter(|token| token.as_str().len() <= self.config.limits.max_id_bytes)
            .map(|token| token.as_str().into());
        let due = self.now.after(self.config.call_timeout);
        let bytes = id.bytes() + request.bytes() + caller.bytes();
        let admission = self.permits.ask(&self.config.limits, party, serial, bytes);
        match admission {
            Admission::Run | Admission::Wait => {}
            Admission::Refuse(limit) => return self.refuse(source, &id, Violation::TooManyAsks { limit }),
            Admission::TooLarge(limit) => return self.refuse_bytes(source, &id, limit),
        }
        self.requests.ask((source.peer, id.clone()), serial);
        self.call_deadlines.insert((due, serial));
        let phase = Phase::Queued;
        let call =
            Call { source, id, request, caller, party, bytes, phase, due, progress_token, progress: None };
        self.calls.insert(serial, call);
        if admission == Admission::Run {
            self.run(serial);
        }
    }

    /// Hands a call to the application.
    pub(super) fn run(&mut self, serial: u64) {
        let Some(call) = self.calls.get_mut(&serial) else { return };
        call.phase = Phase::Running;
        let source = call.source;
        if self.is_in_full_batch(source) {
            let Some(call) = self.end_call(serial) else { return };
            return self.refuse_in_batch(source, &call.id);
        }
        let Some(call) = self.calls.get_mut(&serial) else { return };
        let caller = &mut call.caller;
        let context = Context {
            peer: call.source.peer,
            id: format!("{}", call.id),
            revision: caller.revision,
            client: caller.client.clone(),
            principal: caller.principal.clone(),
            answers: caller.answers.clone(),
            state: caller.state.take(),
            log_level: caller.log_level,
            wants_progress: call.progress_token.is_some(),
            meta: caller.meta.clone(),
        };
        let request = call.request.clone();
        self.tell(ServerEvent::Requested { call: ServedCall(serial), request, context });
    }

    /// Hands the application as many waiting calls as may run.
    pub(super) fn admit(&mut self) {
        while let Some(serial) = self.permits.admit(&self.config.limits) {
            self.run(serial);
        }
    }

    /// Forgets a call: whoever takes it answers it, or does not.
    pub(super) fn end_call(&mut self, serial: u64) -> Option<Call> {
        let call = self.calls.remove(&serial)?;
        self.call_deadlines.remove(&(call.due, serial));
        self.requests.answer(&(call.source.peer, call.id.clone()));
        match &call.phase {
            Phase::Queued => self.permits.withdraw(call.party, serial, call.bytes),
            Phase::Running => self.permits.release(call.party, call.bytes),
            Phase::Asking { .. } => {
                self.permits.free(call.party, call.bytes);
                self.withdraw_asks(serial);
            }
        }
        Some(call)
    }

    /// A client does not want the answer to a request any more.
    pub(super) fn cancelled(&mut self, peer: Peer, id: &Id) {
        if let Some(serial) = self.requests.get_asked(&(peer, id.clone())).copied() {
            return self.drop_call(serial);
        }
        self.unlisten(peer, id);
    }

    pub(super) fn drop_calls(&mut self, peer: Peer) {
        for serial in self.calls_of(peer).collect::<Vec<_>>() {
            self.drop_call(serial);
        }
    }

    /// Returns the calls of a client.
    pub(super) fn calls_of(&self, peer: Peer) -> impl Iterator<Item = u64> {
        let (first, next) = ((peer, Id::FIRST), (Peer(peer.0 + 1), Id::FIRST));
        self.requests.asked_in(first..next).copied()
    }

    /// Refuses a request that there is no room to keep.
    fn refuse_bytes(&mut self, source: Source, id: &Id, limit: usize) {
        let message = format!(
            "the requests under way keep so much of {limit} bytes that this one does not fit: ask again once \
             others were answered"
        );
        let error = RpcError::no_room(message);
        self.reply_error(source, Some(id), &error);
    }

    /// Nobody has listened for the answers to the calls of a client for so long that they are given up; it is
    /// told where it comes back after all.
    pub(crate) fn abandon_calls(&mut self, now: Tick, peer: Peer, silence: core::time::Duration) {
        self.turn(now);
        let millis = crate::tick::whole_millis(silence);
        for serial in self.calls_of(peer).collect::<Vec<_>>() {
            let Some(call) = self.withdraw_call(serial) else { continue };
            let message = format!(
                "the request was given up because its client was gone and silent for {millis} ms: make it again"
            );
            self.reply_error(call.source, Some(&call.id), &RpcError::new(code::INTERNAL_ERROR, message));
        }
        self.admit();
    }

    /// Takes a call from the application, where it has it.
    fn withdraw_call(&mut self, serial: u64) -> Option<Call> {
        let call = self.end_call(serial)?;
        if matches!(call.phase, Phase::Running) {
            self.tell(ServerEvent::Cancelled { call: ServedCall(serial) });
        }
        Some(call)
    }

    fn drop_call(&mut self, serial: u64) {
        let Some(call) = self.withdraw_call(serial) else { return };
        self.leave_unanswered(call.source);
        self.admit();
    }

    pub(super) fn expire_calls(&mut self) {
        while let Some((_, serial)) = self.call_deadlines.first().copied().filter(|(due, _)| *due <= self.now)
        {
            let Some(call) = self.withdraw_call(serial) else { return };
            let millis = crate::tick::whole_millis(self.config.call_timeout);
            let error = RpcError::new(code::INTERNAL_ERROR, format!("no answer within {millis} ms"));
            self.reply_error(call.source, Some(&call.id), &error);
            self.admit();
        }
    }
}
