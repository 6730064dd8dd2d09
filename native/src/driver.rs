//! The loop that carries a client's effects out and brings it what the world did.

use std::{
    collections::BTreeMap,
    future::{Future, pending, poll_fn},
    io,
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use selvedge_core::{
    Client, Misuse, Tick,
    client::{
        Answer, AskId, CallError, CallId, CallOptions, Effect, Event, Evidence, ExitStatus, Progress, Reason,
        RetirementError, State,
    },
    json::RawJson,
    jsonrpc::RpcError,
    protocol::Handshake,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    sync::{mpsc, oneshot},
    time::Sleep,
};

use crate::{
    connection::{Error, EventSink, Inspection, Options, Shared},
    log::{ErrorLog, ViolationLog},
    process::{self, Process, Server},
    trace::Trace,
};

/// How much is read at once.
const READ_BYTES: usize = 256 << 10;
/// The outbound queue: past it no command is taken.
const MAX_OUTBOX_BYTES: usize = 4 << 20;
/// Past this, nothing is read either: what the server asks must not pile up answers that it does not read.
const MAX_ANSWER_BYTES: usize = MAX_OUTBOX_BYTES + (1 << 20);
/// How many commands are taken before the loop turns to its streams again.
const MAX_COMMANDS_A_TURN: usize = 256;

/// What the application wants of a connection.
pub(crate) enum Command {
    Call(Order),
    /// The caller of an order is gone.
    Cancel {
        ticket: u64,
    },
    AnswerAsk {
        ask: AskId,
        answer: Result<RawJson, RpcError>,
        reply: oneshot::Sender<Result<(), Misuse>>,
    },
    Inspect {
        reply: oneshot::Sender<Inspection>,
    },
    Shutdown,
}

/// One call, and where its outcome goes.
pub(crate) struct Order {
    pub(crate) ticket: u64,
    pub(crate) request: Request,
    pub(crate) options: CallOptions,
    pub(crate) on_progress: Option<ProgressSink>,
    pub(crate) reply: oneshot::Sender<Result<Answer, Error>>,
}

pub(crate) type ProgressSink = Box<dyn FnMut(Progress) + Send>;

/// What is asked of the server.
pub(crate) enum Request {
    CallTool { name: String, arguments: String },
    ListTools,
    ListResources,
    ListResourceTemplates,
    ListPrompts,
    ReadResource { uri: String },
    Subscribe { uri: String },
    Unsubscribe { uri: String },
    GetPrompt { name: String, arguments: String },
    Complete { reference: String, argument: String },
    SetLogLevel { level: String },
    Ping,
    Other { method: String, params: String },
}

impl Request {
    fn make(&self, client: &mut Client, now: Tick, options: CallOptions) -> Result<CallId, Misuse> {
        match self {
            Self::CallTool { name, arguments } => client.call_tool(now, name, arguments, options),
            Self::ListTools => client.list_tools(now, options),
            Self::ListResources => client.list_resources(now, options),
            Self::ListResourceTemplates => client.list_resource_templates(now, options),
            Self::ListPrompts => client.list_prompts(now, options),
            Self::ReadResource { uri } => client.read_resource(now, uri, options),
            Self::Subscribe { uri } => client.subscribe(now, uri, options),
            Self::Unsubscribe { uri } => client.unsubscribe(now, uri, options),
            Self::GetPrompt { name, arguments } => client.get_prompt(now, name, arguments, options),
            Self::Complete { reference, argument } => client.complete(now, reference, argument, options),
            Self::SetLogLevel { level } => client.set_log_level(now, level, options),
            Self::Ping => client.ping(now, options),
            Self::Other { method, params } => client.request(now, method, params, options),
        }
    }
}

/// A call that waits for its outcome.
struct Pending {
    ticket: u64,
    on_progress: Option<ProgressSink>,
    reply: oneshot::Sender<Result<Answer, Error>>,
}

/// What one turn of the loop brought.
enum Turn {
    Read(io::Result<usize>),
    Errors(io::Result<usize>),
    Wrote(io::Result<usize>),
    Command(Option<Command>),
    Exited(Option<ExitStatus>),
    Woke,
}

/// Owns a client and the process it talks to.
pub(crate) struct Driver {
    client: Client,
    server: Server,
    commands: mpsc::UnboundedReceiver<Command>,
    ready: Option<oneshot::Sender<Handshake>>,
    on_event: Option<EventSink>,
    shared: Arc<Shared>,
    trace: Option<Trace>,
    streams: Streams,
    origin: Instant,
    opened_after: Option<Duration>,
    calls: BTreeMap<CallId, Pending>,
    violations: ViolationLog,
    errors: ErrorLog,
}

/// The process's streams and what is on its way through them.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is the state of one stream")]
struct Streams {
    process: Option<Process>,
    output_is_open: bool,
    errors_are_open: bool,
    exit_is_seen: bool,
    /// What is to be written, and how much of it was.
    outbox: Vec<u8>,
    written: usize,
    input_closes: bool,
    inbox: Vec<u8>,
    errors: Vec<u8>,
    /// The next wake-up. It may be earlier than needed: waking early does nothing, re-arming costs.
    alarm: Option<Pin<Box<Sleep>>>,
    alarm_at: Option<Tick>,
}

impl Driver {
    pub(crate) fn new(
        server: Server,
        options: Options,
        commands: mpsc::UnboundedReceiver<Command>,
        ready: oneshot::Sender<Handshake>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            client: Client::new(options.client),
            commands,
            ready: Some(ready),
            on_event: options.on_event,
            shared,
            trace: options.trace,
            streams: Streams::default(),
            origin: Instant::now(),
            opened_after: None,
            calls: BTreeMap::new(),
            violations: ViolationLog::new(server.name()),
            errors: ErrorLog::new(server.name()),
            server,
        }
    }

    /// Waits for the start, then turns until nothing is left of the server.
    ///
    /// Until then the client is parked: if it is never started, nothing was ever opened.
    pub(crate) async fn run_after(mut self, started: oneshot::Receiver<()>) {
        tokio::select! {
            biased;
            Ok(()) = started => {
                self.origin = Instant::now();
                // A parked client connects.
                let _ = self.client.connect(Tick::ZERO);
            }
            command = self.commands.recv() => self.command(command, Tick::ZERO),
            else => {}
        }
        self.run().await;
    }

    async fn run(mut self) {
        let mut now = Tick::ZERO;
        loop {
            if self.client.poll_timeout().is_some_and(|due| due <= now) {
                self.client.handle_timeout(now);
            }
            self.carry_out(now);
            self.write_now(now).await;
            if self.client.state() == State::Retired {
                return self.retire();
            }
            self.streams.arm(self.client.poll_timeout(), self.origin);
            let turn = self.streams.next(&mut self.commands).await;
            now = self.now();
            self.take(turn, now);
        }
    }

    fn now(&self) -> Tick {
        Tick::from_millis(u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn take(&mut self, turn: Turn, now: Tick) {
        match turn {
            Turn::Read(Ok(0) | Err(_)) => {
                self.streams.output_is_open = false;
                self.note("closed", &[], now);
                self.client.handle_eof(now);
            }
            Turn::Read(Ok(_)) => {
                let inbox = std::mem::take(&mut self.streams.inbox);
                self.note("received", &inbox, now);
                self.client.handle_bytes(now, &inbox);
                self.streams.inbox = inbox;
            }
            Turn::Errors(result) => self.take_errors(&result, now),
            Turn::Wrote(result) => self.take_written(result, now),
            Turn::Command(command) => {
                self.command(command, now);
            }
            Turn::Exited(status) => self.take_exit(status, now),
            Turn::Woke => self.streams.alarm_at = None,
        }
        self.take_commands(now);
    }

    fn take_errors(&mut self, result: &io::Result<usize>, now: Tick) {
        if matches!(result, Ok(0) | Err(_)) {
            self.streams.errors_are_open = false;
            return;
        }
        let errors = std::mem::take(&mut self.streams.errors);
        self.note("stderr", &errors, now);
        self.client.handle_stderr(&errors);
        self.errors.take(&errors);
        self.streams.errors = errors;
    }

    fn take_written(&mut self, result: io::Result<usize>, now: Tick) {
        match result {
            Ok(bytes) if bytes > 0 => self.streams.advance(bytes),
            failed => {
                self.streams.close_input();
                let error = failed.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into());
                self.client.handle_write_failed(now, &error.to_string());
            }
        }
    }

    fn take_exit(&mut self, status: Option<ExitStatus>, now: Tick) {
        self.streams.exit_is_seen = true;
        if let Some(trace) = &mut self.trace {
            trace.exited(now, status);
        }
        match status {
            Some(status) => self.client.handle_exited(now, status),
            None => self.client.handle_exit_lost(now),
        }
        // The client's first answer to an exit is to end what is left of the group.
        self.carry_out(now);
        if let Some(process) = &mut self.streams.process {
            process.group.reap();
        }
    }

    /// Takes the commands that are there already, so that their messages leave in one write.
    fn take_commands(&mut self, now: Tick) {
        for _ in 0..MAX_COMMANDS_A_TURN {
            if self.streams.outbox.len() > MAX_OUTBOX_BYTES {
                return;
            }
            match self.commands.try_recv() {
                Ok(command) => self.command(Some(command), now),
                Err(_) => return,
            }
            self.carry_out(now);
        }
    }

    fn command(&mut self, command: Option<Command>, now: Tick) {
        match command {
            Some(Command::Call(order)) => self.order(order, now),
            Some(Command::Cancel { ticket }) => {
                // Only a caller that gave up takes this way, so a search will do.
                if let Some(call) =
                    self.calls.iter().find(|(_, pending)| pending.ticket == ticket).map(|(id, _)| *id)
                {
                    self.client.cancel(now, call);
                }
            }
            Some(Command::AnswerAsk { ask, answer, reply }) => {
                // Whoever answered may be gone; the answer counts all the same.
                let _ = reply.send(self.client.answer_ask(&ask, answer.as_ref()));
            }
            Some(Command::Inspect { reply }) => {
                let _ = reply.send(Inspection::of(&self.client, self.opened_after));
            }
            // Without handles nobody can want anything any more.
            Some(Command::Shutdown) | None => self.client.shutdown(now),
        }
    }

    fn order(&mut self, order: Order, now: Tick) {
        match order.request.make(&mut self.client, now, order.options) {
            Ok(call) => {
                let Order { ticket, on_progress, reply, .. } = order;
                self.calls.insert(call, Pending { ticket, on_progress, reply });
            }
            Err(misuse) => {
                let _ = order.reply.send(Err(Error::Misuse(misuse)));
            }
        }
    }

    /// Does everything that the client wants done.
    fn carry_out(&mut self, now: Tick) {
        while let Some(effect) = self.client.poll_effect() {
            match effect {
                Effect::Open => self.open(),
                Effect::Send(bytes) => {
                    self.note("sent", &bytes, now);
                    self.streams.push(bytes);
                }
                Effect::CloseInput => self.streams.input_closes = true,
                Effect::Terminate => self.signal(process_terminate),
                Effect::Kill => self.signal(process_kill),
                Effect::Event(event) => self.event(event, now),
            }
        }
    }

    fn open(&mut self) {
        match process::start(&self.server) {
            Ok(process) => {
                self.streams.open(process);
                self.opened_after = Some(self.origin.elapsed());
                self.client.handle_opened(self.now());
            }
            Err(error) => self.client.handle_open_failed(self.now(), error),
        }
    }

    fn signal(&mut self, signal: fn(&Process)) {
        // A server that is signalled has had its time to read what was written.
        self.streams.close_input();
        if let Some(process) = &self.streams.process {
            signal(process);
        }
    }

    fn event(&mut self, event: Event, now: Tick) {
        if let Some(on_event) = &self.on_event {
            on_event(&event);
        }
        match event {
            Event::Settled { call, outcome } => {
                if let Some(pending) = self.calls.remove(&call) {
                    // The caller may have given up.
                    let _ = pending.reply.send(outcome.map_err(Error::from));
                }
            }
            Event::Progressed { call, progress } => {
                if let Some(on_progress) =
                    self.calls.get_mut(&call).and_then(|call| call.on_progress.as_mut())
                {
                    on_progress(progress);
                }
            }
            Event::Ready(handshake) => {
                tracing::debug!(server = self.server.name(), revision = %handshake.revision, "ready");
                if let Some(ready) = self.ready.take() {
                    let _ = ready.send(handshake);
                }
            }
            Event::PeerViolated(violation) => self.violations.take(&violation, now),
            Event::Closed(reason) => {
                tracing::debug!(server = self.server.name(), %reason, "closed");
                self.shared.close(reason);
            }
            Event::Retired(evidence) => self.shared.retire(evidence),
            _ => {}
        }
    }

    /// Writes what can be written without waiting.
    async fn write_now(&mut self, now: Tick) {
        while self.streams.has_outbox() {
            let Some(result) = self.streams.try_write().await else { break };
            self.take_written(result, now);
        }
        if self.streams.input_closes && !self.streams.has_outbox() {
            self.streams.close_input();
        }
    }

    fn note(&mut self, what: &'static str, bytes: &[u8], now: Tick) {
        if let Some(trace) = &mut self.trace {
            trace.bytes(now, what, bytes);
        }
    }

    /// Settles what is left once the server is gone, and says so to whoever waits for it.
    fn retire(mut self) {
        while let Some(Ok(1..)) = self.streams.try_read_errors() {
            self.take_errors(&Ok(1), self.now());
        }
        self.shared.finish(self.client.stderr_tail());
        // What was ordered meanwhile is answered like any call that comes too late.
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            let now = self.now();
            self.command(Some(command), now);
            self.carry_out(now);
        }
    }
}

