//! What servers list, and the results of reading, prompting and completing.

use alloc::{string::String, vec::Vec};

use super::{Content, MalformedResult};
use crate::json::{Kind, RawJson, View};

/// A tool as its server describes it; everything in it is the server's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name that calls it.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it says it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, untouched.
    pub input_schema: RawJson,
    /// The JSON Schema of its structured results, untouched.
    pub output_schema: Option<RawJson>,
    /// Hints about its behaviour, untouched; they grant nothing.
    pub annotations: Option<RawJson>,
    /// The whole entry as it came.
    pub raw: RawJson,
}

/// A resource as its server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What reads it.
    pub uri: String,
    /// Its name; empty where it has none.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// The whole entry as it came.
    pub raw: RawJson,
}

/// A family of resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// The URI template (RFC 6570).
    pub uri_template: String,
    /// Its name; empty where it has none.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The media type of its resources.
    pub mime_type: Option<String>,
    /// The whole entry as it came.
    pub raw: RawJson,
}

/// A prompt as its server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The name that gets it.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// What it takes.
    pub arguments: Vec<PromptArgument>,
    /// The whole entry as it came.
    pub raw: RawJson,
}

/// An argument of a prompt; its value is always a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Whether the prompt cannot do without it.
    pub required: bool,
}

/// What `resources/read` answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadResult {
    /// The contents: one for a file, several for a folder.
    pub contents: Vec<ResourceContents>,
    /// The whole result as it came.
    pub raw: RawJson,
}

/// The contents of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceContents {
    /// Which resource it is.
    pub uri: String,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its text, where it is text.
    pub text: Option<String>,
    /// Its bytes in base64, where it is not.
    pub blob: Option<String>,
}

impl ReadResult {
    pub(crate) fn read(raw: RawJson) -> Result<Self, (MalformedResult, RawJson)> {
        let list = match member_array(raw.view(), "contents") {
            Ok(list) => list,
            Err(fault) => return Err((fault, raw)),
        };
        let mut contents = Vec::new();
        for view in list.elements() {
            let texts = view.pick(["uri", "mimeType", "text", "blob"]).map(|own| own.and_then(View::to_text));
            let [uri, mime_type, text, blob] = texts;
            contents.push(ResourceContents { uri: uri.unwrap_or_default(), mime_type, text, blob });
        }
        Ok(Self { contents, raw })
    }
}

/// What `prompts/get` answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptResult {
    /// What the prompt is.
    pub description: Option<String>,
    /// Its messages in their order.
    pub messages: Vec<PromptMessage>,
    /// The whole result as it came.
    pub raw: RawJson,
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMessage {
    /// Who says it: `user` or `assistant`.
    pub role: String,
    content: RawJson,
}

impl PromptMessage {
    /// Returns what is said.
    #[must_use]
    pub fn content(&self) -> Content<'_> {
        Content::read(self.content.view())
    }
}

impl PromptResult {
    pub(crate) fn read(raw: RawJson) -> Result<Self, (MalformedResult, RawJson)> {
        let list = match member_array(raw.view(), "messages") {
            Ok(list) => list,
            Err(fault) => return Err((fault, raw)),
        };
        let mut messages = Vec::new();
        for view in list.elements() {
            let [role, content] = view.pick(["role", "content"]);
            messages.push(PromptMessage {
                role: role.and_then(View::to_text).unwrap_or_default(),
                content: content.unwrap_or(View::trusted("null")).to_raw(),
            });
        }
        Ok(Self { description: text(raw.view(), "description"), messages, raw })
    }
}

/// What `completion/complete` answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The proposals, best first.
    pub values: Vec<String>,
    /// How many there are in all, where the server says so.
    pub total: Option<u64>,
    /// Whether there are more than were sent.
    pub has_more: bool,
    /// The whole result as it came.
    pub raw: RawJson,
}

impl Completion {
    pub(crate) fn read(raw: RawJson) -> Result<Self, (MalformedResult, RawJson)> {
        let inner = raw.view().get("completion").unwrap_or(View::trusted("null"));
        let [values, total, has_more] = inner.pick(["values", "total", "hasMore"]);
        let values = match values {
            Some(values) if values.kind() == Kind::Array => values,
            found => return Err((MalformedResult::new("completion.values", "an array", found), raw)),
        };
        Ok(Self {
            values: values.elements().filter_map(View::to_text).collect(),
            total: total.and_then(View::as_i64).and_then(|total| u64::try_from(total).ok()),
            has_more: has_more.and_then(View::as_bool).unwrap_or_default(),
            raw,
        })
    }
}

/// Returns the array that an object holds under a name.
pub(super) fn member_array<'a>(view: View<'a>, member: &'static str) -> Result<View<'a>, MalformedResult> {
    if view.kind() != Kind::Object {
        return Err(MalformedResult::new("result", "an object", Some(view)));
    }
    match view.get(member) {
        Some(list) if list.kind() == Kind::Array => Ok(list),
        found => Err(MalformedResult::new(member, "an array", found)),
    }
}

pub(super) fn text(view: View<'_>, member: &str) -> Option<String> {
    view.get(member).and_then(View::to_text)
}
