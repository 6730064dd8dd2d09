//! The command line, end to end: the real binary against its own demo server and against a stubborn fake.

#![cfg(test)]

mod answers;
mod arguments;
mod ends;
mod failures;
mod generate;
mod harness;
#[cfg(target_os = "linux")]
mod host;
mod serve;
mod serve_http;
mod tour;
mod views;
