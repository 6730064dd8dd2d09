//! Reads the changes to one file with all of its lines, and writes them without credentials, with few.

use std::fmt::Write as _;

use selvedge_core::policy::Kind;

use super::{Contents, Fault, ProjectPath, encoding};

/// How many unchanged lines stand around a change.
const AROUND: usize = 3;

/// A line of one text or of both.
struct Line {
    mark: u8,
    /// Where it is in the old text and in the new one, counted from zero.
    old: usize,
    new: usize,
    has_end: bool,
}

/// The lines of a file before and after, and what Git says of the file itself.
#[expect(clippy::struct_excessive_bools, reason = "Git says each by itself")]
#[derive(Default)]
struct Change {
    lines: Vec<Line>,
    old: Vec<u8>,
    new: Vec<u8>,
    counts: (usize, usize),
    modes: Vec<String>,
    is_body: bool,
    is_created: bool,
    is_deleted: bool,
    is_binary: bool,
    is_link: bool,
}

/// Writes what Git told of a file; empty where nothing changed. A file that became a link is told of twice.
pub(super) fn read(path: &ProjectPath, bytes: &[u8], max: u64) -> Result<String, Fault> {
    let mut changes: Vec<Change> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        // No line of a file starts like this: each has a mark before it.
        if line.starts_with(b"diff --git ") {
            changes.push(Change::default());
        } else if let Some(change) = changes.last_mut() {
            change.take(line.strip_suffix(b"\n").unwrap_or(line));
        }
    }
    let mut out = String::new();
    for change in changes {
        change.write(path, max, &mut out)?;
    }
    Ok(out)
}

/// Hides the credentials of a text, whose lines keep their numbers.
fn redacted(bytes: &[u8], lines: usize) -> Result<String, Fault> {
    let Contents::Text(redacted) = encoding::read(bytes.to_vec())? else { return Err(Fault::Binary) };
    // In another encoding a byte that ends lines here need not end one there.
    if redacted.text.matches('\n').count() != lines {
        return Err(Fault::Binary);
    }
    Ok(redacted.text.into_owned())
}

impl Change {
    fn take(&mut self, line: &[u8]) {
        match line {
            [b'@', b'@', ..] => self.is_body = true,
            _ if !self.is_body => self.take_head(&String::from_utf8_lossy(line)),
            [b'\\', ..] => {
                if let Some(last) = self.lines.last_mut() {
                    last.has_end = false;
                }
            }
            [mark, text @ ..] => self.take_line(*mark, text),
            [] => self.take_line(b' ', &[]),
        }
    }

    fn take_head(&mut self, line: &str) {
        self.is_created |= line.starts_with("new file mode ");
        self.is_deleted |= line.starts_with("deleted file mode ");
        self.is_binary |= line.starts_with("Binary files ") || line == "GIT binary patch";
        let mode = ["old mode ", "new mode ", "new file mode ", "deleted file mode "];
        if mode.iter().any(|mode| line.starts_with(mode)) {
            self.modes.push(line.to_owned());
        }
        let is_of_link = line.ends_with(" 120000");
        self.is_link |= is_of_link && (line.starts_with("index ") || line.contains(" mode "));
    }

    fn take_line(&mut self, mark: u8, text: &[u8]) {
        let (old, new) = self.counts;
        self.lines.push(Line { mark, old, new, has_end: true });
        if mark != b'+' {
            self.old.extend_from_slice(text);
            self.old.push(b'\n');
            self.counts.0 += 1;
        }
        if mark != b'-' {
            self.new.extend_from_slice(text);
            self.new.push(b'\n');
            self.counts.1 += 1;
        }
    }

    fn write(&self, path: &ProjectPath, max: u64, out: &mut String) -> Result<(), Fault> {
        self.write_head(path, out);
        if self.is_binary || self.is_link {
            // Where a link leads may be outside of the project.
            out.push_str(if self.is_link { "(a link)\n" } else { "(binary)\n" });
            return Ok(());
        }
        if self.old.len().max(self.new.len()) as u64 > max {
            return Err(Fault::TooLarge { max });
        }
        let (old, new) = (redacted(&self.old, self.counts.0)?, redacted(&self.new, self.counts.1)?);
        let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
        for hunk in self.hunks() {
            write_hunk(out, hunk, &old, &new);
        }
        Ok(())
    }

    /// Writes the names. The digests of the contents are left out: who has one can try what was hidden.
    fn write_head(&self, path: &ProjectPath, out: &mut String) {
        // Writing to a `String` never fails.
        let _ = writeln!(out, "diff --git a/{path} b/{path}");
        for mode in &self.modes {
            out.push_str(mode);
            out.push('\n');
        }
        if !self.lines.is_empty() || self.is_binary {
            let side = |prefix: &str, is_none: bool| {
                if is_none { "/dev/null".to_owned() } else { format!("{prefix}/{path}") }
            };
            let _ = writeln!(out, "--- {}", side("a", self.is_created));
            let _ = writeln!(out, "+++ {}", side("b", self.is_deleted));
        }
    }

    /// Returns the changed lines with those around them, in runs that do not touch.
    fn hunks(&self) -> Vec<&[Line]> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let changed = self.lines.iter().enumerate().filter(|(_, line)| line.mark != b' ');
        for (at, _) in changed {
            let (from, to) = (at.saturating_sub(AROUND), (at + 1 + AROUND).min(self.lines.len()));
            match ranges.last_mut() {
                Some((_, end)) if *end >= from => *end = to,
                _ => ranges.push((from, to)),
            }
        }
        ranges.into_iter().filter_map(|(from, to)| self.lines.get(from..to)).collect()
    }
}

fn write_hunk(out: &mut String, hunk: &[Line], old: &[&str], new: &[&str]) {
    let Some(first) = hunk.first() else { return };
    let count = |other: u8| hunk.iter().filter(|line| line.mark != other).count();
    let (olds, news) = (count(b'+'), count(b'-'));
    // A side without lines is told by the line before it.
    let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
    let _ = writeln!(out, "@@ -{},{olds} +{},{news} @@", start(first.old, olds), start(first.new, news));
    for line in hunk {
        let was = old.get(line.old).copied().unwrap_or_default();
        let is = new.get(line.new).copied().unwrap_or_default();
        out.push(char::from(line.mark));
        out.push_str(match line.mark {
            b'-' => was,
            b'+' => is,
            _ => of_both(was, is),
        });
        out.push('\n');
        if !line.has_end {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}

/// Returns an unchanged line, in which the lines around it may have made a credential of something in one text only.
fn of_both<'a>(was: &'a str, is: &'a str) -> &'a str {
    let is_marked = |line: &str| Kind::ALL.iter().any(|kind| line.contains(kind.mark()));
    match (is_marked(was), is_marked(is)) {
        (true, true) if was != is => Kind::Named.mark(),
        (true, false) => was,
        // The lines of a long credential have one mark together.
        (false, false) if was.is_empty() => was,
        _ => is,
    }
}
