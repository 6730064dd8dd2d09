//! Finds the cells of a table, in the columns whose names are those of secrets.

use alloc::vec::Vec;
use core::ops::Range;

use super::{
    Found, Kind, Text,
    name::{Class, class_of_name},
    text::is_line_end,
    value::{self, Place},
};

const MAX_HEAD: usize = 1_024;
const MAX_COLUMN: usize = 40;
const MAX_CELL: usize = 256;

/// The columns of a text whose first line names them.
#[derive(Debug, Default)]
pub(super) struct Columns {
    separator: u8,
    classes: Vec<Option<Class>>,
    /// The line whose cells were looked at, and those that are secrets, the last one first.
    line: usize,
    cells: Vec<Range<usize>>,
}

impl Columns {
    /// Reads the first line of a text, if it and the next one are those of a table.
    pub(super) fn of(text: Text<'_>) -> Option<Self> {
        let from = if text.starts_with(0, "\u{FEFF}") { "\u{FEFF}".len() } else { 0 };
        let to = text.run(from, MAX_HEAD, |byte| !is_line_end(byte));
        let next = text.run(to, 2, is_line_end);
        let end = text.run(next, MAX_HEAD, |byte| !is_line_end(byte));
        for separator in [b',', b';', b'\t', b'|'] {
            let names: Vec<_> = cells(text, from, to, separator).map(|(cell, _)| cell).collect();
            let is_head = names.len() >= 2 && names.iter().all(|cell| is_title(text, cell));
            if next == to || !is_head || cells(text, next, end, separator).count() != names.len() {
                continue;
            }
            let classes: Vec<_> =
                names.into_iter().map(|cell| class_of_name(text.bytes(cell.start, cell.end))).collect();
            let known = |class: &Option<Class>| {
                matches!(class, Some(Class::Password | Class::Secret | Class::Phrase | Class::Token))
            };
            if classes.iter().any(known) {
                return Some(Self { separator, classes, line: from, cells: Vec::new() });
            }
        }
        None
    }

    /// Finds the cell that starts at a place.
    pub(super) fn find(&mut self, text: Text<'_>, at: usize) -> Option<Found> {
        if is_line_end(text.before(at)) && at > self.line {
            self.line = at;
            self.look(text, at);
        }
        while self.cells.last().is_some_and(|cell| cell.start < at) {
            self.cells.pop();
        }
        let cell = self.cells.last().filter(|cell| cell.start == at)?.clone();
        self.cells.pop();
        Some((Kind::Named, cell))
    }

    fn look(&mut self, text: Text<'_>, from: usize) {
        let to = text.run(from, usize::MAX, |byte| !is_line_end(byte));
        self.cells.clear();
        let mut count = 0;
        for (cell, _) in cells(text, from, to, self.separator) {
            let class = self.classes.get(count).copied().flatten();
            count += 1;
            let look = cell.end.min(cell.start + MAX_CELL);
            let look = text.run(look, 3, |byte| byte & 0xC0 == 0x80);
            let held = text.slice(cell.start, look);
            let is_secret = class.is_some_and(|class| value::is_secret(held, class, Place::Variable));
            if is_secret && !text.is_marked(cell.start, look) {
                self.cells.push(cell);
            }
        }
        if count != self.classes.len() {
            self.cells.clear();
        }
        self.cells.reverse();
    }
}

fn is_title(text: Text<'_>, cell: &Range<usize>) -> bool {
    let title = text.bytes(cell.start, cell.end);
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b'/' | b'#');
    (1..=MAX_COLUMN).contains(&title.len())
        && title.iter().all(is_part)
        && title.first().is_some_and(u8::is_ascii_alphabetic)
        && title.split(|byte| *byte == b' ').count() <= 3
}

/// Cuts a line into cells, without their quotes and blanks.
fn cells(
    text: Text<'_>,
    from: usize,
    to: usize,
    separator: u8,
) -> impl Iterator<Item = (Range<usize>, usize)> {
    let mut at = Some(from);
    core::iter::from_fn(move || {
        let start = at?;
        let is_quoted = text.byte(start) == b'"' && start < to;
        let (from, end) = if is_quoted {
            let mut end = start + 1;
            // A quote within is written twice (RFC 4180 §2).
            while end < to && (text.byte(end) != b'"' || text.byte(end + 1) == b'"') {
                end += if text.byte(end) == b'"' { 2 } else { 1 };
            }
            (start + 1, end.min(to))
        } else {
            (start, text.run(start, to - start, |byte| byte != separator))
        };
        let next = text.run(end, to.saturating_sub(end), |byte| byte != separator);
        at = (next < to).then_some(next + 1);
        let from = text.run(from, end.saturating_sub(from), |byte| byte == b' ');
        let end = text.run_back(end, end.saturating_sub(from), |byte| byte == b' ');
        Some((from..end, next))
    })
}
