//! The head of a request: what of it counts, read once.

use alloc::{borrow::ToOwned as _, format, string::String, vec::Vec};

use super::{EndpointConfig, RequestHead, reply::Reply};
use crate::jsonrpc::code;

/// What a request wants of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Head,
    Post,
    Delete,
    Options,
    Other,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Streamable HTTP.
    Messages,
    /// HTTP+SSE of 2024-11-05.
    OldStream,
    Health,
    Nothing,
}

/// The headers that count, trimmed.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    pub(super) accept: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) content_length: Option<String>,
    /// `MCP-Protocol-Version`.
    pub(super) version: Option<String>,
    /// `Mcp-Session-Id`.
    pub(super) session: Option<String>,
    pub(super) last_event_id: Option<String>,
    /// `Mcp-Method`.
    pub(super) method: Option<String>,
    /// `Mcp-Name`.
    pub(super) name: Option<String>,
    /// `Mcp-Param-…`, by the part behind in lower case.
    pub(super) params: Vec<(String, String)>,
    pub(super) requested_headers: Option<String>,
}

/// A head that has been read.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) verb: Verb,
    pub(super) place: Place,
    /// The session that the query names (2024-11-05).
    pub(super) query_session: Option<String>,
    pub(super) fields: Fields,
}

const PARAM_PREFIX: &str = "mcp-param-";

impl Head {
    pub(super) fn read(head: &RequestHead<'_>, config: &EndpointConfig) -> Result<Self, Reply> {
        check_size(head, config)?;
        let mut fields = Fields::default();
        for (name, value) in head.headers {
            fields.take(name, value)?;
        }
        let Target { authority, path, query } = split_target(head.target);
        fields.check_host(authority)?;
        let place = place_of(path, config);
        let query_session =
            query.split('&').find_map(|pair| pair.strip_prefix("session=")).map(str::to_owned);
        Ok(Self { verb: verb_of(head.method), place, query_session, fields })
    }

    /// Checks that the request is meant for this server and comes from no foreign page.
    pub(super) fn check_source(&self, config: &EndpointConfig) -> Result<(), Reply> {
        let host = self.fields.host.as_deref().unwrap_or_default();
        if !config.allowed_hosts.iter().any(|allowed| is_authority(allowed, host)) {
            let message = format!("the host `{host}` is not served here");
            return Err(Reply::refusal(403, code::INVALID_REQUEST, &message));
        }
        let Some(origin) = self.fields.origin.as_deref() else { return Ok(()) };
        if !config.allows_origin(origin) {
            return Err(Reply::refusal(403, code::INVALID_REQUEST, "this origin is not served here"));
        }
        Ok(())
    }
}

fn check_size(head: &RequestHead<'_>, config: &EndpointConfig) -> Result<(), Reply> {
    let limits = &config.limits;
    if head.target.len() > limits.max_target_bytes {
        let message = format!("the target exceeds {} bytes", limits.max_target_bytes);
        return Err(Reply::refusal(414, code::INVALID_REQUEST, &message));
    }
    let bytes: usize = head.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if head.headers.len() > limits.max_headers || bytes + head.target.len() > limits.max_head_bytes {
        let message =
            format!("the head exceeds {} headers or {} bytes", limits.max_headers, limits.max_head_bytes);
        return Err(Reply::refusal(431, code::INVALID_REQUEST, &message));
    }
    Ok(())
}

