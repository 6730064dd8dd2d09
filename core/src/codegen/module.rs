//! A module while it is written: its text, and a list of everything in it that is not ours.

use alloc::{
    borrow::ToOwned,
    collections::{BTreeMap, BTreeSet},
    string::String,
};

use super::escape::push_literal;
use crate::name::Language;

/// The text of a module, with the census that the backstop checks it against.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) out: String,
    pub(crate) language: Language,
    pub(crate) census: Census,
}

/// Every identifier and every literal that a module took from the outside.
#[derive(Debug, Default)]
pub(crate) struct Census {
    pub(crate) words: BTreeSet<String>,
    pub(crate) literals: BTreeMap<String, usize>,
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

    /// Appends an identifier that was made from a name of the server.
    pub(crate) fn word(&mut self, word: &str) -> &mut Self {
        if !self.census.words.contains(word) {
            self.census.words.insert(word.to_owned());
        }
        self.out.push_str(word);
        self
    }

    /// Appends a string of the server as a literal.
    pub(crate) fn literal(&mut self, text: &str) -> &mut Self {
        match self.census.literals.get_mut(text) {
            Some(count) => *count += 1,
            None => {
                self.census.literals.insert(text.to_owned(), 1);
            }
        }
        push_literal(&mut self.out, self.language, text);
        self
    }

    /// Notes what a piece holds that was written elsewhere and is appended as it is.
    pub(crate) fn adopt(&mut self, piece: &Self) -> &mut Self {
        for word in &piece.census.words {
            if !self.census.words.contains(word) {
                self.census.words.insert(word.clone());
            }
        }
        for (text, count) in &piece.census.literals {
            *self.census.literals.entry(text.clone()).or_default() += count;
        }
        self.out.push_str(&piece.out);
        self
    }
}
