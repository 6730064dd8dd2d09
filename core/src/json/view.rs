//! Reads a valid JSON text in place.

use alloc::{borrow::Cow, string::String};

use super::{
    Name, Scanner, SyntaxError,
    name::{first_of, stands_for},
    raw::RawJson,
};

/// What a JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// Returns the name that JSON Schema has for this kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A reader over the text of one valid JSON value.
///
/// Reading a member passes over the ones before it; a caller that wants several takes them in one walk with
/// [`pick`](Self::pick). Members are found by the content of their names, and the first of duplicates counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<'a> {
    text: &'a str,
}

impl<'a> View<'a> {
    /// Validates a text and returns a reader over it.
    ///
    /// # Errors
    ///
    /// Says where the text stops being JSON.
    pub fn new(text: &'a str) -> Result<Self, SyntaxError> {
        let mut scanner = Scanner::new(text);
        scanner.skip_space();
        let span = scanner.value()?;
        scanner.end()?;
        Ok(Self { text: span.of(text) })
    }

    /// Reads a text that was validated already and has no white space around it.
    pub(crate) const fn trusted(text: &'a str) -> Self {
        Self { text }
    }

    /// Returns the text of the value as it was written.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Copies the value's text.
    #[must_use]
    pub fn to_raw(self) -> RawJson {
        RawJson::copied(self.text)
    }

    /// Returns what the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.text.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Returns whether the value is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns the value of a boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Returns the text of a number.
    #[must_use]
    pub fn as_number(self) -> Option<&'a str> {
        (self.kind() == Kind::Number).then_some(self.text)
    }

    /// Returns a whole number that is written without fraction or exponent and fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.as_number()?.parse().ok()
    }

    /// Returns the nearest float of a number; one beyond the range of `f64` is infinite.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().map(to_f64)
    }

    /// Returns the content of a string.
    ///
    /// An escaped surrogate without its partner reads as U+FFFD; the text of the value still shows it.
    #[must_use]
    pub fn to_str(self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        Some(unescape(self.inner()))
    }

    /// Returns the content of a string as a string of its own, read as [`to_str`](Self::to_str) does.
    #[must_use]
    pub fn to_text(self) -> Option<String> {
        self.to_str().map(Cow::into_owned)
    }

    /// Returns whether the value is a string with exactly this content.
    #[must_use]
    pub fn is_str(self, content: &str) -> bool {
        self.kind() == Kind::String && stands_for(self.inner(), content)
    }

    /// Returns what stands between the quotes of a string.
    fn inner(self) -> &'a str {
        self.text.get(1..self.text.len().saturating_sub(1)).unwrap_or_default()
    }

    /// Returns the first member of an object with this name.
    #[must_use]
    pub fn get(self, name: &str) -> Option<View<'a>> {
        self.members().find(|(own, _)| own.is(name)).map(|(_, value)| value)
    }

    /// Returns the first member of each of these names, found in one walk.
    #[must_use]
    pub fn pick<const N: usize>(self, names: [&str; N]) -> [Option<View<'a>>; N] {
        first_of(self.members(), names)
    }

    /// Returns the members of an object in their order, duplicates included; none for any other value.
    #[must_use]
    pub fn members(self) -> Members<'a> {
        Members { walk: Walk::new(self.text, b'{') }
    }

    /// Returns the elements of an array in their order; none for any other value.
    #[must_use]
    pub fn elements(self) -> Elements<'a> {
        Elements { walk: Walk::new(self.text, b'[') }
    }
}

/// Returns the nearest float of a number.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn to_f64(number: &str) -> f64 {
    // A number of JSON is always one of Rust.
    number.parse().unwrap_or(f64::NAN)
}

#[cfg(target_family = "wasm")]
pub(crate) use super::float::nearest as to_f64;

/// Iterates over the members of an object: name and value.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    walk: Walk<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Name<'a>, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut scanner = self.walk.enter()?;
        let name = scanner.name().ok()?.of(self.walk.text);
        let value = self.walk.leave(scanner)?;
        Some((Name::trusted(name), value))
    }
}

