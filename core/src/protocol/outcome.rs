//! What a result of the modern era says before its method does: whether it is complete, what it asks for,
//! how long it stays fresh (2026-07-28 `basic/index`, `patterns/mrtr`, `utilities/caching`).

use alloc::{
    borrow::{Cow, ToOwned},
    string::String,
    vec::Vec,
};

use super::{MalformedResult, members::pick};
use crate::json::{Index, Kind, Name, RawJson, Span, View, name_twice};

/// The longest name of an unknown kind of result that is kept.
const MAX_KIND_BYTES: usize = 64;

/// The members of a result that the era acts upon.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    kind: Option<Span>,
    requests: Option<Span>,
    state: Option<Span>,
    ttl: Option<Span>,
}

/// What kind of result it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResultKind {
    Complete,
    InputRequired,
    /// A kind that is not known here, by its name.
    Unknown(String),
}

/// What a server needs before it can complete a request.
#[derive(Debug)]
pub(crate) struct Needs<'a> {
    /// The questions, each under its key.
    pub(crate) requests: Vec<Need<'a>>,
    /// What is to be sent back untouched: the JSON text of a string.
    pub(crate) state: Option<&'a str>,
    /// The server named questions, if perhaps none.
    pub(crate) has_requests: bool,
}

/// One question.
#[derive(Debug)]
pub(crate) struct Need<'a> {
    pub(crate) key: Name<'a>,
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: View<'a>,
}

impl Outcome {
    /// Takes the members from the index of the pass that validated the result.
    pub(crate) fn read(raw: &RawJson, index: &Index, origin: usize) -> Self {
        let [kind, requests, state, ttl] =
            pick(raw, index, origin, ["resultType", "inputRequests", "requestState", "ttlMs"]);
        Self { kind, requests, state, ttl }
    }

    /// Returns the kind; absent means complete, for servers of earlier drafts.
    pub(crate) fn kind(&self, raw: &RawJson) -> Result<ResultKind, MalformedResult> {
        let Some(kind) = at(raw, self.kind) else { return Ok(ResultKind::Complete) };
        let Some(name) = kind.to_str() else {
            return Err(MalformedResult::new("resultType", "a string", Some(kind)));
        };
        Ok(match &*name {
            "complete" => ResultKind::Complete,
            "input_required" => ResultKind::InputRequired,
            _ => ResultKind::Unknown(shortened(&name)),
        })
    }

    /// Returns for how many milliseconds the result stays fresh; what is no whole number above 0 means not
    /// at all.
    pub(crate) fn ttl_millis(&self, raw: &RawJson) -> u64 {
        let ttl = at(raw, self.ttl).and_then(View::as_i64);
        ttl.and_then(|ttl| u64::try_from(ttl).ok()).unwrap_or_default()
    }

    /// Reads what the server needs: one question more than `max_requests` at the most.
    pub(crate) fn needs<'a>(
        &self,
        raw: &'a RawJson,
        max_requests: usize,
    ) -> Result<Needs<'a>, MalformedResult> {
        // Some serializers write `null` for what is absent.
        let state = at(raw, self.state).filter(|state| !state.is_null());
        if state.is_some_and(|state| state.kind() != Kind::String) {
            return Err(MalformedResult::new("requestState", "a string", state));
        }
        let requests = at(raw, self.requests).filter(|requests| !requests.is_null());
        if requests.is_some_and(|requests| requests.kind() != Kind::Object) {
            return Err(MalformedResult::new("inputRequests", "an object", requests));
        }
        // Whoever answers the questions may read the other one of two members.
        if let Some(pointer) = requests.and_then(|requests| name_twice(requests.as_str())) {
            return Err(MalformedResult {
                member: Cow::Owned(String::from("inputRequests") + &pointer),
                expected: "there once",
                found: "there twice",
            });
        }
        let mut needs =
            Needs { requests: Vec::new(), state: state.map(View::as_str), has_requests: requests.is_some() };
        for (key, request) in
            requests.into_iter().flat_map(View::members).take(max_requests.saturating_add(1))
        {
            needs.requests.push(need(key, request)?);
        }
        if needs.requests.is_empty() && needs.state.is_none() {
            return Err(MalformedResult::new("inputRequests", "there, or `requestState`", requests));
        }
        Ok(needs)
    }
}

fn at(raw: &RawJson, span: Option<Span>) -> Option<View<'_>> {
    span.map(|span| View::trusted(span.of(raw.as_str())))
}

fn need<'a>(key: Name<'a>, request: View<'a>) -> Result<Need<'a>, MalformedResult> {
    let [method, params] = request.pick(["method", "params"]);
    let Some(method) = method.and_then(View::to_str) else {
        return Err(MalformedResult::new("inputRequests.method", "a string", method));
    };
    let params = match params {
        None => View::trusted("{}"),
        Some(params) if params.is_null() => View::trusted("{}"),
        Some(params) if params.kind() == Kind::Object => params,
        found => return Err(MalformedResult::new("inputRequests.params", "an object", found)),
    };
    Ok(Need { key, method, params })
}

fn shortened(name: &str) -> String {
    let mut end = name.len().min(MAX_KIND_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or_default().to_owned()
}
