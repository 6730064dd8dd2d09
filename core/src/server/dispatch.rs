//! What a client writes: messages behind the lifecycle gate, and lines that are none.

use alloc::{format, string::String};

use super::{Served, ServedCall, Server, ServerEvent};
use crate::{
    Tolerance, Verdict, Violation,
    frame::{Bytes, Piece},
    json::{Kind, View, push_string},
    jsonrpc::{self, Envelope, Fault, Id, Message, RpcError, Shape, code},
    protocol::{Implementation, Revision},
};

impl Server {
    pub(super) fn piece(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Message(Bytes::Borrowed(bytes)) => self.message(bytes),
            Piece::Message(Bytes::Owned(bytes)) => self.message(&bytes),
            Piece::Overflowed { .. } => {
                let limit = self.config.limits.max_message_bytes;
                self.unreadable(Violation::TooLarge { limit }, code::INVALID_REQUEST);
            }
            Piece::BadHeader(bytes) => self.unreadable(Violation::BadHeader { bytes }, code::PARSE_ERROR),
            Piece::Dropped(_) | Piece::Resumed { .. } => {}
        }
    }

    /// Answers a message that shows no request (JSON-RPC 2.0 §5: the id is then null).
    fn unreadable(&mut self, violation: Violation, code: i64) {
        let error = RpcError::new(code, format!("{violation}"));
        self.tell(ServerEvent::PeerViolated(violation));
        self.reply_error(None, &error);
    }

    fn message(&mut self, bytes: &[u8]) {
        let text = match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let violation = Violation::NotUtf8 { valid_up_to: error.valid_up_to() };
                return self.unreadable(violation, code::PARSE_ERROR);
            }
        };
        let mut envelope = Envelope::default();
        match jsonrpc::read(text, &mut envelope) {
            Ok(Shape::One) => self.classified(text, &envelope),
            Ok(Shape::Batch(batch)) if batch.len() == 0 => {
                self.unreadable(Violation::NotJsonRpc(Fault::EmptyBatch), code::INVALID_REQUEST);
            }
            Ok(Shape::Batch(batch)) if batch.len() > self.config.limits.max_batch_messages => {
                let (messages, limit) = (batch.len(), self.config.limits.max_batch_messages);
                self.unreadable(Violation::BatchTooLong { messages, limit }, code::INVALID_REQUEST);
            }
            Ok(Shape::Batch(batch)) if self.revision.is_some_and(Revision::has_batches) => {
                for entry in batch.entries() {
                    self.classified(entry, &jsonrpc::read_entry(entry));
                }
            }
            Ok(Shape::Batch(batch)) => {
                self.unreadable(Violation::Batch { messages: batch.len() }, code::INVALID_REQUEST);
            }
            Err(error) => self.unreadable(Violation::NotJson(error), code::PARSE_ERROR),
        }
    }

    fn classified(&mut self, text: &str, envelope: &Envelope) {
        match jsonrpc::classify(text, envelope) {
            Ok((Message::Request { id, method, params }, _)) => self.request(id, &method, params),
            Ok((Message::Notification { method, params }, _)) => self.notified(&method, params),
            // A server of this kind asks nothing, so nothing answers it.
            Ok((Message::Response { .. }, _)) => {
                self.tell(ServerEvent::PeerViolated(Violation::UnknownResponse));
            }
            Err(misfit) => {
                self.tell(ServerEvent::PeerViolated(Violation::NotJsonRpc(misfit.fault)));
                let error = RpcError::new(code::INVALID_REQUEST, format!("{}", misfit.fault));
                self.reply_error(misfit.request.as_ref(), &error);
            }
        }
    }

    /// Refuses a request with the code that its violation calls for.
    fn refuse(&mut self, id: &Id, violation: Violation) {
        if let Verdict::Reply(code) = violation.verdict(Tolerance::Tolerant) {
            self.reply_error(Some(id), &RpcError::new(code, format!("{violation}")));
        }
        self.tell(ServerEvent::PeerViolated(violation));
    }

    fn request(&mut self, id: Id, method: &str, params: Option<View<'_>>) {
        let limits = &self.config.limits;
        if id.bytes() > limits.max_id_bytes {
            let violation = Violation::IdTooLong { bytes: id.bytes(), limit: limits.max_id_bytes };
            return self.refuse(&id, violation);
        }
        if method.len() > limits.max_method_bytes {
            let violation = Violation::MethodTooLong { bytes: method.len(), limit: limits.max_method_bytes };
            return self.refuse(&id, violation);
        }
        if params.is_some_and(|params| params.kind() != Kind::Object) {
            return self.refuse(&id, Violation::BadParams);
        }
        let params = params.unwrap_or(View::trusted("{}"));
        match method {
            "initialize" => self.initialize(&id, params),
            "ping" | "shutdown" => self.reply(&id, "{}"),
            "server/discover" => self.refuse(&id, Violation::MethodNotOffered),
            _ if self.revision.is_none() => {
                let error = RpcError::new(code::NOT_INITIALIZED, "the session is not initialized");
                self.reply_error(Some(&id), &error);
            }
            "tools/list" => {
                let tools = self.list_tools();
                self.reply(&id, &tools);
            }
            "tools/call" => self.call_tool(id, params),
            _ => self.refuse(&id, Violation::MethodNotOffered),
        }
    }

    fn initialize(&mut self, id: &Id, params: View<'_>) {
        if self.revision.is_some() {
            let error = RpcError::new(code::INVALID_REQUEST, "the session is initialized already");
            return self.reply_error(Some(id), &error);
        }
        let Some(asked) = params.get("protocolVersion").and_then(View::to_str) else {
            let error = RpcError::new(code::INVALID_PARAMS, "`protocolVersion` must be a string");
            return self.reply_error(Some(id), &error);
        };
        let revision = Revision::spoken(&asked).unwrap_or(Revision::V2025_11_25);
        let client = Implementation::read(params.get("clientInfo").unwrap_or(View::trusted("{}")));
        let mut result = String::from("{\"protocolVersion\":");
        push_string(&mut result, revision.as_str());
        result.push_str(",\"capabilities\":{\"tools\":{}},\"serverInfo\":");
        self.config.implementation.push_to(&mut result);
        if let Some(instructions) = &self.config.instructions {
            result.push_str(",\"instructions\":");
            push_string(&mut result, instructions);
        }
        result.push('}');
        self.revision = Some(revision);
        self.reply(id, &result);
        self.tell(ServerEvent::Initialized { client, revision });
    }

    fn list_tools(&self) -> String {
        let mut list = String::from("{\"tools\":[");
        for (at, tool) in self.config.tools.iter().enumerate() {
            if at > 0 {
                list.push(',');
            }
            list.push_str(tool.as_str());
        }
        list.push_str("]}");
        list
    }

    fn call_tool(&mut self, id: Id, params: View<'_>) {
        let limit = self.config.limits.max_asks;
        if self.requests.asked(&id) {
            return self.refuse(&id, Violation::IdInUse);
        }
        if self.requests.asks() >= limit {
            return self.refuse(&id, Violation::TooManyAsks { limit });
        }
        let name = params.get("name").and_then(View::to_str);
        let known = |name: &str| {
            self.config.tools.iter().any(|tool| tool.view().get("name").is_some_and(|own| own.is_str(name)))
        };
        let Some(name) = name.filter(|name| known(name)) else {
            let error = RpcError::new(code::INVALID_PARAMS, "unknown tool");
            return self.reply_error(Some(&id), &error);
        };
        let arguments = params.get("arguments").unwrap_or(View::trusted("{}"));
        if arguments.kind() != Kind::Object {
            let error = RpcError::new(code::INVALID_PARAMS, "`arguments` must be an object");
            return self.reply_error(Some(&id), &error);
        }
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
        let progress_token = token
            .filter(|token| matches!(token.kind(), Kind::Number | Kind::String))
            .filter(|token| token.as_str().len() <= self.config.limits.max_id_bytes)
            .map(|token| token.as_str().into());
        let event = ServerEvent::Called {
            call: ServedCall(id.clone()),
            name: name.into_owned(),
            arguments: arguments.to_raw(),
        };
        self.requests.ask(id, Served { progress_token });
        self.tell(event);
    }

    fn notified(&mut self, method: &str, params: Option<View<'_>>) {
        if method != "notifications/cancelled" {
            return;
        }
        let Some(id) = params.and_then(|params| params.get("requestId")).and_then(Id::read) else {
            let violation = Violation::BadNotification { method: "notifications/cancelled" };
            return self.tell(ServerEvent::PeerViolated(violation));
        };
        if self.requests.answer(&id).is_some() {
            self.tell(ServerEvent::Cancelled { call: ServedCall(id) });
        }
    }
}
