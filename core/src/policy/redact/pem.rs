//! Finds the body of private key blocks, also where a string or a comment holds them, and where no line says so.

use super::{Found, Kind, Text, base64, text::is_line_end};

const MAX_LABEL: usize = 64;
/// A body holds at least one run of this many characters of its alphabet; prose does not.
const MIN_RUN: usize = 16;
/// The first line of a body that no line announces is at least this long.
const MIN_FIRST: usize = 40;
const MAX_LINE: usize = 128;
/// pkcs-5, by which an encrypted key begins (RFC 8018 §A).
const PKCS5: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05];

pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    let dashes = ["-----BEGIN ", "---- BEGIN "].iter().find(|dashes| text.starts_with(at, dashes))?;
    if text.before(at) == b'-' {
        return None;
    }
    let label_from = at + dashes.len();
    let label_to = text.run(label_from, MAX_LABEL, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    let is_private = text.slice(label_from, label_to).contains("PRIVATE KEY");
    if !is_private || !text.starts_with(label_to, "----") {
        return None;
    }
    let from = text.run(label_to, 5, |byte| byte == b'-');
    body_end(text, from).map(|to| (Kind::PrivateKey, from..to))
}

/// Returns where the body ends: at its end line, at the end of the text, or at its last line.
fn body_end(text: Text<'_>, from: usize) -> Option<usize> {
    let (mut at, mut run, mut last_long) = (from, 0, None);
    while at < text.len() && !text.starts_with(at, "----") {
        let byte = text.byte(at);
        run = match byte {
            // An `n` of `\n` is no part of the alphabet.
            b'n' | b'r' | b't' if text.before(at) == b'\\' => 0,
            _ if base64::is_digit(byte) => run + 1,
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

/// Finds a body by how private keys start: a structure of ASN.1 whose first member is its version (RFC 5208 §5,
/// RFC 8017 §A.1.2, RFC 5915 §3), one that is encrypted with a password, or the name of a format of OpenSSH.
pub(super) fn headless(text: Text<'_>, at: usize) -> Option<Found> {
    let first = text.run(at, MAX_LINE, base64::is_digit);
    if first - at < MIN_FIRST || base64::is_digit(text.before(at)) {
        return None;
    }
    let start = base64::decode(text.bytes(at, at + MIN_FIRST));
    if !(is_private(&start) || start.starts_with(b"openssh-key-v1\0")) {
        return None;
    }
    let (mut to, mut next) = (first, next_line(text, first));
    to = text.run(to, usize::MAX, base64::is_digit);
    if to != first {
        next = next_line(text, to);
    }
    let mut line = at;
    while let Some(from) = next {
        let end = text.run(from, usize::MAX, base64::is_digit);
        // Only the last line is shorter, and holds whole groups of four.
        let (len, is_last) = (end - from, end - from < to - line);
        if len == 0 || len % 4 != 0 || matches!(text.byte(end), b':' | b' ' | b'.' | b'-' | b'_') {
            break;
        }
        (line, to, next) = (from, end, next_line(text, end).filter(|_| !is_last));
    }
    Some((Kind::PrivateKey, at..to))
}

/// Returns whether bytes are the start of a private key in DER.
fn is_private(start: &[u8]) -> bool {
    let content = match start {
        [0x30, 0x82, _, _, content @ ..] | [0x30, 0x81, _, content @ ..] => content,
        [0x30, len, content @ ..] if *len < 0x80 => content,
        _ => return false,
    };
    match content {
        [2, 1, 0 | 1, 0x30 | 0x02 | 0x04, ..] => true,
        [0x30, _, 6, 9, oid @ ..] => oid.starts_with(PKCS5),
        _ => false,
    }
}

/// Returns where the next line starts behind the end of one, also where a string holds both.
fn next_line(text: Text<'_>, at: usize) -> Option<usize> {
    let is_string_end = |byte: u8| matches!(byte, b'"' | b'\'' | b',' | b' ' | b'+' | b'\\');
    let to = if text.starts_with(at, "\\n") {
        at + 2
    } else if text.starts_with(at, "\\r\\n") {
        at + 4
    } else {
        at
    };
    let ended = text.run(to, 6, is_string_end);
    let broken = text.run(ended, 2, is_line_end);
    let from = text.run(broken, 64, |byte| {
        matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'#' | b'*' | b'/' | b'>') && !base64::is_digit(byte)
    });
    (broken > ended || to > at).then_some(from)
}

/// Finds the lines of a private key in a file of `PuTTY`, after the member that counts them.
pub(super) fn putty(text: Text<'_>, at: usize) -> Option<Found> {
    if !text.starts_with(at.saturating_sub("Private-Lines".len()), "Private-Lines:") {
        return None;
    }
    let count = text.run(at + 1, 16, |byte| byte == b' ' || byte.is_ascii_digit());
    let from = text.run(count, 2, is_line_end);
    let is_part = |byte: u8| base64::is_digit(byte) || is_line_end(byte);
    let to = text.run(from, usize::MAX, is_part);
    // The name of the next member is made of letters too.
    let to = if text.byte(to) == b'-' { text.run_back(to, 16, |byte| !is_line_end(byte)) } else { to };
    let to = text.run_back(to, 2, is_line_end);
    (to > from + MIN_RUN && !text.is_marked(from, to)).then_some((Kind::PrivateKey, from..to))
}

/// Lines of base64 before the end line of a private key whose first line is missing.
///
/// How far lines were looked at is kept, so that each is looked at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail {
    looked_to: usize,
}

impl Tail {
    /// Finds the lines, from the start of the first one on.
    pub(super) fn find(&mut self, text: Text<'_>, at: usize) -> Option<Found> {
        if at < self.looked_to {
            return None;
        }
        let (mut line, mut to) = (at, at);
        loop {
            let end = text.run(line, usize::MAX, base64::is_digit);
            let next = text.run(end, 2, is_line_end);
            if end == line || next == end || line == at && end - line < MIN_FIRST {
                break;
            }
            (to, line) = (end, next);
        }
        self.looked_to = line.max(at + 1);
        if to == at || !text.starts_with(line, "-----END ") {
            return None;
        }
        let label = line + "-----END ".len();
        let label_to = text.run(label, MAX_LABEL, |byte| byte != b'-' && !is_line_end(byte));
        text.slice(label, label_to).contains("PRIVATE KEY").then_some((Kind::PrivateKey, at..to))
    }
}
