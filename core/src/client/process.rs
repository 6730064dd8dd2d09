//! What is known of the process of a server: why it did not start, how it ended.

use alloc::string::String;
use core::{fmt, time::Duration};

use crate::tick::whole_millis;

/// Why a server could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such program.
    #[error("command not found: {0}")]
    CommandNotFound(String),
    /// The program may not be run.
    #[error("command not executable: {0}")]
    NotExecutable(String),
    /// There is no such working directory.
    #[error("working directory not found: {0}")]
    DirectoryNotFound(String),
    /// Anything else.
    #[error("the server could not be started: {0}")]
    Other(String),
}

/// How a server ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExitStatus {
    /// The exit code, where it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exited with code {code}"),
            (None, Some(signal)) => write!(f, "was ended by signal {signal}"),
            (None, None) => f.write_str("exited"),
        }
    }
}

/// What is known of a server that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// It was never started.
    NeverOpened,
    /// Its end was seen.
    Exited(ExitStatus),
}

/// Why the end of a server is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetirementError {
    /// Its end was not seen in time, though it was killed.
    #[error("the server's end was not seen within {} ms of killing it", whole_millis(*.after))]
    RetirementTimedOut {
        /// The time that ran out.
        after: Duration,
    },
    /// Its end can no longer be seen.
    #[error("the server's end can no longer be seen")]
    RetirementUnconfirmed,
    /// Its end was seen, and processes that it had started live on, although they were killed. Only a host that
    /// can find such processes tells of them.
    #[error("{count} of the processes that the server started live on, although they were killed")]
    StragglersLeft {
        /// How many there are.
        count: usize,
    },
}
