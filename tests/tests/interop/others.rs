//! Servers in other languages, on other libraries, with other habits.

use std::{sync::Arc, time::Duration};

use selvedge::{
    CallOptions, Connection, Options, Server,
    core::{
        Tolerance,
        client::{CallError, EraPolicy, Event, ExitStatus, Reason},
        protocol::Revision,
    },
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Folder, call_error, connect, leaves, names, node, patient, refusal, servers, tool_failure};

fn structured(result: &selvedge::core::protocol::CallToolResult) -> Value {
    serde_json::from_str(result.structured_content().expect("structured content").as_str()).unwrap()
}

#[tokio::test]
async fn the_filesystem_server_reads_a_file_near_the_limit_and_refuses_others() {
    let folder = Folder::new("filesystem");
    std::fs::write(folder.path("a.txt"), "hello é").unwrap();
    std::fs::write(folder.path("big.txt"), "y".repeat(8_000_000)).unwrap();
    let server = node("@modelcontextprotocol/server-filesystem/dist/index.js", &[&folder.path("")]);
    let connection = connect(server).await;
    assert_eq!(names(&connection.list_tools().await.unwrap()).len(), 14);
    let read =
        connection.call_tool("read_text_file", &json!({ "path": folder.path("a.txt") })).await.unwrap();
    assert_eq!(read.text(), "hello é");
    assert_eq!(structured(&read), json!({ "content": "hello é" }));
    // The text stands there twice: 16 MB, just below the limit.
    let read =
        connection.call_tool("read_text_file", &json!({ "path": folder.path("big.txt") })).await.unwrap();
    assert_eq!(read.text().len(), 8_000_000);
    assert_eq!(structured(&read)["content"].as_str().map(str::len), Some(8_000_000));
    let text = tool_failure(connection.call_tool("read_text_file", &json!({ "path": "/etc/passwd" })).await);
    assert!(text.starts_with("Access denied"), "{text}");
    // It has no prompts and no resources, and does not know their methods.
    assert_eq!(connection.list_prompts().await.unwrap().items, []);
    assert_eq!(connection.list_resources().await.unwrap().items, []);
    leaves(connection).await;
}

#[tokio::test]
async fn the_filesystem_server_says_why_it_does_not_start() {
    let server = node("@modelcontextprotocol/server-filesystem/dist/index.js", &["/no/such/folder"]);
    let error = Connection::spawn(server).await.unwrap_err();
    assert_eq!(error.reason, Reason::Exited(ExitStatus { code: Some(1), signal: None }));
    assert!(
        error.stderr_tail.contains("None of the specified directories are accessible"),
        "{}",
        error.stderr_tail
    );
}

#[tokio::test]
async fn the_memory_server_tells_of_its_changes() {
    let folder = Folder::new("memory");
    let mut server = node("@modelcontextprotocol/server-memory/dist/index.js", &[]);
    server.env.push(("MEMORY_FILE_PATH".into(), folder.path("memory.jsonl").into()));
    let (tell, mut told) = mpsc::unbounded_channel();
    let options = Options {
        on_event: Some(Arc::new(move |event: &Event| {
            if let Event::ResourceUpdated { uri } = event {
                let _ = tell.send(uri.clone());
            }
        })),
        ..Options::default()
    };
    let connection = Connection::prepare(server, options).connect().await.unwrap();
    assert_eq!(names(&connection.list_tools().await.unwrap()).len(), 9);
    connection.subscribe("memory://knowledge-graph").await.unwrap();
    let entities = json!({ "entities": [{ "name": "n", "entityType": "t", "observations": ["o"] }] });
    let created = connection.call_tool("create_entities", &entities).await.unwrap();
    assert_eq!(structured(&created), entities);
    let updated = tokio::time::timeout(Duration::from_secs(10), told.recv()).await.unwrap();
    assert_eq!(updated.as_deref(), Some("memory://knowledge-graph"));
    leaves(connection).await;
}

fn code_runner(folder: &Folder) -> Server {
    let mut server = node("mcp-server-code-runner/dist/cli.js", &[]);
    server.env.push(("TMPDIR".into(), folder.0.clone().into()));
    server
}

#[tokio::test]
async fn the_code_runner_may_talk_on_its_output() {
    let folder = Folder::new("runner");
    let connection = connect(code_runner(&folder)).await;
    let arguments = json!({ "code": "console.log(6*7)", "languageId": "javascript" });
    assert_eq!(connection.call_tool("run-code", &arguments).await.unwrap().text(), "42\n");
    let seen = connection.inspect().await.unwrap();
    assert_eq!(seen.stray_lines, 3);
    assert!(seen.stray_samples[0].contains("running on stdio"), "{:?}", seen.stray_samples);
    leaves(connection).await;
}

