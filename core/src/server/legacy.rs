//! Requests of the legacy era: the gate of the handshake, and the methods behind it.

use alloc::{string::String, sync::Arc};

use super::{
    Hub, Refusal, ServerEvent,
    calls::Caller,
    dispatch::Params,
    event::Declared,
    hub::Source,
    peers::{Session, declares},
};
use crate::{
    Violation,
    json::{Kind, View, push_string},
    jsonrpc::{Id, RpcError, code},
    map::BTreeSet,
    protocol::{Era, Implementation, ListKind, LogLevel, Revision},
};

impl Hub {
    pub(super) fn legacy_request(&mut self, source: Source, id: Id, method: &str, params: &Params<'_>) {
        match method {
            "initialize" => return self.initialize(source, &id, params),
            "ping" | "shutdown" => return self.reply(source, &id, "{}"),
            _ => {}
        }
        let Some(revision) = self.revision(source.peer) else {
            let error = RpcError::new(code::NOT_INITIALIZED, "the session is not initialized");
            return self.refuse_with(source, Some(&id), &error, Some(Refusal::Malformed));
        };
        if let Some(kind) = ListKind::of(method) {
            return self.list(source, &id, kind, params, revision);
        }
        match method {
            "resources/subscribe" if self.config.watches => self.subscribe(source, &id, params),
            "resources/unsubscribe" if self.config.watches => self.unsubscribe(source, &id, params),
            "logging/setLevel" if self.config.logs => self.set_level(source, &id, params),
            _ => {
                let Some(caller) = self.legacy_caller(source, params) else { return };
                self.call(source, id, method, params, caller);
            }
        }
    }

    fn legacy_caller(&self, source: Source, params: &Params<'_>) -> Option<Caller> {
        let peer = self.peers.get(&source.peer)?;
        let session = peer.session.as_ref()?;
        Some(Caller {
            revision: session.revision,
            client: Some(session.declared.clone()),
            log_level: Some(session.log_level),
            principal: peer.principal.clone(),
            meta: params.meta.map(|meta| Arc::new(meta.to_raw())),
            answers: None,
            state: None,
            round: 0,
        })
    }

    fn initialize(&mut self, source: Source, id: &Id, params: &Params<'_>) {
        if source.batch.is_some() {
            let error = RpcError::new(code::INVALID_REQUEST, "`initialize` must not be part of a batch");
            return self.refuse_with(source, Some(id), &error, Some(Refusal::Malformed));
        }
        if self.revision(source.peer).is_some() {
            let error = RpcError::new(code::INVALID_REQUEST, "the session is initialized already");
            return self.refuse_with(source, Some(id), &error, Some(Refusal::Malformed));
        }
        let Some(asked) = params.version.and_then(View::to_str) else {
            let error = RpcError::new(code::INVALID_PARAMS, "`protocolVersion` must be a string");
            return self.refuse_with(source, Some(id), &error, Some(Refusal::Malformed));
        };
        // A modern revision is never settled by a handshake.
        let spoken = Revision::ALL.iter().copied().find(|revision| revision.as_str() == asked);
        let revision =
            spoken.filter(|revision| revision.era() == Era::Legacy).unwrap_or(Revision::V2025_11_25);
        let capabilities = object_or_empty(params.capabilities).to_raw();
        let client = Implementation::read(object_or_empty(params.client));
        let result = self.handshake(revision);
        let Some(peer) = self.peers.get_mut(&source.peer) else { return };
        peer.session = Some(Session {
            revision,
            declared: Arc::new(Declared { client: client.clone(), capabilities }),
            log_level: LogLevel::Info,
            subscriptions: BTreeSet::new(),
        });
        self.reply(source, id, &result);
        self.tell(ServerEvent::Initialized { peer: source.peer, client, revision });
    }

    fn handshake(&self, revision: Revision) -> String {
        let mut result = String::from("{\"protocolVersion\":");
        push_string(&mut result, revision.as_str());
        result.push_str(",\"capabilities\":");
        self.push_capabilities(&mut result, revision);
        result.push_str(",\"serverInfo\":");
        self.config.implementation.push_to(&mut result);
        if let Some(instructions) = &self.config.instructions {
            result.push_str(",\"instructions\":");
            push_string(&mut result, instructions);
        }
        result.push('}');
        result
    }

    /// Appends what the server declares to a client of this revision.
    pub(super) fn push_capabilities(&self, out: &mut String, revision: Revision) {
        let changes = |out: &mut String| {
            if self.config.changes {
                out.push_str("\"listChanged\":true");
            }
        };
        out.push('{');
        out.push_str("\"tools\":{");
        changes(out);
        out.push('}');
        if self.offers(ListKind::Resources) {
            out.push_str(",\"resources\":{");
            changes(out);
            if self.config.watches {
                out.push_str(if self.config.changes { ",\"subscribe\":true" } else { "\"subscribe\":true" });
            }
            out.push('}');
        }
        if self.offers(ListKind::Prompts) {
            out.push_str(",\"prompts\":{");
            changes(out);
            out.push('}');
        }
        if self.config.completes && revision >= Revision::V2025_03_26 {
            out.push_str(",\"completions\":{}");
        }
        if self.config.logs {
            out.push_str(",\"logging\":{}");
        }
        out.push('}');
    }

    fn set_level(&mut self, source: Source, id: &Id, params: &Params<'_>) {
        let level = params.level.and_then(View::to_str).and_then(|name| LogLevel::read(&name));
        let Some(level) = level else {
            let error =
                RpcError::new(code::INVALID_PARAMS, "`level` must be one of the eight levels of logging");
            return self.reply_error(source, Some(id), &error);
        };
        if let Some(session) = self.peers.get_mut(&source.peer).and_then(|peer| peer.session.as_mut()) {
            session.log_level = level;
        }
        self.reply(source, id, "{}");
    }

    /// Refuses what no client of any era may ask for.
    pub(super) fn refuse_method(&mut self, source: Source, id: &Id) {
        self.refuse(source, id, Violation::MethodNotOffered);
    }
}

fn object_or_empty(view: Option<View<'_>>) -> View<'_> {
    view.filter(|view| view.kind() == Kind::Object).unwrap_or(View::trusted("{}"))
}

/// Returns whether a client of the legacy era can be asked this.
pub(super) fn legacy_can(capabilities: View<'_>, revision: Revision, path: &[&str]) -> bool {
    match path {
        // Before 2025-11-25 there is one kind of elicitation, which that revision calls `form`.
        ["elicitation", "form"] => {
            let modes = capabilities.get("elicitation");
            declares(capabilities, &["elicitation"])
                && (revision < Revision::V2025_11_25
                    || modes.is_some_and(|modes| declares(modes, &["form"]) || !declares(modes, &["url"])))
        }
        ["elicitation", "url"] | ["sampling", "tools"] => {
            revision >= Revision::V2025_11_25 && declares(capabilities, path)
        }
        path => declares(capabilities, path),
    }
}
