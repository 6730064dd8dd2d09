//! Who wants to be told when something changes: per session (legacy era), or on a stream of its own (modern era).

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    Hub, Peer, Route, ServerEvent,
    asked::bad_params,
    dispatch::Params,
    hub::Source,
    peers::{Listen, Session},
};
use crate::{
    Tick, Violation,
    json::{Kind, View, push_string},
    jsonrpc::{Id, RpcError, code},
    map::BTreeSet,
    protocol::{ListKind, SUBSCRIPTION_ID},
};

impl Hub {
    /// Tells the clients that watch a resource that it has changed.
    pub fn resource_updated(&mut self, now: Tick, uri: &str) {
        self.turn(now);
        let mut params = String::from("\"uri\":");
        push_string(&mut params, uri);
        let watches = |session: &Session| session.subscriptions.contains(uri);
        self.announce("notifications/resources/updated", &params, watches, |listen| {
            listen.uris.contains(uri)
        });
    }

    /// Ends every stream that clients listen on: the server is about to stop.
    pub fn end_subscriptions(&mut self, now: Tick) {
        self.turn(now);
        let peers: Vec<_> = self.peers.keys().copied().collect();
        for peer in peers {
            let listens = self.peers.get_mut(&peer).map(|peer| core::mem::take(&mut peer.listens));
            for (id, listen) in listens.into_iter().flatten() {
                let source = Source { peer, origin: listen.origin, batch: None };
                let mut result = String::new();
                self.push_result_head(&mut result, "complete");
                result.push(',');
                push_subscription(&mut result, &id);
                result.push_str("}}");
                self.reply(source, &id, &result);
                self.forget_uris(listen.uris);
            }
        }
    }

    pub(super) fn changed(&mut self, kind: ListKind) {
        let (method, listens): (_, fn(&Listen) -> bool) = match kind {
            ListKind::Tools => ("notifications/tools/list_changed", |listen| listen.tools),
            ListKind::Prompts => ("notifications/prompts/list_changed", |listen| listen.prompts),
            ListKind::Resources | ListKind::ResourceTemplates => {
                ("notifications/resources/list_changed", |listen| listen.resources)
            }
        };
        if self.config.changes {
            self.announce(method, "", |_| true, listens);
        }
    }

    /// Sends a notification to those sessions and on those streams; `members` are its parameters.
    fn announce(
        &mut self,
        method: &str,
        members: &str,
        wants: impl Fn(&Session) -> bool,
        listens: impl Fn(&Listen) -> bool,
    ) {
        let params = alloc::format!("{{{members}}}");
        for peer in self.sessions(wants) {
            self.notify(peer, Route::Aside, method, &params);
        }
        let streams: Vec<_> = self
            .peers
            .iter()
            .flat_map(|(peer, state)| state.listens.iter().map(|(id, listen)| (*peer, id.clone(), listen)))
            .filter(|(_, _, listen)| listens(listen))
            .map(|(peer, id, listen)| (peer, id, listen.origin))
            .collect();
        for (peer, id, origin) in streams {
            let mut params = String::from("{\"_meta\":{");
            push_subscription(&mut params, &id);
            params.push_str(if members.is_empty() { "}" } else { "}," });
            params.push_str(members);
            params.push('}');
            self.notify(peer, Route::During(origin), method, &params);
        }
    }

    /// Returns the open sessions of the legacy era for which this is true.
    pub(super) fn sessions(&self, wants: impl Fn(&Session) -> bool) -> Vec<Peer> {
        let open = self.peers.iter().filter(|(_, peer)| !peer.is_closed);
        open.filter(|(_, peer)| peer.session.as_ref().is_some_and(&wants)).map(|(peer, _)| *peer).collect()
    }

    pub(super) fn subscribe(&mut self, source: Source, id: &Id, params: &Params<'_>) {
        let limit = self.config.limits.max_subscriptions;
        let Some(uri) = params.uri.and_then(View::to_text) else {
            return self.reply_error(source, Some(id), &bad_params("uri", "must be a string"));
        };
        if uri.len() > self.config.limits.max_uri_bytes {
            return self.reply_error(source, Some(id), &self.uri_too_long("uri"));
        }
        let peer = self.peers.get_mut(&source.peer);
        let Some(session) = peer.and_then(|peer| peer.session.as_mut()) else { return };
        if session.subscriptions.len() >= limit && !session.subscriptions.contains(&uri) {
            return self.refuse(source, id, Violation::TooManySubscriptions { limit });
        }
        if session.subscriptions.insert(uri.clone()) {
            self.watch(uri);
        }
        self.reply(source, id, "{}");
    }

    pub(super) fn unsubscribe(&mut self, source: Source, id: &Id, params: &Params<'_>) {
        let Some(uri) = params.uri.and_then(View::to_text) else {
            return self.reply_error(source, Some(id), &bad_params("uri", "must be a string"));
        };
        let peer = self.peers.get_mut(&source.peer);
        let Some(session) = peer.and_then(|peer| peer.session.as_mut()) else { return };
        if session.subscriptions.remove(&uri) {
            self.forget_uris([uri]);
        }
        self.reply(source, id, "{}");
    }

