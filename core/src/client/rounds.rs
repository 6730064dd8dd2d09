//! Calls that a modern server completes in several rounds: it answers with questions, the application answers
//! those, and the call is made again with the answers (2026-07-28 `basic/patterns/mrtr`).

use alloc::{
    borrow::ToOwned,
    boxed::Box,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    AnswerFault, AskId, Asked, CallError, CallId, Client, Event, Offered, Purpose, Tag, answers::wrong_shape,
    calls::Extra, config::Excess,
};
use crate::{
    Tick, Violation,
    json::{RawJson, push_compact},
    jsonrpc::{Id, RpcError},
    map::BTreeSet,
    protocol::{LogLevel, Need, Needs, Outcome},
    requests::{Lease, Waiting},
};

/// The calls that are made again by themselves, and when.
pub(super) type Paced = BTreeSet<(Tick, u64)>;

/// What it takes to make a call again: the one copy of its parameters.
#[derive(Debug)]
pub(super) struct Again {
    method: &'static str,
    members: String,
    added: String,
    log_level: Option<LogLevel>,
    progress: bool,
    /// How often it was made again.
    rounds: usize,
    /// The round whose answers are awaited; `None` while the server has the call.
    round: Option<Round>,
}

/// What a server wants to know before it goes on.
#[derive(Debug)]
struct Round {
    questions: Vec<Question>,
    /// The server named questions, if perhaps none.
    has_requests: bool,
    /// What is sent back untouched, as JSON text.
    state: Option<String>,
    /// When the call is made again, where nothing is asked.
    due: Option<Tick>,
}

#[derive(Debug)]
struct Question {
    ask: AskId,
    /// The server's key, as JSON text.
    key: String,
    answer: Option<String>,
}

impl Again {
    pub(super) fn new(method: &'static str, members: &str, extra: Extra<'_>) -> Self {
        let Extra { progress, log_level, added } = extra;
        let (members, added) = (members.to_owned(), added.to_owned());
        Self { method, members, added, log_level, progress, rounds: 0, round: None }
    }

    /// Returns whether the call was made once only.
    pub(super) const fn is_first(&self) -> bool {
        self.rounds == 0
    }
}

impl Tag {
    pub(super) const fn new(call: CallId, purpose: Purpose, generation: u64) -> Self {
        Self { call, purpose, again: None, generation, progress: None }
    }

    /// Returns whether the server knows of this request: between two rounds it does not yet.
    pub(super) fn is_sent(&self) -> bool {
        self.again.as_ref().is_none_or(|again| again.round.is_none())
    }
}

impl Client {
    /// The server answers a call with what it needs to go on.
    pub(super) fn input_required(&mut self, waiting: Waiting<Tag>, outcome: &Outcome, raw: RawJson) {
        let lease = waiting.lease();
        let mut tag = waiting.tag;
        let Some(mut again) = tag.again.take() else {
            let violation = Violation::QuestionsNotAllowed { method: tag.purpose.method() };
            self.violated(violation.clone());
            return self.fail(&tag, malformed(AnswerFault::Questions(violation), raw));
        };
        let needs = match outcome.needs(&raw, self.config.limits.max_asks) {
            Ok(needs) => needs,
            Err(fault) => return self.fail(&tag, wrong_shape((fault, raw))),
        };
        let questions = match self.check_needs(&needs) {
            Ok(questions) => questions,
            Err((violation, fault)) => {
                self.violated(violation);
                return self.fail(&tag, malformed(fault, raw));
            }
        };
        let limit = self.config.limits.max_rounds;
        if again.rounds >= limit {
            return self.fail(&tag, CallError::TooManyRounds { limit });
        }
        again.rounds += 1;
        self.open_round(lease, tag, again, &needs, &questions);
    }

