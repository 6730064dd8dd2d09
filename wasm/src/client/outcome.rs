//! How calls end, as objects.

use selvedge_core::{
    client::{Answer, AnswerFault, CallError, Hint},
    protocol::{
        CallToolResult, Completion, Content, Listing, Prompt, PromptResult, Quarantined, ReadResult,
        Resource, ResourceTemplate, Tool,
    },
};
use wasm_bindgen::JsValue;

use super::effect::{interests, offered, reason};
#[cfg(feature = "checks")]
use crate::peer::mismatch;
use crate::{
    object::{Object, list, whole_unsigned},
    peer::{fault_name, handshake, rpc_error, syntax, violation},
};

pub(super) fn outcome(outcome: &Result<Answer, CallError>) -> JsValue {
    match outcome {
        Ok(given) => Object::plain().flag("ok", true).value("answer", &answer(given)),
        Err(error) => Object::plain().flag("ok", false).value("error", &call_error(error)),
    }
    .done()
}

fn answer(answer: &Answer) -> JsValue {
    match answer {
        Answer::Called(result) => Object::kind("called").value("result", &called(result)),
        Answer::Tools(found) => Object::kind("tools").value("listing", &listing(found, tool)),
        Answer::Resources(found) => Object::kind("resources").value("listing", &listing(found, resource)),
        Answer::ResourceTemplates(found) => {
            Object::kind("resourceTemplates").value("listing", &listing(found, template))
        }
        Answer::Prompts(found) => Object::kind("prompts").value("listing", &listing(found, prompt)),
        Answer::Resource(read) => Object::kind("resource").value("result", &contents(read)),
        Answer::Prompt(result) => Object::kind("prompt").value("result", &messages(result)),
        Answer::Completion(found) => Object::kind("completion").value("result", &completion(found)),
        Answer::Listening { listen, agreed } => Object::kind("listening")
            .value("listen", &whole_unsigned(listen.as_u64()))
            .value("agreed", &interests(agreed)),
        Answer::Discovered(found) => Object::kind("discovered").value("handshake", &handshake(found)),
        Answer::Done => Object::kind("done"),
        Answer::Raw(result) => Object::kind("raw").both("result", result.as_str()),
        _ => Object::kind("other"),
    }
    .done()
}

/// A result crosses as its text alone: its parts are parsed once, where somebody looks.
fn called(result: &CallToolResult) -> JsValue {
    Object::plain().flag("isError", result.is_error()).result(result.raw().as_str()).done()
}

fn listing<T>(listing: &Listing<T>, item: impl Fn(&T) -> JsValue) -> JsValue {
    Object::plain()
        .list("items", listing.items.iter().map(item))
        .list("quarantined", listing.quarantined.iter().map(quarantined))
        .done()
}

fn quarantined(entry: &Quarantined) -> JsValue {
    Object::plain()
        .size("index", entry.index)
        .maybe_text("name", entry.name.as_deref())
        .text("reason", &entry.reason)
        .done()
}

fn tool(tool: &Tool) -> JsValue {
    Object::plain()
        .text("name", &tool.name)
        .maybe_text("title", tool.title.as_deref())
        .maybe_text("description", tool.description.as_deref())
        .json("inputSchema", tool.input_schema.as_str())
        .maybe_json("outputSchema", tool.output_schema.as_ref().map(AsRef::as_ref))
        .maybe_json("annotations", tool.annotations.as_ref().map(AsRef::as_ref))
        .text("raw", tool.raw.as_str())
        .done()
}

fn resource(resource: &Resource) -> JsValue {
    Object::plain()
        .text("uri", &resource.uri)
        .text("name", &resource.name)
        .maybe_text("title", resource.title.as_deref())
        .maybe_text("description", resource.description.as_deref())
        .maybe_text("mimeType", resource.mime_type.as_deref())
        .maybe("size", resource.size.map(whole_unsigned))
        .text("raw", resource.raw.as_str())
        .done()
}

fn template(template: &ResourceTemplate) -> JsValue {
    Object::plain()
        .text("uriTemplate", &template.uri_template)
        .text("name", &template.name)
        .maybe_text("title", template.title.as_deref())
        .maybe_text("description", template.description.as_deref())
        .maybe_text("mimeType", template.mime_type.as_deref())
        .text("raw", template.raw.as_str())
        .done()
}

fn prompt(prompt: &Prompt) -> JsValue {
    let arguments = prompt.arguments.iter().map(|argument| {
        Object::plain()
            .text("name", &argument.name)
            .maybe_text("title", argument.title.as_deref())
            .maybe_text("description", argument.description.as_deref())
            .flag("required", argument.required)
            .done()
    });
    Object::plain()
        .text("name", &prompt.name)
        .maybe_text("title", prompt.title.as_deref())
        .maybe_text("description", prompt.description.as_deref())
        .list("arguments", arguments)
        .text("raw", prompt.raw.as_str())
        .done()
}

