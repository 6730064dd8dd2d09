//! Hides credentials in a text and counts what it hid.
//!
//! Known shapes of keys, private keys with and without the lines around them, tokens in headers, passwords in
//! URLs, and values whose name is a secret's: in settings, code, markup, tables and command lines. Hashes, UUIDs,
//! references (`${TOKEN}`, `os.environ["TOKEN"]`), types and placeholders stay. A secret that looks like nothing and
//! has no name is not found: redaction is a net, not a wall.
//!
//! One pass from left to right. What is looked at again after it was refused is bounded by a constant, so
//! time is linear in the text, whoever wrote it.

mod base64;
mod below;
mod harmless;
mod markup;
mod name;
mod named;
mod pair;
mod pem;
mod runs;
mod shapes;
mod spoken;
mod table;
mod text;
mod url;
mod value;

use alloc::{borrow::Cow, string::String};
use core::ops::Range;

use text::Text;

/// What kind of credential was hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The body of a private key; its line count is kept.
    PrivateKey,
    /// A key in a shape that its issuer made recognizable, such as `ghp_…` or `AKIA…`.
    Key,
    /// A JSON Web Token.
    WebToken,
    /// What follows `Bearer`, or the scheme of an `Authorization` header.
    Header,
    /// A value whose name is a secret's: `password = …`, `API_KEY: …`, `"token": "…"`, `--password …`.
    Named,
    /// The password, or the token that stands for one, of a URL.
    Url,
}

impl Kind {
    /// Every kind, in the order of their declaration.
    pub const ALL: [Self; 6] =
        [Self::PrivateKey, Self::Key, Self::WebToken, Self::Header, Self::Named, Self::Url];

    /// Returns what stands in the place of a hidden credential.
    #[must_use]
    pub const fn mark(self) -> &'static str {
        match self {
            Self::PrivateKey => "[redacted: private key]",
            Self::Key => "[redacted: key]",
            Self::WebToken => "[redacted: web token]",
            Self::Header => "[redacted: header]",
            Self::Named => "[redacted: secret]",
            Self::Url => "[redacted: password]",
        }
    }
}

/// How many credentials of each kind were hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    of: [usize; Kind::ALL.len()],
}

impl Counts {
    /// Returns how many of one kind were hidden.
    #[must_use]
    pub fn of(&self, kind: Kind) -> usize {
        self.of.get(kind as usize).copied().unwrap_or_default()
    }

    /// Returns how many were hidden.
    #[must_use]
    pub fn total(&self) -> usize {
        self.of.iter().sum()
    }

    /// Returns the kinds that were hidden, each with how many.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, usize)> {
        Kind::ALL.into_iter().zip(self.of).filter(|(_, count)| *count > 0)
    }

    /// Adds what was hidden in another text.
    pub fn add(&mut self, other: &Self) {
        for (own, more) in self.of.iter_mut().zip(other.of) {
            *own += more;
        }
    }

    fn count(&mut self, kind: Kind) {
        if let Some(own) = self.of.get_mut(kind as usize) {
            *own += 1;
        }
    }
}

/// A text without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text; borrowed where nothing was hidden.
    pub text: Cow<'a, str>,
    /// What was hidden.
    pub counts: Counts,
}

/// Hides the credentials in a text.
///
/// The text has as many lines as before, and hiding again changes nothing. This is for text that people and
/// tools wrote for readers; a structured payload that a program will parse is its sender's business.
///
/// ```
/// use selvedge_core::policy::{Kind, redact};
///
/// let redacted = redact("host = db.local\npassword = hunter2\n");
/// assert_eq!(redacted.text, "host = db.local\npassword = [redacted: secret]\n");
/// assert_eq!(redacted.counts.of(Kind::Named), 1);
/// ```
#[must_use]
pub fn redact(text: &str) -> Redacted<'_> {
    let mut out = String::new();
    let mut counts = Counts::default();
    let mut from = 0;
    let mut search = Search::new(Text::new(text));
    while let Some((kind, hidden)) = search.find(from) {
        out.push_str(text.get(from..hidden.start).unwrap_or_default());
        out.push_str(kind.mark());
        let body = text.get(hidden.clone()).unwrap_or_default();
        out.extend(body.bytes().filter(|byte| *byte == b'\n').map(char::from));
        counts.count(kind);
        from = hidden.end;
    }
    if from == 0 {
        return Redacted { text: Cow::Borrowed(text), counts };
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Redacted { text: Cow::Owned(out), counts }
}

/// Where a credential stands.
type Found = (Kind, Range<usize>);

/// A search through a text, from left to right.
struct Search<'a> {
    text: Text<'a>,
    columns: Option<table::Columns>,
    tail: pem::Tail,
}

impl<'a> Search<'a> {
    fn new(text: Text<'a>) -> Self {
        Self { text, columns: table::Columns::of(text), tail: pem::Tail::default() }
    }

    fn find(&mut self, from: usize) -> Option<Found> {
        (from..self.text.len()).find_map(|at| self.find_at(at))
    }

    fn find_at(&mut self, at: usize) -> Option<Found> {
        let text = self.text;
        if let Some(found) = self.columns.as_mut().and_then(|columns| columns.find(text, at)) {
            return Some(found);
        }
        match text.byte(at) {
            b'-' => pem::find(text, at).or_else(|| spoken::flag(text, at)),
            b':' => url::find(text, at).or_else(|| pem::putty(text, at)).or_else(|| named::find(text, at)),
            b'=' | b'>' => named::find(text, at),
            b'"' | b'\'' => spoken::quote(text, at),
            byte if byte.is_ascii_alphanumeric() && !text.before(at).is_ascii_alphanumeric() => self.word(at),
            _ => None,
        }
    }

    /// Finds what starts with the word at a place.
    fn word(&mut self, at: usize) -> Option<Found> {
        let text = self.text;
        let found = match text.byte(at) {
            b'M' | b'b' => pem::headless(text, at),
            _ => None,
        };
        let found = found.or_else(|| shapes::find(text, at)).or_else(|| match text.byte(at) {
            b'B' | b'b' | b'P' | b'p' => spoken::word(text, at),
            _ => None,
        });
        if found.is_some() || !(at == 0 || text::is_line_end(text.before(at))) {
            return found;
        }
        self.tail.find(text, at)
    }
}

#[cfg(test)]
mod tests;
