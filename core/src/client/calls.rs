//! What the application asks of a server.

use alloc::{borrow::ToOwned, boxed::Box, string::String};

use super::{Answer, CallError, CallId, Client, Purpose, State, Tag, cache::Key, rounds::Again};
use crate::{
    Misuse, Tick,
    json::{Kind, Span, View, push_compact, push_string},
    jsonrpc,
    protocol::{Era, ListKind, LogLevel, Meta, Pages, Revision, check_added},
    requests::Patience,
};

/// How one call is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallOptions<'a> {
    /// How long the call may take, over all its rounds; the client's own patience where this is `None`.
    ///
    /// While the application answers questions of a modern server, only the total time runs.
    pub patience: Option<Patience>,
    /// Ask the server to report progress, which comes as [`Event::Progressed`](super::Event::Progressed).
    pub progress: bool,
    /// The lowest level of log messages that a modern server may send for this call; the one of
    /// `set_log_level` where this is `None`. Legacy servers know one level for all calls only.
    pub log_level: Option<LogLevel>,
    /// The text of a JSON object whose members are added to the call's `_meta`.
    pub meta: Option<&'a str>,
    /// Ask the server even where an answer that it gave earlier is still fresh.
    pub bypass_cache: bool,
    /// Make the call without the checks of [`ClientConfig::checks`](super::ClientConfig::checks).
    pub unchecked: bool,
}

/// What a request says in its `_meta` beyond the envelope.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extra<'a> {
    pub(super) progress: bool,
    pub(super) log_level: Option<LogLevel>,
    pub(super) added: &'a str,
}

impl Purpose {
    /// Returns whether the application waits for this request.
    pub(super) const fn is_call(&self) -> bool {
        !matches!(self, Self::Initialize { .. } | Self::Discover { .. })
    }

    /// Returns the method, or what stands for it in a message.
    pub(super) const fn method(&self) -> &'static str {
        match self {
            Self::Initialize { .. } => "initialize",
            Self::Discover { .. } | Self::Rediscover => "server/discover",
            Self::CallTool { .. } => "tools/call",
            Self::List { pages, .. } => pages.kind().method(),
            Self::ReadResource { .. } => "resources/read",
            Self::GetPrompt => "prompts/get",
            Self::Complete => "completion/complete",
            Self::Listen => "subscriptions/listen",
            Self::Done | Self::Raw => "a request",
        }
    }

    /// Returns whether a modern server may answer with questions.
    const fn may_ask(&self) -> bool {
        matches!(self, Self::CallTool { .. } | Self::ReadResource { .. } | Self::GetPrompt)
    }
}

