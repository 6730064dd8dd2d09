//! The loop that carries a client's effects out and brings it what the world did.

use std::{
    collections::{BTreeMap, VecDeque},
    future::{Future, pending, poll_fn},
    io,
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use selvedge_core::{
    Client, Misuse, Patience, Tick,
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
    sync::{mpsc, mpsc::error::TryRecvError, oneshot},
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
/// The outbound queue: past it calls wait for their turn.
const MAX_OUTBOX_BYTES: usize = 4 << 20;
/// Past this, nothing is read either: what the server asks must not pile up answers that it does not read.
const MAX_ANSWER_BYTES: usize = MAX_OUTBOX_BYTES + (1 << 20);
/// How many orders are taken before the loop turns to its streams again.
const MAX_ORDERS_A_TURN: usize = 256;

/// What the application wants of a connection, beside calls. It takes its own way, past the calls that wait
/// for their turn.
pub(crate) enum Command {
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
    Order(Order),
    Exited(Option<ExitStatus>),
    Woke,
}

/// What comes from the application.
pub(crate) struct Inbox {
    pub(crate) orders: mpsc::UnboundedReceiver<Order>,
    pub(crate) commands: mpsc::UnboundedReceiver<Command>,
    /// Somebody has a handle that could still say something.
    pub(crate) is_open: bool,
}

/// Owns a client and the process it talks to.
pub(crate) struct Driver {
    client: Client,
    server: Server,
    inbox: Inbox,
    ready: Option<oneshot::Sender<Handshake>>,
    on_event: Option<EventSink>,
    shared: Arc<Shared>,
    trace: Option<Trace>,
    streams: Streams,
    origin: Instant,
    opened_after: Option<Duration>,
    calls: BTreeMap<CallId, Pending>,
    /// The orders that wait until the server has read what is queued, and until when they do.
    held: VecDeque<(Tick, Order)>,
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
    /// What was read last.
    output: Vec<u8>,
    errors: Vec<u8>,
    /// The next wake-up. It may be earlier than needed: waking early does nothing, re-arming costs.
    alarm: Option<Pin<Box<Sleep>>>,
    alarm_at: Option<Tick>,
}

impl Driver {
    pub(crate) fn new(
        server: Server,
        options: Options,
        inbox: Inbox,
        ready: oneshot::Sender<Handshake>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            client: Client::new(options.client),
            inbox,
            ready: Some(ready),
            on_event: options.on_event,
            shared,
            trace: options.trace,
            streams: Streams::default(),
            origin: Instant::now(),
            opened_after: None,
            calls: BTreeMap::new(),
            held: VecDeque::new(),
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
            command = self.inbox.commands.recv() => self.command(command, Tick::ZERO),
            else => {}
        }
        self.run().await;
    }

    async fn run(mut self) {
        let mut now = Tick::ZERO;
        loop {
            self.client.handle_timeout(now);
            self.take_waiting(now);
            self.carry_out(now);
            self.write_now(now).await;
            if self.client.state() == State::Retired {
                return self.retire();
            }
            let held = self.held.iter().map(|(due, _)| *due).min();
            self.streams.arm(self.client.poll_timeout().into_iter().chain(held).min(), self.origin);
            let turn = self.streams.next(&mut self.inbox).await;
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
                let output = std::mem::take(&mut self.streams.output);
                self.note("received", &output, now);
                self.client.handle_bytes(now, &output);
                self.streams.output = output;
            }
            Turn::Errors(result) => self.take_errors(&result, now),
            Turn::Wrote(result) => self.take_written(result, now),
            Turn::Command(command) => self.command(command, now),
            Turn::Order(order) => self.take_order(order, now),
            Turn::Exited(status) => self.take_exit(status, now),
            Turn::Woke => self.streams.alarm_at = None,
        }
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

    /// Takes what the application wants and said already, so that its messages leave in one write, and so
    /// that a server that never stops writing cannot keep it waiting.
    fn take_waiting(&mut self, now: Tick) {
        loop {
            match self.inbox.commands.try_recv() {
                Ok(command) => self.command(Some(command), now),
                Err(TryRecvError::Disconnected) if self.inbox.is_open => self.command(None, now),
                Err(_) => break,
            }
        }
        while !self.streams.is_congested()
            && let Some((_, order)) = self.held.pop_front()
        {
            self.order(order, now);
            self.carry_out(now);
        }
        for _ in 0..MAX_ORDERS_A_TURN {
            let Ok(order) = self.inbox.orders.try_recv() else { break };
            self.take_order(order, now);
            self.carry_out(now);
        }
        if self.held.iter().any(|(due, _)| *due <= now) {
            self.expire_held(now);
        }
    }

    /// Makes a call, or holds it back until the server has read what is queued.
    fn take_order(&mut self, order: Order, now: Tick) {
        if !self.streams.is_congested() && self.held.is_empty() {
            return self.order(order, now);
        }
        let due = now.after(self.patience(&order).total);
        self.held.push_back((due, order));
    }

    fn patience(&self, order: &Order) -> Patience {
        order.options.patience.unwrap_or(self.client.config().patience)
    }

    /// Gives up on the calls that waited too long for their turn.
    fn expire_held(&mut self, now: Tick) {
        for (due, order) in std::mem::take(&mut self.held) {
            if due > now {
                self.held.push_back((due, order));
                continue;
            }
            let after = self.patience(&order).total;
            // The caller may have given up.
            let _ = order.reply.send(Err(Error::Call(CallError::TimedOut { after, hint: None })));
        }
    }

    fn command(&mut self, command: Option<Command>, now: Tick) {
        match command {
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
            Some(Command::Shutdown) => self.client.shutdown(now),
            // Without handles nobody can want anything any more.
            None => {
                self.inbox.is_open = false;
                self.client.shutdown(now);
            }
        }
    }

    fn order(&mut self, order: Order, now: Tick) {
        if order.reply.is_closed() {
            // The caller gave up before it was its turn.
            return;
        }
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
        self.inbox.commands.close();
        self.inbox.orders.close();
        let now = self.now();
        while let Ok(command) = self.inbox.commands.try_recv() {
            self.command(Some(command), now);
        }
        for (_, order) in std::mem::take(&mut self.held) {
            self.order(order, now);
        }
        while let Ok(order) = self.inbox.orders.try_recv() {
            self.order(order, now);
        }
        self.carry_out(now);
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
        self.output.reserve(READ_BYTES);
        self.errors.reserve(READ_BYTES / 8);
    }

    fn push(&mut self, bytes: Vec<u8>) {
        if self.outbox.is_empty() {
            self.outbox = bytes;
        } else {
            self.outbox.extend_from_slice(&bytes);
        }
    }

    /// Returns how many bytes are to be written.
    const fn queued(&self) -> usize {
        self.outbox.len() - self.written
    }

    /// Returns whether the server is to read before more is sent.
    const fn is_congested(&self) -> bool {
        self.queued() > MAX_OUTBOX_BYTES
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
    async fn next(&mut self, inbox: &mut Inbox) -> Turn {
        let (has_outbox, queued) = (self.has_outbox(), self.queued());
        let Inbox { orders, commands, is_open } = inbox;
        let Self { process, output: read_bytes, errors, outbox, written, alarm, alarm_at, .. } = self;
        let reads = self.output_is_open && queued <= MAX_ANSWER_BYTES;
        let Some(process) = process else {
            // Nothing was opened: only a command or a deadline can change that.
            return tokio::select! {
                command = commands.recv(), if *is_open => Turn::Command(command),
                () = wake(alarm), if alarm_at.is_some() => Turn::Woke,
            };
        };
        tokio::select! {
            biased;
            result = read(&mut process.output, read_bytes), if reads => Turn::Read(result),
            command = commands.recv(), if *is_open => Turn::Command(command),
            Some(order) = orders.recv() => Turn::Order(order),
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
