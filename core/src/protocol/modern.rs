//! The envelope of the modern era: what every request carries in `params._meta` (2026-07-28 `basic/index`).

use alloc::{format, string::String};

use super::{
    LogLevel, Revision,
    meta::{CLIENT_CAPABILITIES, LOG_LEVEL, PROTOCOL_VERSION},
};
use crate::{
    json::{Kind, View},
    jsonrpc::{RpcError, code},
};

/// What a request says of itself; who makes it is read from its `_meta` where that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestEnvelope {
    pub(crate) log_level: Option<LogLevel>,
}

/// Why an envelope cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EnvelopeFault {
    /// A member is missing or malformed.
    Malformed(RpcError),
    /// The revision is not spoken here.
    Version(RpcError),
}

/// Returns the revision that a request's `_meta` names, whatever it is: the sign of the modern era.
pub(crate) fn version_of(meta: Option<View<'_>>) -> Option<View<'_>> {
    meta.and_then(|meta| meta.get(PROTOCOL_VERSION))
}

impl RequestEnvelope {
    /// Reads the envelope of a request whose `_meta` this is.
    pub(crate) fn read(meta: Option<View<'_>>) -> Result<Self, EnvelopeFault> {
        let [version, capabilities, level] =
            meta.map_or([None; 3], |meta| meta.pick([PROTOCOL_VERSION, CLIENT_CAPABILITIES, LOG_LEVEL]));
        let version =
            version.and_then(View::to_str).ok_or_else(|| malformed(PROTOCOL_VERSION, "a string"))?;
        if version != Revision::V2026_07_28.as_str() {
            return Err(EnvelopeFault::Version(unsupported(&version)));
        }
        if capabilities.is_none_or(|value: View<'_>| value.kind() != Kind::Object) {
            return Err(malformed(CLIENT_CAPABILITIES, "an object"));
        }
        let log_level = level
            .map(|level| {
                level
                    .to_str()
                    .and_then(|name| LogLevel::read(&name))
                    .ok_or_else(|| malformed(LOG_LEVEL, "a level"))
            })
            .transpose()?;
        Ok(Self { log_level })
    }
}

fn malformed(member: &str, expected: &str) -> EnvelopeFault {
    let message = format!("`params._meta` must hold `{member}`, {expected}");
    let mut data = String::from("{\"path\":");
    crate::json::push_string(&mut data, &format!("/params/_meta/{}", member.replace('/', "~1")));
    data.push('}');
    EnvelopeFault::Malformed(RpcError::new(code::INVALID_PARAMS, message).with_text(data))
}

/// The error that answers a revision which is not spoken (−32022).
pub(crate) fn unsupported(requested: &str) -> RpcError {
    let mut data = String::from("{\"supported\":[\"");
    data.push_str(Revision::V2026_07_28.as_str());
    data.push_str("\"],\"requested\":");
    crate::json::push_string(&mut data, requested);
    data.push('}');
    RpcError::new(code::UNSUPPORTED_VERSION, format!("unsupported protocol version: {requested}"))
        .with_text(data)
}
