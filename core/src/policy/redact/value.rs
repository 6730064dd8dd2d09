//! Judges values: which one can be a secret.

use super::{
    harmless::{CODE, PROSE, WORDS, is_placeholder},
    name::{Class, class_of_name, is_bare_name, rest_of_name},
};

/// Where a value stands, which says what else it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Between quotes, or in a file of values where nothing else can stand.
    Quoted,
    /// Behind `NAME=` on a line of its own.
    Variable,
    /// In a text that may be code.
    Bare,
}

/// Returns whether a value that stands alone can be a secret.
pub(super) fn is_secret(held: &str, class: Class, place: Place) -> bool {
    let enough = match class {
        Class::Password => held.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80),
        Class::Secret | Class::Phrase => held.len() >= 4,
        Class::Weak => held.len() >= 6 && is_mixed(held) && !held.contains(is_space),
        Class::Token | Class::Header => {
            held.len() >= 20 && has_two_classes(held) || held.len() >= 8 && is_mixed(held)
        }
        Class::Cookie => held.split_once('=').is_some_and(|(_, value)| value.len() >= 8 && is_mixed(value)),
        Class::Number => held.len() >= 40 && is_random(held) && held.bytes().all(super::text::is_base64_url),
    };
    let may_hold_blanks =
        matches!(class, Class::Password | Class::Secret | Class::Phrase | Class::Cookie | Class::Header);
    enough
        && (may_hold_blanks || !held.contains(is_space))
        && !(held.contains(is_space) && class != Class::Cookie && is_prose(held))
        && !is_harmless(held, place)
        && !(place == Place::Bare && class != Class::Password && rest_of_name(held.as_bytes()).is_some())
}

const fn is_space(code: char) -> bool {
    matches!(code, ' ' | '\t')
}

/// Returns whether a value is a reference, a path, a type or a placeholder.
pub(super) fn is_harmless(held: &str, place: Place) -> bool {
    let bytes = held.as_bytes();
    held.is_empty()
        || is_one_character(bytes)
        || WORDS.iter().any(|word| held.eq_ignore_ascii_case(word))
        || is_bare_name(bytes)
        || is_placeholder(held)
        || is_reference(held, place)
        || is_elsewhere(held)
        || is_path(bytes)
        || place == Place::Bare && CODE.contains(&held)
}

/// Returns whether words are said to a reader, so that they are no phrase that somebody chose.
fn is_prose(held: &str) -> bool {
    let is_end = |code: char| {
        code.is_ascii_whitespace() || matches!(code, ',' | ';' | ':' | '.' | '!' | '?' | '(' | ')')
    };
    let is_word = |word: &str| {
        PROSE.iter().any(|known| word.eq_ignore_ascii_case(known)) || class_of_name(word.as_bytes()).is_some()
    };
    held.split(is_end).any(is_word) || held.starts_with("-----BEGIN")
}

fn is_one_character(bytes: &[u8]) -> bool {
    let Some((first, rest)) = bytes.split_first() else { return true };
    (!first.is_ascii_alphanumeric() || rest.len() >= 2) && rest.iter().all(|byte| byte == first)
}

/// Returns whether a value names another one: `${X}`, `$X`, `{{x}}`, `<x>`, `%X%`, `config.x`, `a::b`.
fn is_reference(held: &str, place: Place) -> bool {
    let within = |open: &str, close: &str| held.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let is_name = |held: &str| is_identifier(held) || class_of_name(held.as_bytes()).is_some();
    let is_wrapped = within("<", ">").is_some()
        || within("%", "%").is_some_and(is_identifier)
        || within("{", "}").is_some_and(|inner| is_dotted(inner) || is_name(inner))
        || held.starts_with('%') && held.len() <= 3
        || held.starts_with("%(") && held.ends_with(['s', ')'])
        || place == Place::Bare && held.strip_prefix('!').is_some_and(is_identifier);
    let is_parameter = held.strip_prefix([':', '@']).is_some_and(is_name)
        && (place == Place::Bare
            || held.get(1..).is_some_and(|name| class_of_name(name.as_bytes()).is_some()));
    let is_variable = held.strip_prefix('$').is_some_and(|name| names_variable(name, place));
    is_wrapped
        || is_parameter
        || is_variable
        || is_template(held)
        || held.contains(['.', ':']) && is_dotted(held)
}