fn contents(read: &ReadResult) -> JsValue {
    let contents = read.contents.iter().map(|part| {
        Object::plain()
            .text("uri", &part.uri)
            .maybe_text("mimeType", part.mime_type.as_deref())
            .maybe_text("text", part.text.as_deref())
            .maybe_text("blob", part.blob.as_deref())
            .done()
    });
    Object::plain().list("contents", contents).text("raw", read.raw.as_str()).done()
}

fn messages(result: &PromptResult) -> JsValue {
    let messages = result.messages.iter().map(|message| {
        Object::plain().text("role", &message.role).value("content", &content(&message.content())).done()
    });
    Object::plain()
        .maybe_text("description", result.description.as_deref())
        .list("messages", messages)
        .text("raw", result.raw.as_str())
        .done()
}

fn content(content: &Content<'_>) -> JsValue {
    match content {
        Content::Text(text) => Object::kind("text").text("text", text),
        Content::Other { kind, raw } => Object::kind("other").text("type", kind).both("value", raw.as_str()),
        _ => Object::kind("other").text("type", "").both("value", "null"),
    }
    .done()
}

fn completion(found: &Completion) -> JsValue {
    Object::plain()
        .value("values", &list(found.values.iter().map(|value| JsValue::from_str(value))))
        .maybe("total", found.total.map(whole_unsigned))
        .flag("hasMore", found.has_more)
        .text("raw", found.raw.as_str())
        .done()
}

fn call_error(error: &CallError) -> JsValue {
    let told = |kind: &'static str| Object::told(kind, error);
    match error {
        CallError::ToolFailed(result) => told("toolFailed").value("result", &called(result)),
        CallError::Refused(answered) => told("refused").value("error", &rpc_error(answered)),
        CallError::TimedOut { after, hint: found } => {
            told("timedOut").time("after", *after).maybe("hint", found.as_ref().map(hint))
        }
        CallError::AskRefused { what, error } => {
            told("askRefused").text("what", offered(*what)).value("error", &rpc_error(error))
        }
        #[cfg(feature = "checks")]
        CallError::BadResult(bad) => told("badResult")
            .value("mismatch", &mismatch(&bad.mismatch))
            .value("result", &called(&bad.result)),
        CallError::TooManyRounds { limit } => told("tooManyRounds").size("limit", *limit),
        CallError::NotHonoured => told("notHonoured"),
        CallError::StreamEnded => told("streamEnded"),
        CallError::Cancelled => told("cancelled"),
        CallError::Unavailable(why) => told("unavailable").value("reason", &reason(why)),
        CallError::Malformed { fault, raw } => told("malformed")
            .value("fault", &answer_fault(fault))
            .maybe_text("raw", raw.as_ref().map(AsRef::as_ref)),
        CallError::TooLarge { limit } => told("tooLarge").size("limit", *limit),
        CallError::PaginationLoop { cursor } => told("paginationLoop").text("cursor", cursor),
        CallError::TooManyPages { limit } => told("tooManyPages").size("limit", *limit),
        CallError::ListingTooLarge { limit } => told("listingTooLarge").size("limit", *limit),
        _ => told("other"),
    }
    .done()
}

fn answer_fault(fault: &AnswerFault) -> JsValue {
    let told = |kind: &'static str| Object::told(kind, fault);
    match fault {
        AnswerFault::NotJson(found) => syntax(told("notJson"), *found),
        AnswerFault::NotUtf8 { valid_up_to } => told("notUtf8").size("validUpTo", *valid_up_to),
        AnswerFault::NotJsonRpc(found) => told("notJsonRpc").word("fault", fault_name(*found)),
        AnswerFault::WrongShape(found) => told("wrongShape")
            .text("member", &found.member)
            .text("expected", found.expected)
            .text("found", found.found),
        AnswerFault::UnknownKind(kind) => told("unknownKind").text("resultType", kind),
        AnswerFault::NotOffered(what) => told("notOffered").text("what", what),
        AnswerFault::Questions(fault) => told("questions").value("violation", &violation(fault)),
        AnswerFault::BadEntry { index, reason } => {
            told("badEntry").size("index", *index).text("reason", reason)
        }
        _ => told("other"),
    }
    .done()
}

pub(super) fn hint(hint: &Hint) -> JsValue {
    match hint {
        Hint::MultiLineJson => Object::told("multiLineJson", hint),
        Hint::Utf16 => Object::told("utf16", hint),
        Hint::Echo => Object::told("echo", hint),
        Hint::PeerError(error) => Object::told("peerError", hint).value("error", &rpc_error(error)),
        _ => Object::told("other", hint),
    }
    .done()
}
