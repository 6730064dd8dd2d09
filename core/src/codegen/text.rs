//! Makes server text harmless: what a reader cannot see is removed, and what is left is cut and wrapped.

use alloc::string::String;

use unicode_segmentation::UnicodeSegmentation as _;

/// The width, in characters as a reader counts them, that comments are wrapped at.
pub const WIDTH: usize = 72;

/// How many bytes a character as a reader counts them may take on average before text is cut by bytes.
const MAX_BYTES_PER_GRAPHEME: usize = 8;

/// Makes a table that tells some bytes from the others.
#[expect(clippy::indexing_slicing, reason = "every byte has its place, and `at` is in the list")]
pub(super) const fn byte_table(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Which characters are replaced by a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Controls, direction marks, zero-width marks, the first variation selectors and tags: profile `loom`.
    Loom,
    /// Those, and every other character that shows nothing: fillers, shorthand and interlinear marks.
    Extended,
}

impl Hidden {
    /// Returns whether the character is replaced.
    #[must_use]
    pub const fn contains(self, code: char) -> bool {
        if (code as u32) < 0x7F {
            return (code as u32) < 0x20;
        }
        let common = matches!(code,
            '\u{7F}'..='\u{9F}' | '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}');
        let extended = matches!(code,
            '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{206A}'..='\u{206F}' | '\u{3164}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0080}'..='\u{E0FFF}');
        common || extended && matches!(self, Self::Extended)
    }

    /// Counts the characters of a text that are removed although they are no white space.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        if is_plain(text) {
            return 0;
        }
        text.chars().filter(|code| self.contains(*code) && !matches!(code, '\t' | '\n' | '\r')).count()
    }
}

