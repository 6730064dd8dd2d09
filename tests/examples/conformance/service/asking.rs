//! The tools that ask their client something first.

use selvedge::{
    Link,
    core::{
        client::Offered,
        server::{Answer, Context, Input, Question},
    },
};
use serde_json::{Value, json};

use super::{raw, text, value};

/// Calls a tool that asks; `None` where it is none.
pub(super) async fn call(name: &str, arguments: &Value, context: &Context, link: &Link) -> Option<Answer> {
    let answer = match name {
        "test_sampling" => sampling(arguments["prompt"].as_str().unwrap_or_default(), 100, context),
        "test_missing_capability" => sampling("Are you there?", 10, context),
        "test_input_required_result_sampling" => capital(context),
        "test_elicitation" => {
            let message = arguments["message"].as_str().unwrap_or_default();
            elicitation(message, &who(), "User response", context)
        }
        "test_streaming_elicitation" => {
            link.progress(1.0, None, Some("about to ask")).await;
            elicitation("Who are you?", &who(), "User response", context)
        }
        "test_elicitation_sep1034_defaults" => {
            elicitation("Please review the form", &defaults(), "Elicitation completed", context)
        }
        "test_elicitation_sep1330_enums" => {
            elicitation("Please choose", &choices(), "Elicitation completed", context)
        }
        "test_elicitation_url" => page(context),
        "test_input_required_result_elicitation" => name_of_user(context),
        "test_input_required_result_list_roots" => roots(context),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            state(context)
        }
        "test_input_required_result_multiple_inputs" => three(context),
        "test_input_required_result_multi_round" => twice(context),
        "test_input_required_result_capabilities" => able(context),
        _ => return None,
    };
    Some(answer)
}

fn ask(key: &str, what: Offered, params: &Value) -> Question {
    Question { key: key.to_owned(), what, params: raw(params) }
}

fn input(questions: Vec<Question>, state: Option<&str>) -> Answer {
    Answer::Input(Input { questions, state: state.map(str::to_owned) })
}

fn prompt(text: &str, max_tokens: u32) -> Value {
    json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
        "maxTokens": max_tokens,
    })
}

fn form(message: &str, properties: &Value, required: &[&str]) -> Value {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "message": message, "requestedSchema": schema })
}

pub(super) fn form_of_one(message: &str, name: &str, kind: &str) -> Question {
    let params = form(message, &json!({ name: { "type": kind } }), &[name]);
    ask(name, Offered::Elicitation, &params)
}

/// What a question to a user was answered with, where it was accepted.
pub(super) fn accepted(context: &Context, key: &str) -> Option<Value> {
    let answer = value(context.answered(key)?);
    (answer["action"] == "accept").then(|| answer["content"].clone())
}

fn said(context: &Context, key: &str) -> Option<String> {
    let answer = value(context.answered(key)?);
    Some(answer["content"]["text"].as_str()?.to_owned())
}

fn sampling(question: &str, max_tokens: u32, context: &Context) -> Answer {
    match said(context, "sampling") {
        Some(said) => text(&format!("LLM response: {said}")),
        None => input(vec![ask("sampling", Offered::Sampling, &prompt(question, max_tokens))], None),
    }
}

fn capital(context: &Context) -> Answer {
    if let Some(said) = said(context, "capital_question") {
        return text(&said);
    }
    let params = prompt("What is the capital of France?", 100);
    input(vec![ask("capital_question", Offered::Sampling, &params)], None)
}

fn elicitation(message: &str, schema: &Value, title: &str, context: &Context) -> Answer {
    let Some(answer) = context.answered("elicitation") else {
        let params = json!({ "message": message, "requestedSchema": schema });
        return input(vec![ask("elicitation", Offered::Elicitation, &params)], None);
    };
    let answer = value(answer);
    let action = answer["action"].as_str().unwrap_or_default();
    text(&format!("{title}: action={action}, content={}", answer["content"]))
}

