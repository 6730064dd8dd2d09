//! What a client writes in the modern era, and a server in every revision, held against the protocol's own schema.
//!
//! The schema is no part of this repository: `SELVEDGE_SPEC` names the folder of the specification's schemas,
//! one folder for each revision. Without it nothing is checked.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

use selvedge_core::{
    json::View,
    protocol::Revision,
    validate::{Outcome, Validator},
};

use crate::world::fail;

/// Returns the schema of 2026-07-28, where the environment says where it is.
fn schema() -> Option<&'static str> {
    schema_of("2026-07-28")
}

fn schema_of(revision: &str) -> Option<&'static str> {
    static SCHEMAS: OnceLock<Option<BTreeMap<String, String>>> = OnceLock::new();
    let read = || {
        let folder = PathBuf::from(std::env::var_os("SELVEDGE_SPEC")?);
        let read = |revision: &Revision| {
            let path = folder.join(revision.as_str()).join("schema.json");
            match std::fs::read_to_string(&path) {
                Ok(schema) => (revision.to_string(), schema),
                Err(error) => fail(&format!("{}: {error}", path.display())),
            }
        };
        Some(Revision::ALL.iter().map(read).collect())
    };
    SCHEMAS.get_or_init(read).as_ref()?.get(revision).map(String::as_str)
}

/// The definition of what a server answers and says, by method.
const SERVED: &[(&str, &str)] = &[
    ("initialize", "InitializeResult"),
    ("server/discover", "DiscoverResult"),
    ("tools/list", "ListToolsResult"),
    ("tools/call", "CallToolResult"),
    ("prompts/list", "ListPromptsResult"),
    ("resources/list", "ListResourcesResult"),
    ("resources/templates/list", "ListResourceTemplatesResult"),
    ("ping", "EmptyResult"),
    ("resources/subscribe", "EmptyResult"),
    ("logging/setLevel", "EmptyResult"),
    ("notifications/tools/list_changed", "ToolListChangedNotification"),
    ("notifications/prompts/list_changed", "PromptListChangedNotification"),
    ("notifications/resources/list_changed", "ResourceListChangedNotification"),
    ("notifications/resources/updated", "ResourceUpdatedNotification"),
    ("notifications/progress", "ProgressNotification"),
    ("notifications/message", "LoggingMessageNotification"),
    ("notifications/cancelled", "CancelledNotification"),
    ("notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotification"),
    ("sampling/createMessage", "CreateMessageRequest"),
    ("elicitation/create", "ElicitRequest"),
    ("roots/list", "ListRootsRequest"),
];

/// Checks a message that a server of this revision sends; `asked` is the method that it answers, where it does.
///
/// Results that an application made up for a test are not checked.
pub fn check_served(revision: &str, asked: Option<&str>, message: &str) {
    let Some(schema) = schema_of(revision) else { return };
    let Ok(view) = View::new(message) else { fail("a sent message is not JSON") };
    let (method, value) = match (view.get("method").and_then(View::to_text), view.get("result")) {
        (Some(method), _) => (method, view),
        (None, Some(result)) => (asked.unwrap_or_default().to_owned(), result),
        (None, None) => return,
    };
    let is_required = value.get("resultType").is_some_and(|kind| kind.is_str("input_required"));
    let known = SERVED.iter().find(|(own, _)| *own == method);
    let Some((_, definition)) = known else { return };
    let definition = if is_required { "InputRequiredResult" } else { definition };
    let is_made_up = |value: View<'_>| match definition {
        "CallToolResult" => value.get("isError").is_none(),
        "ListToolsResult" => !value.as_str().contains("inputSchema"),
        // The token is the client's.
        "ProgressNotification" => {
            let token = value.get("params").and_then(|params| params.get("progressToken"));
            token.and_then(View::as_number).is_some_and(|token| token.contains('.'))
        }
        _ => false,
    };
    if is_made_up(value) {
        return;
    }
    if let other @ (Outcome::Invalid(_) | Outcome::GaveUp(_)) = check_in(revision, schema, definition, value)
    {
        fail(&format!("not a {definition} of {revision}: {other:?}\n{message}"));
    }
}

/// The definition of each message that a client may write.
const DEFINITIONS: &[(&str, &str)] = &[
    ("server/discover", "DiscoverRequest"),
    ("tools/list", "ListToolsRequest"),
    ("tools/call", "CallToolRequest"),
    ("prompts/list", "ListPromptsRequest"),
    ("prompts/get", "GetPromptRequest"),
    ("resources/list", "ListResourcesRequest"),
    ("resources/templates/list", "ListResourceTemplatesRequest"),
    ("resources/read", "ReadResourceRequest"),
    ("completion/complete", "CompleteRequest"),
    ("subscriptions/listen", "SubscriptionsListenRequest"),
    ("notifications/cancelled", "CancelledNotification"),
];

/// Checks what a client writes, where it is of the modern era.
pub(crate) fn check_written(bytes: &[u8]) {
    if is_modern(bytes)
        && let Ok(text) = std::str::from_utf8(bytes)
        && let Some(start) = text.find('{')
    {
        // With headers, the message stands behind them.
        check_modern(text.get(start..).unwrap_or_default());
    }
}

/// Returns whether a written message is one of the modern era: its requests carry the revision, its only
/// notification is looked at as such too.
fn is_modern(bytes: &[u8]) -> bool {
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    schema().is_some() && (has(b"io.modelcontextprotocol/protocolVersion") || has(b"notifications/cancelled"))
}

/// Checks a message that a client of the modern era writes.
pub(crate) fn check_modern(message: &str) {
    let Some(schema) = schema() else { return };
    let Ok(view) = View::new(message) else { fail("a written message is not JSON") };
    let Some(method) = view.get("method").and_then(View::to_str) else {
        fail(&format!("a client of the modern era writes no responses: {message}"))
    };
    let known = DEFINITIONS.iter().find(|(own, _)| *own == method);
    let definition = known.map_or("JSONRPCRequest", |(_, definition)| definition);
    match check(schema, definition, view) {
        Outcome::Valid => {}
        other => fail(&format!("not a {definition}: {other:?}\n{message}")),
    }
}

fn check(schema: &str, definition: &'static str, value: View<'_>) -> Outcome {
    check_in("2026-07-28", schema, definition, value)
}

fn check_in(revision: &str, schema: &str, definition: &'static str, value: View<'_>) -> Outcome {
    static VALIDATORS: Mutex<BTreeMap<String, Validator>> = Mutex::new(BTreeMap::new());
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(format!("{revision} {definition}")).or_insert_with(|| {
        // In a schema of draft-07, what stands beside a reference means nothing.
        let place = if schema.contains("\"$defs\"") { "$defs" } else { "definitions" };
        let rest = schema.trim_start().strip_prefix('{').unwrap_or_default();
        let rooted = format!("{{\"$ref\":\"#/{place}/{definition}\",{rest}");
        match View::new(&rooted) {
            Ok(view) => Validator::new(view),
            Err(error) => fail(&format!("the schema: {error}")),
        }
    });
    validator.check(value)
}
