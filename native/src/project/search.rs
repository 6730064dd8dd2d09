//! Searches the text of a project in linear time, within bounds.
//!
//! What is searched is the text without credentials: a pattern must not be able to tell, by what it finds, what
//! stands where something was hidden.

use std::{fmt::Write as _, ops::ControlFlow, time::Instant};

use regex::{Regex, RegexBuilder};
use selvedge_core::policy::{Counts, Redacted};

use super::{Contents, Entry, EntryKind, Fault, Project, ProjectError, ProjectPath, encoding};

const MAX_PATTERN_BYTES: usize = 1_024;
/// The size of a compiled pattern; the time for each byte of text grows with it.
const MAX_COMPILED_BYTES: usize = 256 << 10;
/// A longer line is passed over.
const MAX_LINE_BYTES: usize = 16 << 10;
/// A longer line is shown in part.
const MAX_SHOWN_BYTES: usize = 400;
const MAX_CONTEXT: usize = 10;

/// How a pattern is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// As the text itself.
    #[default]
    Literal,
    /// As a regular expression of the `regex` crate, line by line.
    Regex,
}

/// What is searched for, and where.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The pattern.
    pub pattern: String,
    /// How it is read.
    pub syntax: Syntax,
    /// Whether case does not count.
    pub ignores_case: bool,
    /// The folder; the whole project where there is none.
    pub within: Option<ProjectPath>,
    /// How many lines are shown before and after each hit; at most 10.
    pub context: usize,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The lines, in order.
    pub hits: Vec<Hit>,
    /// How many files were searched.
    pub files: usize,
    /// Why something was not searched, as a text names it.
    pub cut: Vec<String>,
    /// What was hidden in the files that are shown.
    pub redactions: Counts,
}

/// A line that was found, and the lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The file.
    pub path: ProjectPath,
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the first line that is shown.
    pub first: usize,
    /// The lines that are shown; long ones in part.
    pub lines: Vec<String>,
}

impl Project {
    /// Searches the text files that the project serves.
    ///
    /// # Errors
    ///
    /// The pattern is none, or is too large; the folder cannot be read.
    pub fn search(&self, query: &Query) -> Result<Found, ProjectError> {
        let shown = || query.pattern.chars().take(100).collect();
        let regex = compile(query).map_err(|fault| ProjectError { path: shown(), fault })?;
        let start = match &query.within {
            Some(folder) => self.resolve(folder).map_err(|fault| folder.fault(fault))?,
            None => ProjectPath::from_names(Vec::new()),
        };
        let ends_at = Instant::now() + self.options.max_search_time;
        let mut search = Search { project: self, query, regex, ends_at, bytes: 0, found: Found::default() };
        let listing = self.walk(start.names(), |folder, entry| search.visit(folder, &entry))?;
        search.found.cut.extend(listing.cut);
        Ok(search.found)
    }
}

fn compile(query: &Query) -> Result<Regex, Fault> {
    let pattern = match (query.pattern.len(), query.syntax) {
        (0, _) => return Err(Fault::Pattern("is empty".to_owned())),
        (len, _) if len > MAX_PATTERN_BYTES => {
            return Err(Fault::Pattern(format!("exceeds {MAX_PATTERN_BYTES} bytes")));
        }
        (_, Syntax::Literal) => regex::escape(&query.pattern),
        (_, Syntax::Regex) => query.pattern.clone(),
    };
    let mut builder = RegexBuilder::new(&pattern);
    builder.case_insensitive(query.ignores_case).size_limit(MAX_COMPILED_BYTES).nest_limit(50);
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(max) => Fault::Pattern(format!("exceeds {max} bytes when compiled")),
        other => Fault::Pattern(format!("is no regular expression: {other}")),
    })
}

struct Search<'a> {
    project: &'a Project,
    query: &'a Query,
    regex: Regex,
    ends_at: Instant,
    bytes: u64,
    found: Found,
}

