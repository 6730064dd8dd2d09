//! Hosts for the Model Context Protocol: start a server, list its tools, call them.
//!
//! [`Connection::spawn`] is all that most hosts need; [`Connection::prepare`] separates owning a connection
//! from starting its server. The protocol itself is [`selvedge_core`], here under the name [`core`].
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use selvedge::{Connection, Server};
//!
//! let connection = Connection::spawn(Server::new("my-server", ["--verbose"])).await?;
//! let result = connection.call_tool("echo", &serde_json::json!({ "text": "hi" })).await?;
//! println!("{}", result.text());
//! connection.shutdown().await?;
//! # Ok(())
//! # }
//! ```

mod connection;
mod driver;
mod log;
mod process;
mod serve;
mod trace;

pub use connection::{
    CallOptions, ConnectError, Connection, Error, EventSink, Handler, Handlers, Inspection, Options,
    Prepared, Review, ReviewedSampling,
};
pub use process::Server;
pub use selvedge_core as core;
pub use serve::{Handle, Link, Service, serve_stdio};
pub use trace::Trace;

/// Keeps the examples of the README compiling.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
