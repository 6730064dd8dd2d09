//! What a client sees of a tool.

use schemars::{JsonSchema, generate::SchemaSettings};
use selvedge_core::json::RawJson;
use serde_json::{Map, Value, json};

use super::NoArguments;

/// The most characters of a name that clients accept everywhere.
const MAX_NAME: usize = 64;

/// A tool as `tools/list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    name: String,
    raw: RawJson,
    is_destructive: bool,
}

/// Why a tool cannot be offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The name is empty, too long, or has other characters than clients accept.
    #[error("`{0}` is no tool name: 1 to {MAX_NAME} of the characters A-Z, a-z, 0-9, `_`, `-`, `.` and `/`")]
    Name(String),
    /// Another tool of the set has this name.
    #[error("two tools are named `{0}`")]
    Duplicate(String),
    /// The arguments of a tool are always an object.
    #[error("the arguments of `{0}` are no object")]
    NoObject(String),
}

impl Definition {
    /// Takes a definition as it will be shown.
    ///
    /// # Errors
    ///
    /// The name or the input schema is none.
    pub fn new(definition: &Value) -> Result<Self, DefinitionError> {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        check_name(&name)?;
        let hint = |name| definition.pointer(name).and_then(Value::as_bool);
        let is_destructive = hint("/annotations/readOnlyHint") != Some(true)
            && hint("/annotations/destructiveHint").unwrap_or(true);
        let is_object = definition.pointer("/inputSchema/type").and_then(Value::as_str) == Some("object");
        match RawJson::new(definition.to_string()) {
            Ok(raw) if is_object => Ok(Self { name, raw, is_destructive }),
            _ => Err(DefinitionError::NoObject(name)),
        }
    }

    /// Returns the name that a call gives.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the object that `tools/list` shows.
    #[must_use]
    pub const fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// Returns whether the tool may destroy something, which is what a tool without any hint may.
    #[must_use]
    pub const fn is_destructive(&self) -> bool {
        self.is_destructive
    }
}

fn check_name(name: &str) -> Result<(), DefinitionError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    if (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(());
    }
    Err(DefinitionError::Name(name.to_owned()))
}

/// Returns the schema of what a client sends.
pub(super) fn input_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = without_head(settings.into_generator().into_root_schema_for::<T>());
    if let Some(members) = schema.as_object_mut() {
        match members.get("type").and_then(Value::as_str) {
            // The schema of `()`: no arguments at all.
            Some("null") => return input_schema::<NoArguments>(),
            // A choice between objects does not say that it is one.
            None if !members.contains_key("type") => {
                members.insert("type".to_owned(), json!("object"));
            }
            _ => {}
        }
    }
    schema
}

/// Returns the schema of what a tool sends; none where that is a text, or nothing.
pub(super) fn output_schema<T: JsonSchema>() -> Option<Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = without_head(settings.into_generator().into_root_schema_for::<T>());
    let is_text = matches!(schema.get("type").and_then(Value::as_str), Some("string" | "null"));
    (schema.is_object() && !is_text).then_some(schema)
}

/// Leaves out the dialect, which is the protocol's own, and the name of the Rust type.
fn without_head(schema: schemars::Schema) -> Value {
    let mut schema = schema.to_value();
    if let Some(members) = schema.as_object_mut() {
        members.remove("$schema");
        members.remove("title");
    }
    schema
}

/// What a builder knows of a tool.
#[expect(clippy::struct_excessive_bools, reason = "the protocol has four hints, and content is one of ours")]
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) input: Option<Value>,
    pub(super) output: Option<Value>,
    pub(super) is_read_only: bool,
    pub(super) is_destructive: bool,
    pub(super) is_idempotent: bool,
    pub(super) is_open_world: bool,
    pub(super) serves_content: bool,
    pub(super) meta: Option<Value>,
}

impl Draft {
    /// Returns the definition; every hint is said, as the protocol's defaults assume the worst.
    pub(super) fn finish(self) -> Result<Definition, DefinitionError> {
        let mut members = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            members.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("name", Some(self.name.into()));
        put("title", self.title.map(Value::from));
        put("description", self.description.map(Value::from));
        put("inputSchema", Some(self.input.unwrap_or_else(input_schema::<NoArguments>)));
        put("outputSchema", self.output);
        let hints = json!({
            "readOnlyHint": self.is_read_only,
            "destructiveHint": self.is_destructive,
            "idempotentHint": self.is_idempotent,
            "openWorldHint": self.is_open_world,
        });
        put("annotations", Some(hints));
        put("_meta", self.meta);
        Definition::new(&Value::Object(members))
    }
}
