//! Messages that come as one (2025-03-26): their answers go back as one.

use alloc::string::String;

use super::{Hub, Origin, Peer, Refusal, Route, hub::Source};
use crate::{
    Tick, Violation,
    jsonrpc::{self, Fault, Message, RpcError, code},
    protocol::Revision,
};

/// A batch whose answers are not complete.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) source: Source,
    /// Requests that have no answer yet.
    left: usize,
    /// The answers so far: an array that is not closed.
    answers: String,
}

impl Hub {
    /// A client sent several messages as one.
    pub(crate) fn accept_batch(&mut self, now: Tick, peer: Peer, origin: Origin, batch: &jsonrpc::Batch<'_>) {
        self.turn(now);
        let source = Source { peer, origin, batch: None };
        if let Err(violation) = self.check_batch(peer, batch.len()) {
            let error = RpcError::new(code::INVALID_REQUEST, alloc::format!("{violation}"));
            self.violated(peer, violation);
            return self.refuse_with(source, None, &error, Some(Refusal::Malformed));
        }
        let serial = self.serial.next();
        let source = Source { batch: Some(serial), ..source };
        // The extra one keeps the batch open until every entry was seen.
        self.batches.insert(serial, Batch { source, left: 1, answers: String::new() });
        for entry in batch.entries() {
            let envelope = jsonrpc::read_entry(entry);
            let message = jsonrpc::classify_once(entry, &envelope);
            let is_answered = matches!(message, Ok(Message::Request { .. }) | Err(_));
            if let Some(batch) = self.batches.get_mut(&serial).filter(|_| is_answered) {
                batch.left += 1;
            }
            match message {
                Ok(message) => self.take(source, entry, message),
                Err(misfit) => self.misfit(source, &misfit),
            }
        }
        self.answer_in_batch(source, None);
    }

    fn check_batch(&self, peer: Peer, messages: usize) -> Result<(), Violation> {
        let limit = self.config.limits.max_batch_messages;
        if messages == 0 {
            return Err(Violation::NotJsonRpc(Fault::EmptyBatch));
        }
        if !self.revision(peer).is_some_and(Revision::has_batches) {
            return Err(Violation::Batch { messages });
        }
        if messages > limit {
            return Err(Violation::BatchTooLong { messages, limit });
        }
        Ok(())
    }

    /// One message of a batch is done with, with an answer or without one.
    pub(super) fn answer_in_batch(&mut self, source: Source, message: Option<String>) {
        let Some(serial) = source.batch else { return };
        let Some(batch) = self.batches.get_mut(&serial) else { return };
        if let Some(message) = message {
            batch.answers.push(if batch.answers.is_empty() { '[' } else { ',' });
            batch.answers.push_str(&message);
        }
        batch.left -= 1;
        if batch.left > 0 {
            return;
        }
        let Some(mut batch) = self.batches.remove(&serial) else { return };
        if batch.answers.is_empty() {
            return self.leave_unanswered(Source { batch: None, ..batch.source });
        }
        batch.answers.push(']');
        self.deliver(source.peer, Route::Answer(source.origin), batch.answers);
    }
}
