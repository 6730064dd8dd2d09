//! The harness of the scenarios, as far as it runs without an operating system.

#![expect(clippy::missing_panics_doc, reason = "a harness fails by panicking")]
#![expect(clippy::missing_errors_doc, reason = "outcomes of calls are looked at, not passed on")]

#[path = "../../../tests/src/line.rs"]
pub mod line;
#[path = "../../../tests/src/pair.rs"]
pub mod pair;
#[path = "../../../tests/src/spec.rs"]
pub mod spec;
#[path = "../../../tests/src/spelling.rs"]
pub mod spelling;
#[path = "../../../tests/src/world.rs"]
pub mod world;

pub use pair::Pair;
pub use world::World;
