//! Calls: what a client wants of the application, from its arrival to its one answer.

use alloc::{collections::BTreeMap, format, string::String, sync::Arc};
use core::fmt::Write as _;

use super::{
    Answer, Context, Hub, Peer, Request, Route, ServedCall, ServerEvent, dispatch::Params, hub::Source,
    permits::Admission, shape,
};
use crate::{
    Misuse, Tick, Violation,
    json::{Kind, RawJson, View, push_compact, push_string},
    jsonrpc::{self, Id, RpcError, code},
    protocol::{Era, Implementation, LogLevel, Revision},
    validate::{Mismatch, Outcome},
};

/// Who makes a call, and what it said so far.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) revision: Revision,
    pub(super) client: Option<Implementation>,
    pub(super) capabilities: Arc<RawJson>,
    pub(super) log_level: Option<LogLevel>,
    pub(super) principal: Option<Arc<str>>,
    pub(super) meta: Option<Arc<RawJson>>,
    pub(super) answers: Option<Arc<RawJson>>,
    pub(super) state: Option<String>,
    pub(super) round: usize,
}

/// A request that waits for the application, for a permit, or for what its client answers.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) source: Source,
    pub(super) id: Id,
    pub(super) request: Request,
    pub(super) caller: Caller,
    pub(super) group: u64,
    pub(super) phase: Phase,
    due: Tick,
    /// The token that the client wants progress reported under, as its JSON text.
    progress_token: Option<String>,
    progress: Option<f64>,
}

/// What a call waits for.
#[derive(Debug)]
pub(super) enum Phase {
    /// A permit.
    Queued,
    /// The application.
    Running,
    /// The answers of its client (legacy era): those that have come, by key.
    Asking { answers: BTreeMap<String, RawJson>, left: usize },
}

impl Hub {
    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Nothing waits for this answer, a result is no object, or a question cannot be put.
    pub fn answer(&mut self, now: Tick, call: ServedCall, answer: Answer) -> Result<(), Misuse> {
        self.turn(now);
        if !self.calls.get(&call.0).is_some_and(|call| matches!(call.phase, Phase::Running)) {
            return Err(Misuse::UnknownAsk);
        }
        match answer {
            Answer::Result(result) if result.view().kind() != Kind::Object => {
                return Err(Misuse::NotAnObject { what: "the answer" });
            }
            Answer::Input(input) => return self.ask_client(call, input),
            answer => {
                let Some(call) = self.end_call(call.0) else { return Ok(()) };
                self.settle(&call, &answer);
            }
        }
        self.admit();
        Ok(())
    }

    /// Reports how far a call is, where its client wants to know: what is done, what there is to do, and
    /// what is being done. Reports that do not go up are left out (spec `basic/utilities/progress`).
    ///
    /// # Errors
    ///
    /// Nothing waits for an answer to this call, or a number is not finite.
    pub fn report_progress(
        &mut self,
        now: Tick,
        call: ServedCall,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<(), Misuse> {
        self.turn(now);
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(Misuse::NotFinite { what: "progress" });
        }
        let call = self.calls.get_mut(&call.0).ok_or(Misuse::UnknownAsk)?;
        let Some(token) = &call.progress_token else { return Ok(()) };
        if call.progress.is_some_and(|last| progress <= last) {
            return Ok(());
        }
        call.progress = Some(progress);
        // Writing to a `String` never fails.
        let mut params = String::new();
        let _ = write!(params, "{{\"progressToken\":{token},\"progress\":{progress}");
        if let Some(total) = total {
            let _ = write!(params, ",\"total\":{total}");
        }
        if let Some(message) = message.filter(|_| call.caller.revision >= Revision::V2025_03_26) {
            params.push_str(",\"message\":");
            push_string(&mut params, message);
        }
        params.push('}');
        let source = call.source;
        self.notify(source.peer, Route::During(source.origin), "notifications/progress", &params);
        Ok(())
    }

    /// Sends a log message to the client of a call, where it wants messages of this level; `data` is any value.
    ///
    /// # Errors
    ///
    /// Nothing waits for an answer to this call.
    pub fn log(
        &mut self,
        now: Tick,
        call: ServedCall,
        level: LogLevel,
        logger: Option<&str>,
        data: &RawJson,
    ) -> Result<(), Misuse> {
        self.turn(now);
        let call = self.calls.get(&call.0).ok_or(Misuse::UnknownAsk)?;
        let peer = self.peers.get(&call.source.peer).ok_or(Misuse::UnknownAsk)?;
        let least = match &peer.session {
            Some(session) if call.caller.revision.era() == Era::Legacy => Some(session.log_level),
            _ => call.caller.log_level,
        };
        if !self.config.logs || least.is_none_or(|least| level < least) {
            return Ok(());
        }
        let source = call.source;
        let params = log_params(level, logger, data);
        self.notify(source.peer, Route::During(source.origin), "notifications/message", &params);
        Ok(())
    }

