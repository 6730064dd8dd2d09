//! Finds credentials in the authority of a URL (RFC 3986 §3.2.1).

use super::{
    Found, Kind, Text,
    text::{is_line_end, is_quote},
    value,
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
    let end = from + authority.iter().rposition(|byte| *byte == b'@')?;
    let user = text.bytes(from, end);
    let Some(colon) = user.iter().position(|byte| *byte == b':') else {
        let is_token = user.len() >= MIN_TOKEN && value::is_mixed(text.slice(from, end));
        return is_token.then_some((Kind::Url, from..end));
    };
    let password = from + colon + 1;
    let held = text.slice(password, end);
    (!held.is_empty() && !value::is_harmless(held)).then_some((Kind::Url, password..end))
}
