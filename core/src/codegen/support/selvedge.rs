// Written for modules that Selvedge generates; the same for every server.
//! What a generated module needs: plain JSON, results, failures, and the difference between absent and null.

#![allow(dead_code, clippy::missing_errors_doc)]

use std::collections::BTreeMap;
use std::fmt;

/// Any JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    /// A number that is no `i64`; a whole one is written without a fraction.
    Float(f64),
    Text(String),
    List(Vec<Json>),
    /// The members in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Returns the first member of an object with this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    fn check(&self, path: &Path<'_>) -> Result<(), Mismatch> {
        let below = |step, value: &Self| value.check(&Path { parent: Some(path), step });
        match self {
            Self::Float(number) if !number.is_finite() => path.fail("is no JSON value"),
            Self::List(items) => items.iter().enumerate().try_for_each(|(at, item)| below(Step::Item(at), item)),
            Self::Object(members) => members.iter().try_for_each(|(name, value)| below(Step::Member(name), value)),
            _ => Ok(()),
        }
    }
}

/// Carries one call: the server, the original name of the tool, and its arguments.
pub trait Invoke {
    fn invoke(&self, server: &str, tool: &str, arguments: Json) -> Result<Answer, Fault>;
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub content: Vec<Content>,
    pub is_error: bool,
    pub structured: Option<Json>,
}

impl Answer {
    /// Reads the result of `tools/call` as it came.
    pub fn read(result: &Json) -> Result<Self, Fault> {
        let Some(Json::List(content)) = result.get("content") else {
            return Err(Fault::malformed("the result has no content"));
        };
        Ok(Self {
            content: content.iter().map(Content::read).collect(),
            is_error: result.get("isError") == Some(&Json::Bool(true)),
            structured: result.get("structuredContent").cloned(),
        })
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: String,
    pub message: String,
}

impl Fault {
    /// The answer is no result.
    pub fn malformed(reason: &str) -> Self {
        Self { code: "result_malformed".to_owned(), message: reason.to_owned() }
    }
}

/// A part of a result: text, or anything else by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Text(String),
    Other { kind: String, raw: Json },
}

impl Content {
    fn read(part: &Json) -> Self {
        match (part.get("type"), part.get("text")) {
            (Some(Json::Text(kind)), Some(Json::Text(text))) if kind == "text" => Self::Text(text.clone()),
            (Some(Json::Text(kind)), _) => Self::Other { kind: kind.clone(), raw: part.clone() },
            _ => Self::Other { kind: String::new(), raw: part.clone() },
        }
    }
}

/// What a tool returned.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult<T> {
    pub content: Vec<Content>,
    pub structured: T,
}

impl<T> ToolResult<T> {
    /// The text parts, joined by line feeds. Never parsed.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }
}

/// How a call ends.
pub type Reply<T> = Result<ToolResult<T>, McpError>;

/// How a call ends where the tool declares no result.
pub type Untyped = Reply<Option<Json>>;

/// Everything that a call can fail with.
#[derive(Clone, Debug, PartialEq)]
pub enum McpError {
    /// The tool ran and reported a failure.
    ToolFailed { message: String, content: Vec<Content> },
    /// The server cannot be reached.
    ServerUnavailable(String),
    /// The call was refused, by the engine or by the server.
    Denied { code: String, message: String },
    /// The answer is no result.
    ResultMalformed(String),
    /// The result is not what the tool declared; it is kept whole.
    ResultSchemaMismatch { mismatch: Mismatch, result: ToolResult<Option<Json>> },
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolFailed { message, .. } => write!(f, "the tool failed: {message}"),
            Self::ServerUnavailable(reason) => write!(f, "the server is unavailable: {reason}"),
            Self::Denied { code, message } => write!(f, "{code}: {message}"),
            Self::ResultMalformed(reason) => write!(f, "the result is malformed: {reason}"),
            Self::ResultSchemaMismatch { mismatch, .. } => write!(f, "{mismatch}"),
        }
    }
}

impl std::error::Error for McpError {}

/// Where a structured result differs from what the tool declared.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    pub path: String,
    pub reason: &'static str,
}

impl Mismatch {
    pub const TAG: &'static str = "a tag that is none of the declared ones";
    pub const KIND: &'static str = "a kind of value that is not declared";
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(f, "{path}: {}", self.reason)
    }
}

fn text_of(content: &[Content]) -> String {
    let text = |part: &Content| if let Content::Text(text) = part { Some(text.clone()) } else { None };
    let texts: Vec<_> = content.iter().filter_map(text).collect();
    texts.join("\n")
}

