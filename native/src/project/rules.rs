//! What is not served: hidden files, and what `.gitignore` and `.ignore` exclude.
//!
//! Only the matcher of the `ignore` crate is used. Its walk, and its way of reading rules, open paths by name and
//! look above the root; here the rules are read over the same handles as everything else.

use std::{io::Read as _, path::PathBuf};

use cap_std::fs::Dir;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{
    ProjectOptions,
    folder::{open_file, open_folder},
};

/// The longest file of rules; a longer one excludes everything beside and below it.
const MAX_RULES_BYTES: u64 = 256 << 10;

/// The rules that hold in a folder: its own, and those of the folders around it.
#[derive(Debug)]
pub(super) struct Rules {
    serves_hidden: bool,
    serves_ignored: bool,
    /// From the root inwards; each with the matchers of its folder, the stronger first.
    levels: Vec<Vec<Rule>>,
}

#[derive(Debug)]
enum Rule {
    Matcher(Gitignore),
    /// The rules could not be read: nothing is served that they might exclude.
    Everything,
}

impl Rules {
    pub(super) fn new(options: &ProjectOptions, root: &Dir) -> Self {
        let (serves_hidden, serves_ignored) = (options.serves_hidden, options.serves_ignored);
        let mut rules = Self { serves_hidden, serves_ignored, levels: Vec::new() };
        rules.enter(root);
        let exclude = open_folder(root, ".git").and_then(|git| open_folder(&git, "info"));
        if let (Ok(info), Some(level)) = (exclude, rules.levels.first_mut()) {
            level.extend(read(&info, "exclude"));
        }
        rules
    }

    /// Adds the rules of a folder that is entered.
    pub(super) fn enter(&mut self, folder: &Dir) {
        let names = if self.serves_ignored { [].as_slice() } else { [".ignore", ".gitignore"].as_slice() };
        self.levels.push(names.iter().filter_map(|name| read(folder, name)).collect());
    }

    /// Drops the rules of a folder that is left.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Returns whether an entry of the folder that was entered last is excluded.
    pub(super) fn excludes(&self, names: &[String], is_folder: bool) -> bool {
        let Some(name) = names.last() else { return false };
        if name.eq_ignore_ascii_case(".git") || name.starts_with('.') && !self.serves_hidden {
            return true;
        }
        if self.serves_ignored {
            return false;
        }
        for (at, level) in self.levels.iter().enumerate().rev() {
            let path: PathBuf = names.get(at..).unwrap_or_default().iter().collect();
            let found = level.iter().map(|rule| match rule {
                Rule::Everything => Some(true),
                Rule::Matcher(matcher) => match matcher.matched(&path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                },
            });
            if let Some(is_excluded) = found.flatten().next() {
                return is_excluded;
            }
        }
        false
    }
}

/// Reads a file of rules; a line that is none excludes nothing.
fn read(folder: &Dir, name: &str) -> Option<Rule> {
    let file = open_file(folder, name).ok()?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_RULES_BYTES + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 > MAX_RULES_BYTES {
        return Some(Rule::Everything);
    }
    // With this root the matcher takes paths as they stand, from its own folder on.
    let mut builder = GitignoreBuilder::new(".");
    // As Git does, a mark of the encoding is no part of the first rule.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    for line in String::from_utf8_lossy(bytes).lines() {
        let _ = builder.add_line(None, line);
    }
    Some(builder.build().map_or(Rule::Everything, Rule::Matcher))
}