#[tokio::test]
async fn in_a_strict_session_the_code_runner_may_not() {
    let folder = Folder::new("strict-runner");
    let mut options = Options::default();
    options.client.tolerance = Tolerance::Strict;
    let error = Connection::prepare(code_runner(&folder), options).connect().await.unwrap_err();
    assert!(matches!(error.reason, Reason::Violated(_)), "{error}");
}

#[tokio::test]
async fn the_effect_server_may_answer_under_an_id_that_nobody_gave() {
    let mut options = Options::default();
    options.client.patience.idle = Duration::from_millis(1_500);
    let (tell, mut told) = mpsc::unbounded_channel();
    options.on_event = Some(Arc::new(move |event: &Event| {
        if let Event::PeerViolated(violation) = event {
            let _ = tell.send(violation.to_string());
        }
    }));
    let connection = Connection::prepare(node("effect-mcp/main.cjs", &[]), options).connect().await.unwrap();
    assert_eq!(connection.handshake().unwrap().revision, Revision::V2025_06_18);
    assert_eq!(names(&connection.list_tools().await.unwrap()).len(), 2);
    let error = call_error(connection.request("foo/bar", &json!({})).await);
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    assert_eq!(told.try_recv().as_deref(), Ok("response to no waiting request"));
    let found = connection.call_tool("effect_docs_search", &json!({ "query": "Effect" })).await.unwrap();
    assert!(found.text().starts_with("{\"results\":["));
    leaves(connection).await;
}

#[tokio::test]
async fn the_python_server_answers_pipelined_calls_in_any_order() {
    let python = servers().join("venv/bin/python");
    let connection = connect(Server::new(python, ["-m", "mcp_server_time", "--local-timezone", "UTC"])).await;
    assert_eq!(connection.handshake().unwrap().revision, Revision::V2025_11_25);
    assert_eq!(names(&connection.list_tools().await.unwrap()), ["get_current_time", "convert_time"]);
    let calls: Vec<_> = (0..24)
        .map(|hour| {
            let connection = connection.clone();
            tokio::spawn(async move {
                let arguments = json!({
                    "source_timezone": "UTC", "time": format!("{hour:02}:00"), "target_timezone": "Asia/Tokyo"
                });
                structured(&connection.call_tool("convert_time", &arguments).await.unwrap())
            })
        })
        .collect();
    for (hour, call) in calls.into_iter().enumerate() {
        let result = call.await.unwrap();
        assert_eq!(result["time_difference"], "+9.0h");
        let datetime = result["source"]["datetime"].as_str().unwrap().to_owned();
        assert!(datetime.contains(&format!("T{hour:02}:00")), "{datetime}");
    }
    leaves(connection).await;
}

#[tokio::test]
async fn the_go_server_speaks_an_older_revision() {
    let server = Server::new(servers().join("node_modules/mcp-time-linux-x64/bin/mcp-time"), [""; 0]);
    let connection = connect(server).await;
    assert_eq!(connection.handshake().unwrap().revision, Revision::V2025_03_26);
    assert_eq!(names(&connection.list_tools().await.unwrap()).len(), 5);
    let arguments = json!({ "time": "2026-01-02T03:04:05Z", "duration": "1h" });
    assert_eq!(connection.call_tool("add_time", &arguments).await.unwrap().text(), "2026-01-02T04:04:05Z");
    assert_eq!(refusal(connection.call_tool("nope", &json!({})).await).0, -32602);
    leaves(connection).await;
}

#[tokio::test]
async fn the_rust_server_refuses_wrong_arguments() {
    let folder = Folder::new("cortex");
    let binary = servers().join("node_modules/@temporal-cortex/cortex-mcp-linux-x64/bin/cortex-mcp");
    let mut server = Server::new(binary, [""; 0]);
    server.env.push(("HOME".into(), folder.0.clone().into()));
    let connection = connect(server).await;
    assert_eq!(names(&connection.list_tools().await.unwrap()).len(), 18);
    assert_eq!(connection.list_prompts().await.unwrap().items.len(), 5);
    let arguments = json!({ "start": "2026-01-02T00:00:00Z", "end": "2026-01-03T01:00:00Z" });
    let result = connection.call_tool("compute_duration", &arguments).await.unwrap();
    let result: Value = serde_json::from_str(&result.text()).unwrap();
    assert_eq!(result["total_seconds"], 90_000);
    let unchecked = CallOptions { unchecked: true, ..CallOptions::default() };
    let refused = connection.call_tool_with("compute_duration", &json!({}), unchecked).await;
    assert_eq!(refusal(refused).0, -32602);
    let resources = connection.list_resources().await.unwrap();
    let uri = "cortex://docs/rrule-reference";
    assert!(resources.items.iter().any(|resource| resource.uri == uri));
    assert!(connection.read_resource(uri).await.unwrap().contents[0].text.is_some());
    leaves(connection).await;
}

