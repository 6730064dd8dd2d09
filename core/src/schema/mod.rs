//! Reads the schemas of a listing: total, bounded, and without ever leaving the text.

pub(crate) mod build;
mod combine;
pub mod ir;
mod keywords;
pub(crate) mod loss;
mod passes;
pub mod plan;
pub(crate) mod refs;
#[cfg(test)]
mod tests;

pub use loss::{Loss, Reason};
