//! The handshake: which era is tried first, what follows from each answer, and how it comes to an end.

use alloc::{borrow::ToOwned, boxed::Box, string::String, vec::Vec};

use super::{
    CallError, CallId, Client, EraPolicy, Event, Purpose, Reason, Tag, Trigger, cache::Key, calls::Extra,
};
use crate::{
    Tick,
    json::{RawJson, View},
    jsonrpc::{self, RpcError, code},
    protocol::{Envelope, Era, Handshake, HandshakeError, Revision},
    requests::Patience,
};

const MODERN: Revision = Revision::V2026_07_28;

impl Client {
    /// The server has been started: it is asked what the policy asks first.
    pub(super) fn negotiate(&mut self) {
        match self.config.era {
            EraPolicy::Pinned(revision) if revision.era() == Era::Modern => self.discover_with(None, false),
            EraPolicy::Pinned(revision) => self.initialize_with(revision),
            EraPolicy::ModernFirst if !self.ending.was_replaced() => {
                self.probe_due = Some(self.now.after(self.config.probe_timeout));
                self.discover_with(None, false);
            }
            EraPolicy::ModernFirst | EraPolicy::LegacyFirst => self.initialize(),
        }
    }

    /// Asks for the newest legacy revision.
    fn initialize(&mut self) {
        self.initialize_with(Revision::V2025_11_25);
    }

    fn initialize_with(&mut self, revision: Revision) {
        self.probe_due = None;
        self.envelope = None;
        self.era = Era::Legacy;
        let capabilities = self.config.offers.to_capabilities(revision, &self.config.extensions);
        let client = self.config.implementation.clone();
        let id = self.requests.mint();
        let mut message = String::with_capacity(256);
        jsonrpc::push_request(&mut message, id, "initialize", |out| {
            Handshake::push_params(out, revision, &capabilities, &client);
        });
        self.ask_server(id, Purpose::Initialize { asked: revision }, message);
    }

    /// Asks a server what it speaks. `refusal` is why the session ends if it speaks nothing of ours; without
    /// one, other ways are open.
    fn discover_with(&mut self, refusal: Option<Box<Reason>>, is_second: bool) {
        let capabilities = self.config.offers.to_capabilities(MODERN, &self.config.extensions);
        self.envelope = Some(Envelope::new(MODERN, &capabilities, &self.config.implementation));
        self.era = Era::Modern;
        let id = self.requests.mint();
        let Ok((message, _)) = self.encode(id, "server/discover", Extra::default(), &|_| {}) else {
            return self.end(Reason::HandshakeMalformed("the request exceeds the limit".to_owned()));
        };
        self.ask_server(id, Purpose::Discover { refusal, is_second }, message);
    }

    fn ask_server(&mut self, id: u64, purpose: Purpose, message: String) {
        let tag = Tag::new(CallId(id), purpose, self.cache.generation());
        // The handshake has a deadline of its own, which ends the session and not just the request.
        self.requests.wait(self.now, id, Patience::UNBOUNDED, tag);
        self.send(message);
    }

    pub(super) fn expire_handshake(&mut self, now: Tick) {
        if self.handshake_due.is_some_and(|due| due <= now) {
            let after = self.config.handshake_timeout;
            let hint = self.hint_for(self.requests.find(|_| true).unwrap_or_default());
            self.end(Reason::HandshakeTimedOut { after, hint });
        }
    }

    /// Gives up on a probe: its answer may still come, and says nothing any more. The server is not told, since
    /// one that does not know the question may not survive to be told of its end.
    pub(super) fn expire_probe(&mut self, now: Tick) {
        if self.probe_due.is_some_and(|due| due <= now) {
            self.late_probe = self.forget_probe();
            self.initialize();
        }
    }

    /// Forgets the question that the server was asked first, and returns its id.
    pub(super) fn forget_probe(&mut self) -> Option<u64> {
        self.probe_due = None;
        let id = self.requests.find(|tag| matches!(tag.purpose, Purpose::Discover { .. }))?;
        // Nobody waits for it.
        drop(self.requests.take(id));
        Some(id)
    }

