//! Starting and ending servers.

use std::time::{Duration, Instant};

use selvedge::{
    ConnectError, Connection, Options, Server,
    core::{
        client::{EraPolicy, Evidence, ExitStatus, OpenError, Reason},
        protocol::Revision,
    },
};

use super::{Folder, STUBBORN, connect, hasty, stubborn, with};

pub(super) const fn exited(code: i32) -> Evidence {
    Evidence::Exited(ExitStatus { code: Some(code), signal: None })
}

const fn signalled(signal: i32) -> Evidence {
    Evidence::Exited(ExitStatus { code: None, signal: Some(signal) })
}

async fn fails(server: Server, options: Options) -> ConnectError {
    match Connection::prepare(server, options).connect().await {
        Ok(_) => panic!("there is a session"),
        Err(error) => error,
    }
}

/// Returns whether a process exists that is more than a corpse.
pub(super) fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z') && !line.contains('X'))
}

/// Waits until a process is gone; its end may take the kernel a moment after the signal.
pub(super) async fn wait_for_end(pid: &str) {
    let start = Instant::now();
    while is_alive(pid) {
        assert!(start.elapsed() < Duration::from_secs(10), "process {pid} lives on");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_well_behaved_server_ends_by_itself_when_its_input_is_closed() {
    // The grace is long, so that only the end of the input can have ended it.
    let connection = Connection::spawn(stubborn(&[])).await.unwrap();
    assert_eq!(connection.shutdown().await, Ok(exited(0)));
    assert_eq!(connection.shutdown().await, Ok(exited(0)));
    assert_eq!(connection.reason(), Some(&Reason::ShutDown));
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_terminated() {
    let connection = connect(&["--ignore-eof"], hasty()).await;
    assert_eq!(connection.shutdown().await, Ok(signalled(15)));
}

#[tokio::test]
async fn a_server_that_ignores_everything_is_killed() {
    let connection = connect(&["--ignore-eof", "--ignore-sigterm"], hasty()).await;
    let start = Instant::now();
    assert_eq!(connection.shutdown().await, Ok(signalled(9)));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_a_server_started_ends_with_it() {
    let folder = Folder::new("grandchild");
    let pid_file = folder.file("pid");
    let connection = connect(&["--grandchild", &pid_file], hasty()).await;
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    assert!(is_alive(&pid));
    assert_eq!(connection.shutdown().await, Ok(exited(0)));
    wait_for_end(&pid).await;
}

#[tokio::test]
async fn a_dropped_connection_retires_its_server_in_the_background() {
    let folder = Folder::new("dropped");
    let pid_file = folder.file("pid");
    let connection = connect(&["--grandchild", &pid_file, "--ignore-eof"], hasty()).await;
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    drop(connection);
    wait_for_end(&pid).await;
}

#[test]
fn a_runtime_that_ends_takes_its_servers_with_it() {
    let folder = Folder::new("runtime");
    let pid_file = folder.file("pid");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let flags = ["--grandchild", pid_file.as_str(), "--ignore-eof", "--ignore-sigterm"];
    let connection = runtime.block_on(connect(&flags, hasty()));
    drop(runtime);
    drop(connection);
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let waiting = tokio::runtime::Builder::new_current_thread().build().unwrap();
    waiting.block_on(wait_for_end(&pid));
}

#[tokio::test]
async fn a_prepared_server_that_is_never_connected_was_never_opened() {
    let folder = Folder::new("parked");
    let pid_file = folder.file("pid");
    let prepared = Connection::prepare(stubborn(&["--grandchild", &pid_file]), hasty());
    let handle = prepared.handle();
    assert_eq!(handle.shutdown().await, Ok(Evidence::NeverOpened));
    let error = prepared.connect().await.unwrap_err();
    assert_eq!(error.reason, Reason::ShutDown);
    assert_eq!(error.retirement, Ok(Evidence::NeverOpened));
    assert!(!std::path::Path::new(&pid_file).exists());
}

#[tokio::test]
async fn a_server_that_dies_at_once_is_reported_with_its_last_words() {
    let start = Instant::now();
    let error = fails(stubborn(&["--exit-at-start", "3", "--say", "Error: API_KEY missing"]), hasty()).await;
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(error.reason, Reason::Exited(ExitStatus { code: Some(3), signal: None }));
    assert_eq!(error.to_string(), "the server exited with code 3");
    assert_eq!(error.stderr_tail, "Error: API_KEY missing\n");
    assert_eq!(error.retirement, Ok(exited(3)));
}

#[tokio::test]
async fn three_ways_not_to_start_are_told_apart() {
    let folder = Folder::new("starts");
    let plain = folder.file("plain");
    std::fs::write(&plain, "no program").unwrap();
    let reason = |error: ConnectError| match error.reason {
        Reason::OpenFailed(error) => error,
        other => panic!("{other}"),
    };
    let none: [&str; 0] = [];
    let missing = fails(Server::new("no-such-program", none), hasty()).await;
    assert_eq!(reason(missing), OpenError::CommandNotFound("no-such-program".to_owned()));
    let refused = fails(Server::new(plain.as_str(), none), hasty()).await;
    assert_eq!(reason(refused), OpenError::NotExecutable(plain));
    let mut server = Server::new(STUBBORN, none);
    server.cwd = Some(folder.file("nowhere").into());
    assert_eq!(reason(fails(server, hasty()).await), OpenError::DirectoryNotFound(folder.file("nowhere")));
}

#[tokio::test]
async fn a_silent_server_times_out_and_is_retired() {
    let options = with(|client| client.handshake_timeout = Duration::from_millis(100));
    let error = fails(stubborn(&["--silent", "--ignore-eof", "--ignore-sigterm"]), options).await;
    assert!(matches!(error.reason, Reason::HandshakeTimedOut { .. }), "{error}");
    assert_eq!(error.retirement, Ok(signalled(9)));
}

#[tokio::test]
async fn servers_of_other_revisions_are_refused_naming_both_sides() {
    let error = fails(stubborn(&["--version", "1999-01-01"]), hasty()).await;
    assert_eq!(
        error.to_string(),
        "the server speaks 1999-01-01, this client speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05"
    );
    let pinned = |revision| with(|client| client.era = EraPolicy::Pinned(revision));
    let error = fails(stubborn(&["--modern-only"]), pinned(Revision::V2025_06_18)).await;
    assert!(matches!(error.reason, Reason::HandshakeRefused(_)), "{error}");
    let error = fails(stubborn(&[]), pinned(Revision::V2025_06_18)).await;
    assert_eq!(error.to_string(), "the server speaks 2025-11-25, this client speaks 2025-06-18");
    let error = fails(stubborn(&[]), pinned(Revision::V2026_07_28)).await;
    assert!(matches!(&error.reason, Reason::HandshakeRefused(error) if error.code == -32601), "{error}");
}

#[tokio::test]
async fn every_legacy_revision_is_spoken() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let connection = connect(&["--version", revision], hasty()).await;
        assert_eq!(connection.handshake().unwrap().revision.as_str(), revision);
        connection.shutdown().await.unwrap();
    }
}

#[tokio::test]
async fn a_flood_of_diagnostics_does_not_block_the_handshake() {
    let connection = connect(&["--stderr-flood", "10000000"], hasty()).await;
    connection.ping().await.unwrap();
    let seen = connection.inspect().await.unwrap();
    assert!(seen.stderr_tail.len() <= 256 << 10);
    assert!(seen.stderr_tail.ends_with("flood ends\n"));
    connection.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_server_sees_what_is_allowed_and_declared_and_nothing_else() {
    let folder = Folder::new("environment");
    let (env_file, args_file) = (folder.file("env"), folder.file("args"));
    let mut server = stubborn(&["--print-env", &env_file, "--print-args", &args_file]);
    server.args.push("--say".into());
    server.args.push("$HOME; `id` \"quoted\" *".into());
    server.env.push(("DECLARED".into(), "yes".into()));
    server.env.push(("PATH".into(), "/overridden".into()));
    let connection = Connection::prepare(server, hasty()).connect().await.unwrap();
    connection.shutdown().await.unwrap();
    let seen = std::fs::read_to_string(&env_file).unwrap();
    let names: Vec<_> = seen.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    assert!(seen.lines().any(|line| line == "DECLARED=yes"));
    assert!(seen.lines().any(|line| line == "PATH=/overridden"));
    // Cargo sets dozens of variables for a test, none of which is on the list.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
    let args = std::fs::read_to_string(&args_file).unwrap();
    assert!(args.lines().any(|line| line == "$HOME; `id` \"quoted\" *"), "{args}");
}

#[tokio::test]
async fn a_server_works_in_the_folder_it_is_given() {
    let folder = Folder::new("cwd");
    let mut server = stubborn(&["--print-args", "here"]);
    server.cwd = Some(folder.0.clone());
    let connection = Connection::prepare(server, hasty()).connect().await.unwrap();
    connection.shutdown().await.unwrap();
    assert!(folder.0.join("here").exists());
}
