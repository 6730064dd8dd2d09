//! Writes files into one folder and nowhere else, each whole or not at all, through no link.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::{Component, Path},
};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};

/// What the names of files begin and end with that are not yet whole.
const HALF: (&str, &str) = (".selvedge-", ".part");

/// A folder that is written into.
#[derive(Debug)]
pub(super) struct Folder {
    root: Dir,
}

/// A file that is written whole, and has not yet the name that it will have; dropped, it is removed.
struct Half {
    folder: Dir,
    own_name: String,
    name: String,
    /// Locked while its writer lives, so that another run knows what a dead one left.
    _lock: std::fs::File,
    is_named: bool,
}

impl Folder {
    /// Opens a folder, and makes it where it is missing.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        let Some(name) = path.file_name() else {
            return Ok(Self { root: Dir::open_ambient_dir(path, ambient_authority())? });
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = Dir::open_ambient_dir(parent.unwrap_or(Path::new(".")), ambient_authority())?;
        let root = parent.open_dir_nofollow(name);
        let is_link = || parent.symlink_metadata(name).is_ok_and(|found| found.is_symlink());
        let root = root.map_err(|error| if is_link() { link_in_the_way() } else { error })?;
        Ok(Self { root })
    }

    /// Writes files below the folder. Every one is written before the first takes its name, in the order given:
    /// readers see an old file or a new one, never a part.
    pub(super) fn write<'a>(&self, files: &[(&'a str, &str)]) -> Result<(), (&'a str, io::Error)> {
        let mut halves = Vec::with_capacity(files.len());
        for (path, text) in files {
            let half = self.parent_of(path).and_then(|(folder, name)| Half::write(folder, name, text));
            halves.push((*path, half.map_err(|error| (*path, error))?));
        }
        halves.into_iter().try_for_each(|(path, half)| half.take_name().map_err(|error| (path, error)))
    }

    /// Opens the folder that a file belongs to, and makes it where it is missing.
    fn parent_of<'a>(&self, path: &'a str) -> io::Result<(Dir, &'a str)> {
        let names = Path::new(path).components().map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        });
        let names: Option<Vec<_>> = names.collect();
        let names = names.unwrap_or_default();
        let Some((name, parents)) = names.split_last() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of the folder"));
        };
        let mut folder = self.root.try_clone()?;
        for parent in parents {
            match folder.create_dir(parent) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            if folder.symlink_metadata(parent)?.is_symlink() {
                return Err(link_in_the_way());
            }
            folder = folder.open_dir_nofollow(parent)?;
        }
        remove_leftovers(&folder);
        Ok((folder, name))
    }
}

impl Half {
    fn write(folder: Dir, name: &str, text: &str) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let mut half = HALF.0.to_owned();
        for byte in random {
            // Writing to a `String` never fails.
            let _ = write!(half, "{byte:02x}");
        }
        half.push_str(HALF.1);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        let mut file = folder.open_with(&half, &options)?.into_std();
        // Where a file system has no locks, what a dead run left stays.
        let _ = file.try_lock();
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        let half = Self { folder, own_name: half, name: name.to_owned(), _lock: file, is_named: false };
        written.map(|()| half)
    }

    fn take_name(mut self) -> io::Result<()> {
        self.folder.rename(&self.own_name, &self.folder, &self.name)?;
        self.is_named = true;
        Ok(())
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        if !self.is_named {
            // What could not be finished is not left behind.
            let _ = self.folder.remove_file(&self.own_name);
        }
    }
}

/// Removes what runs that were killed left unfinished; what cannot be removed is in nobody's way.
fn remove_leftovers(folder: &Dir) {
    let Ok(entries) = folder.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if !(name.starts_with(HALF.0) && name.ends_with(HALF.1)) {
            continue;
        }
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No);
        // To open a pipe would be to wait for its reader.
        if !folder.symlink_metadata(name).is_ok_and(|found| found.is_file()) {
            continue;
        }
        let Ok(file) = folder.open_with(name, &options) else { continue };
        if file.into_std().try_lock().is_ok() {
            let _ = folder.remove_file(name);
        }
    }
}

fn link_in_the_way() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "this is a link, which is not written through; name the folder itself",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_outside_the_folder() {
        let base = std::env::temp_dir().join(format!("selvedge-files-{}", std::process::id()));
        let folder = Folder::open(&base.join("in")).unwrap();
        folder.write(&[("a/b.txt", "1")]).unwrap();
        folder.write(&[("a/b.txt", "22"), ("c.txt", "3")]).unwrap();
        assert_eq!(std::fs::read(base.join("in/a/b.txt")).unwrap(), b"22");
        for path in ["../x", "/x", "a/../../x", "", "."] {
            assert!(folder.write(&[("new", "x"), (path, "x")]).is_err(), "{path}");
            assert!(!base.join("in/new").exists(), "all or none");
        }
        #[cfg(unix)]
        {
            std::fs::create_dir_all(base.join("out")).unwrap();
            std::os::unix::fs::symlink(base.join("out"), base.join("in/link")).unwrap();
            assert!(folder.write(&[("link/x", "x")]).is_err());
            assert!(!base.join("out/x").exists());
            std::os::unix::fs::symlink("a", base.join("in/beside")).unwrap();
            assert!(Folder::open(&base.join("in/beside")).is_err());
            assert!(folder.write(&[("beside/x", "x")]).is_err());
            let through = Folder::open(&base.join("in/link")).unwrap_err().to_string();
            assert!(through.contains("this is a link"), "{through}");
            assert!(Folder::open(&base.join("in/link/")).is_err());
        }
        let names: Vec<_> = std::fs::read_dir(base.join("in/a")).unwrap().collect();
        assert_eq!(names.len(), 1, "no half of a file is left");
        std::fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn what_a_dead_run_left_is_removed_and_what_a_live_one_writes_is_not() {
        let base = std::env::temp_dir().join(format!("selvedge-halves-{}", std::process::id()));
        std::fs::create_dir_all(base.join("a")).unwrap();
        let of_dead = base.join("a/.selvedge-0123456789abcdef.part");
        std::fs::write(&of_dead, "half").unwrap();
        let folder = Folder::open(&base).unwrap();
        let (parent, name) = folder.parent_of("a/b").unwrap();
        let live = Half::write(parent, name, "1").unwrap();
        folder.write(&[("a/c", "2")]).unwrap();
        assert!(!of_dead.exists());
        live.take_name().unwrap();
        assert_eq!(std::fs::read(base.join("a/b")).unwrap(), b"1");
        std::fs::remove_dir_all(&base).unwrap();
    }
}
