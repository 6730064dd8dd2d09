//! The JSON-RPC 2.0 envelope: total classification of what comes in, encoding of what goes out.

mod encode;
mod envelope;
mod id;
mod salvage;

use alloc::{borrow::Cow, string::String};

use crate::json::{RawJson, Span, View};

pub use envelope::{Fault, Oddities};
pub use id::Id;

pub(crate) use encode::{
    push_error, push_error_without_id, push_notification, push_request, push_result, push_result_with,
};
pub(crate) use envelope::{
    Batch, Envelope, Misfit, Shape, classify, classify_once, read, read_entry, read_first,
};
pub(crate) use salvage::Salvage;

/// The codes that JSON-RPC and the protocol reserve.
pub mod code {
    /// The text is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is unknown or was not offered.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The session was not initialized (legacy servers), or a resource does not exist (legacy era).
    pub const NOT_INITIALIZED: i64 = -32002;
    /// A header is missing or differs from the body (modern era).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a capability that its client did not declare (modern era).
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// The revision is not spoken here (modern era).
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// One classified message, borrowed from its text.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request { id: Id, method: Cow<'a, str>, params: Option<View<'a>> },
    Notification { method: Cow<'a, str>, params: Option<View<'a>> },
    Response { id: ResponseId, body: Body },
}

/// The id of a response, matched against ids that we minted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseId {
    /// An integer, spelled as we spell them.
    Minted(u64),
    /// The same number spelled otherwise: as a string, or with a fraction.
    Respelled(u64),
    /// `null` or absent: the peer could not tell which message it answers.
    Unknown,
    /// Anything that we never mint.
    Foreign,
}

impl ResponseId {
    /// Returns the id of ours that this is, however it is spelled.
    pub(crate) const fn number(self) -> Option<u64> {
        match self {
            Self::Minted(id) | Self::Respelled(id) => Some(id),
            Self::Unknown | Self::Foreign => None,
        }
    }
}

/// What a response holds.
#[derive(Debug)]
pub(crate) enum Body {
    /// Where the result stands in the text.
    Result {
        span: Span,
    },
    Error(RpcError),
    /// The response holds neither a result nor an error, or both.
    Faulty(Fault),
}

/// An error that a peer answered with, or that it is answered with (JSON-RPC 2.0 §5.1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
#[non_exhaustive]
pub struct RpcError {
    /// The code; 0 where the peer gave none that is a whole number.
    pub code: i64,
    /// The message; empty where the peer gave none.
    pub message: String,
    /// What the error adds.
    pub data: Option<RawJson>,
    /// The error's text as it came, where its shape is not the one of the standard.
    pub malformed: Option<RawJson>,
}

impl RpcError {
    /// Makes an error to answer with.
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, malformed: None }
    }

    /// Adds data to an error to answer with.
    #[must_use]
    pub fn with_data(mut self, data: RawJson) -> Self {
        self.data = Some(data);
        self
    }

    /// Adds data whose text is known to be JSON.
    pub(crate) fn with_text(mut self, data: String) -> Self {
        self.data = Some(RawJson::trusted(data));
        self
    }

    /// Makes the answer to a request that there is no room for: asked again later, it is served.
    pub(crate) fn no_room(message: impl Into<String>) -> Self {
        Self::new(code::INTERNAL_ERROR, message).with_text(String::from("{\"retry\":true}"))
    }

    /// Returns the revisions that an error about versions names (`data.supported`).
    pub fn supported_versions(&self) -> impl Iterator<Item = String> {
        let supported = self.data.as_ref().and_then(|data| data.view().get("supported"));
        supported.into_iter().flat_map(View::elements).filter_map(View::to_text)
    }

    /// Returns the capabilities that the server needs and the client did not declare
    /// (`data.requiredCapabilities` of −32021).
    #[must_use]
    pub fn required_capabilities(&self) -> Option<View<'_>> {
        let is_about = self.code == code::MISSING_CLIENT_CAPABILITY;
        self.data.as_ref().filter(|_| is_about)?.view().get("requiredCapabilities")
    }

    /// Reads an error of whatever shape.
    pub(crate) fn read(view: View<'_>) -> Self {
        let [code, message, data] = view.pick(["code", "message", "data"]);
        let (code, message) = (code.and_then(View::as_i64), message.and_then(View::to_text));
        let malformed = (code.is_none() || message.is_none()).then(|| view.to_raw());
        Self {
            code: code.unwrap_or_default(),
            message: message.or_else(|| view.to_text()).unwrap_or_default(),
            data: data.map(View::to_raw),
            malformed,
        }
    }
}
