//! A folder as resources and file tools, from which nothing leads out.
//!
//! Every path is walked component by component over open handles, and none of them follows a link: a link that
//! is swapped while its path is read ends in an error, never in another file. Links within the folder are
//! resolved first, and what they lead to is judged, not what they are called. What `.gitignore` and `.ignore`
//! exclude, and what is hidden, is neither listed nor read nor written; `.git` never is. Text is served without
//! credentials ([`redact`](selvedge_core::policy::redact)); lines keep their numbers. A binary file in which a
//! credential can be read is not served.
//!
//! All functions block: an asynchronous caller gives them a thread. [`tools`] does.

mod changes;
mod config;
mod encoding;
mod error;
mod folder;
mod git;
mod kind;
mod path;
mod provider;
mod resources;
mod rules;
mod search;
mod toolset;
mod unified;
mod walk;
mod write;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use cap_std::{ambient_authority, fs::Dir};
use selvedge_core::policy::Counts;

use crate::tools::{Body, Resource};
use encoding::Contents;

pub use changes::{Changes, Comparison};
pub use error::{Fault, ProjectError};
pub use path::ProjectPath;
pub use resources::{Listed, Template};
pub use search::{Found, Hit, Query, Syntax};
pub use toolset::tools;
pub use walk::{Entry, EntryKind, Listing};
pub use write::Written;

/// Bounds and choices of a [`Project`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProjectOptions {
    /// The longest file that is read, searched or written: 4 MiB.
    pub max_file_bytes: u64,
    /// The most bytes of text that one answer of a tool holds: 256 KiB.
    pub max_answer_bytes: usize,
    /// The most entries that a walk looks at, those that it leaves out among them: 20,000.
    pub max_entries: usize,
    /// The most folders within each other: 32.
    pub max_depth: usize,
    /// The most bytes that one search reads: 64 MiB.
    pub max_search_bytes: u64,
    /// The most lines that one search finds: 500.
    pub max_hits: usize,
    /// The most time that one search, or one comparison with a revision, takes: 10 seconds.
    pub max_search_time: Duration,
    /// Whether files whose name begins with a dot are served; `.git` never is.
    pub serves_hidden: bool,
    /// Whether files that `.gitignore` or `.ignore` excludes are served.
    pub serves_ignored: bool,
}

impl Default for ProjectOptions {
    fn default() -> Self {
        Self {
            max_file_bytes: 4 << 20,
            max_answer_bytes: 256 << 10,
            max_entries: 20_000,
            max_depth: 32,
            max_search_bytes: 64 << 20,
            max_hits: 500,
            max_search_time: Duration::from_secs(10),
            serves_hidden: false,
            serves_ignored: false,
        }
    }
}

/// A folder that is served.
#[derive(Debug)]
pub struct Project {
    root: Dir,
    /// Where Git finds the project; nothing else goes by it.
    path: PathBuf,
    name: String,
    options: ProjectOptions,
}

/// A file, or a part of one, as it may leave the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What it is read by.
    pub uri: String,
    /// What its contents are, guessed from its name.
    pub mime_type: &'static str,
    /// Its contents; a text is without credentials.
    pub body: Body,
    /// What was hidden in it.
    pub redactions: Counts,
}

impl From<Document> for Resource {
    fn from(document: Document) -> Self {
        Self { uri: document.uri, mime_type: Some(document.mime_type.to_owned()), body: document.body }
    }
}

/// Some lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// The lines, with their ends, without credentials.
    pub text: String,
    /// The number of the first one, from 1.
    pub first: usize,
    /// The number of the last one; less than `first` where there is none.
    pub last: usize,
    /// How many lines the file has.
    pub of: usize,
    /// What was hidden in the whole file.
    pub redactions: Counts,
}

impl Project {
    /// Opens a folder; the only place where a path outside of it is used.
    ///
    /// # Errors
    ///
    /// The folder cannot be opened.
    pub fn open(path: &Path, options: ProjectOptions) -> io::Result<Self> {
        let root = Dir::open_ambient_dir(path, ambient_authority())?;
        let path = std::fs::canonicalize(path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Self { root, name: name.unwrap_or_else(|| "project".to_owned()), path, options })
    }

    /// Returns the bounds and choices.
    #[must_use]
    pub const fn options(&self) -> &ProjectOptions {
        &self.options
    }

    /// Reads a file: a text without credentials, or bytes.
    ///
    /// # Errors
    ///
    /// The path leads nowhere, out of the project, to something that is no file, is hidden, or is too large.
    pub fn read(&self, path: &ProjectPath) -> Result<Document, ProjectError> {
        let (bytes, _) = self.bytes(path)?;
        document(path, bytes).map_err(|fault| path.fault(fault))
    }

    /// Reads lines of a text file, from `first` to `last` where they are given, as many as fit into an answer.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); the file holds no text.
    pub fn read_lines(
        &self,
        path: &ProjectPath,
        first: Option<usize>,
        last: Option<usize>,
    ) -> Result<Lines, ProjectError> {
        let document = self.read(path)?;
        let Body::Text(text) = document.body else { return Err(path.fault(Fault::Binary)) };
        let (from, to) = (first.unwrap_or(1).max(1), last.unwrap_or(usize::MAX));
        let mut lines = Lines {
            text: String::new(),
            first: from,
            last: from - 1,
            of: 0,
            redactions: document.redactions,
        };
        let mut is_full = false;
        for line in text.split_inclusive('\n') {
            lines.of += 1;
            let is_wanted = (from..=to).contains(&lines.of) && !is_full;
            is_full |= is_wanted && lines.text.len() + line.len() > self.options.max_answer_bytes;
            if is_wanted && !is_full {
                lines.text.push_str(line);
                lines.last = lines.of;
            }
        }
        if is_full && lines.text.is_empty() {
            let max = self.options.max_answer_bytes as u64;
            return Err(path.fault(Fault::LineTooLong { line: from, max }));
        }
        Ok(lines)
    }
}

/// Makes a document of a file's bytes.
fn document(path: &ProjectPath, bytes: Vec<u8>) -> Result<Document, Fault> {
    let uri = path.to_uri();
    let guess = kind::mime_type(path.name());
    let (body, fallback, redactions) = match encoding::read(bytes)? {
        Contents::Text(redacted) => (Body::Text(redacted.text.into_owned()), "text/plain", redacted.counts),
        Contents::Binary(bytes) => (Body::Blob(bytes), "application/octet-stream", Counts::default()),
    };
    Ok(Document { uri, mime_type: guess.unwrap_or(fallback), body, redactions })
}

#[cfg(test)]
mod tests;
