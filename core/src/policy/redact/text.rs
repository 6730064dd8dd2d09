//! Reads a text by its bytes, never beyond its ends.

use super::Kind;

/// A text; every place outside of it holds the byte 0.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self(text)
    }

    pub(super) const fn len(self) -> usize {
        self.0.len()
    }

    pub(super) fn byte(self, at: usize) -> u8 {
        self.0.as_bytes().get(at).copied().unwrap_or_default()
    }

    /// Returns the byte before a place.
    pub(super) fn before(self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.byte(at))
    }

    pub(super) fn slice(self, from: usize, to: usize) -> &'a str {
        self.0.get(from..to).unwrap_or_default()
    }

    pub(super) fn bytes(self, from: usize, to: usize) -> &'a [u8] {
        self.0.as_bytes().get(from..to).unwrap_or_default()
    }

    pub(super) fn starts_with(self, at: usize, prefix: &str) -> bool {
        self.bytes(at, at + prefix.len()) == prefix.as_bytes()
    }

    /// Returns whether a place of a range holds the mark of something that is hidden already.
    pub(super) fn is_marked(self, from: usize, to: usize) -> bool {
        let marks = self.bytes(from, to).iter().enumerate().filter(|(_, byte)| **byte == b'[');
        marks.into_iter().any(|(at, _)| Kind::ALL.iter().any(|kind| self.starts_with(from + at, kind.mark())))
    }

    /// Returns where a line starts that goes on to a place, at most `max` bytes before it.
    pub(super) fn line_start(self, at: usize, max: usize) -> usize {
        self.run_back(at, max, |byte| !is_line_end(byte))
    }

    /// Returns whether a range is a word, whatever its case.
    pub(super) fn is_word(self, from: usize, to: usize, word: &str) -> bool {
        self.bytes(from, to).eq_ignore_ascii_case(word.as_bytes())
    }

    /// Returns the end of a run of bytes, at most `max` of them.
    pub(super) fn run(self, from: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let to = from.saturating_add(max).min(self.len());
        let run = self.bytes(from, to).iter().take_while(|byte| belongs(**byte)).count();
        from + run
    }

    /// Returns the end of a run of about `max` bytes, at a boundary between characters.
    pub(super) fn look(self, from: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let to = self.run(from, max, belongs);
        self.run(to, 3, |byte| byte & 0xC0 == 0x80)
    }

    /// Returns the start of a run of bytes that ends at a place, at most `max` of them.
    pub(super) fn run_back(self, to: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let from = to.saturating_sub(max);
        let run = self.bytes(from, to).iter().rev().take_while(|byte| belongs(**byte)).count();
        to - run
    }
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns whether a byte can stand in the name of a setting.
pub(super) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns whether a byte can stand in an argument of a command line without quotes.
pub(super) const fn is_argument(byte: u8) -> bool {
    byte > b' ' && !is_quote(byte) && !matches!(byte, b';' | b'|' | b'&' | b')' | b'<' | b'>')
}

pub(super) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Returns whether a byte can stand in a token of RFC 4648 §5, with the padding left out.
pub(super) const fn is_base64_url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
