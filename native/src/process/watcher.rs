//! Ends what servers leave behind when their host is killed.
//!
//! A process that is killed can end nothing any more, and the kernel ends only its children for it. So each host
//! has a watcher: a process that is forked from it before its first server starts, sleeps until the host ends, and
//! is ended with the last server. It executes no program, because a library cannot know of any that would be there.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, OwnedFd, RawFd},
    ptr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{CWD, Mode, OFlags, openat},
    mm::{Advice, madvise},
    process::{
        Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, chdir, getpid, pidfd_open, pidfd_send_signal, setsid,
        waitid,
    },
};

use super::{
    Graces,
    descendants::{Found, Search, end, has_ended},
};

/// The length of what the marks of all servers of a host begin with.
pub(super) const HOST_BYTES: usize = 33;

/// How long the watcher waits for what it killed before it looks again.
const KILL_GRACE: Duration = Duration::from_secs(5);

/// Keeps the host watched for as long as a server of it lives.
#[derive(Debug)]
pub(super) struct Watch(());

struct State {
    watches: usize,
    watcher: Option<OwnedFd>,
}

static STATE: Mutex<State> = Mutex::new(State { watches: 0, watcher: None });

impl Watch {
    /// Has the host watched, whose servers carry marks that begin with these bytes.
    pub(super) fn begin(host: [u8; HOST_BYTES]) -> Self {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        state.watches += 1;
        if state.watcher.as_ref().is_none_or(has_ended) {
            match start(host) {
                Ok(watcher) => state.watcher = Some(watcher),
                Err(error) => {
                    tracing::warn!(%error, "nothing will end the servers if this process is killed");
                }
            }
        }
        Self(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        state.watches -= 1;
        if state.watches > 0 {
            return;
        }
        if let Some(watcher) = state.watcher.take() {
            // One that is gone already, or was reaped by the application, needs neither.
            let _ = pidfd_send_signal(&watcher, Signal::KILL);
            let _ = waitid(WaitId::PidFd(watcher.as_fd()), WaitIdOptions::EXITED);
        }
    }
}

#[expect(unsafe_code, reason = "a process that executes no program can only be forked")]
fn start(host: [u8; HOST_BYTES]) -> io::Result<OwnedFd> {
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` writes the set that is read afterwards, and `pthread_sigmask` the one before. The
    // handlers of the application must not run in the child, so no signal is let through there.
    let forked = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        libc::fork()
    };
    if forked == 0 {
        watch(&own, host);
    }
    let error = io::Error::last_os_error();
    // SAFETY: the set was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    let child = Pid::from_raw(forked).filter(|_| forked > 0).ok_or(error)?;
    Ok(pidfd_open(child, PidfdFlags::empty())?)
}

/// Leaves the process without running anything of the application, even if something here should panic.
struct ExitOnDrop;

impl Drop for ExitOnDrop {
    #[expect(unsafe_code, reason = "the usual end would run what the application registered for it")]
    fn drop(&mut self) {
        // SAFETY: it only ends the process.
        unsafe { libc::_exit(0) }
    }
}

/// What the watcher does. Other threads of the host may have held any lock when it was forked, so it makes nothing
/// but system calls: it neither allocates nor locks.
fn watch(host: &OwnedFd, mark: [u8; HOST_BYTES]) -> ! {
    let exit = ExitOnDrop;
    // Signals to the host's group and the end of its terminal are not meant for the watcher.
    let _ = setsid();
    let _ = rustix::thread::set_name(c"selvedge-watch");
    // Nothing of the host's may be kept open: its pipes, its sockets, its folder.
    close_all_but(host.as_raw_fd());
    let _ = chdir(c"/");
    release_memory();
    let mut handles = [PollFd::new(host, PollFlags::IN)];
    while poll(&mut handles, None).is_err() {}
    let search = Search { mark: &mark, leader: None, deadline: None };
    end(&search, Found::default(), Graces { terminate: Duration::ZERO, kill: KILL_GRACE });
    drop(exit);
    // The end that was just made is not known to the compiler.
    loop {
        let _ = poll(&mut [], None);
    }
}

/// Closes all descriptors but one.
#[expect(unsafe_code, reason = "descriptors that nobody here owns can only be closed by their numbers")]
fn close_all_but(kept: RawFd) {
    let Ok(kept) = u32::try_from(kept) else { return };
    let close = |first: u32, last: u32| {
        // SAFETY: the process owns these descriptors alone, and nothing that it runs uses them.
        unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) == 0 }
    };
    let is_done = (kept == 0 || close(0, kept - 1)) && close(kept + 1, u32::MAX);
    if is_done {
        return;
    }
    // Before Linux 5.9.
    for descriptor in (0..1 << 16).filter(|descriptor| *descriptor != kept.cast_signed()) {
        // SAFETY: as above.
        unsafe { libc::close(descriptor) };
    }
}

/// Gives back the memory that the watcher has from its host: pages that the host writes to from here on would
/// otherwise exist twice.
///
/// What is given back reads as zeros. Kept are the mappings of the stack and of the thread's storage, those that
/// belong to files with their unwritten rests, and small ones.
#[expect(unsafe_code, reason = "only a variable of the thread tells where its storage is")]
fn release_memory() {
    let on_the_stack = 0_u8;
    // SAFETY: it returns the address of a variable that every thread has.
    let of_the_thread = unsafe { libc::__errno_location() };
    let kept = [(&raw const on_the_stack).addr(), of_the_thread.addr()];
    let Ok(maps) = openat(CWD, c"/proc/self/maps", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else {
        return;
    };
    let mut buffer = [0_u8; 4 << 10];
    let (mut filled, mut end_of_file_mapping) = (0, 0);
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty())
        && let Ok(length @ 1..) = rustix::io::read(&maps, room)
    {
        filled += length;
        while let Some(end) = buffer.iter().take(filled).position(|byte| *byte == b'\n') {
            if let Some(mapping) = buffer.get(..end).and_then(Mapping::read) {
                let is_rest = mapping.start == end_of_file_mapping;
                if !mapping.is_anonymous || is_rest {
                    end_of_file_mapping = mapping.end;
                } else if !kept.iter().any(|kept| (mapping.start..mapping.end).contains(kept)) {
                    mapping.release();
                }
            }
            buffer.copy_within(end + 1..filled, 0);
            filled -= end + 1;
        }
    }
}

/// A line of `/proc/self/maps`.
struct Mapping {
    start: usize,
    end: usize,
    /// It is written to by this process alone, and no file stands behind it.
    is_anonymous: bool,
    is_writable: bool,
}

impl Mapping {
    const MIN_BYTES: usize = 256 << 10;

    fn read(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
        let (range, rights, _, _, inode) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let mut bounds = range.split(|byte| *byte == b'-').map(hexadecimal);
        let is_plain = fields.next().is_none_or(|name| name == b"[heap]" || name.starts_with(b"[anon:"));
        Some(Self {
            start: bounds.next()??,
            end: bounds.next()??,
            is_anonymous: inode == b"0" && is_plain,
            is_writable: rights == b"rw-p",
        })
    }

    #[expect(unsafe_code, reason = "the memory of the host is given back, not objects")]
    fn release(&self) {
        let length = self.end - self.start;
        if !self.is_writable || length < Self::MIN_BYTES {
            return;
        }
        // SAFETY: nothing that the watcher runs from here on reads the heap or the stacks of other threads.
        let released =
            unsafe { madvise(ptr::with_exposed_provenance_mut(self.start), length, Advice::LinuxDontNeed) };
        // Memory that is locked stays.
        let _ = released;
    }
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0_usize, |number, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        number.checked_mul(16)?.checked_add(usize::try_from(digit).ok()?)
    })
}
