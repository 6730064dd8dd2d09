//! The attributes `tool` and `tools`, and the builder they stand for.

use std::sync::atomic::{AtomicI64, Ordering};

use schemars::JsonSchema;
use selvedge::{
    core::jsonrpc::RpcError,
    tools::{CallError, Context, DefinitionError, Inputs, Outcome, Tool, ToolError, ToolProvider, Toolset},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{call, definition, try_call};

/// Two numbers.
#[derive(Deserialize, JsonSchema)]
struct Terms {
    /// The first.
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Adds two numbers.
///
/// Fails where the sum is out of range.
#[selvedge::tool(name = "add", title = "Addition", read_only, idempotent)]
async fn sum(arguments: Terms, context: Context) -> Result<Sum, ToolError> {
    context.progress(1.0, Some(1.0), None).await;
    let sum = arguments.a.checked_add(arguments.b);
    sum.map(|sum| Sum { sum }).ok_or_else(|| ToolError::new("the sum is out of range"))
}

#[selvedge::tool(description = "Says hello.")]
fn hello() -> &'static str {
    "hello"
}

#[selvedge::tool(description = "Fails as the protocol does.", open_world)]
fn refuse(_: Context) -> Result<(), RpcError> {
    Err(RpcError::new(-1, "refused"))
}

#[selvedge::tool(description = "Reads a number.")]
fn number(Text { text }: Text) -> Result<i64, std::num::ParseIntError> {
    text.parse()
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

struct Counter {
    count: AtomicI64,
}

#[selvedge::tools]
impl Counter {
    /// Counts by a step.
    #[tool]
    async fn count(&self, step: Step) -> Result<i64, ToolError> {
        Ok(self.count.fetch_add(step.by, Ordering::Relaxed) + step.by)
    }

    /// Starts again.
    #[tool(name = "reset", destructive)]
    fn start_again(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    /// Says what a counter is.
    #[selvedge::tool(read_only)]
    fn explain(context: Context) -> String {
        format!("call {} counts", context.request_id())
    }

    #[expect(dead_code, reason = "what is not marked is no tool")]
    fn other(&self) {}
}

#[derive(Deserialize, JsonSchema)]
struct Step {
    by: i64,
}

fn functions() -> Toolset {
    let mut tools = Toolset::new();
    for tool in [sum_tool(), hello_tool(), refuse_tool(), number_tool()] {
        tools.add(tool).unwrap();
    }
    tools
}

#[test]
fn a_function_is_shown_with_its_comment_its_hints_and_both_schemas() {
    assert_eq!(
        definition(&functions(), "add"),
        json!({
            "name": "add",
            "title": "Addition",
            "description": "Adds two numbers.\n\nFails where the sum is out of range.",
            "inputSchema": {
                "type": "object",
                "description": "Two numbers.",
                "properties": {
                    "a": { "type": "integer", "format": "int64", "description": "The first." },
                    "b": { "type": "integer", "format": "int64" },
                },
                "required": ["a", "b"],
            },
            "outputSchema": {
                "type": "object",
                "properties": { "sum": { "type": "integer", "format": "int64" } },
                "required": ["sum"],
            },
            "annotations": {
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            },
        })
    );
}

#[test]
fn a_tool_without_arguments_says_that_it_takes_an_empty_object() {
    let hello = definition(&functions(), "hello");
    assert_eq!(
        hello["inputSchema"],
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    );
    assert_eq!(hello.get("outputSchema"), None, "a text has no schema");
    assert_eq!(definition(&functions(), "refuse")["annotations"]["openWorldHint"], true);
}

#[tokio::test]
async fn a_value_is_structured_and_copied_as_text() {
    let result = call(&functions(), "add", json!({ "a": 2, "b": 40 })).await;
    assert_eq!(
        result,
        json!({ "content": [{ "type": "text", "text": "{\"sum\":42}" }], "structuredContent": { "sum": 42 } })
    );
    let result = call(&functions(), "hello", json!({})).await;
    assert_eq!(result, json!({ "content": [{ "type": "text", "text": "hello" }] }));
}

#[tokio::test]
async fn three_ways_to_fail_stay_apart() {
    let tools = functions();
    let failed = call(&tools, "add", json!({ "a": i64::MAX, "b": 1 })).await;
    assert_eq!(
        failed,
        json!({ "content": [{ "type": "text", "text": "the sum is out of range" }], "isError": true })
    );
    let failed = call(&tools, "number", json!({ "text": "x" })).await;
    assert_eq!(
        (&failed["isError"], &failed["content"][0]["text"]),
        (&json!(true), &json!("invalid digit found in string"))
    );

    let refused = try_call(&tools, "refuse", json!({}), Inputs::default()).await.unwrap_err();
    assert_eq!(refused, CallError::Protocol(RpcError::new(-1, "refused")));
    let unknown = try_call(&tools, "absent", json!({}), Inputs::default()).await.unwrap_err();
    assert_eq!(unknown.into_rpc().code, -32602);
    for arguments in [json!({ "a": 1 }), json!({ "a": "1", "b": 2 })] {
        let invalid = try_call(&tools, "add", arguments, Inputs::default()).await;
        assert!(matches!(invalid, Err(CallError::InvalidArguments(_))), "{invalid:?}");
    }
    let invalid = try_call(&tools, "hello", json!({ "x": 1 }), Inputs::default()).await;
    assert!(matches!(invalid, Err(CallError::InvalidArguments(_))), "{invalid:?}");
}

#[tokio::test]
async fn methods_share_their_value() {
    let tools = Toolset::of(Counter { count: AtomicI64::new(0) }).unwrap();
    let names: Vec<_> = tools.list().iter().map(|definition| definition.name().to_owned()).collect();
    assert_eq!(names, ["count", "reset", "explain"]);
    let destructive: Vec<_> = tools.list().iter().map(selvedge::tools::Definition::is_destructive).collect();
    assert_eq!(destructive, [false, true, false]);

    assert_eq!(call(&tools, "count", json!({ "by": 2 })).await["structuredContent"], 2);
    assert_eq!(call(&tools, "count", json!({ "by": 3 })).await["structuredContent"], 5);
    assert_eq!(call(&tools, "reset", json!({})).await, json!({ "content": [] }));
    assert_eq!(call(&tools, "count", json!({ "by": 1 })).await["structuredContent"], 1);
    assert_eq!(call(&tools, "explain", json!({})).await["content"][0]["text"], "call 1 counts");
}

#[test]
fn a_name_is_taken_once_and_has_plain_characters() {
    let mut tools = functions();
    assert_eq!(tools.add(hello_tool()), Err(DefinitionError::Duplicate("hello".to_owned())));
    let named = |name: &str| Tool::new(name).handler(async |_: Text, _| Ok(()));
    for name in ["", "ä", "a b", &"x".repeat(65)] {
        assert_eq!(tools.add(named(name)), Err(DefinitionError::Name(name.to_owned())));
    }
    assert_eq!(tools.add(named("a-b_c.d/e")), Ok(()));
    let number = Tool::new("n").handler(async |_: u32, _| Ok(()));
    assert_eq!(tools.add(number), Err(DefinitionError::NoObject("n".to_owned())));
    assert_eq!(tools.list().len(), 5);
}

#[test]
fn a_tool_without_hints_counts_as_destructive() {
    let bare = json!({ "name": "x", "inputSchema": { "type": "object" } });
    assert!(selvedge::tools::Definition::new(&bare).unwrap().is_destructive());
}

#[tokio::test]
async fn a_handler_that_panics_leaves_its_tool_usable() {
    let rough = Tool::new("rough").handler(async |Text { text }: Text, _| {
        assert!(text != "crash", "this tool panics on purpose");
        Ok(text)
    });
    let mut tools = Toolset::new();
    tools.add(rough).unwrap();
    let shared = tools.clone();
    let crashed = tokio::spawn(async move { call(&shared, "rough", json!({ "text": "crash" })).await });
    assert!(crashed.await.unwrap_err().is_panic());
    let outcome = try_call(&tools, "rough", json!({ "text": "ok" }), Inputs::default()).await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))));
}
