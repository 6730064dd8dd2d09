//! Splits a byte stream into messages and joins messages into one: newline and `Content-Length` framing.
//!
//! The read side detects the framing of each message, the write side is configured. A message that is too
//! long is dropped while it arrives; what stands before and behind it is delivered.

mod header;

use alloc::vec::Vec;
use core::mem;

use crate::jsonrpc::Salvage;
use header::Field;

/// How messages are delimited on the way out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// One message a line (the stdio transport of every revision).
    #[default]
    Newline,
    /// A `Content-Length` header, a blank line and the message, for servers built on language-server libraries.
    ContentLength,
}

impl Framing {
    /// Wraps one message for the wire.
    #[must_use]
    pub fn frame(self, message: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Newline => {
                let mut framed = message;
                framed.push(b'\n');
                framed
            }
            Self::ContentLength => {
                let mut framed = alloc::format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes();
                framed.extend_from_slice(&message);
                framed
            }
        }
    }
}

/// A message that was put together from several chunks is handed over instead of copied from this size on.
const HAND_OVER: usize = 64 << 10;

/// What a byte stream turns out to hold.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// A message's bytes, without its line end.
    Message(Bytes<'a>),
    /// The message that is arriving is too long; `salvaged` is the id that it shows so far.
    Overflowed { salvaged: Option<u64> },
    /// This many bytes of it were dropped.
    Dropped(usize),
    /// It has ended; `salvaged` is the id that it showed.
    Resumed { salvaged: Option<u64> },
    /// A header block that announces no message, of this many bytes.
    BadHeader(usize),
}

/// A message's bytes: borrowed where they came in one chunk, owned where they were put together.
#[derive(Debug)]
pub(crate) enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Owned(Vec<u8>),
}

#[derive(Debug, Default)]
enum State {
    /// Inside a line, or between lines.
    #[default]
    Line,
    /// Inside a header block that has announced a length, perhaps.
    Header { length: Option<usize>, bytes: usize },
    /// Inside a body, with this many bytes to come.
    Body { left: usize },
    /// Inside a message that is too long; of a body, this many bytes are to come.
    Dropping { salvage: Salvage, left: Option<usize> },
}

/// Splits a byte stream into messages.
#[derive(Debug)]
pub(crate) struct Framer {
    max_bytes: usize,
    state: State,
    /// The part of a message that came with earlier chunks, at most `max_bytes`.
    pending: Vec<u8>,
    /// A byte order mark may stand before the first message.
    at_start: bool,
}

impl Framer {
    pub(crate) const fn new(max_bytes: usize) -> Self {
        Self { max_bytes, state: State::Line, pending: Vec::new(), at_start: true }
    }

    /// Takes the next chunk of the stream; the pieces come from the returned walk.
    pub(crate) const fn feed<'a>(&'a mut self, chunk: &'a [u8]) -> Feed<'a> {
        Feed { framer: self, chunk, again: None, ended: None }
    }

    /// Takes the end of the stream: what stands there without a line end is the last message.
    pub(crate) fn finish(&mut self) -> Option<Piece<'static>> {
        let pending = mem::take(&mut self.pending);
        match mem::take(&mut self.state) {
            State::Line | State::Body { .. } => {
                let line = self.without_mark(&pending);
                (!is_blank(line)).then(|| Piece::Message(Bytes::Owned(line.to_vec())))
            }
            State::Header { bytes, .. } => Some(Piece::BadHeader(bytes + pending.len())),
            State::Dropping { salvage, .. } => Some(Piece::Resumed { salvaged: salvage.id() }),
        }
    }

    /// Returns the bytes of the stream that are kept.
    #[cfg(test)]
    pub(crate) const fn kept_bytes(&self) -> usize {
        self.pending.len()
    }

    fn without_mark<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        if !mem::take(&mut self.at_start) {
            return line;
        }
        line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
    }

    /// Notes what a complete line means for the framing; returns whether the line is a message.
    fn is_message(&mut self, line: &[u8]) -> bool {
        if is_blank(line) {
            return false;
        }
        match Field::of(line) {
            Some(Field::Length(length)) => {
                self.state = State::Header { length: Some(length), bytes: line.len() };
                false
            }
            Some(Field::Type) => {
                self.state = State::Header { length: None, bytes: line.len() };
                false
            }
            None => true,
        }
    }

    /// Takes a line of a header block; returns the size of a block that turned out to be none.
    fn header_line(&mut self, line: &[u8]) -> HeaderStep {
        let State::Header { length, bytes } = &mut self.state else { return HeaderStep::Inside };
        if !is_blank(line) {
            return match Field::of(line) {
                Some(Field::Length(announced)) => {
                    *length = Some(announced);
                    *bytes += line.len();
                    HeaderStep::Inside
                }
                Some(Field::Type) => {
                    *bytes += line.len();
                    HeaderStep::Inside
                }
                None => {
                    let bytes = *bytes;
                    self.state = State::Line;
                    HeaderStep::Broken { bytes }
                }
            };
        }
        match *length {
            Some(0) => {
                self.state = State::Line;
                HeaderStep::Inside
            }
            Some(left) if left > self.max_bytes => {
                self.state = State::Dropping { salvage: Salvage::default(), left: Some(left) };
                HeaderStep::TooLong
            }
            Some(left) => {
                self.state = State::Body { left };
                HeaderStep::Inside
            }
            None => {
                let bytes = *bytes;
                self.state = State::Line;
                HeaderStep::Broken { bytes }
            }
        }
    }
}

enum HeaderStep {
    Inside,
    Broken { bytes: usize },
    TooLong,
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// Walks over one chunk and returns its pieces.
pub(crate) struct Feed<'a> {
    framer: &'a mut Framer,
    chunk: &'a [u8],
    /// A line that was read as part of a header block and is none: it is looked at again.
    again: Option<Vec<u8>>,
    /// The end of a message that was too long, with what it showed.
    ended: Option<Salvage>,
}

