//! `selvedge call`.

use selvedge::{
    CallOptions, Error,
    core::{
        client::CallError,
        json::View,
        protocol::{CallToolResult, Tool},
    },
};
use serde_json::value::RawValue;

use super::{
    Exit, Failure, Session,
    arguments::{self, Given, Pair},
    content,
    json::Verbatim,
    meter::Meter,
    text,
};

/// Calls a tool and prints its answer.
pub(super) async fn call(session: &Session<'_>, name: &str, given: Given<'_>) -> Result<Exit, Failure> {
    let (json, missing) = match given {
        Given::Whole(json) => (json, Vec::new()),
        Given::Pairs(pairs) => typed(session, name, &pairs).await?,
    };
    let result = call_tool(session, name, json, None).await.map_err(|failure| {
        missing.iter().fold(failure, |failure, name| failure.hint(format!("`{name}` is missing")))
    })?;
    session.tell_stray().await;
    if session.output.is_json {
        session.output.document(&Verbatim(result.raw().view()))?;
    } else {
        let answer = content::answer(session.output, &result);
        if answer.is_empty() {
            session.output.note("the tool answered with nothing");
        }
        session.output.print(answer)?;
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

/// Makes a call; a tool that says that it failed has answered, too.
pub(super) async fn call_tool(
    session: &Session<'_>,
    name: &str,
    arguments: String,
    on_progress: Option<Box<dyn FnMut(selvedge::core::client::Progress) + Send>>,
) -> Result<CallToolResult, Failure> {
    let arguments = RawValue::from_string(arguments).map_err(|error| Failure::bug(&error))?;
    let meter = Meter::new(session.output, text::one_line(name));
    let shown = meter.clone();
    let on_progress = on_progress.unwrap_or_else(|| Box::new(move |progress| shown.progress(&progress)));
    let options = CallOptions { on_progress: Some(on_progress), ..CallOptions::default() };
    match meter.watch(session.connection.call_tool_with(name, &arguments, options)).await {
        Err(Error::Call(CallError::ToolFailed(result))) => Ok(result),
        result => Ok(result?),
    }
}

/// Reads arguments as the tool's schema says, and returns those that are missing.
async fn typed(
    session: &Session<'_>,
    name: &str,
    pairs: &[Pair<'_>],
) -> Result<(String, Vec<String>), Failure> {
    let Some(tool) = find(session, name).await? else {
        return Ok((arguments::typed(pairs, None)?, Vec::new()));
    };
    let schema: View<'_> = tool.input_schema.view();
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
