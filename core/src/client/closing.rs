//! The end of a session: settling what waits, then the ladder that retires the server.

use alloc::string::{String, ToString};

use super::{
    AskId, CallError, Client, Effect, Event, Evidence, ExitStatus, OpenError, Reason, RetirementError, State,
    Trigger, changes::Changes,
};
use crate::{Tick, frame::Framer, jsonrpc};

/// How far the end of a session has come.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// The host has started the server, so there is an end to be seen.
    pub(super) is_opened: bool,
    /// Why the session ended; set once.
    reason: Option<Reason>,
    /// The server's output or input has ended, or the server itself: the session ends at this tick at the
    /// latest. Until then the other witnesses may arrive, and answers that are still on their way.
    drain_due: Option<Tick>,
    output_ended: bool,
    exited: Option<ExitStatus>,
    input_error: Option<String>,
    rung: Rung,
    rung_due: Option<Tick>,
    /// How the server ended that this one was started in place of.
    replaced: Option<ExitStatus>,
}

/// The rungs of the ladder, each given its time before the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rung {
    #[default]
    Open,
    InputClosed,
    Terminated,
    Killed,
}

impl Ending {
    pub(super) const fn reason(&self) -> Option<&Reason> {
        self.reason.as_ref()
    }

    pub(super) const fn input_is_open(&self) -> bool {
        matches!(self.rung, Rung::Open) && self.input_error.is_none()
    }

    /// Returns whether this is the second server.
    pub(super) const fn was_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    pub(super) fn poll_timeout(&self) -> Option<Tick> {
        self.drain_due.into_iter().chain(self.rung_due).min()
    }

    /// Returns why the session ends when its streams do: the plainest cause that is known.
    fn cause(&mut self) -> Reason {
        match (self.exited, self.output_ended, self.input_error.take()) {
            (Some(status), _, _) => Reason::Exited(status),
            (None, true, _) | (None, _, None) => Reason::OutputClosed,
            (None, false, Some(error)) => Reason::InputClosed(error),
        }
    }
}

impl Client {
    /// Ends the session with the first reason given; later ones change nothing.
    pub(super) fn end(&mut self, reason: Reason) {
        let was_parked = self.state == State::Parked;
        if !self.advance(Trigger::End) {
            return;
        }
        self.ending.drain_due = None;
        self.handshake_due = None;
        self.probe_due = None;
        self.changes = Changes::default();
        self.forget_listens();
        self.paced.clear();
        if self.config.farewell && !self.is_modern() && self.handshake.is_some() && reason == Reason::ShutDown
        {
            self.say_goodbye();
        }
        self.ending.reason = Some(reason.clone());
        self.settle_all(&reason);
        let has_failed_to_open = matches!(reason, Reason::OpenFailed(_));
        self.tell(Event::Closed(reason));
        if was_parked {
            self.tell(Event::Retired(Ok(Evidence::NeverOpened)));
            return;
        }
        if has_failed_to_open {
            self.never_opened();
            return;
        }
        self.retire();
    }

    /// Begins to retire the server, where that has not begun.
    fn retire(&mut self) {
        if self.ending.rung != Rung::Open {
            return;
        }
        self.ending.rung = Rung::InputClosed;
        self.ending.rung_due = Some(self.now.after(self.config.close_grace));
        self.effects.push_back(Effect::CloseInput);
        if let Some(status) = self.ending.exited {
            self.gone(Ok(Evidence::Exited(status)));
        }
    }

    /// The server's streams have ended, or the server. One that only did not survive the question what it
    /// speaks is started anew and asked otherwise; that happens once.
    fn lost(&mut self) {
        let cause = self.ending.cause();
        if self.probe_due.is_none() || !self.advance(Trigger::Replace) {
            return self.end(cause);
        }
        self.ending.drain_due = None;
        let _ = self.forget_probe();
        self.tell(Event::Replaced(cause));
        self.retire();
    }

    /// The first server is gone, and its end was seen.
    fn reopen(&mut self, status: ExitStatus) {
        self.advance(Trigger::Gone);
        self.ending = Ending { replaced: Some(status), ..Ending::default() };
        self.framer = Framer::new(self.config.limits.max_message_bytes);
        self.effects.push_back(Effect::Open);
    }

    /// There is no server; if there was one before, its end was seen.
    fn never_opened(&mut self) {
        let evidence = self.ending.replaced.map_or(Evidence::NeverOpened, Evidence::Exited);
        self.gone(Ok(evidence));
    }

