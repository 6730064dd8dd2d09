//! Tokens that stand in a file.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use selvedge_core::http::RequestHead;
use sha2::{Digest as _, Sha256};

use super::{TokenCheck, Verdict};

/// Shorter tokens can be guessed.
const MIN_TOKEN_BYTES: usize = 16;
/// So can those of fewer kinds of characters.
const MIN_TOKEN_KINDS: usize = 6;

/// A fixed set of tokens.
pub struct StaticTokens {
    /// The digest of each token, and whose it is. The length of a token shows in neither time nor memory.
    tokens: Vec<([u8; 32], Arc<str>)>,
}

impl std::fmt::Debug for StaticTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaticTokens").field("tokens", &self.tokens.len()).finish()
    }
}

/// Why a file of tokens cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A token is so short that it can be guessed.
    #[error("line {line}: a token needs at least {MIN_TOKEN_BYTES} characters")]
    Short {
        /// The line, the first one is 1.
        line: usize,
    },
    /// A token has so few different characters that it can be guessed.
    #[error(
        "line {line}: a token needs at least {MIN_TOKEN_KINDS} different characters: make it of random ones"
    )]
    Simple {
        /// The line, the first one is 1.
        line: usize,
    },
    /// Others than its owner may read or change it.
    #[error("others than its owner may read or change it (mode {mode:03o}): `chmod 600` it")]
    Open {
        /// Its permissions.
        mode: u32,
    },
    /// There is no token in it.
    #[error("there is no token in it")]
    Empty,
}

impl StaticTokens {
    /// Reads tokens from a file: one a line, each with the name of its owner behind a space where it has one.
    /// Empty lines and those that begin with `#` are passed over.
    ///
    /// # Errors
    ///
    /// The file cannot be read, others than its owner may read or change it, it holds no token, or holds one that
    /// can be guessed.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TokenFileError> {
        let mut file = File::open(path)?;
        check_mode(&file)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Self::parse(&text)
    }

    /// Reads tokens from a text; see [`read`](Self::read). A byte order mark is passed over.
    ///
    /// # Errors
    ///
    /// The text holds no token, or one that can be guessed.
    pub fn parse(text: &str) -> Result<Self, TokenFileError> {
        let mut tokens = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (token, owner) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if token.len() < MIN_TOKEN_BYTES {
                return Err(TokenFileError::Short { line: at + 1 });
            }
            if token.chars().collect::<BTreeSet<_>>().len() < MIN_TOKEN_KINDS {
                return Err(TokenFileError::Simple { line: at + 1 });
            }
            let owner = match owner.trim() {
                "" => format!("token {}", tokens.len() + 1),
                owner => owner.to_owned(),
            };
            tokens.push((Sha256::digest(token).into(), owner.into()));
        }
        if tokens.is_empty() { Err(TokenFileError::Empty) } else { Ok(Self { tokens }) }
    }

    /// Returns whose a token is. Every token is compared whole: the time tells nothing of them.
    fn owner(&self, token: &str) -> Option<&Arc<str>> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut owner = None;
        for (own, name) in &self.tokens {
            let difference = own.iter().zip(digest).fold(0, |all, (a, b)| all | (a ^ b));
            if std::hint::black_box(difference) == 0 {
                owner = Some(name);
            }
        }
        owner
    }
}

/// Checks that a file is its owner's alone.
#[cfg(unix)]
fn check_mode(file: &File) -> Result<(), TokenFileError> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = file.metadata()?;
    let mode = metadata.permissions().mode() & 0o777;
    // A pipe, as of `<(…)`, is nobody else's whatever its mode.
    if metadata.is_file() && mode & 0o077 != 0 { Err(TokenFileError::Open { mode }) } else { Ok(()) }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
const fn check_mode(_: &File) -> Result<(), TokenFileError> {
    Ok(())
}

impl TokenCheck for StaticTokens {
    async fn check(&self, token: &str, _: &RequestHead<'_>) -> Verdict {
        self.owner(token).map_or(Verdict::Deny, |owner| Verdict::Allow(owner.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_the_owners_of_its_tokens() {
        let tokens = StaticTokens::parse("# ours\n\n0123456789abcdef ada\r\nfedcba9876543210\n").unwrap();
        let owner = |token| tokens.owner(token).map(ToString::to_string);
        assert_eq!(owner("0123456789abcdef").as_deref(), Some("ada"));
        assert_eq!(owner("fedcba9876543210").as_deref(), Some("token 2"));
        for other in ["", "0123456789abcde", "0123456789abcdef ", "0123456789abcdeg"] {
            assert_eq!(owner(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_protects_nothing_is_refused() {
        assert!(matches!(StaticTokens::parse("# nothing\n"), Err(TokenFileError::Empty)));
        assert!(matches!(
            StaticTokens::parse("0123456789abcdef\nsecret\n"),
            Err(TokenFileError::Short { line: 2 })
        ));
        for simple in ["0000000000000000", "abababababababababab", "0123401234012340"] {
            let parsed = StaticTokens::parse(&format!("# ours\n{simple} ada\n"));
            assert!(matches!(parsed, Err(TokenFileError::Simple { line: 2 })), "{simple}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_token() {
        let tokens = StaticTokens::parse("\u{feff}0123456789abcdef ada\n").unwrap();
        assert_eq!(tokens.owner("0123456789abcdef").map(ToString::to_string).as_deref(), Some("ada"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_refused() {
        use std::{fs, os::unix::fs::PermissionsExt as _};
        let path = std::env::temp_dir().join(format!("selvedge-tokens-{}", std::process::id()));
        fs::write(&path, "0123456789abcdef ada\n").unwrap();
        for (mode, is_taken) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o602, false)]
        {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let read = StaticTokens::read(&path);
            assert_eq!(read.is_ok(), is_taken, "{mode:o}");
            if let Err(error) = read {
                assert!(error.to_string().contains("chmod 600"), "{error}");
            }
        }
        fs::remove_file(&path).unwrap();
    }
}
