//! The server: the other end of a wire that is shown.

use selvedge_core::{
    Misuse, ServerConfig, Tick,
    client::Offered,
    json::{RawJson, View},
    protocol::LogLevel,
    server::{
        Answer, Context, Hub, Input, Question, Request, ServedCall, ServerEffect, ServerEvent, StateKey,
    },
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    client::{
        effect::{Handles, offered},
        millis, tick,
    },
    error::{bad_option, error, misuse},
    js::Uint8Array,
    object::{Object, accompanied},
    options::{
        Fault, each, flag, framing, implementation, limits, members, must_be, raw, read, rpc_error, size,
        text, time, unknown, word,
    },
    peer,
};

/// One session with one client, as a value: bytes and commands in, effects out.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Server {
    inner: selvedge_core::Server,
    calls: Handles<ServedCall>,
}

#[wasm_bindgen]
impl Server {
    /// Makes a server that has met no client yet.
    ///
    /// # Errors
    ///
    /// A member of the configuration is not known, or is not what it must be.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "ServerConfig")] config: &JsValue,
    ) -> Result<Server, JsValue> {
        let config: ServerConfig = read(config, "config", server_config)?;
        Ok(Self { inner: selvedge_core::Server::new(config), calls: Handles::default() })
    }

    /// The client wrote these bytes.
    #[wasm_bindgen(js_name = handleBytes)]
    pub fn handle_bytes(&mut self, now: f64, bytes: &[u8]) {
        self.inner.handle_bytes(tick(now), bytes);
    }

    /// The client's output has ended.
    #[wasm_bindgen(js_name = handleEof)]
    pub fn handle_eof(&mut self, now: f64) {
        self.inner.handle_eof(tick(now));
    }

    /// Time has passed. Calling early does nothing.
    #[wasm_bindgen(js_name = handleTimeout)]
    pub fn handle_timeout(&mut self, now: f64) {
        self.inner.handle_timeout(tick(now));
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Nothing waits for this answer, or it is none.
    pub fn answer(
        &mut self,
        now: f64,
        call: f64,
        #[wasm_bindgen(js_name = "answer", unchecked_param_type = "ServerAnswer")] given: &JsValue,
    ) -> Result<(), JsValue> {
        let given = answer(given)?;
        let call = self.call(call)?;
        self.inner.answer(tick(now), call, given).map_err(|fault| misuse(&fault))?;
        self.calls.end(&call);
        Ok(())
    }

    /// Reports how far a request is, where its client wants to know.
    ///
    /// # Errors
    ///
    /// Nothing waits for an answer to it, or a number is not finite.
    #[wasm_bindgen(js_name = reportProgress)]
    #[expect(clippy::needless_pass_by_value, reason = "what may be absent crosses by value only")]
    pub fn report_progress(
        &mut self,
        now: f64,
        call: f64,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Result<(), JsValue> {
        let call = self.call(call)?;
        let hub = self.inner.hub();
        let reported = hub.report_progress(tick(now), call, progress, total, message.as_deref());
        reported.map_err(|fault| misuse(&fault))
    }

    /// Sends a log message to the client of a request, where it wants messages of this level; `data` is any value.
    ///
    /// # Errors
    ///
    /// Nothing waits for an answer to the request, there is no such level, or the text is not JSON.
    #[expect(clippy::needless_pass_by_value, reason = "what may be absent crosses by value only")]
    pub fn log(
        &mut self,
        now: f64,
        call: f64,
        #[wasm_bindgen(unchecked_param_type = "LogLevel")] level: &str,
        #[wasm_bindgen(unchecked_param_type = "JsonInput")] data: String,
        logger: Option<String>,
    ) -> Result<(), JsValue> {
        let call = self.call(call)?;
        let (level, data) = (level_of(level)?, json(data)?);
        let sent = self.inner.hub().log(tick(now), call, level, logger.as_deref(), &data);
        sent.map_err(|fault| misuse(&fault))
    }

    /// Sends a log message that belongs to no request to a client of the legacy era that wants messages of this
    /// level; `data` is any value.
    ///
    /// # Errors
    ///
    /// There is no such level, or the text is not JSON.
    #[wasm_bindgen(js_name = logToAll)]
    #[expect(clippy::needless_pass_by_value, reason = "what may be absent crosses by value only")]
    pub fn log_to_all(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "LogLevel")] level: &str,
        #[wasm_bindgen(unchecked_param_type = "JsonInput")] data: String,
        logger: Option<String>,
    ) -> Result<(), JsValue> {
        let (level, data) = (level_of(level)?, json(data)?);
        self.inner.hub().log_to_all(tick(now), level, logger.as_deref(), &data);
        Ok(())
    }

    /// Tells a client that watches a resource that it has changed.
    #[wasm_bindgen(js_name = resourceUpdated)]
    pub fn resource_updated(&mut self, now: f64, uri: &str) {
        self.inner.hub().resource_updated(tick(now), uri);
    }

    /// Offers other tools from here on.
    ///
    /// # Errors
    ///
    /// An entry is no JSON, has no name, or one that another entry has.
    #[wasm_bindgen(js_name = setTools)]
    pub fn set_tools(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "readonly JsonObjectInput[]")] tools: Vec<String>,
    ) -> Result<(), JsValue> {
        self.set(now, tools, Hub::set_tools)
    }

    /// Offers other resources from here on.
    ///
    /// # Errors
    ///
    /// As for `setTools`.
    #[wasm_bindgen(js_name = setResources)]
    pub fn set_resources(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "readonly JsonObjectInput[]")] resources: Vec<String>,
    ) -> Result<(), JsValue> {
        self.set(now, resources, Hub::set_resources)
    }

    /// Offers other templates of resources from here on.
    ///
    /// # Errors
    ///
    /// As for `setTools`.
    #[wasm_bindgen(js_name = setResourceTemplates)]
    pub fn set_resource_templates(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "readonly JsonObjectInput[]")] templates: Vec<String>,
    ) -> Result<(), JsValue> {
        self.set(now, templates, Hub::set_resource_templates)
    }

    /// Offers other prompts from here on.
    ///
    /// # Errors
    ///
    /// As for `setTools`.
    #[wasm_bindgen(js_name = setPrompts)]
    pub fn set_prompts(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "readonly JsonObjectInput[]")] prompts: Vec<String>,
    ) -> Result<(), JsValue> {
        self.set(now, prompts, Hub::set_prompts)
    }

    /// Returns the next thing that the host must do, oldest first.
    ///
    /// # Errors
    ///
    /// Never.
    #[wasm_bindgen(js_name = pollEffect, unchecked_return_type = "ServerEffect | undefined")]
    pub fn poll_effect(&mut self) -> Result<JsValue, JsValue> {
        let effect = self.inner.poll_effect();
        let effect = effect.map(|effect| server_effect(&effect, &mut self.calls));
        accompanied(effect.unwrap_or(JsValue::UNDEFINED))
    }

    /// Returns when the host must call `handleTimeout` next.
    #[wasm_bindgen(js_name = pollTimeout)]
    #[must_use]
    pub fn poll_timeout(&self) -> Option<f64> {
        self.inner.poll_timeout().map(millis)
    }

    /// Returns how many requests wait for the application.
    #[wasm_bindgen(js_name = callsInFlight)]
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.inner.calls_in_flight()
    }
}

