//! Walks a project in order, over folder handles, within bounds.

use std::ops::ControlFlow;

use cap_std::fs::{Dir, FileType};

use super::{Fault, Project, ProjectError, ProjectPath, folder::open_folder, kind, rules::Rules};

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The entries, each folder before what is in it, in the order of their names.
    pub entries: Vec<Entry>,
    /// Which bounds left something out, as a text names them.
    pub cut: Vec<String>,
    /// How many entries have names that are not UTF-8.
    pub unnamed: usize,
    /// How many folders could not be opened.
    pub unreadable: usize,
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: ProjectPath,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, wherever it leads; it is not followed.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// A folder on the way, with the names that are left in it, the last one first.
struct Frame {
    folder: Dir,
    left: Vec<(String, EntryKind)>,
}

impl Project {
    /// Lists what the project serves.
    ///
    /// # Errors
    ///
    /// The root can no longer be read.
    pub fn list(&self) -> Result<Listing, ProjectError> {
        let mut entries = Vec::new();
        let mut listing = self.walk(&[], |_, entry| {
            entries.push(entry);
            ControlFlow::Continue(())
        })?;
        listing.entries = entries;
        Ok(listing)
    }

    /// Visits the entries of a folder and of those within it, each with a handle of the folder it is in.
    pub(super) fn walk(
        &self,
        start: &[String],
        mut visit: impl FnMut(&Dir, Entry) -> ControlFlow<()>,
    ) -> Result<Listing, ProjectError> {
        let at = ProjectPath::from_names(start.to_vec());
        let (folder, rules) = self.descend(start).map_err(|fault| at.fault(fault))?;
        let mut walk =
            Walk { project: self, rules, names: start.to_vec(), seen: 0, listing: Listing::default() };
        let left = walk.entries(&folder).map_err(|error| at.fault(Fault::of(&error)))?;
        let mut frames = vec![Frame { folder, left }];
        while let Some(frame) = frames.last_mut() {
            let Some((name, kind)) = frame.left.pop() else {
                frames.pop();
                walk.leave();
                continue;
            };
            walk.names.push(name);
            let is_excluded = walk.rules.excludes(&walk.names, kind == EntryKind::Folder)
                || kind == EntryKind::File && walk.names.last().is_some_and(|name| kind::is_key_store(name));
            if !is_excluded {
                let entry = Entry { path: ProjectPath::from_names(walk.names.clone()), kind };
                if visit(&frame.folder, entry).is_break() {
                    break;
                }
            }
            match walk.enter(&frame.folder, kind).filter(|_| !is_excluded) {
                Some(next) => frames.push(next),
                None => drop(walk.names.pop()),
            }
        }
        Ok(walk.listing)
    }
}

struct Walk<'a> {
    project: &'a Project,
    rules: Rules,
    names: Vec<String>,
    seen: usize,
    listing: Listing,
}

impl Walk<'_> {
    /// Opens the folder that was just named; one that became a link is left out.
    fn enter(&mut self, parent: &Dir, kind: EntryKind) -> Option<Frame> {
        let name = self.names.last().filter(|_| kind == EntryKind::Folder)?;
        if self.rules.excludes(&self.names, true) {
            return None;
        }
        let max = self.project.options.max_depth;
        if self.names.len() >= max {
            self.cut(format!("folders deeper than {max}"));
            return None;
        }
        let Ok(folder) = open_folder(parent, name) else {
            self.listing.unreadable += 1;
            return None;
        };
        let Ok(left) = self.entries(&folder) else {
            self.listing.unreadable += 1;
            return None;
        };
        self.rules.enter(&folder);
        Some(Frame { folder, left })
    }

    fn leave(&mut self) {
        self.rules.leave();
        self.names.pop();
    }

    /// Returns the entries of a folder, the last name first, as many as the bound leaves.
    fn entries(&mut self, folder: &Dir) -> std::io::Result<Vec<(String, EntryKind)>> {
        let mut found = Vec::new();
        for entry in folder.entries()? {
            let max = self.project.options.max_entries;
            if self.seen >= max {
                self.cut(format!("entries beyond {max}"));
                break;
            }
            self.seen += 1;
            let Ok(entry) = entry else { continue };
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                self.listing.unnamed += 1;
                continue;
            };
            found.push((name, kind_of(kind)));
        }
        found.sort_unstable_by(|one, other| other.0.cmp(&one.0));
        Ok(found)
    }

    fn cut(&mut self, reason: String) {
        if !self.listing.cut.contains(&reason) {
            self.listing.cut.push(reason);
        }
    }
}

fn kind_of(kind: FileType) -> EntryKind {
    match kind {
        _ if kind.is_file() => EntryKind::File,
        _ if kind.is_dir() => EntryKind::Folder,
        _ if kind.is_symlink() => EntryKind::Link,
        _ => EntryKind::Other,
    }
}
