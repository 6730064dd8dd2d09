//! What a caller chooses about a generation.

use alloc::string::String;

use super::GenerateError;
use crate::name::{Digest, Language, sha256};

/// What to generate, and how large it may be.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the server, as `invoke` is given it.
    pub server: String,
    /// The language of the module.
    pub language: Language,
    /// The form of the module.
    pub profile: Profile,
    /// How much of each tool the surface shows; [`None`] for the most that fits.
    pub level: Option<Level>,
    /// The most bytes of a surface, 64 KiB by default.
    pub max_surface_bytes: usize,
    /// The most tools of a module; by default 256 in profile `loom` and 2,048 in `typed`.
    pub max_tools: Option<usize>,
    /// The most bytes of a module; by default 512 KiB in profile `loom` and 4 MiB in `typed`.
    pub max_source_bytes: Option<usize>,
    /// The digest behind changed identifiers and in the header, SHA-256 by default.
    pub digest: Digest,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            server: String::new(),
            language: Language::TypeScript,
            profile: Profile::Typed,
            level: None,
            max_surface_bytes: 64 << 10,
            max_tools: None,
            max_source_bytes: None,
            digest: sha256,
        }
    }
}

/// The form of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The fixed Gleam form: plain parameters typed, everything optional in one list. Always Gleam.
    Loom,
    /// Everything typed that the schemas say.
    Typed,
}

/// How much of each tool a surface shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The name and the start of the description.
    Names,
    /// One line of description and the signature.
    TwoLine,
    /// That, and a line for each parameter that has a text.
    Notes,
    /// The whole description, every text, and what restricts each parameter.
    Full,
}

impl Level {
    /// Every level, the richest first.
    pub const ALL: [Self; 4] = [Self::Full, Self::Notes, Self::TwoLine, Self::Names];

    /// Returns the name by which a command line selects the level.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::TwoLine => "two-line",
            Self::Notes => "notes",
            Self::Full => "full",
        }
    }
}

impl Options {
    pub(super) const fn max_surface_bytes(&self) -> usize {
        self.max_surface_bytes
    }

    pub(super) fn check_count(&self, count: usize) -> Result<(), GenerateError> {
        let max = self.max_tools.unwrap_or(match self.profile {
            Profile::Loom => 256,
            Profile::Typed => 2_048,
        });
        if count > max { Err(GenerateError::TooManyTools { count, max }) } else { Ok(()) }
    }

    pub(super) fn check_source(&self, bytes: usize) -> Result<(), GenerateError> {
        let max = self.max_source_bytes.unwrap_or(match self.profile {
            Profile::Loom => 512 << 10,
            Profile::Typed => 4 << 20,
        });
        if bytes > max { Err(GenerateError::SourceTooLarge { bytes, max }) } else { Ok(()) }
    }
}
