//! Writes JSON text.

use alloc::string::String;
use core::fmt::Write;

/// Appends a string with quotes, escaping only what the grammar demands.
pub fn push_string(out: &mut String, content: &str) {
    out.push('"');
    let mut plain_from = 0;
    for (at, byte) in content.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(content.get(plain_from..at).unwrap_or_default());
        plain_from = at + 1;
        push_escaped(out, byte);
    }
    out.push_str(content.get(plain_from..).unwrap_or_default());
    out.push('"');
}

fn push_escaped(out: &mut String, byte: u8) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        other => {
            // Writing to a `String` never fails.
            let _ = write!(out, "\\u{other:04x}");
        }
    }
}

/// Appends a valid JSON text without its line ends.
///
/// Strings cannot hold a raw line end, so dropping those between tokens changes nothing but the layout; a
/// message must stay on its line.
pub fn push_compact(out: &mut String, valid: &str) {
    let mut rest = valid;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
        let (part, tail) = rest.split_at(at);
        out.push_str(part);
        rest = tail.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_is_escaped() {
        let mut out = String::new();
        push_string(&mut out, "a\u{0}\u{1f}\u{7f}\u{2028}\"\\\n\r\té");
        assert_eq!(out, "\"a\\u0000\\u001f\u{7f}\u{2028}\\\"\\\\\\n\\r\\té\"");
    }

    #[test]
    fn line_ends_between_tokens_are_dropped() {
        let mut out = String::new();
        push_compact(&mut out, "{\r\n  \"a\": \"\\n\"\n}");
        assert_eq!(out, "{  \"a\": \"\\n\"}");
    }
}
