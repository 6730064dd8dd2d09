//! What a peer does, and what the engine makes of it, on WebAssembly.

#![cfg(target_family = "wasm")]

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));
