//! The handshake: `initialize` first, `server/discover` where a server does not know it.

use alloc::{string::String, vec::Vec};

use super::{CallId, Client, Event, Purpose, Reason, Tag, Trigger};
use crate::{
    Tick,
    json::{RawJson, View},
    jsonrpc::{self, RpcError, code},
    protocol::{Handshake, HandshakeError, Revision},
    requests::Patience,
};

impl Client {
    /// Asks for the newest legacy revision: over many real servers `initialize` never failed as the first
    /// request, while `server/discover` made some exit and some hang.
    pub(super) fn initialize(&mut self) {
        self.initialize_with(Revision::V2025_11_25);
    }

    fn initialize_with(&mut self, revision: Revision) {
        let capabilities = self.config.offers.to_capabilities();
        let client = self.config.implementation.clone();
        self.ask_server(Purpose::Initialize { asked: revision }, "initialize", |out| {
            Handshake::push_params(out, revision, &capabilities, &client);
        });
    }

    /// Asks a server that does not know `initialize` what it speaks.
    fn discover(&mut self, refusal: RpcError) {
        let client = self.config.implementation.clone();
        self.ask_server(Purpose::Discover { refusal }, "server/discover", |out| {
            out.push_str("{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"");
            out.push_str(Revision::V2026_07_28.as_str());
            out.push_str("\",\"io.modelcontextprotocol/clientCapabilities\":{},");
            out.push_str("\"io.modelcontextprotocol/clientInfo\":");
            client.push_to(out);
            out.push_str("}}");
        });
    }

    fn ask_server(&mut self, purpose: Purpose, method: &str, params: impl FnOnce(&mut String)) {
        let id = self.requests.mint();
        let mut message = String::with_capacity(256);
        jsonrpc::push_request(&mut message, id, method, params);
        // The handshake has a deadline of its own, which ends the session and not just the request.
        self.requests.wait(self.now, id, Patience::UNBOUNDED, Tag { call: CallId(id), purpose });
        self.send(message);
    }

    pub(super) fn expire_handshake(&mut self, now: Tick) {
        if self.handshake_due.is_some_and(|due| due <= now) {
            let after = self.config.handshake_timeout;
            let hint = self.hint_for(self.requests.find(|_| true).unwrap_or_default());
            self.end(Reason::HandshakeTimedOut { after, hint });
        }
    }

    /// The server has answered `initialize`.
    pub(super) fn initialized(&mut self, result: RawJson) {
        match Handshake::read(result) {
            Ok((handshake, odd)) => {
                for violation in odd {
                    self.violated(violation);
                }
                if !self.advance(Trigger::Agreed) {
                    return;
                }
                self.handshake_due = None;
                self.handshake = Some(handshake.clone());
                let mut message = String::new();
                jsonrpc::push_notification(&mut message, "notifications/initialized", None);
                self.send(message);
                self.tell(Event::Ready(handshake));
            }
            Err(HandshakeError::Malformed(fault)) => self.end(Reason::HandshakeMalformed(fault)),
            Err(HandshakeError::Version(server)) => self.no_common_revision(server),
        }
    }

    /// The server has refused `initialize`.
    pub(super) fn initialize_refused(&mut self, asked: Revision, error: RpcError) {
        let named = named_revisions(&error);
        let spoken = named.iter().filter_map(|name| Revision::spoken(name));
        // Only an older one is asked for next, so that this comes to an end.
        if let Some(older) = spoken.filter(|revision| *revision < asked).max() {
            self.initialize_with(older);
        } else if !named.is_empty() {
            self.no_common_revision(named);
        } else if speaks_of_versions(&error) {
            self.discover(error);
        } else {
            self.end(Reason::HandshakeRefused(error));
        }
    }

    /// The server has said what it speaks.
    pub(super) fn discovered(&mut self, refusal: RpcError, result: &RawJson) {
        let server = texts(result.view().get("supportedVersions"));
        // A server that speaks one of ours refused the handshake for another reason.
        if server.is_empty() || server.iter().any(|name| Revision::spoken(name).is_some()) {
            self.end(Reason::HandshakeRefused(refusal));
        } else {
            self.no_common_revision(server);
        }
    }

    /// The server knows neither handshake.
    pub(super) fn discover_refused(&mut self, refusal: RpcError, error: &RpcError) {
        let server = named_revisions(error);
        if server.is_empty() {
            self.end(Reason::HandshakeRefused(refusal));
        } else {
            self.no_common_revision(server);
        }
    }

    fn no_common_revision(&mut self, server: Vec<String>) {
        self.end(Reason::VersionUnsupported { server, client: Revision::SPOKEN });
    }
}

/// Returns the revisions that an error names (`data.supported`, spec lifecycle and 2026-07-28 versioning).
fn named_revisions(error: &RpcError) -> Vec<String> {
    texts(error.data.as_ref().and_then(|data| data.view().get("supported")))
}

fn texts(list: Option<View<'_>>) -> Vec<String> {
    list.into_iter().flat_map(View::elements).filter_map(View::to_text).collect()
}

/// Returns whether an error says that `initialize` or its revision is not known.
fn speaks_of_versions(error: &RpcError) -> bool {
    matches!(error.code, code::METHOD_NOT_FOUND | code::UNSUPPORTED_VERSION)
        || error.message.to_ascii_lowercase().contains("version")
}
