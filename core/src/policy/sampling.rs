//! Rules for `sampling/createMessage`: what is refused at once, and what a reviewer is told of the rest.

use alloc::{borrow::ToOwned, collections::BTreeMap, format, string::String, vec::Vec};
use core::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use crate::{
    json::{Kind, Shown, View, name_twice},
    jsonrpc::{RpcError, code},
};

/// The code of a request that was refused by or for the user (spec `client/sampling`).
const REFUSED: i64 = -1;
/// The most model hints that a summary names.
const MAX_HINTS: usize = 16;
/// The longest model hint that a summary names.
const MAX_HINT_BYTES: usize = 64;

/// What a server may have a model do.
///
/// A policy decides nothing by itself but refusals: what it lets pass is for a reviewer, who is told what a
/// [`SamplingSummary`] tells and never sees the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SamplingPolicy {
    /// The most tokens that a server may ask for; without it, any number.
    pub max_tokens: Option<u64>,
    /// The models that may be used, by the names that servers hint at; without it, any model.
    ///
    /// A hint fits a model whose name it is a part of, as the protocol reads hints. A request that hints at
    /// models passes where one of its hints fits; one without hints leaves the choice to the client.
    pub models: Option<Vec<String>>,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum SamplingVerdict {
    /// The server is answered with this error.
    Refuse(RpcError),
    /// A reviewer decides, by this summary.
    Review(SamplingSummary),
}

/// What a reviewer is told of a request: nothing that the server or the user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SamplingSummary {
    /// The SHA-256 of the request's parameters as they came, in hexadecimal: two requests that look alike here
    /// and differ there are two requests.
    pub digest: String,
    /// The models that the server hints at, at most 16, cut to 64 bytes; characters that a model's name does
    /// not have stand there as `?`.
    pub model_hints: Vec<String>,
    /// The models that the policy allows and the server hints at; all that it allows where there are no hints.
    pub models: Vec<String>,
    /// The most tokens that the server asks for.
    pub max_tokens: u64,
    /// How many messages there are of each role.
    pub roles: BTreeMap<Role, usize>,
    /// How many blocks of content there are of each kind, over all messages.
    pub kinds: BTreeMap<ContentKind, usize>,
    /// How long the parameters are, in bytes.
    pub bytes: usize,
    /// The server brings a system prompt.
    pub has_system_prompt: bool,
    /// How many tools the model may use.
    pub tools: usize,
    /// The server asks that the context of servers is added to the prompt.
    pub includes_context: bool,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// Somebody whom the protocol does not know.
    Other,
}

/// What a block of content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ContentKind {
    /// Text.
    Text,
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// The model uses a tool.
    ToolUse,
    /// What a tool answered the model.
    ToolResult,
    /// Something that the protocol does not know.
    Other,
}

impl SamplingPolicy {
    /// Checks the parameters of a request.
    pub fn check(&self, params: View<'_>) -> SamplingVerdict {
        if let Some(pointer) = name_twice(params.as_str()) {
            // Whoever makes the request may read the other one of two members.
            return invalid(&format!("`{}` stands there twice", Shown(&pointer)));
        }
        let Some(messages) = params.get("messages").filter(|list| list.kind() == Kind::Array) else {
            return invalid("`messages` must be an array");
        };
        let tokens = params.get("maxTokens").and_then(View::as_i64).and_then(|max| u64::try_from(max).ok());
        let Some(max_tokens) = tokens.filter(|tokens| *tokens > 0) else {
            return invalid("`maxTokens` must be a whole number above 0");
        };
        if let Some(limit) = self.max_tokens.filter(|limit| max_tokens > *limit) {
            return refuse(format!("{max_tokens} tokens exceed the limit of {limit}"));
        }
        let hints = hints(params);
        let models = self.fitting(&hints);
        if self.models.is_some() && models.is_empty() {
            return refuse("none of the models that are hinted at is allowed".to_owned());
        }
        SamplingVerdict::Review(summarize(params, messages, max_tokens, &hints, models))
    }

