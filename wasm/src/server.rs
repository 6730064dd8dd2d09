//! The server: the other end of a wire that is shown.

use js_sys::Uint8Array;
use selvedge_core::{
    Misuse, ServerConfig,
    json::{Kind, RawJson, View},
    server::{ServedCall, ServerEffect, ServerEvent},
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    client::{handles::Handles, millis, tick},
    error::misuse,
    object::Object,
    options::{Fault, answer, framing, implementation, limits, members, raw, read, text},
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
        let config: ServerConfig = read(config, "the configuration", server_config)?;
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

    /// Answers a call.
    ///
    /// # Errors
    ///
    /// The client does not wait for this answer, or the answer is none.
    pub fn answer(
        &mut self,
        call: f64,
        #[wasm_bindgen(js_name = "answer", unchecked_param_type = "AskAnswer")] given: &JsValue,
    ) -> Result<(), JsValue> {
        let given = answer(given)?;
        let call = self.call(call)?;
        self.inner.answer(&call, given.as_ref()).map_err(|fault| misuse(&fault))?;
        self.calls.end(&call);
        Ok(())
    }

    /// Reports how far a call is, where its client wants to know.
    ///
    /// # Errors
    ///
    /// The client does not wait for an answer to this call.
    #[wasm_bindgen(js_name = reportProgress)]
    pub fn report_progress(
        &mut self,
        call: f64,
        progress: u32,
        total: Option<u32>,
        message: Option<String>,
    ) -> Result<(), JsValue> {
        let call = self.call(call)?;
        let reported =
            self.inner.report_progress(&call, progress.into(), total.map(u64::from), message.as_deref());
        reported.map_err(|fault| misuse(&fault))
    }

    /// Returns the next thing that the host must do, oldest first.
    #[wasm_bindgen(js_name = pollEffect, unchecked_return_type = "ServerEffect | undefined")]
    pub fn poll_effect(&mut self) -> JsValue {
        let effect = self.inner.poll_effect();
        effect.map_or(JsValue::UNDEFINED, |effect| server_effect(&effect, &mut self.calls))
    }

    /// Returns when the host must call `handleTimeout` next.
    #[wasm_bindgen(js_name = pollTimeout)]
    #[must_use]
    pub fn poll_timeout(&self) -> Option<f64> {
        self.inner.poll_timeout().map(millis)
    }

    /// Returns how many calls wait for the application.
    #[wasm_bindgen(js_name = callsInFlight)]
    #[must_use]
    pub fn calls_in_flight(&self) -> usize {
        self.inner.calls_in_flight()
    }
}

impl Server {
    fn call(&self, call: f64) -> Result<ServedCall, JsValue> {
        self.calls.get(call).cloned().ok_or_else(|| misuse(&Misuse::UnknownAsk))
    }
}

fn server_config(config: &mut ServerConfig, name: &str, value: View<'_>) -> Result<(), Fault> {
    match name {
        "implementation" => members(&mut config.implementation, value, "the implementation", implementation)?,
        "instructions" => config.instructions = Some(text(value)?),
        "tools" => config.tools = tools(value)?,
        "framing" => config.framing = framing(value)?,
        "limits" => members(&mut config.limits, value, "the limits", limits)?,
        _ => return Err("is not known".to_owned()),
    }
    Ok(())
}

fn tools(value: View<'_>) -> Result<Vec<RawJson>, Fault> {
    if value.kind() != Kind::Array {
        return Err("must be an array of JSON texts".to_owned());
    }
    value.elements().map(raw).collect()
}

/// Makes the object of a server's effect; calls get their numbers from `calls`.
pub fn server_effect(effect: &ServerEffect, calls: &mut Handles<ServedCall>) -> JsValue {
    match effect {
        ServerEffect::Send(bytes) => Object::kind("send").value("bytes", &Uint8Array::new_from_slice(bytes)),
        ServerEffect::Event(event) => Object::kind("event").value("event", &server_event(event, calls)),
    }
    .done()
}

fn server_event(event: &ServerEvent, calls: &mut Handles<ServedCall>) -> JsValue {
    match event {
        ServerEvent::Initialized { client, revision } => Object::kind("initialized")
            .value("client", &peer::implementation(client))
            .text("revision", revision.as_str()),
        ServerEvent::Called { call, name, arguments } => Object::kind("called")
            .number("call", calls.give(call))
            .text("name", name)
            .text("arguments", arguments.as_str()),
        ServerEvent::Cancelled { call } => Object::kind("cancelled").maybe("call", calls.end(call)),
        ServerEvent::PeerViolated(what) => {
            Object::kind("peerViolated").value("violation", &peer::violation(what))
        }
        ServerEvent::Closed => Object::kind("closed"),
        _ => Object::kind("other"),
    }
    .done()
}
