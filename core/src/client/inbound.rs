//! What a server writes: pieces of the stream, messages, and lines that are none.

use alloc::string::String;

use super::{
    AnswerFault, AskId, CallError, Client, Effect, Event, Hint, Progress, Tag, changes::Changes, echo, stray,
};
use crate::{
    Violation,
    frame::{Bytes, Framer, Piece},
    json::{Decimal, Expected, Index, Kind, RawJson, Span, SyntaxError, View},
    jsonrpc::{self, Batch, Body, Envelope, Fault, Id, Message, ResponseId, RpcError, Salvage, Shape},
    requests::Waiting,
};

/// A line of valid UTF-8.
pub(super) enum Line<'a> {
    Borrowed(&'a str),
    Owned(String),
}

impl Line<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) => text,
        }
    }

    /// Keeps one value of the line. A line that was put together from several chunks and holds little else
    /// is kept whole instead of copied.
    fn keep(self, span: Span) -> RawJson {
        match self {
            Self::Owned(text) if (span.end - span.start) >= text.len() / 2 && text.len() >= KEEP_WHOLE => {
                RawJson::within(text, span)
            }
            line => RawJson::copied(span.of(line.as_str())),
        }
    }
}

const KEEP_WHOLE: usize = 64 << 10;

impl Client {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        if !self.is_open() {
            return;
        }
        // The framer is put back afterwards; meanwhile its pieces can be handled by the rest of the client.
        let mut framer = core::mem::replace(&mut self.framer, Framer::new(0));
        let mut feed = framer.feed(bytes);
        while let Some(piece) = feed.next() {
            self.piece(piece);
            if self.is_over() {
                return;
            }
        }
        self.framer = framer;
    }

    pub(super) fn piece(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Message(Bytes::Borrowed(bytes)) => match core::str::from_utf8(bytes) {
                Ok(text) => self.line(Line::Borrowed(text)),
                Err(error) => self.not_utf8(bytes, error.valid_up_to()),
            },
            Piece::Message(Bytes::Owned(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => self.line(Line::Owned(text)),
                Err(error) => self.not_utf8(error.as_bytes(), error.utf8_error().valid_up_to()),
            },
            Piece::Overflowed { salvaged } => {
                let limit = self.config.limits.max_message_bytes;
                self.stray.long_line(limit);
                self.violated(Violation::TooLarge { limit });
                self.settle_too_large(salvaged);
                self.check_stray();
            }
            Piece::Dropped(bytes) => {
                self.stray.dropped(bytes);
                self.check_stray();
            }
            Piece::Resumed { salvaged } => self.settle_too_large(salvaged),
            Piece::BadHeader(bytes) => {
                self.stray.long_line(bytes);
                self.violated(Violation::BadHeader { bytes });
                self.check_stray();
            }
        }
    }

    fn settle_too_large(&mut self, salvaged: Option<u64>) {
        let limit = self.config.limits.max_message_bytes;
        if let Some(waiting) = salvaged.and_then(|id| self.take_sent(id)) {
            self.fail(&waiting.tag, CallError::TooLarge { limit });
        }
    }

    fn check_stray(&mut self) {
        if self.is_over() {
            return;
        }
        if let Some(excess) = self.stray.excess(&self.config.limits) {
            self.violated(excess);
        }
    }

    fn not_utf8(&mut self, line: &[u8], valid_up_to: usize) {
        let salvaged = Salvage::of(line);
        self.stray_line(line, stray::name_bytes(line, valid_up_to));
        self.settle_malformed(salvaged, AnswerFault::NotUtf8 { valid_up_to });
    }

    /// Counts and reports a line that is no message.
    fn stray_line(&mut self, line: &[u8], violation: Violation) {
        self.stray.line(line, &self.config.limits);
        self.violated(violation);
        self.check_stray();
    }

    /// Settles the call that a broken line answers: its answer will not come again.
    fn settle_malformed(&mut self, id: Option<u64>, fault: AnswerFault) {
        if let Some(waiting) = id.and_then(|id| self.take_sent(id)) {
            self.fail(&waiting.tag, CallError::Malformed { fault, raw: None });
        }
    }

    fn line(&mut self, line: Line<'_>) {
        if self.echo.is_known() && self.echo.takes(line.as_str()) {
            return;
        }
        let mut envelope = Envelope::default();
        match jsonrpc::read(line.as_str(), &mut envelope) {
            Ok(Shape::One) => self.message(line, &mut envelope),
            Ok(Shape::Batch(batch)) => self.batch(line.as_str(), &batch),
            Err(error) if error.expected == Expected::End && envelope.is_object() => {
                self.joined(line.as_str(), error);
            }
            Err(error) => self.not_json(line.as_str(), error),
        }
    }

    fn not_json(&mut self, line: &str, error: SyntaxError) {
        let bytes = line.as_bytes();
        let salvaged = Salvage::of(bytes);
        self.stray_line(bytes, stray::name(bytes, error));
        self.settle_malformed(salvaged, AnswerFault::NotJson(error));
    }

    /// Takes a line on which an object is followed by more: several messages that miss the line feed between
    /// them, or other output behind one. Each object that stands outside of any other is a message.
    fn joined(&mut self, line: &str, error: SyntaxError) {
        self.violated(Violation::JoinedLine { at: error.at });
        let mut rest = line;
        while !self.is_over() {
            let mut envelope = Envelope::default();
            let after = match jsonrpc::read_first(rest, &mut envelope) {
                Ok(end) => {
                    let (message, after) = rest.split_at(end);
                    self.message(Line::Borrowed(message), &mut envelope);
                    after
                }
                // A brace that opens nothing is text. What breaks off further in may hold anything: an object
                // inside of it is not one that the server sent.
                Err(error) if rest.get(1..error.at).is_some_and(|inside| inside.trim().is_empty()) => {
                    rest.get(error.at..).unwrap_or_default()
                }
                Err(error) => {
                    return self.settle_malformed(Salvage::of(rest.as_bytes()), AnswerFault::NotJson(error));
                }
            };
            let Some(next) = memchr::memchr(b'{', after.as_bytes()) else { return };
            rest = after.get(next..).unwrap_or_default();
        }
    }

    fn batch(&mut self, text: &str, batch: &Batch<'_>) {
        let messages = batch.len();
        if messages == 0 {
            self.stray_line(text.as_bytes(), Violation::NotJsonRpc(Fault::EmptyBatch));
            return;
        }
        if !self.handshake.as_ref().is_some_and(|handshake| handshake.revision.has_batches()) {
            self.violated(Violation::Batch { messages });
        }
        let limit = self.config.limits.max_batch_messages;
        if messages > limit {
            return self.stray_line(text.as_bytes(), Violation::BatchTooLong { messages, limit });
        }
        for entry in batch.entries() {
            if self.is_over() {
                return;
            }
            self.message(Line::Borrowed(entry), &mut jsonrpc::read_entry(entry));
        }
    }

    fn message(&mut self, line: Line<'_>, envelope: &mut Envelope) {
        // Of several ids the first one counts that is waited for, so that no call waits in vain.
        envelope.prefer_id(line.as_str(), |id| self.requests.get(id).is_some_and(Tag::is_sent));
        let (message, oddities) = match jsonrpc::classify(line.as_str(), envelope) {
            Ok(classified) => classified,
            Err(misfit) => {
                self.misfit(line.as_str(), misfit);
                return;
            }
        };
        if !oddities.is_empty() {
            self.violated(Violation::OddEnvelope(oddities));
            if self.is_over() {
                return;
            }
        }
        match message {
            Message::Response { id, body: Body::Result { span } } => {
                self.result(id, line, span, envelope.index());
            }
            Message::Response { id, body: Body::Error(error) } => self.error(id, error),
            Message::Response { id, body: Body::Faulty(fault) } => {
                let Some(minted) = id.number() else { return };
                if !self.requests.get(minted).is_some_and(Tag::is_sent) {
                    self.violated(Violation::NotJsonRpc(fault));
                    return;
                }
                let Some(waiting) = self.claim(id, Some(Violation::NotJsonRpc(fault))) else { return };
                let fault = AnswerFault::NotJsonRpc(fault);
                self.fail(&waiting.tag, CallError::Malformed { fault, raw: None });
            }
            Message::Request { id, method, .. } if self.is_echo(&id, &method) => self.echoed(),
            Message::Request { id, method, params } => self.asked(id, &method, params),
            Message::Notification { method, params } => self.notified(&method, params),
        }
    }

    /// Returns whether a request is one of ours that has come back: it has our id, and no server makes such requests.
    fn is_echo(&self, id: &Id, method: &str) -> bool {
        echo::is_clients(method)
            && id.as_minted().is_some_and(|id| (1..=self.requests.last_id()).contains(&id))
    }

    /// A message of ours has come back. It is told once; the others are known by their text.
    fn echoed(&mut self) {
        if !self.echo.is_known() {
            self.echo.found();
            self.hint = Some(Hint::Echo);
            self.violated(Violation::Echoed);
        }
    }

    fn misfit(&mut self, text: &str, misfit: jsonrpc::Misfit) {
        // A line of a log is not answered, whatever its members are called.
        if let Some(id) = misfit.request.filter(|_| misfit.fault != Fault::NotVersioned) {
            let violation = Violation::BadRequest(misfit.fault);
            let message = alloc::format!("{}", misfit.fault);
            if let Some(code) = self.violated(violation) {
                self.reply_error(Some(&id), &RpcError::new(code, message));
            }
            return;
        }
        self.stray_line(text.as_bytes(), Violation::NotJsonRpc(misfit.fault));
        self.settle_malformed(misfit.response, AnswerFault::NotJsonRpc(misfit.fault));
    }

    /// Takes the request that a response answers.
    ///
    /// What is odd about the response is told while the request still waits: a session that ends over it
    /// settles the request with the others.
    fn claim(&mut self, id: ResponseId, odd: Option<Violation>) -> Option<Waiting<Tag>> {
        let Some(minted) = id.number() else {
            self.violated(Violation::UnknownResponse);
            return None;
        };
        let respelled =
            matches!(id, ResponseId::Respelled(_)).then_some(Violation::RespelledId { id: minted });
        for violation in respelled.into_iter().chain(odd) {
            if self.requests.get(minted).is_some_and(Tag::is_sent) {
                self.violated(violation);
            }
        }
        let waiting = self.take_sent(minted);
        if waiting.is_none() && !self.is_over() {
            self.violated(Violation::UnknownResponse);
        }
        waiting
    }

    /// Takes a request that the server knows of.
    fn take_sent(&mut self, id: u64) -> Option<Waiting<Tag>> {
        self.requests.get(id).is_some_and(Tag::is_sent).then(|| self.requests.take(id)).flatten()
    }

    fn result(&mut self, id: ResponseId, line: Line<'_>, span: Span, index: &Index) {
        if self.is_expected(id, None) {
            return;
        }
        let Some(waiting) = self.claim(id, None) else { return };
        self.hint = None;
        self.answer(waiting, line.keep(span), index, span.start);
    }

    fn error(&mut self, id: ResponseId, error: RpcError) {
        if id == ResponseId::Unknown {
            if self.requests.count() == 1 {
                self.blamed = self.requests.find(|_| true).map(|id| (id, error.clone()));
            }
            self.tell(Event::PeerErrored(error));
            return;
        }
        if self.is_expected(id, Some(&error)) {
            return;
        }
        if let Some(waiting) = self.claim(id, None) {
            self.refused(waiting.tag, error);
        }
    }

    /// Takes a response that no call waits for and that may come all the same: to a question that was given up,
    /// or at the end of a stream of notifications.
    fn is_expected(&mut self, id: ResponseId, error: Option<&RpcError>) -> bool {
        let ResponseId::Minted(id) = id else { return false };
        self.late_probe.take_if(|late| *late == id).is_some() || self.listen_ended(id, error.cloned())
    }

    fn notified(&mut self, method: &str, params: Option<View<'_>>) {
        if self.is_modern() {
            return self.notified_modern(method, params);
        }
        if Changes::is_about(method) {
            if method == "notifications/tools/list_changed" {
                self.contracts.forget();
            }
            return self.list_changed(method);
        }
        let known = match method {
            "notifications/message" => ("notifications/message", self.logged(params)),
            "notifications/progress" => ("notifications/progress", self.progressed(params)),
            "notifications/cancelled" => ("notifications/cancelled", self.withdrawn(params)),
            "notifications/resources/updated" => ("notifications/resources/updated", self.updated(params)),
            // A notification that is not known here asks for nothing.
            _ => return,
        };
        if let (method, None) = known {
            self.violated(Violation::BadNotification { method });
        }
    }

    /// Tells of a change of a list, or soon.
    pub(super) fn list_changed(&mut self, method: &str) {
        let told = self.changes.notice(self.now, method, self.config.changes_interval);
        if let Some(violation) = told.violation {
            self.violated(violation);
        }
        self.effects.extend(told.event.map(Effect::Event));
    }

    pub(super) fn logged(&mut self, params: Option<View<'_>>) -> Option<()> {
        let params = params?;
        let level = params.get("level")?.to_str()?.into_owned();
        let logger = params.get("logger").and_then(View::to_text);
        let data = params.get("data")?.to_raw();
        self.tell(Event::Logged { level, logger, data });
        Some(())
    }

    pub(super) fn progressed(&mut self, params: Option<View<'_>>) -> Option<()> {
        let params = params?;
        let token = params.get("progressToken")?;
        let progress = params.get("progress").filter(|value| value.kind() == Kind::Number)?;
        let id = token.as_i64().and_then(|id| u64::try_from(id).ok());
        // Progress of a call that is over is late, not wrong.
        let Some((id, tag)) = id.and_then(|id| Some((id, self.requests.get_mut(id)?))) else {
            return Some(());
        };
        // A server that repeats itself may hang: only what rises is a sign of life (`basic/utilities/progress`).
        let Some(value) = amount(progress) else {
            self.violated(Violation::ProgressNotRising);
            return Some(());
        };
        let before = tag.progress.as_ref().and_then(|before| Decimal::new(before.as_str()));
        if before.is_some_and(|before| value <= before) {
            self.violated(Violation::ProgressNotRising);
            return Some(());
        }
        let total = params.get("total").filter(|total| amount(*total).is_some_and(|total| value <= total));
        let (call, raw) = (tag.call, progress.to_raw());
        tag.progress = Some(raw.clone());
        self.requests.progressed(self.now, id);
        let message = params.get("message").and_then(View::to_text);
        self.tell(Event::Progressed {
            call,
            progress: Progress { progress: raw, total: total.map(View::to_raw), message },
        });
        Some(())
    }

    fn withdrawn(&mut self, params: Option<View<'_>>) -> Option<()> {
        let id = Id::read(params?.get("requestId")?)?;
        if self.requests.answer(&id).is_some() {
            self.tell(Event::AskWithdrawn { ask: AskId(id) });
        }
        Some(())
    }

    fn updated(&mut self, params: Option<View<'_>>) -> Option<()> {
        let uri = params?.get("uri")?.to_str()?.into_owned();
        self.tell(Event::ResourceUpdated { uri });
        Some(())
    }
}

/// Returns a number that says how much is done or to be done: finite for whoever computes with it, and not negative.
fn amount(number: View<'_>) -> Option<Decimal<'_>> {
    let value = number.as_number().and_then(Decimal::new)?;
    (!value.is_negative() && number.as_f64().is_some_and(f64::is_finite)).then_some(value)
}
