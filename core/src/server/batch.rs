//! Messages that come as one (2025-03-26): their answers go back as one, which is no longer than a message.

use alloc::{format, string::String, vec::Vec};

use super::{Hub, Origin, Peer, Refusal, Route, hub::Source, permits::Party};
use crate::{
    Tick, Violation,
    jsonrpc::{self, Fault, Id, Message, RpcError, code},
    protocol::Revision,
};

/// What the error for an answer that does not fit takes beside its id, in bytes.
const ERROR_BYTES: usize = 224;

/// A batch whose answers are not complete.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) source: Source,
    party: Party,
    /// Requests that have no answer yet.
    left: usize,
    /// The answers so far: an array that is not closed.
    answers: String,
    /// What the errors of those without an answer would take.
    reserved: usize,
    /// The bytes that are counted as the party's.
    kept: usize,
    /// So little room is left that no further request is made.
    is_full: bool,
}

/// Where the entries of a batch stand in its text.
#[derive(Debug)]
pub(crate) struct Entries {
    source: Source,
    spans: Vec<(usize, usize)>,
    next: usize,
}

impl Hub {
    /// A client sent several messages as one.
    pub(crate) fn accept_batch(
        &mut self,
        now: Tick,
        peer: Peer,
        origin: Origin,
        text: &str,
        batch: &jsonrpc::Batch<'_>,
    ) {
        if let Some(mut entries) = self.open_batch(now, peer, origin, text, batch) {
            self.take_entries(now, &mut entries, text, usize::MAX);
        }
    }

    /// There is no room to keep a batch.
    pub(crate) fn refuse_batch(&mut self, now: Tick, peer: Peer, origin: Origin) {
        self.turn(now);
        let message = "too many bodies are under way: send the batch again, or its messages one by one";
        let error = RpcError::no_room(message);
        self.refuse_with(Source { peer, origin, batch: None }, None, &error, Some(Refusal::Malformed));
    }

    /// A client sent several messages as one, which are taken one after the other; `None` where they are not.
    pub(crate) fn open_batch(
        &mut self,
        now: Tick,
        peer: Peer,
        origin: Origin,
        text: &str,
        batch: &jsonrpc::Batch<'_>,
    ) -> Option<Entries> {
        self.turn(now);
        let source = Source { peer, origin, batch: None };
        let party = self.peers.get(&peer)?.party;
        if let Err(violation) = self.check_batch(peer, batch.len()) {
            let error = RpcError::new(code::INVALID_REQUEST, format!("{violation}"));
            self.violated(peer, violation);
            self.refuse_with(source, None, &error, Some(Refusal::Malformed));
            return None;
        }
        let spans: Vec<_> = batch.spans(text).collect();
        let serial = self.serial.next();
        let source = Source { batch: Some(serial), ..source };
        // The extra one keeps the batch open until every entry was seen.
        let batch = Batch {
            source,
            party,
            left: 1,
            answers: String::new(),
            reserved: spans.len() * ERROR_BYTES,
            kept: 0,
            is_full: false,
        };
        self.batches.insert(serial, batch);
        Some(Entries { source, spans, next: 0 })
    }

    /// Takes the next entries of a batch, at most so many; returns whether there are more.
    pub(crate) fn take_entries(&mut self, now: Tick, entries: &mut Entries, text: &str, most: usize) -> bool {
        self.turn(now);
        let Entries { source, spans, next } = entries;
        let source = *source;
        let slice = spans.get(*next..).unwrap_or_default();
        for (start, end) in slice.iter().take(most) {
            *next += 1;
            self.take_entry(source, text.get(*start..*end).unwrap_or_default());
        }
        let is_more =
            *next < spans.len() && source.batch.is_some_and(|batch| self.batches.contains_key(&batch));
        if !is_more {
            self.answer_in_batch(source, None, None);
        }
        is_more
    }

