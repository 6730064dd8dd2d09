//! Processes on Windows.
//!
//! A server runs in a job object of its own, which whatever it starts belongs to. The system ends all of a job when
//! its last handle is closed, so that nothing is left of a server when its host is killed, either.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::Stdio,
};

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use selvedge_core::client::{ExitStatus, OpenError};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::{mpsc, oneshot},
};

use super::{Graces, Server, Stragglers};

/// A started server: its streams, and the handle that ends it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: ChildStdout,
    pub(crate) errors: ChildStderr,
    pub(crate) group: Group,
    pub(crate) exit: Exit,
}

impl Process {
    /// Pipes cannot be read without waiting here.
    pub(crate) fn read_now(&self, _buffer: &mut Vec<u8>) -> Option<std::io::Result<usize>> {
        None
    }

    /// Nor can these.
    pub(crate) fn errors_now(&self, _buffer: &mut Vec<u8>) -> Option<std::io::Result<usize>> {
        None
    }
}

/// Starts a server.
pub(crate) fn start(server: &Server) -> Result<Process, OpenError> {
    let mut command = CommandWrap::with_new(resolve(&server.command), |command| {
        command
            .args(&server.args)
            .env_clear()
            .envs(server.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(cwd) = &server.cwd {
            command.current_dir(cwd);
        }
    });
    command.wrap(KillOnDrop);
    if !server.leave_detached {
        command.wrap(JobObject);
    }
    let mut child = command.spawn().map_err(|error| open_error(server, &error))?;
    let (Some(input), Some(output), Some(errors)) =
        (child.stdin().take(), child.stdout().take(), child.stderr().take())
    else {
        return Err(OpenError::Other("a stream of the server is missing".to_owned()));
    };
    let (kill, killed) = mpsc::unbounded_channel();
    let (tell, seen) = oneshot::channel();
    let has_job = !server.leave_detached;
    tokio::spawn(guard(child, has_job, killed, tell));
    Ok(Process { input: Some(input), output, errors, group: Group { kill }, exit: Exit { seen } })
}

/// Waits for the end of a server, and ends it on demand or when nobody is interested any more.
async fn guard(
    mut child: Box<dyn ChildWrapper>,
    has_job: bool,
    mut killed: mpsc::UnboundedReceiver<()>,
    tell: oneshot::Sender<Option<ExitStatus>>,
) {
    let is_asked_for = tokio::select! {
        _ = leader(&mut child, has_job).wait() => false,
        _ = killed.recv() => true,
    };
    if is_asked_for || has_job {
        // What the server started ends with it; what cannot be killed has ended by itself.
        let _ = child.start_kill();
    }
    let status = leader(&mut child, has_job).wait().await;
    let status = status.ok().map(|status| ExitStatus { code: status.code(), signal: None });
    // The connection may be gone already.
    let _ = tell.send(status);
}

/// Returns the server itself: the end of a job is the end of everything in it.
fn leader(child: &mut Box<dyn ChildWrapper>, has_job: bool) -> &mut dyn ChildWrapper {
    if has_job { child.inner_mut() } else { child.as_mut() }
}

/// Finds what a bare name means: `npx` is `npx.cmd`, which only the shell would find by itself.
fn resolve(command: &OsStr) -> OsString {
    let name = Path::new(command);
    if name.components().count() > 1 || name.extension().is_some() {
        return command.to_owned();
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let extensions = std::env::var("PATHEXT").unwrap_or_else(|_| ".EXE;.CMD;.BAT".to_owned());
    let (folders, _) = super::environment::split_path(&paths);
    let candidates = folders.into_iter().flat_map(|folder| {
        extensions
            .split(';')
            .map(|extension| folder.join(format!("{}{extension}", name.display())))
            .collect::<Vec<PathBuf>>()
    });
    let mut found = candidates.filter(|path| path.is_file());
    found.next().map_or_else(|| command.to_owned(), PathBuf::into_os_string)
}

fn open_error(server: &Server, error: &io::Error) -> OpenError {
    let name = server.name();
    if let Some(cwd) = &server.cwd
        && !cwd.is_dir()
    {
        return OpenError::DirectoryNotFound(cwd.display().to_string());
    }
    match error.kind() {
        io::ErrorKind::NotFound => OpenError::CommandNotFound(name),
        io::ErrorKind::PermissionDenied => OpenError::NotExecutable(name),
        _ => OpenError::Other(format!("{name}: {error}")),
    }
}

/// The handle that ends a server. Dropping it ends the server.
#[derive(Debug)]
pub(crate) struct Group {
    kill: mpsc::UnboundedSender<()>,
}

impl Group {
    /// Windows knows no gentle signal for a program without a window.
    pub(crate) fn terminate(&mut self) {}

    /// Everything that the server starts belongs to its job.
    pub(crate) fn survey(&self) -> Option<std::future::Ready<()>> {
        None
    }

    /// Ends the server and its job.
    pub(crate) fn kill(&self) {
        // The server may have ended already.
        let _ = self.kill.send(());
    }

    /// The guard ends the job with the server, and counts nothing.
    pub(crate) fn retire(self, _graces: Graces) -> oneshot::Receiver<Stragglers> {
        let (tell, told) = oneshot::channel();
        // The receiver is at hand.
        let _ = tell.send(Stragglers::default());
        told
    }
}

/// Sees the end of a server.
#[derive(Debug)]
pub(crate) struct Exit {
    seen: oneshot::Receiver<Option<ExitStatus>>,
}

impl Exit {
    /// Waits until the server has ended; `None` when its end can no longer be seen.
    pub(crate) async fn seen(&mut self) -> Option<ExitStatus> {
        (&mut self.seen).await.ok().flatten()
    }
}
