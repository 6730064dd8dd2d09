//! What may leave a server, whoever asks.

mod redact;

pub use redact::{Counts, Kind, Redacted, redact};
