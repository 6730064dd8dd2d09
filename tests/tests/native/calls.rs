//! Calls that meet a difficult server, or a difficult caller.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use selvedge::{
    CallOptions, Connection, Error, Options, Trace,
    core::{
        Misuse, Tolerance,
        client::{CallError, Event, Reason},
        frame::Framing,
        jsonrpc::Id,
    },
};
use serde_json::{Value, json};

use super::{Folder, connect, hasty, patience, stubborn, with};

fn call_error<T: std::fmt::Debug>(result: Result<T, Error>) -> CallError {
    match result {
        Err(Error::Call(error)) => error,
        other => panic!("not a failed call: {other:?}"),
    }
}

async fn echo(connection: &Connection, text: &str) -> Result<String, Error> {
    connection.call_tool("echo", &json!({ "text": text })).await.map(|result| result.text())
}

fn recorded(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn answers_find_their_callers_in_whatever_order_they_come() {
    let connection = connect(&["--out-of-order", "50"], hasty()).await;
    let calls: Vec<_> = (0..50)
        .map(|at| {
            let connection = connection.clone();
            tokio::spawn(async move { echo(&connection, &format!("text {at}")).await })
        })
        .collect();
    for (at, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().unwrap(), format!("text {at}"));
    }
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_banner_and_stray_lines_do_no_harm() {
    let connection =
        connect(&["--banner", "listening on stdio...", "--stray-on-call", "1000"], hasty()).await;
    assert_eq!(echo(&connection, "hello").await.unwrap(), "hello");
    let seen = connection.inspect().await.unwrap();
    assert_eq!(seen.stray_lines, 1_001);
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn in_a_strict_session_the_first_stray_line_is_the_last() {
    let options = with(|client| client.tolerance = Tolerance::Strict);
    let error = Connection::prepare(stubborn(&["--banner", "hello"]), options).connect().await.unwrap_err();
    assert_eq!(error.to_string(), "a line of 5 bytes is text, not a message");
}

#[tokio::test]
async fn an_oversized_answer_fails_its_own_call_only() {
    for id_last in [&[][..], &["--id-last"]] {
        let flags = [&["--oversize-first", "17000000"], id_last].concat();
        let connection = connect(&flags, hasty()).await;
        let arguments = json!({ "bytes": 1 });
        let (large, small) =
            tokio::join!(connection.call_tool("big", &arguments), echo(&connection, "small"));
        assert_eq!(call_error(large), CallError::TooLarge { limit: 16 << 20 });
        assert_eq!(small.unwrap(), "small");
        connection.shutdown().await.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_hangs_in_mid_line_times_out_and_the_server_is_told() {
    let folder = Folder::new("record");
    let record = folder.file("record");
    let options = with(|client| client.patience = patience(100));
    let connection = connect(&["--half-line-then-hang", "--record", &record], options).await;
    let error = call_error(echo(&connection, "x").await);
    assert_eq!(error, CallError::TimedOut { after: Duration::from_millis(100), hint: None });
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_call_without_an_answer_times_out_and_the_server_is_told() {
    let folder = Folder::new("timeout");
    let record = folder.file("record");
    let connection = connect(&["--record", &record], hasty()).await;
    let timeout = Some(Duration::from_millis(50));
    let options = CallOptions { timeout, total_timeout: timeout, ..CallOptions::default() };
    let error = call_error(connection.call_tool_with("sleep", &json!({}), options).await);
    assert_eq!(error, CallError::TimedOut { after: Duration::from_millis(50), hint: None });
    assert_eq!(echo(&connection, "alive").await.unwrap(), "alive");
    connection.shutdown().await.unwrap();
    let cancelled: Vec<_> = recorded(&record)
        .into_iter()
        .filter(|message| message["method"] == "notifications/cancelled")
        .collect();
    assert_eq!(cancelled.len(), 1);
    assert_eq!(cancelled[0]["params"]["requestId"], json!(2));
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_its_call() {
    let folder = Folder::new("cancel");
    let record = folder.file("record");
    let connection = connect(&["--record", &record], hasty()).await;
    let caller = {
        let connection = connection.clone();
        tokio::spawn(async move { connection.call_tool("sleep", &json!({})).await })
    };
    while connection.inspect().await.unwrap().calls_in_flight == 0 {
        tokio::task::yield_now().await;
    }
    caller.abort();
    assert!(caller.await.unwrap_err().is_cancelled());
    assert_eq!(echo(&connection, "alive").await.unwrap(), "alive");
    assert_eq!(connection.inspect().await.unwrap().calls_in_flight, 0);
    connection.shutdown().await.unwrap();
    let methods: Vec<_> = recorded(&record).into_iter().map(|message| message["method"].clone()).collect();
    assert_eq!(
        methods.iter().filter(|method| **method == "notifications/cancelled").count(),
        1,
        "{methods:?}"
    );
}

#[tokio::test]
async fn a_server_that_dies_in_mid_line_settles_every_call_with_one_cause() {
    let connection = connect(&["--die-mid-line"], hasty()).await;
    let slow = {
        let connection = connection.clone();
        tokio::spawn(async move { connection.call_tool("sleep", &json!({})).await })
    };
    while connection.inspect().await.unwrap().calls_in_flight == 0 {
        tokio::task::yield_now().await;
    }
    let dying = call_error(echo(&connection, "x").await);
    let slow = call_error(slow.await.unwrap());
    let cause = "the server is unavailable: the server exited with code 3";
    assert_eq!(slow.to_string(), cause);
    // The half line shows whose answer it was.
    assert!(matches!(dying, CallError::Malformed { .. } | CallError::Unavailable(_)), "{dying}");
    let late = call_error(echo(&connection, "late").await);
    assert_eq!(late.to_string(), cause);
    assert_eq!(connection.shutdown().await.unwrap().clone(), connection.shutdown().await.unwrap());
}

#[tokio::test]
async fn calls_that_race_a_shutdown_are_unavailable() {
    let connection = connect(&[], hasty()).await;
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.call_tool("sleep", &json!({})).await })
        })
        .collect();
    while connection.inspect().await.unwrap().calls_in_flight < 10 {
        tokio::task::yield_now().await;
    }
    connection.shutdown().await.unwrap();
    for call in calls {
        assert_eq!(call_error(call.await.unwrap()), CallError::Unavailable(Reason::ShutDown));
    }
}

#[tokio::test]
async fn a_server_that_never_reads_holds_back_its_callers_and_not_the_clock() {
    let options = with(|client| client.patience = patience(300));
    let connection = connect(&["--never-read"], options).await;
    // 64 MiB of calls, far more than the pipe and the queue hold.
    let text = "x".repeat(1 << 20);
    let calls: Vec<_> = (0..64)
        .map(|_| {
            let (connection, text) = (connection.clone(), text.clone());
            tokio::spawn(async move { echo(&connection, &text).await })
        })
        .collect();
    let mut calls = calls.into_iter();
    let first = call_error(calls.next().unwrap().await.unwrap());
    assert!(matches!(first, CallError::TimedOut { .. }), "{first}");
    connection.shutdown().await.unwrap();
    // Those that waited for their turn, outside the queue, are settled as well.
    for call in calls {
        let error = call_error(call.await.unwrap());
        assert!(
            matches!(error, CallError::TimedOut { .. } | CallError::Unavailable(Reason::ShutDown)),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_hundred_large_calls_arrive_whole() {
    let connection = connect(&[], hasty()).await;
    let calls: Vec<_> = (0..100)
        .map(|at| {
            let connection = connection.clone();
            let text = format!("{at} ").repeat(40_000);
            tokio::spawn(async move { (echo(&connection, &text).await.unwrap() == text).then_some(()) })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), Some(()));
    }
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn content_length_framing_works_both_ways() {
    let options = with(|client| client.framing = Framing::ContentLength);
    let connection = connect(&["--content-length"], options).await;
    assert_eq!(echo(&connection, "é \n x").await.unwrap(), "é \n x");
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn misuse_is_told_apart_from_a_failed_call() {
    let connection = connect(&[], hasty()).await;
    let error = connection.call_tool("echo", &json!([1])).await.unwrap_err();
    assert!(matches!(error, Error::Misuse(_)), "{error}");
    assert_eq!(error.to_string(), "the arguments must be an object");
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn the_events_of_a_session_are_told_in_order_and_its_frames_are_recorded() {
    let folder = Folder::new("trace");
    let path = folder.0.join("trace");
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = events.clone();
    let options = Options {
        on_event: Some(Arc::new(move |event: &Event| {
            let name = format!("{event:?}");
            sink.lock().unwrap().push(name.split([' ', '(']).next().unwrap_or_default().to_owned());
        })),
        trace: Some(Trace::create(&path).unwrap()),
        ..hasty()
    };
    let connection = connect(&["--banner", "hi"], options).await;
    echo(&connection, "x").await.unwrap();
    connection.shutdown().await.unwrap();
    assert_eq!(*events.lock().unwrap(), ["PeerViolated", "Ready", "Settled", "Closed", "Retired"]);
    let records = recorded(&path.display().to_string());
    let ticks: Vec<_> = records.iter().map(|record| record["tick"].as_u64().unwrap()).collect();
    assert!(ticks.is_sorted(), "{ticks:?}");
    let whats: Vec<_> = records.iter().map(|record| record["what"].as_str().unwrap()).collect();
    assert_eq!(whats.iter().filter(|what| **what == "sent").count(), 3, "{whats:?}");
    assert_eq!(whats.iter().filter(|what| **what == "received").count(), 3, "{whats:?}");
    assert!(whats.contains(&"exited"), "{whats:?}");
}

#[test]
fn an_id_reads_as_it_is_spelled() {
    assert_eq!(Id::from_string("a\"b").to_string(), "\"a\\\"b\"");
    assert_eq!(Id::from_integer(-1).to_string(), "-1");
}

#[tokio::test]
async fn arguments_that_do_not_fit_a_listed_tool_are_not_sent() {
    let folder = Folder::new("misfit");
    let record = folder.file("record");
    let connection = connect(&["--record", &record], hasty()).await;
    connection.list_tools().await.unwrap();
    let error = connection.call_tool("echo", &json!({ "Text": 1 })).await.unwrap_err();
    assert!(matches!(error, Error::Misuse(Misuse::BadArguments { .. })), "{error:?}");
    assert_eq!(
        error.to_string(),
        "`echo` does not take these arguments: expected property `text`, found an object without it; \
         `Text` is unknown: did you mean `text`?"
    );
    assert_eq!(echo(&connection, "alive").await.unwrap(), "alive");
    let options = CallOptions { unchecked: true, ..CallOptions::default() };
    let error = call_error(connection.call_tool_with("echo", &json!({ "Text": 1 }), options).await);
    assert!(matches!(error, CallError::Refused(_)), "the server judges what is not checked: {error}");
    connection.shutdown().await.unwrap();
    let calls = recorded(&record).into_iter().filter(|message| message["method"] == "tools/call");
    let arguments: Vec<_> = calls.map(|call| call["params"]["arguments"].clone()).collect();
    assert_eq!(arguments, [json!({ "text": "alive" }), json!({ "Text": 1 })]);
}

#[tokio::test]
async fn a_result_that_breaks_its_promise_comes_with_its_error() {
    let connection = connect(&["--lie", "long"], hasty()).await;
    assert_eq!(echo(&connection, "before the list").await.unwrap(), "before the list");
    connection.list_tools().await.unwrap();
    let error = call_error(echo(&connection, "kept").await);
    let CallError::BadResult(bad) = error else { panic!("{error}") };
    assert_eq!((bad.mismatch.pointer.as_str(), bad.result.text().as_str()), ("/length", "kept"));
    connection.shutdown().await.unwrap();

    let options = with(|client| client.checks.results = false);
    let connection = connect(&["--lie", "long"], options).await;
    connection.list_tools().await.unwrap();
    assert_eq!(echo(&connection, "taken").await.unwrap(), "taken");
    connection.shutdown().await.unwrap();
}
