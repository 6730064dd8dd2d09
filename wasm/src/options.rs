//! Reads what an application chooses, member by member; a member that is not known is refused.

use core::time::Duration;

use selvedge_core::{
    ClientConfig, Limits, Patience, Tolerance,
    client::{CallOptions, EraPolicy, ExitStatus, Offers, OpenError},
    frame::Framing,
    json::{Kind, RawJson, View},
    jsonrpc::RpcError,
    protocol::{Implementation, Interests, LogLevel, Revision},
};
use wasm_bindgen::JsValue;

use crate::error::{bad_option, stringify};

/// What `js/glue.js` writes for `Infinity`, which JSON lacks.
const ENDLESS: &str = "Infinity";

/// What is wrong with an option.
pub(crate) type Fault = String;

/// Takes one member of an object.
type Member<'m> = dyn FnMut(&str, View<'_>) -> Result<(), Fault> + 'm;

/// Reads an object that an application passed; absent and `null` choose nothing.
pub(crate) fn read<T: Default>(
    value: &JsValue,
    parameter: &str,
    member: impl Fn(&mut T, &str, View<'_>) -> Result<(), Fault>,
) -> Result<T, JsValue> {
    let mut read = T::default();
    walk_value(value, parameter, &mut |name, value| member(&mut read, name, value))?;
    Ok(read)
}

fn walk_value(value: &JsValue, parameter: &str, member: &mut Member<'_>) -> Result<(), JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(());
    }
    let text = stringify(value, parameter)?;
    let view = View::new(&text).map_err(|fault| bad_option(&fault))?;
    walk(view, member).map_err(|fault| bad_option(&within(parameter, &fault)))
}

pub(crate) fn members<T>(
    target: &mut T,
    view: View<'_>,
    member: impl Fn(&mut T, &str, View<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    walk(view, &mut |name, value| member(target, name, value))
}

fn walk(view: View<'_>, member: &mut Member<'_>) -> Result<(), Fault> {
    if view.kind() != Kind::Object {
        return must_be("an object", view);
    }
    for (name, value) in view.members() {
        let name = name.to_str();
        member(&name, value).map_err(|fault| within(&name, &fault))?;
    }
    Ok(())
}

/// Reads every element of an array.
pub(crate) fn each<T>(view: View<'_>, read: impl Fn(View<'_>) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    if view.kind() != Kind::Array {
        return must_be("an array", view);
    }
    let elements = view.elements().enumerate();
    elements.map(|(at, value)| read(value).map_err(|fault| within(&at.to_string(), &fault))).collect()
}

/// Says of which member a fault is; one within a member begins with its path.
fn within(name: &str, fault: &str) -> Fault {
    fault.strip_prefix('`').map_or_else(|| format!("`{name}` {fault}"), |inner| format!("`{name}.{inner}"))
}

/// Reads a value into the field that a member is called after: one row for each, so that many need little code.
macro_rules! set {
    ($target:ident, $name:ident, $value:ident, $read:ident, $($word:literal => $field:ident),+ $(,)?) => {
        set(position(&[$($word),+], $name), &mut [$(&mut $target.$field),+], $value, $read)
    };
}

