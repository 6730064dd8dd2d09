//! What Git knows of the changes to the files that are served.
//!
//! Git is asked for the names first, and then for one served file at a time, with all of its lines: both texts are
//! redacted whole before the unchanged lines between the changes are left out, so that a part of a key is hidden,
//! too. What Git reads of the working tree, it reads by itself, by names.

use std::time::Instant;

use selvedge_core::policy::Kind;

use super::{
    Fault, Project, ProjectError, ProjectPath,
    git::{Git, Revision},
    unified,
};

/// Which changes are wanted.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The revision that is compared with; `HEAD` where this is `None`.
    pub base: Option<String>,
    /// Compares what is staged, not the working tree.
    pub is_staged: bool,
    /// A file, or a folder; the whole project where this is `None`.
    pub within: Option<ProjectPath>,
}

/// The changes to a project's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The changes as a unified diff with three unchanged lines around each, without credentials.
    pub text: String,
    /// How many marks stand in the place of credentials in it.
    pub hidden: usize,
    /// How many changed files are not shown, because the rules of the project exclude them.
    pub excluded: usize,
    /// What else is not shown, and why; empty where the changes are whole.
    pub cut: Vec<String>,
}

impl Project {
    /// Compares files with a revision, by Git. Files that Git does not track are not compared; a file that the
    /// rules of the project exclude is not shown, whatever the revision says.
    ///
    /// # Errors
    ///
    /// The project is no working tree of Git, there is no such revision, the path is hidden, or it takes too long.
    pub fn changes(&self, wanted: &Comparison) -> Result<Changes, ProjectError> {
        let shown = wanted.within.as_ref().map_or_else(|| ".".to_owned(), ToString::to_string);
        let fault = |fault| ProjectError { path: shown.clone(), fault };
        if let Some(path) = &wanted.within {
            self.judge(path).map_err(fault)?;
        }
        let git = Git::new(&self.path, &self.root, self.options.max_search_time).map_err(fault)?;
        let revision = git.revision(wanted.base.as_deref()).map_err(fault)?;
        let names = git.names(&revision, wanted, self.options.max_entries).map_err(fault)?;
        let mut changes = Changes::default();
        for name in &names {
            let Some(path) = name.as_deref().and_then(|name| ProjectPath::new(name).ok()) else {
                changes.excluded += 1;
                continue;
            };
            if self.judge(&path).is_err() {
                changes.excluded += 1;
                continue;
            }
            match self.change(&git, &revision, wanted.is_staged, &path) {
                Ok(text) if changes.text.len() + text.len() <= self.options.max_answer_bytes => {
                    changes.text.push_str(&text);
                }
                Ok(_) => {
                    let max = self.options.max_answer_bytes;
                    changes.cut.push(format!("`{path}`: the changes exceed {max} bytes"));
                }
                Err(error) => changes.cut.push(format!("`{path}`: {error}")),
            }
            if git.deadline <= Instant::now() {
                changes.cut.push(format!("changes beyond {:?}", self.options.max_search_time));
                break;
            }
        }
        changes.hidden = Kind::ALL.iter().map(|kind| changes.text.matches(kind.mark()).count()).sum();
        Ok(changes)
    }

    fn change(
        &self,
        git: &Git<'_>,
        revision: &Revision,
        is_staged: bool,
        path: &ProjectPath,
    ) -> Result<String, Fault> {
        // Two texts, and a mark before each line.
        let max = self.options.max_file_bytes;
        let bytes =
            git.change(revision, is_staged, path, max.saturating_mul(4)).map_err(|fault| match fault {
                Fault::TooLarge { .. } => Fault::TooLarge { max },
                other => other,
            })?;
        unified::read(path, &bytes, max)
    }
}
