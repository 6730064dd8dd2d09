//! Text of servers made fit to be shown, and tables of it.

use std::{borrow::Cow, fmt::Write as _};

use selvedge::core::{json::is_visible, validate::distance};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Escapes what could drive a terminal or hide text on it; line ends and tabs stay.
pub(super) fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\r' if rest.peek() == Some(&'\n') => {}
            hostile if is_hostile(hostile) => safe.extend(hostile.escape_default()),
            harmless => safe.push(harmless),
        }
    }
    Cow::Owned(safe)
}

/// Makes a text safe to show on one line: white space of any kind is one space.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&safe(word));
    }
    line
}

/// Escapes the same in a JSON text, which stays JSON of the same meaning.
pub(super) fn safe_json(json: &str) -> Cow<'_, str> {
    let hides = |char: char| is_hostile(char) && !char.is_ascii_whitespace();
    if !json.chars().any(hides) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for char in json.chars() {
        if hides(char) {
            for unit in char.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` never fails.
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(char);
        }
    }
    Cow::Owned(safe)
}

fn is_hostile(char: char) -> bool {
    match char {
        // Joiners and variants of characters belong to scripts and emoji.
        '\n' | '\t' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => false,
        other => !is_visible(other),
    }
}

/// Cuts a line to a width, with an ellipsis where something is missing.
pub(super) fn cut(line: &str, width: usize) -> Cow<'_, str> {
    if line.width() <= width {
        return Cow::Borrowed(line);
    }
    let mut cut = String::new();
    let mut used = 1;
    for char in line.chars() {
        used += char.width().unwrap_or_default();
        if used > width {
            break;
        }
        cut.push(char);
    }
    cut.push('…');
    Cow::Owned(cut)
}

/// Appends a line and the spaces that fill it up to a width.
pub(super) fn pad(out: &mut String, line: &str, width: usize) {
    out.push_str(line);
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(line.width())));
}

/// Lays a JSON text out over several lines; its tokens stay as they are.
pub(super) fn pretty(json: &str) -> String {
    /// Deeper levels are not indented further: hostile nesting must not square the text.
    const MAX_INDENT: usize = 32;
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut is_string, mut is_escape) = (0_usize, false, false);
    let mut rest = json.chars().filter(|char| !matches!(char, '\n' | '\r')).peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    while let Some(char) = rest.next() {
        if is_string {
            out.push(char);
            is_string = is_escape || char != '"';
            is_escape = !is_escape && char == '\\';
            continue;
        }
        match char {
            ' ' | '\t' => {}
            '{' | '[' => {
                out.push(char);
                while rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
                if let Some(close) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(char);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            other => {
                is_string = other == '"';
                out.push(other);
            }
        }
    }
    out
}

/// Returns the name that was probably meant.
pub(super) fn closest<'a>(meant: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are no slips of the finger, and comparing them takes its time.
    const MAX_CHARS: usize = 64;
    let fold = |name: &str| -> Vec<char> {
        let lower = name.chars().filter(|char| !matches!(char, '-' | '_' | '.' | ' '));
        lower.flat_map(char::to_lowercase).take(MAX_CHARS + 1).collect()
    };
    let meant = fold(meant);
    let tolerated = meant.len() / 3;
    let candidates = names.into_iter().filter_map(|name| {
        let folded = fold(name);
        if meant.len().max(folded.len()) > MAX_CHARS {
            return None;
        }
        let is_part = meant.len() >= 2 && (folded.starts_with(&meant) || folded.ends_with(&meant));
        let distance = if is_part && folded.len() > meant.len() { 0 } else { distance(&meant, &folded) };
        (distance <= tolerated).then_some((distance, name))
    });
    candidates.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_drive_a_terminal_is_escaped() {
        assert_eq!(safe("plain\ttext\nnext é😀"), "plain\ttext\nnext é😀");
        assert_eq!(
            safe("\u{1b}[2J\u{7}\u{9b}x\r\n\u{202e}y\u{7f}"),
            "\\u{1b}[2J\\u{7}\\u{9b}x\n\\u{202e}y\\u{7f}"
        );
        assert_eq!(safe("a\rb\u{e0041}"), "a\\rb\\u{e0041}");
        for hidden in
            ['\u{61c}', '\u{ad}', '\u{180e}', '\u{202e}', '\u{2066}', '\u{3164}', '\u{ffa0}', '\u{1d173}']
        {
            assert_eq!(safe(&format!("a{hidden}b")), format!("a{}b", hidden.escape_unicode()));
        }
        assert_eq!(one_line(" a\r\n\tb\u{1b}c "), "a b\\u{1b}c");
        assert_eq!(safe_json("{\"a\":\n\"\u{9b}\u{e0041}\"}"), "{\"a\":\n\"\\u009b\\udb40\\udc41\"}");
    }

    #[test]
    fn lines_are_cut_and_filled_by_their_width() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("abcdef", 4), "abc…");
        let mut out = String::new();
        pad(&mut out, "日本", 6);
        assert_eq!(out, "日本  ");
    }

    #[test]
    fn json_is_laid_out_without_touching_its_tokens() {
        let json = r#"{"a" :1.50,"b":[ ],"c":[{}, "x:{\"," ]}"#;
        let laid_out = "{\n  \"a\": 1.50,\n  \"b\": [],\n  \"c\": [\n    {},\n    \"x:{\\\",\"\n  ]\n}";
        assert_eq!(pretty(json), laid_out);
        let deep = "[".repeat(50_000) + &"]".repeat(50_000);
        assert!(pretty(&deep).len() < 10_000_000);
    }

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let names = ["get-sum", "echo", "delay_ms"];
        assert_eq!(closest("get_sum", names), Some("get-sum"));
        assert_eq!(closest("sum", names), Some("get-sum"));
        assert_eq!(closest("ecko", names), Some("echo"));
        assert_eq!(closest("delay", names), Some("delay_ms"));
        assert_eq!(closest("weather", names), None);
        assert_eq!(closest("ad", ["add"]), Some("add"));
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("", ["y"]), None);
    }
}