/// One turn of the walk.
enum Turn<'a> {
    Piece(Piece<'a>),
    Again,
    Done,
}

impl<'a> Feed<'a> {
    /// Returns the next piece of the chunk.
    pub(crate) fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if let Some(salvage) = self.ended.take() {
                return Some(Piece::Resumed { salvaged: salvage.id() });
            }
            if let Some(line) = self.again.take()
                && self.framer.is_message(&line)
            {
                return Some(Piece::Message(Bytes::Owned(line)));
            }
            let turn = match self.framer.state {
                State::Line => self.line(),
                State::Header { .. } => self.header(),
                State::Body { left } => self.body(left),
                State::Dropping { .. } => self.drop_bytes(),
            };
            match turn {
                Turn::Piece(piece) => return Some(piece),
                Turn::Again => {}
                Turn::Done => return None,
            }
        }
    }

    fn line(&mut self) -> Turn<'a> {
        let part = match self.line_end() {
            Ok(part) => part,
            Err(turn) => return turn,
        };
        if self.framer.pending.is_empty() {
            let line = trim_line_end(self.framer.without_mark(part));
            if self.framer.is_message(line) {
                return Turn::Piece(Piece::Message(Bytes::Borrowed(line)));
            }
            return Turn::Again;
        }
        let line = self.complete(part);
        if self.framer.is_message(&line) {
            return Turn::Piece(Piece::Message(Bytes::Owned(line)));
        }
        Turn::Again
    }

    /// Takes the last part of a line; a line that does not end in this chunk is kept, or found too long.
    fn line_end(&mut self) -> Result<&'a [u8], Turn<'a>> {
        let end = memchr::memchr(b'\n', self.chunk);
        let len = end.unwrap_or(self.chunk.len());
        if self.framer.pending.len() + len > self.framer.max_bytes {
            return Err(self.overflow());
        }
        let (part, rest) = self.chunk.split_at(len);
        let Some(rest) = end.and(rest.get(1..)) else {
            self.framer.pending.extend_from_slice(part);
            self.chunk = &[];
            return Err(Turn::Done);
        };
        self.chunk = rest;
        Ok(part)
    }

    /// Completes the pending line with its last part. A short line's buffer is kept for the next one.
    fn complete(&mut self, part: &[u8]) -> Vec<u8> {
        self.framer.pending.extend_from_slice(part);
        let mut pending = mem::take(&mut self.framer.pending);
        let skip = pending.len() - self.framer.without_mark(&pending).len();
        if pending.len() < HAND_OVER {
            let line = trim_line_end(pending.get(skip..).unwrap_or_default()).to_vec();
            pending.clear();
            self.framer.pending = pending;
            return line;
        }
        pending.truncate(trim_line_end(&pending).len());
        pending.drain(..skip);
        pending
    }

    /// The line that is arriving has just grown past the limit.
    fn overflow(&mut self) -> Turn<'a> {
        let mut salvage = Salvage::default();
        let pending = mem::take(&mut self.framer.pending);
        salvage.push(self.framer.without_mark(&pending));
        // The verdict falls on the byte that breaks the limit, however the stream is cut.
        let (part, rest) = self.chunk.split_at(self.framer.max_bytes + 1 - pending.len());
        salvage.push(part);
        self.chunk = rest;
        let salvaged = salvage.id();
        self.framer.state = State::Dropping { salvage, left: None };
        Turn::Piece(Piece::Overflowed { salvaged })
    }

    fn drop_bytes(&mut self) -> Turn<'a> {
        let State::Dropping { salvage, left } = &mut self.framer.state else { return Turn::Again };
        if self.chunk.is_empty() {
            return Turn::Done;
        }
        let (len, ends, rest_from) = if let Some(left) = left {
            let len = self.chunk.len().min(*left);
            *left -= len;
            (len, *left == 0, len)
        } else {
            let end = memchr::memchr(b'\n', self.chunk);
            let len = end.unwrap_or(self.chunk.len());
            (len, end.is_some(), len + usize::from(end.is_some()))
        };
        let (part, _) = self.chunk.split_at(len);
        salvage.push(part);
        self.chunk = self.chunk.get(rest_from..).unwrap_or_default();
        if ends {
            self.ended = Some(mem::take(salvage));
            self.framer.state = State::Line;
        }
        Turn::Piece(Piece::Dropped(len))
    }

    fn header(&mut self) -> Turn<'a> {
        let part = match self.line_end() {
            Ok(part) => part,
            Err(turn) => return turn,
        };
        let line = self.complete(part);
        match self.framer.header_line(&line) {
            HeaderStep::Inside => Turn::Again,
            HeaderStep::TooLong => Turn::Piece(Piece::Overflowed { salvaged: None }),
            HeaderStep::Broken { bytes } => {
                self.again = (!is_blank(&line)).then_some(line);
                Turn::Piece(Piece::BadHeader(bytes))
            }
        }
    }

    fn body(&mut self, left: usize) -> Turn<'a> {
        let len = self.chunk.len().min(left);
        let (part, rest) = self.chunk.split_at(len);
        self.chunk = rest;
        if len < left {
            self.framer.pending.extend_from_slice(part);
            self.framer.state = State::Body { left: left - len };
            return Turn::Done;
        }
        self.framer.state = State::Line;
        if self.framer.pending.is_empty() {
            let body = trim_line_end(self.framer.without_mark(part));
            return Turn::Piece(Piece::Message(Bytes::Borrowed(body)));
        }
        let body = self.complete(part);
        Turn::Piece(Piece::Message(Bytes::Owned(body)))
    }
}

fn trim_line_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests;