/// Replaces every hidden character by a space.
#[must_use]
pub fn sanitize(text: &str, hidden: Hidden) -> String {
    if is_plain(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, code) in text.char_indices().filter(|(_, code)| hidden.contains(*code)) {
        out.extend([text.get(from..at).unwrap_or_default(), " "]);
        from = at + code.len_utf8();
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Returns whether a text is printable ASCII: nothing is hidden, and each byte is a character as a reader counts.
fn is_plain(text: &str) -> bool {
    // Whole chunks without a branch inside are what compiles to wide instructions.
    let is_plain =
        |bytes: &[u8]| bytes.iter().fold(true, |so_far, byte| so_far & (0x20..0x7F).contains(byte));
    text.as_bytes().chunks(64).all(is_plain)
}

/// Cuts a text that is longer than `max` characters as a reader counts them, and marks the cut with `…`.
#[must_use]
pub fn truncate(text: &str, max: usize) -> &str {
    kept(text, max).0
}

/// Returns what stays of a text and whether a mark must follow it.
fn kept(text: &str, max: usize) -> (&str, bool) {
    if text.len() <= max {
        return (text, false);
    }
    if max > 0 && text.get(..=max).is_some_and(is_plain) {
        return (text.get(..max - 1).unwrap_or_default(), true);
    }
    let bounded = text.get(..floor(text, max.saturating_mul(MAX_BYTES_PER_GRAPHEME))).unwrap_or_default();
    let mut ends = bounded.grapheme_indices(true).map(|(at, part)| at + part.len());
    let before_last = if max < 2 { Some(0) } else { ends.nth(max - 2) };
    let whole = ends.by_ref().take(2).count() < 2 && bounded.len() == text.len();
    match before_last {
        _ if whole => (text, false),
        Some(end) if end < bounded.len() => (bounded.get(..end).unwrap_or_default(), true),
        _ => (bounded, true),
    }
}

/// Returns the largest boundary between characters that is not beyond `at`.
fn floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns a text as one line of at most `max` characters, without anything hidden.
#[must_use]
pub fn clean(text: &str, max: usize, hidden: Hidden) -> String {
    let most = max.saturating_mul(MAX_BYTES_PER_GRAPHEME).saturating_add(64);
    let bounded = text.get(..floor(text, most)).unwrap_or_default();
    let mut line = sanitize(bounded, hidden);
    let (stays, is_cut) = kept(&line, max);
    let (end, is_cut) = (stays.len(), is_cut || bounded.len() < text.len());
    if is_cut {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Breaks a text at its spaces into lines of at most `width` characters where words allow.
pub fn wrap(text: &str, width: usize, mut line: impl FnMut(&str)) {
    let (mut from, mut to, mut used) = (0, 0, 0);
    // A line whose words stand more than one space apart is put together here; any other is in the text.
    let mut loose = String::new();
    let is_ascii = text.is_ascii();
    for (at, word) in words(text) {
        let wide = if is_ascii || word.is_ascii() { word.len() } else { word.graphemes(true).count() };
        if used > 0 && used + 1 + wide > width {
            line(if loose.is_empty() { text.get(from..to).unwrap_or_default() } else { &loose });
            loose.clear();
            used = 0;
        }
        if used == 0 {
            from = at;
        } else {
            if loose.is_empty() && at != to + 1 {
                loose.push_str(text.get(from..to).unwrap_or_default());
            }
            if !loose.is_empty() {
                loose.push(' ');
                loose.push_str(word);
            }
            used += 1;
        }
        to = at + word.len();
        used += wide;
    }
    if used > 0 {
        line(if loose.is_empty() { text.get(from..to).unwrap_or_default() } else { &loose });
    }
}

/// Returns what stands between spaces, and where.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let from = at + rest.bytes().position(|byte| byte != b' ')?;
        let rest = text.get(from..)?;
        let word = rest.get(..rest.bytes().position(|byte| byte == b' ').unwrap_or(rest.len()))?;
        at = from + word.len();
        Some((from, word))
    })
}

/// Returns the first sentence of a text: up to a full stop before a space, or up to a line end.
#[must_use]
pub fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    let stop = line.match_indices(['.', '!', '?', '。']).find(|(at, mark)| {
        let rest = line.get(at + mark.len()..).unwrap_or_default();
        let before = line.get(..*at).unwrap_or_default();
        rest.starts_with(' ')
            && !before.ends_with("e.g")
            && !before.ends_with("i.e")
            && !before.ends_with("etc")
            || *mark == "。"
    });
    stop.map_or(line, |(at, mark)| line.get(..at + mark.len()).unwrap_or(line)).trim_end()
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec, vec::Vec};

    use super::*;

    #[test]
    fn hidden_characters_become_spaces() {
        let text = "a\u{0}b\r\nc\u{202E}d\u{200B}e\u{E0041}f\u{85}g\u{2028}h";
        assert_eq!(sanitize(text, Hidden::Loom), "a b  c d e f g h");
        assert_eq!(sanitize("x\u{3164}\u{E0100}y", Hidden::Loom), "x\u{3164}\u{E0100}y");
        assert_eq!(sanitize("x\u{3164}\u{E0100}y", Hidden::Extended), "x  y");
        assert_eq!(Hidden::Extended.count("a\n\tb\u{202E}\u{1b}"), 2);
    }

    #[test]
    fn a_text_is_cut_where_a_reader_sees_characters_end() {
        assert_eq!(clean("abcd", 4, Hidden::Loom), "abcd");
        assert_eq!(clean("abcde", 4, Hidden::Loom), "abc…");
        assert_eq!(clean("e\u{301}e\u{301}e\u{301}", 3, Hidden::Loom), "e\u{301}e\u{301}e\u{301}");
        assert_eq!(clean("e\u{301}e\u{301}e\u{301}", 2, Hidden::Loom), "e\u{301}…");
        assert_eq!(truncate("名前名前", 4), "名前名前");
        let heaped = "a".to_string() + &"\u{301}".repeat(4_000);
        let cut = clean(&heaped, 10, Hidden::Loom);
        assert!(cut.len() <= 90 && cut.ends_with('…'), "{}", cut.len());
        assert_eq!(clean(&"x".repeat(10_000), 400, Hidden::Loom).chars().count(), 400);
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_overflow() {
        let mut lines = Vec::new();
        wrap("  one two  three fourfivesix x", 9, |line| lines.push(line.to_string()));
        assert_eq!(lines, vec!["one two", "three", "fourfivesix", "x"]);
        wrap("   ", 9, |_| panic!("nothing to write"));
    }

    #[test]
    fn a_sentence_ends_at_its_full_stop() {
        assert_eq!(first_sentence("Adds a note. Then more."), "Adds a note.");
        assert_eq!(first_sentence("Reads v1.2 files, e.g. logs. Fast."), "Reads v1.2 files, e.g. logs.");
        assert_eq!(first_sentence("\n One line\nTwo"), "One line");
    }
}
