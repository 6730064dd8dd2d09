//! Paths within a project, and the URIs that stand for them.

use std::{fmt::Write as _, path::Path};

use super::{Fault, ProjectError};

/// What every file's URI starts with.
pub(super) const FILE: &str = "selvedge://project/file/";

const MAX_BYTES: usize = 4_096;

/// A path within a project: names of UTF-8, none of them `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectPath {
    names: Vec<String>,
}

impl ProjectPath {
    /// Takes a path with `/` between its names; a leading `./` means nothing.
    ///
    /// # Errors
    ///
    /// It is empty, absolute, too long, or has names that are none.
    pub fn new(path: &str) -> Result<Self, ProjectError> {
        let shown = || path.chars().take(200).flat_map(char::escape_default).collect();
        Self::parse(path).map_err(|fault| ProjectError { path: shown(), fault })
    }

    fn parse(path: &str) -> Result<Self, Fault> {
        let path = path.strip_prefix("./").unwrap_or(path);
        if path.len() > MAX_BYTES {
            return Err(Fault::Path("exceeds 4096 bytes"));
        }
        if path.starts_with('/') {
            return Err(Fault::Path("is absolute"));
        }
        let names: Vec<String> = path.split('/').map(str::to_owned).collect();
        names.iter().try_for_each(|name| check_name(name))?;
        Ok(Self { names })
    }

    /// Takes the end of a file's URI, percent-encoded once.
    ///
    /// # Errors
    ///
    /// The encoding is none, or the path is not one within a project.
    pub fn from_encoded(encoded: &str) -> Result<Self, ProjectError> {
        let fault = |fault| ProjectError { path: encoded.chars().take(200).collect(), fault };
        let decoded = decode(encoded).ok_or_else(|| fault(Fault::Path("is not percent-encoded UTF-8")))?;
        Self::new(&decoded)
    }

    /// Takes a path that a folder handle returned.
    pub(super) fn from_real(path: &Path) -> Option<Self> {
        let names = path.iter().map(|name| name.to_str().map(str::to_owned)).collect::<Option<_>>()?;
        Some(Self { names })
    }

    pub(super) const fn from_names(names: Vec<String>) -> Self {
        Self { names }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the last name and those before it.
    pub(super) fn split_last(&self) -> (&str, &[String]) {
        self.names.split_last().map_or(("", &[]), |(last, before)| (last.as_str(), before))
    }

    /// Returns the last name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.split_last().0
    }

    /// Returns the URI of the file.
    #[must_use]
    pub fn to_uri(&self) -> String {
        let mut uri = FILE.to_owned();
        for (at, name) in self.names.iter().enumerate() {
            if at > 0 {
                uri.push('/');
            }
            encode(&mut uri, name);
        }
        uri
    }

    pub(super) fn fault(&self, fault: Fault) -> ProjectError {
        ProjectError { path: self.to_string(), fault }
    }
}

impl std::fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.names.join("/"))
    }
}

/// Checks one name; what only Windows would misread is refused everywhere.
fn check_name(name: &str) -> Result<(), Fault> {
    match name {
        "" => Err(Fault::Path("has an empty name")),
        "." | ".." => Err(Fault::Path("has a name `.` or `..`")),
        _ if name.len() > 255 => Err(Fault::Path("has a name that exceeds 255 bytes")),
        _ if name.contains(['\\', ':']) => Err(Fault::Path("has a `\\` or `:` in a name")),
        _ if name.chars().any(char::is_control) => Err(Fault::Path("has a control character")),
        _ => Ok(()),
    }
}

/// Decodes a path that was percent-encoded once (RFC 3986 §2.1); a slash within a name is none.
fn decode(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (high, low) = (rest.next()?, rest.next()?);
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let decoded = u8::try_from(digit(high)? * 16 + digit(low)?).ok()?;
        if decoded == b'/' {
            return None;
        }
        bytes.push(decoded);
    }
    String::from_utf8(bytes).ok()
}

fn encode(uri: &mut String, name: &str) {
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            uri.push(char::from(byte));
        } else {
            // Writing to a `String` never fails.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}
