//! Judges names: which one is a secret's.

/// What kind of secret a name promises, which says how a value of it must look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: anything that is no reference, however short.
    Password,
    /// A key, or what is called secret: anything that is no reference.
    Secret,
    /// A phrase of several words.
    Phrase,
    /// `token`, which is also a word of parsers, pages and models.
    Token,
    /// An `Authorization` header.
    Header,
    /// A `Cookie` header: values that have names of their own.
    Cookie,
    /// A number of a JSON Web Key (RFC 7518 §6), whose name is a letter or two.
    Number,
    /// A name in which a secret's stands before a word that says nothing about it.
    Weak,
}

use Class::{Cookie, Header, Number, Password, Phrase, Secret, Token, Weak};

/// What names end with; a longer ending stands before a shorter one that it ends with.
const NAMES: &[(&str, Class)] = &[
    ("password", Password),
    ("passwd", Password),
    ("passcode", Password),
    ("passwort", Password),
    ("kennwort", Password),
    ("motdepasse", Password),
    ("contrasena", Password),
    ("pwd", Password),
    ("secret", Secret),
    ("secretkeybase", Secret),
    ("apikey", Secret),
    ("accesskey", Secret),
    ("secretkey", Secret),
    ("privatekey", Secret),
    ("authkey", Secret),
    ("signingkey", Secret),
    ("encryptionkey", Secret),
    ("decryptionkey", Secret),
    ("validationkey", Secret),
    ("masterkey", Secret),
    ("accountkey", Secret),
    ("storagekey", Secret),
    ("sharedkey", Secret),
    ("consumerkey", Secret),
    ("licensekey", Secret),
    ("deploykey", Secret),
    ("sessionkey", Secret),
    ("servicekey", Secret),
    ("subscriptionkey", Secret),
    ("hmackey", Secret),
    ("passphrase", Phrase),
    ("seedphrase", Phrase),
    ("recoveryphrase", Phrase),
    ("mnemonic", Phrase),
    ("token", Token),
    ("credential", Token),
    ("sessionid", Token),
    ("sessid", Token),
    ("connectsid", Token),
    ("authorization", Header),
    ("setcookie", Cookie),
    ("cookie", Cookie),
];

/// Short names, which are words of their own; `bypass` and `compass` do not end with one.
const SHORT: &[&str] = &["pass", "psk", "pw"];

/// What stands before `token` where it is a place, a mark of a model, or a word of a grammar.
const HARMLESS_TOKENS: &[&str] = &[
    "page",
    "next",
    "continuation",
    "cursor",
    "sync",
    "resume",
    "progress",
    "cancellation",
    "cancel",
    "eos",
    "bos",
    "pad",
    "unk",
    "mask",
    "cls",
    "sep",
    "start",
    "end",
    "stop",
    "first",
    "last",
    "prev",
    "previous",
    "peek",
    "expected",
    "unexpected",
    "special",
];

/// Words behind a secret's name that tell which secret it is.
const QUALIFIERS: &[&str] = &[
    "prod",
    "production",
    "prd",
    "dev",
    "development",
    "test",
    "testing",
    "stage",
    "staging",
    "stg",
    "qa",
    "uat",
    "ci",
    "live",
    "local",
    "old",
    "new",
    "current",
    "previous",
    "next",
    "backup",
    "bak",
    "primary",
    "secondary",
    "main",
    "master",
    "replica",
    "admin",
    "root",
    "value",
    "val",
    "text",
    "plain",
    "plaintext",
    "cleartext",
    "raw",
    "str",
    "string",
    "encoded",
    "encrypted",
    "enc",
    "b",
    "base",
    "default",
    "internal",
    "external",
    "ro",
    "rw",
    "readonly",
    "eu",
    "us",
    "v",
];

/// Words behind a secret's name that make something else of it.
const OTHERS: &[&str] = &[
    "file",
    "files",
    "filename",
    "path",
    "dir",
    "folder",
    "name",
    "names",
    "id",
    "ids",
    "uid",
    "url",
    "uri",
    "host",
    "endpoint",
    "server",
    "length",
    "len",
    "size",
    "min",
    "max",
    "minimum",
    "maximum",
    "count",
    "limit",
    "policy",
    "policies",
    "rule",
    "rules",
    "field",
    "fields",
    "input",
    "label",
    "placeholder",
    "hint",
    "prompt",
    "message",
    "msg",
    "error",
    "errors",
    "type",
    "types",
    "kind",
    "format",
    "pattern",
    "regex",
    "regexp",
    "reset",
    "change",
    "changed",
    "confirm",
    "confirmation",
    "expiry",
    "expires",
    "expiration",
    "expired",
    "ttl",
    "age",
    "at",
    "date",
    "time",
    "timeout",
    "version",
    "ref",
    "refs",
    "reference",
    "hash",
    "digest",
    "algorithm",
    "algo",
    "alg",
    "salt",
    "provider",
    "manager",
    "store",
    "service",
    "class",
    "column",
    "property",
    "prop",
    "env",
    "var",
    "variable",
    "enabled",
    "required",
    "visible",
    "visibility",
    "strength",
    "icon",
    "button",
    "component",
    "form",
    "page",
    "view",
    "handler",
    "validator",
    "validation",
    "encoder",
    "encoding",
    "encryption",
    "generator",
    "generation",
    "callback",
    "fn",
    "func",
    "stdin",
    "command",
    "cmd",
    "helper",
    "index",
    "scope",
    "scopes",
    "issuer",
    "audience",
    "usage",
    "budget",
    "ring",
    "schema",
    "help",
    "title",
    "description",
    "text_color",
    "same",
    "match",
    "mismatch",
    "mode",
    "set",
];

