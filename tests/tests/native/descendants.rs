//! What a server puts outside its process group.

use std::{fs, process::Command};

use selvedge::{Connection, Options, core::client::Evidence};

use super::{
    Folder, connect, hasty,
    life::{exited, is_alive, wait_for_end},
    stubborn,
};

/// Connects to a server that started a process which left its group in some way.
async fn detaching(folder: &Folder, how: &str, options: Options) -> (Connection, String) {
    let pid_file = folder.file(how);
    let connection = connect(&["--grandchild", &pid_file, "--detach", how], options).await;
    let pid = fs::read_to_string(&pid_file).unwrap();
    assert!(is_alive(&pid));
    (connection, pid)
}

#[tokio::test]
async fn nothing_is_left_of_a_server_wherever_it_put_what_it_started() {
    let folder = Folder::new("detached");
    for how in ["session", "bare", "daemon"] {
        let (connection, pid) = detaching(&folder, how, hasty()).await;
        assert_eq!(connection.stragglers(), None);
        assert_eq!(connection.shutdown().await, Ok(exited(0)), "{how}");
        // Evidence is given once everything is gone.
        assert!(!is_alive(&pid), "{how}");
        assert_eq!(connection.stragglers(), Some(1), "{how}");
    }
}

#[tokio::test]
async fn a_server_that_has_to_be_killed_takes_its_daemons_with_it() {
    let folder = Folder::new("killed");
    let pid_file = folder.file("pid");
    let flags = ["--grandchild", &pid_file, "--detach", "bare", "--ignore-eof", "--ignore-sigterm"];
    let connection = connect(&flags, hasty()).await;
    let pid = fs::read_to_string(&pid_file).unwrap();
    assert!(matches!(connection.shutdown().await, Ok(Evidence::Exited(status)) if status.signal == Some(9)));
    assert!(!is_alive(&pid));
}

#[tokio::test]
async fn a_dropped_connection_ends_daemons_in_the_background() {
    let folder = Folder::new("dropped-daemon");
    let (connection, pid) = detaching(&folder, "daemon", hasty()).await;
    drop(connection);
    wait_for_end(&pid).await;
}

#[test]
fn a_runtime_that_ends_takes_daemons_with_it() {
    let folder = Folder::new("runtime-daemon");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (connection, pid) = runtime.block_on(detaching(&folder, "daemon", hasty()));
    drop(runtime);
    drop(connection);
    let waiting = tokio::runtime::Builder::new_current_thread().build().unwrap();
    waiting.block_on(wait_for_end(&pid));
}

#[tokio::test]
async fn the_daemon_of_one_server_outlives_another_server_of_the_same_host() {
    let folder = Folder::new("two-daemons");
    let (kept, kept_pid) = detaching(&folder, "daemon", hasty()).await;
    let (ended, ended_pid) = detaching(&folder, "session", hasty()).await;
    ended.shutdown().await.unwrap();
    assert!(!is_alive(&ended_pid) && is_alive(&kept_pid));
    assert_eq!(kept.shutdown().await, Ok(exited(0)));
    assert!(!is_alive(&kept_pid));
}

#[tokio::test]
async fn a_host_may_leave_daemons_alone() {
    let folder = Folder::new("left");
    let pid_file = folder.file("pid");
    let mut server = stubborn(&["--grandchild", &pid_file, "--detach", "daemon"]);
    server.leave_detached = true;
    let connection = Connection::prepare(server, hasty()).connect().await.unwrap();
    assert_eq!(connection.shutdown().await, Ok(exited(0)));
    assert_eq!(connection.stragglers(), Some(0));
    let pid = fs::read_to_string(&pid_file).unwrap();
    assert!(is_alive(&pid));
    assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    wait_for_end(&pid).await;
}

#[tokio::test]
async fn a_daemon_is_asked_to_end_before_it_is_killed() {
    let folder = Folder::new("asked");
    let (ready, told) = (folder.file("ready"), folder.file("told"));
    let script = format!(
        "setsid sh -c 'trap \"echo asked > {told}; exit\" TERM; sleep 600 & echo > {ready}; wait' \
         < /dev/null > /dev/null 2>&1 & exec \"$@\""
    );
    let mut server = stubborn(&[]);
    let stubborn = std::mem::replace(&mut server.command, "sh".into());
    server.args = ["-c".into(), script.into(), "sh".into(), stubborn].into();
    let connection = Connection::prepare(server, Options::default()).connect().await.unwrap();
    while !fs::exists(&ready).unwrap() {
        tokio::task::yield_now().await;
    }
    assert_eq!(connection.shutdown().await, Ok(exited(0)));
    assert_eq!(fs::read_to_string(&told).unwrap(), "asked\n");
}