fn process_terminate(process: &Process) {
    process.group.terminate();
}

fn process_kill(process: &Process) {
    process.group.kill();
}

impl Streams {
    fn open(&mut self, process: Process) {
        self.process = Some(process);
        self.output_is_open = true;
        self.errors_are_open = true;
        self.inbox.reserve(READ_BYTES);
        self.errors.reserve(READ_BYTES / 8);
    }

    fn push(&mut self, bytes: Vec<u8>) {
        if self.outbox.is_empty() {
            self.outbox = bytes;
        } else {
            self.outbox.extend_from_slice(&bytes);
        }
    }

    const fn has_outbox(&self) -> bool {
        self.written < self.outbox.len()
    }

    fn advance(&mut self, bytes: usize) {
        self.written += bytes;
        if self.written >= self.outbox.len() {
            self.outbox.clear();
            self.written = 0;
        } else if self.written >= MAX_OUTBOX_BYTES / 4 {
            self.outbox.drain(..self.written);
            self.written = 0;
        }
    }

    fn close_input(&mut self) {
        self.outbox = Vec::new();
        self.written = 0;
        if let Some(process) = &mut self.process {
            process.input = None;
        }
    }

    /// Wakes the loop at `due` at the latest.
    fn arm(&mut self, due: Option<Tick>, origin: Instant) {
        let Some(due) = due else { return };
        if self.alarm_at.is_some_and(|at| at <= due) {
            return;
        }
        let at = origin + Duration::from_millis(due.as_millis().min(MAX_ALARM_MILLIS));
        match &mut self.alarm {
            Some(alarm) => alarm.as_mut().reset(at.into()),
            None => self.alarm = Some(Box::pin(tokio::time::sleep_until(at.into()))),
        }
        self.alarm_at = Some(due);
    }

