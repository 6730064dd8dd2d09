//! The neutral model of requests and results, and the codecs that put it on the wire.
//!
//! The legacy family (2024-11-05 … 2025-11-25) is one codec; 2026-07-28 differs in every envelope and has its
//! own: `meta` for requests, `outcome` for results, `interests` for streams of notifications.
//! [`Revision::era`] is the seam between them.

mod call;
mod content;
mod handshake;
mod interests;
mod level;
mod listing;
mod lists;
mod members;
pub(crate) mod meta;
pub(crate) mod modern;
mod outcome;
mod revision;

pub use call::{CallToolResult, MalformedResult};
pub use content::Content;
pub use handshake::{Capabilities, Handshake, Implementation};
pub use interests::Interests;
pub use level::LogLevel;
pub use listing::{Listing, Quarantined};
pub use lists::{
    Completion, Prompt, PromptArgument, PromptMessage, PromptResult, ReadResult, Resource, ResourceContents,
    ResourceTemplate, Tool,
};
pub use revision::{Era, Revision};

pub(crate) use handshake::HandshakeError;
pub(crate) use listing::{ListKind, Pages, Turn};
pub(crate) use members::without_duplicates;
pub(crate) use meta::{Envelope, Meta, SUBSCRIPTION_ID, check_added};
pub(crate) use outcome::{Need, Needs, Outcome, ResultKind};
