//! Requests of the modern era: each carries its envelope and stands alone (2026-07-28).

use alloc::{string::String, sync::Arc};

use super::{Hub, Refusal, calls::Caller, dispatch::Params, hub::Source, lists::Offer};
use crate::{
    json::{View, push_string},
    jsonrpc::{Id, RpcError},
    protocol::{
        Revision,
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
        match method {
            "server/discover" => self.discover(source, &id),
            "tools/list" => self.list(source, &id, Offer::Tools, params, MODERN),
            "resources/list" => self.list(source, &id, Offer::Resources, params, MODERN),
            "resources/templates/list" => self.list(source, &id, Offer::ResourceTemplates, params, MODERN),
            "prompts/list" => self.list(source, &id, Offer::Prompts, params, MODERN),
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
        let mut result = String::from("{\"supportedVersions\":[\"");
        result.push_str(MODERN.as_str());
        result.push_str("\"],\"capabilities\":");
        self.push_capabilities(&mut result, MODERN);
        if let Some(instructions) = &self.config.instructions {
            result.push_str(",\"instructions\":");
            push_string(&mut result, instructions);
        }
        self.push_cache(&mut result);
        result.push('}');
        self.complete(source, id, View::trusted(&result));
    }

    /// Appends how long a result may be kept, as further members of an object.
    pub(super) fn push_cache(&self, out: &mut String) {
        use core::fmt::Write as _;
        // Writing to a `String` never fails.
        let _ = write!(out, ",\"ttlMs\":{},\"cacheScope\":\"private\"", self.config.cache_ttl.as_millis());
    }

    /// Appends who the server is, as a member of a result's `_meta`.
    pub(super) fn push_server_info(&self, out: &mut String) {
        push_string(out, SERVER_INFO);
        out.push(':');
        self.config.implementation.push_to(out);
    }

    /// Answers a request with a whole result that holds no `_meta` and no `resultType`.
    pub(super) fn complete(&mut self, source: Source, id: &Id, result: View<'_>) {
        let members = result.as_str().strip_prefix('{').unwrap_or_default();
        let mut whole = String::with_capacity(members.len() + 160);
        whole.push_str("{\"resultType\":\"complete\",\"_meta\":{");
        self.push_server_info(&mut whole);
        whole.push_str(if members == "}" { "}" } else { "}," });
        whole.push_str(members);
        self.reply(source, id, &whole);
    }

    /// Refuses a request whose client lacks a capability.
    pub(super) fn refuse_incapable(&mut self, source: Source, id: &Id, error: &RpcError) {
        self.refuse_with(source, Some(id), error, Some(Refusal::Capability));
    }
}
