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
#[cfg(feature = "serve")]
pub mod project;
mod random;
mod serve;
#[cfg(feature = "serve")]
pub mod tools;
mod trace;

pub use connection::{
    CallOptions, ConnectError, Connection, Error, EventSink, Handler, Handlers, Inspection, Options,
    Prepared, Review, ReviewedSampling,
};
pub use process::{Server, protect_memory};
pub use selvedge_core as core;
#[cfg(feature = "http-server")]
pub use serve::{
    Access, HttpOptions, HttpServer, ProtectedResource, StaticTokens, TokenCheck, TokenFileError, Verdict,
    serve_http,
};
#[cfg(feature = "serve")]
pub use serve::{App, Completer, PromptProvider, ResourceProvider};
pub use serve::{Handle, Link, Service, serve_stdio};
pub use trace::Trace;

#[cfg(feature = "macros")]
pub use selvedge_macros::{tool, tools};

/// Keeps the examples of the README compiling.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