/// Calls a tool and reads its result, or says how the call failed.
pub fn call<T: Decode>(invoke: &impl Invoke, server: &str, tool: &str, arguments: Json) -> Reply<T> {
    arguments.check(&Path::ROOT).map_err(|Mismatch { path, reason }| McpError::Denied {
        code: "invalid_argument".to_owned(),
        message: format!("{path} {reason}"),
    })?;
    let answer = invoke.invoke(server, tool, arguments).map_err(|fault| match fault.code.as_str() {
        "mcp_unavailable" => McpError::ServerUnavailable(fault.message),
        "result_malformed" => McpError::ResultMalformed(fault.message),
        _ => McpError::Denied { code: fault.code, message: fault.message },
    })?;
    let Answer { content, is_error, structured } = answer;
    if is_error {
        return Err(McpError::ToolFailed { message: text_of(&content), content });
    }
    match T::decode_result(structured.as_ref()) {
        Ok(decoded) => Ok(ToolResult { content, structured: decoded }),
        Err(mismatch) => {
            Err(McpError::ResultSchemaMismatch { mismatch, result: ToolResult { content, structured } })
        }
    }
}

/// Where a value stands in a result.
#[derive(Clone, Copy)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Member(&'p str),
    Item(usize),
}

impl<'p> Path<'p> {
    const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    pub fn fail<T>(&self, reason: &'static str) -> Result<T, Mismatch> {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(path) = at {
            match path.step {
                Step::Root => {}
                Step::Member(name) => steps.push(name.replace('~', "~0").replace('/', "~1")),
                Step::Item(index) => steps.push(index.to_string()),
            }
            at = path.parent;
        }
        let path = steps.iter().rev().fold(String::new(), |path, step| path + "/" + step);
        Err(Mismatch { path, reason })
    }

    pub fn members<'m>(&'m self, value: &'m Json) -> Result<Members<'m>, Mismatch> {
        match value {
            Json::Object(members) => Ok(Members { members, path: self }),
            _ => self.fail("expected an object"),
        }
    }
}

/// The members of an object in a result.
pub struct Members<'m> {
    members: &'m [(String, Json)],
    path: &'m Path<'m>,
}

impl Members<'_> {
    fn get(&self, name: &str) -> Option<&Json> {
        self.members.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    fn below<'n>(&'n self, name: &'n str) -> Path<'n> {
        Path { parent: Some(self.path), step: Step::Member(name) }
    }

    pub fn required<T: Decode>(&self, name: &str) -> Result<T, Mismatch> {
        match self.get(name) {
            Some(value) => T::decode(value, &self.below(name)),
            None => self.below(name).fail("a required member is missing"),
        }
    }

    pub fn optional<T: Decode>(&self, name: &str) -> Result<Option<T>, Mismatch> {
        self.get(name).map(|value| T::decode(value, &self.below(name))).transpose()
    }

    pub fn constant(&self, name: &str, expected: Constant) -> Result<(), Mismatch> {
        match self.get(name) {
            Some(value) if *value == expected.json() => Ok(()),
            _ => self.below(name).fail("expected the declared constant"),
        }
    }

    pub fn tag(&self, name: &str) -> Result<&str, Mismatch> {
        match self.get(name) {
            Some(Json::Text(tag)) => Ok(tag),
            _ => self.below(name).fail("expected a string that names the alternative"),
        }
    }

    pub fn rest<T: Decode>(&self, known: &[&str]) -> Result<BTreeMap<String, T>, Mismatch> {
        let others = self.members.iter().filter(|(name, _)| !known.contains(&name.as_str()));
        others.map(|(name, value)| Ok((name.clone(), T::decode(value, &self.below(name))?))).collect()
    }
}

/// An object while it is put together.
#[derive(Default)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with(mut self, name: &str, value: impl Encode) -> Self {
        self.0.push((name.to_owned(), value.encode()));
        self
    }

    /// Leaves the member out if there is no value; `Some(None)` is null.
    pub fn maybe(self, name: &str, value: Option<impl Encode>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds the members that are not there already.
    pub fn rest(mut self, rest: BTreeMap<String, impl Encode>) -> Self {
        for (name, value) in rest {
            if !self.0.iter().any(|(own, _)| *own == name) {
                self.0.push((name, value.encode()));
            }
        }
        self
    }

    pub fn finish(self) -> Json {
        Json::Object(self.0)
    }
}

/// A constant of a schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    Bool(bool),
    Int(i64),
    Text(&'static str),
}

