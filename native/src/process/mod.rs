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

#[cfg(feature = "serve")]
pub(crate) use environment::searchable;
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
    /// The program: a path, or a name that is looked up in the absolute folders of the server's `PATH`.
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

/// Keeps other processes of the same user from reading the environment and the memory of this one.
///
/// A server sees only what is declared for it, but it runs as the user of its host: on Linux it could read the
/// rest from `/proc`. A host that holds secrets calls this first thing. It also keeps debuggers away and prevents
/// core dumps; root and what may trace any process can still read everything. Elsewhere it does nothing: systems
/// other than Linux do not show the environment of a process in this way.
///
/// # Errors
///
/// The system refused.
pub fn protect_memory() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
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

    /// Returns the entries of the server's `PATH` that are left out of it, because they are empty or relative: what
    /// they mean depends on the current folder, which is not to say what programs are started.
    #[must_use]
    pub fn left_out_of_path(&self) -> Vec<PathBuf> {
        self.path().map(|(_, value)| environment::split_path(&value).1).unwrap_or_default()
    }

    /// Returns the variable that says where programs are looked for, as it was given.
    fn path(&self) -> Option<(OsString, OsString)> {
        let is_path = |(name, _): &&(OsString, OsString)| environment::is_path(name);
        let declared = self.env.iter().rev().find(is_path).cloned();
        declared.or_else(|| Self::inherited().iter().find(is_path).cloned())
    }

    /// Returns the whole environment of the server.
    fn environment(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        let others = Self::inherited().into_iter().chain(self.env.iter().cloned());
        let path = self.path().and_then(|(name, value)| Some((name, environment::searchable(&value)?)));
        others.filter(|(name, _)| !environment::is_path(name)).chain(path)
    }
}
