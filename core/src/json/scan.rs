//! The validating pass over a JSON text (RFC 8259), iterative and without allocation for sane nesting.

use alloc::vec::Vec;

use super::Name;

/// Where a text stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid JSON at column {}: expected {expected}", .at + 1)]
pub struct SyntaxError {
    /// The offset in bytes of the first byte that does not fit.
    pub at: usize,
    /// What would have fitted there.
    pub expected: Expected,
}

/// What the grammar allows at some place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Expected {
    /// Any value.
    #[error("a value")]
    Value,
    /// A member's name.
    #[error("a string as a member's name")]
    Name,
    /// A colon.
    #[error("`:`")]
    Colon,
    /// The next member or the end of the object.
    #[error("`,` or `}}`")]
    CommaOrBrace,
    /// The next element or the end of the array.
    #[error("`,` or `]`")]
    CommaOrBracket,
    /// The rest of a string.
    #[error("the end of a string")]
    StringEnd,
    /// A printable character inside a string.
    #[error("no control character in a string")]
    NoControl,
    /// One of the escapes of the grammar.
    #[error("an escape sequence")]
    Escape,
    /// A digit.
    #[error("a digit")]
    Digit,
    /// Nothing more.
    #[error("the end of the text")]
    End,
    /// Fewer levels.
    #[error("at most {MAX} levels of nesting", MAX = super::MAX_DEPTH)]
    Shallow,
}

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    fn to_short(self) -> Option<(u32, u32)> {
        Some((u32::try_from(self.start).ok()?, u32::try_from(self.end).ok()?))
    }

    const fn from_short((start, end): (u32, u32)) -> Self {
        Self { start: start as usize, end: end as usize }
    }

    /// Returns this span seen from `origin`, which must not lie behind its start.
    pub(crate) const fn from(self, origin: usize) -> Self {
        Self { start: self.start - origin, end: self.end - origin }
    }
}

const INDEXED: usize = 8;

/// The first members of an object: where their names (with quotes) and values stand.
#[derive(Debug, Default)]
pub(crate) struct Index {
    members: [Member; INDEXED],
    len: usize,
    /// The object has members that were not kept: too many, or too far from the start of the text.
    overflowed: bool,
}

/// The spans of a name and a value, short so that an index is cheap to make.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    name: (u32, u32),
    value: (u32, u32),
}

impl Index {
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.overflowed = false;
    }

    #[inline]
    fn push(&mut self, name: Span, value: Span) {
        match (self.members.get_mut(self.len), name.to_short(), value.to_short()) {
            (Some(slot), Some(name), Some(value)) => {
                *slot = Member { name, value };
                self.len += 1;
            }
            _ => self.overflowed = true,
        }
    }

    /// Returns an index that holds nothing of what the object holds.
    pub(crate) fn unread() -> Self {
        Self { overflowed: true, ..Self::default() }
    }

    pub(crate) const fn is_complete(&self) -> bool {
        !self.overflowed
    }

    /// Returns the names and the spans of the values in the object's own text, which began at `origin` where it
    /// was indexed.
    pub(crate) fn members<'a>(
        &self,
        object: &'a str,
        origin: usize,
    ) -> impl Iterator<Item = (Name<'a>, Span)> + Clone {
        let within = move |span| Span::from_short(span).from(origin);
        let kept = self.members.iter().take(self.len);
        kept.map(move |member| (Name::trusted(within(member.name).of(object)), within(member.value)))
    }
}

/// Which containers are open: one bit a level, the first 64 without allocation.
#[derive(Default)]
pub(super) struct Nesting {
    top: u64,
    below: Vec<u64>,
    pub(super) depth: usize,
}

impl Nesting {
    pub(super) fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.below.push(self.top);
        }
        self.top = (self.top << 1) | u64::from(is_object);
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        self.top >>= 1;
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.top = self.below.pop().unwrap_or_default();
        }
    }

    pub(super) const fn in_object(&self) -> bool {
        self.top & 1 == 1
    }
}

