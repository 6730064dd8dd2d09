//! The handshake of the legacy family: `initialize` and its result (spec lifecycle, every legacy revision).

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};

use super::{Revision, meta::SERVER_INFO};
use crate::{
    Violation,
    json::{Kind, RawJson, View, push_string},
};

/// A program that speaks the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implementation {
    /// Its name for programs.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its name for people, where it has one.
    pub title: Option<String>,
}

impl Implementation {
    /// Names a program.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), title: None }
    }

    pub(crate) fn push_to(&self, out: &mut String) {
        out.push_str("{\"name\":");
        push_string(out, &self.name);
        if let Some(title) = &self.title {
            out.push_str(",\"title\":");
            push_string(out, title);
        }
        out.push_str(",\"version\":");
        push_string(out, &self.version);
        out.push('}');
    }

    pub(crate) fn read(view: View<'_>) -> Self {
        let texts = view.pick(["name", "version", "title"]).map(|member| member.and_then(View::to_text));
        let [name, version, title] = texts;
        Self { name: name.unwrap_or_default(), version: version.unwrap_or_default(), title }
    }
}

/// What a server declared; `raw` holds everything, the flags what the engine acts upon.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "the protocol declares each by itself")]
pub struct Capabilities {
    /// The server has tools.
    pub tools: bool,
    /// The server has resources.
    pub resources: bool,
    /// The server has prompts.
    pub prompts: bool,
    /// The server completes arguments.
    pub completions: bool,
    /// The server sends log messages.
    pub logging: bool,
    /// The server tells when its list of tools changes.
    pub tools_change: bool,
    /// The server tells when its list of resources changes.
    pub resources_change: bool,
    /// The server tells when its list of prompts changes.
    pub prompts_change: bool,
    /// The declaration as it came.
    pub raw: RawJson,
}

impl Capabilities {
    fn read(view: View<'_>) -> Self {
        let members = view.pick(["tools", "resources", "prompts", "completions", "logging"]);
        let is_declared = |value: Option<View<'_>>| {
            value.is_some_and(|value| !value.is_null() && value.as_bool() != Some(false))
        };
        let tells = |value: Option<View<'_>>| {
            value.and_then(|value| value.get("listChanged")).and_then(View::as_bool).unwrap_or_default()
        };
        let [tools, resources, prompts, completions, logging] = members.map(is_declared);
        let [tools_change, resources_change, prompts_change, ..] = members.map(tells);
        let raw = view.to_raw();
        Self {
            tools,
            resources,
            prompts,
            completions,
            logging,
            tools_change,
            resources_change,
            prompts_change,
            raw,
        }
    }
}

/// What a handshake settled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handshake {
    /// The revision that both sides speak from here on.
    pub revision: Revision,
    /// The server; its name is empty where it did not give one.
    pub server: Implementation,
    /// What the server declared.
    pub capabilities: Capabilities,
    /// What the server wants the model to know.
    pub instructions: Option<String>,
    /// The whole result as it came.
    pub raw: RawJson,
}

/// Why a handshake's result cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HandshakeError {
    /// The result is not one.
    Malformed(String),
    /// The server speaks revisions that we do not.
    Version(Vec<String>),
}

impl Handshake {
    /// Appends the parameters of `initialize`.
    pub(crate) fn push_params(
        out: &mut String,
        revision: Revision,
        capabilities: &str,
        client: &Implementation,
    ) {
        out.push_str("{\"protocolVersion\":");
        push_string(out, revision.as_str());
        out.push_str(",\"capabilities\":");
        out.push_str(capabilities);
        out.push_str(",\"clientInfo\":");
        client.push_to(out);
        out.push('}');
    }

    /// Reads the result of `initialize`; what is odd but harmless is said in the second part.
    pub(crate) fn read(raw: RawJson) -> Result<(Self, Vec<Violation>), HandshakeError> {
        let view = raw.view();
        if view.kind() != Kind::Object {
            return Err(HandshakeError::Malformed("the result is not an object".to_owned()));
        }
        let Some(version) = view.get("protocolVersion") else {
            return Err(HandshakeError::Malformed(without_version(view)));
        };
        let Some(version) = version.to_str() else {
            return Err(HandshakeError::Malformed("`protocolVersion` is not a string".to_owned()));
        };
        let Some(revision) = Revision::spoken(&version) else {
            return Err(HandshakeError::Version(alloc::vec![version.into_owned()]));
        };
        let mut odd = Vec::new();
        let server = Implementation::read(object(view, &mut odd, "serverInfo"));
        let capabilities = declared(view, &mut odd);
        let instructions = view.get("instructions").and_then(View::to_text);
        Ok((Self { revision, server, capabilities, instructions, raw }, odd))
    }

    /// Reads the result of `server/discover`. The server's name stands in `_meta`, or where it stood before.
    pub(crate) fn read_discovered(raw: RawJson) -> (Self, Vec<Violation>) {
        let view = raw.view();
        let mut odd = Vec::new();
        let named =
            view.get("_meta").and_then(|meta| meta.get(SERVER_INFO)).or_else(|| view.get("serverInfo"));
        let server = Implementation::read(named.unwrap_or(View::trusted("{}")));
        let capabilities = declared(view, &mut odd);
        let instructions = view.get("instructions").and_then(View::to_text);
        (Self { revision: Revision::V2026_07_28, server, capabilities, instructions, raw }, odd)
    }
}

/// Reads what a server declared.
fn declared(view: View<'_>, odd: &mut Vec<Violation>) -> Capabilities {
    let capabilities = Capabilities::read(object(view, odd, "capabilities"));
    let tools = capabilities.raw.view().get("tools");
    if tools.is_some_and(|tools| tools.kind() != Kind::Object) {
        odd.push(Violation::OddHandshake { member: "capabilities.tools", expected: "an object" });
    }
    capabilities
}

/// Returns a member that must be an object; an empty one, and a violation, where it is not.
fn object<'a>(view: View<'a>, odd: &mut Vec<Violation>, member: &'static str) -> View<'a> {
    let found = view.get(member).filter(|value| value.kind() == Kind::Object);
    if found.is_none() {
        odd.push(Violation::OddHandshake { member, expected: "an object" });
    }
    found.unwrap_or(View::trusted("{}"))
}

/// Says what a result without a version holds; some servers nest the error they mean (`{"error":{…}}`).
fn without_version(view: View<'_>) -> String {
    match view.get("error") {
        Some(error) => {
            let error = crate::jsonrpc::RpcError::read(error);
            alloc::format!("`protocolVersion` is absent, an error stands in the result: {error}")
        }
        None => "`protocolVersion` is absent".to_string(),
    }
}
