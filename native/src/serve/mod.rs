//! Serves: what a server offers and does, joined to its clients over a pipe or over HTTP.

mod link;
mod stdio;

use std::future::Future;

use selvedge_core::{
    ServerConfig,
    server::{Answer, Context, Request},
};

pub use link::{Handle, Link};
pub use stdio::serve_stdio;

pub(crate) use link::Command;

/// What a server offers and does.
pub trait Service: Send + Sync + 'static {
    /// Says what is offered, and how it is served.
    fn config(&self) -> ServerConfig;

    /// Serves a request.
    ///
    /// Each is a task of its own. It is dropped when nobody waits for its answer any more; one that panics is
    /// answered as a crash, and the others go on. A request that needs answers of its client first says so with
    /// [`Answer::Input`] and is made again with them.
    fn serve(&self, request: Request, context: Context, link: Link) -> impl Future<Output = Answer> + Send;

    /// Serving begins; the handle changes what is offered, and tells of changes.
    fn started(&self, handle: Handle) {
        let _ = handle;
    }

    /// The first client wants to be told when a resource changes, or the last one has gone.
    fn watched(&self, uri: &str, is_watched: bool) {
        let _ = (uri, is_watched);
    }
}
