//! Requests of the modern era: each carries its envelope and stands alone (2026-07-28).

use alloc::{string::String, sync::Arc};

use super::{Hub, Refusal, calls::Caller, dispatch::Params, hub::Source};
use crate::{
    json::push_string,
    jsonrpc::{Id, RpcError},
    protocol::{
        Era, ListKind, Revision,
        meta::SERVER_INFO,
        modern::{EnvelopeFault, RequestEnvelope},
    },
};

const MODERN: Revision = Revision::V2026_07_28;

impl Hub {
    pub(super) fn modern_request(&mut self, source: Source, id: Id, method: &str, params: &Params<'_>) {
        let envelope = match RequestEnvelope::read(params.meta) {
            Ok(envelope) => envelope,
            Err(EnvelopeFault::Malformed(error)) => {
                return self.refuse_with(source, Some(&id), &error, Some(Refusal::Malformed));
            }
            Err(EnvelopeFault::Version(error)) => {
                return self.refuse_with(source, Some(&id), &error, Some(Refusal::Version));
            }
        };
        if let Some(kind) = ListKind::of(method) {
            return self.list(source, &id, kind, params, MODERN);
        }
        match method {
            "server/discover" => self.discover(source, &id),
            "subscriptions/listen" if self.config.changes || self.config.watches => {
                self.listen(source, id, params);
            }
            _ => {
                let Some(caller) = self.modern_caller(source, &id, method, params, envelope) else { return };
                self.call(source, id, method, params, caller);
            }
        }
    }

    /// Says who makes a call, with what earlier rounds have brought; `None` where the state is not ours.
    fn modern_caller(
        &mut self,
        source: Source,
        id: &Id,
        method: &str,
        params: &Params<'_>,
        envelope: RequestEnvelope,
    ) -> Option<Caller> {
        let principal = self.peers.get(&source.peer)?.principal.clone();
        let round = match self.resume(method, params, principal.as_deref()) {
            Ok(round) => round,
            Err(error) => {
                self.reply_error(source, Some(id), &error);
                return None;
            }
        };
        Some(Caller {
            revision: MODERN,
            client: None,
            log_level: envelope.log_level,
            principal,
            meta: params.meta.map(|meta| Arc::new(meta.to_raw())),
            answers: round.answers.map(Arc::new),
            state: round.state,
            round: round.number,
        })
    }

    fn discover(&mut self, source: Source, id: &Id) {
        self.reply_members(source, id, Era::Modern, |hub, out| {
            out.push_str("\"supportedVersions\":[\"");
            out.push_str(MODERN.as_str());
            out.push_str("\"],\"capabilities\":");
            hub.push_capabilities(out, MODERN);
            if let Some(instructions) = &hub.config.instructions {
                out.push_str(",\"instructions\":");
                push_string(out, instructions);
            }
            hub.push_cache(out);
        });
    }

    /// Appends how long a result may be kept and by whom, as further members of an object.
    pub(super) fn push_cache(&self, out: &mut String) {
        self.push_ttl(out);
        push_scope(out);
    }

    pub(super) fn push_ttl(&self, out: &mut String) {
        use core::fmt::Write as _;
        // Writing to a `String` never fails.
        let _ = write!(out, ",\"ttlMs\":{}", crate::tick::whole_millis(self.config.cache_ttl));
    }

    /// Appends what every result begins with, up to further members of its `_meta`.
    pub(super) fn push_result_head(&self, out: &mut String, kind: &str) {
        out.push_str("{\"resultType\":\"");
        out.push_str(kind);
        out.push_str("\",\"_meta\":{");
        push_string(out, SERVER_INFO);
        out.push(':');
        self.config.implementation.push_to(out);
    }

    /// Refuses a request whose client lacks a capability.
    pub(super) fn refuse_incapable(&mut self, source: Source, id: &Id, error: &RpcError) {
        self.refuse_with(source, Some(id), error, Some(Refusal::Capability));
    }
}

pub(super) fn push_scope(out: &mut String) {
    out.push_str(",\"cacheScope\":\"private\"");
}
