//! Writes files into one folder and nowhere else, whole or not at all.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    path::{Component, Path},
};

use cap_std::{ambient_authority, fs::Dir};

/// A folder that is written into. No link in it leads out of it.
#[derive(Debug)]
pub(super) struct Folder {
    root: Dir,
}

impl Folder {
    /// Opens a folder, and makes it where it is missing.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        Ok(Self { root: Dir::open_ambient_dir(path, ambient_authority())? })
    }

    /// Writes a file below the folder: readers see the old one or the new one, never a part.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let Some(name) = path.file_name().filter(|_| inside) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of the folder"));
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent {
            self.root.create_dir_all(parent)?;
        }
        let mut half = OsString::from(".");
        half.push(name);
        half.push(format!(".{}", std::process::id()));
        let half = parent.map_or_else(|| half.clone().into(), |parent| parent.join(&half));
        let written = self.root.create(&half).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let renamed = written.and_then(|()| self.root.rename(&half, &self.root, path));
        if renamed.is_err() {
            // What could not be finished is not left behind.
            let _ = self.root.remove_file(&half);
        }
        renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_outside_the_folder() {
        let base = std::env::temp_dir().join(format!("selvedge-files-{}", std::process::id()));
        let folder = Folder::open(&base.join("in")).unwrap();
        folder.write(Path::new("a/b.txt"), b"1").unwrap();
        folder.write(Path::new("a/b.txt"), b"22").unwrap();
        assert_eq!(std::fs::read(base.join("in/a/b.txt")).unwrap(), b"22");
        for path in ["../x", "/x", "a/../../x", "", "."] {
            assert!(folder.write(Path::new(path), b"x").is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            std::fs::create_dir_all(base.join("out")).unwrap();
            std::os::unix::fs::symlink(base.join("out"), base.join("in/link")).unwrap();
            assert!(folder.write(Path::new("link/x"), b"x").is_err());
            assert!(!base.join("out/x").exists());
        }
        let names: Vec<_> = std::fs::read_dir(base.join("in/a")).unwrap().collect();
        assert_eq!(names.len(), 1, "no half of a file is left");
        std::fs::remove_dir_all(&base).unwrap();
    }
}