    /// Writes once, if that is possible now.
    async fn try_write(&mut self) -> Option<io::Result<usize>> {
        let Self { process, outbox, written, .. } = self;
        let input = process.as_mut()?.input.as_mut()?;
        let rest = outbox.get(*written..).unwrap_or_default();
        poll_fn(|context| match Pin::new(&mut *input).poll_write(context, rest) {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    /// Reads diagnostics once, if some are there.
    fn try_read_errors(&mut self) -> Option<io::Result<usize>> {
        let Self { process, errors, .. } = self;
        let stream = &mut process.as_mut()?.errors;
        errors.clear();
        let mut read = std::pin::pin!(stream.read_buf(errors));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match read.as_mut().poll(&mut context) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }

    /// Waits for the next thing that the world does.
    async fn next(&mut self, commands: &mut mpsc::UnboundedReceiver<Command>) -> Turn {
        let has_outbox = self.has_outbox();
        let queued = self.outbox.len() - self.written;
        let Self { process, inbox, errors, outbox, written, alarm, alarm_at, .. } = self;
        let reads = self.output_is_open && queued <= MAX_ANSWER_BYTES;
        let Some(process) = process else {
            // Nothing was opened: only a command or a deadline can change that.
            return tokio::select! {
                command = commands.recv() => Turn::Command(command),
                () = wake(alarm), if alarm_at.is_some() => Turn::Woke,
            };
        };
        tokio::select! {
            biased;
            result = read(&mut process.output, inbox), if reads => Turn::Read(result),
            command = commands.recv(), if queued <= MAX_OUTBOX_BYTES => Turn::Command(command),
            result = write(&mut process.input, outbox.get(*written..).unwrap_or_default()), if has_outbox => {
                Turn::Wrote(result)
            }
            result = read(&mut process.errors, errors), if self.errors_are_open => Turn::Errors(result),
            status = process.exit.seen(), if !self.exit_is_seen => Turn::Exited(status),
            () = wake(alarm), if alarm_at.is_some() => Turn::Woke,
        }
    }
}

/// A hundred years: farther alarms overflow the clock of some systems.
const MAX_ALARM_MILLIS: u64 = 100 * 365 * 24 * 60 * 60 * 1_000;

async fn read(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<usize> {
    buffer.clear();
    stream.read_buf(buffer).await
}

async fn write(stream: &mut Option<impl AsyncWrite + Unpin>, bytes: &[u8]) -> io::Result<usize> {
    match stream {
        Some(stream) => poll_fn(|context| Pin::new(&mut *stream).poll_write(context, bytes)).await,
        None => pending().await,
    }
}

async fn wake(alarm: &mut Option<Pin<Box<Sleep>>>) {
    match alarm {
        Some(alarm) => alarm.await,
        None => pending().await,
    }
}

impl Shared {
    fn close(&self, reason: Reason) {
        // The first reason is the one that counts.
        let _ = self.reason.set(reason);
    }

    fn retire(&self, evidence: Result<Evidence, RetirementError>) {
        let _ = self.retirement.set(evidence);
    }

    fn finish(&self, stderr_tail: String) {
        let _ = self.stderr_tail.set(stderr_tail);
        self.retired.send_replace(true);
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}