    /// Sends a log message that belongs to no call to every session of the legacy era that wants messages of
    /// this level.
    pub fn log_to_all(&mut self, now: Tick, level: LogLevel, logger: Option<&str>, data: &RawJson) {
        self.turn(now);
        if !self.config.logs {
            return;
        }
        let params = log_params(level, logger, data);
        for peer in self.sessions(|session| level >= session.log_level) {
            self.notify(peer, Route::Aside, "notifications/message", &params);
        }
    }

    pub(super) fn notify(&mut self, peer: Peer, route: Route, method: &str, params: &str) {
        let mut message = String::with_capacity(64 + params.len());
        jsonrpc::push_notification(&mut message, method, Some(params));
        self.deliver(peer, route, message);
    }

    /// Takes up a call, or refuses it.
    pub(super) fn call(&mut self, source: Source, id: Id, method: &str, params: &Params<'_>, caller: Caller) {
        let request = match self.read_request(method, params) {
            Ok(Some(request)) => request,
            Ok(None) => return self.refuse_method(source, &id),
            Err(error) => return self.reply_error(source, Some(&id), &error),
        };
        if let Request::CallTool { name, arguments } = &request
            && let Some(failure) = self.refuse_tool(name, arguments)
        {
            return self.refuse_call(source, &id, caller.revision, &failure);
        }
        let Some(group) = self.peers.get(&source.peer).map(|peer| peer.group) else { return };
        let serial = self.serial.next();
        let token = params.meta.and_then(|meta| meta.get("progressToken"));
        let progress_token = token
            .filter(|token| matches!(token.kind(), Kind::Number | Kind::String))
            .filter(|token| token.as_str().len() <= self.config.limits.max_id_bytes)
            .map(|token| token.as_str().into());
        let due = self.now.after(self.config.call_timeout);
        let admission = self.permits.ask(&self.config.limits, group, serial);
        if let Admission::Refuse(limit) = admission {
            return self.refuse(source, &id, Violation::TooManyAsks { limit });
        }
        self.requests.ask((source.peer, id.clone()), serial);
        self.call_deadlines.insert((due, serial));
        let phase = Phase::Queued;
        let call = Call { source, id, request, caller, group, phase, due, progress_token, progress: None };
        self.calls.insert(serial, call);
        if admission == Admission::Run {
            self.run(serial);
        }
    }

    /// Reads what a client wants of the application; `None` where nothing of the kind is offered.
    fn read_request(&self, method: &str, params: &Params<'_>) -> Result<Option<Request>, RpcError> {
        let request = match method {
            "tools/call" => {
                let name =
                    known(params, "tool", |name| self.tools.get(name).is_some(), || self.tools.keys())?;
                Request::CallTool { name, arguments: object(params.arguments, "arguments")? }
            }
            "prompts/get" if self.offers(super::lists::Offer::Prompts) => {
                let name =
                    known(params, "prompt", |name| self.prompts.get(name).is_some(), || self.prompts.keys())?;
                let arguments = object(params.arguments, "arguments")?;
                self.check_prompt(&name, &arguments)?;
                Request::GetPrompt { name, arguments }
            }
            "resources/read" if self.offers(super::lists::Offer::Resources) => {
                let uri = params
                    .uri
                    .and_then(View::to_text)
                    .ok_or_else(|| bad_params("uri", "must be a string"))?;
                Request::ReadResource { uri }
            }
            "completion/complete" if self.config.completes => Request::Complete {
                reference: present(params.reference, "ref")?,
                argument: present(params.argument, "argument")?,
                context: params.context.map(|context| object(Some(context), "context")).transpose()?,
            },
            _ => return Ok(None),
        };
        Ok(Some(request))
    }

    fn check_prompt(&self, name: &str, arguments: &RawJson) -> Result<(), RpcError> {
        let Some(prompt) = self.prompts.get(name) else { return Ok(()) };
        let declared = prompt.raw.view().get("arguments");
        for argument in declared.into_iter().flat_map(View::elements) {
            let is_required = argument.get("required").and_then(View::as_bool) == Some(true);
            let Some(key) = argument.get("name").and_then(View::to_str) else { continue };
            if is_required && arguments.view().get(&key).is_none() {
                return Err(bad_params(&format!("arguments/{key}"), "is missing"));
            }
        }
        Ok(())
    }

