//! Serves: what a server offers and does, joined to its clients over a pipe or over HTTP.

#[cfg(feature = "serve")]
mod app;
#[cfg(feature = "http-server")]
mod http;
mod link;
mod stdio;

use std::{future::Future, io};

use selvedge_core::{
    ServerConfig,
    server::{Answer, Context, Request, StateKey},
};

#[cfg(feature = "serve")]
pub use app::{App, Completer, PromptProvider, ResourceProvider};
#[cfg(feature = "http-server")]
pub use http::{
    Access, HttpOptions, HttpServer, ProtectedResource, StaticTokens, TokenCheck, TokenFileError, Verdict,
    serve_http,
};
pub use link::{Handle, Link};
pub use stdio::serve_stdio;

pub(crate) use link::Command;

use crate::random::random;

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

/// Returns what waits for SIGTERM, which ends a server in order.
#[cfg(unix)]
fn terminated() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = signal(SignalKind::terminate())?;
    Ok(async move {
        signals.recv().await;
    })
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn terminated() -> io::Result<impl Future<Output = ()>> {
    Ok(std::future::pending())
}

/// Sees to it that a server can have its clients keep its state.
fn keyed(mut config: ServerConfig) -> io::Result<ServerConfig> {
    if config.state_key.is_none() {
        config.state_key = Some(StateKey::new(random()?));
    }
    Ok(config)
}
