//! Exact JSON: key order, number text and duplicate keys stay visible, and nothing is parsed twice.
//!
//! - [`RawJson`] owns the untouched text of one valid value.
//! - [`View`] reads a valid text in place, allocating only for strings that hold escapes.
//! - [`Tape`] indexes a text once, for readers that walk it in any order.
//! - [`Decimal`] compares numbers by their digits, beyond the range of any float.
//! - [`Value`] is a tree for callers that must walk a value many times; its depth is bounded.
//!
//! The validating pass is iterative: its stack does not grow with the nesting of the input.

#[cfg(any(test, target_family = "wasm"))]
mod float;
mod name;
mod number;
mod pointer;
mod raw;
mod scan;
mod show;
mod tape;
mod twice;
mod value;
mod view;
mod write;

pub use name::Name;
pub use number::Decimal;
pub use raw::RawJson;
pub use scan::{Expected, SyntaxError};
pub use show::is_visible;
pub use tape::{Item, Tape};
pub use value::{MAX_DEPTH, Value};
pub use view::{Elements, Kind, Members, View};
pub use write::{push_compact, push_string};

pub(crate) use name::{first_of, has_few_twice};
pub(crate) use pointer::{pointer_to, push_pointer};
pub(crate) use scan::{Index, Scanner, Span};
pub(crate) use show::Shown;
pub(crate) use twice::{clipped, name_twice};
pub(crate) use view::to_f64;
