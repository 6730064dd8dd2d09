//! What is to be sent to the client of one exchange, from whoever has it said to whoever writes it.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use selvedge_core::http::{Exchange, ResponseHead};

use super::places::{Active, Flow, Pace, Place};

/// Past this much that waits, a client has stopped reading and gets nothing more.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// Longer contents are handed over in pieces of this many bytes, so that it shows whether they are taken.
const PIECE: usize = 64 << 10;

/// The answer in place of one that is too long.
const NO_ROOM: &[u8] = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer does not fit beside those that clients have not read yet: read them, then make the request again","data":{"retry":true}}}"#;

/// The client of an exchange is gone, or its response was given up.
#[derive(Debug, thiserror::Error)]
#[error("the exchange is over")]
pub(super) struct Over;

/// The response of one exchange, as far as it is known.
#[derive(Debug)]
pub(super) struct Outlet {
    state: Mutex<State>,
    /// The place of its connection.
    place: Arc<Place>,
    /// How the client takes it, once it is read in parts.
    pace: OnceLock<Arc<Pace>>,
}

/// What becomes of bytes for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// They wait for it.
    Taken,
    /// There is no room for them, and the response says so.
    Refused,
    /// The client has stopped reading, or there is no room for more in a response that has begun.
    Broken,
}

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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn new(place: Arc<Place>) -> Self {
        Self { state: Mutex::default(), place, pace: OnceLock::new() }
    }

    pub(super) fn respond(&self, head: ResponseHead) {
        self.lock().staged = Some(head);
    }

    /// Adds bytes. One message more than the bound may wait.
    pub(super) fn write(&self, bytes: Vec<u8>) -> Write {
        let has_room = self.place.has_room(bytes.len());
        let mut state = self.lock();
        if state.waiting > MAX_WAITING_BYTES {
            return Write::Broken;
        }
        if has_room {
            state.waiting += bytes.len();
            let is_whole = state.staged.is_some() && state.parts.is_empty();
            state.parts.push_back(self.place.count(bytes, is_whole));
            if let Some(pace) = self.pace.get() {
                pace.wait(&self.place);
            }
            return Write::Taken;
        }
        let State { staged: Some(head), parts, .. } = &mut *state else { return Write::Broken };
        if !parts.is_empty() || head.header("content-type") != Some("application/json") {
            return Write::Broken;
        }
        head.status = 503;
        head.headers.push(("retry-after", "1".to_owned()));
        parts.push_back(Bytes::from_static(NO_ROOM));
        Write::Refused
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

    fn poll_part(&self, context: &mut Context<'_>, flow: &Flow) -> Poll<Option<Result<Bytes, Over>>> {
        let mut state = self.lock();
        if state.end == Some(End::Broken) {
            return Poll::Ready(Some(Err(Over)));
        }
        if let Some(part) = state.parts.front_mut() {
            let part = if part.len() > PIECE { Some(part.split_to(PIECE)) } else { state.parts.pop_front() };
            let part = part.unwrap_or_default();
            state.waiting = state.waiting.saturating_sub(part.len());
            flow.note_taken(!state.parts.is_empty());
            return Poll::Ready(Some(Ok(part)));
        }
        flow.note_taken(false);
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
    /// The same, where it is so long that it takes its time.
    Long(Bytes, Flow),
    /// What comes as it is said.
    Parts(Ticket, Flow),
}

impl Content {
    /// Makes the body of a response of which so much is known that it is whole.
    pub(super) fn of(whole: Option<Bytes>, ticket: Ticket) -> Self {
        match whole {
            Some(bytes) if bytes.len() <= PIECE => Self::Whole(bytes),
            Some(bytes) => Self::Long(bytes, ticket.outlet.place.watch()),
            None => {
                let flow = ticket.outlet.place.watch();
                let _ = ticket.outlet.pace.set(flow.pace().clone());
                Self::Parts(ticket, flow)
            }
        }
    }
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
            Self::Long(bytes, _) if bytes.is_empty() => Poll::Ready(None),
            Self::Long(bytes, flow) => {
                let piece = bytes.split_to(bytes.len().min(PIECE));
                flow.note_taken(!bytes.is_empty());
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Self::Parts(ticket, flow) => {
                ticket.outlet.poll_part(context, flow).map(|part| part.map(|part| part.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) | Self::Long(bytes, _) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) | Self::Long(bytes, _) => SizeHint::with_exact(bytes.len() as u64),
            Self::Parts(..) => SizeHint::default(),
        }
    }
}

/// A body whose request is under way until it has been handed over.
pub(super) struct Guarded {
    content: Content,
    _active: Active,
}

impl Guarded {
    pub(super) const fn new(content: Content, active: Active) -> Self {
        Self { content, _active: active }
    }
}

impl Body for Guarded {
    type Data = Bytes;
    type Error = Over;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Over>>> {
        Pin::new(&mut self.get_mut().content).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.content.size_hint()
    }
}
