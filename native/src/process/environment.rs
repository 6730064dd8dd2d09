//! Which of the host's variables a server may see: an allow-list, for whatever is not on it may be a secret.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
};

/// What programs need to find their files, speak the user's language and trust the user's certificates.
#[cfg(not(windows))]
const ALLOWED: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
];

#[cfg(windows)]
const ALLOWED: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOCALAPPDATA",
    "NODE_EXTRA_CA_CERTS",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TZ",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

fn is_allowed(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let name = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    let is_listed = ALLOWED.contains(&name.as_str());
    // An exported shell function hides code behind any name.
    is_listed && !value.as_encoded_bytes().starts_with(b"()")
}

pub(super) fn inherited(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    all.filter(|(name, value)| is_allowed(name, value)).collect()
}

pub(super) fn withheld(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<OsString> {
    let mut names: Vec<_> =
        all.filter(|(name, value)| !is_allowed(name, value)).map(|(name, _)| name).collect();
    names.sort();
    names
}

/// Returns whether a variable says where programs are looked for.
pub(super) fn is_path(name: &OsStr) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" }
}

/// Splits a value of `PATH` into the folders that mean the same everywhere, and the others. An empty entry is the
/// current folder: whatever a server works on could put a program there.
pub(super) fn split_path(value: &OsStr) -> (Vec<PathBuf>, Vec<PathBuf>) {
    std::env::split_paths(value).partition(|folder| folder.is_absolute())
}

/// Returns a value of `PATH` without the entries that depend on the current folder; `None` where nothing is left,
/// since an empty value is the current folder, too.
pub(crate) fn searchable(value: &OsStr) -> Option<OsString> {
    let (absolute, relative) = split_path(value);
    if relative.is_empty() {
        return Some(value.to_owned());
    }
    std::env::join_paths(&absolute).ok().filter(|_| !absolute.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_allowed_variables_are_inherited() {
        let all = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("LC_TOKEN", "x"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("LD_PRELOAD", "x"),
            ("HTTP_PROXY", "x"),
            ("BASH_FUNC_x%%", "() { :; }"),
            ("LANG", "() { :; }"),
            ("path", "x"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let names: Vec<_> = inherited(all.iter().cloned()).into_iter().map(|(name, _)| name).collect();
        let expected: &[&str] = if cfg!(windows) { &["PATH", "LC_ALL", "path"] } else { &["PATH", "LC_ALL"] };
        assert_eq!(names, expected);
        assert_eq!(withheld(all.into_iter()).len(), 9 - expected.len());
    }

    #[cfg(unix)]
    #[test]
    fn a_path_holds_no_folder_that_depends_on_where_it_is_read() {
        for (value, searched) in [
            ("/bin:/usr/bin", Some("/bin:/usr/bin")),
            (":/bin", Some("/bin")),
            ("/bin:", Some("/bin")),
            ("/bin::.:bin:./x:../y:~/z:/usr/bin", Some("/bin:/usr/bin")),
            ("", None),
            (".", None),
        ] {
            assert_eq!(searchable(OsStr::new(value)), searched.map(OsString::from), "{value}");
        }
    }
}
