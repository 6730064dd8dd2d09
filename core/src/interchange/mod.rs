//! Carries values between JSON and MessagePack, exactly or not at all.
//!
//! Both directions are total: a value that one side cannot hold fails the whole conversion, and the fault
//! names the place. Nothing is wrapped, clamped, dropped or guessed.
//!
//! | JSON | MessagePack |
//! |---|---|
//! | `null`, `true`, `false` | nil, bool |
//! | digits only, in `-2⁶³ ..= 2⁶⁴-1` | the smallest integer form; `-0` is the integer 0 |
//! | digits only, beyond that range | refused |
//! | with fraction or exponent, `3.0` too | float 64, the nearest; `-0.0` keeps its sign; `1e400` is refused |
//! | string | string; an escaped surrogate without its partner is refused |
//! | array, object | array, map, members in their order; a name that occurs twice is refused |
//!
//! On the way back a float is written with a fraction or an exponent, so that it stays one, in the fewest
//! digits that name it. Binary, extensions, names that are no strings, floats that are not finite, bytes
//! that are missing and bytes that are left over are refused. Both directions hold [`MAX_DEPTH`] levels.
//!
//! [`MAX_DEPTH`]: crate::json::MAX_DEPTH

mod pack;
mod unpack;

use alloc::string::String;
use core::fmt;

use crate::json::{MAX_DEPTH, Shown};

pub use pack::to_msgpack;
pub use unpack::to_json;

/// Why a value was not carried over, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", Place(pointer))]
pub struct Fault {
    /// The JSON pointer to the value; empty for the outermost.
    pub pointer: String,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What keeps a value from being carried over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A whole number is outside `-2⁶³ ..= 2⁶⁴-1`.
    #[error("integer {} is outside -9223372036854775808..=18446744073709551615", Shown(.0))]
    IntegerOutOfRange(String),
    /// A number with fraction or exponent is beyond the range of a float.
    #[error("number {} is beyond the range of a 64-bit float", Shown(.0))]
    FloatOutOfRange(String),
    /// A float is infinite or not a number.
    #[error("{0} is no JSON number")]
    NotFinite(&'static str),
    /// A string holds an escaped surrogate without its partner.
    #[error("string holds an unpaired surrogate")]
    LoneSurrogate,
    /// A string is not UTF-8.
    #[error("string is not UTF-8")]
    NotUtf8,
    /// Two members of an object have one name.
    #[error("name `{}` occurs twice", Shown(.0))]
    DuplicateName(String),
    /// A map's key is not a string.
    #[error("a key is {0}, not a string")]
    KeyNotString(&'static str),
    /// The value has no form in JSON.
    #[error("{0} has no form in JSON")]
    NoForm(&'static str),
    /// A string or container is longer than the format can say.
    #[error("length {0} exceeds 4294967295")]
    TooLong(usize),
    /// The value nests too deep.
    #[error("nesting exceeds {MAX_DEPTH} levels")]
    TooDeep,
    /// The bytes end inside the value.
    #[error("bytes end at {at}, inside the value")]
    Truncated {
        /// How many bytes there are.
        at: usize,
    },
    /// Bytes follow the value.
    #[error("bytes are left over from {at} on")]
    Trailing {
        /// The first byte behind the value.
        at: usize,
    },
}

struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the value") } else { Shown(self.0).fmt(f) }
    }
}

#[cfg(test)]
mod tests;
