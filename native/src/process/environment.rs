//! Which of the host's variables a server may see: an allow-list, for whatever is not on it may be a secret.

use std::ffi::{OsStr, OsString};

/// What programs need to find their files, speak the user's language and trust the user's certificates.
#[cfg(not(windows))]
const ALLOWED: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
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
    let is_listed = ALLOWED.contains(&name.as_str()) || name.starts_with("LC_");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_allowed_variables_are_inherited() {
        let all = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
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
        assert_eq!(withheld(all.into_iter()).len(), 8 - expected.len());
    }
}
