//! Requests that need answers of their client first: asked in a result (modern era), or with requests of ours
//! while the call waits (legacy era).

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use sha2::{Digest as _, Sha256};

use super::{
    Hub, Input, Peer, Question, Request, Route, ServedCall,
    asked::bad_params,
    calls::{Call, Phase},
    dispatch::Params,
    event::capabilities,
    legacy::legacy_can,
    permits::Admission,
};
use crate::{
    Misuse, Tick, Violation,
    client::Offered,
    json::{Kind, RawJson, View, name_twice, push_compact, push_string},
    jsonrpc::{self, RpcError, code},
    map::{BTreeMap, BTreeSet},
    protocol::{Era, Revision},
    requests::{Patience, Waiting},
};

/// A question that a client has not answered yet (legacy era).
#[derive(Debug)]
pub(super) struct Ask {
    peer: Peer,
    call: u64,
    key: String,
    what: Offered,
}

/// What earlier rounds of a request have brought (modern era).
#[derive(Debug, Default)]
pub(super) struct Round {
    pub(super) number: usize,
    pub(super) answers: Option<RawJson>,
    pub(super) state: Option<String>,
}

/// Returns the capability that a client needs to be asked this.
fn needed(question: &Question) -> &'static [&'static str] {
    let params = question.params.view();
    match question.what {
        Offered::Roots => &["roots"],
        Offered::Sampling if params.get("tools").is_some() => &["sampling", "tools"],
        Offered::Sampling => &["sampling"],
        Offered::Elicitation if params.get("mode").is_some_and(|mode| mode.is_str("url")) => {
            &["elicitation", "url"]
        }
        Offered::Elicitation => &["elicitation", "form"],
    }
}

impl Hub {
    /// Puts an application's questions to the client of a call.
    pub(super) fn ask_client(&mut self, call: ServedCall, input: Input) -> Result<(), Misuse> {
        let Some(own) = self.calls.get(&call.0) else { return Err(Misuse::UnknownAsk) };
        self.check_input(own, &input)?;
        let (revision, round) = (own.caller.revision, own.caller.round);
        let lacking = input.questions.iter().map(needed).find(|path| !can(own, path));
        if let Some(path) = lacking {
            let Some(own) = self.end_call(call.0) else { return Ok(()) };
            self.incapable(&own, path);
        } else if round >= self.config.limits.max_rounds {
            let limit = self.config.limits.max_rounds;
            self.fail_call(call.0, &format!("the request asked its client more than {limit} times"));
        } else {
            match revision.era() {
                Era::Modern => self.require_input(call.0, &input),
                Era::Legacy => self.request_input(call.0, input),
            }
        }
        self.admit();
        Ok(())
    }

    fn check_input(&self, call: &Call, input: &Input) -> Result<(), Misuse> {
        if matches!(call.request, Request::Complete { .. }) {
            return Err(Misuse::CannotAsk { why: "completions cannot ask" });
        }
        if input.questions.is_empty() && input.state.is_none() {
            return Err(Misuse::CannotAsk { why: "there is neither a question nor a state" });
        }
        if input.questions.iter().any(|question| question.params.view().kind() != Kind::Object) {
            return Err(Misuse::NotAnObject { what: "the parameters of a question" });
        }
        let keys: BTreeSet<_> = input.questions.iter().map(|question| &question.key).collect();
        if keys.len() < input.questions.len() {
            return Err(Misuse::CannotAsk { why: "two questions have one key" });
        }
        if call.caller.revision.era() == Era::Modern && self.config.state_key.is_none() {
            return Err(Misuse::CannotAsk { why: "the server has no key for states" });
        }
        Ok(())
    }

    /// Answers a request with what it needs; it comes again as a new one (modern era).
    fn require_input(&mut self, serial: u64, input: &Input) {
        let Some(call) = self.end_call(serial) else { return };
        let Some(key) = &self.config.state_key else { return };
        let sealed = key.seal(&self.state_text(&call, input));
        if sealed.len() > self.config.limits.max_state_bytes {
            let limit = self.config.limits.max_state_bytes;
            return self.fail(&call, &format!("the state of the request exceeds {limit} bytes"));
        }
        let mut result = String::new();
        self.push_result_head(&mut result, "input_required");
        result.push('}');
        if !input.questions.is_empty() {
            result.push_str(",\"inputRequests\":");
            for (at, question) in input.questions.iter().enumerate() {
                result.push(if at > 0 { ',' } else { '{' });
                push_string(&mut result, &question.key);
                let _ = write!(result, ":{{\"method\":\"{}\",\"params\":", question.what.method());
                push_compact(&mut result, question.params.as_str());
                result.push('}');
            }
            result.push('}');
        }
        result.push_str(",\"requestState\":");
        push_string(&mut result, &sealed);
        result.push('}');
        self.reply(call.source, &call.id, &result);
    }

