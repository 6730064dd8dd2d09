//! Long batches, which are taken a slice at a time so that others have their turn in between.

use alloc::{borrow::ToOwned as _, collections::VecDeque, string::String};

use super::{Endpoint, shares::Account};
use crate::{
    Tick, jsonrpc,
    server::{Entries, Origin, Peer},
};

/// Messages of one batch that are taken in one turn.
const SLICE: usize = 64;

/// The batches that are not taken to their end, next one first.
#[derive(Debug, Default)]
pub(super) struct Batches {
    waiting: VecDeque<Rest>,
    due: Option<Tick>,
}

/// What is left of a batch.
#[derive(Debug)]
struct Rest {
    entries: Entries,
    text: String,
    account: Account,
}

impl Batches {
    /// Returns when the next slice is taken.
    pub(super) const fn due(&self) -> Option<Tick> {
        self.due
    }
}

impl Endpoint {
    /// Takes a batch, or the beginning of a long one, whose text is kept for whoever sent it.
    pub(super) fn accept_batch(
        &mut self,
        account: Account,
        peer: Peer,
        origin: Origin,
        text: &str,
        batch: &jsonrpc::Batch<'_>,
    ) {
        let is_long = batch.len() > SLICE;
        if is_long && !self.shares.keep(&self.config.limits, account, text.len()) {
            return self.hub.refuse_batch(self.now, peer, origin);
        }
        let Some(mut entries) = self.hub.open_batch(self.now, peer, origin, text, batch) else {
            return self.shares.free(account, if is_long { text.len() } else { 0 });
        };
        if !self.hub.take_entries(self.now, &mut entries, text, SLICE) {
            return self.shares.free(account, if is_long { text.len() } else { 0 });
        }
        self.batches.waiting.push_back(Rest { entries, text: text.to_owned(), account });
        self.batches.due.get_or_insert(self.now.after(core::time::Duration::from_millis(1)));
    }

    /// Takes the next slice of the batch whose turn it is.
    pub(super) fn take_batches(&mut self) {
        if self.batches.due.is_none_or(|due| due > self.now) {
            return;
        }
        if let Some(mut rest) = self.batches.waiting.pop_front() {
            if self.hub.take_entries(self.now, &mut rest.entries, &rest.text, SLICE) {
                self.batches.waiting.push_back(rest);
            } else {
                self.shares.free(rest.account, rest.text.len());
            }
        }
        let next = self.now.after(core::time::Duration::from_millis(1));
        self.batches.due = (!self.batches.waiting.is_empty()).then_some(next);
        self.pump();
    }
}