impl Fields {
    /// Takes a header; one that may stand there once must not come twice: readers would disagree on it.
    fn take(&mut self, name: &str, value: &[u8]) -> Result<(), Reply> {
        // Nothing but ASCII is read from a header, so what else it holds need not be exact.
        let text = || String::from_utf8_lossy(value).trim_matches([' ', '\t']).to_owned();
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
        let slot = match name.len() {
            4 if is("host") => &mut self.host,
            6 if is("origin") => &mut self.origin,
            6 if is("accept") => {
                let accept = self.accept.get_or_insert_default();
                if !accept.is_empty() {
                    accept.push(',');
                }
                accept.push_str(&text());
                return Ok(());
            }
            8 if is("mcp-name") => &mut self.name,
            10 if is("mcp-method") => &mut self.method,
            12 if is("content-type") => &mut self.content_type,
            13 if is("last-event-id") => &mut self.last_event_id,
            14 if is("mcp-session-id") => &mut self.session,
            14 if is("content-length") => &mut self.content_length,
            20 if is("mcp-protocol-version") => &mut self.version,
            30 if is("access-control-request-headers") => &mut self.requested_headers,
            _ => {
                let prefix = name.get(..PARAM_PREFIX.len());
                if prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PARAM_PREFIX)) {
                    let rest = name.get(PARAM_PREFIX.len()..).unwrap_or_default();
                    self.params.push((rest.to_ascii_lowercase(), text()));
                }
                return Ok(());
            }
        };
        if slot.is_some() {
            let message = format!("the header `{}` stands there twice", name.to_ascii_lowercase());
            return Err(Reply::refusal(400, code::INVALID_REQUEST, &message));
        }
        *slot = Some(text());
        Ok(())
    }

    /// Checks that the request says once and for all which host it is meant for (RFC 9112 §3.2): those before and
    /// behind that read another of two would disagree.
    fn check_host(&self, authority: Option<&str>) -> Result<(), Reply> {
        let Some(host) = self.host.as_deref() else {
            return Err(Reply::refusal(400, code::INVALID_REQUEST, "the header `host` is missing"));
        };
        match authority.filter(|authority| !authority.eq_ignore_ascii_case(host)) {
            None => Ok(()),
            Some(authority) => {
                let message =
                    format!("the target names the host `{authority}` and the header `host` names `{host}`");
                Err(Reply::refusal(400, code::INVALID_REQUEST, &message))
            }
        }
    }

    /// Returns whether the client takes this kind of content. Without the header it takes any (RFC 9110 §12.5.1).
    pub(super) fn accepts(&self, kind: &str) -> bool {
        let Some(accept) = &self.accept else { return true };
        let (group, _) = kind.split_once('/').unwrap_or((kind, ""));
        accept.split(',').any(|range| {
            let range = range.split(';').next().unwrap_or_default().trim();
            let is_group = range.strip_suffix("/*").is_some_and(|own| own.eq_ignore_ascii_case(group));
            range == "*/*" || is_group || range.eq_ignore_ascii_case(kind)
        })
    }

    /// Returns whether the body is JSON.
    pub(super) fn is_json(&self) -> bool {
        let kind = self.content_type.as_deref().and_then(|kind| kind.split(';').next());
        kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    }

    /// Returns whether the header names a revision of the modern era, known or not.
    pub(super) fn names_modern(&self) -> bool {
        let is_date = |text: &&str| {
            text.len() == 10
                && text.bytes().enumerate().all(|(at, byte)| match at {
                    4 | 7 => byte == b'-',
                    _ => byte.is_ascii_digit(),
                })
        };
        self.version.as_deref().filter(is_date).is_some_and(|version| version >= "2026-07-28")
    }
}

fn verb_of(method: &str) -> Verb {
    match method {
        "GET" => Verb::Get,
        "HEAD" => Verb::Head,
        "POST" => Verb::Post,
        "DELETE" => Verb::Delete,
        "OPTIONS" => Verb::Options,
        _ => Verb::Other,
    }
}

/// A target, split.
pub(super) struct Target<'a> {
    /// The authority of a whole URL (RFC 9112 §3.2.2).
    authority: Option<&'a str>,
    pub(super) path: &'a str,
    query: &'a str,
}

/// Splits a target, which may be a whole URL.
pub(super) fn split_target(target: &str) -> Target<'_> {
    let url = target.split_once("://").filter(|(scheme, _)| !scheme.contains(['/', '?']));
    let (authority, rest) = match url {
        Some((_, rest)) => {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let (authority, rest) = rest.split_at(end);
            (Some(authority), if rest.starts_with('/') { rest } else { "/" })
        }
        None => (None, target),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    Target { authority, path, query }
}

fn place_of(path: &str, config: &EndpointConfig) -> Place {
    let is = |own: &str| path == own || path.strip_suffix('/') == Some(own);
    let is_there = |own: &Option<String>| own.as_deref().is_some_and(is);
    if is(&config.path) {
        Place::Messages
    } else if is_there(&config.sse_path) {
        Place::OldStream
    } else if is_there(&config.health_path) {
        Place::Health
    } else {
        Place::Nothing
    }
}

/// Returns whether a host with or without a port is the allowed one; one without a port allows any.
fn is_authority(allowed: &str, given: &str) -> bool {
    if allowed == "*" || allowed.eq_ignore_ascii_case(given) {
        return true;
    }
    // The colons within brackets belong to an address.
    let end = if given.starts_with('[') { given.find(']').map(|at| at + 1) } else { given.find(':') };
    let (host, port) = given.split_at(end.unwrap_or(given.len()));
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    is_port && !host.is_empty() && allowed.eq_ignore_ascii_case(host)
}

pub(super) fn is_origin(allowed: &str, given: &str) -> bool {
    if allowed == "*" || allowed.eq_ignore_ascii_case(given) {
        return true;
    }
    let (Some((scheme, host)), Some((own_scheme, own_host))) =
        (given.split_once("://"), allowed.split_once("://"))
    else {
        return false;
    };
    scheme.eq_ignore_ascii_case(own_scheme) && is_authority(own_host, host)
}
