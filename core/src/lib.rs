#![no_std]
//! A sans-IO Model Context Protocol engine: bytes, ticks and commands go in, effects come out.
//!
//! [`Client`] is one session with one server, [`Server`] one session with one client. Neither reads a clock,
//! opens a file or starts a task; a host does, and carries out what they ask for.
//!
//! ```
//! use selvedge_core::{
//!     Client, ClientConfig, Tick,
//!     client::{Answer, CallOptions, Effect, Event},
//! };
//!
//! let mut client = Client::new(ClientConfig::default());
//! let now = Tick::ZERO;
//! client.connect(now)?;
//! assert_eq!(client.poll_effect(), Some(Effect::Open));
//!
//! // The host has started the server: the client shakes hands.
//! client.handle_opened(now);
//! let Some(Effect::Send(initialize)) = client.poll_effect() else { panic!() };
//! assert!(initialize.starts_with(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","#));
//! client.handle_bytes(
//!     now,
//!     b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\
//!       \"serverInfo\":{\"name\":\"demo\",\"version\":\"1\"}}}\n",
//! );
//! assert!(matches!(client.poll_effect(), Some(Effect::Send(_)))); // notifications/initialized
//! assert!(matches!(client.poll_effect(), Some(Effect::Event(Event::Ready(_)))));
//!
//! let call = client.call_tool(now, "add", r#"{"a":2,"b":40}"#, CallOptions::default())?;
//! assert!(matches!(client.poll_effect(), Some(Effect::Send(_))));
//! client.handle_bytes(now, b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",");
//! client.handle_bytes(now, b"\"text\":\"42\"}]}}\n");
//! match client.poll_effect() {
//!     Some(Effect::Event(Event::Settled { call: settled, outcome: Ok(Answer::Called(result)) })) => {
//!         assert_eq!(settled, call);
//!         assert_eq!(result.text(), "42");
//!     }
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), selvedge_core::Misuse>(())
//! ```
//!
//! # Who is to blame
//!
//! The peer broke the protocol: [`Violation`], told as an event, never a panic; [`Violation::verdict`] says
//! what follows. The application called wrongly: [`Misuse`], an `Err`. Inputs never fail.

extern crate alloc;

pub mod client;
pub mod codegen;
mod error;
pub mod frame;
pub mod http;
pub mod interchange;
pub mod json;
pub mod jsonrpc;
mod limits;
mod map;
pub mod name;
pub mod policy;
pub mod protocol;
mod requests;
pub mod schema;
pub mod server;
mod share;
pub mod sse;
mod tick;
pub mod validate;

pub use client::{Client, ClientConfig};
pub use error::{Misuse, Tolerance, Verdict, Violation};
pub use limits::Limits;
pub use requests::Patience;
pub use server::{Server, ServerConfig};
pub use tick::Tick;
