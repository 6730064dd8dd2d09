//! Serves tools to one client over standard input and output.

use std::{
    collections::VecDeque,
    future::{Future, pending, poll_fn},
    io,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use selvedge_core::{
    Server, ServerConfig, Tick,
    json::RawJson,
    jsonrpc::{RpcError, code},
    protocol::Implementation,
    server::{ServedCall, ServerEffect, ServerEvent},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    task::{AbortHandle, Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout_at},
};

const READ_BYTES: usize = 64 << 10;
/// Past this much unwritten output nothing is read, nor is any report taken.
const MAX_OUTBOX_BYTES: usize = 4 << 20;
/// Reports of progress that wait to be written; a tool that reports faster waits.
const MAX_REPORTS: usize = 64;
/// The time that calls under way have once the session ends.
const DRAIN: Duration = Duration::from_secs(2);

/// What a server offers: tools, and what they do.
pub trait Tools: Send + Sync + 'static {
    /// Says who the server is.
    fn implementation(&self) -> Implementation;

    /// Says what a model should know about the server.
    fn instructions(&self) -> Option<String> {
        None
    }

    /// Returns the tools, each as the object that `tools/list` shows.
    fn tools(&self) -> Vec<RawJson>;

    /// Calls one of the tools; the arguments are an object, and so must be the result.
    ///
    /// Each call is a task of its own. It is dropped when its client cancels it; one that panics is answered
    /// with an internal error, and the others go on.
    fn call(
        &self,
        name: &str,
        arguments: RawJson,
        reporter: Reporter,
    ) -> impl Future<Output = Result<RawJson, RpcError>> + Send;
}

/// Tells the client how far a call is.
#[derive(Clone, Debug)]
pub struct Reporter {
    call: ServedCall,
    reports: mpsc::Sender<Report>,
}

#[derive(Debug)]
struct Report {
    call: ServedCall,
    progress: u64,
    total: Option<u64>,
    message: Option<String>,
}

impl Reporter {
    /// Reports what is done, what there is to do, and what is being done. Nothing is sent where the client did
    /// not ask for reports.
    pub async fn report(&self, progress: u64, total: Option<u64>, message: Option<&str>) {
        let report = Report { call: self.call.clone(), progress, total, message: message.map(str::to_owned) };
        // A session that is over wants no reports.
        let _ = self.reports.send(report).await;
    }
}

