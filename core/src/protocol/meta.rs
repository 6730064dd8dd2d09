//! `_meta` of requests: the envelope of the modern era, and what an application adds (2026-07-28 `basic/index`).

use alloc::string::String;
use core::fmt::Write as _;

use super::{Implementation, LogLevel, Revision};
use crate::{
    Misuse,
    json::{Kind, View, push_compact, push_string},
};

/// The key of the revision that a request speaks.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of what the client can do.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of who the client is.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the lowest level of log messages that the client wants.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const PROGRESS_TOKEN: &str = "progressToken";

/// The key of the server's name in the `_meta` of results.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the `subscriptions/listen` request that a notification belongs to.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// What every request of the modern era says of its client. It is written once and copied into requests.
#[derive(Debug)]
pub(crate) struct Envelope {
    members: String,
}

impl Envelope {
    pub(crate) fn new(revision: Revision, capabilities: &str, client: &Implementation) -> Self {
        let mut members = String::with_capacity(256);
        push_string(&mut members, PROTOCOL_VERSION);
        members.push(':');
        push_string(&mut members, revision.as_str());
        members.push(',');
        push_string(&mut members, CLIENT_CAPABILITIES);
        members.push(':');
        push_compact(&mut members, capabilities);
        members.push(',');
        push_string(&mut members, CLIENT_INFO);
        members.push(':');
        client.push_to(&mut members);
        Self { members }
    }
}

/// What one request says in its `_meta`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meta<'a> {
    pub(crate) envelope: Option<&'a Envelope>,
    pub(crate) progress_token: Option<u64>,
    pub(crate) log_level: Option<LogLevel>,
    /// Members that the application adds; they were checked.
    pub(crate) added: &'a str,
}

impl Meta<'_> {
    pub(crate) const fn is_empty(&self) -> bool {
        self.envelope.is_none()
            && self.progress_token.is_none()
            && self.log_level.is_none()
            && self.added.is_empty()
    }

    /// Appends the object.
    pub(crate) fn push_to(&self, out: &mut String) {
        out.push('{');
        let start = out.len();
        if let Some(envelope) = self.envelope {
            out.push_str(&envelope.members);
        }
        if let Some(token) = self.progress_token {
            separate(out, start);
            // Writing to a `String` never fails.
            let _ = write!(out, "\"{PROGRESS_TOKEN}\":{token}");
        }
        if let Some(level) = self.log_level {
            separate(out, start);
            let _ = write!(out, "\"{LOG_LEVEL}\":\"{level}\"");
        }
        if !self.added.is_empty() {
            separate(out, start);
            push_compact(out, self.added);
        }
        out.push('}');
    }
}

fn separate(out: &mut String, start: usize) {
    if out.len() > start {
        out.push(',');
    }
}

/// Checks what an application adds to `_meta` and returns what stands between its braces.
///
/// Neither side is overwritten: what the engine writes itself must not stand there.
pub(crate) fn check_added(meta: View<'_>, writes_progress: bool) -> Result<&str, Misuse> {
    if meta.kind() != Kind::Object {
        return Err(Misuse::NotAnObject { what: "`_meta`" });
    }
    let is_written = |name: &str| match name {
        PROTOCOL_VERSION | CLIENT_CAPABILITIES | CLIENT_INFO | LOG_LEVEL => true,
        PROGRESS_TOKEN => writes_progress,
        _ => false,
    };
    if meta.members().any(|(name, _)| is_written(&name.to_str())) {
        return Err(Misuse::MetaTwice);
    }
    let text = meta.as_str();
    Ok(text.get(1..text.len().saturating_sub(1)).unwrap_or_default().trim_ascii())
}