    /// Writes down what must be known when the request comes again.
    fn state_text(&self, call: &Call, input: &Input) -> String {
        let due = self.now.after(self.config.state_ttl).as_millis();
        let mut text = format!("{{\"due\":{due},\"round\":{},\"of\":", call.caller.round + 1);
        push_string(&mut text, &digest(&call.request, call.caller.principal.as_deref()));
        if let Some(answers) = &call.caller.answers {
            text.push_str(",\"answers\":");
            text.push_str(answers.as_str());
        }
        if let Some(state) = &input.state {
            text.push_str(",\"state\":");
            push_string(&mut text, state);
        }
        text.push('}');
        text
    }

    /// Reads what a request of the modern era brings from its earlier rounds.
    pub(super) fn resume(
        &self,
        method: &str,
        params: &Params<'_>,
        principal: Option<&str>,
    ) -> Result<Round, RpcError> {
        if !matches!(method, "tools/call" | "prompts/get" | "resources/read") {
            return Ok(Round::default());
        }
        let mut round = match params.state.filter(|state| !state.is_null()) {
            None => Round::default(),
            Some(state) => self.open_state(method, params, principal, state)?,
        };
        let Some(responses) = params.responses.filter(|responses| !responses.is_null()) else {
            return Ok(round);
        };
        if responses.kind() != Kind::Object {
            return Err(bad_params("inputResponses", "must be an object"));
        }
        for (name, value) in responses.members() {
            if value.kind() != Kind::Object {
                let name = name.to_str();
                return Err(bad_params(&format!("inputResponses/{name}"), "must be an object"));
            }
        }
        if responses.as_str().len() > self.config.limits.max_state_bytes {
            return Err(bad_params("inputResponses", "is too large"));
        }
        round.answers = Some(merged(responses, round.answers.as_ref()));
        Ok(round)
    }

    fn open_state(
        &self,
        method: &str,
        params: &Params<'_>,
        principal: Option<&str>,
        state: View<'_>,
    ) -> Result<Round, RpcError> {
        let bad = |fault| bad_params("requestState", fault);
        let sealed = state.to_str().ok_or_else(|| bad("must be a string"))?;
        let key = self.config.state_key.as_ref();
        let text = key.and_then(|key| key.open(&sealed)).ok_or_else(|| bad("was not made by this server"))?;
        let view = View::new(&text).map_err(|_| bad("was not made by this server"))?;
        let number =
            |name| view.get(name).and_then(View::as_i64).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        if Tick::from_millis(number("due")) <= self.now {
            return Err(bad("has expired"));
        }
        let subject = params.name.or(params.uri).and_then(View::to_str).unwrap_or_default();
        let arguments = params.arguments.map_or("{}", View::as_str);
        let own = digest_of(method, &subject, arguments, principal);
        if !view.get("of").is_some_and(|of| of.is_str(&own)) {
            return Err(bad("belongs to another request"));
        }
        Ok(Round {
            number: usize::try_from(number("round")).unwrap_or(usize::MAX),
            answers: view.get("answers").map(View::to_raw),
            state: view.get("state").and_then(View::to_text),
        })
    }

