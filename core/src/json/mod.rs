//! Exact JSON: key order, number text and duplicate keys stay visible, and nothing is parsed twice.
//!
//! - [`RawJson`] owns the untouched text of one valid value.
//! - [`View`] reads a valid text in place, allocating only for strings that hold escapes.
//! - [`Value`] is a tree for callers that must walk a value many times; its depth is bounded.
//!
//! The validating pass is iterative: its stack does not grow with the nesting of the input.

mod raw;
mod scan;
mod value;
mod view;
mod write;

pub use raw::RawJson;
pub use scan::{Expected, SyntaxError};
pub use value::{MAX_DEPTH, Value};
pub use view::{Elements, Kind, Members, View};
pub use write::{push_compact, push_string};

pub(crate) use scan::{Index, Scanner, Span};
