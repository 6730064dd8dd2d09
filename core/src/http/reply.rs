//! Whole responses: a status, headers, and a message or nothing.

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::jsonrpc::{self, Id, RpcError};

/// A whole response.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Empty,
    Json(String),
    Error(Box<(Answered, RpcError)>),
}

/// What an error answers.
#[derive(Clone, Debug)]
pub(super) enum Answered {
    /// A request that shows its id.
    Request(Id),
    /// What shows no id to a client of the legacy era, which expects `null`.
    Legacy,
    /// What shows no id to a client of the modern era, whose schema forbids `null`.
    Modern,
}

impl Reply {
    pub(super) const fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Body::Empty }
    }

    pub(super) fn json(status: u16, body: String) -> Self {
        Self { body: Body::Json(body), ..Self::empty(status) }.with("content-type", "application/json")
    }

    pub(super) fn error(status: u16, answered: Answered, error: RpcError) -> Self {
        let body = Body::Error(Box::new((answered, error)));
        Self { body, ..Self::empty(status) }.with("content-type", "application/json")
    }

    /// Refuses what has not been read.
    pub(super) fn refusal(status: u16, code: i64, message: &str) -> Self {
        Self::error(status, Answered::Legacy, RpcError::new(code, message))
    }

    /// Refuses a method; `allowed` are those that the place knows.
    pub(super) fn not_allowed(allowed: &str) -> Self {
        let code = jsonrpc::code::INVALID_REQUEST;
        Self::refusal(405, code, "the method is not allowed here").with("allow", allowed)
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Says what an error answers.
    pub(super) fn answering(mut self, new: Answered) -> Self {
        if let Body::Error(error) = &mut self.body {
            error.0 = new;
        }
        self
    }

    /// Returns the text of the body; `None` where there is none.
    pub(super) fn into_body(self) -> Option<String> {
        let (answered, error) = match self.body {
            Body::Empty => return None,
            Body::Json(text) => return Some(text),
            Body::Error(error) => *error,
        };
        let mut body = String::with_capacity(96 + error.message.len());
        match answered {
            Answered::Request(id) => jsonrpc::push_error(&mut body, Some(&id), &error),
            Answered::Legacy => jsonrpc::push_error(&mut body, None, &error),
            Answered::Modern => jsonrpc::push_error_without_id(&mut body, &error),
        }
        Some(body)
    }
}
