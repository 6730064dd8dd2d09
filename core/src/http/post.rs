//! Messages that were posted: which era they are of, and what takes them up.

use alloc::string::String;

use super::{
    Endpoint, Exchange,
    endpoint::{Bond, Owner, Posted, too_large},
    head::Fields,
    mirror::{is_spoken, version_fault},
    reply::{Answered, Reply},
    route::{draining, unspoken},
    shares::Account,
};
use crate::{
    json::View,
    jsonrpc::{self, Batch, Envelope, Message, Misfit, RpcError, Shape, code},
    protocol::{Revision, modern},
    server::{Binding, Origin, Party, Peer, Unit},
};

/// A text that was read as a message, or why it was not.
enum Text<'a> {
    Message(Message<'a>),
    Misfit(Misfit),
    Batch(Batch<'a>),
}

impl Endpoint {
    /// Takes a posted message up.
    pub(super) fn posted(&mut self, exchange: Exchange, posted: &Posted) {
        let fields = &posted.fields;
        let answered = if fields.names_modern() { Answered::Modern } else { Answered::Legacy };
        let mut envelope = Envelope::default();
        let (text, read) = match read(&posted.body, &mut envelope) {
            Ok(read) => read,
            Err(why) => {
                let error = RpcError::new(code::PARSE_ERROR, why);
                return self.reply(exchange, Reply::error(400, answered, error));
            }
        };
        // What answers us is wanted to the end; what is asked of us is not.
        let is_asked =
            !matches!(&read, Text::Message(Message::Notification { .. } | Message::Response { .. }));
        if self.is_draining && is_asked {
            return self.reply(exchange, with_id(draining(), &read));
        }
        let limit = self.config.limits.max_handshake_bytes;
        if is_handshake(&read) && text.len() > limit {
            return self.reply(exchange, with_id(too_large(limit), &read));
        }
        if let Some(session) = posted.old_session {
            return self.posted_to_old(exchange, session, text, read);
        }
        match read {
            Text::Message(message) if is_modern(fields, &message) => {
                self.posted_modern(exchange, fields, text, message);
            }
            Text::Misfit(misfit) if fields.names_modern() => {
                let error = RpcError::new(code::INVALID_REQUEST, alloc::format!("{}", misfit.fault));
                let answered = misfit.request.map_or(answered, Answered::Request);
                self.reply(exchange, Reply::error(400, answered, error));
            }
            Text::Batch(_) if fields.names_modern() => {
                let error = RpcError::new(code::INVALID_REQUEST, "a body must be one message");
                self.reply(exchange, Reply::error(400, answered, error));
            }
            read => {
                if let Err(reply) = self.posted_legacy(exchange, fields, text, read) {
                    self.reply(exchange, reply);
                }
            }
        }
    }

    fn posted_modern(&mut self, exchange: Exchange, fields: &Fields, text: &str, message: Message<'_>) {
        let (id, method, params) = match &message {
            Message::Request { id, method, params } => (id, method, *params),
            // The era knows no notification over HTTP that would do anything.
            Message::Notification { .. } => return self.reply(exchange, Reply::empty(202)),
            Message::Response { .. } => {
                let error =
                    RpcError::new(code::INVALID_REQUEST, "clients of this revision send no responses");
                return self.reply(exchange, Reply::error(400, Answered::Modern, error));
            }
        };
        if let Err(fault) = self.check_mirror(fields, method, params) {
            let error = RpcError::new(code::HEADER_MISMATCH, fault);
            return self.reply(exchange, Reply::error(400, Answered::Request(id.clone()), error));
        }
        let Some(open) = self.open(exchange) else { return };
        let Account { client: group, connection } = open.account;
        let party = Party { group, unit: Unit::Connection(connection), is_established: open.is_established };
        let peer = self.hub.attach(Binding::Exchange, party, open.principal.clone());
        self.owners.insert(peer, Owner::Exchange(exchange));
        self.bind(exchange, Bond::Peer(peer));
        self.hub.accept(self.now, peer, Origin(0), text, message);
    }

    /// Says where the headers of a request differ from its body.
    fn check_mirror(
        &mut self,
        fields: &Fields,
        method: &str,
        params: Option<View<'_>>,
    ) -> Result<(), String> {
        let meta = params.and_then(|params| params.get("_meta"));
        // An envelope without a revision is malformed, which the hub says better.
        let Some(named) = modern::version_of(meta).and_then(View::to_str) else { return Ok(()) };
        if let Some(fault) = version_fault(fields, &named) {
            return Err(fault);
        }
        // So it does of a revision that is not spoken, whose other headers nobody knows.
        if !is_spoken(&named) {
            return Ok(());
        }
        self.rules.check(&self.hub, fields, method, params)
    }

    fn posted_legacy(
        &mut self,
        exchange: Exchange,
        fields: &Fields,
        text: &str,
        read: Text<'_>,
    ) -> Result<(), Reply> {
        if fields.session.is_none() && is_handshake(&read) {
            return self.initialize(exchange, fields, text, read);
        }
        let session = self.find_session(exchange, fields).map_err(|reply| with_id(reply, &read))?;
        let Some(peer) = self.sessions.get(session).map(|own| own.peer) else { return Ok(()) };
        let is_answered = match &read {
            Text::Message(message) => matches!(message, Message::Request { .. }),
            Text::Misfit(_) | Text::Batch(_) => true,
        };
        if !is_answered {
            self.accept(exchange, peer, Origin(0), text, read);
            self.note_message(session);
            self.reply(exchange, Reply::empty(202));
            return Ok(());
        }
        let Some(number) = self.open_stream(session, exchange) else {
            let reply = Reply::refusal(429, code::INTERNAL_ERROR, "the session has too many streams");
            return Err(with_id(reply.with("retry-after", "1"), &read));
        };
        self.note_message(session);
        self.accept(exchange, peer, Origin(number), text, read);
        Ok(())
    }

    /// Opens a session with the request that shakes hands.
    fn initialize(
        &mut self,
        exchange: Exchange,
        fields: &Fields,
        text: &str,
        read: Text<'_>,
    ) -> Result<(), Reply> {
        if fields.version.as_deref().is_some_and(|version| Revision::spoken(version).is_none()) {
            return Err(with_id(unspoken(), &read));
        }
        let session = self.open_session(exchange, false).map_err(|reply| with_id(reply, &read))?;
        let Some(peer) = self.sessions.get(session).map(|own| own.peer) else { return Ok(()) };
        let Some(number) = self.open_stream(session, exchange) else { return Ok(()) };
        self.accept(exchange, peer, Origin(number), text, read);
        if self.hub.revision(peer).is_none() {
            if let Some(own) = self.sessions.get_mut(session) {
                own.is_new = false;
            }
            self.pump();
            self.end_session(session);
        }
        Ok(())
    }

    /// A message of 2024-11-05 is answered on its session's stream.
    fn posted_to_old(&mut self, exchange: Exchange, session: u64, text: &str, read: Text<'_>) {
        let Some(peer) = self.sessions.get(session).map(|own| own.peer) else {
            let reply = Reply::refusal(404, code::INVALID_REQUEST, "there is no such session");
            return self.reply(exchange, reply);
        };
        if !is_handshake(&read) {
            self.note_message(session);
        }
        self.accept(exchange, peer, Origin(0), text, read);
        self.reply(exchange, Reply::empty(202));
    }

    /// Hands the hub what came.
    fn accept(&mut self, exchange: Exchange, peer: Peer, origin: Origin, text: &str, read: Text<'_>) {
        let now = self.now;
        match read {
            Text::Message(message) => self.hub.accept(now, peer, origin, text, message),
            Text::Misfit(misfit) => self.hub.accept_misfit(now, peer, origin, &misfit),
            Text::Batch(batch) => {
                let Some(account) = self.open(exchange).map(|open| open.account) else { return };
                self.accept_batch(account, peer, origin, text, &batch);
            }
        }
    }
}

/// Returns whether a message is of the modern era: its envelope says so, or else its header.
fn is_modern(fields: &Fields, message: &Message<'_>) -> bool {
    let params = match message {
        Message::Request { params, .. } | Message::Notification { params, .. } => *params,
        Message::Response { .. } => None,
    };
    let meta = params.and_then(|params| params.get("_meta"));
    modern::version_of(meta).is_some() || fields.names_modern()
}

fn is_handshake(read: &Text<'_>) -> bool {
    matches!(read, Text::Message(Message::Request { method, .. }) if method == "initialize")
}

fn read<'a>(body: &'a [u8], envelope: &mut Envelope) -> Result<(&'a str, Text<'a>), String> {
    let text = core::str::from_utf8(body)
        .map_err(|error| alloc::format!("invalid UTF-8 after byte {}", error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read = match jsonrpc::read(text, envelope) {
        Ok(Shape::One) => match jsonrpc::classify_once(text, envelope) {
            Ok(message) => Text::Message(message),
            Err(misfit) => Text::Misfit(misfit),
        },
        Ok(Shape::Batch(batch)) => Text::Batch(batch),
        Err(error) => return Err(alloc::format!("{error}")),
    };
    Ok((text, read))
}

/// Says which request a refusal answers.
fn with_id(reply: Reply, read: &Text<'_>) -> Reply {
    let id = match read {
        Text::Message(Message::Request { id, .. }) => Some(id),
        Text::Misfit(misfit) => misfit.request.as_ref(),
        _ => None,
    };
    match id {
        Some(id) => reply.answering(Answered::Request(id.clone())),
        None => reply,
    }
}
