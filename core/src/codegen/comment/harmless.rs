//! Writes a line of a server's text so that nobody who reads comments acts on it, and people still read it.
//!
//! A space breaks what a tool looks for anywhere and what would be HTML; a backslash takes its meaning from what
//! would be a link or an open code span in Markdown and in reStructuredText, where it is not shown.

use alloc::string::String;

use super::readers::reader_at;
use crate::{codegen::backstop::Breach, name::Language};

/// What a character needs in front of what follows it, or in front of itself.
enum Mend {
    /// So many bytes of the directive, then a space.
    Break(usize),
    /// A space after it.
    Space,
    /// A bar after it: a comment within a comment begins behind the mark again.
    Bar,
    /// A backslash before it.
    Backslash,
    /// A whole code span, which ends so many bytes on: Markdown reads nothing in it.
    Span(usize),
}

/// The characters that something may have to be done about, beside those that begin a directive.
const SIGNS: [bool; 256] = signs(b"<@#[`\\");

#[expect(clippy::indexing_slicing, reason = "every byte has its place, and `at` is in the list")]
const fn signs(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Appends a line of cleaned text.
pub(crate) fn push_harmless(out: &mut String, language: Language, line: &str) {
    if is_rule(line) {
        out.push('\\');
    }
    let (mut from, mut at, mut span_end) = (0, 0, 0);
    let keep =
        |out: &mut String, from: usize, to: usize| out.push_str(line.get(from..to).unwrap_or_default());
    while let Some(step) =
        line.as_bytes().get(at..).and_then(|rest| rest.iter().position(|byte| is_sign(*byte)))
    {
        at += step;
        match mend(language, line, at, at < span_end) {
            Some(Mend::Break(bytes)) => {
                keep(out, from, at + bytes);
                out.push(' ');
                (from, at) = (at + bytes, at + bytes.max(1));
            }
            Some(Mend::Space) => {
                keep(out, from, at + 1);
                out.push(' ');
                (from, at) = (at + 1, at + 1);
            }
            Some(Mend::Bar) => {
                keep(out, from, at + 1);
                out.push('|');
                (from, at) = (at + 1, at + 1);
            }
            Some(Mend::Backslash) => {
                keep(out, from, at);
                out.push('\\');
                (from, at) = (at, at + 1);
            }
            Some(Mend::Span(bytes)) => {
                span_end = at + bytes;
                at += 1;
            }
            None => at += 1,
        }
    }
    keep(out, from, line.len());
}

fn is_sign(byte: u8) -> bool {
    let at = usize::from(byte);
    SIGNS.get(at) == Some(&true) || super::readers::FIRSTS.get(at) == Some(&true)
}

fn mend(language: Language, line: &str, at: usize, in_span: bool) -> Option<Mend> {
    if let Some((_, bytes)) = reader_at(language, line, at) {
        return Some(Mend::Break(bytes));
    }
    let rest = line.get(at + 1..).unwrap_or_default();
    match line.as_bytes().get(at)? {
        b'<' => opens_tag(rest).then_some(Mend::Space),
        b'@' => opens_doc_tag(language, line, at).then_some(Mend::Space),
        b'#' => opens_comment(language, rest).then_some(Mend::Bar),
        // The end of a span stays as its beginning did.
        _ if in_span => None,
        b'[' => Some(Mend::Backslash),
        b'\\' => escapes(rest).then_some(Mend::Backslash),
        b'`' => Some(span(language, line, at).map_or(Mend::Backslash, Mend::Span)),
        _ => None,
    }
}

/// Finds what a tool would act on in a finished line, which has only escapes that [`push_harmless`] writes.
pub(crate) fn breach(language: Language, line: &str) -> Option<(usize, &'static str)> {
    if is_rule(line) {
        return Some((0, "a rule of a table"));
    }
    let (mut at, mut span_end) = (0, 0);
    while let Some(step) =
        line.as_bytes().get(at..).and_then(|rest| rest.iter().position(|byte| is_sign(*byte)))
    {
        at += step;
        if let Some((read, _)) = reader_at(language, line, at) {
            return Some((at, read.what));
        }
        let rest = line.get(at + 1..).unwrap_or_default();
        let in_span = at < span_end;
        let (is_bad, what) = match line.as_bytes().get(at) {
            Some(b'<') => (opens_tag(rest), "what may be HTML"),
            Some(b'@') => (opens_doc_tag(language, line, at), "a tag"),
            Some(b'#') => (opens_comment(language, rest), "a comment within a comment"),
            Some(b'[') => (!in_span, "what may be a link"),
            Some(b'\\') if !in_span && escapes(rest) => {
                at += 2;
                continue;
            }
            Some(b'`') if at + 1 == span_end => (false, ""),
            Some(b'`') => {
                let span = span(language, line, at);
                span_end = span.map_or(0, |bytes| at + bytes);
                (span.is_none(), "an open code span")
            }
            _ => (false, ""),
        };
        if is_bad {
            return Some((at, what));
        }
        at += 1;
    }
    None
}

/// Returns whether a line would make a table of the line before it.
pub(super) fn is_rule(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'-' | b':' | b'|' | b' ')) && line.contains('-')
}