/// What the modern era does by other means, and what names it there.
const LEGACY_ONLY: [(&str, &str); 5] = [
    ("initialize", "`initialize`: every request carries its own envelope"),
    ("ping", "`ping`: `server/discover` shows whether a server lives"),
    ("logging/setLevel", "`logging/setLevel`: every request names its level"),
    ("resources/subscribe", "`resources/subscribe`: a stream tells of changes"),
    ("resources/unsubscribe", "`resources/unsubscribe`: a stream tells of changes"),
];

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
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        // A session that has ended tells nothing more, and there is nothing to send.
        let is_checked = !options.unchecked && self.reason().is_none();
        let checked = if is_checked { self.check_arguments(name, arguments) } else { None };
        match checked {
            Some(checked) => checked?,
            None => check_object(arguments, "the arguments").map(drop)?,
        }
        let promise = if is_checked { self.promise(name) } else { None };
        self.call(now, Purpose::CallTool { promise }, "tools/call", options, &|out| {
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
    pub fn list_tools(&mut self, now: Tick, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        self.list(now, ListKind::Tools, options)
    }

    /// Lists all resources, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_resources(&mut self, now: Tick, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        self.list(now, ListKind::Resources, options)
    }

    /// Lists all templates of resources, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_resource_templates(&mut self, now: Tick, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        self.list(now, ListKind::ResourceTemplates, options)
    }

    /// Lists all prompts, page by page.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn list_prompts(&mut self, now: Tick, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        self.list(now, ListKind::Prompts, options)
    }

    /// Reads a resource.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn read_resource(
        &mut self,
        now: Tick,
        uri: &str,
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        let key = Key::Resource(uri.to_owned());
        if let Some(call) = self.cached(now, &key, options) {
            return Ok(call);
        }
        let purpose = Purpose::ReadResource { key: self.is_modern().then(|| Box::new(key)) };
        self.call(now, purpose, "resources/read", options, &|out| push_member(out, "uri", uri))
    }

    /// Asks to be told when a resource changes. In the modern era this opens a stream for the resource.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn subscribe(&mut self, now: Tick, uri: &str, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        if self.is_ready_modern() {
            return self.listen_to(now, uri, options);
        }
        self.call(now, Purpose::Done, "resources/subscribe", options, &|out| push_member(out, "uri", uri))
    }

    /// Asks not to be told any more when a resource changes.
    ///
    /// # Errors
    ///
    /// The session is not ready, or too many calls are in flight.
    pub fn unsubscribe(&mut self, now: Tick, uri: &str, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        if self.is_ready_modern() {
            return Ok(self.stop_listening_to(now, uri));
        }
        self.call(now, Purpose::Done, "resources/unsubscribe", options, &|out| push_member(out, "uri", uri))
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
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        check_object(arguments, "the arguments")?;
        self.call(now, Purpose::GetPrompt, "prompts/get", options, &|out| {
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
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        check_object(reference, "the reference")?;
        check_object(argument, "the argument")?;
        self.call(now, Purpose::Complete, "completion/complete", options, &|out| {
            out.push_str("\"ref\":");
            push_compact(out, reference);
            out.push_str(",\"argument\":");
            push_compact(out, argument);
        })
    }

    /// Sets the lowest level of the server's log messages: `debug`, `info`, `notice`, `warning`, `error`,
    /// `critical`, `alert` or `emergency`. In the modern era it is remembered, and every later call names it.
    ///
    /// # Errors
    ///
    /// The session is not ready, too many calls are in flight, or a modern session does not know the level.
    pub fn set_log_level(
        &mut self,
        now: Tick,
        level: &str,
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        if self.is_ready_modern() {
            self.log_level = Some(LogLevel::read(level).ok_or(Misuse::UnknownLogLevel)?);
            self.turn(now);
            return Ok(self.settle_at_once(Answer::Done));
        }
        self.call(now, Purpose::Done, "logging/setLevel", options, &|out| push_member(out, "level", level))
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    ///
    /// The session is not ready or of the modern era, which has no pings, or too many calls are in flight.
    pub fn ping(&mut self, now: Tick, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        self.refuse_legacy("ping")?;
        self.call(now, Purpose::Done, "ping", options, &|_| {})
    }

    /// Asks a modern server anew what it speaks and offers; the session stays as it is.
    ///
    /// # Errors
    ///
    /// The session is not ready or of the legacy era, or too many calls are in flight.
    pub fn discover(&mut self, now: Tick, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        if let Some(handshake) = self.handshake.as_ref().filter(|_| !self.is_modern()) {
            return Err(Misuse::NotInRevision { what: "`server/discover`", revision: handshake.revision });
        }
        if let Some(call) = self.cached(now, &Key::Discovery, options) {
            return Ok(call);
        }
        self.call(now, Purpose::Rediscover, "server/discover", options, &|_| {})
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
        options: CallOptions<'_>,
    ) -> Result<CallId, Misuse> {
        let members = check_object(params, "the parameters")?;
        self.refuse_legacy(method)?;
        if method == super::listen::METHOD && self.is_modern() {
            return Err(Misuse::NotInRevision {
                what: "raw streams: `listen` opens them",
                revision: Revision::V2026_07_28,
            });
        }
        let view = View::trusted(params.trim_ascii());
        let (own, is_alone) = (view.get("_meta"), options.meta.is_none() && !options.progress);
        let Some(own) = own.filter(|_| !is_alone || self.is_modern()) else {
            return self.call(now, Purpose::Raw, method, options, &|out| push_compact(out, members));
        };
        if options.meta.is_some() || view.members().filter(|(name, _)| name.is("_meta")).count() > 1 {
            return Err(Misuse::MetaTwice);
        }
        let options = CallOptions { meta: Some(own.as_str()), ..options };
        self.call(now, Purpose::Raw, method, options, &|out| push_without_meta(out, view))
    }

    /// Gives up on a call: it is settled at once and the server is told. A call that is over stays as it is.
    pub fn cancel(&mut self, now: Tick, call: CallId) {
        self.turn(now);
        if let Some(id) = self.request_of(call) {
            self.cancel_request(id);
        }
    }

    /// Settles the call that waits for a request as cancelled, and tells the server.
    pub(super) fn cancel_request(&mut self, id: u64) {
        let Some(waiting) = self.requests.take(id) else { return };
        if waiting.tag.is_sent() {
            self.send_cancelled(id, "cancelled by the application");
        }
        self.forget_listen(id);
        self.fail(&waiting.tag, CallError::Cancelled);
        self.abandon(id, &waiting.tag);
    }

    /// Returns the request that a call waits for; listings and calls of several rounds make more than one.
    fn request_of(&self, call: CallId) -> Option<u64> {
        match self.requests.get(call.0) {
            Some(tag) => tag.purpose.is_call().then_some(call.0),
            None => self.requests.find(|tag| tag.call == call),
        }
    }

    fn list(&mut self, now: Tick, kind: ListKind, options: CallOptions<'_>) -> Result<CallId, Misuse> {
        self.turn(now);
        let era = if self.is_modern() { Era::Modern } else { Era::Legacy };
        if self.is_ready_modern()
            && !options.bypass_cache
            && let Some(pages) = self.cached_pages(kind)
        {
            let call = CallId(self.requests.mint());
            self.finish_list(call, &pages, self.contracts.edition());
            return Ok(call);
        }
        let purpose = Purpose::List { pages: Pages::new(kind, era), edition: 0 };
        self.call(now, purpose, kind.method(), options, &|_| {})
    }

    /// Makes a call that is settled already.
    pub(super) fn settle_at_once(&mut self, answer: Answer) -> CallId {
        let call = CallId(self.requests.mint());
        self.settle(call, Ok(answer));
        call
    }

    fn refuse_legacy(&self, method: &str) -> Result<(), Misuse> {
        let found = LEGACY_ONLY.iter().find(|(own, _)| *own == method && self.is_ready_modern());
        found.map_or(Ok(()), |(_, what)| Err(Misuse::NotInRevision { what, revision: Revision::V2026_07_28 }))
    }

    pub(super) fn is_ready_modern(&self) -> bool {
        self.state == State::Ready && self.is_modern()
    }

    /// Makes a call. `members` appends the members of its parameters, of which there may be none.
    pub(super) fn call(
        &mut self,
        now: Tick,
        purpose: Purpose,
        method: &str,
        options: CallOptions<'_>,
        members: &dyn Fn(&mut String),
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
        let extra = self.extra(options)?;
        let call = CallId(self.requests.mint());
        let patience = options.patience.unwrap_or(self.config.patience);
        let (message, members) = self.encode(call.0, method, extra, members)?;
        self.has_wanted_logs |= extra.log_level.is_some();
        let again = (self.is_modern() && purpose.may_ask())
            .then(|| Box::new(Again::new(purpose.method(), members.of(&message), extra)));
        let tag = Tag { again, ..Tag::new(call, purpose, self.cache.generation()) };
        self.requests.wait(self.now, call.0, patience, tag);
        self.send(message);
        Ok(call)
    }

    /// Checks what the options add to a request's `_meta`.
    fn extra<'a>(&self, options: CallOptions<'a>) -> Result<Extra<'a>, Misuse> {
        let added = match options.meta {
            None => "",
            Some(meta) => {
                let meta = View::new(meta).map_err(|error| Misuse::NotJson { what: "`_meta`", error })?;
                check_added(meta, options.progress)?
            }
        };
        let log_level = options.log_level.or(self.log_level);
        if let (Some(_), Some(handshake)) = (log_level, self.handshake.as_ref().filter(|_| !self.is_modern()))
        {
            let what = "log level of a single call: `set_log_level` sets one for all";
            return Err(Misuse::NotInRevision { what, revision: handshake.revision });
        }
        Ok(Extra { progress: options.progress, log_level, added })
    }

    /// Writes a request, and says where the members of its parameters stand in it, `_meta` apart.
    pub(super) fn encode(
        &self,
        id: u64,
        method: &str,
        extra: Extra<'_>,
        members: &dyn Fn(&mut String),
    ) -> Result<(String, Span), Misuse> {
        let meta = Meta {
            envelope: self.envelope.as_ref(),
            progress_token: extra.progress.then_some(id),
            log_level: extra.log_level,
            added: extra.added,
        };
        let mut message = String::with_capacity(if meta.envelope.is_some() { 512 } else { 192 });
        let mut span = Span { start: 0, end: 0 };
        jsonrpc::push_request(&mut message, id, method, |out| {
            out.push('{');
            span.start = out.len();
            members(out);
            span.end = out.len();
            if !meta.is_empty() {
                if span.end > span.start {
                    out.push(',');
                }
                out.push_str("\"_meta\":");
                meta.push_to(out);
            }
            out.push('}');
        });
        let limit = self.config.limits.max_message_bytes;
        if message.len() > limit {
            return Err(Misuse::TooLarge { bytes: message.len(), limit });
        }
        Ok((message, span))
    }
}

/// Appends the members of an object but for `_meta`.
fn push_without_meta(out: &mut String, object: View<'_>) {
    let start = out.len();
    for (name, value) in object.members().filter(|(name, _)| !name.is("_meta")) {
        if out.len() > start {
            out.push(',');
        }
        name.push_to(out);
        out.push(':');
        push_compact(out, value.as_str());
    }
}

pub(super) fn push_member(out: &mut String, name: &str, content: &str) {
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