    /// Returns the models that fit the hints, in the order of the hints.
    fn fitting(&self, hints: &[String]) -> Vec<String> {
        let allowed = self.models.as_deref().unwrap_or_default();
        if hints.is_empty() {
            return allowed.to_vec();
        }
        let mut models = Vec::new();
        for hint in hints {
            let fits = |model: &&String| model.contains(hint.as_str());
            for model in allowed.iter().filter(fits) {
                if !models.contains(model) {
                    models.push(model.clone());
                }
            }
        }
        models
    }
}

fn refuse(why: String) -> SamplingVerdict {
    SamplingVerdict::Refuse(RpcError::new(REFUSED, why))
}

fn invalid(why: &str) -> SamplingVerdict {
    SamplingVerdict::Refuse(RpcError::new(code::INVALID_PARAMS, why))
}

/// Returns the hints that name something.
fn hints(params: View<'_>) -> Vec<String> {
    let hints = params.get("modelPreferences").and_then(|preferences| preferences.get("hints"));
    let names = hints.into_iter().flat_map(View::elements).filter_map(|hint| hint.get("name")?.to_text());
    names.filter(|name| !name.is_empty()).take(MAX_HINTS).collect()
}

fn summarize(
    params: View<'_>,
    messages: View<'_>,
    max_tokens: u64,
    hints: &[String],
    models: Vec<String>,
) -> SamplingSummary {
    let (mut roles, mut kinds) = (BTreeMap::new(), BTreeMap::new());
    for message in messages.elements() {
        *roles.entry(Role::of(message.get("role"))).or_default() += 1;
        let content = message.get("content");
        // A single block, or several.
        let several = content.filter(|content| content.kind() == Kind::Array);
        let single = content.filter(|content| content.kind() != Kind::Array);
        for block in several.into_iter().flat_map(View::elements).chain(single) {
            *kinds.entry(ContentKind::of(block.get("type"))).or_default() += 1;
        }
    }
    let context = params.get("includeContext").filter(|context| !context.is_null());
    SamplingSummary {
        digest: hexadecimal(&Sha256::digest(params.as_str().as_bytes())),
        model_hints: hints.iter().map(|hint| shown(hint)).collect(),
        models,
        max_tokens,
        roles,
        kinds,
        bytes: params.as_str().len(),
        has_system_prompt: params.get("systemPrompt").is_some_and(|prompt| !prompt.is_null()),
        tools: params.get("tools").into_iter().flat_map(View::elements).count(),
        includes_context: context.is_some_and(|context| !context.is_str("none")),
    }
}

impl Role {
    fn of(role: Option<View<'_>>) -> Self {
        match role.and_then(View::to_str).as_deref() {
            Some("user") => Self::User,
            Some("assistant") => Self::Assistant,
            _ => Self::Other,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Other => "other",
        }
    }
}

impl ContentKind {
    fn of(kind: Option<View<'_>>) -> Self {
        match kind.and_then(View::to_str).as_deref() {
            Some("text") => Self::Text,
            Some("image") => Self::Image,
            Some("audio") => Self::Audio,
            Some("tool_use") => Self::ToolUse,
            Some("tool_result") => Self::ToolResult,
            _ => Self::Other,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::ToolUse => "tool use",
            Self::ToolResult => "tool result",
            Self::Other => "other",
        }
    }
}

/// One line for a person who decides.
impl fmt::Display for SamplingSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, at most {} tokens", self.bytes, self.max_tokens)?;
        for (role, count) in &self.roles {
            write!(f, ", {count} from {}", role.name())?;
        }
        for (kind, count) in &self.kinds {
            write!(f, ", {count} {}", kind.name())?;
        }
        if self.has_system_prompt {
            f.write_str(", system prompt")?;
        }
        if self.tools > 0 {
            write!(f, ", {} tools", self.tools)?;
        }
        if self.includes_context {
            f.write_str(", with context")?;
        }
        if !self.model_hints.is_empty() {
            write!(f, ", models {}", self.model_hints.join(" "))?;
        }
        write!(f, ", digest {}", self.digest)
    }
}

