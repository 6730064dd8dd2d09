//! The reference server with one of everything.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use selvedge::{
    CallOptions, Connection, Options, Server,
    core::{
        client::{CallError, Event, Evidence, ExitStatus, Progress},
        protocol::{Content, Revision},
    },
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{call_error, connect, leaves, names, node, refusal, servers, tool_failure};

const ENTRY: &str = "@modelcontextprotocol/server-everything/dist/index.js";

fn everything() -> Server {
    node(ENTRY, &["stdio"])
}

#[tokio::test]
async fn it_lists_and_calls() {
    let connection = connect(everything()).await;
    let handshake = connection.handshake().unwrap();
    assert_eq!(handshake.revision, Revision::V2025_11_25);
    assert!(
        handshake.capabilities.tools && handshake.capabilities.prompts && handshake.capabilities.resources
    );
    assert!(handshake.instructions.is_some());
    let tools = connection.list_tools().await.unwrap();
    assert_eq!(names(&tools).len(), 13);
    let sum = connection.call_tool("get-sum", &json!({ "a": 2, "b": 3.5 })).await.unwrap();
    assert_eq!(sum.text(), "The sum of 2 and 3.5 is 5.5.");
    let echo = connection.call_tool("echo", &json!({ "message": "hé\u{2028}\n\"" })).await.unwrap();
    assert_eq!(echo.text(), "Echo: hé\u{2028}\n\"");
    connection.ping().await.unwrap();
    leaves(connection).await;
}

