//! What a tool answers with.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use selvedge_core::{json::RawJson, policy};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use super::{ToolError, definition};

/// The result of a tool.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ToolOutput {
    /// What a model reads, in order.
    pub content: Vec<Content>,
    /// What a program reads.
    pub structured: Option<RawJson>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// Members for `_meta`.
    pub meta: Option<Value>,
}

/// One block of content.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content {
    /// A text.
    Text(String),
    /// An image.
    Image {
        /// Its bytes.
        data: Vec<u8>,
        /// What they are.
        mime_type: String,
    },
    /// A sound.
    Audio {
        /// Its bytes.
        data: Vec<u8>,
        /// What they are.
        mime_type: String,
    },
    /// A resource with its contents.
    Resource(Resource),
    /// Where a resource is.
    Link(ResourceLink),
}

/// The contents of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What it is read by.
    pub uri: String,
    /// What its contents are.
    pub mime_type: Option<String>,
    /// The contents.
    pub body: Body,
}

/// The contents of a resource, without what is said about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A text.
    Text(String),
    /// Bytes, which cross the wire in base64.
    Blob(Vec<u8>),
}

/// Where a resource is, and what it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceLink {
    /// What it is read by.
    pub uri: String,
    /// What programs call it.
    pub name: String,
    /// What people call it.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What its contents are.
    pub mime_type: Option<String>,
    /// How long its contents are, in bytes.
    pub size: Option<u64>,
}

impl ToolOutput {
    /// Makes a result of blocks.
    #[must_use]
    pub fn new(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    pub(super) fn failed(content: Vec<Content>) -> Self {
        Self { content, is_error: true, ..Self::default() }
    }

    /// Makes a result of a value: for programs as it is, for models as a copy in text. A string is text alone.
    ///
    /// # Errors
    ///
    /// The value is not one of JSON.
    pub fn structured(value: &impl Serialize) -> Result<Self, ToolError> {
        let text = serde_json::to_string(value)?;
        let value = RawJson::new(text)?;
        if value.view().is_null() {
            return Ok(Self::default());
        }
        if let Some(text) = value.view().to_text() {
            return Ok(Self::new(vec![Content::Text(text)]));
        }
        let copy = Content::text(value.as_str());
        Ok(Self { structured: Some(value), ..Self::new(vec![copy]) })
    }

    /// Hides the credentials in what a model reads; structured content is for programs, and stays.
    pub(super) fn redact(&mut self) {
        for block in &mut self.content {
            match block {
                Content::Text(text) | Content::Resource(Resource { body: Body::Text(text), .. }) => {
                    if let Cow::Owned(redacted) = policy::redact(text).text {
                        *text = redacted;
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the blocks of text, joined by line feeds.
    #[must_use]
    pub fn to_text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the result as `tools/call` answers it, whatever the revision; what an era adds or leaves out,
    /// the engine does. Structured content keeps its spelling.
    ///
    /// # Errors
    ///
    /// Never: what a result holds can be written.
    pub fn to_raw(&self) -> Result<RawJson, ToolError> {
        let structured =
            self.structured.as_ref().map(|raw| serde_json::from_str(raw.as_str())).transpose()?;
        let wire = Wire {
            content: self.content.iter().map(Content::to_json).collect(),
            structured,
            is_error: self.is_error,
            meta: self.meta.as_ref(),
        };
        Ok(RawJson::new(serde_json::to_string(&wire)?)?)
    }
}

/// A result in the order in which people read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    content: Vec<Value>,
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

impl Content {
    /// Makes a block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => json!({ "type": "text", "text": text }),
            Self::Image { data, mime_type } => {
                json!({ "type": "image", "data": STANDARD.encode(data), "mimeType": mime_type })
            }
            Self::Audio { data, mime_type } => {
                json!({ "type": "audio", "data": STANDARD.encode(data), "mimeType": mime_type })
            }
            Self::Resource(resource) => json!({ "type": "resource", "resource": resource.to_json() }),
            Self::Link(link) => link.to_json(),
        }
    }
}

impl Resource {
    /// Returns the contents as `resources/read` answers them.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut contents = match &self.body {
            Body::Text(text) => json!({ "uri": self.uri, "text": text }),
            Body::Blob(bytes) => json!({ "uri": self.uri, "blob": STANDARD.encode(bytes) }),
        };
        put(&mut contents, "mimeType", self.mime_type.clone().map(Value::from));
        contents
    }
}

impl ResourceLink {
    fn to_json(&self) -> Value {
        let mut link = json!({ "type": "resource_link", "uri": self.uri, "name": self.name });
        put(&mut link, "title", self.title.clone().map(Value::from));
        put(&mut link, "description", self.description.clone().map(Value::from));
        put(&mut link, "mimeType", self.mime_type.clone().map(Value::from));
        put(&mut link, "size", self.size.map(Value::from));
        link
    }
}

fn put(object: &mut Value, name: &str, value: Option<Value>) {
    if let (Value::Object(members), Some(value)) = (object, value) {
        members.insert(name.to_owned(), value);
    }
}

/// What a handler may return: a type with a schema, whose value is structured content, or blocks of content.
pub trait IntoOutput {
    /// Turns the value into a result.
    ///
    /// # Errors
    ///
    /// The value cannot be written.
    fn into_output(self) -> Result<ToolOutput, ToolError>;

    /// Returns the schema of the structured content.
    #[must_use]
    fn output_schema() -> Option<Value>
    where
        Self: Sized,
    {
        None
    }
}

impl<T: Serialize + JsonSchema> IntoOutput for T {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        ToolOutput::structured(&self)
    }

    fn output_schema() -> Option<Value> {
        definition::output_schema::<T>()
    }
}

impl IntoOutput for ToolOutput {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

impl IntoOutput for Content {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::new(vec![self]))
    }
}