/// Serves tools over this process's standard input and output, until the input ends or SIGTERM comes; calls
/// under way then have two seconds.
///
/// A runtime waits for reads of standard input that never end: leave it with `shutdown_background`.
///
/// # Errors
///
/// A stream cannot be read or written. A client that is gone is no error.
pub async fn serve_stdio(tools: impl Tools) -> io::Result<()> {
    let session = Session::new(tools);
    match session.run(tokio::io::stdin(), tokio::io::stdout(), terminated()?).await {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

#[cfg(unix)]
fn terminated() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = signal(SignalKind::terminate())?;
    Ok(async move {
        signals.recv().await;
    })
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn terminated() -> io::Result<impl Future<Output = ()>> {
    Ok(pending())
}

struct Session<T> {
    tools: Arc<T>,
    server: Server,
    origin: Instant,
    running: Vec<(AbortHandle, ServedCall)>,
    tasks: JoinSet<Result<RawJson, RpcError>>,
    reports: mpsc::Sender<Report>,
    reported: mpsc::Receiver<Report>,
    outbox: VecDeque<u8>,
    /// When the session ends whatever is still under way.
    ends_at: Option<Instant>,
}

impl<T: Tools> Session<T> {
    fn new(tools: T) -> Self {
        let mut config = ServerConfig::default();
        config.implementation = tools.implementation();
        config.instructions = tools.instructions();
        config.tools = tools.tools();
        let (reports, reported) = mpsc::channel(MAX_REPORTS);
        Self {
            tools: Arc::new(tools),
            server: Server::new(config),
            origin: Instant::now(),
            running: Vec::new(),
            tasks: JoinSet::new(),
            reports,
            reported,
            outbox: VecDeque::new(),
            ends_at: None,
        }
    }

    async fn run(
        mut self,
        mut input: impl AsyncRead + Unpin,
        mut output: impl AsyncWrite + Unpin,
        terminated: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let mut terminated = std::pin::pin!(terminated);
        let mut inbox = Vec::with_capacity(READ_BYTES);
        loop {
            self.carry_out();
            let is_open = self.ends_at.is_none();
            let has_room = self.outbox.len() <= MAX_OUTBOX_BYTES;
            if !is_open && self.running.is_empty() && self.outbox.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = &mut terminated, if is_open => self.server.handle_eof(self.now()),
                written = write(&mut output, &self.outbox), if !self.outbox.is_empty() => {
                    self.outbox.drain(..written?);
                }
                // Reports stand before the answer of their call.
                Some(report) = self.reported.recv(), if has_room => self.report(&report),
                Some(ended) = self.tasks.join_next_with_id(), if has_room => self.ended(ended),
                read = input.read_buf(&mut inbox), if is_open && has_room => self.take(read?, &mut inbox),
                () = until(self.ends_at), if !is_open => break,
            }
        }
        match self.ends_at {
            Some(at) => timeout_at(at, output.flush()).await.unwrap_or(Ok(())),
            None => Ok(()),
        }
    }

    fn take(&mut self, read: usize, inbox: &mut Vec<u8>) {
        if read == 0 {
            return self.server.handle_eof(self.now());
        }
        self.server.handle_bytes(self.now(), inbox);
        inbox.clear();
    }

    fn now(&self) -> Tick {
        Tick::from_millis(u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn carry_out(&mut self) {
        while let Some(effect) = self.server.poll_effect() {
            match effect {
                ServerEffect::Send(bytes) => self.outbox.extend(bytes),
                ServerEffect::Event(event) => self.event(event),
            }
        }
    }

    fn event(&mut self, event: ServerEvent) {
        match event {
            ServerEvent::Called { call, name, arguments } => {
                let tools = self.tools.clone();
                let reporter = Reporter { call: call.clone(), reports: self.reports.clone() };
                let task = self.tasks.spawn(async move { tools.call(&name, arguments, reporter).await });
                self.running.push((task, call));
            }
            ServerEvent::Cancelled { call } => {
                if let Some(at) = self.running.iter().position(|(_, own)| *own == call) {
                    self.running.swap_remove(at).0.abort();
                }
            }
            ServerEvent::Closed => self.ends_at = Some(Instant::now() + DRAIN),
            ServerEvent::PeerViolated(violation) => tracing::warn!(%violation, "protocol violation"),
            _ => {}
        }
    }

    fn report(&mut self, report: &Report) {
        let Report { call, progress, total, message } = report;
        // The client may have cancelled the call meanwhile.
        let _ = self.server.report_progress(call, *progress, *total, message.as_deref());
    }

    fn ended(&mut self, ended: Result<(Id, Result<RawJson, RpcError>), JoinError>) {
        let (task, answer) = match ended {
            Ok(ended) => ended,
            Err(error) => (error.id(), Err(RpcError::new(code::INTERNAL_ERROR, "the tool crashed"))),
        };
        let Some(at) = self.running.iter().position(|(own, _)| own.id() == task) else { return };
        let (_, call) = self.running.swap_remove(at);
        if let Err(misuse) = self.server.answer(&call, answer.as_ref()) {
            // The result was no object; a call that nobody waits for needs no answer at all.
            let _ = self.server.answer(&call, Err(&RpcError::new(code::INTERNAL_ERROR, misuse.to_string())));
        }
    }
}

async fn write(output: &mut (impl AsyncWrite + Unpin), outbox: &VecDeque<u8>) -> io::Result<usize> {
    let (next, _) = outbox.as_slices();
    let written = poll_fn(|context| Pin::new(&mut *output).poll_write(context, next)).await?;
    if written == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(written) }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests;