    /// Checks that all questions are of kinds that were offered, and not too many.
    fn check_needs(&self, needs: &Needs<'_>) -> Result<Vec<Offered>, (Violation, AnswerFault)> {
        let limit = self.config.limits.max_asks;
        if self.requests.asks() + needs.requests.len() > limit {
            let violation = Violation::TooManyAsks { limit };
            return Err((violation.clone(), AnswerFault::Questions(violation)));
        }
        let check = |need: &Need<'_>| {
            let what = Offered::of(&need.method).ok_or(Excess::Kind);
            let excess =
                match what.and_then(|what| self.config.offers.check(what, need.params).map(|()| what)) {
                    Ok(what) => return Ok(what),
                    Err(Excess::Kind) => Violation::MethodNotOffered,
                    Err(Excess::Way) => Violation::WayNotOffered,
                };
            let limit = self.config.limits.max_method_bytes;
            let method = if need.method.len() > limit { "a method of absurd length" } else { &need.method };
            Err((excess, AnswerFault::NotOffered(method.to_owned())))
        };
        needs.requests.iter().map(check).collect()
    }

    /// Holds the call under the id of its next request, and asks the application.
    fn open_round(
        &mut self,
        lease: Lease,
        mut tag: Tag,
        mut again: Box<Again>,
        needs: &Needs<'_>,
        kinds: &[Offered],
    ) {
        let id = self.requests.mint();
        let mut questions = Vec::new();
        let mut events = Vec::new();
        for (need, what) in needs.requests.iter().zip(kinds) {
            // A modern server has no requests of its own, so the ids of its questions can be ours.
            let ask = AskId(Id::from_integer(self.requests.mint().cast_signed()));
            self.requests.ask(ask.0.clone(), Asked { what: *what, call: Some(id) });
            events.push(Event::Asked { ask: ask.clone(), what: *what, params: need.params.to_raw() });
            let mut key = String::new();
            need.key.push_to(&mut key);
            questions.push(Question { ask, key, answer: None });
        }
        let due = questions.is_empty().then(|| self.now.after(self.config.retry_interval));
        self.paced.extend(due.map(|due| (due, id)));
        let state = needs.state.map(ToString::to_string);
        again.round = Some(Round { questions, has_requests: needs.has_requests, state, due });
        tag.again = Some(again);
        // The next request has a token of its own, and its progress begins anew.
        tag.progress = None;
        self.requests.hold(id, lease, tag);
        for event in events {
            self.tell(event);
        }
    }

    /// The application has answered a question of a round.
    ///
    /// An error ends the call with it: the revision knows no way to decline but not to make the call again.
    pub(super) fn round_answered(
        &mut self,
        id: u64,
        ask: &AskId,
        what: Offered,
        answer: Result<&RawJson, &RpcError>,
    ) {
        match answer {
            Ok(result) if self.keep_answer(id, ask, result) => self.make_again(id),
            Ok(_) => {}
            Err(error) => {
                let Some(waiting) = self.requests.take(id) else { return };
                self.fail(&waiting.tag, CallError::AskRefused { what, error: error.clone() });
                self.abandon(id, &waiting.tag);
            }
        }
    }

    /// Keeps an answer; returns whether it was the last one of its round.
    fn keep_answer(&mut self, id: u64, ask: &AskId, result: &RawJson) -> bool {
        let again = self.requests.get_mut(id).and_then(|tag| tag.again.as_mut());
        let Some(round) = again.and_then(|again| again.round.as_mut()) else { return false };
        if let Some(question) = round.questions.iter_mut().find(|question| question.ask == *ask) {
            question.answer = Some(result.as_str().to_owned());
        }
        round.questions.iter().all(|question| question.answer.is_some())
    }

    /// Makes the calls again whose servers want nothing but that.
    pub(super) fn expire_paced(&mut self, now: Tick) {
        while let Some((_, id)) = self.paced.first().copied().filter(|(due, _)| *due <= now) {
            self.paced.pop_first();
            self.make_again(id);
        }
    }

    /// Sends the next request of a call: the first one under another id, with the answers and the state.
    fn make_again(&mut self, id: u64) {
        let Some(waiting) = self.requests.take(id) else { return };
        let lease = waiting.lease();
        let mut tag = waiting.tag;
        let Some(again) = tag.again.as_mut() else { return };
        let Some(round) = again.round.take() else { return };
        let extra = Extra { progress: again.progress, log_level: again.log_level, added: &again.added };
        let encoded = self.encode(id, again.method, extra, &|out| {
            out.push_str(&again.members);
            round.push_to(out);
        });
        if let Ok((message, _)) = encoded {
            self.requests.resume(self.now, id, lease, tag);
            self.send(message);
        } else {
            let limit = self.config.limits.max_message_bytes;
            self.fail(&tag, CallError::TooLarge { limit });
        }
    }

    /// Takes back what was asked for the sake of a call that has ended.
    pub(super) fn abandon(&mut self, id: u64, tag: &Tag) {
        let Some(round) = tag.again.as_ref().and_then(|again| again.round.as_ref()) else { return };
        if let Some(due) = round.due {
            self.paced.remove(&(due, id));
        }
        for question in &round.questions {
            if self.requests.answer(&question.ask.0).is_some() {
                self.tell(Event::AskWithdrawn { ask: question.ask.clone() });
            }
        }
    }
}

impl Round {
    /// Appends the members that the answers of this round are.
    fn push_to(&self, out: &mut String) {
        if self.has_requests {
            out.push_str(",\"inputResponses\":{");
            for (at, question) in self.questions.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&question.key);
                out.push(':');
                push_compact(out, question.answer.as_deref().unwrap_or("{}"));
            }
            out.push('}');
        }
        if let Some(state) = &self.state {
            out.push_str(",\"requestState\":");
            out.push_str(state);
        }
    }
}

fn malformed(fault: AnswerFault, raw: RawJson) -> CallError {
    CallError::Malformed { fault, raw: Some(raw) }
}
