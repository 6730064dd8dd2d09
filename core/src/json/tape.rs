//! One pass over a JSON text that leaves a flat index of it, for readers that walk a text in any order.

use alloc::{borrow::Cow, vec::Vec};

use super::{Expected, Kind, MAX_DEPTH, Name, Scanner, SyntaxError, View, name::first_of};

/// A JSON text with an index of its values: every step of a reader costs the same, however deep it stands.
///
/// An index takes twelve bytes a value. A text beyond 4 GiB is refused as too deep to read at its start.
#[derive(Debug)]
pub struct Tape<'a> {
    text: &'a str,
    slots: Vec<Slot>,
    surrogates: Vec<u32>,
    /// The most levels that were open at once.
    levels: usize,
}

/// Where a value stands in the text and where the value after it stands in the index.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start: u32,
    end: u32,
    next: u32,
}

/// A value on a [`Tape`].
#[derive(Clone, Copy, Debug)]
pub struct Item<'t> {
    tape: &'t Tape<'t>,
    at: u32,
}

impl<'a> Tape<'a> {
    /// Validates a text of at most [`MAX_DEPTH`] levels and indexes it.
    ///
    /// # Errors
    ///
    /// Says where the text stops being JSON, or where it nests too deep.
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        Self::read(text, MAX_DEPTH, false)
    }

    /// Validates a text of any depth and indexes what stands within so many levels; a container below them is
    /// read as an empty one.
    pub(crate) fn parse_down_to(text: &'a str, levels: usize) -> Result<Self, SyntaxError> {
        Self::read(text, levels, true)
    }

    fn read(text: &'a str, max_levels: usize, takes_deeper: bool) -> Result<Self, SyntaxError> {
        if u32::try_from(text.len()).is_err() {
            return Err(SyntaxError { at: 0, expected: Expected::Shallow });
        }
        let mut tape =
            Self { text, slots: Vec::with_capacity(text.len() / 12 + 1), surrogates: Vec::new(), levels: 0 };
        let mut scanner = Scanner::new(text);
        scanner.skip_space();
        tape.fill(&mut scanner, max_levels, takes_deeper)?;
        scanner.end()?;
        tape.slots.shrink_to_fit();
        tape.find_surrogates();
        Ok(tape)
    }

    /// Returns the outermost value.
    #[must_use]
    pub fn root(&self) -> Item<'_> {
        Item { tape: self, at: 0 }
    }

    /// Returns the value at a place that [`Item::index`] gave.
    #[must_use]
    pub fn item(&self, at: u32) -> Item<'_> {
        Item { tape: self, at }
    }

    /// Returns how many levels the text has; one more than were indexed where it has more.
    pub(crate) const fn levels(&self) -> usize {
        self.levels
    }

    /// Returns how many values and member names the text holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether the text holds no value, which no valid text does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn fill(
        &mut self,
        scanner: &mut Scanner<'_>,
        max_levels: usize,
        takes_deeper: bool,
    ) -> Result<(), SyntaxError> {
        let mut open: Vec<(u32, bool)> = Vec::new();
        loop {
            let start = scanner.at;
            let (close, is_object) = match scanner.peek() {
                Some(b'{') => (Some(b'}'), true),
                Some(b'[') => (Some(b']'), false),
                _ => (None, false),
            };
            let slot = self.push(start, start);
            if close.is_some() && open.len() >= max_levels {
                if !takes_deeper {
                    return scanner.fail(Expected::Shallow);
                }
                self.levels = max_levels + 1;
                scanner.value()?;
            } else if let Some(close) = close {
                self.levels = self.levels.max(open.len() + 1);
                scanner.at += 1;
                scanner.skip_space();
                if !scanner.eat(close) {
                    open.push((slot, is_object));
                    if is_object {
                        self.name(scanner)?;
                    }
                    continue;
                }
            } else {
                scanner.scalar()?;
            }
            self.seal(slot, scanner.at);
            if self.close(scanner, &mut open)? {
                return Ok(());
            }
        }
    }

    fn close(&mut self, scanner: &mut Scanner<'_>, open: &mut Vec<(u32, bool)>) -> Result<bool, SyntaxError> {
        while let Some((slot, is_object)) = open.last().copied() {
            scanner.skip_space();
            match (scanner.peek(), is_object) {
                (Some(b','), true) => {
                    scanner.at += 1;
                    self.name(scanner)?;
                    return Ok(false);
                }
                (Some(b','), false) => {
                    scanner.at += 1;
                    scanner.skip_space();
                    return Ok(false);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    scanner.at += 1;
                    open.pop();
                    self.seal(slot, scanner.at);
                }
                (_, true) => return scanner.fail(Expected::CommaOrBrace),
                (_, false) => return scanner.fail(Expected::CommaOrBracket),
            }
        }
        Ok(true)
    }

    fn name(&mut self, scanner: &mut Scanner<'_>) -> Result<(), SyntaxError> {
        let span = scanner.name()?;
        let slot = self.push(span.start, span.end);
        self.seal(slot, span.end);
        Ok(())
    }

    fn push(&mut self, start: usize, end: usize) -> u32 {
        let at = narrow(self.slots.len());
        if self.slots.len() == self.slots.capacity() {
            // A text of short values has an index of six times its size; doubling would hold twelve.
            self.slots.reserve_exact(self.slots.len() / 4 + 16);
        }
        self.slots.push(Slot { start: narrow(start), end: narrow(end), next: at + 1 });
        at
    }

    fn seal(&mut self, slot: u32, end: usize) {
        let next = narrow(self.slots.len());
        if let Some(slot) = self.slots.get_mut(slot as usize) {
            slot.end = narrow(end);
            slot.next = next;
        }
    }

    /// Notes every escaped surrogate that lacks its partner: no string can hold what it stands for.
    fn find_surrogates(&mut self) {
        let bytes = self.text.as_bytes();
        let hex = |at: usize| -> Option<u32> {
            let digits = self.text.get(at + 2..at + 6)?;
            let marker = bytes.get(at) == Some(&b'\\') && bytes.get(at + 1) == Some(&b'u');
            if marker { u32::from_str_radix(digits, 16).ok() } else { None }
        };
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
            at += found;
            at += match (hex(at), hex(at + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), _) => {
                    self.surrogates.push(narrow(at));
                    6
                }
                (Some(_), _) => 6,
                (None, _) => 2,
            };
        }
    }

    fn slot(&self, at: u32) -> Slot {
        self.slots.get(at as usize).copied().unwrap_or(Slot { start: 0, end: 0, next: at + 1 })
    }
}

