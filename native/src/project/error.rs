//! What can be wrong with a path or a file; nothing here tells where the project lies.

use std::io;

/// Why a file could not be served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {fault}")]
pub struct ProjectError {
    /// The path as it was given, within the project.
    pub path: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a path or a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The path is not one within the project.
    #[error("the path {0}")]
    Path(&'static str),
    /// The path has more folders than are walked.
    #[error("the path is deeper than {max} folders")]
    TooDeep {
        /// The bound.
        max: usize,
    },
    /// Nothing is there.
    #[error("there is no such file")]
    NotFound,
    /// A link leads out of the project, or changed while it was followed.
    #[error("a link leads out of the project, or was changed")]
    Outside,
    /// A link is in the way of a file that is to be written.
    #[error("a link is never written through")]
    Link,
    /// The rules of the project exclude the file.
    #[error("the file is hidden or ignored")]
    Hidden,
    /// The file is a store of keys.
    #[error("the file is a key store")]
    KeyStore,
    /// A folder, a pipe, a socket or a device.
    #[error("this is {0}, not a file")]
    NoFile(&'static str),
    /// A file, or a link, where a folder must be.
    #[error("this is no folder")]
    NoFolder,
    /// The file is longer than is read or written.
    #[error("the file exceeds {max} bytes")]
    TooLarge {
        /// The bound.
        max: u64,
    },
    /// A line is longer than an answer.
    #[error("line {line} exceeds {max} bytes")]
    LineTooLong {
        /// The number of the line.
        line: usize,
        /// The bound.
        max: u64,
    },
    /// Lines are asked of a file that holds no text.
    #[error("the file holds no text")]
    Binary,
    /// A file that is no text has runs of text with credentials, which cannot be hidden in it.
    #[error("the file is binary and holds credentials")]
    Credentials,
    /// The text would overwrite credentials by the marks that stand for them.
    #[error("the text has marks in the place of credentials that the file holds; writing would destroy them")]
    Marks,
    /// The pattern of a search.
    #[error("the pattern {0}")]
    Pattern(String),
    /// Git, or what is asked of it.
    #[error("{0}")]
    Git(String),
    /// The operating system refused.
    #[error("{0}")]
    System(io::ErrorKind),
}

impl Fault {
    /// Reads an error of the operating system, whose text may hold a path.
    pub(super) fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::NotADirectory => Self::NoFolder,
            io::ErrorKind::InvalidFilename => Self::Path("has a name that is too long"),
            // A path that leaves the folder has no code of the system: the refusal is made before it is asked.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside,
            // What was a link when it was looked at is none when it is read: it was changed meanwhile.
            io::ErrorKind::InvalidInput => Self::Outside,
            _ if is_loop(error) => Self::Outside,
            kind => Self::System(kind),
        }
    }
}

/// Returns whether a link stood where none is followed, or links led in a circle.
#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
const fn is_loop(_: &io::Error) -> bool {
    false
}
