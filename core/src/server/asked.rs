//! What a client asks for, read from its parameters, and why it may not be done.

use alloc::{format, string::String, sync::Arc};
use core::fmt::Write as _;

use super::{Hub, Request, dispatch::Params, hub::Source};
use crate::{
    json::{Kind, RawJson, View, push_string},
    jsonrpc::{Id, RpcError, code},
    protocol::{ListKind, Revision},
    validate::{Mismatch, Outcome},
};

impl Hub {
    /// Reads what a client wants of the application; `None` where nothing of the kind is offered.
    pub(super) fn read_request(
        &self,
        method: &str,
        params: &Params<'_>,
    ) -> Result<Option<Request>, RpcError> {
        let request = match method {
            "tools/call" => {
                let name =
                    known(params, "tool", |name| self.tools.get(name).is_some(), || self.tools.keys())?;
                Request::CallTool { name, arguments: object(params.arguments, "arguments")? }
            }
            "prompts/get" if self.offers(ListKind::Prompts) => {
                let name =
                    known(params, "prompt", |name| self.prompts.get(name).is_some(), || self.prompts.keys())?;
                let arguments = object(params.arguments, "arguments")?;
                self.check_prompt(&name, &arguments)?;
                Request::GetPrompt { name, arguments }
            }
            "resources/read" if self.offers(ListKind::Resources) => {
                let uri = params
                    .uri
                    .and_then(View::to_text)
                    .ok_or_else(|| bad_params("uri", "must be a string"))?;
                Request::ReadResource { uri }
            }
            "completion/complete" if self.config.completes => Request::Complete {
                reference: present(params.reference, "ref")?,
                argument: present(params.argument, "argument")?,
                context: params.context.map(|context| object(Some(context), "context")).transpose()?,
            },
            _ => return Ok(None),
        };
        Ok(Some(request))
    }

    fn check_prompt(&self, name: &str, arguments: &RawJson) -> Result<(), RpcError> {
        let Some(prompt) = self.prompts.get(name) else { return Ok(()) };
        let declared = prompt.raw.view().get("arguments");
        for argument in declared.into_iter().flat_map(View::elements) {
            let is_required = argument.get("required").and_then(View::as_bool) == Some(true);
            let Some(key) = argument.get("name").and_then(View::to_str) else { continue };
            if is_required && arguments.view().get(&key).is_none() {
                return Err(bad_params(&format!("arguments/{key}"), "is missing"));
            }
        }
        Ok(())
    }

    /// Returns why a tool is not called: it may not be, or its arguments do not fit its schema.
    pub(super) fn refuse_tool(&mut self, name: &str, arguments: &RawJson) -> Option<ToolRefusal> {
        let entry = self.tools.get_mut(name)?;
        if !self.config.allows_destructive && entry.is_destructive() {
            return Some(ToolRefusal::Destructive { name: name.into() });
        }
        match entry.validator().check(arguments.view()) {
            Outcome::Valid => None,
            Outcome::Invalid(mismatch) => {
                Some(ToolRefusal::Mismatch { name: name.into(), mismatch: *mismatch })
            }
            Outcome::GaveUp(reason) => {
                Some(ToolRefusal::Unchecked { name: name.into(), reason: format!("{reason}") })
            }
        }
    }

    /// Tells a client why its tool is not called: as a tool's failure, which its model sees, wherever the
    /// revision allows that (2025-11-25 `server/tools`, error handling).
    pub(super) fn refuse_call(&mut self, source: Source, id: &Id, revision: Revision, refusal: &ToolRefusal) {
        let is_failure =
            matches!(refusal, ToolRefusal::Destructive { .. }) || revision >= Revision::V2025_11_25;
        let message = refusal.message(&self.config.destructive_hint);
        if !is_failure {
            let error = RpcError::new(code::INVALID_PARAMS, message).with_text(refusal.data());
            return self.reply_error(source, Some(id), &error);
        }
        self.fail_tool(source, id, revision, &message);
    }

    /// Answers a call of a tool with a tool's failure.
    pub(super) fn fail_tool(&mut self, source: Source, id: &Id, revision: Revision, message: &str) {
        self.reply_members(source, id, revision.era(), |_, out| {
            out.push_str("\"content\":[{\"type\":\"text\",\"text\":");
            push_string(out, message);
            out.push_str("}],\"isError\":true");
        });
    }
}

/// Why a tool is not called.
pub(super) enum ToolRefusal {
    Destructive { name: String },
    Mismatch { name: String, mismatch: Mismatch },
    Unchecked { name: String, reason: String },
}

impl ToolRefusal {
    fn message(&self, hint: &str) -> String {
        match self {
            Self::Destructive { name } if hint.is_empty() => {
                format!("the tool `{name}` is destructive and destructive tools are not allowed here")
            }
            Self::Destructive { name } => {
                format!("the tool `{name}` is destructive and destructive tools are not allowed here; {hint}")
            }
            Self::Mismatch { name, mismatch } => format!("invalid arguments of `{name}`: {mismatch}"),
            Self::Unchecked { name, reason } => {
                format!("the arguments of `{name}` cannot be checked: {reason}")
            }
        }
    }

    /// Returns the data of the error that says so.
    fn data(&self) -> String {
        let mut data = String::from("{\"tool\":");
        let (name, path) = match self {
            Self::Destructive { name } | Self::Unchecked { name, .. } => (name, ""),
            Self::Mismatch { name, mismatch } => (name, mismatch.pointer.as_str()),
        };
        push_string(&mut data, name);
        data.push_str(",\"path\":");
        push_string(&mut data, &format!("/params/arguments{path}"));
        data.push('}');
        data
    }
}

/// Reads the name of a listed entry.
fn known<'a, I: Iterator<Item = &'a str>>(
    params: &Params<'_>,
    what: &str,
    is_known: impl Fn(&str) -> bool,
    names: impl Fn() -> I,
) -> Result<String, RpcError> {
    let name = params.name.and_then(View::to_text).ok_or_else(|| bad_params("name", "must be a string"))?;
    if is_known(&name) {
        return Ok(name);
    }
    let mut message = format!("unknown {what} ");
    push_string(&mut message, &name);
    if let Some(near) = crate::validate::nearest(&name, &mut names()) {
        let _ = write!(message, ": did you mean `{near}`?");
    }
    let mut data = format!("{{\"{what}\":");
    push_string(&mut data, &name);
    data.push('}');
    Err(RpcError::new(code::INVALID_PARAMS, message).with_text(data))
}

fn object(view: Option<View<'_>>, member: &str) -> Result<Arc<RawJson>, RpcError> {
    let view = view.unwrap_or(View::trusted("{}"));
    if view.kind() != Kind::Object {
        return Err(bad_params(member, "must be an object"));
    }
    Ok(Arc::new(view.to_raw()))
}

fn present(view: Option<View<'_>>, member: &str) -> Result<Arc<RawJson>, RpcError> {
    view.map_or_else(|| Err(bad_params(member, "is missing")), |view| object(Some(view), member))
}

pub(super) fn bad_params(member: &str, fault: &str) -> RpcError {
    let mut data = String::from("{\"path\":");
    push_string(&mut data, &format!("/params/{member}"));
    data.push('}');
    RpcError::new(code::INVALID_PARAMS, format!("`{member}` {fault}")).with_text(data)
}
