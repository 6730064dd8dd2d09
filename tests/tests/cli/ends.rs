//! How a run ends before its time: nothing is left of a server, whatever happens.
#![cfg(unix)]

use std::io::{BufRead, BufReader};

use crate::harness::{Folder, Running, STUBBORN, command, is_alive, read, start, until, wait};

/// Starts a call that is never answered, and waits until the server has it.
fn sleeping_call(folder: &Folder, flags: &[&str]) -> (Running, String) {
    let record = folder.file("record");
    let words = [&["call", "sleep", "--", STUBBORN, "--record", &record], flags].concat();
    let running = start(&words);
    until("the call arrives", || read(&record).contains("tools/call"));
    (running, record)
}

#[test]
fn an_interrupt_cancels_the_call_and_leaves_nothing() {
    let folder = Folder::new("interrupt");
    let pid_file = folder.file("grandchild");
    let (running, record) = sleeping_call(&folder, &["--grandchild", &pid_file]);
    let grandchild = read(&pid_file);
    assert!(is_alive(&grandchild));
    running.signal("INT");
    let run = running.end().ends_with(130);
    assert_eq!(run.out, "");
    assert!(run.err.contains("interrupted"), "{}", run.err);
    assert!(read(&record).contains("notifications/cancelled"));
    assert_eq!(folder.processes(), Vec::<String>::new());
    until("the grandchild is gone", || !is_alive(&grandchild));
}

#[test]
fn a_termination_is_an_end_in_order_too() {
    let folder = Folder::new("terminate");
    let (running, record) = sleeping_call(&folder, &[]);
    running.signal("TERM");
    running.end().ends_with(143);
    assert!(read(&record).contains("notifications/cancelled"));
    assert_eq!(folder.processes(), Vec::<String>::new());
}

#[test]
fn a_server_that_ignores_everything_is_killed_in_the_end() {
    let folder = Folder::new("ladder");
    let (running, _) = sleeping_call(&folder, &["--ignore-eof", "--ignore-sigterm"]);
    running.signal("INT");
    running.end().ends_with(130);
    assert_eq!(folder.processes(), Vec::<String>::new());
}

#[test]
fn a_second_interrupt_kills_at_once() {
    let folder = Folder::new("twice");
    let (record, trace) = (folder.file("record"), folder.file("trace"));
    let words =
        ["call", "sleep", "--trace", &trace, "--", STUBBORN, "--ignore-eof", "--ignore-sigterm", "--record"];
    let mut command = command(&[words.as_slice(), &[&record]].concat());
    let mut child = command.spawn().unwrap();
    until("the call arrives", || read(&record).contains("tools/call"));
    let signal = |child: &std::process::Child| {
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    };
    signal(&child);
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("interrupted"), "{line}");
    signal(&child);
    assert_eq!(wait(&mut child).code(), Some(130));
    // An end in order would have seen the server's.
    assert!(read(&trace).contains("tools/call") && !read(&trace).contains("\"exited\""), "{}", read(&trace));
    until("the server is gone", || folder.processes().is_empty());
}

#[test]
fn an_interrupt_during_the_start_leaves_nothing() {
    let folder = Folder::new("start");
    let seen = folder.file("seen");
    let running = start(&["tools", "--", STUBBORN, "--silent", "--print-args", &seen]);
    until("the server runs", || !read(&seen).is_empty());
    running.signal("INT");
    running.end().ends_with(130);
    assert_eq!(folder.processes(), Vec::<String>::new());
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_run_quietly() {
    let folder = Folder::new("pipe");
    let record = folder.file("record");
    let mut command = command(&["ping", "-n", "100000000", "--", STUBBORN, "--record", &record]);
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("answer 1 of"), "{line}");
    drop(out);
    assert_eq!(wait(&mut child).code(), Some(0));
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "");
    assert_eq!(folder.processes(), Vec::<String>::new());
}

#[test]
fn a_reader_that_takes_his_time_does_not_keep_the_server() {
    let folder = Folder::new("slow-reader");
    let record = folder.file("record");
    let words = ["call", "big", "bytes=1000000", "--", STUBBORN, "--record", &record];
    let mut child = command(&words).spawn().unwrap();
    // Nobody reads: the answer is stuck in the pipe, the server is gone nevertheless.
    let own = |processes: Vec<String>| processes.iter().filter(|one| one.starts_with(STUBBORN)).count();
    until("the call arrives", || read(&record).contains("tools/call"));
    until("the server is gone", || own(folder.processes()) == 0);
    assert!(child.try_wait().unwrap().is_none());
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut out).unwrap();
    assert_eq!(out.len(), 1_000_001);
    assert_eq!(wait(&mut child).code(), Some(0));
}

/// Starts a run whose server starts a daemon, kills it without warning, and waits until nothing is left.
fn killed_host_leaves_nothing(name: &str, wrap: impl FnOnce(&Folder, &[&str]) -> Vec<String>) {
    let folder = Folder::new(name);
    let (record, pid_file) = (folder.file("record"), folder.file("daemon"));
    let flags = ["--record", &record, "--grandchild", &pid_file, "--detach", "daemon", "--ignore-eof"];
    let server = wrap(&folder, &[&[STUBBORN], flags.as_slice()].concat());
    let server: Vec<_> = server.iter().map(String::as_str).collect();
    let running = start(&[&["call", "sleep", "--"], server.as_slice()].concat());
    until("the call arrives", || read(&record).contains("tools/call"));
    let daemon = read(&pid_file);
    assert!(is_alive(&daemon));
    running.signal("KILL");
    until("the daemon is gone", || !is_alive(&daemon));
    until("everything else is gone", || folder.processes().is_empty());
    assert_eq!(running.end().status.code(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_is_killed_leaves_nothing() {
    killed_host_leaves_nothing("sigkill", |_, server| server.iter().map(ToString::to_string).collect());
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_is_killed_leaves_nothing_behind_a_shell() {
    killed_host_leaves_nothing("sigkill-sh", |_, server| {
        let script = ["sh", "-c", "\"$@\"; true", "sh"];
        script.iter().chain(server).map(ToString::to_string).collect()
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_is_killed_leaves_nothing_behind_a_wrapper_that_detaches() {
    killed_host_leaves_nothing("sigkill-node", |folder, server| {
        let script = folder.file("wrapper.cjs");
        let text = "const [, , command, ...args] = process.argv;\n\
            require('node:child_process').spawn(command, args, { stdio: 'inherit', detached: true }).unref();\n\
            setInterval(() => {}, 1e6);\n";
        std::fs::write(&script, text).unwrap();
        ["node", &script].iter().chain(server).map(ToString::to_string).collect()
    });
}
