//! Opens files over folder handles, one name at a time, without following a link.

use std::io::{self, Read as _};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::fs::{Dir, File, FileType, OpenOptions};

use super::{Fault, Project, ProjectError, ProjectPath, kind, rules::Rules};

impl Project {
    /// Reads a file that the rules allow, and returns where it really is.
    pub(super) fn bytes(&self, path: &ProjectPath) -> Result<(Vec<u8>, ProjectPath), ProjectError> {
        let real = self.resolve(path).map_err(|fault| path.fault(fault))?;
        let bytes = self.bytes_at(&real).map_err(|fault| path.fault(fault))?;
        Ok((bytes, real))
    }

    /// Reads a file that the rules allow, over a path that holds no link.
    pub(super) fn bytes_at(&self, real: &ProjectPath) -> Result<Vec<u8>, Fault> {
        let (name, parents) = real.split_last();
        let (folder, rules) = self.descend(parents)?;
        check_rules(&rules, real)?;
        self.read_in(&folder, name)
    }

    /// Follows the links of a path, within the project, to where it leads at this moment.
    pub(super) fn resolve(&self, path: &ProjectPath) -> Result<ProjectPath, Fault> {
        let max = self.options.max_depth;
        if path.names().len() > max {
            return Err(Fault::TooDeep { max });
        }
        let real = self.root.canonicalize(path.to_string()).map_err(|error| Fault::of(&error))?;
        ProjectPath::from_real(&real).ok_or(Fault::Path("leads to a name that is not UTF-8"))
    }

    /// Returns whether the rules allow a file, which need not be there any more.
    pub(super) fn judge(&self, path: &ProjectPath) -> Result<(), Fault> {
        let (_, rules) = self.descend_to(path.split_last().1)?;
        check_rules(&rules, path)
    }

    /// Opens a folder, and gathers the rules on the way to it.
    pub(super) fn descend(&self, names: &[String]) -> Result<(Dir, Rules), Fault> {
        let (folder, rules) = self.descend_to(names)?;
        Ok((folder.ok_or(Fault::NotFound)?, rules))
    }

    /// Opens a folder where it is there, and gathers the rules that hold in it, there or not.
    fn descend_to(&self, names: &[String]) -> Result<(Option<Dir>, Rules), Fault> {
        if names.len() > self.options.max_depth {
            return Err(Fault::TooDeep { max: self.options.max_depth });
        }
        let mut folder = Some(self.root.try_clone().map_err(|error| Fault::of(&error))?);
        let mut rules = Rules::new(&self.options, &self.root);
        for (at, name) in names.iter().enumerate() {
            let so_far = names.get(..=at).unwrap_or_default();
            if rules.excludes(so_far, true) {
                return Err(Fault::Hidden);
            }
            let Some(around) = &folder else { continue };
            folder = match open_folder(around, name).map_err(|error| Fault::of_folder(&error)) {
                Ok(inner) => {
                    rules.enter(&inner);
                    Some(inner)
                }
                Err(Fault::NotFound) => None,
                Err(fault) => return Err(fault),
            };
        }
        Ok((folder, rules))
    }

    /// Reads a file of a folder, whole or not at all.
    pub(super) fn read_in(&self, folder: &Dir, name: &str) -> Result<Vec<u8>, Fault> {
        let max = self.options.max_file_bytes;
        let file = open_file(folder, name)?;
        let mut bytes = Vec::new();
        // A file may grow while it is read, and a file of the kernel says that it is empty.
        file.take(max.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| Fault::of(&error))?;
        if bytes.len() as u64 > max {
            return Err(Fault::TooLarge { max });
        }
        Ok(bytes)
    }
}

impl Fault {
    /// Reads an error of opening a folder: a link in its place is one that was swapped in.
    fn of_folder(error: &io::Error) -> Self {
        match Self::of(error) {
            Self::NoFolder => Self::Outside,
            other => other,
        }
    }
}

/// Checks a file against the rules of its folder.
fn check_rules(rules: &Rules, path: &ProjectPath) -> Result<(), Fault> {
    match path {
        _ if rules.excludes(path.names(), false) => Err(Fault::Hidden),
        _ if kind::is_key_store(path.name()) => Err(Fault::KeyStore),
        _ => Ok(()),
    }
}

/// Opens a folder within another one, unless a link is in its place.
pub(super) fn open_folder(folder: &Dir, name: &str) -> io::Result<Dir> {
    folder.open_dir_nofollow(name)
}

/// Opens a regular file, and nothing else.
pub(super) fn open_file(folder: &Dir, name: &str) -> Result<File, Fault> {
    // Opening a device can have effects, so it is looked at first; what is opened is looked at again.
    let kind = folder.symlink_metadata(name).map_err(|error| Fault::of(&error))?.file_type();
    check_is_file(kind)?;
    let mut options = OpenOptions::new();
    // A pipe that took the place of the file would wait for its writer.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &options).map_err(|error| Fault::of(&error))?;
    let kind = file.metadata().map_err(|error| Fault::of(&error))?.file_type();
    check_is_file(kind)?;
    Ok(file)
}

pub(super) fn check_is_file(kind: FileType) -> Result<(), Fault> {
    match kind {
        _ if kind.is_file() => Ok(()),
        _ if kind.is_dir() => Err(Fault::NoFile("a folder")),
        _ if kind.is_symlink() => Err(Fault::Outside),
        _ => Err(Fault::NoFile("a pipe, a socket or a device")),
    }
}