fn set<T>(
    at: Option<usize>,
    fields: &mut [&mut T],
    value: View<'_>,
    read: fn(View<'_>) -> Result<T, Fault>,
) -> Result<(), Fault> {
    let field = at.and_then(|at| fields.get_mut(at)).ok_or_else(unknown)?;
    **field = read(value)?;
    Ok(())
}

fn position(words: &[&str], name: &str) -> Option<usize> {
    words.iter().position(|word| *word == name)
}

pub(crate) fn unknown() -> Fault {
    "is not known".to_owned()
}

fn expected<T>(read: Option<T>, what: &str, value: View<'_>) -> Result<T, Fault> {
    read.map_or_else(|| must_be(what, value), Ok)
}

/// Refuses a value; the first of what was passed is said.
pub(crate) fn must_be<T>(what: &str, value: View<'_>) -> Result<T, Fault> {
    Err(format!("must be {what}, not {:.40}", value.as_str()))
}

pub(crate) fn text(value: View<'_>) -> Result<String, Fault> {
    expected(value.to_text(), "a string", value)
}

pub(crate) fn flag(value: View<'_>) -> Result<bool, Fault> {
    expected(value.as_bool(), "a boolean", value)
}

pub(crate) fn size(value: View<'_>) -> Result<usize, Fault> {
    if value.is_str(ENDLESS) {
        return Ok(usize::MAX);
    }
    // More than memory can hold is no bound either.
    let size = value.as_i64().and_then(|size| u64::try_from(size).ok());
    expected(size, "a whole number from 0 on", value).map(|size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// Reads milliseconds; `Infinity` has no end.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and no time is negative"
)]
pub(crate) fn time(value: View<'_>) -> Result<Duration, Fault> {
    if value.is_str(ENDLESS) {
        return Ok(Duration::MAX);
    }
    let millis = value.as_f64().filter(|millis| *millis >= 0.0);
    let millis = expected(millis, "a number of milliseconds from 0 on", value)?;
    // The cast saturates: what is longer than that has no end that anybody sees.
    Ok(Duration::from_micros((millis * 1_000.0) as u64))
}

/// Chooses by name.
pub(crate) fn word<T: Copy>(value: View<'_>, words: &[(&str, T)]) -> Result<T, Fault> {
    let found = words.iter().find(|(word, _)| value.is_str(word));
    found.map_or_else(
        || must_be(&one_of(&mut words.iter().map(|(word, _)| *word)), value),
        |(_, chosen)| Ok(*chosen),
    )
}

fn one_of(words: &mut dyn Iterator<Item = &str>) -> String {
    let mut fault = "one of ".to_owned();
    let mut separator = "\"";
    for word in words {
        fault.push_str(separator);
        fault.push_str(word);
        separator = "\", \"";
    }
    fault.push('"');
    fault
}

pub(crate) fn client_config(config: &mut ClientConfig, name: &str, value: View<'_>) -> Result<(), Fault> {
    match name {
        "implementation" => members(&mut config.implementation, value, implementation)?,
        "era" => config.era = era(value)?,
        "extensions" => members(&mut config.extensions, value, |extensions, name, settings| {
            extensions.insert(name.to_owned(), raw(settings)?);
            Ok(())
        })?,
        "listensForChanges" => config.listens_for_changes = flag(value)?,
        "offers" => members(&mut config.offers, value, offers)?,
        "checks" => checks(config, value)?,
        "tolerance" => {
            let words = [("tolerant", Tolerance::Tolerant), ("strict", Tolerance::Strict)];
            config.tolerance = word(value, &words)?;
        }
        "framing" => config.framing = framing(value)?,
        "patience" => config.patience = patience(value, config.patience)?,
        "farewell" => config.farewell = flag(value)?,
        "limits" => members(&mut config.limits, value, limits)?,
        _ => {
            return set!(config, name, value, time,
                "handshakeTimeout" => handshake_timeout,
                "probeTimeout" => probe_timeout,
                "closeGrace" => close_grace,
                "terminateGrace" => terminate_grace,
                "killGrace" => kill_grace,
                "drainGrace" => drain_grace,
                "changesInterval" => changes_interval,
                "retryInterval" => retry_interval,
            );
        }
    }
    Ok(())
}

pub(crate) fn implementation(target: &mut Implementation, name: &str, value: View<'_>) -> Result<(), Fault> {
    match name {
        "name" => target.name = text(value)?,
        "version" => target.version = text(value)?,
        "title" => target.title = Some(text(value)?),
        _ => return Err(unknown()),
    }
    Ok(())
}

#[cfg(feature = "checks")]
fn checks(config: &mut ClientConfig, value: View<'_>) -> Result<(), Fault> {
    members(&mut config.checks, value, |target, name, value| {
        match name {
            "arguments" => target.arguments = flag(value)?,
            "results" => target.results = flag(value)?,
            _ => return Err(unknown()),
        }
        Ok(())
    })
}

/// Refuses checks: who asks for some must not believe that there are any.
#[cfg(not(feature = "checks"))]
fn checks(config: &mut ClientConfig, value: View<'_>) -> Result<(), Fault> {
    members(config, value, |_, _, wanted| match wanted.as_bool() {
        Some(false) => Ok(()),
        _ => Err("is not in this build, which leaves the checks out; `selvedge` has them".to_owned()),
    })
}

fn offers(target: &mut Offers, name: &str, value: View<'_>) -> Result<(), Fault> {
    set!(target, name, value, flag,
        "sampling" => sampling,
        "samplingTools" => sampling_tools,
        "elicitation" => elicitation,
        "elicitationUrl" => elicitation_url,
        "roots" => roots,
    )
}

pub(crate) fn framing(value: View<'_>) -> Result<Framing, Fault> {
    word(value, &[("newline", Framing::Newline), ("contentLength", Framing::ContentLength)])
}

pub(crate) fn limits(target: &mut Limits, name: &str, value: View<'_>) -> Result<(), Fault> {
    set!(target, name, value, size,
        "maxMessageBytes" => max_message_bytes,
        "maxCallsInFlight" => max_calls_in_flight,
        "maxPages" => max_pages,
        "maxListingBytes" => max_listing_bytes,
        "maxAsks" => max_asks,
        "maxIdBytes" => max_id_bytes,
        "maxMethodBytes" => max_method_bytes,
        "maxBatchMessages" => max_batch_messages,
        "maxStrayLines" => max_stray_lines,
        "maxStrayBytes" => max_stray_bytes,
        "maxStrayKeptBytes" => max_stray_kept_bytes,
        "maxStderrKeptBytes" => max_stderr_kept_bytes,
        "maxSchemaBytes" => max_schema_bytes,
        "maxUriBytes" => max_uri_bytes,
        "maxRounds" => max_rounds,
        "maxListens" => max_listens,
        "maxCacheBytes" => max_cache_bytes,
        "maxRunning" => max_running,
        "maxRunningPerClient" => max_running_per_client,
        "maxQueued" => max_queued,
        "maxQueuedPerClient" => max_queued_per_client,
        "maxCallBytes" => max_call_bytes,
        "maxStateBytes" => max_state_bytes,
        "maxSubscriptions" => max_subscriptions,
    )
}

fn patience(value: View<'_>, usual: Patience) -> Result<Patience, Fault> {
    let mut patience = usual;
    members(
        &mut patience,
        value,
        |target, name, value| set!(target, name, value, time, "idle" => idle, "total" => total),
    )?;
    Ok(patience)
}

fn era(value: View<'_>) -> Result<EraPolicy, Fault> {
    let mut words = vec![("legacyFirst", EraPolicy::LegacyFirst), ("modernFirst", EraPolicy::ModernFirst)];
    for revision in Revision::ALL {
        words.push((revision.as_str(), EraPolicy::Pinned(*revision)));
    }
    word(value, &words)
}

pub(crate) fn interests(value: &JsValue) -> Result<Interests, JsValue> {
    read(value, "interests", |interests: &mut Interests, name, value| {
        if name == "uris" {
            interests.uris = each(value, text)?;
            return Ok(());
        }
        set!(interests, name, value, flag,
            "tools" => tools,
            "prompts" => prompts,
            "resources" => resources,
        )
    })
}

/// How one call is made, with the text that it refers to.
#[derive(Default)]
pub(crate) struct Chosen {
    patience: Option<Patience>,
    progress: bool,
    log_level: Option<LogLevel>,
    meta: Option<String>,
    bypass_cache: bool,
    unchecked: bool,
}

impl Chosen {
    pub(crate) fn as_options(&self) -> CallOptions<'_> {
        CallOptions {
            patience: self.patience,
            progress: self.progress,
            log_level: self.log_level,
            meta: self.meta.as_deref(),
            bypass_cache: self.bypass_cache,
            unchecked: self.unchecked,
        }
    }
}

