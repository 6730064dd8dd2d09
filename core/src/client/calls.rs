//! What the application asks of a server, and how each call is settled.

use super::{Answer, AnswerFault, CallError, CallId, Client, Event, Purpose, Reason, State, Tag};
use crate::{
    Misuse, Tick, Violation,
    json::{Index, Kind, RawJson, View, push_compact, push_string},
    jsonrpc::{self, RpcError, code},
    protocol::{
        CallToolResult, Completion, ListKind, MalformedResult, Pages, PromptResult, ReadResult, Turn,
    },
    requests::{Patience, Waiting},
};
use alloc::string::String;

/// How one call is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// How long the call may take; the client's own patience where this is `None`.
    pub patience: Option<Patience>,
    /// Ask the server to report progress, which comes as [`Event::Progressed`].
    pub progress: bool,
    /// Make the call without the checks of [`ClientConfig::checks`](super::ClientConfig::checks).
    pub unchecked: bool,
}

impl Purpose {
    /// Returns whether the application waits for this request.
    pub(super) const fn is_call(&self) -> bool {
        !matches!(self, Self::Initialize { .. } | Self::Discover { .. })
    }
}

impl Client {
    /// Calls a tool; `arguments` is the text of a JSON object.
    ///
    /// # Errors
    ///
    /// The session is not ready, too many calls are in flight, or the arguments are not an object, or not
    /// what the tool takes.
    pub fn call_tool(
        &mut self,
        now: Tick,
        name: &str,
        arguments: &str,
        options: CallOptions,
    ) -> Result<CallId, Misuse> {
        // A session that has ended tells nothing more, and there is nothing to send.
        let is_checked = !options.unchecked && self.reason().is_none();
        let checked = if is_checked { self.check_arguments(name, arguments) } else { None };
        match checked {
            Some(checked) => checked?,
            None => check_object(arguments, "the arguments").map(drop)?,
        }
        let promise = if is_checked { self.promise(name) } else { None };
        self.call(now, Purpose::CallTool { promise }, "tools/call", options, |out| {
            out.push_str("\"name\":");
            push_string(out, name);
            out.push_str(",\"arguments\":");
            push_compact(out, arguments);
        })
    }

