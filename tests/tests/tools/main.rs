//! Tools from functions: what clients see of them, what calls lead to, and what is refused.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![expect(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    clippy::unused_self,
    reason = "a tool owns what it gets"
)]

mod asking;
mod deferred;
mod functions;
mod outputs;

use selvedge::{
    core::json::RawJson,
    tools::{CallError, Context, Inputs, Outcome, ToolProvider},
};
use serde_json::Value;

fn raw(value: &Value) -> RawJson {
    RawJson::new(value.to_string()).unwrap()
}

async fn try_call(
    tools: &impl ToolProvider,
    name: &str,
    arguments: Value,
    inputs: Inputs,
) -> Result<Outcome, CallError> {
    tools.call(name, raw(&arguments), Context::new("1", inputs)).await
}

/// Calls a tool that asks nothing, and returns its result as a client reads it.
async fn call(tools: &impl ToolProvider, name: &str, arguments: Value) -> Value {
    match try_call(tools, name, arguments, Inputs::default()).await {
        Ok(Outcome::Done(output)) => serde_json::from_str(output.to_raw().unwrap().as_str()).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn definition(tools: &impl ToolProvider, name: &str) -> Value {
    let list = tools.list();
    let found = list.iter().find(|definition| definition.name() == name).unwrap();
    serde_json::from_str(found.raw().as_str()).unwrap()
}
