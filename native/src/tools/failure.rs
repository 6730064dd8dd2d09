//! The ways in which a call fails.

use std::{any::Any, error::Error, fmt};

use selvedge_core::jsonrpc::{RpcError, code};

use super::{CallResult, Content, InputRequired, Outcome, ToolOutput};

/// Why a tool did not do what it was asked: a result that says so, which a model reads.
///
/// Every error becomes one by `?`, with its message as the text; an [`RpcError`] stays an error of the
/// protocol, and an [`InputRequired`] is the way in which a tool leaves for an answer. Like other such types
/// it is no [`Error`] itself.
#[derive(Debug)]
pub struct ToolError(Reason);

#[derive(Debug)]
enum Reason {
    Failed(Vec<Content>),
    InputRequired(InputRequired),
    Protocol(RpcError),
}

impl ToolError {
    /// Makes an error from what a model should read: what went wrong, and what it could do about it.
    #[must_use]
    pub fn new(message: impl fmt::Display) -> Self {
        Self(Reason::Failed(vec![Content::text(message.to_string())]))
    }

    /// Makes an error that says more than a text.
    #[must_use]
    pub const fn with_content(content: Vec<Content>) -> Self {
        Self(Reason::Failed(content))
    }

    /// Makes an error of the protocol, which no model sees.
    #[must_use]
    pub const fn protocol(error: RpcError) -> Self {
        Self(Reason::Protocol(error))
    }

    pub(crate) fn into_result(self) -> CallResult {
        match self.0 {
            Reason::Failed(content) => Ok(Outcome::Done(ToolOutput::failed(content))),
            Reason::InputRequired(input) => Ok(Outcome::InputRequired(input)),
            Reason::Protocol(error) => Err(CallError::Protocol(error)),
        }
    }
}

impl From<InputRequired> for ToolError {
    fn from(input: InputRequired) -> Self {
        Self(Reason::InputRequired(input))
    }
}

impl<E: Error + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        match (&error as &dyn Any).downcast_ref::<RpcError>() {
            Some(error) => Self::protocol(error.clone()),
            None => Self::new(error),
        }
    }
}

/// Turns the result of a function into one of a tool; for what the attributes write.
///
/// # Errors
///
/// The function failed.
#[doc(hidden)]
pub fn into_result<T, E: Into<ToolError>>(result: Result<T, E>) -> Result<T, ToolError> {
    result.map_err(Into::into)
}

/// Why a call is answered with an error of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No tool has this name.
    #[error("unknown tool `{0}`")]
    UnknownTool(String),
    /// The arguments do not fit; from revision 2025-11-25 on, this is a result that a model reads.
    #[error("invalid arguments: {0}")]
    InvalidArguments(String),
    /// The tool answers with an error of its own.
    #[error(transparent)]
    Protocol(RpcError),
}

impl CallError {
    /// Returns the error to answer with.
    #[must_use]
    pub fn into_rpc(self) -> RpcError {
        match self {
            Self::Protocol(error) => error,
            other => RpcError::new(code::INVALID_PARAMS, other.to_string()),
        }
    }
}
