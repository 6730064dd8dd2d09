//! A server behind HTTP: heads and bodies in, responses and events out, in both eras and on the old transport.
//!
//! [`Endpoint`] is a [`Hub`](crate::server::Hub) whose clients come by HTTP. It opens no socket: a host
//! hands it the heads and the bodies of requests as they come, and writes what it is told to write.

mod batches;
mod config;
mod endpoint;
mod head;
mod mirror;
mod post;
mod reply;
mod route;
mod sessions;
mod shares;
mod store;
mod streams;

use alloc::{string::String, sync::Arc, vec::Vec};

use crate::server::ServerEvent;

pub use config::{EndpointConfig, EndpointLimits};
pub use endpoint::Endpoint;
pub use store::{EventStore, MemoryStore, StoredEvent, StreamKey};

/// Names a request over HTTP together with its response. It is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exchange(u64);

impl Exchange {
    /// Returns the number, for records.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// The head of a request.
#[derive(Clone, Debug)]
pub struct RequestHead<'a> {
    /// The method, as it was written.
    pub method: &'a str,
    /// The path and the query, or a whole URL, whose authority must then be that of `host` (RFC 9112 §3.2.2).
    pub target: &'a str,
    /// The headers in their order, whatever the case of their names. The host of an HTTP/2 request, which has
    /// none, stands here as `host` all the same.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// Who shares permits and bounds: one number for all connections of one address, or of one user.
    pub client: u64,
    /// What tells apart those that share an address, as all programs of one machine do: one number for each
    /// connection. What one of them floods is taken from it.
    pub connection: u64,
    /// Whether an earlier request of this connection was answered. Where strangers take all permits that they
    /// can get, some are kept for those that are known.
    pub is_established: bool,
    /// Who the host found the client to be, where it checks that.
    pub principal: Option<Arc<str>>,
}

impl RequestHead<'_> {
    /// Returns the path of the target, which may be a whole URL.
    #[must_use]
    pub fn path(&self) -> &str {
        head::split_target(self.target).path
    }
}

/// The head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status.
    pub status: u16,
    /// The headers, with names in lower case. The length of a body is left to the host, which sees it.
    pub headers: Vec<(&'static str, String)>,
}

impl ResponseHead {
    /// Returns the value of the first header with this name, which must be in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str())
    }
}

/// What an endpoint asks its host to do next.
///
/// Each exchange gets one `Respond`, any number of `Write`, and one `Finish`, unless its client goes away.
/// Exhaustive on purpose: a host that cannot carry out a new effect must not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum HttpEffect {
    /// Send the head of the response. Where the body of the request is not complete, no more of it is wanted.
    Respond {
        /// The exchange.
        exchange: Exchange,
        /// The head.
        head: ResponseHead,
    },
    /// Send these bytes of the response's body at once.
    Write {
        /// The exchange.
        exchange: Exchange,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The response is complete.
    Finish {
        /// The exchange.
        exchange: Exchange,
    },
    /// Tell the application.
    Event(ServerEvent),
}
