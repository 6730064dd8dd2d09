//! Writes a line of a server's text so that nobody who reads comments acts on it, and people still read it.
//!
//! A space breaks what a tool looks for anywhere and what would be HTML; a backslash takes its meaning from what
//! would be a link or an open code span in Markdown and in reStructuredText, where it is not shown.

use alloc::string::String;

use super::{
    mend::{Mend, push_mended},
    readers::{FIRSTS, reader_at},
};
use crate::{
    codegen::{backstop::Breach, text::byte_table},
    name::Language,
};

/// What a breach says of what stands in a line.
pub(super) const HTML: &str = "what may be HTML";
pub(super) const LINK: &str = "what may be a link";
const TAG: &str = "a tag";
const COMMENT: &str = "a comment within a comment";
const SPAN: &str = "an open code span";

/// The characters that something may have to be done about, beside those that begin a directive.
const SIGNS: [bool; 256] = byte_table(b"<@#[`\\");

/// Appends a line of cleaned text.
pub(crate) fn push_harmless(out: &mut String, language: Language, line: &str) {
    if is_rule(line) {
        out.push('\\');
    }
    let mut span_end = 0;
    push_mended(out, line, |at| mend(language, line, at, &mut span_end));
}

fn is_sign(byte: u8) -> bool {
    let at = usize::from(byte);
    SIGNS.get(at) == Some(&true) || FIRSTS.get(at) == Some(&true)
}

/// Returns what stands at a place and what it needs. A whole code span, whose end is noted, needs nothing: Markdown
/// reads nothing in it.
fn mend(language: Language, line: &str, at: usize, span_end: &mut usize) -> Option<Mend> {
    let byte = *line.as_bytes().get(at)?;
    if !is_sign(byte) {
        return None;
    }
    if let Some((read, bytes)) = reader_at(language, line, at) {
        return Some(Mend { what: read.what, bytes, sign: ' ' });
    }
    let rest = line.get(at + 1..).unwrap_or_default();
    let (is_needed, what, bytes, sign) = match byte {
        b'<' => (opens_tag(rest), HTML, 1, ' '),
        b'@' => (opens_doc_tag(language, line, at), TAG, 1, ' '),
        b'#' => (opens_comment(language, rest), COMMENT, 1, '|'),
        // The end of a span stays as its beginning did.
        _ if at < *span_end => return None,
        b'[' => (true, LINK, 0, '\\'),
        b'\\' => (escapes(rest), "an escape", 0, '\\'),
        b'`' => {
            let span = span(language, line, at);
            *span_end = span.map_or(*span_end, |bytes| at + bytes);
            (span.is_none(), SPAN, 0, '\\')
        }
        _ => return None,
    };
    is_needed.then_some(Mend { what, bytes, sign })
}

/// Returns what a line of a surface needs in a comment that no page of documentation shows.
pub(super) fn mend_shown(language: Language, line: &str, at: usize) -> Option<Mend> {
    if let Some((read, bytes)) = reader_at(language, line, at) {
        return Some(Mend { what: read.what, bytes, sign: ' ' });
    }
    let inside = line.get(at..)?.strip_prefix('#')?;
    opens_comment(language, inside).then_some(Mend { what: COMMENT, bytes: 1, sign: '|' })
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
            Some(b'<') => (opens_tag(rest), HTML),
            Some(b'@') => (opens_doc_tag(language, line, at), TAG),
            Some(b'#') => (opens_comment(language, rest), COMMENT),
            Some(b'[') => (!in_span, LINK),
            Some(b'\\') if !in_span && escapes(rest) => {
                at += 2;
                continue;
            }
            Some(b'`') if at + 1 == span_end => (false, ""),
            Some(b'`') => {
                let span = span(language, line, at);
                span_end = span.map_or(0, |bytes| at + bytes);
                (span.is_none(), SPAN)
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
