//! The server that `selvedge serve --demo` is: every feature of the protocol, small, and in need of nothing.

mod notes;
mod tools;

use std::sync::{Arc, OnceLock};

use selvedge::{
    App, Handle,
    core::protocol::Implementation,
    tools::{DefinitionError, ToolProvider as _},
};

use notes::Notes;

/// What the tools share: the way to all clients, once serving begins.
#[derive(Debug, Default)]
struct Shared {
    handle: OnceLock<Handle>,
    notes: Notes,
}

/// Makes the server.
pub(crate) fn demo() -> Result<App, DefinitionError> {
    let shared = Arc::new(Shared::default());
    let tools = tools::tools(&shared)?;
    let started = shared.clone();
    let mut app = App::new(Implementation::new("selvedge-demo", env!("CARGO_PKG_VERSION")))
        .with_tools(tools)
        .with_resources(shared.clone())
        .with_prompts(shared.clone())
        .with_completer(shared.clone())
        .on_watch(|_, _| {})
        .on_start(move |handle| {
            // It begins once.
            let _ = started.handle.set(handle);
        });
    let config = app.config();
    config.instructions = Some(
        "A tour of the protocol: `add` and `count` first, then `greet`, which asks its user, and the notes, which \
         are resources and change."
            .to_owned(),
    );
    (config.logs, config.changes) = (true, true);
    Ok(app)
}

/// Tells all clients that what is offered has changed.
async fn announce(shared: &Shared, tools: &selvedge::tools::Toolset) {
    if let Some(handle) = shared.handle.get() {
        handle.set_tools(tools.list().iter().map(|tool| tool.raw().clone()).collect()).await;
    }
}
