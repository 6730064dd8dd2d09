//! A process's streams, what is on its way through them, and the one place where the loop waits.

use std::{
    future::{Future, pending, poll_fn},
    io,
    pin::Pin,
    task::Poll,
    time::{Duration, Instant},
};

use selvedge_core::{Tick, client::ExitStatus};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    time::Sleep,
};

use super::{
    MAX_OUTBOX_BYTES,
    asks::{Answered, Asks},
    order::{Command, Inbox, Order},
};
use crate::process::Process;

/// How much is read at once.
const READ_BYTES: usize = 256 << 10;
/// Past this, nothing is read: what the server asks must not pile up answers that it does not read.
const MAX_ANSWER_BYTES: usize = MAX_OUTBOX_BYTES + (1 << 20);
/// How long an answer is watched for: about what it takes to be woken.
const WATCH: Duration = Duration::from_micros(50);
/// A hundred years: farther alarms overflow the clock of some systems.
const MAX_ALARM_MILLIS: u64 = 100 * 365 * 24 * 60 * 60 * 1_000;

/// What one turn of the loop brought.
pub(super) enum Turn {
    Read(io::Result<usize>),
    Errors(io::Result<usize>),
    Wrote(io::Result<usize>),
    Command(Option<Command>),
    Order(Order),
    Answered(Answered),
    Exited(Option<ExitStatus>),
    Woke,
}

/// The process's streams and what is on its way through them.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is the state of one stream")]
pub(super) struct Streams {
    pub(super) process: Option<Process>,
    pub(super) output_is_open: bool,
    pub(super) errors_are_open: bool,
    pub(super) exit_is_seen: bool,
    /// What is to be written, and how much of it was.
    outbox: Vec<u8>,
    written: usize,
    pub(super) input_closes: bool,
    /// What was read last.
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
    /// The next wake-up. It may be earlier than needed: waking early does nothing, re-arming costs.
    alarm: Option<Pin<Box<Sleep>>>,
    pub(super) alarm_at: Option<Tick>,
    /// Something was written since the output was last read.
    has_written: bool,
    watch: Watch,
}

/// Whether it pays to watch the output for an answer before going to sleep.
///
/// To be woken costs more than many servers need for an answer. A server that is slower is watched ever more
/// rarely, so that it costs next to nothing.
#[derive(Debug, Default)]
struct Watch {
    /// How many calls are not watched after the next failure.
    penalty: u32,
    /// How many calls are not watched from here.
    skip: u32,
}

impl Watch {
    const MAX_PENALTY: u32 = 1_024;

    const fn is_due(&mut self) -> bool {
        if self.skip == 0 {
            return true;
        }
        self.skip -= 1;
        false
    }

    const fn paid(&mut self) {
        self.penalty = 0;
    }

    fn failed(&mut self) {
        self.penalty = (self.penalty * 2).clamp(1, Self::MAX_PENALTY);
        self.skip = self.penalty;
    }
}

impl Streams {
    pub(super) fn open(&mut self, process: Process) {
        self.process = Some(process);
        self.output_is_open = true;
        self.errors_are_open = true;
        self.output.reserve(READ_BYTES);
        self.errors.reserve(READ_BYTES / 8);
    }

    /// Lets go of a process that is gone, and of what was under way to it.
    pub(super) fn reset(&mut self) {
        let (alarm, alarm_at) = (self.alarm.take(), self.alarm_at);
        *self = Self { alarm, alarm_at, ..Self::default() };
    }

    pub(super) fn push(&mut self, bytes: Vec<u8>) {
        if self.outbox.is_empty() {
            self.outbox = bytes;
        } else {
            self.outbox.extend_from_slice(&bytes);
        }
    }

    /// Returns how many bytes are to be written.
    pub(super) const fn queued(&self) -> usize {
        self.outbox.len() - self.written
    }

    /// Returns whether the server is to read before more is sent.
    pub(super) const fn is_congested(&self) -> bool {
        self.queued() > MAX_OUTBOX_BYTES
    }

    pub(super) const fn has_outbox(&self) -> bool {
        self.written < self.outbox.len()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.has_written = true;
        self.written += bytes;
        if self.written >= self.outbox.len() {
            self.outbox.clear();
            self.written = 0;
        } else if self.written >= MAX_OUTBOX_BYTES / 4 {
            self.outbox.drain(..self.written);
            self.written = 0;
        }
    }

    pub(super) fn close_input(&mut self) {
        self.outbox = Vec::new();
        self.written = 0;
        if let Some(process) = &mut self.process {
            process.input = None;
        }
    }

    /// Notes what the server started, before the end of its input ends the server; what is returned is to be
    /// waited for.
    pub(super) fn survey(&self) -> Option<impl Future<Output = ()> + 'static> {
        let process = self.process.as_ref()?;
        process.input.as_ref().and_then(|_| process.group.survey())
    }

    /// Wakes the loop at `due` at the latest.
    pub(super) fn arm(&mut self, due: Option<Tick>, origin: Instant) {
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
    pub(super) async fn try_write(&mut self) -> Option<io::Result<usize>> {
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
    pub(super) fn try_read_errors(&mut self) -> Option<io::Result<usize>> {
        let Self { process, errors, .. } = self;
        let process = process.as_mut()?;
        if let Some(read) = process.errors_now(errors) {
            return Some(read);
        }
        let stream = &mut process.errors;
        errors.clear();
        let mut read = std::pin::pin!(stream.read_buf(errors));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match read.as_mut().poll(&mut context) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }

    /// Watches the output for the answer to the only call in flight, as long as waking up would take.
    pub(super) fn read_soon(&mut self, calls_in_flight: usize) -> Option<io::Result<usize>> {
        let is_wanted = std::mem::take(&mut self.has_written) && calls_in_flight == 1 && !self.has_outbox();
        if !is_wanted || !self.output_is_open || !self.watch.is_due() {
            return None;
        }
        let process = self.process.as_ref()?;
        let mut since = None;
        loop {
            // The server may need this very processor.
            std::thread::yield_now();
            if let Some(read) = process.read_now(&mut self.output) {
                self.watch.paid();
                return Some(read);
            }
            if since.get_or_insert_with(Instant::now).elapsed() >= WATCH {
                break;
            }
        }
        self.watch.failed();
        None
    }

    /// Waits for the next thing that the world does.
    pub(super) async fn next(&mut self, inbox: &mut Inbox, asks: &mut Asks) -> Turn {
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
            answered = asks.next() => Turn::Answered(answered),
            result = write(&mut process.input, outbox.get(*written..).unwrap_or_default()), if has_outbox => {
                Turn::Wrote(result)
            }
            result = read(&mut process.errors, errors), if self.errors_are_open => Turn::Errors(result),
            status = process.exit.seen(), if !self.exit_is_seen => Turn::Exited(status),
            () = wake(alarm), if alarm_at.is_some() => Turn::Woke,
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_server_is_watched_ever_more_rarely_and_a_fast_one_always() {
        let mut watch = Watch::default();
        let watched = (0..100_000).filter(|_| {
            let is_due = watch.is_due();
            if is_due {
                watch.failed();
            }
            is_due
        });
        let count = watched.count();
        assert!((50..150).contains(&count), "{count}");
        while !watch.is_due() {}
        watch.paid();
        for _ in 0..100 {
            assert!(watch.is_due());
            watch.paid();
        }
    }
}