impl Server {
    fn call(&self, call: f64) -> Result<ServedCall, JsValue> {
        self.calls.get(call).copied().ok_or_else(|| misuse(&Misuse::UnknownAsk))
    }

    fn set(
        &mut self,
        now: f64,
        entries: Vec<String>,
        set: fn(&mut Hub, Tick, Vec<RawJson>) -> Result<(), Misuse>,
    ) -> Result<(), JsValue> {
        let entries = entries.into_iter().map(json).collect::<Result<_, _>>()?;
        set(self.inner.hub(), tick(now), entries).map_err(|fault| misuse(&fault))
    }
}

fn json(text: String) -> Result<RawJson, JsValue> {
    RawJson::new(text).map_err(|fault| error("notJson", &fault).done())
}

fn level_of(name: &str) -> Result<LogLevel, JsValue> {
    LogLevel::read(name).ok_or_else(|| misuse(&Misuse::UnknownLogLevel))
}

fn server_config(config: &mut ServerConfig, name: &str, value: View<'_>) -> Result<(), Fault> {
    match name {
        "implementation" => members(&mut config.implementation, value, implementation)?,
        "instructions" => config.instructions = Some(text(value)?),
        "tools" => config.tools = each(value, raw)?,
        "resources" => config.resources = each(value, raw)?,
        "resourceTemplates" => config.resource_templates = each(value, raw)?,
        "prompts" => config.prompts = each(value, raw)?,
        "hasResources" => config.has_resources = flag(value)?,
        "hasPrompts" => config.has_prompts = flag(value)?,
        "completes" => config.completes = flag(value)?,
        "logs" => config.logs = flag(value)?,
        "watches" => config.watches = flag(value)?,
        "changes" => config.changes = flag(value)?,
        "allowsDestructive" => config.allows_destructive = flag(value)?,
        "destructiveHint" => config.destructive_hint = text(value)?,
        "pageEntries" => config.page_entries = size(value)?,
        "cacheTtl" => config.cache_ttl = time(value)?,
        "callTimeout" => config.call_timeout = time(value)?,
        "askTimeout" => config.ask_timeout = time(value)?,
        "stateTtl" => config.state_ttl = time(value)?,
        "stateKey" => config.state_key = Some(state_key(value)?),
        "framing" => config.framing = framing(value)?,
        "limits" => members(&mut config.limits, value, limits)?,
        _ => return Err(unknown()),
    }
    Ok(())
}

