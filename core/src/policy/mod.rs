//! What leaves the engine only under rules: what a server may have a model do.

mod sampling;

pub use sampling::{ContentKind, Role, SamplingPolicy, SamplingSummary, SamplingVerdict};