    /// Returns why a tool is not called: it may not be, or its arguments do not fit its schema.
    fn refuse_tool(&mut self, name: &str, arguments: &RawJson) -> Option<ToolRefusal> {
        let entry = self.tools.get_mut(name)?;
        if !self.config.allows_destructive && entry.is_destructive() {
            return Some(ToolRefusal::Destructive { name: name.into() });
        }
        match entry.validator().check(arguments.view()) {
            Outcome::Valid => None,
            Outcome::Invalid(mismatch) => {
                Some(ToolRefusal::Mismatch { name: name.into(), mismatch: *mismatch })
            }
            Outcome::GaveUp(reason) => {
                Some(ToolRefusal::Unchecked { name: name.into(), reason: format!("{reason}") })
            }
        }
    }

    /// Tells a client why its tool is not called: as a tool's failure, which its model sees, wherever the
    /// revision allows that (2025-11-25 `server/tools`, error handling).
    fn refuse_call(&mut self, source: Source, id: &Id, revision: Revision, refusal: &ToolRefusal) {
        let is_failure =
            matches!(refusal, ToolRefusal::Destructive { .. }) || revision >= Revision::V2025_11_25;
        let message = refusal.message(&self.config.destructive_hint);
        if !is_failure {
            let error = RpcError::new(code::INVALID_PARAMS, message).with_text(refusal.data());
            return self.reply_error(source, Some(id), &error);
        }
        self.fail_tool(source, id, revision, &message);
    }

    /// Answers a call of a tool with a tool's failure.
    pub(super) fn fail_tool(&mut self, source: Source, id: &Id, revision: Revision, message: &str) {
        let mut result = String::from("{\"content\":[{\"type\":\"text\",\"text\":");
        push_string(&mut result, message);
        result.push_str("}],\"isError\":true}");
        match revision.era() {
            Era::Legacy => self.reply(source, id, &result),
            Era::Modern => self.complete(source, id, View::trusted(&result)),
        }
    }

    /// Hands a call to the application.
    pub(super) fn run(&mut self, serial: u64) {
        let Some(call) = self.calls.get_mut(&serial) else { return };
        call.phase = Phase::Running;
        let caller = &mut call.caller;
        let context = Context {
            peer: call.source.peer,
            id: format!("{}", call.id),
            revision: caller.revision,
            client: caller.client.clone(),
            capabilities: caller.capabilities.clone(),
            principal: caller.principal.clone(),
            answers: caller.answers.clone(),
            state: caller.state.take(),
            log_level: caller.log_level,
            wants_progress: call.progress_token.is_some(),
            meta: caller.meta.clone(),
        };
        let request = call.request.clone();
        self.tell(ServerEvent::Requested { call: ServedCall(serial), request, context });
    }

    /// Hands the application as many waiting calls as may run.
    pub(super) fn admit(&mut self) {
        while let Some(serial) = self.permits.admit(&self.config.limits) {
            self.run(serial);
        }
    }

    /// Forgets a call: whoever takes it answers it, or does not.
    pub(super) fn end_call(&mut self, serial: u64) -> Option<Call> {
        let call = self.calls.remove(&serial)?;
        self.call_deadlines.remove(&(call.due, serial));
        self.requests.answer(&(call.source.peer, call.id.clone()));
        match &call.phase {
            Phase::Queued => self.permits.withdraw(call.group, serial),
            Phase::Running => self.permits.release(&self.config.limits, call.group),
            Phase::Asking { .. } => self.withdraw_asks(serial),
        }
        Some(call)
    }

    fn settle(&mut self, call: &Call, answer: &Answer) {
        let Call { source, id, request, caller, .. } = call;
        let error = match answer {
            Answer::Result(result) => return self.reply_result(call, result),
            Answer::Input(_) => return,
            Answer::NotFound => not_found(request, caller.revision),
            Answer::Failed(error) => {
                let error = fitting(error, caller.revision);
                return self.reply_error(*source, Some(id), &error);
            }
            Answer::Crashed => {
                let mut data = String::from("{\"method\":");
                push_string(&mut data, request.method());
                if let Request::CallTool { name, .. } = request {
                    data.push_str(",\"tool\":");
                    push_string(&mut data, name);
                }
                data.push('}');
                RpcError::new(code::INTERNAL_ERROR, "the server broke down over this request").with_text(data)
            }
        };
        self.reply_error(*source, Some(id), &error);
    }

