//! What leaves the engine only under rules: what a server may have a model do, and text without credentials.

mod redact;
mod sampling;

pub use redact::{Counts, Kind, Redacted, redact};
pub use sampling::{ContentKind, Role, SamplingPolicy, SamplingSummary, SamplingVerdict};
