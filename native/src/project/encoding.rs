//! Which text a file holds, in whatever encoding, and whether it may be served.
//!
//! A file is binary where it has no text in any encoding. What is taken for text is served as one reading of it,
//! without credentials; where another reading of the same bytes has credentials that this one does not show, the
//! file is not served at all: neither a zero nor a mark of an encoding carries a text around the redaction.

use std::borrow::Cow;

use selvedge_core::policy::{Redacted, redact};

use super::Fault;

/// The most of a hundred characters of a text that cannot be read.
const MAX_BAD: usize = 10;

/// What a file holds.
pub(super) enum Contents {
    /// A text, without credentials.
    Text(Redacted<'static>),
    /// What has no text in any encoding.
    Binary(Vec<u8>),
}

/// Reads the bytes of a file.
pub(super) fn read(bytes: Vec<u8>) -> Result<Contents, Fault> {
    let Some(text) = decode(&bytes) else {
        let shows = Reading::ALL.into_iter().any(|reading| reading.credentials(&bytes) > 0);
        return if shows { Err(Fault::Credentials) } else { Ok(Contents::Binary(bytes)) };
    };
    let Redacted { text, counts } = redact(&text);
    // Only zeros, and marks of wide encodings, let the same bytes be read as two texts.
    let is_ambiguous = bytes.contains(&0) || Wide::marked(&bytes).is_some();
    let shows_more = |reading: Reading| reading.credentials(&bytes) > counts.total();
    if is_ambiguous && Reading::ALL.into_iter().any(shows_more) {
        return Err(Fault::Credentials);
    }
    Ok(Contents::Text(Redacted { text: Cow::Owned(text.into_owned()), counts }))
}

/// Returns the text of a file, unless it is binary.
fn decode(bytes: &[u8]) -> Option<Cow<'_, str>> {
    // A mark does not make a wide text of what reads as a narrow one.
    if is_mostly_ascii(bytes) {
        return narrow(bytes);
    }
    if let Some((wide, mark)) = Wide::marked(bytes) {
        let text = wide.decode(bytes.get(mark..).unwrap_or_default());
        return is_text(&text, MAX_BAD).then_some(Cow::Owned(text));
    }
    if bytes.contains(&0) {
        let wide = Wide::ALL.into_iter().filter(|wide| wide.is_likely(bytes)).map(|wide| wide.decode(bytes));
        if let Some(text) = wide.into_iter().find(|text| is_text(text, MAX_BAD)) {
            return Some(Cow::Owned(text));
        }
    }
    narrow(bytes)
}

/// Reads bytes as UTF-8 or, where nothing beyond ASCII is UTF-8, as Windows-1252; zeros are dropped.
fn narrow(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let text = String::from_utf8_lossy(bytes);
    let is_utf8 = matches!(text, Cow::Borrowed(_))
        || text.chars().any(|code| !code.is_ascii() && code != char::REPLACEMENT_CHARACTER);
    // Any byte is a character of a narrow encoding, so a control character says more there.
    let (text, max_bad) = if is_utf8 {
        (text, MAX_BAD)
    } else {
        (Cow::Owned(bytes.iter().map(|byte| windows_1252(*byte)).collect()), MAX_BAD / 4)
    };
    if !is_text(&text, max_bad) {
        return None;
    }
    Some(if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { text })
}

/// Returns whether nine of ten bytes are printed in ASCII, which no wide encoding of a text does.
fn is_mostly_ascii(bytes: &[u8]) -> bool {
    let printed = |byte: &&u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    bytes.iter().filter(printed).count() * 10 >= bytes.len() * 9
}

/// Returns whether most characters can be read: so many of a hundred may be control characters, or none at all.
fn is_text(text: &str, max_bad: usize) -> bool {
    let (mut all, mut bad) = (0_usize, 0_usize);
    for code in text.chars() {
        all += 1;
        let is_layout = matches!(code, '\t' | '\n' | '\r' | '\u{8}' | '\u{c}' | '\u{1b}');
        let is_none = code == char::REPLACEMENT_CHARACTER
            || matches!(u32::from(code), 0xE000..=0xF8FF | 0xF_0000..=0x10_FFFF | 0xFDD0..=0xFDEF);
        bad += usize::from(is_none || code.is_control() && !is_layout);
    }
    bad * 100 <= all * max_bad
}

