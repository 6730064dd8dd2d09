//! The revisions of the protocol.

use core::fmt;

/// A revision of the protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05.
    V2024_11_05,
    /// 2025-03-26, the only one with batches.
    V2025_03_26,
    /// 2025-06-18.
    V2025_06_18,
    /// 2025-11-25, the last one with a handshake.
    V2025_11_25,
    /// 2026-07-28, stateless.
    V2026_07_28,
}

/// The two families of revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A session starts with `initialize`.
    Legacy,
    /// Every request carries its own envelope.
    Modern,
}

impl Revision {
    /// Every revision that this build speaks, newest first.
    pub const ALL: &'static [Self] =
        &[Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The revisions that `initialize` can settle on, newest first.
    pub const SPOKEN: &'static [Self] =
        &[Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// Returns the date that names the revision on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the family that the revision belongs to.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// Returns a list of this revision alone.
    #[must_use]
    pub fn alone(self) -> &'static [Self] {
        let at = Self::ALL.iter().position(|own| *own == self).unwrap_or_default();
        Self::ALL.get(at..=at).unwrap_or_default()
    }

    /// Reads the name of a revision that `initialize` can settle on.
    #[must_use]
    pub fn spoken(name: &str) -> Option<Self> {
        Self::SPOKEN.iter().copied().find(|revision| revision.as_str() == name)
    }

    /// Returns the next older revision that `initialize` can settle on.
    pub(crate) fn older(self) -> Option<Self> {
        Self::SPOKEN.iter().copied().find(|own| *own < self)
    }

    /// Returns whether several messages may come as one.
    #[must_use]
    pub const fn has_batches(self) -> bool {
        matches!(self, Self::V2025_03_26)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
