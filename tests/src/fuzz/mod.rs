//! The fuzz entry points: each takes any bytes, and fails where the engine breaks a promise.
//!
//! The engine is reached through its public API only. The corpus is replayed by an ordinary test.

mod client;
mod comments;
mod frame;
mod generator;
mod http;
mod json;
mod jsonrpc;

pub use client::{Drain, Host, run};
pub use frame::{replay, replay_modern, replay_whole};

/// Reads the bytes as what a server writes: every way of cutting them must mean the same, and a reference
/// model must agree on which lines can be read.
pub fn frame(data: &[u8]) {
    frame::check(data);
}

/// Reads the bytes as one line of a peer, on both sides: a reference model must agree on what is answered.
pub fn jsonrpc(data: &[u8]) {
    jsonrpc::check(data);
}

/// Reads the bytes as a script of everything that can happen to a client: every call ends exactly once.
pub fn client(data: &[u8]) {
    client::check(data);
}

/// Reads the bytes as JSON: the engine must accept what `serde_json` accepts, and read the same from it.
pub fn json(data: &[u8]) {
    json::check(data);
}

/// Reads the bytes as a listing where they are JSON, and as choices that make one where they are not: every
/// backend generates a module that calls each tool once by its own name, or refuses.
pub fn generator(data: &[u8]) {
    generator::check(data);
}

/// Reads the bytes as the text that a server puts everywhere: no tool that reads comments finds anything to act
/// on in a module, and no surface shows it in front of a mark.
pub fn comments(data: &[u8]) {
    comments::check(data);
}

/// Reads the bytes as a script of everything that clients over HTTP and an application can do: each exchange
/// has one head and one end, and nothing is left behind.
pub fn http(data: &[u8]) {
    http::check(data);
}
