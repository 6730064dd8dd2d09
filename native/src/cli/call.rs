//! `selvedge call`.

use selvedge::{
    CallOptions, Error,
    core::{
        client::CallError,
        json::View,
        protocol::{CallToolResult, Tool},
        validate::Mismatch,
    },
};
use serde_json::value::RawValue;

use super::{
    Exit, Failure, Session,
    args::Call,
    arguments::{self, Given, Pair},
    content,
    json::Verbatim,
    meter::Meter,
    text,
};

/// Calls a tool and prints its answer.
pub(super) async fn call(session: &Session<'_>, call: &Call, given: Given<'_>) -> Result<Exit, Failure> {
    let (name, is_checked) = (call.name.as_str(), !call.no_check);
    let (json, missing) = match given {
        Given::Whole(json) => {
            if is_checked {
                // What is listed is what the call is checked against.
                find(session, name).await.map_err(|failure| failure.hint(UNCHECKED))?;
            }
            (json, Vec::new())
        }
        Given::Pairs(pairs) => typed(session, name, &pairs, is_checked).await?,
    };
    let called = make(session, name, json, None, is_checked).await;
    session.tell_unchecked();
    let Called { result, broken } = called.map_err(|failure| {
        missing.iter().fold(failure, |failure, name| failure.hint(format!("`{name}` is missing")))
    })?;
    session.tell_stray().await;
    if !session.output.is_json {
        let answer = content::answer(session.output, &result);
        if answer.is_empty() {
            session.output.note("the tool answered with nothing");
        }
        session.output.print(answer)?;
    } else if broken.is_none() {
        session.output.document(&Verbatim(result.raw().view()))?;
    }
    if let Some(mismatch) = broken {
        return Err(Failure::result(session.output, mismatch, &result));
    }
    if !result.is_error() {
        return Ok(Exit::Done);
    }
    session.output.warn(&format!("the tool {} says that it failed", text::one_line(name)));
    for name in missing {
        session.output.note(&format!("hint: `{}` is missing", text::one_line(&name)));
    }
    Ok(Exit::ToolFailed)
}

const UNCHECKED: &str = "`--no-check` calls without the list of tools";

type OnProgress = Box<dyn FnMut(selvedge::core::client::Progress) + Send>;

/// An answer, and where it is not what its tool promised.
struct Called {
    result: CallToolResult,
    broken: Option<Mismatch>,
}

/// Makes a call; a tool that says that it failed has answered, too.
pub(super) async fn call_tool(
    session: &Session<'_>,
    name: &str,
    arguments: String,
    on_progress: Option<OnProgress>,
) -> Result<CallToolResult, Failure> {
    Ok(make(session, name, arguments, on_progress, true).await?.result)
}

async fn make(
    session: &Session<'_>,
    name: &str,
    arguments: String,
    on_progress: Option<OnProgress>,
    is_checked: bool,
) -> Result<Called, Failure> {
    let arguments = RawValue::from_string(arguments).map_err(|error| Failure::bug(&error))?;
    let meter = Meter::new(session.output, text::one_line(name));
    let shown = meter.clone();
    let on_progress = on_progress.unwrap_or_else(|| Box::new(move |progress| shown.progress(&progress)));
    let options =
        CallOptions { on_progress: Some(on_progress), unchecked: !is_checked, ..CallOptions::default() };
    match meter.watch(session.connection.call_tool_with(name, &arguments, options)).await {
        Err(Error::Call(CallError::ToolFailed(result))) => Ok(Called { result, broken: None }),
        Err(Error::Call(CallError::BadResult(bad))) => {
            Ok(Called { result: bad.result, broken: Some(bad.mismatch) })
        }
        result => Ok(Called { result: result?, broken: None }),
    }
}

/// Reads arguments as the tool's schema says, and returns those that are missing.
async fn typed(
    session: &Session<'_>,
    name: &str,
    pairs: &[Pair<'_>],
    is_checked: bool,
) -> Result<(String, Vec<String>), Failure> {
    let found = match find(session, name).await {
        Err(_) if !is_checked => None,
        found => found?,
    };
    let Some(tool) = found else {
        return Ok((arguments::typed(pairs, None)?, Vec::new()));
    };
    let schema: View<'_> = tool.input_schema.view();
    if !is_checked {
        // The schema still says what `key=value` means, where it knows the key.
        let json = arguments::typed(pairs, Some(schema)).or_else(|_| arguments::typed(pairs, None))?;
        return Ok((json, Vec::new()));
    }
    Ok((arguments::typed(pairs, Some(schema))?, arguments::missing(pairs, schema)))
}

/// Finds a tool in the server's list; `None` where the list does not tell.
async fn find(session: &Session<'_>, name: &str) -> Result<Option<Tool>, Failure> {
    let listing = match session.wait("listing the tools", session.connection.list_tools()).await {
        Err(failure) if failure.is_unknown_method() => return Ok(None),
        listing => listing?,
    };
    let is_quarantined = listing.quarantined.iter().any(|entry| entry.name.as_deref() == Some(name));
    let names: Vec<_> = listing.items.iter().map(|tool| tool.name.clone()).collect();
    let found = listing.items.into_iter().find(|tool| tool.name == name);
    if found.is_some() || is_quarantined {
        return Ok(found);
    }
    let failure = Failure::usage(format!("the server has no tool `{name}`"));
    Err(match text::closest(name, names.iter().map(String::as_str)) {
        Some(close) => failure.hint(format!("did you mean `{close}`?")),
        None => failure.hint("`selvedge tools` lists its tools"),
    })
}
