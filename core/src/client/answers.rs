//! How each call is settled: its answer, its pages, its error.

use super::{
    Answer, AnswerFault, CallError, CallId, Client, Event, Purpose, Reason, Tag,
    cache::Key,
    calls::{Extra, push_member},
};
use crate::{
    Violation,
    json::{Index, RawJson},
    jsonrpc::{RpcError, code},
    protocol::{
        CallToolResult, Completion, Handshake, ListKind, MalformedResult, Outcome, Pages, PromptResult,
        ReadResult, ResultKind, Turn, without_duplicates,
    },
    requests::{Patience, Waiting},
};

impl Client {
    /// Settles a call that failed. A request of the handshake goes on with another, or ends the session.
    pub(super) fn fail(&mut self, tag: &Tag, error: CallError) {
        match &tag.purpose {
            Purpose::Initialize { .. } => self.end(Reason::HandshakeMalformed(alloc::format!("{error}"))),
            Purpose::Discover { refusal, .. } => self.discover_failed(refusal.is_some(), &error),
            Purpose::Listen => {
                self.forget_listen(tag.call.0);
                self.settle(tag.call, Err(error));
            }
            _ => self.settle(tag.call, Err(error)),
        }
    }

    pub(super) fn settle(&mut self, call: CallId, outcome: Result<Answer, CallError>) {
        self.tell(Event::Settled { call, outcome });
    }

    /// The server answered with an error.
    pub(super) fn refused(&mut self, tag: Tag, error: RpcError) {
        match tag.purpose {
            Purpose::Initialize { asked } => self.initialize_refused(asked, error),
            Purpose::Discover { refusal, is_second } => self.discover_refused(refusal, is_second, error),
            Purpose::List { pages, edition }
                if error.code == code::METHOD_NOT_FOUND && !self.declares(pages.kind()) =>
            {
                // What was never declared is not there: an empty list, not a failure.
                self.finish_list(tag.call, &pages, edition);
            }
            purpose => {
                let tag = Tag::new(tag.call, purpose, tag.generation);
                self.fail(&tag, CallError::Refused(error));
            }
        }
    }

    fn declares(&self, kind: ListKind) -> bool {
        self.handshake.as_ref().is_some_and(|handshake| match kind {
            ListKind::Tools => handshake.capabilities.tools,
            ListKind::Resources | ListKind::ResourceTemplates => handshake.capabilities.resources,
            ListKind::Prompts => handshake.capabilities.prompts,
        })
    }

    /// The server answered with a result.
    pub(super) fn answer(&mut self, waiting: Waiting<Tag>, result: RawJson, index: &Index, origin: usize) {
        if matches!(waiting.tag.purpose, Purpose::Raw) {
            return self.completed(waiting, result, 0, index, origin);
        }
        if let Some((result, pointer)) = without_duplicates(&result, index, origin) {
            self.violated(Violation::DuplicateName { pointer });
            return self.read_result(waiting, result, &Index::unread(), 0);
        }
        self.read_result(waiting, result, index, origin);
    }

    fn read_result(&mut self, waiting: Waiting<Tag>, result: RawJson, index: &Index, origin: usize) {
        if !self.is_modern() {
            return self.completed(waiting, result, 0, index, origin);
        }
        let outcome = Outcome::read(&result, index, origin);
        match outcome.kind(&result) {
            Ok(ResultKind::Complete) => {
                let ttl = outcome.ttl_millis(&result);
                self.completed(waiting, result, ttl, index, origin);
            }
            Ok(ResultKind::InputRequired) => self.input_required(waiting, &outcome, result),
            Ok(ResultKind::Unknown(kind)) => {
                let error = CallError::Malformed { fault: AnswerFault::UnknownKind(kind), raw: Some(result) };
                self.fail(&waiting.tag, error);
            }
            Err(fault) => self.fail(&waiting.tag, wrong_shape((fault, result))),
        }
    }

    /// The server answered with a result that is all there is to come, and fresh for so long.
    fn completed(
        &mut self,
        waiting: Waiting<Tag>,
        result: RawJson,
        ttl_millis: u64,
        index: &Index,
        origin: usize,
    ) {
        let rest = waiting.rest(self.now);
        let Tag { call, purpose, again, generation, .. } = waiting.tag;
        // What came of answers, or was asked for before a change, is not what the next one is to get.
        let is_first = again.is_none_or(|again| again.is_first());
        let ttl_millis = if is_first && generation == self.cache.generation() { ttl_millis } else { 0 };
        let answer = match purpose {
            Purpose::Initialize { .. } => return self.initialized(result),
            Purpose::Discover { refusal, .. } => return self.discovered(refusal, result, ttl_millis),
            Purpose::List { pages, edition } => {
                return self.page(call, pages, edition, result, rest, ttl_millis);
            }
            Purpose::CallTool { promise } => match CallToolResult::read(result, index, origin) {
                Ok(result) if result.is_error() => Err(CallError::ToolFailed(result)),
                Ok(result) => {
                    let checked = self.check_result(promise.as_ref(), result);
                    checked.map(Answer::Called).map_err(CallError::from)
                }
                Err(wrong) => Err(wrong_shape(wrong)),
            },
            Purpose::ReadResource { key } => {
                if let Some(key) = key {
                    self.keep(*key, &result, ttl_millis);
                }
                ReadResult::read(result).map(Answer::Resource).map_err(wrong_shape)
            }
            Purpose::Rediscover => {
                self.keep(Key::Discovery, &result, ttl_millis);
                Ok(Answer::Discovered(Handshake::read_discovered(result).0))
            }
            Purpose::GetPrompt => PromptResult::read(result).map(Answer::Prompt).map_err(wrong_shape),
            Purpose::Complete => Completion::read(result).map(Answer::Completion).map_err(wrong_shape),
            Purpose::Listen => {
                self.forget_listen(call.0);
                Err(CallError::StreamEnded)
            }
            Purpose::Done => Ok(Answer::Done),
            Purpose::Raw => Ok(Answer::Raw(result)),
        };
        self.settle(call, answer);
    }

