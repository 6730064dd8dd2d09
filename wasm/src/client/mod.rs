//! The client.

pub mod effect;
pub(crate) mod handles;
mod outcome;

use selvedge_core::{
    ClientConfig, Misuse, Tick,
    client::{Answer, AskId, CallId, CallOptions, Effect, Event},
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    error::misuse,
    object::{Object, accompanied, list},
    options::{answer, call_options, client_config, exit_status, interests, open_error, read},
};
use handles::Handles;

/// One session with one server, as a value: bytes, ticks and commands in, effects out.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Client {
    inner: selvedge_core::Client,
    /// The calls under way, oldest first: their ids only grow.
    calls: Vec<CallId>,
    /// The streams of notifications that are open.
    listens: Vec<CallId>,
    asks: Handles<AskId>,
}

/// Makes one call of the core.
type MadeCall<'m> = dyn Fn(&mut selvedge_core::Client, CallOptions<'_>) -> Result<CallId, Misuse> + 'm;

/// Reads a clock of JavaScript: whole milliseconds, never negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and what is no time is the origin"
)]
pub(crate) const fn tick(now: f64) -> Tick {
    Tick::from_millis(now as u64)
}

#[expect(clippy::cast_precision_loss, reason = "no host lives for 2⁵³ ms")]
pub(crate) const fn millis(tick: Tick) -> f64 {
    tick.as_millis() as f64
}

// Inputs: what the world did.
#[wasm_bindgen]
impl Client {
    /// Makes a parked client: it owns no process and nothing has been opened.
    ///
    /// # Errors
    ///
    /// A member of the configuration is not known, or is not what it must be.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "ClientConfig")] config: &JsValue,
    ) -> Result<Client, JsValue> {
        let config: ClientConfig = read(config, "config", client_config)?;
        let inner = selvedge_core::Client::new(config);
        Ok(Self { inner, calls: Vec::new(), listens: Vec::new(), asks: Handles::default() })
    }

    /// The host has started the server.
    #[wasm_bindgen(js_name = handleOpened)]
    pub fn handle_opened(&mut self, now: f64) {
        self.inner.handle_opened(tick(now));
    }

    /// The host could not start the server.
    ///
    /// # Errors
    ///
    /// There is no such kind of failure.
    #[wasm_bindgen(js_name = handleOpenFailed)]
    pub fn handle_open_failed(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "OpenFailure")] kind: &str,
        message: String,
    ) -> Result<(), JsValue> {
        self.inner.handle_open_failed(tick(now), open_error(kind, message)?);
        Ok(())
    }

    /// The server wrote these bytes on its output.
    #[wasm_bindgen(js_name = handleBytes)]
    pub fn handle_bytes(&mut self, now: f64, bytes: &[u8]) {
        self.inner.handle_bytes(tick(now), bytes);
    }

    /// The server's output has ended.
    #[wasm_bindgen(js_name = handleEof)]
    pub fn handle_eof(&mut self, now: f64) {
        self.inner.handle_eof(tick(now));
    }

    /// The server's input takes no more bytes.
    #[wasm_bindgen(js_name = handleWriteFailed)]
    pub fn handle_write_failed(&mut self, now: f64, message: &str) {
        self.inner.handle_write_failed(tick(now), message);
    }

    /// The server wrote these bytes on its diagnostic stream.
    #[wasm_bindgen(js_name = handleStderr)]
    pub fn handle_stderr(&mut self, bytes: &[u8]) {
        self.inner.handle_stderr(bytes);
    }

    /// The server has exited.
    ///
    /// # Errors
    ///
    /// The status is none.
    #[wasm_bindgen(js_name = handleExited)]
    pub fn handle_exited(
        &mut self,
        now: f64,
        #[wasm_bindgen(unchecked_param_type = "ExitStatus")] status: &JsValue,
    ) -> Result<(), JsValue> {
        self.inner.handle_exited(tick(now), exit_status(status)?);
        Ok(())
    }

    /// The host lost sight of the server: whether it has exited will never be known.
    #[wasm_bindgen(js_name = handleExitLost)]
    pub fn handle_exit_lost(&mut self, now: f64) {
        self.inner.handle_exit_lost(tick(now));
    }

    /// Time has passed. Calling early does nothing.
    #[wasm_bindgen(js_name = handleTimeout)]
    pub fn handle_timeout(&mut self, now: f64) {
        self.inner.handle_timeout(tick(now));
    }
}

