//! Finds credentials in the authority of a URL (RFC 3986 §3.2.1).

use super::{
    Found, Kind, Text,
    text::{is_argument, is_line_end, is_quote},
    value::{self, Place},
};

const MAX_AUTHORITY: usize = 512;
/// A user without a password that is at least this long stands for one.
const MIN_TOKEN: usize = 20;

pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    if !text.starts_with(at, "://") || !text.before(at).is_ascii_alphanumeric() {
        return None;
    }
    let from = at + "://".len();
    let to = text.run(from, MAX_AUTHORITY, |byte| {
        !matches!(byte, b'/' | b'?' | b'#' | b' ' | b'\t' | b'<' | b'>' | b'\\')
            && !is_line_end(byte)
            && !is_quote(byte)
    });
    let authority = text.bytes(from, to);
    let end = match authority.iter().rposition(|byte| *byte == b'@') {
        Some(at) => from + at,
        None => beyond_slash(text, from, to)?,
    };
    let user = text.bytes(from, end);
    let Some(colon) = user.iter().position(|byte| *byte == b':') else {
        let is_token = user.len() >= MIN_TOKEN && value::is_mixed(text.slice(from, end));
        return is_token.then_some((Kind::Url, from..end));
    };
    let password = from + colon + 1;
    let held = text.slice(password, end);
    let is_secret =
        !held.is_empty() && !value::is_harmless(held, Place::Quoted) && !text.is_marked(password, end);
    is_secret.then_some((Kind::Url, password..end))
}

/// Returns where a password ends that has a `/`, a `?` or a `#` in it, which nobody encoded.
fn beyond_slash(text: Text<'_>, from: usize, to: usize) -> Option<usize> {
    let colon = text.bytes(from, to).iter().position(|byte| *byte == b':')?;
    let is_port = text.bytes(from + colon + 1, to).iter().all(u8::is_ascii_digit);
    if is_port || !matches!(text.byte(to), b'/' | b'?' | b'#') {
        return None;
    }
    let end = text.run(to, MAX_AUTHORITY, |byte| byte != b'@' && is_argument(byte));
    (text.byte(end) == b'@' && text.byte(end + 1).is_ascii_alphanumeric()).then_some(end)
}
