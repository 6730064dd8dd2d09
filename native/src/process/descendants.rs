//! Finds and ends what a server started, whatever session or process group it moved to.
//!
//! A process belongs to a server if it descends from it, or if its environment carries the server's mark: what
//! is orphaned loses its descent and keeps its environment. Nothing here allocates or locks, because the
//! watcher searches from a process that was forked from one with threads.

use std::{
    ffi::CStr,
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use memchr::memmem;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{CWD, Mode, OFlags, RawDir, openat},
    process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid},
};

use super::{Graces, Stragglers};

/// How many processes are held at once; what is beyond is found once these are gone.
const MAX_FOUND: usize = 256;
/// How often it is searched again after what was found has been killed.
const MAX_ROUNDS: usize = 64;
/// The most of a process's environment that is read: a process can make it look as long as its memory.
const MAX_ENVIRONMENT_BYTES: usize = 4 << 20;

/// Whose processes are searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    /// What stands in the environment of each of them; empty where only descent is looked at.
    pub(super) mark: &'a [u8],
    /// The server itself, which must not be reaped meanwhile. It is not searched for.
    pub(super) leader: Option<Pid>,
    /// When the search is given up, whatever has not been found by then.
    pub(super) deadline: Option<Instant>,
}

impl Search<'_> {
    /// Returns whether there was no time to search any further.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A process, and a handle that never means another one.
#[derive(Debug)]
struct Process {
    pid: Pid,
    handle: OwnedFd,
    /// The signals to the server's group do not reach it.
    is_outside: bool,
}

/// The processes that were found.
#[derive(Debug)]
pub(super) struct Found {
    processes: [Option<Process>; MAX_FOUND],
}

impl Default for Found {
    fn default() -> Self {
        Self { processes: [const { None }; MAX_FOUND] }
    }
}

impl Found {
    fn iter(&self) -> impl Iterator<Item = &Process> {
        self.processes.iter().flatten()
    }

    /// Adds every process that belongs to the server; returns whether there was one that was not known yet.
    pub(super) fn search(&mut self, search: &Search<'_>) -> bool {
        let Ok(folder) = ProcFolder::open() else { return false };
        let mut has_added = false;
        // A parent is usually seen before its child, but numbers are used again.
        while self.search_once(&folder, search) {
            has_added = true;
        }
        has_added
    }

    fn search_once(&mut self, folder: &ProcFolder, search: &Search<'_>) -> bool {
        let Ok(all) = folder.reopened() else { return false };
        let mut buffer = [MaybeUninit::uninit(); 8 << 10];
        let mut entries = RawDir::new(all, &mut buffer);
        let mut has_added = false;
        while let Some(Ok(entry)) = entries.next() {
            if search.is_over() {
                break;
            }
            let name = entry.file_name();
            let Some(pid) = number(name.to_bytes()).and_then(Pid::from_raw) else { continue };
            if search.leader == Some(pid) || self.iter().any(|process| process.pid == pid) {
                continue;
            }
            if self.belonging(folder, name, search).is_none() {
                continue;
            }
            let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
            // The number may have passed to another process before the handle was opened. What is read from here
            // on is of the process that the handle means, provided that it lives on behind the reading.
            let Some(stat) = self.belonging(folder, name, search) else { continue };
            if has_ended(&handle) {
                continue;
            }
            let is_outside = search.leader.is_none_or(|leader| stat.group != Some(leader));
            let Some(room) = self.processes.iter_mut().find(|room| room.is_none()) else { return false };
            *room = Some(Process { pid, handle, is_outside });
            has_added = true;
        }
        has_added
    }

    fn belonging(&self, folder: &ProcFolder, name: &CStr, search: &Search<'_>) -> Option<Stat> {
        let stat = folder.stat(name)?;
        let belongs = self.is_parent(stat.parent, search) || folder.carries(name, search.mark);
        belongs.then_some(stat)
    }

    fn is_parent(&self, pid: Option<Pid>, search: &Search<'_>) -> bool {
        let Some(pid) = pid else { return false };
        search.leader == Some(pid)
            || self.iter().any(|process| process.pid == pid && !has_ended(&process.handle))
    }

    /// Lets go of the processes that have ended; returns how many of them were outside the server's group.
    fn forget_ended(&mut self) -> usize {
        let mut count = 0;
        for room in &mut self.processes {
            let Some(process) = room.take_if(|process| has_ended(&process.handle)) else { continue };
            count += usize::from(process.is_outside);
            // An orphan may have become a child of this process.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            let _ = waitid(WaitId::PidFd(process.handle.as_fd()), options);
        }
        count
    }

    /// Signals the processes that the signals to the group do not reach; returns whether there are any.
    pub(super) fn signal_outside(&self, signal: Signal) -> bool {
        let mut is_any = false;
        for process in self.iter().filter(|process| process.is_outside) {
            is_any = true;
            // What has ended meanwhile needs no signal; what may not be signalled is counted as left.
            let _ = pidfd_send_signal(&process.handle, signal);
        }
        is_any
    }

