#![no_std]
//! A sans-IO Model Context Protocol engine.

extern crate alloc;

pub mod codegen;
pub mod interchange;
pub mod json;
pub mod name;
pub mod schema;
mod tick;
pub mod validate;

pub use tick::Tick;
