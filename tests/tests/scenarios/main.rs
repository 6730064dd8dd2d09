//! Scenarios in virtual time, one module per theme: what a peer does, and what the engine makes of it.

#![cfg(test)]

mod asks;
mod batches;
mod calls;
mod cancel;
mod changes;
mod checks;
mod content_length;
mod envelope;
mod eras;
mod farewell;
mod framing;
mod handshake;
mod joined;
mod ladder;
mod lifecycle;
mod listing;
mod logs;
mod members;
mod modern;
mod pairs;
mod pairs_eras;
mod requests;
mod server_gate;
mod server_lines;
mod server_modern;
mod server_offers;
mod server_rounds;
mod stray;
mod strict;
mod timeouts;
mod violations;
