//! What is said of a request by its head alone.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    Endpoint, Exchange, RequestHead,
    endpoint::{Bond, Posted, Stage, too_large},
    head::{Fields, Head, Place, Verb},
    reply::{Answered, Reply},
};
use crate::jsonrpc::code;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

impl Endpoint {
    /// Takes a request up, or says what answers it.
    pub(super) fn route(&mut self, exchange: Exchange, head: &RequestHead<'_>) -> Result<(), Reply> {
        let head = Head::read(head, &self.config)?;
        let is_modern = head.fields.names_modern();
        self.route_read(exchange, head)
            .map_err(|reply| if is_modern { reply.answering(Answered::Modern) } else { reply })
    }

    fn route_read(&mut self, exchange: Exchange, head: Head) -> Result<(), Reply> {
        head.check_source(&self.config)?;
        self.set_origin(exchange, head.fields.origin.clone());
        if head.place == Place::Health {
            return Err(self.health(head.verb));
        }
        match (head.place, head.verb) {
            (Place::Nothing, _) => Err(Reply::refusal(404, code::INVALID_REQUEST, "nothing is served here")),
            (place, Verb::Options) => Err(preflight(place, &head.fields)),
            _ if self.is_draining && !goes_on(&head) => Err(draining()),
            (Place::Messages, Verb::Post) => self.begin_post(exchange, head.fields, None),
            // Neither verb means anything to the modern era.
            (Place::Messages, Verb::Get | Verb::Delete) if head.fields.names_modern() => {
                Err(Reply::not_allowed("POST, OPTIONS"))
            }
            (Place::Messages, Verb::Get) => {
                accepts(&head.fields, &[EVENTS])?;
                self.listen(exchange, &head.fields)
            }
            (Place::Messages, Verb::Delete) => {
                let session = self.find_session(exchange, &head.fields)?;
                self.end_session(session);
                Err(Reply::empty(204))
            }
            (Place::OldStream, Verb::Get) => {
                accepts(&head.fields, &[EVENTS])?;
                self.open_old_session(exchange)
            }
            (Place::OldStream, Verb::Post) if head.query_session.is_some() => {
                let session = self.find_old_session(exchange, head.query_session.as_deref())?;
                self.begin_post(exchange, head.fields, Some(session))
            }
            (place, _) => Err(Reply::not_allowed(allowed(place))),
        }
    }

    fn health(&self, verb: Verb) -> Reply {
        let (status, text) = if self.is_draining { (503, "draining") } else { (200, "ok") };
        match verb {
            Verb::Get => Reply::json(status, alloc::format!("{{\"status\":\"{text}\"}}")),
            Verb::Head => Reply::empty(status),
            _ => Reply::not_allowed("GET, HEAD"),
        }
    }

    fn begin_post(
        &mut self,
        exchange: Exchange,
        fields: Fields,
        old_session: Option<u64>,
    ) -> Result<(), Reply> {
        if !fields.is_json() {
            return Err(Reply::refusal(415, code::INVALID_REQUEST, "the body must be `application/json`"));
        }
        // The old transport answers elsewhere, so its clients need not accept anything.
        if old_session.is_none() {
            accepts(&fields, &[JSON, EVENTS])?;
        }
        if let Some(length) = &fields.content_length {
            let limit = self.hub.config().limits.max_message_bytes;
            let Ok(length) = length.parse::<u64>() else {
                return Err(Reply::refusal(400, code::INVALID_REQUEST, "`content-length` must be a number"));
            };
            if length > limit as u64 {
                return Err(too_large(limit));
            }
        }
        let posted = Posted { fields, old_session, body: Vec::new() };
        self.set_stage(exchange, Stage::Body(Box::new(posted)));
        self.set_due(exchange, Some(self.now.after(self.config.body_timeout)));
        Ok(())
    }

    /// Returns the session that a request names, which must be its client's own.
    pub(super) fn find_session(&self, exchange: Exchange, fields: &Fields) -> Result<u64, Reply> {
        let Some(name) = &fields.session else {
            return Err(Reply::refusal(400, code::INVALID_REQUEST, "the header `mcp-session-id` is missing"));
        };
        let principal = self.open(exchange).and_then(|open| open.principal.as_deref());
        let session = self.sessions.find(name, principal, false).ok_or_else(no_session)?;
        if let Some(version) = &fields.version
            && crate::protocol::Revision::spoken(version).is_none()
        {
            return Err(unspoken());
        }
        Ok(session)
    }

    fn find_old_session(&self, exchange: Exchange, name: Option<&str>) -> Result<u64, Reply> {
        let principal = self.open(exchange).and_then(|open| open.principal.as_deref());
        name.and_then(|name| self.sessions.find(name, principal, true)).ok_or_else(no_session)
    }

    pub(super) fn bind(&mut self, exchange: Exchange, bond: Bond) {
        self.set_stage(exchange, Stage::Waiting(bond));
        self.set_due(exchange, Some(self.now.after(self.config.stream_after)));
    }
}

/// The answer to a revision in the header that no session speaks.
pub(super) fn unspoken() -> Reply {
    let mut message = String::from("the header `mcp-protocol-version` must name one of");
    for revision in crate::protocol::Revision::SPOKEN {
        message.push(' ');
        message.push_str(revision.as_str());
    }
    Reply::refusal(400, code::INVALID_REQUEST, &message)
}

/// Returns whether a request belongs to what is under way, which a server that drains lets end.
const fn goes_on(head: &Head) -> bool {
    match head.verb {
        Verb::Get => head.fields.last_event_id.is_some(),
        Verb::Post => head.fields.session.is_some() || head.query_session.is_some(),
        _ => true,
    }
}

pub(super) fn draining() -> Reply {
    let reply = Reply::refusal(503, code::INTERNAL_ERROR, "the server is about to stop");
    reply.with("retry-after", "5")
}

fn no_session() -> Reply {
    Reply::refusal(404, code::INVALID_REQUEST, "there is no such session")
}

fn accepts(fields: &Fields, kinds: &[&str]) -> Result<(), Reply> {
    if kinds.iter().all(|kind| fields.accepts(kind)) {
        return Ok(());
    }
    let message = alloc::format!("`accept` must list {}", kinds.join(" and "));
    Err(Reply::refusal(406, code::INVALID_REQUEST, &message))
}

const fn allowed(place: Place) -> &'static str {
    match place {
        Place::Messages => "GET, POST, DELETE, OPTIONS",
        Place::OldStream => "GET, POST, OPTIONS",
        Place::Health | Place::Nothing => "GET, HEAD",
    }
}

/// Answers what a browser asks before it lets a page ask anything; the origin has been checked.
fn preflight(place: Place, fields: &Fields) -> Reply {
    let reply = Reply::empty(204).with("allow", allowed(place));
    if fields.origin.is_none() {
        return reply;
    }
    let known = ["accept", "authorization", "content-type", "last-event-id"];
    let mut headers = String::new();
    for name in fields.requested_headers.iter().flat_map(|names| names.split(',')) {
        let name = name.trim().to_ascii_lowercase();
        let is_token = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if is_token && (known.contains(&&*name) || name.starts_with("mcp-")) {
            headers.push_str(if headers.is_empty() { "" } else { ", " });
            headers.push_str(&name);
        }
    }
    reply
        .with("access-control-allow-methods", allowed(place))
        .with("access-control-allow-headers", headers)
        .with("access-control-max-age", "3600")
}
