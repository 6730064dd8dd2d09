//! Owned JSON text that was validated once.

use alloc::{borrow::ToOwned, string::String};
use core::fmt;

use super::{Scanner, Span, SyntaxError, View};

/// The untouched text of one JSON value, owned and known to be valid.
///
/// Spelling is kept: key order, duplicate keys, escapes, the digits of numbers. Two texts are equal when
/// they are spelled alike.
#[derive(Clone)]
pub struct RawJson {
    text: String,
    span: Span,
}

impl RawJson {
    /// Takes a text that must hold exactly one JSON value, of any depth, with white space around it.
    ///
    /// # Errors
    ///
    /// Says where the text stops being JSON.
    pub fn new(text: impl Into<String>) -> Result<Self, SyntaxError> {
        let text = text.into();
        let span = check(&text)?;
        Ok(Self { text, span })
    }

    /// Returns the text of the value, without white space around it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.span.of(&self.text)
    }

    /// Returns a reader over the value.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::trusted(self.as_str())
    }

    /// Returns the text of the value, without white space around it, as a string of its own.
    #[must_use]
    pub fn into_string(mut self) -> String {
        self.text.truncate(self.span.end);
        self.text.drain(..self.span.start);
        self.text
    }

    /// Takes a text that is known to be valid, without white space around it.
    pub(crate) const fn trusted(text: String) -> Self {
        let span = Span { start: 0, end: text.len() };
        Self { text, span }
    }

    /// Copies a part of a text that was validated already.
    pub(crate) fn copied(valid: &str) -> Self {
        Self { text: valid.to_owned(), span: Span { start: 0, end: valid.len() } }
    }

    /// Keeps a whole validated text for the sake of one value in it.
    pub(crate) const fn within(text: String, span: Span) -> Self {
        Self { text, span }
    }
}

fn check(text: &str) -> Result<Span, SyntaxError> {
    let mut scanner = Scanner::new(text);
    scanner.skip_space();
    let span = scanner.value()?;
    scanner.end()?;
    Ok(span)
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AsRef<str> for RawJson {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