/// Returns whether what follows a `$` names a variable; `$ecret` in a file of values does not.
fn names_variable(name: &str, place: Place) -> bool {
    let name = name.strip_prefix("env:").unwrap_or(name);
    let first = name.split(['.', '[', ':', '-']).next().unwrap_or_default();
    let is_upper = !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_access = first.len() < name.len() && !is_mixed(name);
    is_identifier(first)
        && (is_upper && first == name
            || is_access
            || class_of_name(name.as_bytes()).is_some()
            || place == Place::Bare && first == name
            || first == name && name.len() < 5)
        || !name.is_empty() && name.len() <= 2 && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether parts that are filled in later leave nothing that is a secret by itself.
fn is_template(held: &str) -> bool {
    const OPEN: [(&str, &str); 6] =
        [("${", "}"), ("{{", "}}"), ("#{", "}"), ("%{", "}"), ("$(", ")"), ("<%", "%>")];
    if !held.contains(['$', '{', '<']) {
        return false;
    }
    let mut left = 0;
    let (mut digits, mut letters, mut is_filled) = (false, false, false);
    let mut rest = held;
    while let Some(first) = rest.chars().next() {
        let filled = OPEN.iter().find_map(|(open, close)| {
            let inner = rest.strip_prefix(open)?;
            inner.find(close).and_then(|at| inner.get(at + close.len()..)).or(Some("").filter(|_| left == 0))
        });
        if let Some(after) = filled {
            // `${{ x }}` has a brace more.
            (rest, is_filled) = (after.trim_start_matches('}'), true);
            continue;
        }
        left += usize::from(first.is_alphanumeric());
        digits |= first.is_ascii_digit();
        letters |= first.is_alphabetic();
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    is_filled && (left < 4 || !(digits && letters))
}

/// Returns whether identifiers are joined by dots or colons, and no digit is in them.
fn is_dotted(held: &str) -> bool {
    held.split(['.', ':', '?']).all(|part| part.is_empty() || is_identifier(part))
        && !held.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns whether a value says where the secret is kept.
fn is_elsewhere(held: &str) -> bool {
    let starts = |prefix: &str| {
        let start = held.get(..prefix.len())?;
        start.eq_ignore_ascii_case(prefix).then(|| held.get(prefix.len()..).unwrap_or_default())
    };
    let is_place = |rest: &str| rest.contains('/') || rest.starts_with(['.', '~']);
    let is_environment = |rest: &str| {
        is_identifier(rest)
            && rest.bytes().all(|byte| byte == b'_' || byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    ["http://", "https://", "op://", "arn:aws", "process.env", "ref+", "gcp-sm://", "akv://"]
        .iter()
        .any(|prefix| starts(prefix).is_some())
        || ["file:", "vault:", "ssm:", "secretsmanager:", "keyring:"]
            .iter()
            .any(|prefix| starts(prefix).is_some_and(is_place))
        || ["env:", "env."].iter().any(|prefix| starts(prefix).is_some_and(is_environment))
}

/// Returns whether a value is a path; one in base64 has both cases and digits.
fn is_path(bytes: &[u8]) -> bool {
    let is_rooted = [b"/".as_slice(), b"./", b"../", b"~/"].iter().any(|start| bytes.starts_with(start));
    is_rooted
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~'))
        && !(bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_digit))
}

/// Returns whether a value is a call, an index or an access: code that fetches a secret and holds none.
pub(super) fn is_expression(held: &str) -> bool {
    let name = name_len(held);
    let rest = held.get(name..).unwrap_or_default();
    let is_access = name > 0
        && (rest.starts_with(['(', '['])
            || is_name_start(held)
                && ["{", "?.", "!.", "![", "?[", "!(", "?("].iter().any(|sign| rest.starts_with(sign))
                && rest.len() > 1);
    is_access || held.starts_with(['(', '[', '{', '|', '&', '*']) || held.contains("->")
}

/// Returns whether a value is a whole call or index, as a line `NAME=value` may hold in code.
pub(super) fn is_call(held: &str) -> bool {
    let rest = held.get(name_len(held)..).unwrap_or_default();
    is_name_start(held)
        && (rest.starts_with('(') && held.contains(')') || rest.starts_with('[') && held.contains(']'))
        || rest.starts_with("(\"")
        || rest.starts_with("(\'")
        || rest.starts_with("[\"")
}

fn name_len(held: &str) -> usize {
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'&' | b'*');
    held.bytes().take_while(is_part).count()
}

fn is_name_start(held: &str) -> bool {
    held.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

pub(super) fn is_identifier(held: &str) -> bool {
    is_name_start(held) && held.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns whether a text has a letter and a digit.
pub(super) fn is_mixed(held: &str) -> bool {
    held.bytes().any(|byte| byte.is_ascii_digit()) && held.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns whether a text is no single word: it has a digit beside letters, a symbol, or capitals within.
pub(super) fn has_two_classes(held: &str) -> bool {
    let is_word = held.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'));
    !is_word && (is_mixed(held) || held.bytes().any(|byte| !byte.is_ascii_alphanumeric()))
        || held.len() >= 20
            && held.bytes().any(|byte| byte.is_ascii_uppercase())
            && held.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Returns whether an identifier is one that nobody would choose: long, with digits among its letters.
pub(super) fn is_random(held: &str) -> bool {
    let changes = held
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()));
    held.len() >= 16 && changes.count() >= 3
}
