//! Servers of both eras, and those that do not survive being asked which.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use selvedge::{
    Connection, Error, Options,
    core::{
        Misuse,
        client::{EraPolicy, Event, Evidence, ExitStatus, Reason},
        protocol::Revision,
    },
};
use serde_json::json;

use super::{Folder, connect, stubborn, with};

fn modern_first() -> Options {
    with(|client| {
        client.era = EraPolicy::ModernFirst;
        client.probe_timeout = Duration::from_millis(200);
    })
}

fn revision(connection: &Connection) -> Revision {
    connection.handshake().unwrap().revision
}

async fn assert_lives(connection: Connection) {
    let result = connection.call_tool("echo", &json!({ "text": "hello" })).await.unwrap();
    assert_eq!(result.text(), "hello");
    let left = Evidence::Exited(ExitStatus { code: Some(0), signal: None });
    assert_eq!(connection.shutdown().await, Ok(left));
}

#[tokio::test]
async fn a_modern_server_is_met_whatever_is_tried_first() {
    let policies = [EraPolicy::LegacyFirst, EraPolicy::ModernFirst, EraPolicy::Pinned(Revision::V2026_07_28)];
    for era in policies {
        let connection = connect(&["--modern-only"], with(|client| client.era = era)).await;
        assert_eq!(revision(&connection), Revision::V2026_07_28);
        assert_eq!(connection.list_tools().await.unwrap().items.len(), 3);
        let refused = connection.ping().await;
        assert!(matches!(refused, Err(Error::Misuse(Misuse::NotInRevision { .. }))), "{refused:?}");
        assert_lives(connection).await;
    }
}

#[tokio::test]
async fn a_legacy_server_that_refuses_the_question_is_asked_otherwise() {
    let connection = connect(&[], modern_first()).await;
    assert_eq!(revision(&connection), Revision::V2025_11_25);
    assert_lives(connection).await;
}

#[tokio::test]
async fn a_server_that_exits_over_the_question_is_started_anew_and_nothing_is_left_of_the_first() {
    let folder = Folder::new("respawn");
    let record = folder.file("record");
    let replaced = Arc::new(Mutex::new(Vec::new()));
    let mut options = modern_first();
    let sink = replaced.clone();
    options.on_event = Some(Arc::new(move |event: &Event| {
        if let Event::Replaced(cause) = event {
            sink.lock().unwrap().push(cause.clone());
        }
    }));
    let flags = ["--discover", "exit", "--record", &record, "--say", "starting"];
    let connection = connect(&flags, options).await;
    assert_eq!(revision(&connection), Revision::V2025_11_25);
    let exited = Reason::Exited(ExitStatus { code: Some(4), signal: None });
    assert_eq!(*replaced.lock().unwrap(), [exited]);
    assert_lives(connection.clone()).await;
    assert_eq!(connection.stderr_tail(), Some("starting\nstarting\n"), "the words of both are kept");
    let text = std::fs::read_to_string(&record).unwrap();
    let methods: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["method"].clone())
        .collect();
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized", "tools/call"]);
}

#[tokio::test]
async fn what_a_server_started_ends_before_another_takes_its_place() {
    let folder = Folder::new("respawn-group");
    let pid_file = folder.file("pid");
    // The child holds the output open, so that the end of the server is all that shows.
    let connection = connect(&["--discover", "exit", "--grandchild", &pid_file], modern_first()).await;
    assert_eq!(revision(&connection), Revision::V2025_11_25);
    assert_lives(connection).await;
}

#[tokio::test]
async fn a_server_that_passes_over_the_question_is_asked_otherwise_in_time() {
    let started = Instant::now();
    let connection = connect(&["--discover", "ignore"], modern_first()).await;
    assert!(started.elapsed() >= Duration::from_millis(200));
    assert_eq!(revision(&connection), Revision::V2025_11_25);
    assert_lives(connection).await;
}

#[tokio::test]
async fn a_server_that_answers_late_is_asked_again_and_met_in_its_own_era() {
    let connection = connect(&["--discover", "late", "--modern-only"], modern_first()).await;
    assert_eq!(revision(&connection), Revision::V2026_07_28);
    assert_lives(connection).await;
}

#[tokio::test]
async fn a_server_that_hangs_over_the_question_ends_the_handshake_and_is_retired() {
    let mut options = modern_first();
    options.client.handshake_timeout = Duration::from_millis(400);
    let flags = ["--discover", "hang", "--ignore-sigterm"];
    let error = Connection::prepare(stubborn(&flags), options).connect().await.unwrap_err();
    assert!(matches!(error.reason, Reason::HandshakeTimedOut { .. }), "{error}");
    assert_eq!(error.retirement, Ok(Evidence::Exited(ExitStatus { code: None, signal: Some(9) })));
}

#[tokio::test]
async fn a_server_that_exits_whatever_it_is_asked_is_started_twice_and_no_more() {
    let flags = ["--exit-at-start", "5", "--say", "starting"];
    let error = Connection::prepare(stubborn(&flags), modern_first()).connect().await.unwrap_err();
    let status = ExitStatus { code: Some(5), signal: None };
    assert_eq!(error.reason, Reason::Exited(status));
    assert_eq!(error.retirement, Ok(Evidence::Exited(status)));
    assert_eq!(error.stderr_tail, "starting\nstarting\n");
}