impl Search<'_> {
    fn visit(&mut self, folder: &cap_std::fs::Dir, entry: &Entry) -> ControlFlow<()> {
        if entry.kind != EntryKind::File {
            return self.in_time();
        }
        match self.project.read_in(folder, entry.path.name()) {
            Ok(bytes) => {
                self.bytes = self.bytes.saturating_add(bytes.len() as u64);
                let max = self.project.options.max_search_bytes;
                if self.bytes > max {
                    return self.stop(format!("files beyond {max} bytes in all"));
                }
                let Ok(Contents::Text(redacted)) = encoding::read(bytes) else { return self.in_time() };
                self.found.files += 1;
                self.text(&entry.path, &redacted)
            }
            Err(Fault::TooLarge { max }) => self.note(format!("files that exceed {max} bytes")),
            // A file that vanished or may not be read.
            Err(_) => self.in_time(),
        }
    }

    fn text(&mut self, path: &ProjectPath, redacted: &Redacted<'_>) -> ControlFlow<()> {
        let lines: Vec<&str> = redacted.text.lines().collect();
        let mut is_shown = false;
        for (at, line) in lines.iter().enumerate() {
            self.in_time()?;
            if line.len() > MAX_LINE_BYTES {
                self.note(format!("lines that exceed {MAX_LINE_BYTES} bytes"))?;
                continue;
            }
            if !self.regex.is_match(line) {
                continue;
            }
            let max = self.project.options.max_hits;
            if self.found.hits.len() >= max {
                return self.stop(format!("hits beyond {max}"));
            }
            if !is_shown {
                self.found.redactions.add(&redacted.counts);
            }
            is_shown = true;
            let context = self.query.context.min(MAX_CONTEXT);
            let first = at.saturating_sub(context);
            let around = lines.iter().skip(first).take(at - first + 1 + context);
            let shown = around.map(|line| shorten(line)).collect();
            self.found.hits.push(Hit { path: path.clone(), line: at + 1, first: first + 1, lines: shown });
        }
        ControlFlow::Continue(())
    }

    fn in_time(&mut self) -> ControlFlow<()> {
        if Instant::now() < self.ends_at {
            return ControlFlow::Continue(());
        }
        let max = self.project.options.max_search_time;
        self.stop(format!("what takes longer than {} s", max.as_secs_f32()))
    }

    fn note(&mut self, reason: String) -> ControlFlow<()> {
        if !self.found.cut.contains(&reason) {
            self.found.cut.push(reason);
        }
        ControlFlow::Continue(())
    }

    fn stop(&mut self, reason: String) -> ControlFlow<()> {
        self.note(reason)?;
        ControlFlow::Break(())
    }
}

fn shorten(line: &str) -> String {
    if line.len() <= MAX_SHOWN_BYTES {
        return line.to_owned();
    }
    let end = (0..=MAX_SHOWN_BYTES).rev().find(|at| line.is_char_boundary(*at)).unwrap_or_default();
    format!("{}…", line.get(..end).unwrap_or_default())
}

impl Found {
    /// Writes the hits as `grep` does: `path:12:text` for a hit, `path-11-text` for a line around one.
    #[must_use]
    pub fn to_text(&self, max_bytes: usize) -> String {
        let mut text = String::new();
        let mut last: Option<(&ProjectPath, usize)> = None;
        for hit in &self.hits {
            let is_next = last.is_some_and(|(path, line)| *path == hit.path && line + 1 >= hit.first);
            if last.is_some() && !is_next && self.hits.iter().any(|hit| hit.lines.len() > 1) {
                text.push_str("--\n");
            }
            let lines = hit.lines.iter().enumerate().map(|(at, line)| (hit.first + at, line));
            let is_hit = |line| self.hits.iter().any(|other| other.path == hit.path && other.line == line);
            for (number, line) in lines {
                let is_shown = last.is_some_and(|(path, line)| *path == hit.path && line >= number);
                if is_shown {
                    continue;
                }
                let mark = if number == hit.line || is_hit(number) { ':' } else { '-' };
                // Writing to a `String` never fails.
                let _ = writeln!(text, "{}{mark}{number}{mark}{line}", hit.path);
                last = Some((&hit.path, number));
            }
            if text.len() > max_bytes {
                let _ = writeln!(text, "(left out: text beyond {max_bytes} bytes)");
                break;
            }
        }
        if self.hits.is_empty() {
            let _ = writeln!(text, "nothing found in {} files", self.files);
        }
        for reason in &self.cut {
            let _ = writeln!(text, "(not searched: {reason})");
        }
        text
    }
}
