//! Writes a string as a literal of a language: printable ASCII as it is, everything else by its number.

use alloc::string::String;
use core::fmt::Write as _;

use crate::name::Language;

/// Appends a string literal with its quotes.
pub fn push_literal(out: &mut String, language: Language, text: &str) {
    out.push('"');
    let mut plain_from = 0;
    for (at, code) in text.char_indices() {
        if matches!(code, ' '..='~') && !matches!(code, '"' | '\\' | '<') {
            continue;
        }
        out.push_str(text.get(plain_from..at).unwrap_or_default());
        plain_from = at + code.len_utf8();
        push_escaped(out, language, code);
    }
    out.push_str(text.get(plain_from..).unwrap_or_default());
    out.push('"');
}

fn push_escaped(out: &mut String, language: Language, code: char) {
    // Writing to a `String` never fails.
    let _ = match (code, language) {
        ('"' | '\\', _) => write!(out, "\\{code}"),
        // Inlined in a page, a literal must not end the script that it stands in.
        ('<', Language::TypeScript) => write!(out, "\\x3C"),
        ('<', _) => write!(out, "<"),
        (_, Language::Gleam | Language::Rust) => write!(out, "\\u{{{:X}}}", u32::from(code)),
        (_, Language::TypeScript) => {
            code.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04X}"))
        }
        ('\u{1_0000}'.., Language::Python) => write!(out, "\\U{:08X}", u32::from(code)),
        (_, Language::Python) => write!(out, "\\u{:04X}", u32::from(code)),
    };
}

/// Reads back the inside of a literal that [`push_literal`] wrote; `None` for anything that it never writes.
#[must_use]
pub fn read_literal(inside: &str, language: Language) -> Option<String> {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(code) = rest.chars().next() {
        rest = rest.get(code.len_utf8()..)?;
        match code {
            '"' | '\0'..='\u{1F}' | '\u{7F}'.. => return None,
            '\\' => rest = read_escape(&mut out, rest, language)?,
            _ => out.push(code),
        }
    }
    Some(out)
}

fn read_escape<'a>(out: &mut String, rest: &'a str, language: Language) -> Option<&'a str> {
    if let Some(rest) = rest.strip_prefix('"') {
        out.push('"');
        return Some(rest);
    }
    if let Some(rest) = rest.strip_prefix('\\') {
        out.push('\\');
        return Some(rest);
    }
    let hex = |rest: &'a str, digits: usize| {
        Some((u32::from_str_radix(rest.get(..digits)?, 16).ok()?, rest.get(digits..)?))
    };
    let (code, rest) = match language {
        Language::Gleam | Language::Rust => {
            let (digits, rest) = rest.strip_prefix("u{")?.split_once('}')?;
            (u32::from_str_radix(digits, 16).ok()?, rest)
        }
        Language::Python => match rest.strip_prefix('U') {
            Some(rest) => hex(rest, 8)?,
            None => hex(rest.strip_prefix('u')?, 4)?,
        },
        Language::TypeScript => match rest.strip_prefix("x3C") {
            Some(rest) => (0x3C, rest),
            None => match hex(rest.strip_prefix('u')?, 4)? {
                (high @ 0xD800..0xDC00, rest) => {
                    let (low, rest) = hex(rest.strip_prefix("\\u")?, 4)?;
                    (0x1_0000 + ((high - 0xD800) << 10) + low.checked_sub(0xDC00)?, rest)
                }
                single => single,
            },
        },
    };
    out.push(char::from_u32(code)?);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_reads_back_as_its_text_in_every_language() {
        let text = "a\"b\\c\n\r\0</script>${x}`\u{2028}é名\u{1F600}\u{7F}'";
        for language in Language::ALL {
            let mut out = String::new();
            push_literal(&mut out, language, text);
            assert!(out.bytes().all(|byte| (0x20..0x7F).contains(&byte)), "{out}");
            let inside = &out[1..out.len() - 1];
            assert_eq!(read_literal(inside, language).as_deref(), Some(text), "{out}");
        }
    }

    #[test]
    fn what_is_never_written_is_not_read() {
        for inside in ["\"", "a\nb", "\\x41", "\\u{D800}", "é", "\\", "\\u12"] {
            for language in Language::ALL {
                assert_eq!(read_literal(inside, language), None, "{inside:?}");
            }
        }
    }
}