    fn signal_all(&self, signal: Signal) {
        for process in self.iter() {
            let _ = pidfd_send_signal(&process.handle, signal);
        }
    }

    /// Waits until all have ended, but no longer than this.
    fn wait(&self, patience: Duration) {
        let started = Instant::now();
        for process in self.iter() {
            wait(process.handle.as_fd(), patience.saturating_sub(started.elapsed()));
        }
    }
}

/// Ends everything that belongs to a server, beginning with what was found earlier.
pub(super) fn end(search: &Search<'_>, mut found: Found, graces: Graces) -> Stragglers {
    let mut stragglers = Stragglers::default();
    // These went by themselves.
    found.forget_ended();
    found.search(search);
    if !graces.terminate.is_zero() && found.signal_outside(Signal::TERM) {
        found.wait(graces.terminate);
        stragglers.ended += found.forget_ended();
    }
    for _ in 0..MAX_ROUNDS {
        // What is stopped starts nothing that would have to be found.
        found.signal_all(Signal::STOP);
        while found.search(search) {
            found.signal_all(Signal::STOP);
        }
        if found.iter().next().is_none() {
            break;
        }
        found.signal_all(Signal::KILL);
        found.wait(graces.kill);
        stragglers.ended += found.forget_ended();
        stragglers.left = found.iter().filter(|process| process.is_outside).count();
        if found.iter().next().is_some() {
            break;
        }
    }
    stragglers
}

/// Waits until a process has ended, but no longer than this.
fn wait(handle: BorrowedFd<'_>, patience: Duration) -> bool {
    // Longer than the system can wait is for ever.
    let patience = Timespec::try_from(patience).ok();
    let mut handles = [PollFd::from_borrowed_fd(handle, PollFlags::IN)];
    poll(&mut handles, patience.as_ref()).is_ok_and(|ready| ready > 0)
}

pub(super) fn has_ended(handle: &OwnedFd) -> bool {
    wait(handle.as_fd(), Duration::ZERO)
}

/// The folder in which the kernel shows all processes.
struct ProcFolder(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What the kernel says of a process that lives.
struct Stat {
    parent: Option<Pid>,
    group: Option<Pid>,
}

impl ProcFolder {
    fn open() -> rustix::io::Result<Self> {
        openat(CWD, c"/proc", FOLDER, Mode::empty()).map(Self)
    }

    /// Returns the folder at its beginning.
    fn reopened(&self) -> rustix::io::Result<OwnedFd> {
        openat(&self.0, c".", FOLDER, Mode::empty())
    }

    fn file(&self, pid: &CStr, file: &[u8]) -> Option<OwnedFd> {
        let mut path = [0_u8; 32];
        let pid = pid.to_bytes();
        path.get_mut(..pid.len())?.copy_from_slice(pid);
        path.get_mut(pid.len()..pid.len() + file.len())?.copy_from_slice(file);
        let path = CStr::from_bytes_until_nul(&path).ok()?;
        openat(&self.0, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
    }

    /// Returns what is known of a process; `None` of one that is gone or only waits to be reaped.
    fn stat(&self, pid: &CStr) -> Option<Stat> {
        let file = self.file(pid, b"/stat")?;
        let mut buffer = [0_u8; 512];
        let length = rustix::io::read(&file, &mut buffer).ok()?;
        // The name, which may hold anything, ends with the last parenthesis.
        let rest = buffer.get(..length)?.rsplit(|byte| *byte == b')').next()?;
        let mut fields = rest.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
        let state = fields.next()?;
        if matches!(state, b"Z" | b"X" | b"x") {
            return None;
        }
        let mut process = || fields.next().and_then(number).and_then(Pid::from_raw);
        Some(Stat { parent: process(), group: process() })
    }

    /// Returns whether the environment that a process was started with holds a mark.
    fn carries(&self, pid: &CStr, mark: &[u8]) -> bool {
        if mark.is_empty() {
            return false;
        }
        let Some(file) = self.file(pid, b"/environ") else { return false };
        let mut buffer = [0_u8; 8 << 10];
        let (mut filled, mut total) = (0, 0);
        while total < MAX_ENVIRONMENT_BYTES {
            let Some(room) = buffer.get_mut(filled..) else { return false };
            let Ok(length @ 1..) = rustix::io::read(&file, room) else { return false };
            filled += length;
            total += length;
            if memmem::find(buffer.get(..filled).unwrap_or_default(), mark).is_some() {
                return true;
            }
            // The mark may have come in part.
            let kept = filled.min(mark.len() - 1);
            buffer.copy_within(filled - kept..filled, 0);
            filled = kept;
        }
        false
    }
}

fn number(digits: &[u8]) -> Option<i32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i32, |number, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        number.checked_mul(10)?.checked_add(i32::try_from(digit).ok()?)
    })
}