/// Reads how one call is made; what its patience leaves out is the client's own.
pub(crate) fn call_options(value: &JsValue, usual: Patience) -> Result<Chosen, JsValue> {
    read(value, "options", |chosen: &mut Chosen, name, value| {
        match name {
            "patience" => chosen.patience = Some(patience(value, usual)?),
            "logLevel" => chosen.log_level = Some(log_level(value)?),
            "meta" => chosen.meta = Some(raw(value)?.into_string()),
            _ => {
                return set!(chosen, name, value, flag,
                    "progress" => progress,
                    "bypassCache" => bypass_cache,
                    "unchecked" => unchecked,
                );
            }
        }
        Ok(())
    })
}

pub(crate) fn log_level(value: View<'_>) -> Result<LogLevel, Fault> {
    expected(LogLevel::read(&text(value)?), "a level of log messages", value)
}

pub(crate) fn exit_status(value: &JsValue) -> Result<ExitStatus, JsValue> {
    let number = |value: View<'_>| {
        expected(value.as_i64().and_then(|number| i32::try_from(number).ok()), "a whole number", value)
    };
    read(value, "status", |status: &mut ExitStatus, name, value| {
        match name {
            "code" => status.code = Some(number(value)?),
            "signal" => status.signal = Some(number(value)?),
            _ => return Err(unknown()),
        }
        Ok(())
    })
}

pub(crate) fn open_error(kind: &str, message: String) -> Result<OpenError, JsValue> {
    Ok(match kind {
        "commandNotFound" => OpenError::CommandNotFound(message),
        "notExecutable" => OpenError::NotExecutable(message),
        "directoryNotFound" => OpenError::DirectoryNotFound(message),
        "other" => OpenError::Other(message),
        _ => return Err(bad_option(&format!("\"{kind}\" is no kind of failure to open"))),
    })
}

/// Reads what answers a request of the peer: a result or an error.
pub(crate) fn answer(value: &JsValue) -> Result<Result<RawJson, RpcError>, JsValue> {
    #[derive(Default)]
    struct Read(Option<Result<RawJson, RpcError>>);

    let read: Read = read(value, "answer", |read: &mut Read, name, value| {
        read.0 = Some(match name {
            "result" => Ok(raw(value)?),
            "error" => Err(rpc_error(value)?),
            _ => return Err(unknown()),
        });
        Ok(())
    })?;
    read.0.ok_or_else(|| bad_option(&"`answer` must hold `result` or `error`"))
}

/// Reads JSON: a string is the text of a value, everything else is the value.
pub(crate) fn raw(value: View<'_>) -> Result<RawJson, Fault> {
    let Some(text) = value.to_text() else { return Ok(value.to_raw()) };
    RawJson::new(text).map_err(|fault| format!("is not the text of JSON: {fault}"))
}

pub(crate) fn rpc_error(value: View<'_>) -> Result<RpcError, Fault> {
    let mut error = RpcError::new(0, "");
    members(&mut error, value, |error, name, value| {
        match name {
            "code" => error.code = expected(value.as_i64(), "a whole number", value)?,
            "message" => error.message = text(value)?,
            "data" => error.data = Some(raw(value)?),
            _ => return Err(unknown()),
        }
        Ok(())
    })?;
    Ok(error)
}
