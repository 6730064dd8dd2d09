//! The loop that carries a client's effects out and brings it what the world did.

mod asks;
mod order;
mod retirement;
mod streams;

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use selvedge_core::{
    Client, Misuse, Tick,
    client::{
        Answer, CallError, CallId, Effect, Event, Evidence, ExitStatus, Reason, RetirementError, State,
    },
    jsonrpc::{RpcError, code},
    protocol::Handshake,
};
use tokio::sync::{mpsc::error::TryRecvError, oneshot};

use crate::{
    connection::{Error, EventSink, Inspection, Options, Shared},
    log::{ErrorLog, ViolationLog},
    process::{self, Process, Server, Stragglers},
    trace::Trace,
};
use asks::{Answered, Asks};
use streams::{Streams, Turn};

pub(crate) use order::{Command, Inbox, Order, ProgressSink, Request, Timeouts};

/// The outbound queue: past it calls wait for their turn.
const MAX_OUTBOX_BYTES: usize = 4 << 20;
/// How many orders are taken before the loop turns to its streams again.
const MAX_ORDERS_A_TURN: usize = 256;

/// A call that waits for its outcome.
struct Pending {
    ticket: u64,
    on_progress: Option<ProgressSink>,
    reply: oneshot::Sender<Result<Answer, Error>>,
}

/// Owns a client and the process it talks to.
pub(crate) struct Driver {
    client: Client,
    server: Server,
    inbox: Inbox,
    ready: Option<oneshot::Sender<Handshake>>,
    on_event: Option<EventSink>,
    asks: Asks,
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
    /// The ends of processes that are under way.
    retiring: Vec<oneshot::Receiver<Stragglers>>,
    retirement: Option<Result<Evidence, RetirementError>>,
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
            asks: Asks::new(options.handlers),
            shared,
            trace: options.trace,
            streams: Streams::default(),
            origin: Instant::now(),
            opened_after: None,
            calls: BTreeMap::new(),
            held: VecDeque::new(),
            violations: ViolationLog::new(server.name()),
            errors: ErrorLog::new(server.name()),
            retiring: Vec::new(),
            retirement: None,
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
                return self.retire().await;
            }
            let held = self.held.iter().map(|(due, _)| *due).min();
            self.streams.arm(self.client.poll_timeout().into_iter().chain(held).min(), self.origin);
            let turn = match self.streams.read_soon(self.client.calls_in_flight()) {
                Some(read) => Turn::Read(read),
                None => self.streams.next(&mut self.inbox, &mut self.asks).await,
            };
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
            Turn::Answered(answered) => self.answered(&answered, now),
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
    }

    /// A handler has answered a question.
    fn answered(&mut self, answered: &Answered, now: Tick) {
        let Answered { ask, answer } = answered;
        if let Err(Misuse::NotAnObject { .. }) = self.client.answer_ask(now, ask, answer.as_ref()) {
            let error = RpcError::new(code::INTERNAL_ERROR, "the answer is not an object");
            // The question was there a moment ago.
            let _ = self.client.answer_ask(now, ask, Err(&error));
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
        let due = now.after(self.patience(&order));
        self.held.push_back((due, order));
    }

    /// Returns how long a call may wait for its turn.
    fn patience(&self, order: &Order) -> Duration {
        let default = self.client.config().patience;
        order.options(default).patience.unwrap_or(default).total
    }

    /// Gives up on the calls that waited too long for their turn.
    fn expire_held(&mut self, now: Tick) {
        for (due, order) in std::mem::take(&mut self.held) {
            if due > now {
                self.held.push_back((due, order));
                continue;
            }
            let after = self.patience(&order);
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
                let _ = reply.send(self.client.answer_ask(now, &ask, answer.as_ref()));
            }
            Some(Command::StopListening { listen, reply }) => {
                let _ = reply.send(self.client.stop_listening(now, listen));
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
        let options = order.options(self.client.config().patience);
        match order.request.make(&mut self.client, now, options) {
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
        if self.streams.process.is_some() {
            // What is left of a server that is replaced: its last words, and what it started.
            self.drain_errors();
            self.retire_process();
            self.streams.reset();
        }
        match process::start(&self.server) {
            Ok(process) => {
                self.streams.open(process);
                self.opened_after = Some(self.origin.elapsed());
                self.client.handle_opened(self.now());
            }
            Err(error) => self.client.handle_open_failed(self.now(), error),
        }
    }

    fn signal(&mut self, signal: fn(&mut Process)) {
        // A server that is signalled has had its time to read what was written.
        self.streams.close_input();
        if let Some(process) = &mut self.streams.process {
            signal(process);
        }
    }

    fn event(&mut self, event: Event, now: Tick) {
        if let Event::Retired(retirement) = event {
            // It is told once what the server started is gone, too.
            self.retirement = Some(retirement);
            return;
        }
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
            Event::Asked { ask, what, params } => self.asks.ask(ask, what, params),
            Event::AskWithdrawn { ask } => self.asks.withdraw(&ask),
            Event::Replaced(cause) => {
                tracing::debug!(server = self.server.name(), %cause, "started anew to be asked otherwise");
            }
            Event::PeerViolated(violation) => self.violations.take(&violation, now),
            Event::Closed(reason) => {
                tracing::debug!(server = self.server.name(), %reason, "closed");
                self.shared.close(reason);
            }
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
            if let Some(surveyed) = self.streams.survey() {
                surveyed.await;
            }
            self.streams.close_input();
        }
    }

    fn note(&mut self, what: &'static str, bytes: &[u8], now: Tick) {
        if let Some(trace) = &mut self.trace {
            trace.bytes(now, what, bytes);
        }
    }

    /// Takes the diagnostics that are there already.
    fn drain_errors(&mut self) {
        while let Some(Ok(1..)) = self.streams.try_read_errors() {
            self.take_errors(&Ok(1), self.now());
        }
    }
}

fn process_terminate(process: &mut Process) {
    process.group.terminate();
}

fn process_kill(process: &mut Process) {
    process.group.kill();
}

impl Shared {
    fn close(&self, reason: Reason) {
        // The first reason is the one that counts.
        let _ = self.reason.set(reason);
    }

    fn retire(&self, retirement: Result<Evidence, RetirementError>, stragglers: usize) {
        let _ = self.stragglers.set(stragglers);
        let _ = self.retirement.set(retirement);
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
