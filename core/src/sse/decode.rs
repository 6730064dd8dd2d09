//! Reads events, bounded, from a stream that is cut anywhere.

use alloc::{collections::VecDeque, string::String, vec::Vec};
use core::{mem, time::Duration};

/// The longest name and the longest id that are kept, in bytes.
const MAX_NAME_BYTES: usize = 1_024;

/// The bounds of the time to wait before a stream is opened again: less is a storm, more is never.
const MIN_RETRY: Duration = Duration::from_millis(100);
const MAX_RETRY: Duration = Duration::from_mins(5);

/// What a stream holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An event. It came whole: one whose end is missing is never told.
    Message {
        /// Its name; empty for plain messages.
        name: String,
        /// The id that a client names to go on behind this event: its own, or that of an earlier one.
        id: String,
        /// Its data: lines joined by line feeds. It is empty where the event is there for its id alone.
        data: String,
    },
    /// The time that a client should wait before it connects again, told when it changes: between 100 ms and
    /// 5 minutes, whatever the stream says.
    Retry(Duration),
    /// An event was longer than the limit and is left out.
    TooLarge {
        /// The limit that it broke.
        limit: usize,
    },
}

/// Reads a stream of events.
///
/// A line ends with a line feed, a carriage return, or both; a byte order mark at the start, comments and
/// unknown fields are passed over; text that is not UTF-8 reads with replacement characters. An event
/// with an id and without data is told too: it tells where a stream can be resumed (2025-11-25).
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The line so far.
    line: Vec<u8>,
    /// The line so far is longer than the limit.
    is_cut: bool,
    /// The last byte ended a line with a carriage return: a line feed belongs to it.
    after_return: bool,
    /// No line has ended yet: a byte order mark may stand first.
    at_start: bool,
    name: String,
    /// The id that the event so far has set.
    id: Option<String>,
    /// That of the last whole event: an event without its end must come again.
    last_id: String,
    data: Data,
    /// The time to wait that was told last, and the one that the event so far has set.
    retry: Option<Duration>,
    next_retry: Option<Duration>,
    events: VecDeque<Event>,
}

/// The data of the event so far.
#[derive(Debug, Default)]
enum Data {
    #[default]
    Absent,
    Text(String),
    /// It is longer than the limit.
    TooLarge,
}

impl Decoder {
    /// Makes a reader for events of at most `limit` bytes of data; a line may be a little longer.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            is_cut: false,
            after_return: false,
            at_start: true,
            name: String::new(),
            id: None,
            last_id: String::new(),
            data: Data::Absent,
            retry: None,
            next_retry: None,
            events: VecDeque::new(),
        }
    }

    /// The stream goes on with these bytes.
    pub fn handle_bytes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
            let (part, tail) = rest.split_at(at);
            let is_return = tail.first() == Some(&b'\r');
            let tail = tail.get(1..).unwrap_or_default();
            self.after_return = is_return && tail.is_empty();
            rest = if is_return { tail.strip_prefix(b"\n").unwrap_or(tail) } else { tail };
            self.line(part);
        }
        self.keep(rest);
    }

    /// Returns the next event, oldest first.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the id that a client names to go on with this stream; empty where none came.
    #[must_use]
    pub fn last_id(&self) -> &str {
        &self.last_id
    }

    /// A line's end has not come yet.
    fn keep(&mut self, part: &[u8]) {
        // A field's name and the space behind it come on top of the data.
        if self.line.len() + part.len() > self.limit.saturating_add(64) {
            self.is_cut = true;
            // The name of the field still tells what was cut.
            self.line.truncate(64);
            let room = 64 - self.line.len();
            self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            return;
        }
        if !self.is_cut {
            self.line.extend_from_slice(part);
        }
    }

    fn line(&mut self, part: &[u8]) {
        self.keep(part);
        let mut line = mem::take(&mut self.line);
        let is_cut = mem::take(&mut self.is_cut);
        let text = String::from_utf8_lossy(&line);
        let mut text = &*text;
        if mem::take(&mut self.at_start) {
            text = text.strip_prefix('\u{feff}').unwrap_or(text);
        }
        if text.is_empty() {
            self.dispatch();
        } else {
            let (field, value) = text.split_once(':').unwrap_or((text, ""));
            self.field(field, value.strip_prefix(' ').unwrap_or(value), is_cut);
        }
        line.clear();
        // One long line must not be paid for until the stream ends.
        if line.capacity() <= 64 << 10 {
            self.line = line;
        }
    }

    fn field(&mut self, field: &str, value: &str, is_cut: bool) {
        match field {
            "data" => self.data.push(value, if is_cut { 0 } else { self.limit }),
            _ if is_cut => {}
            "event" if value.len() <= MAX_NAME_BYTES => self.name = value.into(),
            // An id with this character is none, in the words of the standard.
            "id" if value.len() <= MAX_NAME_BYTES && !value.contains('\0') => self.id = Some(value.into()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                let wait = value.parse().map_or(MAX_RETRY, Duration::from_millis);
                self.next_retry = Some(wait.clamp(MIN_RETRY, MAX_RETRY));
            }
            _ => {}
        }
    }

    /// An event is complete.
    fn dispatch(&mut self) {
        let (name, id) = (mem::take(&mut self.name), self.id.take());
        let has_id = id.is_some();
        if let Some(wait) = self.next_retry.take().filter(|wait| self.retry != Some(*wait)) {
            self.retry = Some(wait);
            self.events.push_back(Event::Retry(wait));
        }
        if let Some(id) = id {
            self.last_id = id;
        }
        let data = match mem::take(&mut self.data) {
            Data::Text(data) => data,
            Data::Absent if has_id => String::new(),
            Data::Absent => return,
            Data::TooLarge => return self.events.push_back(Event::TooLarge { limit: self.limit }),
        };
        self.events.push_back(Event::Message { name, id: self.last_id.clone(), data });
    }
}

impl Data {
    /// Takes a line.
    fn push(&mut self, line: &str, limit: usize) {
        match self {
            Self::Absent if line.len() <= limit && limit > 0 => *self = Self::Text(line.into()),
            Self::Text(data) if data.len() + line.len() < limit => {
                data.push('\n');
                data.push_str(line);
            }
            _ => *self = Self::TooLarge,
        }
    }
}
