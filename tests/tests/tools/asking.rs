//! Handlers that ask back: they leave with their question and are entered again with the answer.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use schemars::JsonSchema;
use selvedge::tools::{
    BoxFuture, Context, Elicited, InputRequired, Inputs, Listener, LogLevel, NoArguments, Notice, Outcome,
    Tool, ToolError, ToolProvider, Toolset, both,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{raw, try_call};

#[derive(Deserialize, Serialize, JsonSchema)]
struct Person {
    name: String,
}

/// Greets whoever the user says they are.
#[selvedge::tool]
async fn greet(context: Context) -> Result<String, ToolError> {
    match context.elicit_as::<Person>("who", "Who are you?")? {
        Elicited::Accepted(person) => Ok(format!("hello {}", person.name)),
        Elicited::Declined => Err(ToolError::new("nobody to greet")),
        Elicited::Cancelled => Ok("never mind".to_owned()),
    }
}

/// Asks two things at once.
#[selvedge::tool]
fn survey(context: Context) -> Result<String, ToolError> {
    let sampled = context.sample("text", json!({ "messages": [], "maxTokens": 5 }));
    let (answer, roots) = both(sampled, context.roots("roots"))?;
    Ok(format!("{} {}", answer.as_str(), roots.len()))
}

fn tools() -> Toolset {
    let mut tools = Toolset::new();
    tools.add(greet_tool()).unwrap();
    tools.add(survey_tool()).unwrap();
    let counted = async |_: NoArguments, context: Context| match context.state() {
        None => Err(InputRequired::again("1").into()),
        Some("1") => {
            let asked = context
                .elicit_url("go", "Open this", "https://example.org")
                .map_err(|asked| asked.with_state("1"))?;
            Ok(format!("{asked:?}"))
        }
        Some(other) => Err(ToolError::new(other)),
    };
    tools.add(Tool::new("state").handler(counted)).unwrap();
    tools
}

async fn asked(name: &str, inputs: Inputs) -> InputRequired {
    match try_call(&tools(), name, json!({}), inputs).await {
        Ok(Outcome::InputRequired(asked)) => asked,
        other => panic!("{other:?}"),
    }
}

async fn answered(name: &str, inputs: Inputs) -> String {
    match try_call(&tools(), name, json!({}), inputs).await {
        Ok(Outcome::Done(output)) => {
            output.to_raw().unwrap_or_else(|error| panic!("{error:?}")).into_string()
        }
        other => panic!("{other:?}"),
    }
}

fn responses(responses: &[(&str, Value)]) -> Inputs {
    let responses = responses.iter().map(|(key, response)| ((*key).to_owned(), raw(response)));
    Inputs { responses: responses.collect(), state: None }
}

#[tokio::test]
async fn a_handler_asks_once_and_goes_on_with_the_answer() {
    let asked = asked("greet", Inputs::default()).await;
    assert_eq!(
        asked.requests_to_json(),
        json!({ "who": { "method": "elicitation/create", "params": {
            "mode": "form",
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
            },
        } } })
    );
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    assert!(answered("greet", responses(&[("who", accepted)])).await.contains("hello Ada"));
    let declined = answered("greet", responses(&[("who", json!({ "action": "decline" }))])).await;
    assert!(declined.contains("nobody to greet") && declined.contains("\"isError\":true"));
    assert!(
        answered("greet", responses(&[("who", json!({ "action": "cancel" }))])).await.contains("never mind")
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again() {
    let unfit = [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": { "name": 7 } }),
        json!({ "action": "perhaps" }),
        json!([]),
        Value::Null,
    ];
    for response in unfit {
        let again = asked("greet", responses(&[("who", response)])).await;
        assert_eq!(again.requests().map(|(key, _)| key).collect::<Vec<_>>(), ["who"]);
    }
    let other_key = responses(&[("other", json!({ "action": "accept", "content": { "name": "Ada" } }))]);
    assert_eq!(asked("greet", other_key).await.requests().count(), 1);
}

#[test]
fn a_form_is_checked_against_its_schema() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } }, "required": ["n"] });
    let elicit = |content: Value| {
        let inputs = responses(&[("n", json!({ "action": "accept", "content": content }))]);
        Context::new("1", inputs).elicit("n", "How many?", &schema)
    };
    assert_eq!(elicit(json!({ "n": 2 })), Ok(Elicited::Accepted(raw(&json!({ "n": 2 })))));
    assert!(elicit(json!({ "n": 0 })).is_err());
    assert!(elicit(json!({})).is_err());
}

#[tokio::test]
async fn two_questions_are_asked_in_one_round() {
    let both = asked("survey", Inputs::default()).await;
    let methods: BTreeMap<_, _> = both.requests().map(|(key, request)| (key, request.method)).collect();
    assert_eq!(methods, BTreeMap::from([("roots", "roots/list"), ("text", "sampling/createMessage")]));

    let roots = json!({ "roots": [{ "uri": "file:///a" }] });
    let one = asked("survey", responses(&[("roots", roots.clone())])).await;
    assert_eq!(one.requests().map(|(key, _)| key).collect::<Vec<_>>(), ["text"]);
    let text = json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "x" } });
    assert!(answered("survey", responses(&[("roots", roots), ("text", text)])).await.contains(" 1"));
}

#[tokio::test]
async fn state_is_given_along_and_comes_back() {
    let first = asked("state", Inputs::default()).await;
    assert_eq!((first.state(), first.requests().count()), (Some("1"), 0));
    let state = || Inputs { state: Some("1".to_owned()), ..Inputs::default() };
    let second = asked("state", state()).await;
    assert_eq!((second.state(), second.requests().count()), (Some("1"), 1));
    let mut inputs = responses(&[("go", json!({ "action": "accept" }))]);
    inputs.state = Some("1".to_owned());
    assert!(answered("state", inputs).await.contains("Accepted(())"));
}

#[derive(Default)]
struct Heard(Mutex<Vec<Notice>>);

impl Listener for Heard {
    fn notice(&self, notice: Notice) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(notice);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn a_handler_tells_and_hears_of_its_cancelling() {
    let heard = Arc::new(Heard::default());
    let (cancel, cancelled) = watch::channel(false);
    let context = Context::attached("7", Inputs::default(), heard.clone(), cancelled);
    let work = Tool::new("work").handler(async |_: NoArguments, context: Context| {
        context.progress(1.0, Some(2.0), Some("half")).await;
        context.log(LogLevel::Warning, "slow").await;
        context.cancelled().await;
        Ok(context.is_cancelled())
    });
    let mut tools = Toolset::new();
    tools.add(work).unwrap();
    assert!(!context.is_cancelled());
    let running = tokio::spawn(async move { tools.call("work", raw(&json!({})), context).await });
    cancel.send(true).unwrap();
    assert!(matches!(running.await.unwrap(), Ok(Outcome::Done(_))));
    let notices = std::mem::take(&mut *heard.0.lock().unwrap());
    assert_eq!(
        notices,
        [
            Notice::Progress { progress: 1.0, total: Some(2.0), message: Some("half".to_owned()) },
            Notice::Log { level: LogLevel::Warning, logger: None, data: json!("slow") },
        ]
    );
}
