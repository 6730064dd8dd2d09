//! Finds keys that no prefix gives away, by the form of the run or by what stands beside it.

use super::{Found, Kind, Text, base64, text::is_base64_url, value};

/// The most that separates an access key of Amazon Web Services from its secret.
const MAX_APART: usize = 8;
/// The length of an access key.
const ACCESS_KEY: usize = 20;
const AWS_SECRET: usize = 40;

/// Finds a key that starts at a place, which is the start of a word.
pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    let first = text.byte(at);
    let is_glued = matches!(text.before(at), b'+' | b'/' | b'-' | b'_' | b'.' | b'~');
    aws_secret(text, at)
        .or_else(|| if first.is_ascii_digit() { telegram(text, at) } else { None })
        .or_else(|| if first.is_ascii_hexdigit() { mailchimp(text, at) } else { None })
        .or_else(|| if matches!(first, b'M' | b'N' | b'O') && !is_glued { discord(text, at) } else { None })
        .or_else(|| if is_glued { None } else { azure(text, at) })
}

/// Finds the forty characters of a secret access key beside the key that it belongs to, as in a table.
fn aws_secret(text: Text<'_>, at: usize) -> Option<Found> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    if matches!(text.before(at), b'+' | b'/') {
        return None;
    }
    let to = text.run(at, AWS_SECRET + 1, is_part);
    let held = text.slice(at, to);
    let has = |is: fn(&u8) -> bool| held.bytes().any(|byte| is(&byte));
    let is_form = to - at == AWS_SECRET
        && text.byte(to) != b'='
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit);
    if !is_form {
        return None;
    }
    let is_key = |from: usize| text.starts_with(from, "AKIA") || text.starts_with(from, "ASIA");
    let is_separator = |byte: u8| !byte.is_ascii_alphanumeric() && byte != b'[';
    let before = text.run_back(at, MAX_APART, is_separator);
    let after = text.run(to, MAX_APART, is_separator);
    let is_beside =
        before < at && before.checked_sub(ACCESS_KEY).is_some_and(is_key) || after > to && is_key(after);
    is_beside.then_some((Kind::Key, at..to))
}

/// Finds the token of a bot of Telegram: its number, a colon and 35 characters.
fn telegram(text: Text<'_>, at: usize) -> Option<Found> {
    let colon = text.run(at, 11, |byte| byte.is_ascii_digit());
    let to = text.run(colon + 1, 36, is_base64_url);
    let is_token = (8..=10).contains(&(colon - at))
        && text.starts_with(colon, ":AA")
        && to - colon == 36
        && value::is_mixed(text.slice(colon + 1, to));
    is_token.then_some((Kind::Key, at..to))
}

/// Finds a key of Mailchimp: 32 hexadecimal digits and a data centre.
fn mailchimp(text: Text<'_>, at: usize) -> Option<Found> {
    let dash = text.run(at, 33, |byte| byte.is_ascii_hexdigit());
    let from = dash + "-us".len();
    let to = text.run(from, 3, |byte| byte.is_ascii_digit());
    let is_key = dash - at == 32 && text.starts_with(dash, "-us") && (1..=2).contains(&(to - from));
    (is_key && !text.byte(to).is_ascii_alphanumeric()).then_some((Kind::Key, at..to))
}

/// Finds the token of a bot of Discord: three parts, of which the first is a number in base64.
fn discord(text: Text<'_>, at: usize) -> Option<Found> {
    let first = text.run(at, 30, is_base64_url);
    let second = text.run(first + 1, 8, is_base64_url);
    let to = text.run(second + 1, 64, is_base64_url);
    let is_form = (23..=28).contains(&(first - at))
        && text.byte(first) == b'.'
        && second - first == 7
        && text.byte(second) == b'.'
        && to - second > 27;
    let number = base64::decode(text.bytes(at, first));
    (is_form && number.iter().all(u8::is_ascii_digit)).then_some((Kind::Key, at..to))
}

/// Finds the secret of an application of Microsoft Entra: `Q~` stands behind four of its characters.
fn azure(text: Text<'_>, at: usize) -> Option<Found> {
    if !text.starts_with(at + 4, "Q~") {
        return None;
    }
    let is_part = |byte: u8| is_base64_url(byte) || matches!(byte, b'.' | b'~');
    let to = text.run(at, 64, is_part);
    (37..=42).contains(&(to - at)).then_some((Kind::Key, at..to))
}
