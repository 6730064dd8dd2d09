//! What tells the program to stop.

use std::{io, process::ExitCode};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask for an end in order; the second one is a demand.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one and returns the exit code that a shell has for it.
    pub(super) async fn next(&mut self) -> ExitCode {
        tokio::select! {
            _ = self.interrupt.recv() => ExitCode::from(130),
            _ = self.terminate.recv() => ExitCode::from(143),
            _ = self.hang_up.recv() => ExitCode::from(129),
        }
    }
}

/// Ctrl-C, which asks for an end in order; the second one is a demand.
#[cfg(windows)]
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
}

#[cfg(windows)]
impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { interrupt: tokio::signal::windows::ctrl_c()? })
    }

    /// Waits for the next one and returns the exit code that a shell would have for it.
    pub(super) async fn next(&mut self) -> ExitCode {
        self.interrupt.recv().await;
        ExitCode::from(130)
    }
}
