//! The notes of the demo: resources that tools write, prompts about them, completions of their names.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use selvedge::{
    Completer, PromptProvider, ResourceProvider,
    core::json::{RawJson, View},
    tools::{BoxFuture, Context, ToolError},
};
use serde_json::{Value, json};

use super::Shared;

/// What a note is read by, before its name.
const NOTE: &str = "demo://note/";
const GUIDE: &str = "demo://guide";
/// The most notes that are kept, and the longest one, in bytes.
const MAX_NOTES: usize = 100;
const MAX_NOTE_BYTES: usize = 10_000;

/// Notes by their names.
#[derive(Debug)]
pub(super) struct Notes(Mutex<BTreeMap<String, String>>);

impl Default for Notes {
    fn default() -> Self {
        let first = ("welcome".to_owned(), "A note is a resource. `write_note` makes more.".to_owned());
        Self(Mutex::new(BTreeMap::from([first])))
    }
}

impl Notes {
    /// Writes a note; returns whether there was none of that name.
    pub(super) fn write(&self, name: &str, text: String) -> Result<bool, ToolError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || name.len() > 64 || !name.bytes().all(is_plain) {
            return Err(ToolError::new("a name has 1 to 64 letters, digits, `-` or `_`"));
        }
        if text.len() > MAX_NOTE_BYTES {
            return Err(ToolError::new(format!(
                "a note has at most {MAX_NOTE_BYTES} bytes, not {}",
                text.len()
            )));
        }
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() >= MAX_NOTES && !notes.contains_key(name) {
            return Err(ToolError::new(format!("there are {MAX_NOTES} notes already: remove one first")));
        }
        Ok(notes.insert(name.to_owned(), text).is_none())
    }

    /// Removes a note; returns whether there was one.
    pub(super) fn remove(&self, name: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(name).is_some()
    }

    fn read(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Returns the list of resources, the guide first.
    pub(super) fn resources(&self) -> Vec<RawJson> {
        let guide = json!({ "uri": GUIDE, "name": "guide", "title": "What this server shows", "mimeType": "text/markdown" });
        let note = |name: &String| json!({ "uri": uri(name), "name": name, "mimeType": "text/plain" });
        [guide].into_iter().chain(self.names().iter().map(note)).filter_map(|entry| raw(&entry)).collect()
    }
}

/// Returns what a note is read by.
pub(super) fn uri(name: &str) -> String {
    format!("{NOTE}{name}")
}

fn raw(value: &Value) -> Option<RawJson> {
    RawJson::new(value.to_string()).ok()
}

const GUIDE_TEXT: &str = "\
# A tour

- Tools: `add`, `count` (progress), `echo`, `fail`, `pixel` (image), `log` (log messages), `greet` (asks its user),
  `summarize` (asks the client's model), `workspace` (asks for the client's folders), `consent` (opens a page), `crash`,
  `write_note`, `remove_note` (destructive: `--allow-destructive`), `unlock` (the list of tools changes).
- Resources: this page, and notes, which can be watched.
- Prompts: `review`, whose argument is completed.
";

impl ResourceProvider for Shared {
    fn list(&self) -> Vec<RawJson> {
        self.notes.resources()
    }

    fn templates(&self) -> Vec<RawJson> {
        let note =
            json!({ "uriTemplate": format!("{NOTE}{{name}}"), "name": "note", "mimeType": "text/plain" });
        raw(&note).into_iter().collect()
    }

    fn read<'a>(&'a self, uri: &'a str, _: Context) -> BoxFuture<'a, Result<Option<RawJson>, ToolError>> {
        let text = match uri.strip_prefix(NOTE) {
            Some(name) => self.notes.read(name).map(|text| ("text/plain", text)),
            None => (uri == GUIDE).then(|| ("text/markdown", GUIDE_TEXT.to_owned())),
        };
        let result = text.and_then(|(mime_type, text)| {
            raw(&json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "text": text }] }))
        });
        Box::pin(std::future::ready(Ok(result)))
    }
}

impl PromptProvider for Shared {
    fn list(&self) -> Vec<RawJson> {
        let review = json!({
            "name": "review",
            "title": "Review a note",
            "description": "Asks for a review of one of the notes",
            "arguments": [{ "name": "note", "description": "The note's name", "required": true }],
        });
        raw(&review).into_iter().collect()
    }

    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a RawJson,
        _: Context,
    ) -> BoxFuture<'a, Result<Option<RawJson>, ToolError>> {
        Box::pin(async move {
            if name != "review" {
                return Ok(None);
            }
            let note = arguments.view().get("note").and_then(View::to_text).unwrap_or_default();
            let Some(text) = self.notes.read(&note) else {
                return Err(ToolError::new(format!("there is no note `{note}`")));
            };
            Ok(raw(&json!({ "description": "A review of a note", "messages": [
                { "role": "user", "content": { "type": "text", "text": "Review this note:" } },
                { "role": "user", "content": { "type": "resource", "resource": {
                    "uri": uri(&note), "mimeType": "text/plain", "text": text,
                } } },
            ] })))
        })
    }
}

impl Completer for Shared {
    fn complete<'a>(
        &'a self,
        _: &'a RawJson,
        argument: &'a RawJson,
        _: Option<&'a RawJson>,
    ) -> BoxFuture<'a, Vec<String>> {
        let begun = argument.view().get("value").and_then(View::to_text).unwrap_or_default();
        let names = self.notes.names().into_iter().filter(|name| name.starts_with(&begun)).collect();
        Box::pin(std::future::ready(names))
    }
}

/// Shows the list of notes to all clients, as a tool has changed it.
pub(super) async fn changed(shared: &Arc<Shared>, name: &str, is_in_list: bool) {
    let Some(handle) = shared.handle.get() else { return };
    if is_in_list {
        handle.set_resources(shared.notes.resources()).await;
    }
    handle.resource_updated(&uri(name)).await;
}