    fn take_entry(&mut self, source: Source, entry: &str) {
        let envelope = jsonrpc::read_entry(entry);
        let message = jsonrpc::classify_once(entry, &envelope);
        let Some(batch) = source.batch.and_then(|batch| self.batches.get_mut(&batch)) else { return };
        let id = match &message {
            Ok(Message::Request { id, .. }) => Some(id.bytes()),
            Ok(_) => None,
            Err(misfit) => Some(misfit.request.as_ref().map_or(0, Id::bytes)),
        };
        match id {
            Some(bytes) => {
                batch.left += 1;
                batch.reserved += bytes;
            }
            None => batch.reserved = batch.reserved.saturating_sub(ERROR_BYTES),
        }
        let is_full = batch.is_full;
        match message {
            Ok(Message::Request { id, .. }) if is_full => self.refuse_in_batch(source, &id),
            Ok(message) => self.take(source, entry, message),
            Err(misfit) => self.misfit(source, &misfit),
        }
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

    /// Returns whether a message is part of a batch whose answer has no room for another.
    pub(super) fn is_in_full_batch(&self, source: Source) -> bool {
        source.batch.and_then(|batch| self.batches.get(&batch)).is_some_and(|batch| batch.is_full)
    }

    /// Answers a request of a batch whose answer has no room for another.
    pub(super) fn refuse_in_batch(&mut self, source: Source, id: &Id) {
        let error = self.no_room();
        self.reply_error(source, Some(id), &error);
    }

    fn no_room(&self) -> RpcError {
        let limit = self.config.limits.max_message_bytes;
        let message = format!("the answers of the batch exceed {limit} bytes: make this request in another");
        RpcError::new(code::INTERNAL_ERROR, message)
    }

    /// One message of a batch is done with, with an answer or without one.
    pub(super) fn answer_in_batch(&mut self, source: Source, id: Option<&Id>, message: Option<String>) {
        let Some(serial) = source.batch else { return };
        if let Some(message) = message {
            self.push_answer(serial, id, message);
        }
        let Some(batch) = self.batches.get_mut(&serial) else { return };
        batch.left -= 1;
        if batch.left > 0 {
            return;
        }
        let Some(mut batch) = self.batches.remove(&serial) else { return };
        self.permits.free(batch.party, batch.kept);
        if batch.answers.is_empty() {
            return self.leave_unanswered(Source { batch: None, ..batch.source });
        }
        batch.answers.push(']');
        self.deliver(source.peer, Route::Answer(source.origin), batch.answers);
    }

    /// Adds an answer to those of its batch, or an error where that has no room for it.
    fn push_answer(&mut self, serial: u64, id: Option<&Id>, mut message: String) {
        let limits = &self.config.limits;
        let Some(batch) = self.batches.get_mut(&serial) else { return };
        let own = ERROR_BYTES + id.map_or(0, Id::bytes);
        batch.reserved = batch.reserved.saturating_sub(own);
        if message.len() > own {
            let taken = batch.answers.len() + batch.reserved + 2;
            let left = limits.max_message_bytes.saturating_sub(taken);
            let is_kept = message.len() <= left && self.permits.keep(limits, batch.party, message.len());
            if is_kept {
                batch.kept += message.len();
            } else {
                batch.is_full |= left < limits.max_message_bytes / 4;
                let error = self.no_room();
                message.clear();
                jsonrpc::push_error(&mut message, id, &error);
            }
        }
        let Some(batch) = self.batches.get_mut(&serial) else { return };
        batch.answers.push(if batch.answers.is_empty() { '[' } else { ',' });
        batch.answers.push_str(&message);
    }

    /// Nobody waits for the batches of a client any more.
    pub(super) fn drop_batches(&mut self, peer: Peer) {
        let permits = &mut self.permits;
        self.batches.retain(|_, batch| {
            let is_kept = batch.source.peer != peer;
            if !is_kept {
                permits.free(batch.party, batch.kept);
            }
            is_kept
        });
    }
}