    /// Asks a client with requests of ours; the call waits for the answers (legacy era).
    fn request_input(&mut self, serial: u64, input: Input) {
        let Some(call) = self.calls.get_mut(&serial) else { return };
        let (source, party) = (call.source, call.party);
        call.caller.state = input.state;
        call.caller.round += 1;
        call.phase = Phase::Asking { answers: BTreeMap::new(), left: input.questions.len() };
        let revision = call.caller.revision;
        self.permits.pause(party);
        if self.peers.get(&source.peer).is_none_or(|peer| peer.is_closed) {
            return self.fail_call(serial, "the client has closed the session");
        }
        if input.questions.is_empty() {
            return self.rerun(serial);
        }
        let patience = Patience::exactly(self.config.ask_timeout);
        for question in input.questions {
            let id = self.requests.mint();
            let mut message = String::with_capacity(question.params.as_str().len() + 96);
            jsonrpc::push_request(&mut message, id, question.what.method(), |out| {
                push_question(out, &question, revision, serial);
            });
            let ask = Ask { peer: source.peer, call: serial, key: question.key, what: question.what };
            self.requests.wait(self.now, id, patience, ask);
            self.deliver(source.peer, Route::During(source.origin), message);
        }
    }

    /// Returns whether a client is asked something with this id.
    pub(super) fn waits_for(&self, peer: Peer, id: u64) -> bool {
        self.requests.get(id).is_some_and(|ask| ask.peer == peer)
    }

    /// A client has answered a question, or something that was none.
    pub(super) fn asked_is_answered(&mut self, peer: Peer, id: u64, answer: Result<View<'_>, RpcError>) {
        if !self.waits_for(peer, id) {
            return self.violated(peer, Violation::UnknownResponse);
        }
        let Some(Waiting { tag: Ask { call: serial, key, what, .. }, .. }) = self.requests.take(id) else {
            return;
        };
        let method = what.method();
        let twice = answer.as_ref().ok().and_then(|answer| name_twice(answer.as_str()));
        if let Some(pointer) = twice {
            let violation = Violation::DuplicateName { pointer: format!("/result{pointer}") };
            let message = format!("the client's answer to `{method}` is ambiguous: {violation}");
            self.violated(peer, violation);
            return self.fail_call(serial, &message);
        }
        let answer = match answer {
            Ok(answer) if answer.kind() == Kind::Object => answer.to_raw(),
            Ok(_) => {
                return self.fail_call(serial, &format!("the client's answer to `{method}` is no object"));
            }
            Err(error) => return self.fail_call(serial, &format!("the client refused `{method}`: {error}")),
        };
        let Some(call) = self.calls.get_mut(&serial) else { return };
        let Phase::Asking { answers, left } = &mut call.phase else { return };
        let bytes = key.len() + answer.as_str().len();
        if !self.permits.keep(&self.config.limits, call.party, bytes) {
            let limit = self.config.limits.max_call_bytes;
            return self.fail_call(serial, &format!("the requests under way keep more than {limit} bytes"));
        }
        call.bytes += bytes;
        answers.insert(key, answer);
        *left -= 1;
        if *left > 0 {
            return;
        }
        let mut text = String::from("{");
        for (at, (key, answer)) in answers.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            push_string(&mut text, key);
            text.push(':');
            text.push_str(answer.as_str());
        }
        text.push('}');
        let all = merged(View::trusted(&text), call.caller.answers.as_deref());
        if all.as_str().len() > self.config.limits.max_message_bytes {
            return self.fail_call(serial, "the client's answers are too large");
        }
        call.caller.answers = Some(all.into());
        self.rerun(serial);
    }

    /// Hands a call to the application once more, in its turn.
    fn rerun(&mut self, serial: u64) {
        let Some(call) = self.calls.get_mut(&serial) else { return };
        call.phase = Phase::Queued;
        match self.permits.ask(&self.config.limits, call.party, serial, 0) {
            Admission::Run => self.run(serial),
            Admission::Wait => {}
            Admission::Refuse(limit) | Admission::TooLarge(limit) => {
                call.phase = Phase::Asking { answers: BTreeMap::new(), left: 0 };
                self.fail_call(serial, &format!("more than {limit} requests wait"));
            }
        }
        self.admit();
    }

    /// Ends a call that cannot go on.
    fn fail_call(&mut self, serial: u64, message: &str) {
        let Some(call) = self.end_call(serial) else { return };
        self.fail(&call, message);
        self.admit();
    }

    fn fail(&mut self, call: &Call, message: &str) {
        if matches!(call.request, Request::CallTool { .. }) {
            return self.fail_tool(call.source, &call.id, call.caller.revision, message);
        }
        let error = RpcError::new(code::INTERNAL_ERROR, message);
        self.reply_error(call.source, Some(&call.id), &error);
    }

    /// Tells a client that its answers to the questions of a call are not needed any more.
    pub(super) fn withdraw_asks(&mut self, serial: u64) {
        while let Some(id) = self.requests.find(|ask| ask.call == serial) {
            let Some(ask) = self.requests.take(id) else { return };
            let peer = ask.tag.peer;
            if self.peers.get(&peer).is_some_and(|peer| !peer.is_closed) {
                let params =
                    format!("{{\"requestId\":{id},\"reason\":\"the answer is not needed any more\"}}");
                self.notify(peer, Route::Aside, "notifications/cancelled", &params);
            }
        }
    }

    /// A client answers nothing any more: the calls that wait for it end.
    pub(super) fn drop_asks(&mut self, peer: Peer) {
        let waits = |serial: &u64| {
            self.calls.get(serial).is_some_and(|call| matches!(call.phase, Phase::Asking { .. }))
        };
        let serials: Vec<_> = self.calls_of(peer).filter(waits).collect();
        for serial in serials {
            self.fail_call(serial, "the client has closed the session");
        }
    }

    pub(super) fn expire_asks(&mut self) {
        while let Some((id, Waiting { tag: ask, .. })) = self.requests.expire(self.now) {
            let params = format!("{{\"requestId\":{id},\"reason\":\"timed out\"}}");
            self.notify(ask.peer, Route::Aside, "notifications/cancelled", &params);
            let (method, millis) = (ask.what.method(), crate::tick::whole_millis(self.config.ask_timeout));
            self.fail_call(ask.call, &format!("the client did not answer `{method}` within {millis} ms"));
        }
    }
}

