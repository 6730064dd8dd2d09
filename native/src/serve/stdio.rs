//! Serves one client over standard input and output.

use std::{
    collections::{HashMap, VecDeque},
    future::{Future, pending, poll_fn},
    io,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use selvedge_core::{
    Server, Tick,
    jsonrpc::{RpcError, code},
    server::{Answer, Context, Request, ServedCall, ServerEffect, ServerEvent},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::mpsc,
    task::{AbortHandle, Id, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout_at},
};

use super::{Command, Handle, Link, Service, keyed, link::Port, terminated};

const READ_BYTES: usize = 64 << 10;
/// Past this much unwritten output nothing is read, nor is anything taken that a service says besides.
const MAX_OUTBOX_BYTES: usize = 4 << 20;
/// What services say besides their answers and that waits to be written; one that says more waits.
const MAX_COMMANDS: usize = 64;
/// The time that requests under way have once the session ends.
const DRAIN: Duration = Duration::from_secs(2);

/// Serves over this process's standard input and output, until the input ends or SIGTERM comes; requests
/// under way then have two seconds.
///
/// A runtime waits for reads of standard input that never end: leave it with `shutdown_background`.
///
/// # Errors
///
/// A stream cannot be read or written. A client that is gone is no error.
pub async fn serve_stdio(service: impl Service) -> io::Result<()> {
    let session = Session::new(service)?;
    match session.run(tokio::io::stdin(), tokio::io::stdout(), terminated()?).await {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

struct Session<S> {
    service: Arc<S>,
    server: Server,
    origin: Instant,
    running: HashMap<ServedCall, AbortHandle>,
    calls: HashMap<Id, ServedCall>,
    tasks: JoinSet<Answer>,
    port: Port,
    commands: mpsc::Receiver<Command>,
    outbox: VecDeque<u8>,
    /// When the session ends whatever is still under way.
    ends_at: Option<Instant>,
}

impl<S: Service> Session<S> {
    fn new(service: S) -> io::Result<Self> {
        let (sender, commands) = mpsc::channel(MAX_COMMANDS);
        let port = Port::Queue(sender);
        let server = Server::new(keyed(service.config())?);
        service.started(Handle::new(port.clone()));
        Ok(Self {
            service: Arc::new(service),
            server,
            origin: Instant::now(),
            running: HashMap::new(),
            calls: HashMap::new(),
            tasks: JoinSet::new(),
            port,
            commands,
            outbox: VecDeque::new(),
            ends_at: None,
        })
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
            let wakes_at = self.wakes_at();
            if !is_open && self.running.is_empty() && self.outbox.is_empty() {
                break;
            }
            tokio::select! {
                biased;
                () = &mut terminated, if is_open => self.server.handle_eof(self.now()),
                written = write(&mut output, &self.outbox), if !self.outbox.is_empty() => {
                    self.outbox.drain(..written?);
                }
                // What a service says stands before the answer of its call.
                Some(command) = self.commands.recv(), if has_room => {
                    let now = self.now();
                    command.apply(self.server.hub(), now);
                }
                Some(ended) = self.tasks.join_next_with_id(), if has_room => self.ended(ended),
                read = input.read_buf(&mut inbox), if is_open && has_room => self.take(read?, &mut inbox),
                () = until(self.ends_at), if !is_open => break,
                () = until(wakes_at) => self.server.handle_timeout(self.now()),
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

    fn wakes_at(&self) -> Option<Instant> {
        self.server.poll_timeout().map(|tick| self.origin + Duration::from_millis(tick.as_millis()))
    }

    fn event(&mut self, event: ServerEvent) {
        match event {
            ServerEvent::Requested { call, request, context } => self.serve(call, request, context),
            ServerEvent::Cancelled { call } => {
                if let Some(task) = self.running.remove(&call) {
                    self.calls.remove(&task.id());
                    task.abort();
                }
            }
            ServerEvent::Watched { uri } => self.service.watched(&uri, true),
            ServerEvent::Unwatched { uri } => self.service.watched(&uri, false),
            ServerEvent::Closed { .. } => self.ends_at = Some(Instant::now() + DRAIN),
            ServerEvent::PeerViolated { violation, .. } => tracing::warn!(%violation, "protocol violation"),
            _ => {}
        }
    }

    fn serve(&mut self, call: ServedCall, request: Request, context: Context) {
        let service = self.service.clone();
        let link = Link::new(call, self.port.clone());
        tracing::debug!(id = context.id, method = request.method(), "request");
        let task = self.tasks.spawn(async move { service.serve(request, context, link).await });
        self.calls.insert(task.id(), call);
        self.running.insert(call, task);
    }

    fn ended(&mut self, ended: Result<(Id, Answer), JoinError>) {
        let (task, answer) = match ended {
            Ok(ended) => ended,
            Err(error) => (error.id(), Answer::Crashed),
        };
        let Some(call) = self.calls.remove(&task) else { return };
        self.running.remove(&call);
        let now = self.now();
        if let Err(misuse) = self.server.answer(now, call, answer) {
            tracing::error!(%misuse, "the service's answer cannot be passed on");
            let error = RpcError::new(code::INTERNAL_ERROR, misuse.to_string());
            // A call that nobody waits for needs no answer at all.
            let _ = self.server.answer(now, call, Answer::Failed(error));
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
#[path = "tests.rs"]
mod tests;
