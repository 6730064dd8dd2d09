//! Judges names and values: which name is a secret's, and which value can be one.

/// What kind of secret a name promises, which says how a value of it must look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A password or a key: anything that is no reference.
    Secret,
    /// A phrase of several words.
    Phrase,
    /// `token`, which is also a word of parsers, pages and models.
    Token,
    /// An `Authorization` header.
    Header,
}

const NAMES: &[(&str, Class)] = &[
    ("password", Class::Secret),
    ("passwd", Class::Secret),
    ("passcode", Class::Secret),
    ("pwd", Class::Secret),
    ("secret", Class::Secret),
    ("secretkeybase", Class::Secret),
    ("apikey", Class::Secret),
    ("accesskey", Class::Secret),
    ("secretkey", Class::Secret),
    ("privatekey", Class::Secret),
    ("authkey", Class::Secret),
    ("signingkey", Class::Secret),
    ("encryptionkey", Class::Secret),
    ("masterkey", Class::Secret),
    ("accountkey", Class::Secret),
    ("storagekey", Class::Secret),
    ("passphrase", Class::Phrase),
    ("seedphrase", Class::Phrase),
    ("mnemonic", Class::Phrase),
    ("token", Class::Token),
    ("credential", Class::Token),
    ("credentials", Class::Token),
    ("authorization", Class::Header),
];

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

/// Values that are types, switches or placeholders.
const WORDS: &[&str] = &[
    "string",
    "str",
    "text",
    "char",
    "varchar",
    "bytes",
    "bool",
    "boolean",
    "number",
    "int",
    "integer",
    "float",
    "object",
    "array",
    "list",
    "dict",
    "map",
    "any",
    "unknown",
    "void",
    "never",
    "null",
    "nil",
    "none",
    "undefined",
    "true",
    "false",
    "yes",
    "required",
    "optional",
    "default",
    "empty",
    "enabled",
    "disabled",
    "hidden",
    "masked",
    "redacted",
    "encrypted",
    "include",
    "same-origin",
    "omit",
    "keyring",
    "prompt",
    "write",
    "read",
    "inherit",
    "generated",
    "random",
    "username",
    "keyword",
    "identifier",
    "literal",
    "operator",
];

/// What placeholders start with.
const PLACEHOLDERS: &[&str] = &[
    "your",
    "replace",
    "insert",
    "placeholder",
    "todo",
    "fixme",
    "example",
    "dummy",
    "env:",
    "env.",
    "vault:",
    "op://",
    "file:",
    "ref+",
    "arn:",
    "keyring:",
    "secretsmanager:",
    "ssm:",
    "process.env",
    "http://",
    "https://",
];

/// Returns what a name promises, or nothing where it is no secret's. Case and separators do not count.
pub(super) fn class_of_name(name: &[u8]) -> Option<Class> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let name = name.get(..name.len() - digits).unwrap_or_default();
    if is_short(name) {
        return Some(Class::Secret);
    }
    let (rest, class) = NAMES.iter().find_map(|(suffix, class)| Some((before(name, suffix)?, *class)))?;
    let is_place = class == Class::Token && HARMLESS_TOKENS.iter().any(|word| before(rest, word).is_some());
    // The working folder, `$PWD`.
    let is_folder = rest.is_empty() && name == b"PWD" || name == b"OLDPWD";
    (!is_place && !is_folder).then_some(class)
}

/// Returns whether a name is `pass` or ends with it as a word of its own; `bypass` does not.
fn is_short(name: &[u8]) -> bool {
    before(name, "pass").is_some_and(|rest| {
        let is_cut = rest.last().is_none_or(|last| !last.is_ascii_alphanumeric());
        let is_camel = name.get(rest.len()).is_some_and(u8::is_ascii_uppercase)
            && rest.last().is_some_and(u8::is_ascii_lowercase);
        is_cut && !rest.is_empty() || is_camel
    }) || name == b"_auth"
}

/// Returns what stands before a suffix, of which only letters are compared.
fn before<'a>(name: &'a [u8], suffix: &str) -> Option<&'a [u8]> {
    let mut left = suffix.bytes().rev().peekable();
    let mut rest = name;
    while let (Some(wanted), Some((last, front))) = (left.peek(), rest.split_last()) {
        if !matches!(last, b'_' | b'-' | b'.') {
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

/// Returns whether a value that stands alone, as within quotes, can be a secret.
pub(super) fn is_quoted_secret(held: &str, class: Class) -> bool {
    let enough = match class {
        Class::Secret | Class::Phrase => held.len() >= 4,
        Class::Token | Class::Header => {
            held.len() >= 20 && has_two_classes(held) || held.len() >= 8 && is_mixed(held)
        }
    };
    enough && !is_harmless(held)
}

/// Returns whether a value is a reference, a path, a type, a placeholder or hidden already.
pub(super) fn is_harmless(held: &str) -> bool {
    let bytes = held.as_bytes();
    let starts_with = |prefix: &&str| {
        bytes.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    held.is_empty()
        || held.contains("[redacted:")
        || is_one_character(bytes)
        || WORDS.iter().any(|word| held.eq_ignore_ascii_case(word))
        || PLACEHOLDERS.iter().any(starts_with)
        || class_of_name(bytes).is_some()
        || is_reference(held)
        || is_path(bytes)
}

fn is_one_character(bytes: &[u8]) -> bool {
    let Some((first, rest)) = bytes.split_first() else { return true };
    rest.iter().all(|byte| byte == first)
}

/// Returns whether a value names another one: `${X}`, `$X`, `{{x}}`, `<x>`, `%X%`, `config.x`, `a::b`.
fn is_reference(held: &str) -> bool {
    let is_wrapped = held.starts_with('<') && held.ends_with('>')
        || held.starts_with('%') && held.len() > 2 && held.ends_with('%')
        || held.starts_with("$(")
        || held.starts_with("${")
        || held.starts_with('!') && held.get(1..).is_some_and(is_identifier)
        || held.find('{').is_some_and(|at| held.get(at..).is_some_and(|rest| rest.contains('}')));
    let is_variable = held.strip_prefix('$').is_some_and(is_identifier);
    let is_dotted = held.contains(['.', ':'])
        && held.split(['.', ':', '?']).all(|part| part.is_empty() || is_identifier(part))
        && !held.bytes().any(|byte| byte.is_ascii_digit());
    is_wrapped || is_variable || is_dotted
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
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'&' | b'*');
    let name = held.bytes().take_while(is_part).count();
    let next = held.as_bytes().get(name);
    let is_access =
        name > 0 && matches!(next, Some(b'(' | b'[' | b'{' | b'?' | b'!')) && held.len() > name + 1;
    let is_group = held.starts_with(['(', '[', '{', '|', '&', '*']);
    let is_arrow = held.contains("->");
    is_access && is_name_start(held) || is_group || is_arrow || name > 0 && matches!(next, Some(b'(' | b'['))
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
