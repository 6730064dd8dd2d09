#![no_std]
//! A sans-IO Model Context Protocol engine.

extern crate alloc;

pub mod client;
mod error;
pub mod frame;
pub mod json;
pub mod jsonrpc;
mod limits;
pub mod protocol;
mod requests;
pub mod server;
mod tick;

pub use client::{Client, ClientConfig};
pub use error::{Misuse, Tolerance, Verdict, Violation};
pub use limits::Limits;
pub use requests::Patience;
pub use server::{Server, ServerConfig};
pub use tick::Tick;
