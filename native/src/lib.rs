//! Hosts for the Model Context Protocol: start a server, list its tools, call them.

mod connection;
mod driver;
mod log;
mod process;
mod serve;
mod trace;

pub use connection::{
    CallOptions, ConnectError, Connection, Error, EventSink, Inspection, Options, Prepared,
};
pub use process::Server;
pub use selvedge_core as core;
pub use serve::{Reporter, Tools, serve_stdio};
pub use trace::Trace;
