//! `selvedge tools`, `resources` and `prompts`.

use selvedge::core::protocol::{Listing, Prompt, Resource, ResourceTemplate, Tool};
use serde::Serialize;

use super::{
    Exit, Failure, Session, arguments,
    json::{Unusable, Verbatim, unusable},
    table::table,
    text::one_line,
};

#[derive(Serialize)]
struct Tools<'a> {
    tools: Vec<Verbatim<'a>>,
    unusable: Vec<Unusable<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct All<'a> {
    resources: Vec<Verbatim<'a>>,
    resource_templates: Vec<Verbatim<'a>>,
    unusable: Vec<Unusable<'a>>,
}

#[derive(Serialize)]
struct Prompts<'a> {
    prompts: Vec<Verbatim<'a>>,
    unusable: Vec<Unusable<'a>>,
}

pub(super) async fn tools(session: &Session<'_>) -> Result<Exit, Failure> {
    let listing = session.wait("listing the tools", session.connection.list_tools()).await?;
    session.tell_stray().await;
    if session.output.is_json {
        let tools = listing.items.iter().map(|tool| Verbatim(tool.raw.view())).collect();
        session.output.document(&Tools { tools, unusable: unusable(&listing) })?;
        return Ok(Exit::Done);
    }
    warn_of_unusable(session, "tool", &listing);
    session.output.print(tools_table(session, &listing.items))?;
    Ok(Exit::Done)
}

/// Lays tools out for people.
pub(super) fn tools_table(session: &Session<'_>, tools: &[Tool]) -> String {
    if tools.is_empty() {
        session.output.note("the server has no tools");
        return String::new();
    }
    let row = |tool: &Tool| {
        let what = tool.description.as_ref().or(tool.title.as_ref());
        [
            one_line(&tool.name),
            arguments::signature(tool.input_schema.view()),
            what.map(|what| one_line(what)).unwrap_or_default(),
        ]
    };
    table(session.output, ["TOOL", "ARGUMENTS", "DESCRIPTION"], &tools.iter().map(row).collect::<Vec<_>>())
}

pub(super) async fn resources(session: &Session<'_>) -> Result<Exit, Failure> {
    let resources = session.wait("listing the resources", session.connection.list_resources()).await;
    let templates = session.wait("listing the templates", session.connection.list_resource_templates()).await;
    let (resources, templates) = match (resources, templates) {
        // Many servers have one of the two and do not know the method of the other.
        (Ok(resources), Err(failure)) if failure.is_unknown_method() => (resources, empty()),
        (Err(failure), Ok(templates)) if failure.is_unknown_method() => (empty(), templates),
        (resources, templates) => (resources?, templates?),
    };
    session.tell_stray().await;
    if session.output.is_json {
        let mut bad = unusable(&resources);
        bad.extend(unusable(&templates));
        session.output.document(&All {
            resources: resources.items.iter().map(|resource| Verbatim(resource.raw.view())).collect(),
            resource_templates: templates
                .items
                .iter()
                .map(|template| Verbatim(template.raw.view()))
                .collect(),
            unusable: bad,
        })?;
        return Ok(Exit::Done);
    }
    warn_of_unusable(session, "resource", &resources);
    warn_of_unusable(session, "template", &templates);
    let mut parts = Vec::new();
    if !resources.items.is_empty() {
        let rows: Vec<_> = resources.items.iter().map(resource_row).collect();
        parts.push(table(session.output, ["RESOURCE", "NAME", "TYPE", "DESCRIPTION"], &rows));
    }
    if !templates.items.is_empty() {
        let rows: Vec<_> = templates.items.iter().map(template_row).collect();
        parts.push(table(session.output, ["TEMPLATE", "NAME", "TYPE", "DESCRIPTION"], &rows));
    }
    if parts.is_empty() {
        session.output.note("the server has no resources");
    }
    session.output.print(parts.join("\n"))?;
    Ok(Exit::Done)
}

pub(super) async fn prompts(session: &Session<'_>) -> Result<Exit, Failure> {
    let listing = session.wait("listing the prompts", session.connection.list_prompts()).await?;
    session.tell_stray().await;
    if session.output.is_json {
        let prompts = listing.items.iter().map(|prompt| Verbatim(prompt.raw.view())).collect();
        session.output.document(&Prompts { prompts, unusable: unusable(&listing) })?;
        return Ok(Exit::Done);
    }
    warn_of_unusable(session, "prompt", &listing);
    if listing.items.is_empty() {
        session.output.note("the server has no prompts");
        return Ok(Exit::Done);
    }
    let rows: Vec<_> = listing.items.iter().map(prompt_row).collect();
    session.output.print(table(session.output, ["PROMPT", "ARGUMENTS", "DESCRIPTION"], &rows))?;
    Ok(Exit::Done)
}

fn resource_row(resource: &Resource) -> [String; 4] {
    row(
        &resource.uri,
        &resource.name,
        resource.mime_type.as_deref(),
        [&resource.description, &resource.title],
    )
}

fn template_row(template: &ResourceTemplate) -> [String; 4] {
    let ResourceTemplate { uri_template, name, mime_type, description, title, .. } = template;
    row(uri_template, name, mime_type.as_deref(), [description, title])
}

fn row(uri: &str, name: &str, mime_type: Option<&str>, what: [&Option<String>; 2]) -> [String; 4] {
    let what = what.into_iter().flatten().next();
    [
        one_line(uri),
        one_line(name),
        one_line(mime_type.unwrap_or_default()),
        what.map(|what| one_line(what)).unwrap_or_default(),
    ]
}

fn prompt_row(prompt: &Prompt) -> [String; 3] {
    let (demanded, optional): (Vec<_>, Vec<_>) =
        prompt.arguments.iter().partition(|argument| argument.required);
    let mut arguments: Vec<_> = demanded.iter().map(|argument| one_line(&argument.name)).collect();
    arguments.extend(optional.iter().map(|argument| format!("[{}]", one_line(&argument.name))));
    let what = prompt.description.as_ref().or(prompt.title.as_ref());
    [one_line(&prompt.name), arguments.join(" "), what.map(|what| one_line(what)).unwrap_or_default()]
}

const fn empty<T>() -> Listing<T> {
    Listing { items: Vec::new(), quarantined: Vec::new() }
}

/// Says which entries of a listing cannot be used.
pub(super) fn warn_of_unusable<T>(session: &Session<'_>, what: &str, listing: &Listing<T>) {
    /// A long listing of nonsense is told of by its beginning.
    const MAX_TOLD: usize = 10;
    for entry in listing.quarantined.iter().take(MAX_TOLD) {
        let name = entry.name.as_deref().map_or_else(|| format!("number {}", entry.index + 1), one_line);
        session.output.warn(&format!("the {what} {name} cannot be used: {}", one_line(&entry.reason)));
    }
    if listing.quarantined.len() > MAX_TOLD {
        let more = listing.quarantined.len() - MAX_TOLD;
        session.output.warn(&format!("{more} more cannot be used; `--json` shows all"));
    }
}
