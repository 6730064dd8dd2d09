//! Request ids: ours are integers, a peer's come back spelled as they came.

use alloc::{borrow::ToOwned, string::String};
use core::fmt;

use crate::json::{Kind, View, push_string};

/// The id of a request: a string or a number (JSON-RPC 2.0 §4, `RequestId` of the schema).
///
/// A peer's id is echoed byte for byte, whatever digits or escapes it was spelled with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Repr);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Integer(i64),
    /// The JSON text of any other number, or of a string.
    Spelled(String),
}

impl Id {
    /// The one that stands before all others.
    pub(crate) const FIRST: Self = Self(Repr::Integer(i64::MIN));

    /// Makes an id from an integer.
    #[must_use]
    pub const fn from_integer(id: i64) -> Self {
        Self(Repr::Integer(id))
    }

    /// Makes an id from a string's content.
    #[must_use]
    pub fn from_string(content: &str) -> Self {
        let mut text = String::with_capacity(content.len() + 2);
        push_string(&mut text, content);
        Self(Repr::Spelled(text))
    }

    /// Reads an id; `None` when the value is neither a string nor a number.
    pub(crate) fn read(view: View<'_>) -> Option<Self> {
        match view.kind() {
            Kind::Number => Some(Self(match view.as_i64() {
                // `-0` parses as an integer, but would come back as `0`.
                Some(id) if view.as_str() != "-0" => Repr::Integer(id),
                _ => Repr::Spelled(view.as_str().to_owned()),
            })),
            Kind::String => Some(Self(Repr::Spelled(view.as_str().to_owned()))),
            _ => None,
        }
    }

    /// Returns the number that ids of ours are.
    pub(crate) fn as_minted(&self) -> Option<u64> {
        match &self.0 {
            Repr::Integer(id) => u64::try_from(*id).ok(),
            Repr::Spelled(_) => None,
        }
    }

    /// Returns how much text the id keeps.
    pub(crate) const fn bytes(&self) -> usize {
        match &self.0 {
            Repr::Integer(_) => 0,
            Repr::Spelled(text) => text.len(),
        }
    }

    pub(crate) fn push_to(&self, out: &mut String) {
        match &self.0 {
            Repr::Integer(id) => push_integer(out, *id),
            Repr::Spelled(text) => out.push_str(text),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Integer(id) => write!(f, "{id}"),
            Repr::Spelled(text) => f.write_str(text),
        }
    }
}

fn push_integer(out: &mut String, id: i64) {
    use fmt::Write as _;
    // Writing to a `String` never fails.
    let _ = write!(out, "{id}");
}