    /// Keeps a result for as long as its server says that it stays fresh.
    pub(super) fn keep(&mut self, key: Key, result: &RawJson, ttl_millis: u64) {
        self.cache.put(self.now, key, result, ttl_millis, self.config.limits.max_cache_bytes);
    }

    /// Reads a result that was kept.
    pub(super) fn read_kept(key: &Key, result: RawJson) -> Option<Answer> {
        match key {
            Key::Discovery => Some(Answer::Discovered(Handshake::read_discovered(result).0)),
            Key::Resource(_) => ReadResult::read(result).ok().map(Answer::Resource),
            Key::Page(..) => None,
        }
    }

    /// A page of a listing has come: the next one is asked for, or the listing is whole.
    fn page(
        &mut self,
        call: CallId,
        mut pages: Pages,
        edition: u64,
        page: RawJson,
        rest: Patience,
        ttl_millis: u64,
    ) {
        if let Err(fault) = pages.check(page.view()) {
            return self.settle(call, Err(wrong_shape((fault, page))));
        }
        if Pages::has_bad_cursor(page.view()) {
            self.violated(Violation::BadCursor);
        }
        if pages.cursor().is_none() {
            // Pages of different listings do not go together.
            self.cache.forget_pages(pages.kind());
        }
        self.keep(Key::page(pages.kind(), pages.cursor()), &page, ttl_millis);
        // A change that was told before the first page came is in it; a later one may have missed a page.
        let edition = if pages.is_empty() { self.contracts.edition() } else { edition };
        let limits = &self.config.limits;
        let error = match pages.push(page, limits.max_pages, limits.max_listing_bytes) {
            Turn::Done => return self.finish_list(call, &pages, edition),
            Turn::Next(cursor) => return self.next_page(call, pages, edition, &cursor, rest),
            Turn::Loop(cursor) => CallError::PaginationLoop { cursor },
            Turn::TooManyPages => CallError::TooManyPages { limit: limits.max_pages },
            Turn::TooManyBytes => CallError::ListingTooLarge { limit: limits.max_listing_bytes },
        };
        self.settle(call, Err(error));
    }

    fn next_page(&mut self, call: CallId, pages: Pages, edition: u64, cursor: &str, rest: Patience) {
        let id = self.requests.mint();
        let method = pages.kind().method();
        let extra = Extra { log_level: self.log_level, ..Extra::default() };
        let encoded = self.encode(id, method, extra, &|out| push_member(out, "cursor", cursor));
        let Ok((message, _)) = encoded else {
            // A cursor that fills a message cannot be sent back.
            let limit = self.config.limits.max_message_bytes;
            return self.settle(call, Err(CallError::TooLarge { limit }));
        };
        let generation = self.cache.generation();
        let tag = Tag::new(call, Purpose::List { pages, edition }, generation);
        self.requests.wait(self.now, id, rest, tag);
        self.send(message);
    }

    pub(super) fn finish_list(&mut self, call: CallId, pages: &Pages, edition: u64) {
        let tolerance = self.config.tolerance;
        let (kind, mut repeated) = (pages.kind(), 0);
        let outcome = match kind {
            ListKind::Tools => pages.finish(tolerance, &mut repeated).map(Answer::Tools),
            ListKind::Resources => pages.finish(tolerance, &mut repeated).map(Answer::Resources),
            ListKind::ResourceTemplates => {
                pages.finish(tolerance, &mut repeated).map(Answer::ResourceTemplates)
            }
            ListKind::Prompts => pages.finish(tolerance, &mut repeated).map(Answer::Prompts),
        };
        if repeated > 0 {
            self.violated(Violation::RepeatedEntries {
                count: repeated,
                list: kind.member(),
                key: kind.key(),
            });
        }
        let outcome = outcome.map_err(|bad| CallError::Malformed {
            fault: AnswerFault::BadEntry { index: bad.index, reason: bad.reason },
            raw: None,
        });
        if let Ok(Answer::Tools(listing)) = &outcome
            && edition == self.contracts.edition()
        {
            self.learn(&listing.items);
        }
        self.settle(call, outcome);
    }
}

pub(super) fn wrong_shape((fault, raw): (MalformedResult, RawJson)) -> CallError {
    CallError::Malformed { fault: AnswerFault::WrongShape(fault), raw: Some(raw) }
}