/// Narrows an offset; [`Tape::parse`] refused texts for which this would lose anything.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl<'t> Item<'t> {
    /// Returns the place of the value in the index: unique, and the same at every visit.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.at
    }

    /// Returns the place behind the value and all that it holds.
    pub(crate) fn past(self) -> u32 {
        self.tape.slot(self.at).next
    }

    /// Returns the value at another place of the same index.
    #[must_use]
    pub const fn sibling(self, at: u32) -> Self {
        Self { tape: self.tape, at }
    }

    /// Returns the text of the value as it was written.
    #[must_use]
    pub fn as_str(self) -> &'t str {
        let slot = self.tape.slot(self.at);
        self.tape.text.get(slot.start as usize..slot.end as usize).unwrap_or_default()
    }

    /// Returns a reader over the value alone.
    #[must_use]
    pub fn view(self) -> View<'t> {
        View::trusted(self.as_str())
    }

    /// Returns what the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.view().kind()
    }

    /// Returns the value of a boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        self.view().as_bool()
    }

    /// Returns the content of a string.
    #[must_use]
    pub fn to_str(self) -> Option<Cow<'t, str>> {
        self.view().to_str()
    }

    /// Returns whether the value is a string with exactly this content.
    #[must_use]
    pub fn is_str(self, content: &str) -> bool {
        self.view().is_str(content)
    }

    /// Returns the first member of an object with this name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Item<'t>> {
        self.members().find(|(own, _)| own.is(name)).map(|(_, value)| value)
    }

    /// Returns the first member of each of these names, found in one walk.
    #[must_use]
    pub fn pick<const N: usize>(self, names: [&str; N]) -> [Option<Item<'t>>; N] {
        first_of(self.members(), names)
    }

    /// Returns the members of an object in their order, duplicates included; none for any other value.
    pub fn members(self) -> impl Iterator<Item = (Name<'t>, Item<'t>)> {
        let mut items = self.items(b'{');
        core::iter::from_fn(move || Some((Name::trusted(items.next()?.as_str()), items.next()?)))
    }

    /// Returns the names of an object's members as the strings that they are, in their order.
    pub(crate) fn names(self) -> impl Iterator<Item = Item<'t>> {
        self.items(b'{').step_by(2)
    }

    /// Returns the elements of an array in their order; none for any other value.
    pub fn elements(self) -> impl Iterator<Item = Item<'t>> {
        self.items(b'[')
    }

    /// Returns whether the value holds an escaped surrogate without its partner.
    #[must_use]
    pub fn has_lone_surrogate(self) -> bool {
        let slot = self.tape.slot(self.at);
        let from = self.tape.surrogates.partition_point(|at| *at < slot.start);
        self.tape.surrogates.get(from).is_some_and(|at| *at < slot.end)
    }

    fn items(self, open: u8) -> impl Iterator<Item = Item<'t>> {
        let slot = self.tape.slot(self.at);
        let is_open = self.as_str().as_bytes().first() == Some(&open);
        let end = if is_open { slot.next } else { self.at };
        let mut at = self.at + 1;
        core::iter::from_fn(move || {
            let item = (at < end).then_some(Item { tape: self.tape, at })?;
            at = self.tape.slot(at).next;
            Some(item)
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec, vec::Vec};

    use super::*;

    #[test]
    fn a_tape_reads_what_a_view_reads() {
        let text = r#" {"b":1 , "a":[2, {"c":3},[]], "b":1.50, "x\u0041":{"":null}} "#;
        let tape = Tape::parse(text).unwrap();
        let root = tape.root();
        let seen: Vec<_> = root.members().map(|(name, value)| (name, value.as_str())).collect();
        let view = View::new(text).unwrap();
        let expected: Vec<_> = view.members().map(|(name, value)| (name, value.as_str())).collect();
        assert_eq!(seen, expected);
        assert_eq!(root.get("b").unwrap().as_str(), "1");
        assert!(root.get("xA").unwrap().get("").is_some());
        let elements: Vec<_> = root.get("a").unwrap().elements().map(Item::as_str).collect();
        assert_eq!(elements, vec!["2", "{\"c\":3}", "[]"]);
        assert_eq!(root.elements().count(), 0);
    }

    #[test]
    fn the_depth_is_bounded_and_errors_name_their_place() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Tape::parse(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(Tape::parse(&nested(100_000)).unwrap_err().at, MAX_DEPTH);
        for text in ["", "[1,]", "{\"a\" 1}", "{\"a\":1]", "[1 2]", "nul", "1 1", "\"\\x\""] {
            assert_eq!(Tape::parse(text).unwrap_err(), View::new(text).unwrap_err(), "{text}");
        }
    }

    #[test]
    fn a_surrogate_without_its_partner_is_seen_where_it_stands() {
        let tape = Tape::parse(r#"["\ud83d\ude00","\\ud83d","\ud83d","\ude00x",{"a\udc00":1}]"#).unwrap();
        let seen: Vec<_> = tape.root().elements().map(Item::has_lone_surrogate).collect();
        assert_eq!(seen, [false, false, true, true, true]);
    }
}
