//! What a tool asks of its client, and what the client answered.

use std::collections::BTreeMap;

use selvedge_core::{client::Offered, json::RawJson};
use serde_json::{Map, Value, json};

/// The answers that came with a call: by key, as the client gave them.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The results, under the keys of their requests.
    pub responses: BTreeMap<String, RawJson>,
    /// What the tool gave along; whoever calls the tool has checked that it is the tool's own.
    pub state: Option<String>,
}

/// What a tool asks: a request of the protocol, without an id.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InputRequest {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: &'static str,
    /// The parameters, an object.
    pub params: Value,
}

impl InputRequest {
    pub(super) fn form(message: &str, schema: &Value) -> Self {
        let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
        Self { method: Offered::Elicitation.method(), params }
    }

    pub(super) fn url(message: &str, url: &str) -> Self {
        Self {
            method: Offered::Elicitation.method(),
            params: json!({ "mode": "url", "message": message, "url": url }),
        }
    }

    pub(super) const fn sampling(params: Value) -> Self {
        Self { method: Offered::Sampling.method(), params }
    }

    pub(super) fn roots() -> Self {
        Self { method: Offered::Roots.method(), params: json!({}) }
    }
}

/// What a tool needs before it can go on.
///
/// It is no error and says nothing to a model: a tool returns it by `?` and is entered again, from its start,
/// once the answers are there.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct InputRequired {
    requests: BTreeMap<String, InputRequest>,
    state: Option<String>,
}

impl InputRequired {
    pub(super) fn one(key: &str, request: InputRequest) -> Self {
        Self { requests: BTreeMap::from([(key.to_owned(), request)]), state: None }
    }

    /// Asks for nothing but to be called again with this state.
    pub fn again(state: impl Into<String>) -> Self {
        Self { requests: BTreeMap::new(), state: Some(state.into()) }
    }

    /// Gives along what [`Context::state`](super::Context::state) returns when the tool is entered again.
    ///
    /// The client carries it: whoever sends it protects it, and it is no place for secrets.
    pub fn with_state(mut self, state: impl Into<String>) -> Self {
        self.state = Some(state.into());
        self
    }

    /// Asks for what another one asks, too.
    pub fn and(mut self, other: Self) -> Self {
        self.requests.extend(other.requests);
        self.state = other.state.or(self.state);
        self
    }

    /// Returns the requests by their keys.
    pub fn requests(&self) -> impl Iterator<Item = (&str, &InputRequest)> {
        self.requests.iter().map(|(key, request)| (key.as_str(), request))
    }

    /// Returns what is given along, as the tool wrote it.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Returns the member `inputRequests` of the result.
    #[must_use]
    pub fn requests_to_json(&self) -> Value {
        let member = |(key, request): (&str, &InputRequest)| {
            (key.to_owned(), json!({ "method": request.method, "params": request.params }))
        };
        Value::Object(self.requests().map(member).collect::<Map<_, _>>())
    }
}

/// Waits for two answers at once, so that the client is asked both in one round.
///
/// # Errors
///
/// One of them, or both, must be asked for.
pub fn both<A, B>(
    first: Result<A, InputRequired>,
    second: Result<B, InputRequired>,
) -> Result<(A, B), InputRequired> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(first), Err(second)) => Err(first.and(second)),
        (Err(one), Ok(_)) | (Ok(_), Err(one)) => Err(one),
    }
}

/// What a user did with a form or a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// Filled it in; for a URL, agreed to open it.
    Accepted(T),
    /// Said no.
    Declined,
    /// Closed it without saying anything.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns what was filled in.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(content) => Some(content),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

/// A place that the client works on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Where it is; so far always a `file:` URI.
    pub uri: String,
    /// What people call it.
    pub name: Option<String>,
}