    fn settle_all(&mut self, reason: &Reason) {
        while let Some((_, waiting)) = self.requests.take_first() {
            if waiting.tag.purpose.is_call() {
                let outcome = Err(CallError::Unavailable(reason.clone()));
                self.tell(Event::Settled { call: waiting.tag.call, outcome });
            }
        }
        while let Some((id, _)) = self.requests.withdraw_first() {
            self.tell(Event::AskWithdrawn { ask: AskId(id) });
        }
    }

    /// Some servers end only on the messages of the language-server protocol.
    fn say_goodbye(&mut self) {
        let id = self.requests.mint();
        let mut message = String::new();
        jsonrpc::push_request(&mut message, id, "shutdown", |out| out.push_str("{}"));
        self.send(message);
        let mut message = String::new();
        jsonrpc::push_notification(&mut message, "exit", None);
        self.send(message);
    }

    /// The server is gone, or waiting for that has no use.
    fn gone(&mut self, evidence: Result<Evidence, RetirementError>) {
        if self.state == State::Reopening {
            if let Ok(Evidence::Exited(status)) = evidence {
                return self.reopen(status);
            }
            // Beside one that may still live, no other is started.
            let cause = self.ending.cause();
            self.end(cause);
        }
        if self.advance(Trigger::Gone) {
            self.ending.rung_due = None;
            self.tell(Event::Retired(evidence));
        }
    }

    pub(super) fn expire_ending(&mut self, now: Tick) {
        if self.ending.drain_due.is_some_and(|due| due <= now) {
            self.ending.drain_due = None;
            self.lost();
        }
        while self.ending.rung_due.is_some_and(|due| due <= now) {
            self.climb(now);
        }
    }

    fn climb(&mut self, now: Tick) {
        let (rung, effect, grace) = match self.ending.rung {
            Rung::Open => return,
            Rung::InputClosed => (Rung::Terminated, Effect::Terminate, self.config.terminate_grace),
            Rung::Terminated => (Rung::Killed, Effect::Kill, self.config.kill_grace),
            Rung::Killed => {
                let after = self.config.kill_grace;
                self.gone(Err(RetirementError::RetirementTimedOut { after }));
                return;
            }
        };
        self.ending.rung = rung;
        self.ending.rung_due = Some(now.after(grace));
        self.effects.push_back(effect);
    }

    pub(super) fn open_failed(&mut self, error: OpenError) {
        if self.state == State::Parked || self.ending.is_opened {
            return;
        }
        self.end(Reason::OpenFailed(error));
        self.never_opened();
    }

    pub(super) fn output_ended(&mut self) {
        if !self.is_open() || self.ending.output_ended {
            return;
        }
        if let Some(piece) = self.framer.finish() {
            self.piece(piece);
        }
        self.ending.output_ended = true;
        self.drain();
    }

    pub(super) fn input_failed(&mut self, error: &str) {
        if !self.is_open() || self.ending.input_error.is_some() {
            return;
        }
        self.ending.input_error = Some(error.to_string());
        self.drain();
    }

    pub(super) fn exited(&mut self, status: ExitStatus) {
        if matches!(self.state, State::Parked | State::Retired) || self.ending.exited.is_some() {
            return;
        }
        self.ending.exited = Some(status);
        // The server is gone, what it started may not be.
        self.effects.push_back(Effect::Kill);
        if self.is_over() || self.state == State::Reopening {
            self.gone(Ok(Evidence::Exited(status)));
        } else {
            self.drain();
        }
    }

    pub(super) fn exit_lost(&mut self) {
        if matches!(self.state, State::Parked | State::Retired) {
            return;
        }
        self.end(Reason::OutputClosed);
        self.effects.push_back(Effect::Kill);
        self.gone(Err(RetirementError::RetirementUnconfirmed));
    }

    /// Ends the session when all witnesses are heard, otherwise soon.
    fn drain(&mut self) {
        if self.is_over() {
            return;
        }
        if self.ending.output_ended && self.ending.exited.is_some() {
            self.lost();
        } else if self.ending.drain_due.is_none() {
            self.ending.drain_due = Some(self.now.after(self.config.drain_grace));
        }
    }

    /// Returns whether the session has begun and not ended.
    pub(super) const fn is_open(&self) -> bool {
        matches!(self.state, State::Opening | State::Negotiating | State::Ready)
    }

    pub(super) const fn is_over(&self) -> bool {
        matches!(self.state, State::Closing | State::Retired)
    }
}
