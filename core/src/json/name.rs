//! The one reader of members: names are compared by what they stand for, and the first of duplicates counts.

use alloc::{borrow::Cow, string::String};
use core::{cmp::Ordering, fmt};

use super::view::unescape;

/// The name of a member, compared by its content: `"n\u0061me"` is `name`.
///
/// Its spelling can be copied, but not looked at: two spellings of one name are one name to every reader.
#[derive(Clone, Copy)]
pub struct Name<'a> {
    inner: &'a str,
}

impl<'a> Name<'a> {
    /// Takes a name with its quotes, out of a text that was validated already.
    #[inline]
    pub(crate) fn trusted(quoted: &'a str) -> Self {
        Self { inner: quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default() }
    }

    /// Returns whether this is the name.
    #[inline]
    #[must_use]
    pub fn is(self, name: &str) -> bool {
        stands_for(self.inner, name)
    }

    /// Returns the name; an escaped surrogate without its partner reads as U+FFFD.
    #[inline]
    #[must_use]
    pub fn to_str(self) -> Cow<'a, str> {
        unescape(self.inner)
    }

    /// Returns the name as a string of its own, read as [`to_str`](Self::to_str) does.
    #[must_use]
    pub fn to_text(self) -> String {
        self.to_str().into_owned()
    }

    /// Appends the name as it was written, with its quotes.
    pub fn push_to(self, out: &mut String) {
        out.push('"');
        out.push_str(self.inner);
        out.push('"');
    }

    /// Returns where the name begins in the text that it is a part of.
    pub(super) fn start_in(self, text: &str) -> usize {
        self.inner.as_ptr() as usize - text.as_ptr() as usize
    }

    /// Returns whether the name is spelled with escapes.
    pub(super) fn is_escaped(self) -> bool {
        self.inner.as_bytes().contains(&b'\\')
    }

    /// Compares two names of which none is spelled with escapes.
    pub(super) fn cmp_plain(self, other: Self) -> Ordering {
        self.inner.cmp(other.inner)
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
            || (self.is_escaped() || other.is_escaped()) && self.to_str() == other.to_str()
    }
}

impl Eq for Name<'_> {}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str())
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.to_str(), f)
    }
}

/// Returns whether the inside of a valid string stands for this content.
#[inline]
pub(super) fn stands_for(inner: &str, content: &str) -> bool {
    // An escape is longer than what it stands for.
    match inner.len().cmp(&content.len()) {
        Ordering::Less => false,
        Ordering::Equal => inner == content && !content.as_bytes().contains(&b'\\'),
        Ordering::Greater => inner.as_bytes().contains(&b'\\') && unescape(inner) == content,
    }
}

/// Finds the first member of each of these names.
#[inline]
pub(crate) fn first_of<'a, V: Copy, const N: usize>(
    members: impl Iterator<Item = (Name<'a>, V)>,
    names: [&str; N],
) -> [Option<V>; N] {
    let mut found = [None; N];
    for (own, value) in members {
        let slot = found.iter_mut().zip(names).find(|(_, name)| own.is(name));
        if let Some((slot @ None, _)) = slot {
            *slot = Some(value);
        }
    }
    found
}

/// Returns whether two of a few names are the same.
pub(crate) fn has_few_twice<'a>(names: impl Iterator<Item = Name<'a>> + Clone) -> bool {
    let mut names = names;
    let has_escapes = names.clone().any(Name::is_escaped);
    while let Some(name) = names.next() {
        let is_same = |other: Name<'a>| if has_escapes { name == other } else { name.inner == other.inner };
        if names.clone().any(is_same) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_it_stands_for() {
        for (spelled, name) in [
            (r#""name""#, "name"),
            (r#""n\u0061me""#, "name"),
            (r#""\u006e\u0061\u006D\u0065""#, "name"),
            (r#""a\/b""#, "a/b"),
            (r#""a\\b""#, r"a\b"),
            (r#""""#, ""),
            (r#""\ud83d\ude00""#, "😀"),
        ] {
            let own = Name::trusted(spelled);
            assert!(own.is(name), "{spelled}");
            assert_eq!(own.to_str(), name);
            let mut copied = String::new();
            own.push_to(&mut copied);
            assert_eq!(copied, spelled);
        }
        assert!(!Name::trusted(r#""a\\b""#).is(r"a\\b"));
        assert!(!Name::trusted(r#""name""#).is("nam"));
        assert_eq!(Name::trusted(r#""n\u0061me""#), Name::trusted(r#""name""#));
        assert_ne!(Name::trusted(r#""n\\u0061me""#), Name::trusted(r#""name""#));
    }

    #[test]
    fn the_first_of_duplicates_counts() {
        let members = [(r#""b""#, 1), (r#""\u0061""#, 2), (r#""a""#, 3), (r#""b""#, 4)];
        let members = || members.iter().map(|(name, value)| (Name::trusted(name), *value));
        assert_eq!(first_of(members(), ["a", "b", "c"]), [Some(2), Some(1), None]);
    }
}
