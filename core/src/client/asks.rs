//! What a server asks of its client: ping always, the rest only where it was offered.

use alloc::string::String;

use super::{AskId, Client, Event, Offered, config::Excess};
use crate::{
    Misuse, Tick, Violation,
    json::{Kind, RawJson, View, name_twice},
    jsonrpc::{self, Id, RpcError},
};

/// A question that waits for the application.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) what: Offered,
    /// The request that the answer belongs into; `None` where the server made a request of its own.
    pub(super) call: Option<u64>,
}

impl Client {
    /// Answers what the server asked with [`Event::Asked`]: with the result, an object, or with an error.
    ///
    /// Where the question came with a call of a modern server, an error ends that call with
    /// [`CallError::AskRefused`](super::CallError::AskRefused), and the other questions of the call are withdrawn.
    ///
    /// # Errors
    ///
    /// The server does not wait for this answer, or the result is not an object.
    pub fn answer_ask(
        &mut self,
        now: Tick,
        ask: &AskId,
        answer: Result<&RawJson, &RpcError>,
    ) -> Result<(), Misuse> {
        self.turn(now);
        if answer.is_ok_and(|result| result.view().kind() != Kind::Object) {
            return Err(Misuse::NotAnObject { what: "the answer" });
        }
        let Some(Asked { what, call }) = self.requests.answer(&ask.0) else {
            return Err(Misuse::UnknownAsk);
        };
        match (call, answer) {
            (Some(call), answer) => self.round_answered(call, ask, what, answer),
            (None, Ok(result)) => self.reply(&ask.0, result.as_str()),
            (None, Err(error)) => self.reply_error(Some(&ask.0), error),
        }
        Ok(())
    }

    pub(super) fn asked(&mut self, id: Id, method: &str, params: Option<View<'_>>) {
        if self.is_modern() {
            // Only clients make requests there, and no client answers one.
            self.violated(Violation::RequestOfServer);
            return;
        }
        if let Err(violation) = self.check_ask(&id, method, params) {
            let message = alloc::format!("{violation}");
            if let Some(code) = self.violated(violation) {
                self.reply_error(Some(&id), &RpcError::new(code, message));
            }
            return;
        }
        let Some(what) = Offered::of(method) else {
            self.reply(&id, "{}");
            return;
        };
        self.requests.ask(id.clone(), Asked { what, call: None });
        let params = params.unwrap_or(View::trusted("{}")).to_raw();
        self.tell(Event::Asked { ask: AskId(id), what, params });
    }

    fn check_ask(&self, id: &Id, method: &str, params: Option<View<'_>>) -> Result<(), Violation> {
        let limits = &self.config.limits;
        if id.bytes() > limits.max_id_bytes {
            return Err(Violation::IdTooLong { bytes: id.bytes(), limit: limits.max_id_bytes });
        }
        if method.len() > limits.max_method_bytes {
            return Err(Violation::MethodTooLong { bytes: method.len(), limit: limits.max_method_bytes });
        }
        if params.is_some_and(|params| params.kind() != Kind::Object) {
            return Err(Violation::BadParams);
        }
        if let Some(pointer) = params.and_then(|params| name_twice(params.as_str())) {
            return Err(Violation::DuplicateName { pointer: alloc::format!("/params{pointer}") });
        }
        let Some(what) = Offered::of(method) else {
            return if method == "ping" { Ok(()) } else { Err(Violation::MethodNotOffered) };
        };
        match self.config.offers.check(what, params.unwrap_or(View::trusted("{}"))) {
            Ok(()) => {}
            Err(Excess::Kind) => return Err(Violation::MethodNotOffered),
            Err(Excess::Way) => return Err(Violation::WayNotOffered),
        }
        if self.requests.asked(id) {
            return Err(Violation::IdInUse);
        }
        if self.requests.asks() >= limits.max_asks {
            return Err(Violation::TooManyAsks { limit: limits.max_asks });
        }
        Ok(())
    }

    fn reply(&mut self, id: &Id, result: &str) {
        let mut message = String::with_capacity(64 + result.len());
        jsonrpc::push_result(&mut message, id, result);
        self.send(message);
    }

    pub(super) fn reply_error(&mut self, id: Option<&Id>, error: &RpcError) {
        if self.is_modern() {
            return;
        }
        let mut message = String::with_capacity(96 + error.message.len());
        jsonrpc::push_error(&mut message, id, error);
        self.send(message);
    }
}