#[tokio::test]
async fn structured_and_other_content_is_kept() {
    let connection = connect(everything()).await;
    let weather =
        connection.call_tool("get-structured-content", &json!({ "location": "Chicago" })).await.unwrap();
    let structured: Value = serde_json::from_str(weather.structured_content().unwrap().as_str()).unwrap();
    assert_eq!(
        structured,
        json!({ "temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82 })
    );
    let image = connection.call_tool("get-tiny-image", &json!({})).await.unwrap();
    let kinds: Vec<_> = image
        .content()
        .map(|block| match block {
            Content::Text(_) => "text".to_owned(),
            Content::Other { kind, .. } => kind.into_owned(),
            _ => "unknown".to_owned(),
        })
        .collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    assert!(image.structured_content().is_none());
    leaves(connection).await;
}

#[tokio::test]
async fn its_failures_are_told_apart() {
    let connection = connect(everything()).await;
    let text = tool_failure(connection.call_tool("nope", &json!({})).await);
    assert!(text.contains("Tool nope not found"), "{text}");
    let text = tool_failure(connection.call_tool("get-sum", &json!({ "a": "x" })).await);
    assert!(text.contains("-32602"), "{text}");
    assert_eq!(refusal(connection.request("foo/bar", &json!({})).await).0, -32601);
    assert_eq!(refusal(connection.read_resource("nope://x").await).0, -32602);
    assert_eq!(refusal(connection.get_prompt("args-prompt", &json!({})).await).0, -32602);
    leaves(connection).await;
}

#[tokio::test]
async fn its_progress_is_told_step_by_step() {
    let connection = connect(everything()).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let on_progress =
        move |progress: Progress| sink.lock().unwrap().push(progress.progress.as_str().to_owned());
    let options = CallOptions { on_progress: Some(Box::new(on_progress)), ..CallOptions::default() };
    let arguments = json!({ "duration": 0.5, "steps": 5 });
    let result =
        connection.call_tool_with("trigger-long-running-operation", &arguments, options).await.unwrap();
    assert_eq!(result.text(), "Long running operation completed. Duration: 0.5 seconds, Steps: 5.");
    assert_eq!(*seen.lock().unwrap(), ["1", "2", "3", "4", "5"]);
    leaves(connection).await;
}

#[tokio::test]
async fn a_cancelled_call_leaves_the_session_in_order() {
    let connection = connect(everything()).await;
    let arguments = json!({ "duration": 0.6, "steps": 3 });
    let call = connection.call_tool("trigger-long-running-operation", &arguments);
    assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
    connection.ping().await.unwrap();
    assert_eq!(connection.inspect().await.unwrap().calls_in_flight, 0);
    let options = CallOptions { timeout: Some(Duration::from_millis(50)), ..CallOptions::default() };
    let call = connection.call_tool_with("trigger-long-running-operation", &arguments, options).await;
    assert!(matches!(call_error(call), CallError::TimedOut { .. }));
    let sum = connection.call_tool("get-sum", &json!({ "a": 2, "b": 40 })).await.unwrap();
    assert_eq!(sum.text(), "The sum of 2 and 40 is 42.");
    // It lets a cancelled operation run to its end before it leaves; the ladder need not wait for that.
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn an_eight_megabyte_result_arrives_whole() {
    let connection = connect(everything()).await;
    let message = "x".repeat(8_000_000);
    let result = connection.call_tool("echo", &json!({ "message": message })).await.unwrap();
    assert_eq!(result.text().len(), "Echo: ".len() + message.len());
    leaves(connection).await;
}

#[tokio::test]
async fn hundreds_of_calls_at_once_find_their_callers() {
    let connection = connect(everything()).await;
    let calls: Vec<_> = (0..300)
        .map(|at| {
            let connection = connection.clone();
            tokio::spawn(async move {
                connection.call_tool("get-sum", &json!({ "a": at, "b": 1 })).await.unwrap().text()
            })
        })
        .collect();
    for (at, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap(), format!("The sum of {at} and 1 is {}.", at + 1));
    }
    leaves(connection).await;
}

#[tokio::test]
async fn its_prompts_resources_and_completions_are_read() {
    let connection = connect(everything()).await;
    let prompts = connection.list_prompts().await.unwrap();
    assert!(prompts.items.iter().any(|prompt| prompt.name == "simple-prompt"));
    let prompt = connection.get_prompt("args-prompt", &json!({ "city": "Oslo" })).await.unwrap();
    let texts: Vec<_> =
        prompt.messages.iter().map(selvedge::core::protocol::PromptMessage::content).collect();
    assert_eq!(texts, [Content::Text("What's weather in Oslo?".into())]);
    let resources = connection.list_resources().await.unwrap();
    assert_eq!(resources.items.len(), 7);
    let read = connection.read_resource(&resources.items[0].uri).await.unwrap();
    assert!(read.contents[0].text.as_ref().is_some_and(|text| !text.is_empty()));
    assert_eq!(connection.list_resource_templates().await.unwrap().items.len(), 2);
    let blob = connection.read_resource("demo://resource/dynamic/blob/1").await.unwrap();
    assert!(blob.contents[0].blob.is_some());
    let reference = json!({ "type": "ref/prompt", "name": "completable-prompt" });
    let completion =
        connection.complete(&reference, &json!({ "name": "department", "value": "E" })).await.unwrap();
    assert_eq!(completion.values, ["Engineering"]);
    leaves(connection).await;
}

#[tokio::test]
async fn what_it_subscribes_logs_and_changes_is_told() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let options = Options {
        on_event: Some(Arc::new(move |event: &Event| {
            let _ = tell.send(event.clone());
        })),
        ..Options::default()
    };
    let connection = Connection::prepare(everything(), options).connect().await.unwrap();
    let uri = "demo://resource/static/document/features.md";
    connection.subscribe(uri).await.unwrap();
    connection.set_log_level("debug").await.unwrap();
    connection.call_tool("toggle-subscriber-updates", &json!({})).await.unwrap();
    let wanted = async {
        loop {
            match told.recv().await.expect("the session lasts") {
                Event::ResourceUpdated { uri: updated } if updated == uri => return,
                _ => {}
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wanted).await.expect("an update");
    connection.unsubscribe(uri).await.unwrap();
    connection.call_tool("toggle-subscriber-updates", &json!({})).await.unwrap();
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn it_sees_no_secret_of_its_host() {
    let mut server = everything();
    server.env.push(("SELVEDGE_DECLARED".into(), "yes".into()));
    let connection = connect(server).await;
    let seen = connection.call_tool("get-env", &json!({})).await.unwrap();
    let seen: Value = serde_json::from_str(&seen.text()).unwrap();
    assert_eq!(seen["SELVEDGE_DECLARED"], "yes");
    let inherited: Vec<_> = Server::inherited().into_iter().map(|(name, _)| name).collect();
    // By the mark the host finds what its server leaves; it is a number.
    let ours = ["SELVEDGE_DECLARED", "SELVEDGE_SERVER"];
    for name in seen.as_object().unwrap().keys().filter(|name| !ours.contains(&name.as_str())) {
        assert!(inherited.iter().any(|allowed| allowed == name.as_str()), "{name}");
    }
    leaves(connection).await;
}

#[tokio::test]
async fn a_tree_of_npx_that_ignores_the_end_of_its_input_is_ended() {
    let folder = servers().display().to_string();
    let mark = format!("SELVEDGE_TEST_MARK=npx-{}", std::process::id());
    let (name, value) = mark.split_once('=').unwrap();
    let mut server =
        Server::new("npx", ["--no", "--prefix", folder.as_str(), "mcp-server-everything", "stdio"]);
    server.env.push((name.into(), value.into()));
    let connection = connect(server).await;
    // From then on the server lives past the end of its input.
    connection.call_tool("toggle-simulated-logging", &json!({})).await.unwrap();
    assert!(marked(&mark) >= 2, "npx started a server");
    let start = Instant::now();
    let evidence = connection.shutdown().await.unwrap();
    assert!(matches!(evidence, Evidence::Exited(ExitStatus { .. })), "{evidence:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
    while marked(&mark) > 0 {
        assert!(start.elapsed() < Duration::from_secs(10), "a process of the tree lives on");
        tokio::task::yield_now().await;
    }
}

/// Counts the processes that have this variable and are more than corpses.
fn marked(mark: &str) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    processes
        .filter_map(Result::ok)
        .filter_map(|process| std::fs::read(process.path().join("environ")).ok())
        .filter(|environ| environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()))
        .count()
}
