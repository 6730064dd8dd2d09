//! Reads the schemas of a listing: total, bounded, and without ever leaving the text.

pub(crate) mod loss;
pub mod plan;

pub use loss::{Loss, Reason};