    /// The server has answered `initialize`.
    pub(super) fn initialized(&mut self, result: RawJson) {
        match Handshake::read(result) {
            Ok((handshake, odd)) => {
                for violation in odd {
                    self.violated(violation);
                }
                let revision = handshake.revision;
                if matches!(self.config.era, EraPolicy::Pinned(pinned) if pinned != revision) {
                    return self.no_common_revision([revision.as_str().to_owned()].into());
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
            // Some servers agree to a revision that has no handshake.
            Err(HandshakeError::Version(server)) if names_modern(&server) && self.may_change_era() => {
                let client = self.spoken();
                let refusal = Reason::VersionUnsupported { server, client };
                self.discover_with(Some(Box::new(refusal)), false);
            }
            Err(HandshakeError::Version(server)) => self.no_common_revision(server),
        }
    }

    /// The server has refused `initialize`.
    pub(super) fn initialize_refused(&mut self, asked: Revision, error: RpcError) {
        let named: Vec<_> = error.supported_versions().collect();
        if !self.may_change_era() {
            return self.refused_for_good(error, named);
        }
        let older = named.iter().filter_map(|name| Revision::spoken(name)).filter(|own| *own < asked).max();
        let is_modern = names_modern(&named);
        let refusal = |error| Some(Box::new(Reason::HandshakeRefused(error)));
        match older {
            // Only an older one is asked for next, so that this comes to an end.
            Some(older) if !(is_modern && error.code == code::UNSUPPORTED_VERSION) => {
                self.initialize_with(older);
            }
            _ if is_modern => self.discover_with(refusal(error), false),
            _ if !named.is_empty() => self.no_common_revision(named),
            _ => match asked.older().filter(|_| refuses_revision(&error, asked)) {
                Some(older) => self.initialize_with(older),
                // The code of a refusal is the server's business: one of the modern era may say anything.
                None => self.discover_with(refusal(error), false),
            },
        }
    }

    /// The server has said what it speaks.
    pub(super) fn discovered(&mut self, refusal: Option<Box<Reason>>, result: RawJson, ttl_millis: u64) {
        let server = texts(result.view().get("supportedVersions"));
        if names_modern(&server) {
            self.keep(Key::Discovery, &result, ttl_millis);
            return self.agree(result);
        }
        // Some servers list modern revisions only, and shake hands all the same.
        let legacy = server.iter().filter_map(|name| Revision::spoken(name)).max();
        if self.may_fall_back(refusal.is_some()) {
            return self.initialize_with(legacy.unwrap_or(Revision::V2025_11_25));
        }
        match refusal {
            // A server that speaks one of ours refused the handshake for another reason.
            Some(reason) if legacy.is_some() || server.is_empty() => self.end(*reason),
            None if server.is_empty() => {
                self.end(Reason::HandshakeMalformed("`supportedVersions` names no revision".to_owned()));
            }
            _ => self.no_common_revision(server),
        }
    }

    /// The server lives in the modern era, and so does the session.
    fn agree(&mut self, result: RawJson) {
        let (handshake, odd) = Handshake::read_discovered(result);
        for violation in odd {
            self.violated(violation);
        }
        if !self.advance(Trigger::Agreed) {
            return;
        }
        self.handshake_due = None;
        self.probe_due = None;
        self.handshake = Some(handshake.clone());
        self.tell(Event::Ready(handshake));
        self.listen_for_changes();
    }

    /// The server has refused to say what it speaks.
    pub(super) fn discover_refused(
        &mut self,
        refusal: Option<Box<Reason>>,
        is_second: bool,
        error: RpcError,
    ) {
        let is_about_versions = error.code == code::UNSUPPORTED_VERSION;
        let named: Vec<_> = error.supported_versions().collect();
        if is_about_versions && names_modern(&named) && !is_second {
            // Some servers refuse their first request with the very revision that it named.
            return self.discover_with(refusal, true);
        }
        if self.may_fall_back(refusal.is_some()) {
            let legacy = named.iter().filter_map(|name| Revision::spoken(name)).max();
            let legacy = legacy.filter(|_| is_about_versions);
            return self.initialize_with(legacy.unwrap_or(Revision::V2025_11_25));
        }
        match refusal {
            Some(reason) if named.is_empty() || names_modern(&named) => self.end(*reason),
            _ => self.refused_for_good(error, named),
        }
    }

    /// The answer to the question what the server speaks is none.
    pub(super) fn discover_failed(&mut self, is_refused: bool, error: &CallError) {
        if self.may_fall_back(is_refused) {
            self.initialize();
        } else {
            self.end(Reason::HandshakeMalformed(alloc::format!("{error}")));
        }
    }

    fn refused_for_good(&mut self, error: RpcError, named: Vec<String>) {
        let spoken = self.spoken();
        let has_ours = named.iter().any(|name| spoken.iter().any(|own| own.as_str() == *name));
        if named.is_empty() || has_ours {
            self.end(Reason::HandshakeRefused(error));
        } else {
            self.no_common_revision(named);
        }
    }

    fn no_common_revision(&mut self, server: Vec<String>) {
        let client = self.spoken();
        self.end(Reason::VersionUnsupported { server, client });
    }

    /// Returns the revisions that the policy allows.
    fn spoken(&self) -> &'static [Revision] {
        match self.config.era {
            EraPolicy::Pinned(revision) => revision.alone(),
            EraPolicy::LegacyFirst | EraPolicy::ModernFirst => Revision::ALL,
        }
    }

    const fn may_change_era(&self) -> bool {
        !matches!(self.config.era, EraPolicy::Pinned(_))
    }

    /// Returns whether `initialize` may follow a question that failed: not where it was what came before.
    const fn may_fall_back(&self, is_refused: bool) -> bool {
        matches!(self.config.era, EraPolicy::ModernFirst) && !is_refused
    }
}

fn names_modern(names: &[String]) -> bool {
    names.iter().any(|name| name == MODERN.as_str())
}

fn texts(list: Option<View<'_>>) -> Vec<String> {
    list.into_iter().flat_map(View::elements).filter_map(View::to_text).collect()
}

/// Returns whether an error without a list of revisions is about the one that was asked for: servers of the legacy
/// era that do not negotiate are asked for the next older one.
fn refuses_revision(error: &RpcError, asked: Revision) -> bool {
    let says = |word: &str| {
        error.message.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    !matches!(error.code, code::METHOD_NOT_FOUND | code::UNSUPPORTED_VERSION)
        && (says("version") || says("revision") || says(asked.as_str()))
}
