//! What is to be sent to the client of one exchange, from whoever has it said to whoever writes it.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use selvedge_core::http::{Exchange, ResponseHead};

/// Past this much that waits, a client has stopped reading and gets nothing more.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// The client of an exchange is gone, or its response was given up.
#[derive(Debug, thiserror::Error)]
#[error("the exchange is over")]
pub(super) struct Over;

/// The response of one exchange, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Outlet(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// A head that nobody sees before all that came with it is there: a whole response is sent as one.
    staged: Option<ResponseHead>,
    head: Option<ResponseHead>,
    parts: VecDeque<Bytes>,
    waiting: usize,
    end: Option<End>,
    reader: Option<Waker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete,
    Broken,
}

impl Outlet {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn respond(&self, head: ResponseHead) {
        self.lock().staged = Some(head);
    }

    /// Adds bytes; `false` where the client has stopped reading. One message more than the bound may wait.
    pub(super) fn write(&self, bytes: Vec<u8>) -> bool {
        let mut state = self.lock();
        if state.waiting > MAX_WAITING_BYTES {
            return false;
        }
        state.waiting += bytes.len();
        state.parts.push_back(bytes.into());
        true
    }

    pub(super) fn complete(&self) {
        self.end(End::Complete);
    }

    pub(super) fn give_up(&self) {
        self.end(End::Broken);
    }

    fn end(&self, end: End) {
        self.lock().end.get_or_insert(end);
    }

    /// Shows what has come, and tells whoever waits for it.
    pub(super) fn publish(&self) {
        let mut state = self.lock();
        if let Some(head) = state.staged.take() {
            state.head = Some(head);
        }
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.lock().end.is_some()
    }

    /// Returns the head once it is known, with the whole body where that is known too.
    pub(super) fn poll_head(
        &self,
        context: &mut Context<'_>,
    ) -> Poll<Result<(ResponseHead, Option<Bytes>), Over>> {
        let mut state = self.lock();
        if state.end == Some(End::Broken) {
            return Poll::Ready(Err(Over));
        }
        let Some(head) = state.head.take() else {
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        };
        // More than one part is left to be written as it is.
        let is_whole = state.end.is_some() && state.parts.len() <= 1;
        let whole = is_whole.then(|| state.parts.pop_front().unwrap_or_default());
        Poll::Ready(Ok((head, whole)))
    }

    fn poll_part(&self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Over>>> {
        let mut state = self.lock();
        if state.end == Some(End::Broken) {
            return Poll::Ready(Some(Err(Over)));
        }
        if let Some(part) = state.parts.pop_front() {
            state.waiting -= part.len();
            return Poll::Ready(Some(Ok(part)));
        }
        if state.end.is_some() {
            return Poll::Ready(None);
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }
}

/// What hears that a client is gone.
pub(super) trait Leave: Send + Sync {
    /// The client of an exchange is gone.
    fn leave(&self, exchange: Exchange);
}

/// The right to read an exchange's response. Who drops it before the end is gone.
pub(super) struct Ticket {
    pub(super) exchange: Exchange,
    pub(super) outlet: Arc<Outlet>,
    pub(super) shared: Arc<dyn Leave>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.outlet.is_over() {
            self.shared.leave(self.exchange);
        }
    }
}

/// The body of a response.
pub(super) enum Content {
    /// What is known from the start; it may be empty.
    Whole(Bytes),
    /// What comes as it is said.
    Parts(Ticket),
}

impl Body for Content {
    type Data = Bytes;
    type Error = Over;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Over>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Parts(ticket) => {
                ticket.outlet.poll_part(context).map(|part| part.map(|part| part.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Parts(_) => SizeHint::default(),
        }
    }
}