/// An encoding whose units are wider than a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wide {
    Utf32Le,
    Utf32Be,
    Utf16Le,
    Utf16Be,
}

impl Wide {
    const ALL: [Self; 4] = [Self::Utf32Le, Self::Utf32Be, Self::Utf16Le, Self::Utf16Be];

    /// Returns the encoding whose mark the bytes start with, and the length of the mark.
    fn marked(bytes: &[u8]) -> Option<(Self, usize)> {
        match bytes {
            [0xFF, 0xFE, 0, 0, ..] if bytes.len().is_multiple_of(4) => Some((Self::Utf32Le, 4)),
            [0, 0, 0xFE, 0xFF, ..] => Some((Self::Utf32Be, 4)),
            [0xFF, 0xFE, ..] => Some((Self::Utf16Le, 2)),
            [0xFE, 0xFF, ..] => Some((Self::Utf16Be, 2)),
            _ => None,
        }
    }

    /// Returns whether a fifth of the units, or more, has the zeros of a character in ASCII, and the others none.
    fn is_likely(self, bytes: &[u8]) -> bool {
        let is_ascii = |unit: &[u8]| match (self, unit) {
            (Self::Utf32Le, [low, 0, 0, 0])
            | (Self::Utf32Be, [0, 0, 0, low])
            | (Self::Utf16Le, [low, 0])
            | (Self::Utf16Be, [0, low]) => *low != 0,
            _ => false,
        };
        let width = if matches!(self, Self::Utf32Le | Self::Utf32Be) { 4 } else { 2 };
        let units = bytes.chunks_exact(width);
        let all = units.len();
        all > 0 && units.filter(|unit| is_ascii(unit)).count() * 5 >= all
    }

    fn decode(self, bytes: &[u8]) -> String {
        let wide = |read: fn([u8; 4]) -> u32| {
            let units = bytes.as_chunks::<4>().0.iter();
            units.map(|unit| char::from_u32(read(*unit)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        };
        let text: String = match self {
            Self::Utf32Le => wide(u32::from_le_bytes),
            Self::Utf32Be => wide(u32::from_be_bytes),
            Self::Utf16Le => utf16(bytes, u16::from_le_bytes),
            Self::Utf16Be => utf16(bytes, u16::from_be_bytes),
        };
        if text.contains('\0') { text.replace('\0', "") } else { text }
    }
}

fn utf16(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| read(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// A way in which the runs of text of any bytes can be read: how many zeros in a row stand within one.
#[derive(Clone, Copy)]
enum Reading {
    /// None: they end a text.
    Apart,
    /// One, as in ASCII that became UTF-16.
    Pairs,
    /// Up to three, as in ASCII that became UTF-32.
    Fours,
    /// Any number.
    Joined,
}

impl Reading {
    const ALL: [Self; 4] = [Self::Apart, Self::Pairs, Self::Fours, Self::Joined];

    /// Counts the credentials that a reader of the runs of text would find.
    fn credentials(self, bytes: &[u8]) -> usize {
        let within = match self {
            Self::Apart => 0,
            Self::Pairs => 1,
            Self::Fours => 3,
            Self::Joined => usize::MAX,
        };
        let (mut text, mut zeros) = (Vec::with_capacity(bytes.len()), 0);
        for byte in bytes {
            if *byte == 0 {
                zeros += 1;
                continue;
            }
            if zeros > within {
                text.push(b'\n');
            }
            zeros = 0;
            let is_control = byte.is_ascii_control() && !byte.is_ascii_whitespace();
            text.push(if is_control { b'\n' } else { *byte });
        }
        redact(&String::from_utf8_lossy(&text)).counts.total()
    }
}

/// Decodes a byte of Windows-1252, of which ISO 8859-1 is a part; as browsers do, what has no character stays a
/// control character.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    byte.checked_sub(0x80).and_then(|at| HIGH.get(usize::from(at))).copied().unwrap_or(char::from(byte))
}
