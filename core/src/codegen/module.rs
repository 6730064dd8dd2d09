//! A module while it is written: its text, and a list of everything in it that is not ours.

use alloc::{string::String, vec::Vec};

use super::escape::push_literal;
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

/// A list of texts, kept as one.
#[derive(Debug, Default)]
pub(crate) struct Log {
    text: String,
    ends: Vec<usize>,
}

impl Log {
    pub(crate) fn push(&mut self, entry: &str) {
        self.text.push_str(entry);
        self.ends.push(self.text.len());
    }

    /// Returns the entries in the order in which they were pushed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut from = 0;
        self.ends.iter().map(move |end| {
            let entry = self.text.get(from..*end).unwrap_or_default();
            from = *end;
            entry
        })
    }

    fn extend(&mut self, other: &Self) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

impl Module {
    pub(crate) fn new(language: Language) -> Self {
        Self { out: String::new(), language, census: Census::default() }
    }

    /// Appends text that is ours.
    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    /// Puts lines of ours, which hold nothing from the outside, in front of everything.
    pub(crate) fn prepend(&mut self, lines: &str) {
        self.out.insert_str(0, lines);
    }

    /// Appends an identifier that was made from a name of the server.
    pub(crate) fn word(&mut self, word: &str) -> &mut Self {
        self.census.words.push(word);
        self.out.push_str(word);
        self
    }

    /// Appends a string of the server as a literal.
    pub(crate) fn literal(&mut self, text: &str) -> &mut Self {
        self.census.literals.push(text);
        push_literal(&mut self.out, self.language, text);
        self
    }

    /// Appends a piece that was written elsewhere, with its census.
    pub(crate) fn adopt(&mut self, piece: &Self) -> &mut Self {
        self.census.words.extend(&piece.census.words);
        self.census.literals.extend(&piece.census.literals);
        self.out.push_str(&piece.out);
        self
    }
}
