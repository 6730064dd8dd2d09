//! Writes files, whole or not at all, through no link.

use std::{
    io::{self, Write as _},
    sync::atomic::{AtomicU64, Ordering},
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions, Permissions};
use selvedge_core::policy::Kind;

use super::{
    Contents, Fault, Project, ProjectError, ProjectPath, encoding,
    folder::{check_is_file, open_folder},
    kind,
    rules::Rules,
};

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Written {
    /// A file that was not there.
    Created,
    /// A file in the place of another one.
    Replaced,
}

impl Project {
    /// Writes a file; folders that are missing are made. Readers see the old file or the new one, never a part.
    ///
    /// # Errors
    ///
    /// The path leads out of the project, through a link, to something that is no file, or is hidden; the text is
    /// too long, or would put the marks of hidden credentials in their place.
    pub fn write(&self, path: &ProjectPath, text: &str) -> Result<Written, ProjectError> {
        self.try_write(path, text).map_err(|fault| path.fault(fault))
    }

    fn try_write(&self, path: &ProjectPath, text: &str) -> Result<Written, Fault> {
        let max = self.options.max_file_bytes;
        if text.len() as u64 > max {
            return Err(Fault::TooLarge { max });
        }
        if path.names().len() > self.options.max_depth {
            return Err(Fault::TooDeep { max: self.options.max_depth });
        }
        let (name, parents) = path.split_last();
        if kind::is_key_store(name) {
            return Err(Fault::KeyStore);
        }
        let folder = self.enter_or_make(path, parents)?;
        let old = match folder.symlink_metadata(name) {
            Ok(old) if old.is_symlink() => return Err(Fault::Link),
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Fault::of(&error)),
        };
        if let Some(old) = &old {
            check_is_file(old.file_type())?;
            self.check_marks(&folder, name, text)?;
        }
        let permissions = old.as_ref().map(cap_std::fs::Metadata::permissions);
        replace(&folder, name, text.as_bytes(), permissions).map_err(|error| Fault::of(&error))?;
        Ok(if old.is_some() { Written::Replaced } else { Written::Created })
    }

    /// Opens the folder of a file; what is missing is made only after every rule has been asked.
    fn enter_or_make(&self, path: &ProjectPath, parents: &[String]) -> Result<Dir, Fault> {
        let mut folder = self.root.try_clone().map_err(|error| Fault::of(&error))?;
        let mut rules = Rules::new(&self.options, &folder);
        let mut made_from = None;
        for (at, name) in parents.iter().enumerate() {
            if rules.excludes(parents.get(..=at).unwrap_or_default(), true) {
                return Err(Fault::Hidden);
            }
            if made_from.is_some() {
                continue;
            }
            match open_folder(&folder, name) {
                Ok(next) => folder = next,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    made_from = Some(at);
                    continue;
                }
                Err(error) => return Err(of_parent(&folder, name, &error)),
            }
            rules.enter(&folder);
        }
        if rules.excludes(path.names(), false) {
            return Err(Fault::Hidden);
        }
        for name in made_from.and_then(|at| parents.get(at..)).unwrap_or_default() {
            match folder.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(Fault::of(&error)),
                _ => {}
            }
            folder = open_folder(&folder, name).map_err(|error| of_parent(&folder, name, &error))?;
        }
        Ok(folder)
    }

    /// Refuses a text that was read here, without its credentials, and would now be written over them.
    fn check_marks(&self, folder: &Dir, name: &str, text: &str) -> Result<(), Fault> {
        let is_marked = |kind: Kind| text.contains(kind.mark());
        if !Kind::ALL.into_iter().any(is_marked) {
            return Ok(());
        }
        let Ok(Contents::Text(held)) = encoding::read(self.read_in(folder, name)?) else { return Ok(()) };
        let hidden = held.counts;
        if Kind::ALL.into_iter().any(|kind| hidden.of(kind) > 0 && is_marked(kind)) {
            return Err(Fault::Marks);
        }
        Ok(())
    }
}

fn of_parent(folder: &Dir, name: &str, error: &io::Error) -> Fault {
    match folder.symlink_metadata(name) {
        Ok(found) if found.is_symlink() => Fault::Link,
        Ok(found) if !found.is_dir() => Fault::NoFolder,
        _ => Fault::of(error),
    }
}

/// Writes beside the file and then takes its name, within one folder handle: a link that takes the name
/// meanwhile is replaced, not followed.
fn replace(folder: &Dir, name: &str, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let half = format!(".selvedge-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    let mut file = folder.open_with(&half, &options)?;
    // The mode comes first: what only its owner may read is not open to others meanwhile.
    let allowed = permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
    let written = allowed.and_then(|()| file.write_all(bytes)).and_then(|()| file.sync_all());
    drop(file);
    let renamed = written.and_then(|()| folder.rename(&half, folder, name));
    if renamed.is_err() {
        // What could not be finished is not left behind.
        let _ = folder.remove_file(&half);
    }
    renamed
}