    fn reply_result(&mut self, call: &Call, result: &RawJson) {
        let Call { source, id, request, caller, .. } = call;
        let mut message = String::with_capacity(result.as_str().len() + 224);
        jsonrpc::push_result_with(&mut message, id, |out| match caller.revision {
            // What the newest legacy revision does not know is rare: the rest goes as it is.
            Revision::V2025_11_25 if !is_newer(result) => push_compact(out, result.as_str()),
            Revision::V2026_07_28 => self.push_modern(out, request, result.view()),
            revision => shape::push_legacy(out, request.method(), result.view(), revision),
        });
        self.deliver_answer(*source, message, None);
    }

    /// Appends a whole result of the modern era.
    fn push_modern(&self, out: &mut String, request: &Request, result: View<'_>) {
        out.push_str("{\"resultType\":\"complete\",\"_meta\":{");
        self.push_server_info(out);
        let (mut has_ttl, mut has_scope) = (false, false);
        for (_, meta) in result.members().filter(|(name, _)| name.as_str() == "\"_meta\"") {
            let members = meta.as_str().trim_start_matches('{').trim_end_matches('}').trim();
            if meta.kind() == Kind::Object && !members.is_empty() {
                out.push(',');
                push_compact(out, meta.as_str().get(1..meta.as_str().len() - 1).unwrap_or_default());
            }
        }
        out.push('}');
        for (name, value) in result.members() {
            match name.as_str() {
                "\"_meta\"" | "\"resultType\"" => continue,
                "\"ttlMs\"" => has_ttl = true,
                "\"cacheScope\"" => has_scope = true,
                _ => {}
            }
            out.push(',');
            out.push_str(name.as_str());
            out.push(':');
            push_compact(out, value.as_str());
        }
        if matches!(request, Request::ReadResource { .. }) && !(has_ttl && has_scope) {
            self.push_cache(out);
        }
        out.push('}');
    }

    /// A client does not want the answer to a request any more.
    pub(super) fn cancelled(&mut self, peer: Peer, id: Id) {
        if let Some(serial) = self.requests.get_asked(&(peer, id.clone())).copied() {
            return self.drop_call(serial);
        }
        self.unlisten(peer, &id);
    }

    pub(super) fn drop_calls(&mut self, peer: Peer) {
        let serials: alloc::vec::Vec<_> = self
            .calls
            .iter()
            .filter(|(_, call)| call.source.peer == peer)
            .map(|(serial, _)| *serial)
            .collect();
        for serial in serials {
            self.drop_call(serial);
        }
    }

    fn drop_call(&mut self, serial: u64) {
        let Some(call) = self.end_call(serial) else { return };
        if matches!(call.phase, Phase::Running) {
            self.tell(ServerEvent::Cancelled { call: ServedCall(serial) });
        }
        self.leave_unanswered(call.source);
        self.admit();
    }

    pub(super) fn expire_calls(&mut self) {
        while let Some((_, serial)) = self.call_deadlines.first().copied().filter(|(due, _)| *due <= self.now)
        {
            let Some(call) = self.end_call(serial) else { return };
            if matches!(call.phase, Phase::Running) {
                self.tell(ServerEvent::Cancelled { call: ServedCall(serial) });
            }
            let millis = self.config.call_timeout.as_millis();
            let error = RpcError::new(code::INTERNAL_ERROR, format!("no answer within {millis} ms"));
            self.reply_error(call.source, Some(&call.id), &error);
            self.admit();
        }
    }

    /// Refuses a call whose client lacks what it was asked for.
    pub(super) fn incapable(&mut self, call: &Call, capability: &[&str]) {
        let Call { source, id, request, caller, .. } = call;
        let named = capability.join(".");
        match (caller.revision.era(), request) {
            (Era::Modern, _) => {
                let mut data = String::from("{\"requiredCapabilities\":");
                for name in capability {
                    let _ = write!(data, "{{\"{name}\":");
                }
                data.push_str("{}");
                for _ in capability {
                    data.push('}');
                }
                data.push('}');
                let message = format!("the request needs the client capability `{named}`");
                let error = RpcError::new(code::MISSING_CLIENT_CAPABILITY, message).with_text(data);
                self.refuse_incapable(*source, id, &error);
            }
            (Era::Legacy, Request::CallTool { .. }) => {
                let message = format!("this tool needs a client with the capability `{named}`");
                self.fail_tool(*source, id, caller.revision, &message);
            }
            (Era::Legacy, _) => {
                let message = format!("the request needs the client capability `{named}`");
                self.reply_error(*source, Some(id), &RpcError::new(code::INVALID_REQUEST, message));
            }
        }
    }
}

/// Why a tool is not called.
enum ToolRefusal {
    Destructive { name: String },
    Mismatch { name: String, mismatch: Mismatch },
    Unchecked { name: String, reason: String },
}

