//! A module while it is written: its text, and a list of everything in it that is not ours.

use alloc::{string::String, vec::Vec};

use super::{
    Profile,
    backstop::{self, Breach},
    escape::push_literal,
};
use crate::name::Language;

/// The text of a module, with the census that the backstop checks it against.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) out: String,
    pub(crate) language: Language,
    pub(crate) census: Census,
}

/// Every identifier and every literal that a module took from the outside, in the order of the text.
#[derive(Debug, Default)]
pub(crate) struct Census {
    pub(crate) words: Log,
    pub(crate) literals: Log,
}

/// A list of texts, kept as one, each behind its length.
#[derive(Debug, Default)]
pub(crate) struct Log {
    text: String,
    /// The lengths, in digits to the base of 128, the lowest first; a digit with its high bit set goes on.
    lengths: Vec<u8>,
}

impl Log {
    pub(crate) fn push(&mut self, entry: &str) {
        make_room(&mut self.text, entry.len());
        self.text.push_str(entry);
        let mut length = entry.len();
        while length > 0x7F {
            self.lengths.push(length.to_le_bytes().first().map_or(0x80, |low| low | 0x80));
            length >>= 7;
        }
        self.lengths.extend(u8::try_from(length));
    }

    /// Returns the entries in the order in which they were pushed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.text.as_str();
        let mut lengths = self.lengths.iter();
        core::iter::from_fn(move || {
            let (mut length, mut shift) = (0, 0);
            loop {
                let digit = lengths.next()?;
                length |= usize::from(digit & 0x7F) << shift;
                shift += 7;
                if *digit < 0x80 {
                    break;
                }
            }
            let (entry, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(entry)
        })
    }

    fn put_behind(&mut self, other: &Self) {
        self.text.insert_str(0, &other.text);
        self.lengths.splice(0..0, other.lengths.iter().copied());
    }

    fn extend(&mut self, other: &Self) {
        make_room(&mut self.text, other.text.len());
        self.text.push_str(&other.text);
        self.lengths.extend(&other.lengths);
    }
}

/// Makes room for so many bytes more in steps of a quarter: doubling would hold a large text twice.
pub(crate) fn make_room(out: &mut String, bytes: usize) {
    if out.capacity() - out.len() < bytes {
        out.reserve_exact(bytes.max(out.len() / 4).max(32));
    }
}

impl Module {
    pub(crate) fn new(language: Language) -> Self {
        Self { out: String::new(), language, census: Census::default() }
    }

    /// Appends text that is ours.
    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        make_room(&mut self.out, text.len());
        self.out.push_str(text);
        self
    }

    /// Puts lines of ours, which hold nothing from the outside, in front of everything.
    pub(crate) fn prepend(&mut self, lines: &str) {
        self.out.reserve_exact(lines.len());
        self.out.insert_str(0, lines);
    }

    /// Puts a piece that holds no word in front of everything.
    pub(crate) fn put_behind(&mut self, piece: &Self) {
        self.census.literals.put_behind(&piece.census.literals);
        self.prepend(&piece.out);
    }

    /// Returns the text if it holds what was meant to be written and nothing else.
    pub(crate) fn check(self, profile: Profile) -> Result<String, Breach> {
        backstop::check(&self.out, self.language, profile, &self.census)?;
        let mut source = self.out;
        source.shrink_to_fit();
        Ok(source)
    }

    /// Appends an identifier that was made from a name of the server.
    pub(crate) fn word(&mut self, word: &str) -> &mut Self {
        self.census.words.push(word);
        self.raw(word)
    }

    /// Appends a string of the server as a literal.
    pub(crate) fn literal(&mut self, text: &str) -> &mut Self {
        self.census.literals.push(text);
        make_room(&mut self.out, text.len() + 2);
        push_literal(&mut self.out, self.language, text);
        self
    }

    /// Appends a piece that was written elsewhere, with its census.
    pub(crate) fn adopt(&mut self, piece: &Self) -> &mut Self {
        self.census.words.extend(&piece.census.words);
        self.census.literals.extend(&piece.census.literals);
        self.raw(&piece.out)
    }
}
