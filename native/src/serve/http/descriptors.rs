//! How many descriptors the process may have.

use std::io;

#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Returns how many there may be; `None` where the system sets no limit.
#[cfg(unix)]
pub(super) fn limit() -> Option<usize> {
    getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok())
}

#[cfg(not(unix))]
pub(super) const fn limit() -> Option<usize> {
    None
}

/// Raises the soft limit to the hard one.
#[cfg(unix)]
pub(super) fn raise() -> io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum || maximum.is_none() {
        return Ok(());
    }
    Ok(setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(super) const fn raise() -> io::Result<()> {
    Ok(())
}