    /// Lists all tools, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_tools(&mut self, now: Tick, options: CallOptions) -> Result<CallId, Misuse> {
        self.list(now, ListKind::Tools, options)
    }

    /// Lists all resources, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_resources(&mut self, now: Tick, options: CallOptions) -> Result<CallId, Misuse> {
        self.list(now, ListKind::Resources, options)
    }

    /// Lists all templates of resources, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_resource_templates(&mut self, now: Tick, options: CallOptions) -> Result<CallId, Misuse> {
        self.list(now, ListKind::ResourceTemplates, options)
    }

    /// Lists all prompts, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_prompts(&mut self, now: Tick, options: CallOptions) -> Result<CallId, Misuse> {
        self.list(now, ListKind::Prompts, options)
    }

    /// Reads a resource.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn read_resource(&mut self, now: Tick, uri: &str, options: CallOptions) -> Result<CallId, Misuse> {
        self.call(now, Purpose::ReadResource, "resources/read", options, |out| push_member(out, "uri", uri))
    }

    /// Asks to be told when a resource changes.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn subscribe(&mut self, now: Tick, uri: &str, options: CallOptions) -> Result<CallId, Misuse> {
        self.call(now, Purpose::Done, "resources/subscribe", options, |out| push_member(out, "uri", uri))
    }

    /// Asks not to be told any more when a resource changes.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn unsubscribe(&mut self, now: Tick, uri: &str, options: CallOptions) -> Result<CallId, Misuse> {
        self.call(now, Purpose::Done, "resources/unsubscribe", options, |out| push_member(out, "uri", uri))
    }

    /// Gets a prompt; `arguments` is the text of a JSON object of strings.
    ///
    /// # Errors
    ///
    /// The session is not ready, too many calls are in flight, or the arguments are not an object.
    pub fn get_prompt(
        &mut self,
        now: Tick,
        name: &str,
        arguments: &str,
        options: CallOptions,
    ) -> Result<CallId, Misuse> {
        check_object(arguments, "the arguments")?;
        self.call(now, Purpose::GetPrompt, "prompts/get", options, |out| {
            push_member(out, "name", name);
            out.push_str(",\"arguments\":");
            push_compact(out, arguments);
        })
    }

    /// Completes an argument of a prompt or of a template; `reference` is the text of the `ref` object and
    /// `argument` the text of the `argument` object of `completion/complete`.
    ///
    /// # Errors
    ///
    /// The session is not ready, too many calls are in flight, or one of the texts is not an object.
    pub fn complete(
        &mut self,
        now: Tick,
        reference: &str,
        argument: &str,
        options: CallOptions,
    ) -> Result<CallId, Misuse> {
        check_object(reference, "the reference")?;
        check_object(argument, "the argument")?;
        self.call(now, Purpose::Complete, "completion/complete", options, |out| {
            out.push_str("\"ref\":");
            push_compact(out, reference);
            out.push_str(",\"argument\":");
            push_compact(out, argument);
        })
    }

    /// Sets the lowest level of the server's log messages: `debug`, `info`, `notice`, `warning`, `error`,
    /// `critical`, `alert` or `emergency`.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn set_log_level(&mut self, now: Tick, level: &str, options: CallOptions) -> Result<CallId, Misuse> {
        self.call(now, Purpose::Done, "logging/setLevel", options, |out| push_member(out, "level", level))
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn ping(&mut self, now: Tick, options: CallOptions) -> Result<CallId, Misuse> {
        self.call(now, Purpose::Done, "ping", options, |_| {})
    }

    /// Makes any other request; `params` is the text of a JSON object. The result comes as it is.
    ///
    /// # Errors
    ///
    /// The session is not ready, too many calls are in flight, or the parameters are not an object, or hold
    /// `_meta` where progress is asked for.
    pub fn request(
        &mut self,
        now: Tick,
        method: &str,
        params: &str,
        options: CallOptions,
    ) -> Result<CallId, Misuse> {
        let members = check_object(params, "the parameters")?;
        if options.progress && View::new(params).is_ok_and(|params| params.get("_meta").is_some()) {
            return Err(Misuse::MetaTwice);
        }
        self.call(now, Purpose::Raw, method, options, |out| push_compact(out, members))
    }

    /// Gives up on a call: it is settled at once and the server is told. A call that is over stays as it is.
    pub fn cancel(&mut self, now: Tick, call: CallId) {
        self.turn(now);
        let Some(id) = self.request_of(call) else { return };
        let Some(waiting) = self.requests.take(id) else { return };
        self.send_cancelled(id, "cancelled by the application");
        self.fail(&waiting.tag, CallError::Cancelled);
    }

    /// Returns the request that a call waits for; only listings make more than one.
    fn request_of(&self, call: CallId) -> Option<u64> {
        match self.requests.get(call.0) {
            Some(tag) => tag.purpose.is_call().then_some(call.0),
            None => self.requests.find(|tag| tag.call == call),
        }
    }

    fn list(&mut self, now: Tick, kind: ListKind, options: CallOptions) -> Result<CallId, Misuse> {
        let purpose = Purpose::List { pages: Pages::new(kind), edition: 0 };
        self.call(now, purpose, kind.method(), options, |_| {})
    }

    /// Makes a call. `members` appends the members of its parameters, of which there may be none.
    fn call(
        &mut self,
        now: Tick,
        purpose: Purpose,
        method: &str,
        options: CallOptions,
        members: impl FnOnce(&mut String),
    ) -> Result<CallId, Misuse> {
        self.turn(now);
        if let Some(reason) = self.reason().cloned() {
            let call = CallId(self.requests.mint());
            self.settle(call, Err(CallError::Unavailable(reason)));
            return Ok(call);
        }
        if self.state != State::Ready {
            return Err(Misuse::NotReady { state: self.state.name() });
        }
        let limit = self.config.limits.max_calls_in_flight;
        if self.requests.count() >= limit {
            return Err(Misuse::TooManyCalls { limit });
        }
        let call = CallId(self.requests.mint());
        let patience = options.patience.unwrap_or(self.config.patience);
        let message = self.encode(call.0, method, options.progress, members)?;
        self.requests.wait(self.now, call.0, patience, Tag { call, purpose });
        self.send(message);
        Ok(call)
    }

    fn encode(
        &self,
        id: u64,
        method: &str,
        progress: bool,
        members: impl FnOnce(&mut String),
    ) -> Result<String, Misuse> {
        let mut message = String::with_capacity(192);
        jsonrpc::push_request(&mut message, id, method, |out| {
            out.push('{');
            let start = out.len();
            members(out);
            if progress {
                if out.len() > start {
                    out.push(',');
                }
                out.push_str("\"_meta\":{\"progressToken\":");
                jsonrpc::Id::from_integer(id.cast_signed()).push_to(out);
                out.push('}');
            }
            out.push('}');
        });
        let limit = self.config.limits.max_message_bytes;
        if message.len() > limit {
            return Err(Misuse::TooLarge { bytes: message.len(), limit });
        }
        Ok(message)
    }

    /// Settles a call that failed. A request of the handshake ends the session with it.
    pub(super) fn fail(&mut self, tag: &Tag, error: CallError) {
        if !tag.purpose.is_call() {
            self.end(Reason::HandshakeMalformed(alloc::format!("{error}")));
            return;
        }
        self.settle(tag.call, Err(error));
    }

    pub(super) fn settle(&mut self, call: CallId, outcome: Result<Answer, CallError>) {
        self.tell(Event::Settled { call, outcome });
    }

    /// The server answered with an error.
    pub(super) fn refused(&mut self, tag: Tag, error: RpcError) {
        match tag.purpose {
            Purpose::Initialize { asked } => self.initialize_refused(asked, error),
            Purpose::Discover { refusal } => self.discover_refused(refusal, &error),
            Purpose::List { pages, edition }
                if error.code == code::METHOD_NOT_FOUND && !self.declares(pages.kind()) =>
            {
                // What was never declared is not there: an empty list, not a failure.
                self.finish_list(tag.call, &pages, edition);
            }
            purpose => self.fail(&Tag { call: tag.call, purpose }, CallError::Refused(error)),
        }
    }

    fn declares(&self, kind: ListKind) -> bool {
        self.handshake.as_ref().is_some_and(|handshake| match kind {
            ListKind::Tools => handshake.capabilities.tools,
            ListKind::Resources | ListKind::ResourceTemplates => handshake.capabilities.resources,
            ListKind::Prompts => handshake.capabilities.prompts,
        })
    }

    /// The server answered with a result.
    pub(super) fn answer(&mut self, waiting: Waiting<Tag>, result: RawJson, index: &Index, origin: usize) {
        let rest = waiting.rest(self.now);
        let Tag { call, purpose } = waiting.tag;
        let answer = match purpose {
            Purpose::Initialize { .. } => return self.initialized(result),
            Purpose::Discover { refusal } => return self.discovered(refusal, &result),
            Purpose::List { pages, edition } => return self.page(call, pages, edition, result, rest),
            Purpose::CallTool { promise } => match CallToolResult::read(result, index, origin) {
                Ok(result) if result.is_error() => Err(CallError::ToolFailed(result)),
                Ok(result) => {
                    let checked = self.check_result(promise.as_deref(), result);
                    checked.map(Answer::Called).map_err(CallError::BadResult)
                }
                Err(wrong) => Err(wrong_shape(wrong)),
            },
            Purpose::ReadResource => ReadResult::read(result).map(Answer::Resource).map_err(wrong_shape),
            Purpose::GetPrompt => PromptResult::read(result).map(Answer::Prompt).map_err(wrong_shape),
            Purpose::Complete => Completion::read(result).map(Answer::Completion).map_err(wrong_shape),
            Purpose::Done => Ok(Answer::Done),
            Purpose::Raw => Ok(Answer::Raw(result)),
        };
        self.settle(call, answer);
    }

    /// A page of a listing has come: the next one is asked for, or the listing is whole.
    fn page(&mut self, call: CallId, mut pages: Pages, edition: u64, page: RawJson, rest: Patience) {
        if let Err(fault) = pages.check(page.view()) {
            return self.settle(call, Err(wrong_shape((fault, page))));
        }
        if Pages::has_bad_cursor(page.view()) {
            self.violated(Violation::BadCursor);
        }
        // A change that was told before the first page came is in it; a later one may have missed a page.
        let edition = if pages.is_empty() { self.contracts.edition() } else { edition };
        let limits = &self.config.limits;
        let error = match pages.push(page, limits.max_pages, limits.max_listing_bytes) {
            Turn::Done => return self.finish_list(call, &pages, edition),
            Turn::Next(cursor) => return self.next_page(call, pages, edition, &cursor, rest),
            Turn::Loop(cursor) => CallError::PaginationLoop { cursor },
            Turn::TooManyPages => CallError::TooManyPages { limit: limits.max_pages },
            Turn::TooManyBytes => CallError::ListingTooLarge { limit: limits.max_listing_bytes },
        };
        self.settle(call, Err(error));
    }

    fn next_page(&mut self, call: CallId, pages: Pages, edition: u64, cursor: &str, rest: Patience) {
        let id = self.requests.mint();
        let method = pages.kind().method();
        let Ok(message) = self.encode(id, method, false, |out| push_member(out, "cursor", cursor)) else {
            // A cursor that fills a message cannot be sent back.
            let limit = self.config.limits.max_message_bytes;
            return self.settle(call, Err(CallError::TooLarge { limit }));
        };
        self.requests.wait(self.now, id, rest, Tag { call, purpose: Purpose::List { pages, edition } });
        self.send(message);
    }

    fn finish_list(&mut self, call: CallId, pages: &Pages, edition: u64) {
        let tolerance = self.config.tolerance;
        let outcome = match pages.kind() {
            ListKind::Tools => pages.finish(tolerance).map(Answer::Tools),
            ListKind::Resources => pages.finish(tolerance).map(Answer::Resources),
            ListKind::ResourceTemplates => pages.finish(tolerance).map(Answer::ResourceTemplates),
            ListKind::Prompts => pages.finish(tolerance).map(Answer::Prompts),
        };
        let outcome = outcome.map_err(|bad| CallError::Malformed {
            fault: AnswerFault::BadEntry { index: bad.index, reason: bad.reason },
            raw: None,
        });
        if let Ok(Answer::Tools(listing)) = &outcome
            && edition == self.contracts.edition()
        {
            self.contracts.learn(&listing.items, self.config.checks, self.config.limits.max_schema_bytes);
        }
        self.settle(call, outcome);
    }
}

fn wrong_shape((fault, raw): (MalformedResult, RawJson)) -> CallError {
    CallError::Malformed { fault: AnswerFault::WrongShape(fault), raw: Some(raw) }
}

fn push_member(out: &mut String, name: &str, content: &str) {
    push_string(out, name);
    out.push(':');
    push_string(out, content);
}

/// Checks that a text is a JSON object and returns what stands between its braces.
fn check_object<'a>(text: &'a str, what: &'static str) -> Result<&'a str, Misuse> {
    let view = View::new(text).map_err(|error| Misuse::NotJson { what, error })?;
    if view.kind() != Kind::Object {
        return Err(Misuse::NotAnObject { what });
    }
    let text = view.as_str();
    Ok(text.get(1..text.len().saturating_sub(1)).unwrap_or_default().trim_ascii())
}
