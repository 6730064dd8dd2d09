//! The end of a server: its process group, and what it has outside of it.

use std::{
    io,
    process::Child,
    sync::{Arc, PoisonError, RwLock},
    thread,
    time::Duration,
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process_group},
};
use tokio::sync::oneshot;

use super::{
    Graces, Stragglers,
    outside::{Mark, Outside},
};

/// The process group of a server. Dropping it ends the group, and what the server has outside of it.
#[derive(Debug)]
pub(crate) struct Group {
    /// `None` once its end is under way.
    family: Option<Arc<Family>>,
    was_terminated: bool,
}

#[derive(Debug)]
struct Family {
    pid: Pid,
    /// The leader, until it is reaped: as long as it is not, no other process or group can get its number.
    leader: RwLock<Option<Child>>,
    outside: Outside,
}

impl Group {
    /// Takes the leader of a group that was just started.
    pub(super) fn new(leader: Child, mark: Option<Mark>) -> io::Result<Self> {
        let pid = i32::try_from(leader.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the server has no number"))?;
        let outside = Outside::new(mark, pid);
        let family = Family { pid, leader: RwLock::new(Some(leader)), outside };
        Ok(Self { family: Some(Arc::new(family)), was_terminated: false })
    }

    /// Returns the number of the leader.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.family.as_ref().map(|family| family.pid)
    }

    /// Notes what the server started, as long as it lives and its descendants can be told by their parents. What
    /// cannot be done in a moment is left to another thread, to be waited for.
    pub(crate) fn survey(&self) -> Option<impl Future<Output = ()> + 'static> {
        /// Most systems have some hundred processes, which takes a millisecond or two.
        const MOMENT: Duration = Duration::from_millis(5);
        let family = self.family.clone()?;
        let mut is_done = true;
        family.while_unreaped(|| is_done = family.outside.survey(Some(MOMENT)));
        if is_done {
            return None;
        }
        let surveyed = background(move || {
            family.while_unreaped(|| {
                // Without a deadline the time suffices.
                let _ = family.outside.survey(None);
            });
        });
        Some(async {
            // A thread that could not be started has surveyed nothing.
            let _ = surveyed.await;
        })
    }

    /// Asks the group to end, and what is outside of it.
    pub(crate) fn terminate(&mut self) {
        self.was_terminated = true;
        let Some(family) = self.family.clone() else { return };
        family.signal(Signal::TERM);
        drop(background(move || family.while_unreaped(|| family.outside.terminate())));
    }

    /// Ends the group.
    pub(crate) fn kill(&self) {
        if let Some(family) = &self.family {
            family.signal(Signal::KILL);
        }
    }

    /// Ends the group and what is outside of it, and reaps the leader. Tells what was found outside; the graces
    /// are those of a server that was asked to end.
    pub(crate) fn retire(mut self, mut graces: Graces) -> oneshot::Receiver<Stragglers> {
        if self.was_terminated {
            graces.terminate = Duration::ZERO;
        }
        self.end(graces)
    }

    fn end(&mut self, graces: Graces) -> oneshot::Receiver<Stragglers> {
        let (tell, told) = oneshot::channel();
        let Some(family) = self.family.take() else { return told };
        family.signal(Signal::KILL);
        let end = move || {
            let stragglers = family.outside.end(graces);
            let mut leader = family.leader.write().unwrap_or_else(PoisonError::into_inner).take();
            let is_reaped = leader.as_mut().is_none_or(|leader| !matches!(leader.try_wait(), Ok(None)));
            if is_reaped {
                family.outside.release();
            }
            // The connection may be gone.
            let _ = tell.send(stragglers);
            if !is_reaped && let Some(mut leader) = leader {
                // A killed process may take a moment; nobody else can reap it.
                let _ = leader.wait();
                family.outside.release();
            }
        };
        let _ = thread::Builder::new().name("selvedge-reaper".into()).spawn(end);
        told
    }
}

impl Family {
    fn signal(&self, signal: Signal) {
        self.while_unreaped(|| match kill_process_group(self.pid, signal) {
            // Nobody is left, which is what was wanted.
            Ok(()) | Err(Errno::SRCH) => {}
            Err(error) => tracing::warn!(?signal, %error, "could not signal the server's process group"),
        });
    }

    /// Does something that takes the leader's number for the leader.
    fn while_unreaped(&self, deed: impl FnOnce()) {
        let leader = self.leader.read().unwrap_or_else(PoisonError::into_inner);
        if leader.is_some() {
            deed();
        }
    }
}

/// Does on a thread of its own what takes too long for the runtime; the receiver hears when it is done.
fn background(deed: impl FnOnce() + Send + 'static) -> oneshot::Receiver<()> {
    let (tell, done) = oneshot::channel();
    let work = move || {
        deed();
        // Not everybody waits for it.
        let _ = tell.send(());
    };
    let _ = thread::Builder::new().name("selvedge-surveyor".into()).spawn(work);
    done
}

impl Drop for Group {
    fn drop(&mut self) {
        drop(self.end(Graces { terminate: Duration::ZERO, kill: Duration::from_secs(5) }));
    }
}
