//! The prompts.

use selvedge::core::server::{Answer, Context, Input};
use serde_json::{Value, json};

use super::{
    PIXEL,
    asking::{accepted, form_of_one},
    result, unknown,
};

/// Returns the prompts, with one more or without.
pub(super) fn listed(has_more: bool) -> Vec<Value> {
    let mut prompts = vec![
        json!({ "name": "test_simple_prompt", "description": "Says one thing" }),
        json!({
            "name": "test_prompt_with_arguments",
            "description": "Says what it was given",
            "arguments": [
                { "name": "arg1", "description": "First test argument", "required": true },
                { "name": "arg2", "description": "Second test argument", "required": true },
            ],
        }),
        json!({
            "name": "test_prompt_with_embedded_resource",
            "description": "Shows a resource",
            "arguments": [{ "name": "resourceUri", "description": "The resource", "required": true }],
        }),
        json!({ "name": "test_prompt_with_image", "description": "Shows an image" }),
        json!({ "name": "test_input_required_result_prompt", "description": "Asks first" }),
    ];
    if has_more {
        prompts.push(json!({ "name": "test_dynamic_prompt", "description": "Comes and goes" }));
    }
    prompts
}

pub(super) fn get(name: &str, arguments: &Value, context: &Context) -> Answer {
    let argument = |name: &str| arguments[name].as_str().unwrap_or_default();
    match name {
        "test_simple_prompt" | "test_dynamic_prompt" => says("This is a simple prompt for testing."),
        "test_prompt_with_arguments" => {
            says(&format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))
        }
        "test_prompt_with_embedded_resource" => messages(vec![
            json!({ "type": "resource", "resource": {
                "uri": argument("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            } }),
            json!({ "type": "text", "text": "Please process the embedded resource above." }),
        ]),
        "test_prompt_with_image" => messages(vec![
            json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" }),
            json!({ "type": "text", "text": "Please analyze the image above." }),
        ]),
        "test_input_required_result_prompt" => with_context(context),
        _ => unknown(),
    }
}

fn with_context(context: &Context) -> Answer {
    if let Some(given) = accepted(context, "user_context") {
        return says(&format!("Context: {}", given["context"]));
    }
    let mut question = form_of_one("What context should the prompt use?", "context", "string");
    "user_context".clone_into(&mut question.key);
    Answer::Input(Input { questions: vec![question], state: None })
}

fn says(text: &str) -> Answer {
    messages(vec![json!({ "type": "text", "text": text })])
}

fn messages(contents: Vec<Value>) -> Answer {
    let messages: Vec<_> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    result(&json!({ "messages": messages }))
}
