//! Where the system tells too little of other processes: what left the server's group is left alone.

use std::{io, process::Command, time::Duration};

use rustix::process::Pid;

use super::{Graces, Stragglers};

/// No mark: it could not be read in another process.
#[derive(Debug)]
pub(super) struct Mark;

impl Mark {
    pub(super) const fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) const fn apply(&self, _command: &mut Command) {}
}

/// The processes of one server outside its group, which cannot be found.
#[derive(Debug)]
pub(super) struct Outside;

impl Outside {
    pub(super) fn new(_mark: Option<Mark>, _leader: Pid) -> Self {
        Self
    }

    pub(super) const fn survey(&self, _patience: Option<Duration>) -> bool {
        true
    }

    pub(super) const fn terminate(&self) {}

    pub(super) fn end(&self, _graces: Graces) -> Stragglers {
        Stragglers::default()
    }

    pub(super) const fn release(&self) {}
}
