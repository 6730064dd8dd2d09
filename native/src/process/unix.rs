//! Processes on Unix: how they start, their streams, and an end that is seen before it is reaped.

use std::{
    io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{OnceLock, mpsc},
    thread,
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, waitid},
};
use selvedge_core::client::{ExitStatus, OpenError};
use tokio::net::unix::pipe;

use super::{Server, group::Group, outside::Mark};

/// A started server: its streams, and the handle that ends its whole group.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) input: Option<pipe::Sender>,
    pub(crate) output: pipe::Receiver,
    pub(crate) errors: pipe::Receiver,
    pub(crate) group: Group,
    pub(crate) exit: Exit,
}

impl Process {
    /// Reads the output without waiting; `None` when nothing is there.
    pub(crate) fn read_now(&self, buffer: &mut Vec<u8>) -> Option<io::Result<usize>> {
        read_now(&self.output, buffer)
    }

    /// Reads diagnostics without waiting; `None` when nothing is there.
    pub(crate) fn errors_now(&self, buffer: &mut Vec<u8>) -> Option<io::Result<usize>> {
        read_now(&self.errors, buffer)
    }
}

/// Asks the system itself: the runtime may not have heard yet that there is something.
fn read_now(stream: &pipe::Receiver, buffer: &mut Vec<u8>) -> Option<io::Result<usize>> {
    buffer.clear();
    match rustix::io::read(stream, rustix::buffer::spare_capacity(buffer)) {
        Ok(bytes) => Some(Ok(bytes)),
        Err(Errno::AGAIN | Errno::INTR) => None,
        Err(error) => Some(Err(error.into())),
    }
}

/// Starts a server in a process group of its own.
pub(crate) fn start(server: &Server) -> Result<Process, OpenError> {
    let other = |error: io::Error| OpenError::Other(error.to_string());
    let mut command = Command::new(&server.command);
    command
        .args(&server.args)
        .env_clear()
        .envs(server.environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    if let Some(cwd) = &server.cwd {
        command.current_dir(cwd);
    }
    die_with_the_host(&mut command);
    let mark = if server.leave_detached { None } else { Some(Mark::new().map_err(other)?) };
    if let Some(mark) = &mark {
        mark.apply(&mut command);
    }
    let child = spawn(command).map_err(|error| open_error(server, &error))?;
    attach(child, mark).map_err(other)
}

fn attach(mut child: Child, mark: Option<Mark>) -> io::Result<Process> {
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let group = Group::new(child, mark)?;
    let (Some(input), Some(output), Some(errors)) = streams else {
        return Err(io::Error::other("a stream of the server is missing"));
    };
    widen(&output);
    let reaped = || io::Error::other("the server has been reaped");
    let exit = Exit::watch(group.pid().ok_or_else(reaped)?)?;
    Ok(Process {
        input: Some(pipe::Sender::from_owned_fd(OwnedFd::from(input))?),
        output: pipe::Receiver::from_owned_fd(OwnedFd::from(output))?,
        errors: pipe::Receiver::from_owned_fd(OwnedFd::from(errors))?,
        group,
        exit,
    })
}

/// Lets a large result through with fewer turns between the server and its host.
#[cfg(target_os = "linux")]
fn widen(output: &std::process::ChildStdout) {
    // A user may have only so much in pipes; the usual size will do then.
    let _ = rustix::pipe::fcntl_setpipe_size(output, PIPE_BYTES);
}

#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 512 << 10;

/// Other systems size their pipes themselves.
#[cfg(not(target_os = "linux"))]
fn widen(_output: &std::process::ChildStdout) {}

/// Has the kernel kill the server when the host dies without a chance to do so itself.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "only code before exec can ask for the signal")]
fn die_with_the_host(command: &mut Command) {
    let set = || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        Ok(())
    };
    // SAFETY: the closure makes one system call, which is async-signal-safe, and neither allocates nor locks.
    unsafe {
        command.pre_exec(set);
    }
}

/// Elsewhere the end of its input is all that tells a server of its host's sudden death.
#[cfg(not(target_os = "linux"))]
fn die_with_the_host(_command: &mut Command) {}

type Order = (Command, mpsc::SyncSender<io::Result<Child>>);

/// Spawns on a thread that lives as long as the host: the death signal of Linux is bound to the thread that
/// spawned, not to the process.
fn spawn(command: Command) -> io::Result<Child> {
    static SPAWNER: OnceLock<Option<mpsc::Sender<Order>>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (orders, inbox) = mpsc::channel::<Order>();
        let serve = move || {
            while let Ok((mut command, reply)) = inbox.recv() {
                // Whoever gave the order waits for the reply.
                let _ = reply.send(command.spawn());
            }
        };
        thread::Builder::new().name("selvedge-spawner".into()).spawn(serve).ok().map(|_| orders)
    });
    let gone = || io::Error::other("the spawning thread is gone");
    let (reply, answer) = mpsc::sync_channel(1);
    spawner.as_ref().ok_or_else(gone)?.send((command, reply)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn open_error(server: &Server, error: &io::Error) -> OpenError {
    let name = server.name();
    if let Some(cwd) = &server.cwd
        && !cwd.is_dir()
    {
        return OpenError::DirectoryNotFound(cwd.display().to_string());
    }
    let path = Path::new(&server.command);
    match error.kind() {
        io::ErrorKind::NotFound if path.components().count() > 1 && path.is_file() => {
            OpenError::Other(format!("{name}: its interpreter is not installed"))
        }
        io::ErrorKind::NotFound => OpenError::CommandNotFound(name),
        io::ErrorKind::PermissionDenied => OpenError::NotExecutable(name),
        _ => OpenError::Other(format!("{name}: {error}")),
    }
}

/// Sees the end of a process without reaping it.
#[derive(Debug)]
pub(crate) struct Exit {
    pid: Pid,
    #[cfg(target_os = "linux")]
    pidfd: tokio::io::unix::AsyncFd<OwnedFd>,
    #[cfg(not(target_os = "linux"))]
    seen: tokio::sync::oneshot::Receiver<()>,
}

impl Exit {
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "the runtime asks its callers to keep the descriptor open")]
    fn watch(pid: Pid) -> io::Result<Self> {
        use rustix::process::{PidfdFlags, pidfd_open};
        use tokio::io::{Interest, unix::AsyncFd};
        let pidfd = pidfd_open(pid, PidfdFlags::NONBLOCK)?;
        // SAFETY: an owned descriptor is closed only when it is dropped, which the registration outlives.
        let pidfd = unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) };
        Ok(Self { pid, pidfd: pidfd.map_err(io::Error::from)? })
    }

    #[cfg(not(target_os = "linux"))]
    fn watch(pid: Pid) -> io::Result<Self> {
        let (tell, seen) = tokio::sync::oneshot::channel();
        let wait = move || {
            while let Err(Errno::INTR) =
                waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            {}
            let _ = tell.send(());
        };
        thread::Builder::new().name("selvedge-waiter".into()).spawn(wait)?;
        Ok(Self { pid, seen })
    }

    /// Waits until the process has ended; `None` when its end can no longer be seen.
    pub(crate) async fn seen(&mut self) -> Option<ExitStatus> {
        #[cfg(target_os = "linux")]
        self.pidfd.readable().await.ok()?.retain_ready();
        #[cfg(not(target_os = "linux"))]
        (&mut self.seen).await.ok()?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options).ok()??;
        Some(ExitStatus { code: status.exit_status(), signal: status.terminating_signal() })
    }
}
