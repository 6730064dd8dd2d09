//! The result of `tools/call`.

use alloc::{borrow::Cow, string::String};

use super::{Content, members::pick};
use crate::json::{Index, Kind, RawJson, Span, View};

/// What a tool answered; its content is read on demand, in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallToolResult {
    raw: RawJson,
    content: Option<Span>,
    structured: Option<Span>,
    is_error: bool,
}

/// Why a result does not have the shape that its method demands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` must be {expected}, not {found}")]
pub struct MalformedResult {
    /// The member of the result; `result` for the result itself.
    pub member: Cow<'static, str>,
    /// What it should have been.
    pub expected: &'static str,
    /// What it is.
    pub found: &'static str,
}

impl MalformedResult {
    pub(crate) fn new(member: &'static str, expected: &'static str, found: Option<View<'_>>) -> Self {
        let found = found.map_or("absent", |view| view.kind().name());
        Self { member: Cow::Borrowed(member), expected, found }
    }
}

impl CallToolResult {
    /// Takes a result whose members were found in the pass that validated it; spans count from the
    /// result's first byte.
    pub(crate) fn read(
        raw: RawJson,
        index: &Index,
        origin: usize,
    ) -> Result<Self, (MalformedResult, RawJson)> {
        if raw.view().kind() != Kind::Object {
            return Err((MalformedResult::new("result", "an object", Some(raw.view())), raw));
        }
        let [content, structured, is_error] =
            pick(&raw, index, origin, ["content", "structuredContent", "isError"]);
        match check(raw.as_str(), content, is_error) {
            Ok(is_error) => Ok(Self { raw, content, structured, is_error }),
            Err(fault) => Err((fault, raw)),
        }
    }

    /// Returns the content blocks in their order.
    pub fn content(&self) -> impl Iterator<Item = Content<'_>> {
        self.member(self.content).into_iter().flat_map(View::elements).map(Content::read)
    }

    /// Returns the text blocks, joined by line feeds.
    #[must_use]
    pub fn text(&self) -> String {
        let mut joined = String::new();
        for block in self.content() {
            if let Content::Text(text) = block {
                if !joined.is_empty() {
                    joined.push('\n');
                }
                joined.push_str(&text);
            }
        }
        joined
    }

    /// Returns `structuredContent`: absent, `null` and a value are three different answers.
    #[must_use]
    pub fn structured_content(&self) -> Option<View<'_>> {
        self.member(self.structured)
    }

    /// Returns whether the tool says that it failed.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.is_error
    }

    /// Returns the whole result as it came, with members that are not known here.
    #[must_use]
    pub const fn raw(&self) -> &RawJson {
        &self.raw
    }

    fn member(&self, span: Option<Span>) -> Option<View<'_>> {
        span.map(|span| View::trusted(span.of(self.raw.as_str())))
    }
}

/// Checks the members that the engine acts upon; returns whether the result is an error.
fn check(text: &str, content: Option<Span>, is_error: Option<Span>) -> Result<bool, MalformedResult> {
    let view = |span: Span| View::trusted(span.of(text));
    let content = content.map(view);
    if content.is_some_and(|view| !matches!(view.kind(), Kind::Array | Kind::Null)) {
        return Err(MalformedResult::new("content", "an array", content));
    }
    match is_error.map(view) {
        None => Ok(false),
        Some(flag) => match (flag.as_bool(), flag.is_null()) {
            (Some(is_error), _) => Ok(is_error),
            (None, true) => Ok(false),
            (None, false) => Err(MalformedResult::new("isError", "a boolean", Some(flag))),
        },
    }
}
