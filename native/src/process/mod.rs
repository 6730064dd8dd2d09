//! Server processes: argv, environment, streams, and the end of a whole process group.

#[cfg(target_os = "linux")]
mod descendants;
mod environment;
#[cfg(unix)]
mod group;
#[cfg(unix)]
#[cfg_attr(not(target_os = "linux"), path = "outside_unknown.rs")]
mod outside;
#[cfg(unix)]
mod unix;
#[cfg(target_os = "linux")]
mod watcher;
#[cfg(windows)]
mod windows;

use std::{ffi::OsString, path::PathBuf, time::Duration};

#[cfg(unix)]
pub(crate) use unix::{Process, start};
#[cfg(windows)]
pub(crate) use windows::{Process, start};

/// A server to be started: a program, its arguments, and what it may know of its host.
///
/// The command is never read by a shell. Of the host's environment the server sees only what
/// [`inherited`](Self::inherited) allows; secrets reach it only where [`env`](Self::env) says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub command: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables that are set for the server, over those that it inherits.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory; the host's own where this is `None`.
    pub cwd: Option<PathBuf>,
    /// Leaves what the server started and put outside its process group, such as a browser for its user. By
    /// default nothing is left of a server: on Linux what it daemonized is found and ended with it.
    pub leave_detached: bool,
}

/// How long a process is waited for after each signal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Graces {
    /// After SIGTERM, which is not sent where this is zero.
    pub(crate) terminate: Duration,
    /// After SIGKILL.
    pub(crate) kill: Duration,
}

/// What a server had outside its process group when it was ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stragglers {
    /// How many processes were ended.
    pub(crate) ended: usize,
    /// How many live on, although they were killed.
    pub(crate) left: usize,
}

impl Server {
    /// Names a program and its arguments.
    pub fn new(command: impl Into<OsString>, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { command: command.into(), args: args.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Returns the variables of this process that the server inherits.
    #[must_use]
    pub fn inherited() -> Vec<(OsString, OsString)> {
        environment::inherited(std::env::vars_os())
    }

    /// Returns the names of the variables of this process that are withheld from the server.
    #[must_use]
    pub fn withheld() -> Vec<OsString> {
        environment::withheld(std::env::vars_os())
    }

    /// Returns the program's name for messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.command.to_string_lossy().into_owned()
    }

    /// Returns the whole environment of the server.
    fn environment(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        Self::inherited().into_iter().chain(self.env.iter().cloned())
    }
}
