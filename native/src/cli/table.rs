//! Columns.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::{
    output::{BOLD, DIM, Output},
    text::{cut, pad},
};

/// The widest the first column gets for the sake of one row, and the others.
const MAX_FIRST: usize = 64;
const MAX_COLUMN: usize = 44;
const GAP: usize = 2;

/// Lays rows out in columns under a head. On a terminal every row is one line; the
/// first column, which names things, is never cut.
pub(super) fn table<const N: usize>(output: &Output, head: [&str; N], rows: &[[String; N]]) -> String {
    // The last column says most: on a narrow terminal the ones before it leave it room.
    let max_column = output.columns.map_or(MAX_COLUMN, |columns| (columns / 3).min(MAX_COLUMN));
    let mut widths = head.map(str::len);
    for row in rows {
        for (at, (width, cell)) in widths.iter_mut().zip(row).enumerate() {
            let max = if at == 0 { MAX_FIRST } else { max_column };
            *width = (*width).max(cell.width().min(max));
        }
    }
    let mut out = String::new();
    push_row(&mut out, output, &widths, &head.map(str::to_owned), |_| DIM);
    for row in rows {
        push_row(&mut out, output, &widths, row, |at| if at == 0 { BOLD } else { Style::new() });
    }
    out
}

fn push_row<const N: usize>(
    out: &mut String,
    output: &Output,
    widths: &[usize; N],
    row: &[String; N],
    style: impl Fn(usize) -> Style,
) {
    let mut used = 0;
    let mut line = String::new();
    for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
        let is_last = at + 1 == N;
        let room = match output.columns {
            Some(columns) if is_last => columns.saturating_sub(used).max(10),
            Some(_) if at > 0 => *width,
            _ => usize::MAX,
        };
        let cell = cut(cell, room);
        line.push_str(&output.paint(style(at), &cell));
        if !is_last {
            pad(&mut line, "", (width + GAP).saturating_sub(cell.width()).max(GAP));
        }
        used += width + GAP;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}
