//! How connections and calls are made, how they fail, and what is to be seen of them.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use selvedge_core::{
    Client, ClientConfig, Misuse,
    client::{CallError, Event, Evidence, Progress, Reason, RetirementError},
    json::RawJson,
    protocol::{Handshake, LogLevel},
};
use tokio::sync::watch;

use super::handlers::Handlers;
use crate::trace::Trace;

/// Is told of everything that happens on a connection, in order, on its own task: it must not block.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// How a connection behaves beyond its server.
#[derive(Default)]
pub struct Options {
    /// How the client behaves.
    pub client: ClientConfig,
    /// Who answers what the server asks; by default nobody, and nothing is declared.
    pub handlers: Handlers,
    /// Told of everything that happens.
    pub on_event: Option<EventSink>,
    /// Records every frame with its tick.
    pub trace: Option<Trace>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("client", &self.client)
            .field("handlers", &self.handlers)
            .finish_non_exhaustive()
    }
}

/// How one call is made.
#[derive(Default)]
pub struct CallOptions {
    /// The time without an answer, or since the last progress, after which the call is given up.
    pub timeout: Option<Duration>,
    /// The time after which it is given up whatever progress is made.
    pub total_timeout: Option<Duration>,
    /// Told how far the call is, on the connection's own task: it must not block.
    pub on_progress: Option<Box<dyn FnMut(Progress) + Send>>,
    /// The lowest level of log messages that a modern server may send for this call.
    pub log_level: Option<LogLevel>,
    /// An object whose members are added to the call's `_meta`.
    pub meta: Option<RawJson>,
    /// Ask the server even where an answer that it gave earlier is still fresh.
    pub bypass_cache: bool,
    /// Make the call without the checks of [`ClientConfig::checks`].
    pub unchecked: bool,
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("timeout", &self.timeout)
            .field("total_timeout", &self.total_timeout)
            .field("log_level", &self.log_level)
            .field("meta", &self.meta)
            .field("bypass_cache", &self.bypass_cache)
            .field("unchecked", &self.unchecked)
            .finish_non_exhaustive()
    }
}

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call was made and failed.
    #[error(transparent)]
    Call(CallError),
    /// The call could not be made.
    #[error(transparent)]
    Misuse(#[from] Misuse),
    /// The arguments cannot be written as JSON.
    #[error("the arguments cannot be written as JSON: {0}")]
    Arguments(serde_json::Error),
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct ConnectError {
    /// What went wrong.
    pub reason: Reason,
    /// What the server wrote last on its diagnostic stream.
    pub stderr_tail: String,
    /// What became of the server.
    pub retirement: Result<Evidence, RetirementError>,
}

/// What is to be seen of a connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// What the handshake settled.
    pub handshake: Option<Handshake>,
    /// How many lines of the server's output were no messages.
    pub stray_lines: usize,
    /// How many bytes they had.
    pub stray_bytes: usize,
    /// The newest of them, safe to show.
    pub stray_samples: Vec<String>,
    /// What the server wrote last on its diagnostic stream.
    pub stderr_tail: String,
    /// How many calls wait for their answers.
    pub calls_in_flight: usize,
    /// The time that starting the process took; `None` where nothing was started.
    pub opened_after: Option<Duration>,
}

impl Inspection {
    pub(crate) fn of(client: &Client, opened_after: Option<Duration>) -> Self {
        let stray = client.stray();
        Self {
            handshake: client.handshake().cloned(),
            stray_lines: stray.lines(),
            stray_bytes: stray.bytes(),
            stray_samples: stray.samples().map(str::to_owned).collect(),
            stderr_tail: client.stderr_tail(),
            calls_in_flight: client.calls_in_flight(),
            opened_after,
        }
    }
}

/// What outlives the driver.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) reason: OnceLock<Reason>,
    pub(crate) retirement: OnceLock<Result<Evidence, RetirementError>>,
    pub(crate) stragglers: OnceLock<usize>,
    pub(crate) stderr_tail: OnceLock<String>,
    pub(crate) retired: watch::Sender<bool>,
}

impl Shared {
    pub(super) fn unavailable(&self) -> CallError {
        // A driver that is gone without a word was dropped with its runtime.
        CallError::Unavailable(self.reason.get().cloned().unwrap_or(Reason::OutputClosed))
    }

    pub(super) async fn retirement(&self) -> Result<Evidence, RetirementError> {
        let mut retired = self.retired.subscribe();
        // The sender is ours, so waiting cannot fail.
        let _ = retired.wait_for(|retired| *retired).await;
        self.retirement.get().copied().unwrap_or(Err(RetirementError::RetirementUnconfirmed))
    }
}
