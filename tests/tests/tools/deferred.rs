//! Providers that are made when one of their tools is first called.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use selvedge::tools::{
    Definition, DefinitionError, Inputs, NoArguments, Outcome, Tool, ToolError, ToolProvider, Toolset,
};
use serde_json::json;
use tokio::sync::{Barrier, Semaphore};

use super::{call, try_call};

fn definitions() -> Vec<Definition> {
    ["wait", "quick"].map(|name| Tool::new(name).description("…").definition().unwrap()).into()
}

/// Tools of which one waits for a partner, so that two calls end only when both are under way.
fn provider() -> Arc<dyn ToolProvider> {
    let barrier = Arc::new(Barrier::new(2));
    let mut tools = Toolset::new();
    let wait = move |_: NoArguments, _| {
        let barrier = barrier.clone();
        async move {
            barrier.wait().await;
            Ok("waited")
        }
    };
    tools.add(Tool::new("wait").handler(wait)).unwrap();
    tools.add(Tool::new("quick").handler(async |_: NoArguments, _| Ok("quick"))).unwrap();
    Arc::new(tools)
}

#[tokio::test]
async fn calls_that_come_together_activate_once_and_run_side_by_side() {
    let activations = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(Semaphore::new(0));
    let mut tools = Toolset::new();
    let (counted, closed) = (activations.clone(), gate.clone());
    tools
        .add_deferred(definitions(), move || {
            let (counted, closed) = (counted.clone(), closed.clone());
            async move {
                counted.fetch_add(1, Ordering::Relaxed);
                let _ = closed.acquire().await;
                Ok(provider())
            }
        })
        .unwrap();
    assert_eq!(tools.list().len(), 2);
    assert_eq!(activations.load(Ordering::Relaxed), 0, "what is only listed is not made");

    let (first, second, third) = (tools.clone(), tools.clone(), tools.clone());
    let first = tokio::spawn(async move { call(&first, "wait", json!({})).await });
    let second = tokio::spawn(async move { call(&second, "wait", json!({})).await });
    tokio::task::yield_now().await;
    gate.add_permits(1);
    assert_eq!(call(&third, "quick", json!({})).await["content"][0]["text"], "quick");
    for task in [first, second] {
        assert_eq!(task.await.unwrap()["content"][0]["text"], "waited");
    }
    assert_eq!(activations.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_activation_that_fails_is_a_failed_call_and_is_tried_again() {
    let attempts = AtomicUsize::new(0);
    let mut tools = Toolset::new();
    tools
        .add_deferred(definitions(), move || {
            let attempt = attempts.fetch_add(1, Ordering::Relaxed);
            async move { if attempt == 0 { Err(ToolError::new("not yet")) } else { Ok(provider()) } }
        })
        .unwrap();
    let failed = call(&tools, "quick", json!({})).await;
    assert_eq!(failed, json!({ "content": [{ "type": "text", "text": "not yet" }], "isError": true }));
    assert_eq!(call(&tools, "quick", json!({})).await["content"][0]["text"], "quick");
}

#[tokio::test]
async fn an_activation_that_is_dropped_is_left_to_the_next_call() {
    let attempts = AtomicUsize::new(0);
    let mut tools = Toolset::new();
    tools
        .add_deferred(definitions(), move || {
            let attempt = attempts.fetch_add(1, Ordering::Relaxed);
            async move {
                if attempt == 0 {
                    std::future::pending::<()>().await;
                }
                Ok(provider())
            }
        })
        .unwrap();
    let hung = tools.clone();
    let hung = tokio::spawn(async move { call(&hung, "quick", json!({})).await });
    tokio::task::yield_now().await;
    hung.abort();
    assert!(hung.await.unwrap_err().is_cancelled());
    let outcome = try_call(&tools, "quick", json!({}), Inputs::default()).await;
    assert!(matches!(outcome, Ok(Outcome::Done(_))));
}

#[test]
fn deferred_names_are_taken_too() {
    let mut tools = Toolset::new();
    tools.add(Tool::new("quick").handler(async |_: NoArguments, _| Ok(()))).unwrap();
    let taken = tools.add_deferred(definitions(), async || Ok(provider()));
    assert_eq!(taken, Err(DefinitionError::Duplicate("quick".to_owned())));
    assert_eq!(tools.list().len(), 1, "nothing of it was added");
}
