//! The fixtures of the conformance suite, as one service.

mod asking;
mod listing;
mod prompts;
mod resources;
mod tools;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use selvedge::{
    Handle, Link, Service,
    core::{
        ServerConfig,
        json::{RawJson, View},
        jsonrpc::{RpcError, code},
        protocol::Implementation,
        server::{Answer, Context, Request},
    },
};
use serde_json::{Value, json};

/// A PNG of one red pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// Every fixture.
#[derive(Debug, Default)]
pub(crate) struct Conformance {
    /// How often what is offered was changed: the tools, the prompts.
    changes: Mutex<[usize; 2]>,
    /// How many calls of `test_wait` nobody waits for any more.
    dropped: Arc<AtomicUsize>,
}

impl Service for Conformance {
    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.implementation = Implementation::new("selvedge-conformance", env!("CARGO_PKG_VERSION"));
        config.tools = all(&listing::tools(false));
        config.resources = all(&resources::listed());
        config.resource_templates = all(&resources::templates());
        config.prompts = all(&prompts::listed(false));
        config.completes = true;
        config.logs = true;
        config.watches = true;
        config.changes = true;
        config
    }

    async fn serve(&self, request: Request, context: Context, link: Link) -> Answer {
        match request {
            Request::CallTool { name, arguments } => {
                self.call(&name, &parsed(&arguments), &context, &link).await
            }
            Request::ReadResource { uri } => {
                resources::read(&uri).map_or(Answer::NotFound, |read| result(&read))
            }
            Request::GetPrompt { name, arguments } => prompts::get(&name, &parsed(&arguments), &context),
            Request::Complete { argument, .. } => {
                let argument = parsed(&argument);
                let typed = argument["value"].as_str().unwrap_or_default();
                let known = ["paris", "park", "party"];
                let values: Vec<_> = known.into_iter().filter(|word| word.starts_with(typed)).collect();
                result(&json!({ "completion": {
                    "values": values, "total": values.len(), "hasMore": false,
                } }))
            }
        }
    }

    fn started(&self, handle: Handle) {
        drop(handle);
    }
}

impl Conformance {
    async fn call(&self, name: &str, arguments: &Value, context: &Context, link: &Link) -> Answer {
        match name {
            "test_trigger_tool_change" => self.change_tools(&link.handle()).await,
            "test_trigger_prompt_change" => self.change_prompts(&link.handle()).await,
            "test_trigger_resource_update" => {
                link.handle().resource_updated("test://watched-resource").await;
                text("updated")
            }
            "test_wait" => {
                let _dropped = Dropped(self.dropped.clone());
                link.progress(1.0, None, Some("waiting")).await;
                std::future::pending().await
            }
            "test_dropped" => text(&self.dropped.load(Ordering::Relaxed).to_string()),
            "test_panic" => panic!("this tool panics on purpose"),
            _ => match asking::call(name, arguments, context, link).await {
                Some(answer) => answer,
                None => tools::call(name, arguments, link).await,
            },
        }
    }

    async fn change_tools(&self, handle: &Handle) -> Answer {
        let count = self.count(0);
        handle.set_tools(all(&listing::tools(count % 2 == 1))).await;
        text("the tools have changed")
    }

    async fn change_prompts(&self, handle: &Handle) -> Answer {
        let count = self.count(1);
        handle.set_prompts(all(&prompts::listed(count % 2 == 1))).await;
        text("the prompts have changed")
    }

    fn count(&self, which: usize) -> usize {
        let mut changes = self.changes.lock().expect("a lock that nobody poisons");
        let count = changes.get_mut(which).expect("one of two");
        *count += 1;
        *count
    }
}

/// Counts a call whose future is dropped before it has ended.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn all(list: &[Value]) -> Vec<RawJson> {
    list.iter().map(raw).collect()
}

fn raw(value: &Value) -> RawJson {
    RawJson::new(value.to_string()).expect("JSON")
}

fn parsed(json: &RawJson) -> Value {
    serde_json::from_str(json.as_str()).expect("JSON")
}

fn value(view: View<'_>) -> Value {
    serde_json::from_str(view.as_str()).expect("JSON")
}

fn result(value: &Value) -> Answer {
    Answer::Result(raw(value))
}

fn text(text: &str) -> Answer {
    result(&json!({ "content": [{ "type": "text", "text": text }] }))
}

fn unknown() -> Answer {
    Answer::Failed(RpcError::new(code::INVALID_PARAMS, "there is no such fixture"))
}
