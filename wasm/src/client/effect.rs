//! A client's effects and events as objects.

#[cfg(feature = "checks")]
use selvedge_core::client::Side;
use selvedge_core::client::{
    AskId, CallId, Effect, Event, Evidence, ExitStatus, Offered, OpenError, Progress, Reason, RetirementError,
};
use selvedge_core::protocol::Interests;
use wasm_bindgen::JsValue;

pub use super::handles::Handles;
use super::outcome::{hint, outcome};
#[cfg(feature = "checks")]
use crate::peer::skipped;
use crate::{
    js::Uint8Array,
    object::{Object, whole_unsigned},
    peer::{handshake, revisions, rpc_error, violation},
};

/// Makes the object of an effect; requests of the server get their numbers from `asks`.
pub fn effect(effect: &Effect, asks: &mut Handles<AskId>) -> JsValue {
    match effect {
        Effect::Open => Object::kind("open"),
        Effect::Send(bytes) => Object::kind("send").value("bytes", &Uint8Array::copied(bytes)),
        Effect::CloseInput => Object::kind("closeInput"),
        Effect::Terminate => Object::kind("terminate"),
        Effect::Kill => Object::kind("kill"),
        Effect::Event(happened) => Object::kind("event").value("event", &event(happened, asks)),
    }
    .done()
}

fn event(event: &Event, asks: &mut Handles<AskId>) -> JsValue {
    match event {
        Event::Ready(settled) => Object::kind("ready").value("handshake", &handshake(settled)),
        Event::Replaced(why) => Object::kind("replaced").value("reason", &reason(why)),
        Event::Settled { call, outcome: ended } => {
            of_call("settled", *call).value("outcome", &outcome(ended))
        }
        Event::Progressed { call, progress } => {
            of_call("progressed", *call).value("progress", &how_far(progress))
        }
        Event::ToolsChanged => Object::kind("toolsChanged"),
        Event::ResourcesChanged => Object::kind("resourcesChanged"),
        Event::PromptsChanged => Object::kind("promptsChanged"),
        Event::ResourceUpdated { uri } => Object::kind("resourceUpdated").text("uri", uri),
        Event::Logged { level, logger, data } => Object::kind("logged")
            .text("level", level)
            .maybe_text("logger", logger.as_deref())
            .both("data", data.as_str()),
        Event::Asked { ask, what, params } => Object::kind("asked")
            .number("ask", asks.give(ask))
            .text("what", offered(*what))
            .both("params", params.as_str()),
        Event::AskWithdrawn { ask } => Object::kind("askWithdrawn").maybe("ask", asks.end(ask)),
        #[cfg(feature = "checks")]
        Event::Unchecked(what) => Object::kind("unchecked")
            .text("tool", &what.tool)
            .text("side", if what.side == Side::Arguments { "arguments" } else { "result" })
            .list("reasons", what.reasons.iter().map(skipped)),
        Event::ListenEnded { listen, interests: about, error } => Object::kind("listenEnded")
            .value("listen", &whole_unsigned(listen.as_u64()))
            .value("interests", &interests(about))
            .maybe("error", error.as_ref().map(rpc_error)),
        Event::PeerViolated(what) => Object::kind("peerViolated").value("violation", &violation(what)),
        Event::PeerErrored(error) => Object::kind("peerErrored").value("error", &rpc_error(error)),
        Event::Closed(why) => Object::kind("closed").value("reason", &reason(why)),
        Event::Retired(Ok(seen)) => {
            Object::kind("retired").flag("ok", true).value("evidence", &evidence(*seen))
        }
        Event::Retired(Err(error)) => {
            Object::kind("retired").flag("ok", false).value("error", &retirement_error(*error))
        }
        _ => Object::kind("other"),
    }
    .done()
}

fn of_call(kind: &'static str, call: CallId) -> Object {
    Object::kind(kind).value("call", &whole_unsigned(call.as_u64()))
}

pub(crate) fn interests(interests: &Interests) -> JsValue {
    Object::plain()
        .flag("tools", interests.tools)
        .flag("prompts", interests.prompts)
        .flag("resources", interests.resources)
        .list("uris", interests.uris.iter().map(|uri| JsValue::from_str(uri)))
        .done()
}

pub(crate) const fn offered(what: Offered) -> &'static str {
    match what {
        Offered::Sampling => "sampling",
        Offered::Elicitation => "elicitation",
        Offered::Roots => "roots",
    }
}

fn how_far(progress: &Progress) -> JsValue {
    let (done, total) = (progress.progress.as_str(), progress.total.as_ref().map(AsRef::as_ref));
    let raw = Object::plain().text("progress", done).maybe_text("total", total).done();
    Object::plain()
        .json("progress", done)
        .maybe_json("total", total)
        .value("raw", &raw)
        .maybe_text("message", progress.message.as_deref())
        .maybe("share", progress.share().map(JsValue::from_f64))
        .done()
}

pub(crate) fn reason(reason: &Reason) -> JsValue {
    let told = |kind: &'static str| Object::told(kind, reason);
    match reason {
        Reason::ShutDown => told("shutDown"),
        Reason::OpenFailed(error) => told("openFailed").text("failure", open_error(error)),
        Reason::HandshakeTimedOut { after, hint: found } => {
            told("handshakeTimedOut").time("after", *after).maybe("hint", found.as_ref().map(hint))
        }
        Reason::HandshakeRefused(error) => told("handshakeRefused").value("error", &rpc_error(error)),
        Reason::HandshakeMalformed(_) => told("handshakeMalformed"),
        Reason::VersionUnsupported { server, client } => told("versionUnsupported")
            .list("server", server.iter().map(|name| JsValue::from_str(name)))
            .list("client", revisions(client)),
        Reason::OutputClosed => told("outputClosed"),
        Reason::InputClosed(_) => told("inputClosed"),
        Reason::Exited(status) => told("exited").value("status", &exit_status(*status)),
        Reason::Violated(what) => told("violated").value("violation", &violation(what)),
        _ => told("other"),
    }
    .done()
}

const fn open_error(error: &OpenError) -> &'static str {
    match error {
        OpenError::CommandNotFound(_) => "commandNotFound",
        OpenError::NotExecutable(_) => "notExecutable",
        OpenError::DirectoryNotFound(_) => "directoryNotFound",
        _ => "other",
    }
}

fn exit_status(status: ExitStatus) -> JsValue {
    Object::plain()
        .maybe("code", status.code.map(JsValue::from))
        .maybe("signal", status.signal.map(JsValue::from))
        .done()
}

fn evidence(evidence: Evidence) -> JsValue {
    match evidence {
        Evidence::NeverOpened => Object::kind("neverOpened"),
        Evidence::Exited(status) => Object::kind("exited").value("status", &exit_status(status)),
        _ => Object::kind("other"),
    }
    .done()
}

fn retirement_error(error: RetirementError) -> JsValue {
    match error {
        RetirementError::RetirementTimedOut { after } => {
            Object::told("retirementTimedOut", &error).time("after", after)
        }
        RetirementError::RetirementUnconfirmed => Object::told("retirementUnconfirmed", &error),
        _ => Object::told("other", &error),
    }
    .done()
}