    /// Opens a stream (2026-07-28 `basic/patterns/subscriptions`).
    pub(super) fn listen(&mut self, source: Source, id: Id, params: &Params<'_>) {
        let limit = self.config.limits.max_subscriptions;
        let Some(wanted) = params.notifications.filter(|wanted| wanted.kind() == Kind::Object) else {
            return self.reply_error(source, Some(&id), &bad_params("notifications", "must be an object"));
        };
        let mut listen = match self.read_listen(wanted, limit) {
            Ok(listen) => listen,
            Err(error) => return self.reply_error(source, Some(&id), &error),
        };
        listen.origin = source.origin;
        let mut params = String::from("{\"_meta\":{");
        push_subscription(&mut params, &id);
        params.push_str("},\"notifications\":{");
        push_honoured(&mut params, &listen);
        params.push_str("}}");
        let uris: Vec<_> = listen.uris.iter().cloned().collect();
        let Some(peer) = self.peers.get_mut(&source.peer) else { return };
        if peer.listens.len() >= limit {
            return self.refuse(source, &id, Violation::TooManySubscriptions { limit });
        }
        peer.listens.insert(id, listen);
        let route = Route::During(source.origin);
        self.notify(source.peer, route, "notifications/subscriptions/acknowledged", &params);
        for uri in uris {
            self.watch(uri);
        }
    }

    fn read_listen(&self, wanted: View<'_>, limit: usize) -> Result<Listen, RpcError> {
        let wants = |name: &str| wanted.get(name).and_then(View::as_bool) == Some(true);
        let changes = self.config.changes;
        let mut listen = Listen {
            tools: changes && wants("toolsListChanged"),
            prompts: changes && self.offers(ListKind::Prompts) && wants("promptsListChanged"),
            resources: changes && self.offers(ListKind::Resources) && wants("resourcesListChanged"),
            ..Listen::default()
        };
        let Some(uris) = wanted.get("resourceSubscriptions").filter(|uris| !uris.is_null()) else {
            return Ok(listen);
        };
        let texts: Option<BTreeSet<_>> = uris.elements().map(View::to_text).collect();
        let (Kind::Array, Some(texts)) = (uris.kind(), texts) else {
            return Err(bad_params("notifications/resourceSubscriptions", "must be a list of strings"));
        };
        if texts.len() > limit {
            let violation = Violation::TooManySubscriptions { limit };
            return Err(RpcError::new(code::INVALID_PARAMS, violation.to_string()));
        }
        if texts.iter().any(|uri| uri.len() > self.config.limits.max_uri_bytes) {
            return Err(self.uri_too_long("notifications/resourceSubscriptions"));
        }
        if self.config.watches {
            listen.uris = texts;
        }
        Ok(listen)
    }

    fn uri_too_long(&self, member: &str) -> RpcError {
        bad_params(member, &alloc::format!("exceeds {} bytes", self.config.limits.max_uri_bytes))
    }

    /// A client does not listen on a stream any more.
    pub(super) fn unlisten(&mut self, peer: Peer, id: &Id) {
        let Some(listen) = self.peers.get_mut(&peer).and_then(|peer| peer.listens.remove(id)) else { return };
        self.forget_uris(listen.uris);
    }

    /// A client wants to be told of nothing any more.
    pub(super) fn forget_subscriptions(&mut self, peer: Peer) {
        let Some(state) = self.peers.get_mut(&peer) else { return };
        let session = state.session.as_mut().map(|session| core::mem::take(&mut session.subscriptions));
        let listens = core::mem::take(&mut state.listens);
        let uris = listens.into_values().flat_map(|listen| listen.uris);
        let all: Vec<_> = session.into_iter().flatten().chain(uris).collect();
        self.forget_uris(all);
    }

    fn watch(&mut self, uri: String) {
        let count = self.watched.entry(uri.clone()).or_default();
        *count += 1;
        if *count == 1 {
            self.tell(ServerEvent::Watched { uri });
        }
    }

    fn forget_uris(&mut self, uris: impl IntoIterator<Item = String>) {
        for uri in uris {
            let Some(count) = self.watched.get_mut(&uri) else { continue };
            *count -= 1;
            if *count == 0 {
                self.watched.remove(&uri);
                self.tell(ServerEvent::Unwatched { uri });
            }
        }
    }
}

fn push_subscription(out: &mut String, id: &Id) {
    push_string(out, SUBSCRIPTION_ID);
    out.push(':');
    id.push_to(out);
}

/// Appends what a stream will carry.
fn push_honoured(out: &mut String, listen: &Listen) {
    let start = out.len();
    let flags = [
        ("toolsListChanged", listen.tools),
        ("promptsListChanged", listen.prompts),
        ("resourcesListChanged", listen.resources),
    ];
    for (name, _) in flags.into_iter().filter(|(_, is_honoured)| *is_honoured) {
        out.push_str(if out.len() > start { ",\"" } else { "\"" });
        out.push_str(name);
        out.push_str("\":true");
    }
    if listen.uris.is_empty() {
        return;
    }
    out.push_str(if out.len() > start {
        ",\"resourceSubscriptions\":["
    } else {
        "\"resourceSubscriptions\":["
    });
    for (at, uri) in listen.uris.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_string(out, uri);
    }
    out.push(']');
}
