#![no_std]
//! A sans-IO Model Context Protocol engine.

extern crate alloc;

pub mod interchange;
pub mod json;
pub mod name;
mod tick;

pub use tick::Tick;