/// The most words behind a secret's name.
const MAX_WORDS: usize = 4;

/// Returns what a name promises, or nothing where it is no secret's. Case and separators do not count.
pub(super) fn class_of_name(name: &[u8]) -> Option<Class> {
    let mut stem = trimmed(name);
    let mut is_weak = false;
    for words in 0..=MAX_WORDS {
        if let Some(class) = class_of_end(stem) {
            return match (class, words) {
                (class, 0) => Some(class),
                (Password | Secret | Phrase, _) if is_weak => Some(Weak),
                (Password | Secret | Phrase | Token, _) if !is_weak => Some(class),
                _ => None,
            };
        }
        let start = last_word(stem);
        let word = stem.get(start..).unwrap_or_default();
        if start == 0 || is_one_of(word, OTHERS) {
            return None;
        }
        is_weak |= !is_one_of(word, QUALIFIERS);
        stem = trimmed(stem.get(..start).unwrap_or_default());
    }
    None
}

/// Returns whether a text is a secret's name and no more, as in `password=password`.
pub(super) fn is_bare_name(held: &[u8]) -> bool {
    let rest = rest_of_name(held);
    rest.is_some_and(<[u8]>::is_empty)
}

/// Returns what stands before the secret's name at the end of a text.
pub(super) fn rest_of_name(held: &[u8]) -> Option<&[u8]> {
    let name = trimmed(held);
    let singular = name.strip_suffix(b"s").filter(|rest| !rest.ends_with(b"s")).unwrap_or(name);
    let suffixes = NAMES.iter().map(|(suffix, _)| *suffix).chain(SHORT.iter().copied());
    suffixes.into_iter().find_map(|suffix| before(name, suffix).or_else(|| before(singular, suffix)))
}

/// Leaves out separators, and digits, which number secrets.
fn trimmed(name: &[u8]) -> &[u8] {
    let is_more = |byte: &u8| byte.is_ascii_digit() || is_separator(*byte);
    let more = name.iter().rev().take_while(|byte| is_more(byte)).count();
    name.get(..name.len() - more).unwrap_or_default()
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b' ')
}

/// Returns where the last word of a name starts.
fn last_word(name: &[u8]) -> usize {
    let mut at = name.len();
    while let Some(last) = at.checked_sub(1).and_then(|last| name.get(last)) {
        let before = at.checked_sub(2).and_then(|before| name.get(before)).copied().unwrap_or_default();
        if is_separator(*last) {
            return at;
        }
        at -= 1;
        if last.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            return at;
        }
    }
    0
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let word = word.get(..word.len() - digits).unwrap_or_default();
    word.is_empty() || words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns what the end of a name promises.
fn class_of_end(name: &[u8]) -> Option<Class> {
    if SHORT.iter().any(|short| is_short(name, short)) {
        return Some(Password);
    }
    if name == b"_auth" || name.eq_ignore_ascii_case(b"auth") {
        return Some(Token);
    }
    if matches!(name, b"d" | b"p" | b"q" | b"dp" | b"dq" | b"qi" | b"k") {
        return Some(Number);
    }
    let singular = name.strip_suffix(b"s").or_else(|| name.strip_suffix(b"S")).filter(|rest| rest.len() > 3);
    let ends =
        |name: &'_ [u8]| NAMES.iter().find_map(|(suffix, class)| Some((before(name, suffix)?.len(), *class)));
    let (rest, class) = ends(name).or_else(|| singular.and_then(ends))?;
    let rest = name.get(..rest).unwrap_or_default();
    let is_place = class == Token && HARMLESS_TOKENS.iter().any(|word| before(rest, word).is_some());
    // The working folder, `$PWD`.
    let is_folder = name == b"PWD" || name == b"OLDPWD";
    // Only whole headers: `sameSiteCookie` is a setting.
    let is_part = class == Cookie && !matches!(rest, b"" | b"set-" | b"Set-" | b"http_" | b"HTTP_");
    (!is_place && !is_folder && !is_part).then_some(class)
}

/// Returns whether a name is a short one, or ends with it as a word of its own.
fn is_short(name: &[u8], short: &str) -> bool {
    before(name, short).is_some_and(|rest| {
        let is_cut = rest.last().is_none_or(|last| !last.is_ascii_alphanumeric());
        let is_camel = name.get(rest.len()).is_some_and(u8::is_ascii_uppercase)
            && rest.last().is_some_and(u8::is_ascii_lowercase);
        is_cut || is_camel
    })
}

/// Returns what stands before a suffix, of which only letters are compared.
fn before<'a>(name: &'a [u8], suffix: &str) -> Option<&'a [u8]> {
    let mut left = suffix.bytes().rev().peekable();
    let mut rest = name;
    while let (Some(wanted), Some((last, front))) = (left.peek(), rest.split_last()) {
        if !is_separator(*last) {
            if last.to_ascii_lowercase() != *wanted {
                return None;
            }
            left.next();
        } else if left.len() == suffix.len() {
            // A separator at the very end is none between words.
            return None;
        }
        rest = front;
    }
    left.peek().is_none().then_some(rest)
}
