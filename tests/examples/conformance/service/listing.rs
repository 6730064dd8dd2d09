//! The tools as they are listed.

use serde_json::{Value, json};

/// Every tool that takes no arguments.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with a text"),
    ("test_image_content", "Answers with an image"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with a resource"),
    ("test_multiple_content_types", "Answers with a text, an image and a resource"),
    ("test_tool_with_logging", "Sends log messages"),
    ("test_logging_tool", "Sends a log message"),
    ("test_error_handling", "Fails"),
    ("test_tool_with_progress", "Reports its progress"),
    ("test_reconnection", "Closes its stream, and answers on the next one"),
    ("test_missing_capability", "Needs sampling"),
    ("test_streaming_elicitation", "Asks on a stream"),
    ("test_elicitation_sep1034_defaults", "Asks with a default for every kind of value"),
    ("test_elicitation_sep1330_enums", "Asks with every kind of choice"),
    ("test_elicitation_url", "Asks the user to open a page"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_sampling", "Asks for a capital"),
    ("test_input_required_result_list_roots", "Asks for roots"),
    ("test_input_required_result_request_state", "Asks, and keeps a state"),
    ("test_input_required_result_multiple_inputs", "Asks three things at once"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_tampered_state", "Asks, and keeps a state"),
    ("test_input_required_result_capabilities", "Asks what the client can answer"),
    ("test_trigger_tool_change", "Changes the tools"),
    ("test_trigger_prompt_change", "Changes the prompts"),
    ("test_trigger_resource_update", "Says that the watched resource has changed"),
    ("test_wait", "Never ends"),
    ("test_dropped", "Says how many calls of test_wait nobody waits for any more"),
    ("test_panic", "Panics"),
];

/// Returns the tools, with one more or without.
pub(super) fn tools(has_more: bool) -> Vec<Value> {
    let mut tools: Vec<_> = PLAIN.iter().map(|(name, description)| plain(name, description)).collect();
    if has_more {
        tools.push(plain("test_dynamic_tool", "Comes and goes"));
    }
    tools.extend([
        with("test_sampling", "Asks a model", "prompt", "What the model is asked"),
        with("test_elicitation", "Asks the user", "message", "What the user is asked"),
        with("test_echo", "Answers with its text", "text", "The text"),
        json!({
            "name": "test_header_mirror",
            "description": "Takes arguments that stand in headers too",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "region": { "type": "string", "x-mcp-header": "Region" },
                    "priority": { "type": "integer", "x-mcp-header": "Priority" },
                },
                "required": ["region"],
            },
        }),
        json!({
            "name": "test_sum",
            "description": "Adds two numbers",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a", "b"],
                "additionalProperties": false,
            },
            "outputSchema": {
                "type": "object",
                "properties": { "sum": { "type": "number" } },
                "required": ["sum"],
            },
        }),
        keywords(),
    ]);
    tools
}

fn plain(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

fn with(name: &str, description: &str, argument: &str, meaning: &str) -> Value {
    let properties = json!({ argument: { "type": "string", "description": meaning } });
    let schema = json!({ "type": "object", "properties": properties, "required": [argument] });
    json!({ "name": name, "description": description, "inputSchema": schema })
}

/// Keywords that must come through as they are.
fn keywords() -> Value {
    json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            } },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        },
    })
}