/// Iterates over the elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    walk: Walk<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let scanner = self.walk.enter()?;
        self.walk.leave(scanner)
    }
}

/// A place between two items of a container.
#[derive(Clone, Debug)]
struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str, open: u8) -> Self {
        let at = if text.as_bytes().first() == Some(&open) { 1 } else { text.len() };
        Self { text, at }
    }

    /// Returns a scanner on the next item, `None` at the end.
    fn enter(&mut self) -> Option<Scanner<'a>> {
        let mut scanner = Scanner::at(self.text, self.at);
        scanner.skip_space();
        scanner.eat(b',');
        scanner.skip_space();
        match scanner.peek() {
            None | Some(b'}' | b']') => None,
            Some(_) => Some(scanner),
        }
    }

    fn leave(&mut self, mut scanner: Scanner<'a>) -> Option<View<'a>> {
        let span = scanner.value().ok()?;
        self.at = scanner.at;
        Some(View::trusted(span.of(self.text)))
    }
}

/// Resolves the escapes of a valid string's inside.
pub(super) fn unescape(inner: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', inner.as_bytes()) else {
        return Cow::Borrowed(inner);
    };
    let mut out = String::with_capacity(inner.len());
    let (plain, mut rest) = inner.split_at(first);
    out.push_str(plain);
    while let Some(tail) = rest.strip_prefix('\\') {
        rest = push_escape(&mut out, tail);
        let next = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (plain, tail) = rest.split_at(next);
        out.push_str(plain);
        rest = tail;
    }
    Cow::Owned(out)
}

/// Appends what the escape after a backslash stands for and returns what follows it.
fn push_escape<'a>(out: &mut String, tail: &'a str) -> &'a str {
    let mut chars = tail.chars();
    match chars.next() {
        Some('b') => out.push('\u{8}'),
        Some('f') => out.push('\u{c}'),
        Some('n') => out.push('\n'),
        Some('r') => out.push('\r'),
        Some('t') => out.push('\t'),
        Some('u') => return push_unicode(out, chars.as_str()),
        Some(other) => out.push(other),
        None => {}
    }
    chars.as_str()
}

fn push_unicode<'a>(out: &mut String, digits: &'a str) -> &'a str {
    let (high, rest) = hex4(digits);
    if (0xD800..0xDC00).contains(&high)
        && let Some(tail) = rest.strip_prefix("\\u")
        && let (low @ 0xDC00..0xE000, tail) = hex4(tail)
    {
        let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        return tail;
    }
    out.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

fn hex4(digits: &str) -> (u32, &str) {
    let code = digits.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    (code.unwrap_or(0xFFFD), digits.get(4..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use alloc::{vec, vec::Vec};

    use super::*;

    #[test]
    fn strings_read_as_their_content() {
        for (text, content) in [
            (r#""plain""#, "plain"),
            (r#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{c}\n\r\t"),
            (r#""\u00e9\ud83d\ude00x""#, "é😀x"),
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\ude00\ud83dx""#, "\u{fffd}\u{fffd}x"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\u0000""#, "\0"),
        ] {
            assert_eq!(View::new(text).unwrap().to_str().unwrap(), content, "{text}");
        }
    }

    #[test]
    fn members_keep_their_order_and_their_duplicates() {
        let view = View::new(r#" {"b":1 , "a":[2, {"c":3}],"b":1.50} "#).unwrap();
        let seen: Vec<_> = view.members().map(|(name, value)| (name.to_text(), value.as_str())).collect();
        let expected = [("b", "1"), ("a", "[2, {\"c\":3}]"), ("b", "1.50")];
        assert_eq!(seen, expected.map(|(name, value)| (name.into(), value)));
        assert_eq!(view.get("b").unwrap().as_i64(), Some(1));
        let elements: Vec<_> = view.get("a").unwrap().elements().map(View::as_str).collect();
        assert_eq!(elements, vec!["2", "{\"c\":3}"]);
        assert_eq!(view.elements().count(), 0);
    }
}