fn can(call: &Call, path: &[&str]) -> bool {
    let caller = &call.caller;
    let capabilities = capabilities(caller.client.as_deref(), caller.meta.as_deref());
    match caller.revision {
        // The modes of the modern era are those of 2025-11-25.
        Revision::V2026_07_28 => legacy_can(capabilities, Revision::V2025_11_25, path),
        revision => legacy_can(capabilities, revision, path),
    }
}

/// Appends the parameters of a question as a revision has them.
fn push_question(out: &mut String, question: &Question, revision: Revision, serial: u64) {
    let params = question.params.view();
    let needs_id = needed(question) == ["elicitation", "url"] && params.get("elicitationId").is_none();
    let drops_mode = question.what == Offered::Elicitation && revision < Revision::V2025_11_25;
    let mut separator = '{';
    for (name, value) in params.members() {
        if drops_mode && name.is("mode") {
            continue;
        }
        out.push(separator);
        separator = ',';
        name.push_to(out);
        out.push(':');
        push_compact(out, value.as_str());
    }
    if needs_id {
        out.push(separator);
        separator = ',';
        out.push_str("\"elicitationId\":");
        push_string(out, &format!("{serial}-{}", question.key));
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
}

/// Joins two objects; where both have a member, the newer one comes first and counts.
fn merged(newer: View<'_>, older: Option<&RawJson>) -> RawJson {
    let Some(older) = older else { return newer.to_raw() };
    let mut text = String::from("{");
    let members = newer.members();
    let kept = older.view().members().filter(|(name, _)| {
        let name = name.to_str();
        newer.get(&name).is_none()
    });
    for (at, (name, value)) in members.chain(kept).enumerate() {
        if at > 0 {
            text.push(',');
        }
        name.push_to(&mut text);
        text.push(':');
        text.push_str(value.as_str());
    }
    text.push('}');
    RawJson::trusted(text)
}

/// Returns what ties a state to its request and to who makes it.
fn digest(request: &Request, principal: Option<&str>) -> String {
    let (subject, arguments) = match request {
        Request::CallTool { name, arguments } | Request::GetPrompt { name, arguments } => {
            (name.as_str(), arguments.as_str())
        }
        Request::ReadResource { uri } => (uri.as_str(), "{}"),
        Request::Complete { .. } => ("", "{}"),
    };
    digest_of(request.method(), subject, arguments, principal)
}

fn digest_of(method: &str, subject: &str, arguments: &str, principal: Option<&str>) -> String {
    let mut hasher = Sha256::new();
    for part in [method, subject, principal.unwrap_or_default(), arguments] {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part);
    }
    BASE64.encode(hasher.finalize())
}
