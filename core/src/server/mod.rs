//! The server: what it offers, whom it serves, and what it asks of its application.
//!
//! [`Hub`] is one server with all its clients: whole messages go in, whole messages and events come out, each
//! message with the request that it belongs to. [`Server`] is a hub with one client at the other end of a
//! pipe; [`http::Endpoint`](crate::http::Endpoint) is a hub behind HTTP.
//!
//! An application is asked once for each request, and again once a client has answered what the
//! application wanted to know first; both eras look alike to it.

mod answers;
mod asked;
mod batch;
mod calls;
mod dispatch;
mod event;
mod hub;
mod legacy;
mod lists;
mod modern;
mod peers;
mod permits;
mod rounds;
mod seal;
mod shape;
mod stdio;
mod subscriptions;

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use crate::{Limits, frame::Framing, json::RawJson, protocol::Implementation};

pub use event::{Answer, Context, Input, Peer, Question, Request, ServedCall, ServerEvent};
pub use hub::Hub;
pub use seal::StateKey;
pub use stdio::{Server, ServerEffect};

pub(crate) use batch::Entries;
pub(crate) use hub::{Delivery, HubEffect, Origin, Refusal, Route};
pub(crate) use peers::Binding;
pub(crate) use permits::{Party, Unit};

/// How a server behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "the protocol declares each by itself")]
pub struct ServerConfig {
    /// Who the server says it is.
    pub implementation: Implementation,
    /// What the server wants a model to know.
    pub instructions: Option<String>,
    /// The tools, each as the object that `tools/list` shows. An entry without a name, or with one that stands
    /// there already, is left out.
    pub tools: Vec<RawJson>,
    /// The resources, each as the object that `resources/list` shows; told apart by `uri`.
    pub resources: Vec<RawJson>,
    /// The templates, each as the object that `resources/templates/list` shows; told apart by `uriTemplate`.
    pub resource_templates: Vec<RawJson>,
    /// The prompts, each as the object that `prompts/list` shows; told apart by `name`.
    pub prompts: Vec<RawJson>,
    /// The server has resources, or may have some later. It has where some are listed.
    pub has_resources: bool,
    /// The server has prompts, or may have some later. It has where some are listed.
    pub has_prompts: bool,
    /// The application completes arguments.
    pub completes: bool,
    /// The application sends log messages.
    pub logs: bool,
    /// The application tells when a resource changes.
    pub watches: bool,
    /// What it offers may change while it serves.
    pub changes: bool,
    /// Tools that declare `destructiveHint` are called; otherwise a call is answered with a tool's failure.
    pub allows_destructive: bool,
    /// How the one who runs the server allows them, for the text of that failure.
    pub destructive_hint: String,
    /// Entries on one page of a listing. Default 1,000.
    pub page_entries: usize,
    /// How long a client may keep a listing, a discovery or a resource that does not say so itself (modern
    /// era). Default 0: it asks each time.
    pub cache_ttl: Duration,
    /// The time that an application has for a request. Default 1 h.
    pub call_timeout: Duration,
    /// The time that a client has to answer a question. Default 10 min.
    pub ask_timeout: Duration,
    /// The time after which a client cannot go on with a request that asked it something (modern era). Default
    /// 1 h.
    pub state_ttl: Duration,
    /// What proves that such a request's state is ours. Without a key no such request can be made.
    pub state_key: Option<StateKey>,
    /// How messages to a client on a pipe are delimited.
    pub framing: Framing,
    /// Bounds on what a client can make the server keep.
    pub limits: Limits,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            implementation: Implementation::new("selvedge", env!("CARGO_PKG_VERSION")),
            instructions: None,
            tools: Vec::new(),
            resources: Vec::new(),
            resource_templates: Vec::new(),
            prompts: Vec::new(),
            has_resources: false,
            has_prompts: false,
            completes: false,
            logs: false,
            watches: false,
            changes: false,
            allows_destructive: false,
            destructive_hint: String::new(),
            page_entries: 1_000,
            cache_ttl: Duration::ZERO,
            call_timeout: Duration::from_hours(1),
            ask_timeout: Duration::from_mins(10),
            state_ttl: Duration::from_hours(1),
            state_key: None,
            framing: Framing::default(),
            limits: Limits::default(),
        }
    }
}
