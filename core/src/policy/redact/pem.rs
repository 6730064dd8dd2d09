//! Finds the body of private key blocks, also where a string or a comment holds them.

use super::{Found, Kind, Text};

const MAX_LABEL: usize = 64;
/// A body holds at least one run of this many characters of its alphabet; prose does not.
const MIN_RUN: usize = 16;

pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    if !text.starts_with(at, "-----BEGIN ") || text.before(at) == b'-' {
        return None;
    }
    let label_from = at + "-----BEGIN ".len();
    let label_to = text.run(label_from, MAX_LABEL, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    let is_private = text.slice(label_from, label_to).contains("PRIVATE KEY");
    if !is_private || !text.starts_with(label_to, "-----") {
        return None;
    }
    let from = label_to + "-----".len();
    body_end(text, from).map(|to| (Kind::PrivateKey, from..to))
}

/// Returns where the body ends: at its end line, at the end of the text, or at its last line.
fn body_end(text: Text<'_>, from: usize) -> Option<usize> {
    let (mut at, mut run, mut last_long) = (from, 0, None);
    while at < text.len() && !text.starts_with(at, "-----") {
        let byte = text.byte(at);
        run = match byte {
            // An `n` of `\n` is no part of the alphabet.
            b'n' | b'r' | b't' if text.before(at) == b'\\' => 0,
            _ if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') => run + 1,
            _ if is_between(byte) => 0,
            _ => return last_long,
        };
        at += 1;
        if run >= MIN_RUN {
            last_long = Some(at);
        }
    }
    last_long.map(|_| at)
}

/// Returns whether a byte stands between the lines of a body, or in its headers (RFC 1421 §4.6).
const fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'\\' | b'"' | b'\'' | b',' | b';' | b':' | b'-' | b'.' | b'>' | b'#' | b'*' | b'|' | b'(' | b')'
        )
}