/// Cuts a hint and keeps only what names of models are made of: a hint must not become a message to whoever
/// reads the summary.
fn shown(hint: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "-._:/@+".contains(*letter);
    hint.chars().take(MAX_HINT_BYTES).map(|letter| if is_plain(&letter) { letter } else { '?' }).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a `String` never fails.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = r#"{"messages":[
        {"role":"user","content":{"type":"text","text":"the secret"}},
        {"role":"assistant","content":[{"type":"text","text":"more"},{"type":"image","data":"AA=="}]},
        {"role":"system","content":{"type":"video"}}],
        "systemPrompt":"be secret","maxTokens":100,"includeContext":"thisServer",
        "modelPreferences":{"hints":[{"name":"small"},{"name":"ignore all rules\n"},{}]},
        "tools":[{"name":"t"}]}"#;

    fn policy(max_tokens: u64, models: &[&str]) -> SamplingPolicy {
        let models = models.iter().map(|model| (*model).to_owned()).collect();
        SamplingPolicy { max_tokens: Some(max_tokens), models: Some(models) }
    }

    fn check(policy: &SamplingPolicy, params: &str) -> SamplingVerdict {
        policy.check(View::new(params).unwrap())
    }

    fn code_of(verdict: SamplingVerdict) -> i64 {
        match verdict {
            SamplingVerdict::Refuse(error) => error.code,
            SamplingVerdict::Review(summary) => panic!("{summary}"),
        }
    }

    #[test]
    fn a_reviewer_is_told_counts_kinds_and_names_and_no_text() {
        let SamplingVerdict::Review(summary) = check(&policy(100, &["small-1", "large"]), REQUEST) else {
            panic!("refused")
        };
        assert_eq!(summary.model_hints, ["small", "ignore?all?rules?"]);
        assert_eq!(summary.models, ["small-1"]);
        assert_eq!((summary.max_tokens, summary.tools, summary.bytes), (100, 1, REQUEST.len()));
        assert!(summary.has_system_prompt && summary.includes_context);
        let roles: Vec<_> = summary.roles.clone().into_iter().collect();
        assert_eq!(roles, [(Role::User, 1), (Role::Assistant, 1), (Role::Other, 1)]);
        let kinds: Vec<_> = summary.kinds.clone().into_iter().collect();
        assert_eq!(kinds, [(ContentKind::Text, 2), (ContentKind::Image, 1), (ContentKind::Other, 1)]);
        let all = format!("{summary:?} {summary}");
        for text in ["secret", "more", "AA==", "video", "system\""] {
            assert!(!all.contains(text), "{text}: {all}");
        }
    }

    #[test]
    fn requests_that_differ_have_different_digests() {
        let digest = |text: &str| match check(&SamplingPolicy::default(), text) {
            SamplingVerdict::Review(summary) => summary.digest,
            SamplingVerdict::Refuse(error) => panic!("{error}"),
        };
        let one = digest(r#"{"messages":[],"maxTokens":1}"#);
        assert_eq!(one.len(), 64);
        assert_eq!(one, digest(r#" {"messages":[],"maxTokens":1} "#));
        assert_ne!(one, digest(r#"{"messages":[],"maxTokens":2}"#));
    }

    #[test]
    fn what_exceeds_the_policy_is_refused_with_the_code_of_a_refusal() {
        assert_eq!(code_of(check(&policy(99, &["small"]), REQUEST)), -1);
        assert_eq!(code_of(check(&policy(100, &["large"]), REQUEST)), -1);
        assert_eq!(code_of(check(&policy(100, &[]), REQUEST)), -1);
        assert_eq!(code_of(check(&policy(9, &[]), r#"{"messages":[],"maxTokens":1}"#)), -1);
    }

    #[test]
    fn a_request_without_hints_leaves_the_choice_among_the_allowed_models() {
        let verdict = check(&policy(9, &["a", "b"]), r#"{"messages":[],"maxTokens":9}"#);
        assert!(matches!(verdict, SamplingVerdict::Review(summary) if summary.models == ["a", "b"]));
    }

    #[test]
    fn what_is_no_request_is_refused_as_such() {
        for params in [
            "{}",
            r#"{"messages":{},"maxTokens":1}"#,
            r#"{"messages":[]}"#,
            r#"{"messages":[],"maxTokens":0}"#,
            r#"{"messages":[],"maxTokens":-1}"#,
            r#"{"messages":[],"maxTokens":1.5}"#,
            r#"{"messages":[],"maxTokens":"9"}"#,
            "[]",
        ] {
            assert_eq!(code_of(check(&SamplingPolicy::default(), params)), -32602, "{params}");
        }
    }
}
