//! Writes a line of a server's text in profile `loom`, which has no mark and whose bytes are fixed: nothing is mended
//! but what a page of documentation or another reader of comments acts on.

use alloc::string::String;

use super::{
    harmless::{HTML, LINK, is_rule, opens_tag},
    mend::{Mend, check_mended, push_mended},
    readers::reader_at,
};
use crate::{codegen::backstop::Breach, name::Language};

/// Appends a line of cleaned text.
pub(super) fn push_unmarked(out: &mut String, line: &str) {
    let block = block(line);
    push_mended(out, line, |at| mend(line, at, block));
}

/// Checks a finished line that stands somewhere in a module.
pub(crate) fn check_unmarked(line: &str, start: usize) -> Result<(), Breach> {
    let line = line.trim_start_matches(' ');
    let block = block(line);
    check_mended(line, start, |at| mend(line, at, block))
}

fn mend(line: &str, at: usize, block: Option<usize>) -> Option<Mend> {
    if block == Some(at) {
        return Some(Mend { what: "a heading or a rule", bytes: 0, sign: '\\' });
    }
    if let Some((read, bytes)) = reader_at(Language::Gleam, line, at) {
        return Some(Mend { what: read.what, bytes, sign: ' ' });
    }
    let rest = line.as_bytes().get(at..)?;
    let (what, bytes) = match rest {
        [b'<', ..] if opens_tag(line.get(at + 1..).unwrap_or_default()) => (HTML, 1),
        [b']', b'(' | b'[' | b':', ..] | [b'[', b'[' | b'^', ..] => (LINK, 1),
        [b'`', b'`', b'`', ..] | [b'~', b'~', b'~', ..] => ("a code fence", 2),
        _ => return None,
    };
    Some(Mend { what, bytes, sign: ' ' })
}

/// Returns where a line begins that would be a heading, or make one or a table of the line before it.
fn block(line: &str) -> Option<usize> {
    let is_run = |text: &str, of: u8| !text.is_empty() && text.bytes().all(|byte| byte == of);
    if is_rule(line) || is_run(line.trim_end_matches(' '), b'+') {
        return Some(0);
    }
    // Quotes and lists may hold headings.
    let inside = line.trim_start_matches(|sign: char| sign.is_ascii_digit() || "-+*>.): ".contains(sign));
    let title = inside.trim_start_matches('#');
    let is_title = title.len() < inside.len() && (title.is_empty() || title.starts_with(' '));
    let is_underline = is_run(inside.trim_end_matches(' '), b'=');
    (is_title || is_underline).then_some(line.len() - inside.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> String {
        let mut out = String::new();
        push_unmarked(&mut out, line);
        assert_eq!(check_unmarked(&out, 0), Ok(()), "{out}");
        out
    }

    #[test]
    fn a_page_of_documentation_shows_a_text_as_words() {
        for (text, shown) in [
            ("<b>x</b> [x](y)", "< b>x< /b> [x] (y)"),
            ("````", "`` ``"),
            ("- > # Title", "- > \\# Title"),
            ("===", "\\==="),
            ("| --- |", "\\| --- |"),
            ("javascript:x", "javascript :x"),
        ] {
            assert_eq!(written(text), shown);
            assert!(check_unmarked(text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn honest_words_keep_their_bytes() {
        for text in
            ["Use `limit` [optional], \\d+ #12 <= 5: a_b.", "- a: wire \"a\", list of string.", "1. é"]
        {
            assert_eq!(written(text), text);
        }
    }
}
