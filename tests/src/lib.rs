//! The test harness of Selvedge: one client with a scripted peer and a clock, a client and a server joined
//! by a wire, the fuzz entry points, listings at random, and an allocator that counts.

#![expect(clippy::missing_panics_doc, reason = "a harness fails by panicking")]
#![expect(clippy::missing_errors_doc, reason = "outcomes of calls are looked at, not passed on")]

mod built;
pub mod fuzz;
pub mod generator;
pub mod line;
pub mod memory;
pub mod pair;
pub mod spec;
pub mod spelling;
pub mod web;
pub mod world;

pub use built::build;
pub use pair::Pair;
pub use web::Web;
pub use world::World;