// Effects: what the host must do.
#[wasm_bindgen]
impl Client {
    /// Returns the next thing that the host must do, oldest first.
    ///
    /// # Errors
    ///
    /// Never.
    #[wasm_bindgen(js_name = pollEffect, unchecked_return_type = "Effect | undefined")]
    pub fn poll_effect(&mut self) -> Result<JsValue, JsValue> {
        let Some(effect) = self.inner.poll_effect() else { return accompanied(JsValue::UNDEFINED) };
        if let Effect::Event(event) = &effect {
            self.note(event);
        }
        accompanied(effect::effect(&effect, &mut self.asks))
    }

    /// Returns when the host must call `handleTimeout` next.
    #[wasm_bindgen(js_name = pollTimeout)]
    #[must_use]
    pub fn poll_timeout(&self) -> Option<f64> {
        self.inner.poll_timeout().map(millis)
    }

    /// Returns where the client stands.
    #[wasm_bindgen(unchecked_return_type = "State")]
    #[must_use]
    pub fn state(&self) -> String {
        self.inner.state().name().to_owned()
    }

    /// Returns what the handshake settled.
    ///
    /// # Errors
    ///
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Handshake | undefined")]
    pub fn handshake(&self) -> Result<JsValue, JsValue> {
        accompanied(self.inner.handshake().map_or(JsValue::UNDEFINED, crate::peer::handshake))
    }

    /// Returns why the session ended.
    ///
    /// # Errors
    ///
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Reason | undefined")]
    pub fn reason(&self) -> Result<JsValue, JsValue> {
        accompanied(self.inner.reason().map_or(JsValue::UNDEFINED, effect::reason))
    }

    /// Returns what the server wrote that is no message.
    ///
    /// # Errors
    ///
    /// Never.
    #[wasm_bindgen(unchecked_return_type = "Stray")]
    pub fn stray(&self) -> Result<JsValue, JsValue> {
        let stray = self.inner.stray();
        let told = Object::plain()
            .size("lines", stray.lines())
            .size("bytes", stray.bytes())
            .value("samples", &list(stray.samples().map(JsValue::from_str)));
        accompanied(told.done())
    }

    /// Returns the newest text of the server's diagnostic stream.
    #[wasm_bindgen(js_name = stderrTail)]
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.inner.stderr_tail()
    }

    /// Returns how many calls wait for their answers.
    #[wasm_bindgen(js_name = callsInFlight)]
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.inner.calls_in_flight()
    }
}

impl Client {
    /// Keeps what JavaScript can name: calls and streams that are under way.
    fn note(&mut self, event: &Event) {
        match event {
            Event::Settled { call, outcome } => {
                if let Ok(at) = self.calls.binary_search(call) {
                    self.calls.remove(at);
                }
                if let Ok(Answer::Listening { listen, .. }) = outcome {
                    self.listens.push(*listen);
                }
            }
            Event::ListenEnded { listen, .. } => self.listens.retain(|open| open != listen),
            _ => {}
        }
    }

    /// Notes a call that was made and returns its id.
    #[expect(clippy::cast_precision_loss, reason = "ids are minted one by one")]
    fn made(&mut self, made: Result<CallId, Misuse>) -> Result<f64, JsValue> {
        let call = made.map_err(|fault| misuse(&fault))?;
        // One that is settled at once may be older than the newest.
        let at = self.calls.partition_point(|known| *known < call);
        self.calls.insert(at, call);
        Ok(call.as_u64() as f64)
    }

    /// Makes a call with what JavaScript chose for it.
    fn make(&mut self, options: &JsValue, call: &MadeCall<'_>) -> Result<f64, JsValue> {
        let chosen = call_options(options, self.inner.config().patience)?;
        let made = call(&mut self.inner, chosen.as_options());
        self.made(made)
    }
}

// Commands: what the application wants.
#[wasm_bindgen]
impl Client {
    /// Starts the session: has the server opened, then shakes hands with it.
    ///
    /// # Errors
    ///
    /// A session connects once.
    pub fn connect(&mut self, now: f64) -> Result<(), JsValue> {
        self.inner.connect(tick(now)).map_err(|fault| misuse(&fault))
    }

    /// Ends the session: settles what waits, then retires the server.
    pub fn shutdown(&mut self, now: f64) {
        self.inner.shutdown(tick(now));
    }

