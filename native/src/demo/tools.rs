//! The tools of the demo.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use selvedge::{
    core::protocol::LogLevel,
    tools::{Content, Context, DefinitionError, Elicited, NoArguments, Tool, ToolError, ToolOutput, Toolset},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Shared, announce, notes};

/// A PNG of one grey pixel.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', 0, 0, 0, 0x0D, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0,
    0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 0x0A, b'I', b'D', b'A', b'T', 0x78, 0x9C, 0x63,
    0x68, 0, 0, 0, 0x82, 0, 0x81, 0xDA, 0x42, 0x14, 0x3B, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42,
    0x60, 0x82,
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Terms {
    a: serde_json::Number,
    b: serde_json::Number,
}

#[derive(Serialize)]
struct Sum {
    sum: serde_json::Number,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Counting {
    #[schemars(range(min = 0, max = 1_000))]
    to: u32,
    #[serde(default)]
    #[schemars(range(min = 0, max = 60_000))]
    delay_ms: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Failure {
    #[serde(default = "no_reason")]
    reason: String,
}

fn no_reason() -> String {
    "this tool always fails".to_owned()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Note {
    /// 1 to 64 letters, digits, `-` or `_`
    name: String,
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Name {
    name: String,
}

/// What a user fills in.
#[derive(Deserialize, JsonSchema)]
struct Person {
    /// What to call you
    name: String,
}

pub(super) fn tools(shared: &Arc<Shared>) -> Result<Toolset, DefinitionError> {
    let mut tools = Toolset::new();
    plain(&mut tools)?;
    asking(&mut tools)?;
    changing(&mut tools, shared)?;
    Ok(tools)
}

fn plain(tools: &mut Toolset) -> Result<(), DefinitionError> {
    let reader = |name: &str, description: &str| Tool::new(name).description(description).read_only();
    let sum = json!({
        "type": "object", "properties": { "sum": { "type": "number" } }, "required": ["sum"],
    });
    let adder = reader("add", "Adds two numbers").output_schema(sum);
    tools.add(adder.handler(async |terms: Terms, _: Context| add(&terms)))?;
    tools.add(reader("count", "Counts up and reports its progress").handler(count))?;
    tools.add(
        reader("echo", "Answers with its text")
            .handler(async |arguments: Text, _: Context| Ok(Content::text(arguments.text))),
    )?;
    tools.add(reader("fail", "Answers that it failed").handler(async |arguments: Failure, _: Context| {
        Err::<Content, _>(ToolError::new(arguments.reason))
    }))?;
    tools.add(reader("pixel", "Answers with an image").handler(async |_: NoArguments, _: Context| {
        let image = Content::Image { data: PIXEL.to_vec(), mime_type: "image/png".to_owned() };
        Ok(ToolOutput::new(vec![Content::text("One grey pixel:"), image]))
    }))?;
    tools.add(reader("log", "Sends a log message of every level").handler(
        async |_: NoArguments, context: Context| {
            for level in [LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error] {
                context.log(level, format!("a message of level {level}")).await;
            }
            Ok(Content::text("sent four messages"))
        },
    ))?;
    tools.add(reader("crash", "Breaks down, and its server lives on").handler(crash))
}

/// Ends its task in the hardest way there is.
#[expect(clippy::panic, reason = "the demo shows that a panic of a tool harms nothing else")]
async fn crash(_: NoArguments, _: Context) -> Result<Content, ToolError> {
    std::future::ready(()).await;
    panic!("the demo's tool `crash` panics on purpose");
}

fn add(terms: &Terms) -> Result<ToolOutput, ToolError> {
    let whole = terms.a.as_i64().zip(terms.b.as_i64()).and_then(|(a, b)| a.checked_add(b));
    let sum = whole.map(serde_json::Number::from).or_else(|| {
        let (a, b) = terms.a.as_f64().zip(terms.b.as_f64())?;
        serde_json::Number::from_f64(a + b)
    });
    let sum = sum.ok_or_else(|| ToolError::new("the sum is out of range"))?;
    let text = Content::text(sum.to_string());
    let mut output = ToolOutput::structured(&Sum { sum })?;
    output.content = vec![text];
    Ok(output)
}

async fn count(counting: Counting, context: Context) -> Result<Content, ToolError> {
    let Counting { to, delay_ms } = counting;
    for at in 1..=to {
        tokio::time::sleep(Duration::from_millis(delay_ms.into())).await;
        context.progress(at.into(), Some(to.into()), Some(&format!("counted {at}"))).await;
    }
    Ok(Content::text(format!("counted to {to}")))
}

fn asking(tools: &mut Toolset) -> Result<(), DefinitionError> {
    tools.add(Tool::new("greet").description("Asks its user for a name and greets").read_only().handler(
        async |_: NoArguments, context: Context| {
            Ok(Content::text(match context.elicit_as::<Person>("name", "What is your name?")? {
                Elicited::Accepted(person) => format!("Hello, {}!", person.name),
                Elicited::Declined => "Hello, whoever you are!".to_owned(),
                Elicited::Cancelled => "Good-bye, then.".to_owned(),
            }))
        },
    ))?;
    tools.add(
        Tool::new("summarize").description("Has the client's model summarize a text").read_only().handler(
            async |arguments: Text, context: Context| {
                let text = format!("Summarize in one sentence:\n{}", arguments.text);
                let params = json!({
                    "messages": [{ "role": "user", "content": { "type": "text", "text": text } }],
                    "maxTokens": 200,
                });
                let answer = context.sample("summary", params)?;
                let content = answer.view().get("content").and_then(|content| content.get("text"));
                let text = content.and_then(selvedge::core::json::View::to_text);
                text.map(Content::text).ok_or_else(|| ToolError::new("the model answered with no text"))
            },
        ),
    )?;
    tools.add(
        Tool::new("workspace").description("Lists the folders that the client works on").read_only().handler(
            async |_: NoArguments, context: Context| {
                let roots = context.roots("roots")?;
                let lines: Vec<_> = roots.iter().map(|root| root.uri.as_str()).collect();
                Ok(Content::text(if lines.is_empty() { "none".to_owned() } else { lines.join("\n") }))
            },
        ),
    )?;
    tools.add(Tool::new("consent").description("Asks its user to open a page").open_world().handler(
        async |_: NoArguments, context: Context| {
            let agreed =
                context.elicit_url("page", "Read about the protocol", "https://modelcontextprotocol.io")?;
            Ok(Content::text(match agreed {
                Elicited::Accepted(()) => "the user agreed to open the page",
                Elicited::Declined | Elicited::Cancelled => "the user did not agree",
            }))
        },
    ))
}

fn changing(tools: &mut Toolset, shared: &Arc<Shared>) -> Result<(), DefinitionError> {
    let own = shared.clone();
    tools.add(
        Tool::new("write_note").description("Writes a note, which is a resource").idempotent().handler(
            move |note: Note, _: Context| {
                let shared = own.clone();
                async move {
                    let is_new = shared.notes.write(&note.name, note.text)?;
                    notes::changed(&shared, &note.name, is_new).await;
                    Ok(Content::text(format!("wrote {}", notes::uri(&note.name))))
                }
            },
        ),
    )?;
    let own = shared.clone();
    tools.add(Tool::new("remove_note").description("Removes a note for ever").destructive().handler(
        move |note: Name, _: Context| {
            let shared = own.clone();
            async move {
                if !shared.notes.remove(&note.name) {
                    return Err(ToolError::new(format!("there is no note `{}`", note.name)));
                }
                notes::changed(&shared, &note.name, true).await;
                Ok(Content::text(format!("removed {}", notes::uri(&note.name))))
            }
        },
    ))?;
    let (own, locked) = (shared.clone(), tools.clone());
    tools.add(Tool::new("unlock").description("Takes itself off the list of tools").handler(
        move |_: NoArguments, _: Context| {
            let (shared, rest) = (own.clone(), locked.clone());
            async move {
                announce(&shared, &rest).await;
                Ok(Content::text("the list of tools has changed"))
            }
        },
    ))
}
