//! What a server asks, and who answers.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use selvedge::{
    CallOptions, Connection, Error, Handler, Options, Review, ReviewedSampling,
    core::{
        client::{CallError, EraPolicy, Offered},
        json::{RawJson, View},
        jsonrpc::RpcError,
        policy::{SamplingPolicy, SamplingSummary},
        protocol::Revision,
    },
};
use serde_json::{Value, json};

use super::{Folder, connect, hasty};

fn modern() -> Options {
    let mut options = hasty();
    options.client.era = EraPolicy::Pinned(Revision::V2026_07_28);
    options
}

fn answers(text: &'static str) -> Handler {
    Handler::new(move |_| async move { Ok(RawJson::new(text).unwrap()) })
}

async fn ask(connection: &Connection, method: &str, params: Value) -> Result<String, CallError> {
    let asked = connection.call_tool("ask", &json!({ "method": method, "params": params })).await;
    match asked {
        Ok(result) => Ok(result.text()),
        Err(Error::Call(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

fn refusal(outcome: Result<String, CallError>) -> RpcError {
    match outcome {
        Err(CallError::AskRefused { error, .. }) => error,
        other => panic!("{other:?}"),
    }
}

/// Connects, ends the session, and returns what was declared to the server.
async fn declared(options: Options, flags: &[&str], pointer: &str) -> Value {
    let folder = Folder::new(&format!("declared-{}", pointer.len()));
    let record = folder.file("record");
    let mut all = vec!["--record", record.as_str()];
    all.extend(flags);
    connect(&all, options).await.shutdown().await.unwrap();
    let text = std::fs::read_to_string(&record).unwrap();
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    first.pointer(pointer).unwrap().clone()
}

#[tokio::test]
async fn what_is_declared_follows_the_handlers_and_is_empty_without_them() {
    let envelope = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";
    let legacy = "/params/capabilities";
    assert_eq!(declared(modern(), &["--modern-only"], envelope).await, json!({}));
    assert_eq!(declared(hasty(), &[], legacy).await, json!({}));
    let mut options = modern();
    options.handlers.sampling = Some(answers("{}"));
    assert_eq!(declared(options, &["--modern-only"], envelope).await, json!({ "sampling": {} }));
    let mut options = hasty();
    options.handlers.roots = Some(answers("{}"));
    options.handlers.elicitation = Some(answers("{}"));
    assert_eq!(declared(options, &[], legacy).await, json!({ "elicitation": {}, "roots": {} }));
}

#[tokio::test]
async fn each_kind_of_question_reaches_its_handler_and_the_answer_goes_back() {
    let mut options = modern();
    options.handlers.elicitation = Some(answers(r#"{"action":"decline"}"#));
    options.handlers.roots = Some(answers(r#"{"roots":[]}"#));
    let connection = connect(&["--modern-only"], options).await;
    let form = json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {} } });
    assert_eq!(ask(&connection, "elicitation/create", form).await.unwrap(), r#"{"action":"decline"}"#);
    assert_eq!(ask(&connection, "roots/list", json!({})).await.unwrap(), r#"{"roots":[]}"#);
    let sampling =
        ask(&connection, "sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })).await;
    assert!(sampling.unwrap_err().to_string().contains("not offered"));
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn only_what_the_policy_lets_pass_is_reviewed_and_only_what_was_approved_reaches_the_model() {
    let (told, delegated) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let mut policy = SamplingPolicy::default();
    policy.max_tokens = Some(100);
    policy.models = Some(vec!["small-1".to_owned()]);
    let (seen, count) = (told.clone(), delegated.clone());
    let reviewer = move |summary: SamplingSummary| {
        let verdict =
            if summary.max_tokens > 50 { Review::Refuse("too dear".to_owned()) } else { Review::Approve };
        seen.lock().unwrap().push(summary);
        async move { verdict }
    };
    let delegate = move |params: RawJson, summary: SamplingSummary| {
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            let text = params.view().get("systemPrompt").and_then(View::to_text).unwrap();
            let answer = json!({
                "role": "assistant", "model": summary.models[0], "content": { "type": "text", "text": text }
            });
            Ok(RawJson::new(answer.to_string()).unwrap())
        }
    };
    let mut options = modern();
    options.handlers.sampling = Some(ReviewedSampling::new(policy, reviewer, delegate).into());
    let connection = connect(&["--modern-only"], options).await;
    let sample = async |tokens: u64, model: &str| {
        let params = json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": "the secret" } }],
            "systemPrompt": "the other secret",
            "maxTokens": tokens,
            "modelPreferences": { "hints": [{ "name": model }] },
        });
        ask(&connection, "sampling/createMessage", params).await
    };
    assert_eq!(refusal(sample(101, "small").await).code, -1);
    assert_eq!(refusal(sample(10, "large").await).code, -1);
    assert_eq!(told.lock().unwrap().len(), 0, "what breaks the rules is not put to anybody");
    let error = refusal(sample(60, "small").await);
    assert_eq!((error.code, error.message.as_str()), (-1, "too dear"));
    assert_eq!(delegated.load(Ordering::Relaxed), 0);
    let answer = sample(10, "small").await.unwrap();
    assert!(answer.contains("the other secret") && answer.contains("small-1"), "{answer}");
    assert_eq!((told.lock().unwrap().len(), delegated.load(Ordering::Relaxed)), (2, 1));
    let all = format!("{:?}", told.lock().unwrap());
    assert!(!all.contains("secret"), "{all}");
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_handler_that_panics_or_answers_nonsense_costs_its_call_and_nothing_else() {
    let mut options = modern();
    options.handlers.roots = Some(Handler::new(|_| async { panic!("on purpose") }));
    options.handlers.elicitation = Some(answers("[]"));
    let connection = connect(&["--modern-only"], options).await;
    let panicked = ask(&connection, "roots/list", json!({})).await;
    assert!(matches!(&panicked, Err(CallError::AskRefused { what: Offered::Roots, .. })), "{panicked:?}");
    assert_eq!(refusal(panicked).code, -32_603);
    let form = json!({ "message": "m", "requestedSchema": { "type": "object", "properties": {} } });
    assert_eq!(refusal(ask(&connection, "elicitation/create", form).await).code, -32_603);
    let echoed = connection.call_tool("echo", &json!({ "text": "hello" })).await.unwrap();
    assert_eq!(echoed.text(), "hello");
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_question_whose_call_is_given_up_is_not_worked_on_any_more() {
    struct Tell(Option<tokio::sync::oneshot::Sender<()>>);
    impl Drop for Tell {
        fn drop(&mut self) {
            let _ = self.0.take().map(|tell| tell.send(()));
        }
    }
    let (tell, dropped) = tokio::sync::oneshot::channel();
    let tell = Arc::new(Mutex::new(Some(tell)));
    let mut options = modern();
    options.handlers.roots = Some(Handler::new(move |_| {
        let tell = Tell(tell.lock().unwrap().take());
        async move {
            std::future::pending::<()>().await;
            drop(tell);
            Err(RpcError::new(-1, "never"))
        }
    }));
    let connection = connect(&["--modern-only"], options).await;
    let patience = Some(Duration::from_millis(100));
    let options = CallOptions { timeout: patience, total_timeout: patience, ..CallOptions::default() };
    let arguments = json!({ "method": "roots/list", "params": {} });
    let outcome = connection.call_tool_with("ask", &arguments, options).await;
    assert!(matches!(outcome, Err(Error::Call(CallError::TimedOut { .. }))), "{outcome:?}");
    dropped.await.expect("the handler is dropped");
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn handlers_keep_no_connection_alive() {
    let folder = Folder::new("kept");
    let pid_file = folder.file("pid");
    let mut options = modern();
    options.handlers.roots = Some(answers("{}"));
    let connection = connect(&["--modern-only", "--grandchild", &pid_file], options).await;
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    drop(connection);
    super::life::wait_for_end(&pid).await;
}