/// Returns whether `<` begins a tag, or an address between angle brackets, with what follows it.
pub(super) fn opens_tag(rest: &str) -> bool {
    let word = rest.split(' ').next().unwrap_or_default();
    match word.as_bytes().first() {
        Some(b'/' | b'!' | b'?') => true,
        Some(first) if first.is_ascii_alphabetic() => true,
        Some(first) => !b"\"(),:;<>[\\]`".contains(first) && word.contains('@'),
        None => false,
    }
}

/// Returns whether `@` begins a tag of documentation, rather than standing in an address.
fn opens_doc_tag(language: Language, line: &str, at: usize) -> bool {
    let byte = |at: usize| line.as_bytes().get(at).copied().unwrap_or(b' ');
    language == Language::TypeScript
        && (byte(at + 1).is_ascii_alphabetic() || byte(at + 1) == b'_')
        && !(at > 0 && byte(at - 1).is_ascii_alphanumeric())
}

/// Returns whether `#` begins what a Python tool reads as a comment of its own.
pub(super) fn opens_comment(language: Language, rest: &str) -> bool {
    language == Language::Python
        && rest.trim_start_matches(' ').starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Returns whether a backslash takes the meaning from what follows it.
fn escapes(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(|next: char| next.is_ascii_punctuation())
}

/// Returns how far the code span that begins at a backtick reaches, if it is one to every reader.
fn span(language: Language, line: &str, at: usize) -> Option<usize> {
    let byte = |at: usize| line.as_bytes().get(at).copied().unwrap_or(b' ');
    let before = if at == 0 { b' ' } else { byte(at - 1) };
    let inside = line.get(at + 1..)?;
    let inside = inside.get(..memchr::memchr(b'`', inside.as_bytes())?)?;
    let after = byte(at + inside.len() + 2);
    // In reStructuredText, these make a role or a reference of it.
    let is_reference = language == Language::Python
        && (matches!(before, b':' | b'_')
            || matches!(after, b':' | b'_')
            || before.is_ascii_alphanumeric()
            || after.is_ascii_alphanumeric());
    let is_plain =
        !inside.is_empty() && !inside.contains('\\') && !inside.starts_with(' ') && !inside.ends_with(' ');
    (is_plain && before != b'`' && after != b'`' && !is_reference).then_some(inside.len() + 2)
}

/// Checks a finished line that stands somewhere in a module.
pub(crate) fn check(language: Language, line: &str, start: usize) -> Result<(), Breach> {
    breach(language, line).map_or(Ok(()), |(at, what)| Err(Breach { at: start + at, what }))
}
