//! Finds values on the lines below their name, as YAML and pretty JSON write them.

use super::{
    Found, Kind, Text,
    named::{self, MAX_LOOK, Name, quoted_end},
    text::{is_blank, is_line_end, is_quote},
    value::{self, Place},
};

const MAX_INDENT: usize = 128;
const MAX_HEAD: usize = 64;

/// Finds the value where nothing follows a name's colon on its line but what announces a block.
pub(super) fn find(text: Text<'_>, name: &Name, from: usize) -> Option<Found> {
    let (head, is_block) = head(text, from);
    if !is_line_end(text.byte(head)) {
        return None;
    }
    let column = column(text, name.from)?;
    let (line, from, has_gap) = next_line(text, head)?;
    let is_item = text.starts_with(from, "- ");
    let indent = from - line;
    if indent < column || indent == column && !is_item && !is_quote(text.byte(from)) {
        return None;
    }
    if is_block {
        return block(text, name, column, from);
    }
    if has_gap {
        return None;
    }
    if is_item {
        return items(text, name, indent, from);
    }
    if let Some((from, quote)) = named::opening(text, from) {
        return named::quoted(text, name.class, from, quote);
    }
    let to = plain(text, name, from)?;
    Some((Kind::Named, from..to))
}

/// Reads a tag and the sign of a block (YAML 1.2 §8.1), and returns where the line ends.
fn head(text: Text<'_>, from: usize) -> (usize, bool) {
    let tag = if text.byte(from) == b'!' { text.run(from, MAX_HEAD, |byte| byte > b' ') } else { from };
    let at = text.run(tag, MAX_HEAD, is_blank);
    let is_block = matches!(text.byte(at), b'|' | b'>');
    let at = if is_block { text.run(at, 4, |byte| byte > b' ') } else { at };
    let at = text.run(at, MAX_HEAD, is_blank);
    let at = if text.byte(at) == b'#' { text.run(at, MAX_LOOK, |byte| !is_line_end(byte)) } else { at };
    (at, is_block)
}

/// Returns the column of a name that is the first thing of its line but for the signs of a list.
fn column(text: Text<'_>, from: usize) -> Option<usize> {
    let start = text.run_back(from, MAX_INDENT, |byte| is_blank(byte) || byte == b'-' || is_quote(byte));
    (start == 0 || is_line_end(text.before(start))).then_some(from - start)
}

/// Returns where the next line starts that holds something, where that starts, and whether lines are passed over.
fn next_line(text: Text<'_>, end: usize) -> Option<(usize, usize, bool)> {
    let mut line = end;
    for passed in 0..4 {
        line += usize::from(text.byte(line) == b'\r');
        line += usize::from(text.byte(line) == b'\n');
        let from = text.run(line, MAX_INDENT, is_blank);
        if from == text.len() {
            return None;
        }
        if !is_line_end(text.byte(from)) {
            return Some((line, from, passed > 0));
        }
        line = from;
    }
    None
}

/// Finds every line of a block: those that are indented more than its name.
fn block(text: Text<'_>, name: &Name, column: usize, from: usize) -> Option<Found> {
    let look = text.look(from, MAX_LOOK, |byte| !is_line_end(byte));
    let is_secret = value::is_secret(text.slice(from, look), name.class, Place::Quoted);
    if !is_secret || text.is_marked(from, look) {
        return None;
    }
    let mut to = text.run(from, usize::MAX, |byte| !is_line_end(byte));
    let mut line = to;
    loop {
        let next = text.run(line, 2, is_line_end);
        let start = text.run(next, usize::MAX, is_blank);
        if next == line || start == text.len() {
            break;
        }
        if is_line_end(text.byte(start)) {
            line = start;
            continue;
        }
        if start - next <= column {
            break;
        }
        line = text.run(start, usize::MAX, |byte| !is_line_end(byte));
        to = line;
    }
    Some((Kind::Named, from..to))
}

/// Finds the items of a list, which are hidden as one; the names of secrets are none.
fn items(text: Text<'_>, name: &Name, indent: usize, from: usize) -> Option<Found> {
    let start = text.run(from + 2, MAX_INDENT, is_blank);
    let is_secret = match named::opening(text, start) {
        Some((at, quote)) => named::quoted(text, name.class, at, quote).is_some(),
        None => plain(text, name, start).is_some_and(|to| value::has_two_classes(text.slice(start, to))),
    };
    if !is_secret {
        return None;
    }
    let mut to = text.run(start, usize::MAX, |byte| !is_line_end(byte));
    loop {
        let next = text.run(to, 2, is_line_end);
        let item = text.run(next, MAX_INDENT, is_blank);
        if next == to || item - next != indent || !text.starts_with(item, "- ") {
            break;
        }
        to = text.run(item, usize::MAX, |byte| !is_line_end(byte));
    }
    Some((Kind::Named, start..to))
}

/// Returns where a value of one word ends that is all of its line.
fn plain(text: Text<'_>, name: &Name, from: usize) -> Option<usize> {
    let look = text.look(from, MAX_LOOK, |byte| byte > b' ');
    let held = text.slice(from, look);
    let is_name =
        held.ends_with(':') || held.starts_with(['#', '-', '<', '{', '[', '&', '*', '|', '>', '!', '`', '(']);
    let rest = text.run(look, MAX_INDENT, is_blank);
    let is_whole = rest == text.len() || is_line_end(text.byte(rest)) || look - from >= MAX_LOOK;
    let is_secret = is_whole
        && !is_name
        && !value::is_expression(held)
        && value::is_secret(held, name.class, Place::Bare)
        && !text.is_marked(from, look.max(quoted_end(text, from, from + MAX_LOOK, "\n")));
    is_secret.then(|| text.run(from, usize::MAX, |byte| byte > b' '))
}