#[tokio::test]
async fn the_python_server_is_met_in_the_modern_era_too() {
    for era in [EraPolicy::ModernFirst, EraPolicy::Pinned(Revision::V2026_07_28)] {
        let mut options = patient();
        options.client.era = era;
        // A busy machine needs its time to start it.
        options.client.handshake_timeout = Duration::from_mins(2);
        options.client.probe_timeout = Duration::from_mins(2);
        let (tell, mut told) = mpsc::unbounded_channel();
        options.on_event = Some(Arc::new(move |event: &Event| {
            if !matches!(event, Event::Settled { .. }) {
                let _ = tell.send(format!("{event:?}"));
            }
        }));
        let python = servers().join("venv/bin/python");
        let server = Server::new(python, ["-m", "mcp_server_time", "--local-timezone", "UTC"]);
        let connection = Connection::prepare(server, options).connect().await.unwrap();
        let handshake = connection.handshake().unwrap();
        assert_eq!(handshake.revision, Revision::V2026_07_28);
        assert_eq!(handshake.server.name, "mcp-time");
        assert_eq!(names(&connection.list_tools().await.unwrap()), ["get_current_time", "convert_time"]);
        let arguments = json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" });
        let result = connection.call_tool("convert_time", &arguments).await.unwrap();
        assert_eq!(structured(&result)["time_difference"], "+9.0h");
        assert!(connection.discover().await.unwrap().capabilities.tools);
        let (code, _) = refusal(connection.call_tool("nope", &json!({})).await);
        assert_eq!(code, -32_602);
        leaves(connection).await;
        let mut events = Vec::new();
        while let Ok(event) = told.try_recv() {
            events.push(event);
        }
        assert!(!events.iter().any(|event| event.contains("PeerViolated")), "{events:#?}");
    }
}

#[tokio::test]
async fn every_server_of_the_legacy_era_is_met_when_it_is_asked_the_other_way_first() {
    let folder = Folder::new("asked-first");
    let binary = |path: &str| Server::new(servers().join("node_modules").join(path), [""; 0]);
    let mut cortex = binary("@temporal-cortex/cortex-mcp-linux-x64/bin/cortex-mcp");
    cortex.env.push(("HOME".into(), folder.0.clone().into()));
    let cases = [
        (node("@modelcontextprotocol/server-everything/dist/index.js", &["stdio"]), Revision::V2025_11_25),
        (
            node("@modelcontextprotocol/server-filesystem/dist/index.js", &[&folder.path("")]),
            Revision::V2025_11_25,
        ),
        (node("@modelcontextprotocol/server-memory/dist/index.js", &[]), Revision::V2025_11_25),
        (node("mcp-server-code-runner/dist/cli.js", &[]), Revision::V2025_11_25),
        (node("effect-mcp/main.cjs", &[]), Revision::V2025_06_18),
        (binary("mcp-time-linux-x64/bin/mcp-time"), Revision::V2025_03_26),
        (cortex, Revision::V2025_06_18),
    ];
    for (server, revision) in cases {
        let mut options = patient();
        options.client.era = EraPolicy::ModernFirst;
        options.client.handshake_timeout = Duration::from_mins(2);
        options.client.probe_timeout = Duration::from_mins(1);
        let (tell, mut told) = mpsc::unbounded_channel();
        options.on_event = Some(Arc::new(move |event: &Event| {
            if let Event::Replaced(cause) = event {
                let _ = tell.send(cause.to_string());
            }
        }));
        let name = format!("{server:?}");
        let connection = Connection::prepare(server, options).connect().await.unwrap();
        assert_eq!(connection.handshake().unwrap().revision, revision, "{name}");
        assert!(!connection.list_tools().await.unwrap().items.is_empty(), "{name}");
        connection.shutdown().await.unwrap();
        // The one on rmcp does not survive the question.
        assert_eq!(told.try_recv().is_ok(), name.contains("cortex"), "{name}");
    }
}
