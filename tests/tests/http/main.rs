//! A server behind HTTP, in virtual time and without sockets: what clients send, and what comes back.

#![cfg(test)]

mod attacks;
mod gate;
mod modern;
mod old;
mod replay;
mod sessions;
mod sse;
mod streams;

use selvedge_tests::memory::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the code of the error that a body holds.
fn code(text: &str) -> i64 {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    value["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {text}"))
}
