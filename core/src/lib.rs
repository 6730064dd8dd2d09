#![no_std]
//! A sans-IO Model Context Protocol engine.

extern crate alloc;

pub mod json;
mod tick;

pub use tick::Tick;