/// Reads how a request ends.
fn answer(value: &JsValue) -> Result<Answer, JsValue> {
    let given = read(value, "answer", |given: &mut Option<Answer>, name, value| {
        *given = Some(match name {
            "result" => Answer::Result(raw(value)?),
            "error" => Answer::Failed(rpc_error(value)?),
            "input" => {
                let mut input = Input::default();
                members(&mut input, value, input_member)?;
                Answer::Input(input)
            }
            "notFound" if value.as_bool() == Some(true) => Answer::NotFound,
            "crashed" if value.as_bool() == Some(true) => Answer::Crashed,
            "notFound" | "crashed" => return must_be("true", value),
            _ => return Err(unknown()),
        });
        Ok(())
    })?;
    let missing = "`answer` must hold `result`, `input`, `error`, `notFound` or `crashed`";
    given.ok_or_else(|| bad_option(&missing))
}

fn input_member(input: &mut Input, name: &str, value: View<'_>) -> Result<(), Fault> {
    match name {
        "questions" => input.questions = each(value, question)?,
        "state" => input.state = Some(text(value)?),
        _ => return Err(unknown()),
    }
    Ok(())
}

fn question(value: View<'_>) -> Result<Question, Fault> {
    let mut read = (None, None, None);
    members(&mut read, value, |(key, what, params), name, value| {
        match name {
            "key" => *key = Some(text(value)?),
            "what" => {
                let all = [Offered::Sampling, Offered::Elicitation, Offered::Roots];
                *what = Some(word(value, &all.map(|known| (offered(known), known)))?);
            }
            "params" => *params = Some(raw(value)?),
            _ => return Err(unknown()),
        }
        Ok(())
    })?;
    let (Some(key), Some(what), Some(params)) = read else {
        return Err("must hold `key`, `what` and `params`".to_owned());
    };
    Ok(Question { key, what, params })
}