impl Constant {
    pub fn json(self) -> Json {
        match self {
            Self::Bool(value) => Json::Bool(value),
            Self::Int(value) => Json::Int(value),
            Self::Text(value) => Json::Text(value.to_owned()),
        }
    }
}

/// A type that is one of some constants.
pub trait Choice: Copy + PartialEq + 'static {
    const TABLE: &'static [(Self, Constant)];

    fn chosen(self) -> Json {
        let found = Self::TABLE.iter().find(|(own, _)| *own == self);
        found.map_or(Json::Null, |(_, constant)| constant.json())
    }

    fn choose(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
        let found = Self::TABLE.iter().find(|(_, constant)| constant.json() == *value);
        found.map_or_else(|| path.fail("expected one of the declared constants"), |(own, _)| Ok(*own))
    }
}

/// What becomes JSON.
pub trait Encode {
    fn encode(self) -> Json;
}

/// What is read from JSON.
pub trait Decode: Sized {
    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch>;

    fn decode_result(structured: Option<&Json>) -> Result<Self, Mismatch> {
        match structured {
            Some(value) => Self::decode(value, &Path::ROOT),
            None => Path::ROOT.fail("the tool declares a structured result and sent none"),
        }
    }
}

impl Encode for Json {
    fn encode(self) -> Json {
        self
    }
}

impl Decode for Json {
    fn decode(value: &Json, _: &Path<'_>) -> Result<Self, Mismatch> {
        Ok(value.clone())
    }
}

macro_rules! plain {
    ($type:ty, $expected:literal, $encode:expr, $($pattern:pat $(if $guard:expr)? => $decode:expr),+) => {
        impl Encode for $type {
            fn encode(self) -> Json {
                ($encode)(self)
            }
        }

        impl Decode for $type {
            fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
                match value {
                    $($pattern $(if $guard)? => Ok($decode),)+
                    _ => path.fail($expected),
                }
            }
        }
    };
}

plain!((), "expected null", |()| Json::Null, Json::Null => ());
plain!(bool, "expected a boolean", Json::Bool, Json::Bool(value) => *value);
plain!(String, "expected a string", Json::Text, Json::Text(value) => value.clone());
plain!(i64, "expected a whole number", Json::Int,
    Json::Int(value) => *value,
    Json::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => *value as i64);
plain!(f64, "expected a number", number,
    Json::Int(value) => *value as f64,
    Json::Float(value) => *value);

/// A whole number travels as one.
fn number(value: f64) -> Json {
    if value.fract() == 0.0 && value.abs() < 9e15 { Json::Int(value as i64) } else { Json::Float(value) }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(self) -> Json {
        (*self).encode()
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
        T::decode(value, path).map(Box::new)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(self) -> Json {
        self.map_or(Json::Null, Encode::encode)
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
        match value {
            Json::Null => Ok(None),
            value => T::decode(value, path).map(Some),
        }
    }

    fn decode_result(structured: Option<&Json>) -> Result<Self, Mismatch> {
        structured.map_or(Ok(None), |value| Self::decode(value, &Path::ROOT))
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(self) -> Json {
        Json::List(self.into_iter().map(Encode::encode).collect())
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
        let Json::List(items) = value else { return path.fail("expected a list") };
        let item = |(at, item)| T::decode(item, &Path { parent: Some(path), step: Step::Item(at) });
        items.iter().enumerate().map(item).collect()
    }
}

impl<T: Encode> Encode for BTreeMap<String, T> {
    fn encode(self) -> Json {
        Json::Object(self.into_iter().map(|(name, value)| (name, value.encode())).collect())
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
        path.members(value)?.rest(&[])
    }
}

macro_rules! tuple {
    ($count:literal: $($name:ident $at:tt),+) => {
        impl<$($name: Encode),+> Encode for ($($name,)+) {
            fn encode(self) -> Json {
                Json::List(vec![$(self.$at.encode()),+])
            }
        }

        impl<$($name: Decode),+> Decode for ($($name,)+) {
            fn decode(value: &Json, path: &Path<'_>) -> Result<Self, Mismatch> {
                match value {
                    Json::List(items) if items.len() == $count => {
                        Ok(($($name::decode(&items[$at], &Path { parent: Some(path), step: Step::Item($at) })?,)+))
                    }
                    _ => path.fail("expected a list of the declared length"),
                }
            }
        }
    };
}

tuple!(1: A 0);
tuple!(2: A 0, B 1);
tuple!(3: A 0, B 1, C 2);
tuple!(4: A 0, B 1, C 2, D 3);
tuple!(5: A 0, B 1, C 2, D 3, E 4);
tuple!(6: A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