impl ToolRefusal {
    fn message(&self, hint: &str) -> String {
        match self {
            Self::Destructive { name } if hint.is_empty() => {
                format!("the tool `{name}` is destructive and destructive tools are not allowed here")
            }
            Self::Destructive { name } => {
                format!("the tool `{name}` is destructive and destructive tools are not allowed here; {hint}")
            }
            Self::Mismatch { name, mismatch } => format!("invalid arguments of `{name}`: {mismatch}"),
            Self::Unchecked { name, reason } => {
                format!("the arguments of `{name}` cannot be checked: {reason}")
            }
        }
    }

    /// Returns the data of the error that says so.
    fn data(&self) -> String {
        let mut data = String::from("{\"tool\":");
        let (name, path) = match self {
            Self::Destructive { name } | Self::Unchecked { name, .. } => (name, ""),
            Self::Mismatch { name, mismatch } => (name, mismatch.pointer.as_str()),
        };
        push_string(&mut data, name);
        data.push_str(",\"path\":");
        push_string(&mut data, &format!("/params/arguments{path}"));
        data.push('}');
        data
    }
}

/// Reads the name of a listed entry.
fn known<'a, I: Iterator<Item = &'a str>>(
    params: &Params<'_>,
    what: &str,
    is_known: impl Fn(&str) -> bool,
    names: impl Fn() -> I,
) -> Result<String, RpcError> {
    let name = params.name.and_then(View::to_text).ok_or_else(|| bad_params("name", "must be a string"))?;
    if is_known(&name) {
        return Ok(name);
    }
    let mut message = format!("unknown {what} ");
    push_string(&mut message, &name);
    if let Some(near) = crate::validate::nearest(&name, names()) {
        let _ = write!(message, ": did you mean `{near}`?");
    }
    let mut data = format!("{{\"{what}\":");
    push_string(&mut data, &name);
    data.push('}');
    Err(RpcError::new(code::INVALID_PARAMS, message).with_text(data))
}

fn object(view: Option<View<'_>>, member: &str) -> Result<Arc<RawJson>, RpcError> {
    let view = view.unwrap_or(View::trusted("{}"));
    if view.kind() != Kind::Object {
        return Err(bad_params(member, "must be an object"));
    }
    Ok(Arc::new(view.to_raw()))
}

fn present(view: Option<View<'_>>, member: &str) -> Result<Arc<RawJson>, RpcError> {
    view.map_or_else(|| Err(bad_params(member, "is missing")), |view| object(Some(view), member))
}

pub(super) fn bad_params(member: &str, fault: &str) -> RpcError {
    let mut data = String::from("{\"path\":");
    push_string(&mut data, &format!("/params/{member}"));
    data.push('}');
    RpcError::new(code::INVALID_PARAMS, format!("`{member}` {fault}")).with_text(data)
}

fn log_params(level: LogLevel, logger: Option<&str>, data: &RawJson) -> String {
    let mut params = format!("{{\"level\":\"{level}\"");
    if let Some(logger) = logger {
        params.push_str(",\"logger\":");
        push_string(&mut params, logger);
    }
    params.push_str(",\"data\":");
    params.push_str(data.as_str());
    params.push('}');
    params
}

/// Returns the error for what is not there, in the words of the revision.
fn not_found(request: &Request, revision: Revision) -> RpcError {
    let code = match revision.era() {
        Era::Legacy => code::NOT_INITIALIZED,
        Era::Modern => code::INVALID_PARAMS,
    };
    let Request::ReadResource { uri } = request else {
        return RpcError::new(code::INVALID_PARAMS, "there is no such thing");
    };
    let mut data = String::from("{\"uri\":");
    push_string(&mut data, uri);
    data.push('}');
    RpcError::new(code, "resource not found").with_text(data)
}

/// Puts an application's error into the codes that a revision allows (2026-07-28 forbids −32002 and −32042).
fn fitting(error: &RpcError, revision: Revision) -> RpcError {
    let mut error = error.clone();
    if revision.era() == Era::Modern && matches!(error.code, code::NOT_INITIALIZED | -32042) {
        error.code = code::INVALID_PARAMS;
    }
    error
}

/// Returns whether a result holds what only the modern era knows.
fn is_newer(result: &RawJson) -> bool {
    result.view().members().any(|(name, value)| match name.as_str() {
        "\"resultType\"" | "\"ttlMs\"" | "\"cacheScope\"" => true,
        "\"structuredContent\"" => value.kind() != Kind::Object,
        _ => false,
    })
}
