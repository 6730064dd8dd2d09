//! Tools made from Rust functions, and the sets that a server offers.
//!
//! A [`Tool`] is a [`Definition`], which a client sees, and a handler. [`Tool::new`] starts one by hand; the
//! attributes `tool` and `tools` (feature `macros`) write the same from a function. A [`Toolset`] gathers
//! tools, providers and deferred providers under one list of unique names.
//!
//! ```
//! use schemars::JsonSchema;
//! use selvedge::tools::{Context, Tool, ToolError, Toolset};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Terms {
//!     a: i64,
//!     b: i64,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Sum {
//!     sum: i64,
//! }
//!
//! let add = Tool::new("add").description("Adds two numbers.").read_only().handler(
//!     async |terms: Terms, _: Context| match terms.a.checked_add(terms.b) {
//!         Some(sum) => Ok(Sum { sum }),
//!         None => Err(ToolError::new("the sum is out of range")),
//!     },
//! );
//! let mut tools = Toolset::new();
//! tools.add(add)?;
//! # Ok::<(), selvedge::tools::DefinitionError>(())
//! ```
//!
//! # Three ways to fail
//!
//! A [`ToolError`] is a result that a model reads and can act upon. A [`CallError`] is an error of the
//! protocol. A handler that panics is the business of whoever calls it: the server's task ends, the server
//! answers that the tool crashed, and nothing here is left locked.
//!
//! # Asking back
//!
//! A handler asks the client's user or model through its [`Context`] and leaves with `?`; it is entered again
//! from its start once the answers are there. What it does before a question, it does again.

mod answer;
mod attach;
mod context;
mod deferred;
mod definition;
mod failure;
mod output;
mod set;
mod tool;

use std::{future::Future, pin::Pin};

pub(crate) use attach::{answer_of, outcome_answer};

pub use answer::{Elicited, InputRequest, InputRequired, Inputs, Root, both};
pub use context::{Context, Listener, Notice};
pub use definition::{Definition, DefinitionError};
#[doc(hidden)]
pub use failure::into_result;
pub use failure::{CallError, ToolError};
pub use output::{Body, Content, IntoOutput, Resource, ResourceLink, ToolOutput};
pub use selvedge_core::protocol::LogLevel;
pub use set::{ToolProvider, ToolSource, Toolset};
pub use tool::{NoArguments, Tool, ToolBuilder};

/// A future that a trait object can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a call ended that was no error of the protocol.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The tool is done, also where it says that it failed.
    Done(ToolOutput),
    /// The tool waits for answers of the client; it is entered again with them.
    InputRequired(InputRequired),
}

/// What a call leads to.
pub type CallResult = Result<Outcome, CallError>;