/// Reads a text from front to back.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    pub(crate) const fn at(text: &'a str, at: usize) -> Self {
        Self { bytes: text.as_bytes(), at }
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns how many bytes were passed.
    pub(crate) const fn offset(&self) -> usize {
        self.at
    }

    pub(crate) const fn fail<T>(&self, expected: Expected) -> Result<T, SyntaxError> {
        Err(SyntaxError { at: self.at, expected })
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        if self.peek().is_some_and(|byte| byte > b' ') {
            return;
        }
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Checks that only white space is left.
    pub(crate) fn end(&mut self) -> Result<(), SyntaxError> {
        self.skip_space();
        if self.at < self.bytes.len() { self.fail(Expected::End) } else { Ok(()) }
    }

    /// Passes a member's name and its colon, and stops at the value; returns the name with its quotes.
    pub(crate) fn name(&mut self) -> Result<Span, SyntaxError> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return self.fail(Expected::Name);
        }
        let name = self.string()?;
        self.skip_space();
        if !self.eat(b':') {
            return self.fail(Expected::Colon);
        }
        self.skip_space();
        Ok(name)
    }

    /// Passes a string; the scanner stands on its opening quote.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Span, SyntaxError> {
        let start = self.at;
        self.at += 1;
        loop {
            self.skip_plain();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Span { start, end: self.at });
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fail(Expected::NoControl),
                None => return self.fail(Expected::StringEnd),
            }
        }
    }

    /// Passes the bytes of a string up to a quote, a backslash or a control character, eight at a time.
    #[inline]
    fn skip_plain(&mut self) {
        // Most strings are short: they end in the first word.
        if let Some(word) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let stops = stops_in(*word);
            if stops != 0 {
                self.at += (stops.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
        }
        while let Some(chunk) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<32>) {
            let (words, _) = chunk.as_chunks::<8>();
            if words.iter().fold(0, |stops, word| stops | stops_in(*word)) != 0 {
                break;
            }
            self.at += 32;
        }
        while let Some(word) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let stops = stops_in(*word);
            if stops != 0 {
                self.at += (stops.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
        }
        while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
            self.at += 1;
        }
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fail(Expected::Escape);
                    }
                    self.at += 1;
                }
            }
            Some(_) => return self.fail(Expected::Escape),
            None => return self.fail(Expected::StringEnd),
        }
        Ok(())
    }

    /// Passes one value of any kind and depth; the scanner stands on its first byte.
    pub(crate) fn value(&mut self) -> Result<Span, SyntaxError> {
        let start = self.at;
        let mut nesting = Nesting::default();
        loop {
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.skip_space();
                    if !self.eat(b'}') {
                        nesting.push(true);
                        self.name()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.skip_space();
                    if !self.eat(b']') {
                        nesting.push(false);
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            if self.close(&mut nesting)? {
                return Ok(Span { start, end: self.at });
            }
        }
    }

    /// Returns how many levels the value has that the scanner stands on, in a text that was validated already.
    pub(crate) fn levels(&mut self) -> usize {
        let (mut open, mut most) = (0_usize, 0);
        while let Some(byte) = self.peek() {
            match byte {
                b'"' if self.string().is_ok() => continue,
                b'{' | b'[' => {
                    open += 1;
                    most = most.max(open);
                }
                b'}' | b']' => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        most
    }

    /// Passes what may follow a value: closed containers and a comma. Returns whether the outermost is done.
    fn close(&mut self, nesting: &mut Nesting) -> Result<bool, SyntaxError> {
        loop {
            if nesting.depth == 0 {
                return Ok(true);
            }
            self.skip_space();
            match (self.peek(), nesting.in_object()) {
                (Some(b','), true) => {
                    self.at += 1;
                    self.name()?;
                    return Ok(false);
                }
                (Some(b','), false) => {
                    self.at += 1;
                    self.skip_space();
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    self.at += 1;
                    nesting.pop();
                }
                (_, true) => return self.fail(Expected::CommaOrBrace),
                (_, false) => return self.fail(Expected::CommaOrBracket),
            }
        }
    }

    #[inline]
    pub(crate) fn scalar(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => self.fail(Expected::Value),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), SyntaxError> {
        if !self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return self.fail(Expected::Value);
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.fail(Expected::Digit) } else { Ok(()) }
    }

    /// Passes an object and hands each member's name (with quotes) and value to `each`.
    ///
    /// The scanner stands on the opening brace.
    pub(crate) fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, Span) -> Result<(), SyntaxError>,
    ) -> Result<Span, SyntaxError> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        if self.eat(b'}') {
            return Ok(Span { start, end: self.at });
        }
        loop {
            let name = self.name()?;
            each(self, name)?;
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Span { start, end: self.at });
            }
            if !self.eat(b',') {
                return self.fail(Expected::CommaOrBrace);
            }
        }
    }

    /// Passes one value; where it is an object, says in `index` where its members stand.
    pub(crate) fn value_with_index(&mut self, index: &mut Index) -> Result<Span, SyntaxError> {
        index.clear();
        if self.peek() != Some(b'{') {
            return self.value();
        }
        self.object(|scanner, name| {
            let value = scanner.value()?;
            index.push(name, value);
            Ok(())
        })
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Marks, with the high bit of each byte, the quotes, backslashes and control characters of a word.
///
/// A byte above a marked one may be marked wrongly; the lowest mark is always right.
#[inline]
const fn stops_in(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    let quote = word ^ (ONES * b'"' as u64);
    let slash = word ^ (ONES * b'\\' as u64);
    let below = word.wrapping_sub(ONES * 0x20);
    (below | quote.wrapping_sub(ONES) | slash.wrapping_sub(ONES)) & !word & (ONES << 7)
}

#[cfg(test)]
mod tests;
