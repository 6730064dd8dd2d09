//! Turns names that a server chose into identifiers of a language, without ever merging two of them.
//!
//! A name that is an identifier already stays as it is. Any other is folded and carries the first eight
//! digits of its digest, so two names that fold alike stay apart, and no name depends on the others of its
//! listing. What is left, equal names and an engineered digest, is a collision for the caller to refuse.

mod keywords;
mod modules;

use crate::map::BTreeMap;

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};

use sha2::{Digest as _, Sha256};

pub use keywords::Language;

/// The longest identifier that stays as it is, in bytes; a longer one is cut and digested.
pub const MAX_PLAIN: usize = 32;

/// The longest identifier that [`callable`] keeps, in bytes.
pub const MAX_CALLABLE: usize = 64;

const DIGEST_DIGITS: usize = 8;

/// Computes the lower-case hexadecimal digest of some bytes; injected so that tests can make it collide.
pub type Digest = fn(&[u8]) -> String;

/// Returns the SHA-256 digest of some bytes in lower-case hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| DIGITS.get(usize::from(half)).copied().unwrap_or_default();
    let digits: Vec<u8> =
        Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    String::from_utf8(digits).unwrap_or_default()
}

/// Turns the name of a tool or server into a Gleam or Rust identifier.
///
/// ```
/// # use selvedge_core::name::{Language, mangle, sha256};
/// assert_eq!(mangle("create_issue", Language::Gleam, sha256), "create_issue");
/// assert_eq!(mangle("createIssue", Language::Gleam, sha256), "create_issue_706a5e2e");
/// ```
#[must_use]
pub fn mangle(original: &str, language: Language, digest: Digest) -> String {
    mangle_reserving(original, language, &[], digest)
}

/// Turns the name of a parameter into an identifier that is none of `reserved` either.
#[must_use]
pub fn mangle_label(original: &str, language: Language, reserved: &[&str], digest: Digest) -> String {
    mangle_reserving(original, language, reserved, digest)
}

/// Turns the name of a server into the name of a module's file: an identifier that neither the language nor an
/// operating system keeps for something else, and that is none of our own files.
///
/// ```
/// # use selvedge_core::name::{Language, module, sha256};
/// assert_eq!(module("notes", Language::Python, sha256), "notes");
/// assert_eq!(module("typing", Language::Python, sha256), "typing_f8fd8e84");
/// ```
#[must_use]
pub fn module(original: &str, language: Language, digest: Digest) -> String {
    let folded = fold(original);
    let reserved = [folded.as_str()];
    let is_reserved = modules::reserves(language, &folded);
    mangle_reserving(original, language, if is_reserved { &reserved } else { &[] }, digest)
}

/// Turns the name of a tool into an identifier that keeps the server's spelling where the language allows.
#[must_use]
pub fn callable(original: &str, language: Language, reserved: &[&str], digest: Digest) -> String {
    match language {
        Language::Gleam | Language::Rust => mangle_reserving(original, language, reserved, digest),
        Language::TypeScript | Language::Python => {
            if is_plain(original, language) && !reserved.contains(&original) {
                return original.to_owned();
            }
            mangle_reserving(original, language, reserved, digest)
        }
    }
}

/// Finds the two originals that share an identifier, if any two do, in the order given.
#[must_use]
pub fn first_collision<'a>(
    named: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<(&'a str, &'a str)> {
    let mut owners = BTreeMap::new();
    named.into_iter().find_map(|(original, identifier)| {
        owners.insert(identifier, original).map(|earlier| (earlier, original))
    })
}

/// Folds a name to words of lower-case letters and digits joined by single underscores; may be empty.
#[must_use]
pub fn fold(original: &str) -> String {
    let mut out = String::with_capacity(original.len().min(2 * MAX_CALLABLE));
    let mut previous_ends_word = false;
    let mut pending = false;
    for code in original.chars() {
        let kept = code.is_ascii_alphanumeric().then(|| code.to_ascii_lowercase());
        pending |= kept.is_none() || code.is_ascii_uppercase() && previous_ends_word;
        previous_ends_word = code.is_ascii_lowercase() || code.is_ascii_digit();
        let Some(kept) = kept else { continue };
        if pending && !out.is_empty() {
            out.push('_');
        }
        pending = false;
        out.push(kept);
    }
    out
}

fn mangle_reserving(original: &str, language: Language, reserved: &[&str], digest: Digest) -> String {
    let mut name = fold(original);
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        name.insert_str(0, "t_");
    }
    if language.reserves(&name) || reserved.contains(&name.as_str()) {
        name.push('_');
    }
    if name == original && name.len() <= MAX_PLAIN {
        return name;
    }
    name.truncate(MAX_PLAIN);
    if !name.ends_with('_') {
        name.push('_');
    }
    let digits = digest(original.as_bytes());
    name.push_str(digits.get(..DIGEST_DIGITS).unwrap_or(&digits));
    name
}

fn is_plain(original: &str, language: Language) -> bool {
    original.len() <= MAX_CALLABLE
        && original.starts_with(|first: char| first.is_ascii_alphabetic())
        && original.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !language.reserves(original)
}

