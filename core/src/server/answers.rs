//! Answers, and what an application says before them.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write as _;

use super::{
    Answer, Hub, Peer, Request, Route, ServedCall,
    calls::{Call, Phase},
    modern::push_scope,
    shape,
};
use crate::{
    Misuse, Tick,
    json::{Kind, RawJson, View, push_compact, push_string},
    jsonrpc::{self, RpcError, code},
    protocol::{Era, LogLevel, Revision},
};

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
                // Whoever is answered is known from here on.
                if let Some(peer) = self.peers.get_mut(&call.source.peer) {
                    peer.party.is_established = true;
                }
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
        jsonrpc::push_result_with(&mut message, id, |out| match caller.revision.era() {
            Era::Legacy => shape::push_legacy(out, request.method(), result.view(), caller.revision),
            Era::Modern => self.push_modern(out, request, result.view()),
        });
        self.deliver_answer(*source, Some(id), message, None);
    }

    /// Appends a whole result of the modern era.
    fn push_modern(&self, out: &mut String, request: &Request, result: View<'_>) {
        self.push_result_head(out, "complete");
        let (mut has_ttl, mut has_scope) = (false, false);
        // To find the members of a long result is to read all of it.
        let members: Vec<_> = result.members().collect();
        let meta = members.iter().find(|(name, _)| name.to_str() == "_meta");
        for (name, value) in meta.into_iter().flat_map(|(_, meta)| meta.members()) {
            out.push(',');
            name.push_to(out);
            out.push(':');
            push_compact(out, value.as_str());
        }
        out.push('}');
        for (name, value) in members {
            match &*name.to_str() {
                "_meta" | "resultType" => continue,
                "ttlMs" => has_ttl = true,
                "cacheScope" => has_scope = true,
                _ => {}
            }
            out.push(',');
            name.push_to(out);
            out.push(':');
            push_compact(out, value.as_str());
        }
        let is_kept = matches!(request, Request::ReadResource { .. });
        if is_kept && !has_ttl {
            self.push_ttl(out);
        }
        if is_kept && !has_scope {
            push_scope(out);
        }
        out.push('}');
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
