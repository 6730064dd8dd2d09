//! What a client writes in the modern era, held against the protocol's own schema.
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
    validate::{Outcome, Validator},
};

use crate::world::fail;

/// Returns the schema of 2026-07-28, where the environment says where it is.
fn schema() -> Option<&'static str> {
    static SCHEMA: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let path = PathBuf::from(std::env::var_os("SELVEDGE_SPEC")?).join("2026-07-28/schema.json");
        match std::fs::read_to_string(&path) {
            Ok(schema) => Some(schema),
            Err(error) => fail(&format!("{}: {error}", path.display())),
        }
    };
    SCHEMA.get_or_init(read).as_deref()
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
    static VALIDATORS: Mutex<BTreeMap<&'static str, Validator>> = Mutex::new(BTreeMap::new());
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(definition).or_insert_with(|| {
        let rest = schema.trim_start().strip_prefix('{').unwrap_or_default();
        let rooted = format!("{{\"$ref\":\"#/$defs/{definition}\",{rest}");
        match View::new(&rooted) {
            Ok(view) => Validator::new(view),
            Err(error) => fail(&format!("the schema: {error}")),
        }
    });
    validator.check(value)
}