/// Reads 32 bytes.
fn state_key(value: View<'_>) -> Result<StateKey, Fault> {
    let digits = text(value)?;
    let mut key = [0; 32];
    if digits.len() != 2 * key.len() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return must_be("32 bytes as 64 hexadecimal digits", value);
    }
    for (at, digit) in digits.chars().filter_map(|digit| digit.to_digit(16)).enumerate() {
        if let (Some(byte), Ok(digit)) = (key.get_mut(at / 2), u8::try_from(digit)) {
            *byte = *byte << 4 | digit;
        }
    }
    Ok(StateKey::new(key))
}

/// Makes the object of a server's effect; requests get their numbers from `calls`.
pub fn server_effect(effect: &ServerEffect, calls: &mut Handles<ServedCall>) -> JsValue {
    match effect {
        ServerEffect::Send(bytes) => Object::kind("send").value("bytes", &Uint8Array::copied(bytes)),
        ServerEffect::Event(event) => Object::kind("event").value("event", &server_event(event, calls)),
    }
    .done()
}

fn server_event(event: &ServerEvent, calls: &mut Handles<ServedCall>) -> JsValue {
    match event {
        ServerEvent::Initialized { client, revision, .. } => Object::kind("initialized")
            .value("client", &peer::implementation(client))
            .word("revision", revision.as_str()),
        ServerEvent::Requested { call, request: wanted, context: around } => Object::kind("requested")
            .number("call", calls.give(call))
            .value("request", &request(wanted))
            .value("context", &context(around)),
        ServerEvent::Cancelled { call } => Object::kind("cancelled").maybe("call", calls.end(call)),
        ServerEvent::Watched { uri } => Object::kind("watched").text("uri", uri),
        ServerEvent::Unwatched { uri } => Object::kind("unwatched").text("uri", uri),
        ServerEvent::RootsChanged { .. } => Object::kind("rootsChanged"),
        ServerEvent::PeerViolated { violation, .. } => {
            Object::kind("peerViolated").value("violation", &peer::violation(violation))
        }
        ServerEvent::Closed { .. } => Object::kind("closed"),
        _ => Object::kind("other"),
    }
    .done()
}

fn request(request: &Request) -> JsValue {
    match request {
        Request::CallTool { name, arguments } => {
            Object::kind("callTool").text("name", name).both("arguments", arguments.as_str())
        }
        Request::ReadResource { uri } => Object::kind("readResource").text("uri", uri),
        Request::GetPrompt { name, arguments } => {
            Object::kind("getPrompt").text("name", name).both("arguments", arguments.as_str())
        }
        Request::Complete { reference, argument, context } => {
            let (reference, argument) = (reference.as_str(), argument.as_str());
            let context = context.as_ref().map(|context| context.as_str());
            let raw = Object::plain().text("reference", reference).text("argument", argument);
            Object::kind("complete")
                .json("reference", reference)
                .json("argument", argument)
                .maybe_json("context", context)
                .value("raw", &raw.maybe_text("context", context).done())
        }
    }
    .done()
}

fn context(context: &Context) -> JsValue {
    let capabilities = context.capabilities().as_str();
    let answers = context.answers.as_ref().map(|answers| answers.as_str());
    let meta = context.meta.as_ref().map(|meta| meta.as_str());
    let raw = Object::plain()
        .text("capabilities", capabilities)
        .maybe_text("answers", answers)
        .maybe_text("meta", meta);
    Object::plain()
        .text("id", &context.id)
        .word("revision", context.revision.as_str())
        .maybe("client", context.client().as_ref().map(peer::implementation))
        .json("capabilities", capabilities)
        .maybe_json("answers", answers)
        .maybe_text("state", context.state.as_deref())
        .maybe_text("logLevel", context.log_level.map(LogLevel::as_str))
        .flag("wantsProgress", context.wants_progress)
        .maybe_json("meta", meta)
        .value("raw", &raw.done())
        .done()
}