    /// Gives up on a call: it is settled at once and the server is told. A call that is over stays as it is.
    pub fn cancel(&mut self, now: f64, call: f64) {
        let wanted = tick(call).as_millis();
        if let Ok(at) = self.calls.binary_search_by_key(&wanted, |call| call.as_u64())
            && let Some(call) = self.calls.get(at)
        {
            self.inner.cancel(tick(now), *call);
        }
    }

    /// Answers what the server asked.
    ///
    /// # Errors
    ///
    /// The server does not wait for this answer, or the answer is none.
    #[wasm_bindgen(js_name = answerAsk)]
    pub fn answer_ask(
        &mut self,
        now: f64,
        ask: f64,
        #[wasm_bindgen(js_name = "answer", unchecked_param_type = "AskAnswer")] given: &JsValue,
    ) -> Result<(), JsValue> {
        let given = answer(given)?;
        let ask = self.asks.get(ask).cloned().ok_or_else(|| misuse(&Misuse::UnknownAsk))?;
        self.inner.answer_ask(tick(now), &ask, given.as_ref()).map_err(|fault| misuse(&fault))?;
        self.asks.end(&ask);
        Ok(())
    }

    /// Opens a stream of notifications about what is of interest (2026-07-28).
    ///
    /// # Errors
    ///
    /// The session is not ready, its revision has no such streams, or too many are open.
    #[wasm_bindgen(unchecked_return_type = "CallId")]
    pub fn listen(
        &mut self,
        now: f64,
        #[wasm_bindgen(js_name = "interests", unchecked_param_type = "Interests")] wanted: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: &JsValue,
    ) -> Result<f64, JsValue> {
        let wanted = interests(wanted)?;
        self.make(options, &|client, options| client.listen(tick(now), &wanted, options))
    }

    /// Closes a stream of notifications.
    ///
    /// # Errors
    ///
    /// No such stream is open.
    #[wasm_bindgen(js_name = stopListening)]
    pub fn stop_listening(&mut self, now: f64, listen: f64) -> Result<(), JsValue> {
        let wanted = tick(listen).as_millis();
        let open = self.listens.iter().copied().find(|open| open.as_u64() == wanted);
        let listen = open.ok_or_else(|| misuse(&Misuse::UnknownListen))?;
        self.inner.stop_listening(tick(now), listen).map_err(|fault| misuse(&fault))?;
        self.listens.retain(|open| *open != listen);
        Ok(())
    }
}

/// Binds the calls, which differ in their parameters only. The descriptions are written as they reach TypeScript.
macro_rules! calls {
    ($($doc:literal $js:literal $name:ident ( $($param:ident: $type:literal),* );)*) => {
        #[wasm_bindgen]
        impl Client {
            $(
                #[doc = $doc]
                ///
                /// # Errors
                ///
                /// The session is not ready, too many calls are in flight, or a parameter is not what it must be.
                #[wasm_bindgen(js_name = $js, unchecked_return_type = "CallId")]
                pub fn $name(
                    &mut self,
                    now: f64,
                    $(#[wasm_bindgen(unchecked_param_type = $type)] $param: &str,)*
                    #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: &JsValue,
                ) -> Result<f64, JsValue> {
                    self.make(options, &|client, options| client.$name(tick(now), $($param,)* options))
                }
            )*
        }
    };
}

calls! {
    "Calls a tool with an object of arguments."
    "callTool" call_tool(name: "string", args: "JsonObjectInput");
    "Lists all tools, page by page."
    "listTools" list_tools();
    "Lists all resources, page by page."
    "listResources" list_resources();
    "Lists all templates of resources, page by page."
    "listResourceTemplates" list_resource_templates();
    "Lists all prompts, page by page."
    "listPrompts" list_prompts();
    "Reads a resource."
    "readResource" read_resource(uri: "string");
    "Asks to be told when a resource changes."
    "subscribe" subscribe(uri: "string");
    "Asks not to be told any more when a resource changes."
    "unsubscribe" unsubscribe(uri: "string");
    "Gets a prompt with an object of arguments, which are strings."
    "getPrompt" get_prompt(name: "string", args: "JsonObjectInput");
    "Completes an argument of a prompt or of a template: `ref` and `argument` of `completion/complete`."
    "complete" complete(reference: "JsonObjectInput", argument: "JsonObjectInput");
    "Sets the lowest level of the server's log messages."
    "setLogLevel" set_log_level(level: "LogLevel");
    "Asks the server for a sign of life."
    "ping" ping();
    "Asks a modern server what it is and what it offers."
    "discover" discover();
    "Makes any other request."
    "request" request(method: "string", params: "JsonObjectInput");
}