/// Turns a name into words that each start with a capital, for a type; may be empty.
#[must_use]
pub fn pascal(original: &str) -> String {
    let folded = fold(original);
    folded.split('_').fold(String::with_capacity(folded.len()), |mut out, word| {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
        out
    })
}

/// Hands out identifiers that are wished for, with a number behind those that are taken.
#[derive(Clone, Debug, Default)]
pub struct Allocator {
    taken: BTreeMap<String, u32>,
}

impl Allocator {
    /// Makes sure that nobody gets these identifiers.
    pub fn reserve<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) {
        self.taken.extend(words.into_iter().map(|word| (word.to_owned(), 1)));
    }

    /// Takes an identifier of at most [`MAX_CALLABLE`] bytes that nobody has, as near to the wish as can be.
    pub fn take(&mut self, wish: &str) -> String {
        let end = wish.char_indices().nth(MAX_CALLABLE - DIGEST_DIGITS).map_or(wish.len(), |(at, _)| at);
        let wish = wish.get(..end).unwrap_or_default().to_owned();
        let mut number = self.taken.get(&wish).copied().unwrap_or(0);
        let mut name = wish.clone();
        while number > 0 && self.taken.contains_key(&name) {
            number += 1;
            name.clone_from(&wish);
            name.push_str(&number.to_string());
        }
        if number > 0 {
            self.taken.insert(wish, number);
        }
        self.taken.entry(name.clone()).or_insert(1);
        name
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString, vec, vec::Vec};

    use super::*;

    fn gleam(original: &str) -> String {
        mangle(original, Language::Gleam, sha256)
    }

    #[test]
    fn the_golden_vectors_hold() {
        for (original, mangled) in [
            ("create_issue", "create_issue"),
            ("createIssue", "create_issue_706a5e2e"),
            ("Create-Issue!", "create_issue_48f762e0"),
            ("Target-Repo", "target_repo_bc64ccdd"),
            ("HTTPServer", "httpserver_7e64db77"),
            ("getV2Data", "get_v2_data_61f27259"),
            ("_tool_", "tool_14d474b9"),
            ("a--b", "a_b_90827a2e"),
            ("名前", "t_7ec26292"),
            ("", "t_e3b0c442"),
            ("123abc", "t_123abc_dd130a84"),
            ("fn", "fn_0f1e18bb"),
            ("echo", "echo_092c79e8"),
            ("API-post-search", "api_post_search_63c62e52"),
            ("organizationSlug", "organization_slug_10fce709"),
            ("__proto__", "proto_30e2af38"),
            ("x_", "x_3e16f53f"),
            ("ſ", "t_3a421dcc"),
            ("İd", "d_75340716"),
            ("admin.tools.list", "admin_tools_list_ce33de31"),
            ("main", "main"),
            ("options", "options"),
        ] {
            assert_eq!(gleam(original), mangled, "{original}");
        }
        let label = mangle_label("options", Language::Gleam, &["options"], sha256);
        assert_eq!(label, "options_a793ab8f");
        let at_the_bound = "a".repeat(32);
        assert_eq!(gleam(&at_the_bound), at_the_bound);
        assert_eq!(gleam(&"a".repeat(33)), format!("{at_the_bound}_852785c8"));
        let cut = format!("{}_b", "a".repeat(31));
        assert_eq!(gleam(&cut), format!("{}_654fea57", "a".repeat(31)));
    }

    #[test]
    fn a_collision_names_both_originals() {
        let weak: Digest = |_| "00000000".to_string();
        let names = ["aB", "c", "a-b"];
        let pairs: Vec<_> = names.iter().map(|name| (*name, mangle(name, Language::Rust, weak))).collect();
        let found = first_collision(pairs.iter().map(|(original, name)| (*original, name.as_str())));
        assert_eq!(found, Some(("aB", "a-b")));
        assert_eq!(first_collision([("a", "a"), ("b", "b")]), None);
    }

    #[test]
    fn a_spelling_that_the_language_allows_is_kept() {
        let kept = |name: &str, language| callable(name, language, &[], sha256) == name;
        assert!(kept("createIssue", Language::TypeScript));
        assert!(kept("createIssue", Language::Python));
        assert!(!kept("createIssue", Language::Rust));
        for odd in ["then", "constructor", "__proto__", "a-b", "_x", "9x", "", "toString", "class"] {
            assert!(!kept(odd, Language::TypeScript), "{odd}");
        }
    }

    #[test]
    fn an_allocator_never_hands_out_a_name_twice() {
        let mut names = Allocator::default();
        names.reserve(["List"]);
        let taken: Vec<_> = ["A", "A2", "A", "A", "List", "A2"].iter().map(|wish| names.take(wish)).collect();
        assert_eq!(taken, vec!["A", "A2", "A3", "A4", "List2", "A22"]);
    }

    #[test]
    fn words_of_a_type_start_with_a_capital() {
        assert_eq!(pascal("create-issue v2_x"), "CreateIssueV2X");
        assert_eq!(pascal("名前"), "");
    }
}