fn who() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
        "required": [],
    })
}

fn choices() -> Value {
    let titled = |prefix: &str, title: &str| {
        let each = ["First", "Second", "Third"].iter().enumerate();
        let each = each.map(
            |(at, nth)| json!({ "const": format!("{prefix}{}", at + 1), "title": format!("{nth} {title}") }),
        );
        Value::Array(each.collect())
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled("value", "Option") },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("value", "Choice") } },
        },
        "required": [],
    })
}

fn page(context: &Context) -> Answer {
    if let Some(answer) = context.answered("page") {
        return text(&format!("page: {}", value(answer)["action"].as_str().unwrap_or_default()));
    }
    let params = json!({ "mode": "url", "message": "Please sign in", "url": "https://example.com/sign-in" });
    input(vec![ask("page", Offered::Elicitation, &params)], None)
}

fn ask_name(key: &str, message: &str) -> Question {
    let params = form(message, &json!({ "name": { "type": "string" } }), &["name"]);
    ask(key, Offered::Elicitation, &params)
}

fn name_of_user(context: &Context) -> Answer {
    let name = accepted(context, "user_name").and_then(|content| content["name"].as_str().map(str::to_owned));
    match name {
        Some(name) => text(&format!("Hello, {name}!")),
        None => input(vec![ask_name("user_name", "What is your name?")], None),
    }
}

fn roots(context: &Context) -> Answer {
    match context.answered("client_roots") {
        Some(answer) => text(&format!("Roots: {}", value(answer)["roots"])),
        None => input(vec![ask("client_roots", Offered::Roots, &json!({}))], None),
    }
}

fn state(context: &Context) -> Answer {
    let is_confirmed = accepted(context, "confirm").is_some_and(|content| content["ok"] == true);
    if is_confirmed && context.state.as_deref() == Some("round 1") {
        return text("state-ok");
    }
    let params = form("Please confirm", &json!({ "ok": { "type": "boolean" } }), &["ok"]);
    input(vec![ask("confirm", Offered::Elicitation, &params)], Some("round 1"))
}

fn three(context: &Context) -> Answer {
    let name = accepted(context, "user_name");
    let (greeting, roots) = (said(context, "greeting"), context.answered("client_roots"));
    if let (Some(name), Some(greeting), Some(roots)) = (name, greeting, roots) {
        return text(&format!("{greeting}, {}, at {}", name["name"], value(roots)["roots"]));
    }
    let questions = vec![
        ask_name("user_name", "What is your name?"),
        ask("greeting", Offered::Sampling, &prompt("Generate a greeting", 50)),
        ask("client_roots", Offered::Roots, &json!({})),
    ];
    input(questions, Some("all three"))
}

fn twice(context: &Context) -> Answer {
    let Some(name) = accepted(context, "step1") else {
        return input(vec![ask_name("step1", "Step 1: What is your name?")], Some("step 1"));
    };
    let Some(color) = accepted(context, "step2") else {
        let properties = json!({ "color": { "type": "string" } });
        let params = form("Step 2: What is your favorite color?", &properties, &["color"]);
        return input(vec![ask("step2", Offered::Elicitation, &params)], Some("step 2"));
    };
    text(&format!("{} likes {}", name["name"], color["color"]))
}

/// Asks for all that the client says it can answer.
fn able(context: &Context) -> Answer {
    let capabilities = context.capabilities();
    let mut questions = Vec::new();
    if capabilities.get("elicitation").is_some() {
        questions.push(ask_name("user_name", "What is your name?"));
    }
    if capabilities.get("sampling").is_some() {
        questions.push(ask("greeting", Offered::Sampling, &prompt("Generate a greeting", 50)));
    }
    if capabilities.get("roots").is_some() {
        questions.push(ask("client_roots", Offered::Roots, &json!({})));
    }
    if context.answers.is_some() || questions.is_empty() {
        return text("there is nothing more to ask");
    }
    input(questions, None)
}
