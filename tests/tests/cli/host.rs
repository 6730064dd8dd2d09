//! What a server can learn of its host, and do to it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    process::{Command, Stdio},
};

use crate::harness::{Folder, Running, STUBBORN, command, is_alive, read, run, run_stubborn, selvedge};

fn mode(path: &str) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_trace_is_for_its_owner_alone() {
    let folder = Folder::new("trace-mode");
    let trace = folder.file("trace");
    run_stubborn(&["tools", "--trace", &trace], &[]).ends_with(0);
    assert_eq!(mode(&trace), 0o600);
    // One that is there already is emptied, and taken from the others.
    fs::write(&trace, "old").unwrap();
    fs::set_permissions(&trace, fs::Permissions::from_mode(0o644)).unwrap();
    run_stubborn(&["tools", "--trace", &trace], &[]).ends_with(0);
    assert_eq!(mode(&trace), 0o600);
    assert!(read(&trace).starts_with("{\"tick\""));
}

#[test]
fn a_trace_goes_to_no_file_that_somebody_else_may_have_prepared() {
    let folder = Folder::new("trace-link");
    let (kept, link, second) = (folder.file("kept"), folder.file("link"), folder.file("second"));
    fs::write(&kept, "precious").unwrap();
    symlink(&kept, &link).unwrap();
    let refused = run_stubborn(&["tools", "--trace", &link], &[]).ends_with(2);
    assert!(refused.err.contains("it is a link"), "{}", refused.err);
    symlink(folder.file("absent"), folder.file("dangling")).unwrap();
    run_stubborn(&["tools", "--trace", &folder.file("dangling")], &[]).ends_with(2);
    assert!(!fs::exists(folder.file("absent")).unwrap());
    fs::hard_link(&kept, &second).unwrap();
    let refused = run_stubborn(&["tools", "--trace", &second], &[]).ends_with(2);
    assert!(refused.err.contains("second name"), "{}", refused.err);
    let pipe = folder.file("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    run_stubborn(&["tools", "--trace", &pipe], &[]).ends_with(2);
    assert_eq!(read(&kept), "precious");
}

#[test]
fn a_server_cannot_read_the_environment_of_its_host() {
    let folder = Folder::new("environ");
    let seen = folder.file("seen");
    let script = "cat /proc/$PPID/environ > \"$1\" 2>&1; shift; exec \"$@\"";
    let words = ["tools", "--", "sh", "-c", script, "sh", &seen, STUBBORN];
    let mut command = if rustix::process::geteuid().is_root() {
        // Whoever may trace any process can read everything.
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-all", "--inh-caps=-all", selvedge()]);
        command
    } else {
        Command::new(selvedge())
    };
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("SOME_TOKEN", "very secret");
    Running::start(command).end().ends_with(0);
    assert!(!read(&seen).is_empty() && !read(&seen).contains("secret"), "{}", read(&seen));
}

#[test]
fn no_command_is_looked_up_in_the_current_folder() {
    let folder = Folder::new("path");
    let planted = folder.file("planted");
    symlink(STUBBORN, &planted).unwrap();
    let here = folder.file("");
    for path in ["", ".", ":/usr/bin", "/usr/bin:", "/usr/bin:.:/bin"] {
        for words in [&["tools", "--", "planted"][..], &["tools", "--cwd", &here, "--", "planted"]] {
            let mut command = command(words);
            command.env("PATH", path).current_dir(&here);
            let run = Running::start(command).end().ends_with(3);
            assert!(run.err.contains("command not found") && run.err.contains("relative"), "{}", run.err);
        }
    }
    let mut server = vec!["inspect", "--json", "--env"];
    let declared = format!("PATH=.:{here}:");
    server.extend([&declared, "--", "planted"]);
    let json = run(&server).ends_with(0).json();
    assert_eq!(json["leftOutOfPath"], serde_json::json!([".", "\"\""]));
}

#[test]
fn daemons_are_told_of_and_left_where_that_is_asked_for() {
    let folder = Folder::new("daemons");
    let pid_file = folder.file("pid");
    let flags = ["--grandchild", &pid_file, "--detach", "daemon"];
    let run = run_stubborn(&["inspect"], &flags).ends_with(0);
    assert!(run.out.contains("daemons    1 process outside its process group"), "{}", run.out);
    assert!(!is_alive(&read(&pid_file)));
    assert_eq!(run_stubborn(&["inspect", "--json"], &flags).ends_with(0).json()["stragglers"], 1);
    let run = run_stubborn(&["ping", "-n", "1"], &flags).ends_with(0);
    assert!(run.err.contains("1 process that the server had put outside"), "{}", run.err);
    let run = run_stubborn(&["ping", "-n", "1", "--leave-detached"], &flags).ends_with(0);
    assert_eq!(run.err, "");
    let pid = read(&pid_file);
    assert!(is_alive(&pid));
    assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
}

#[test]
fn what_is_escaped_for_a_terminal_can_be_escaped_for_a_pipe() {
    let hostile = "text=a\u{1b}]0;x\u{7}\u{202e}b\u{9b}2J";
    let run = run_stubborn(&["--escape", "call", "echo", hostile], &[]).ends_with(0);
    assert_eq!(run.out, "a\\u{1b}]0;x\\u{7}\\u{202e}b\\u{9b}2J\n");
    let run = run_stubborn(&["--escape", "--json", "call", "echo", hostile], &[]).ends_with(0);
    assert!(!run.out.contains(['\u{202e}', '\u{9b}']), "{}", run.out);
    assert_eq!(run.json()["content"][0]["text"], hostile.strip_prefix("text=").unwrap());
}

#[test]
fn names_that_turn_the_direction_of_text_are_shown_escaped() {
    let folder = Folder::new("bidi");
    let named = folder.file("a\u{202e}b");
    symlink(STUBBORN, &named).unwrap();
    let mut command =
        command(&["call", "no\u{2066}ne", "--", &named, "--say", "\u{202e}said", "--banner", "\u{202e}b"]);
    command.env("SELVEDGE_LOG", "trace");
    let run = Running::start(command).end().ends_with(2);
    assert!(!run.err.contains(['\u{202e}', '\u{2066}']), "{}", run.err);
    assert!(run.err.contains("no\\u{2066}ne"), "{}", run.err);
    let missing =
        crate::harness::run(&["tools", "--trace", &folder.file("\u{202e}/x"), "--", &named]).ends_with(2);
    assert!(missing.err.contains("\\u{202e}/x"), "{}", missing.err);
}

/// Runs a call on a terminal until it times out, which shows the meter, and returns what came there.
fn on_a_terminal(words: &str) -> String {
    let call = format!("'{}' call sleep --timeout 1.5 {words} -- '{STUBBORN}'", selvedge());
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &call, "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::start(command).end().ends_with(5).out
}

#[test]
fn without_colours_the_meter_has_none() {
    let is_colored = |out: &str| {
        let mut sequences = out.split("\u{1b}[").skip(1);
        sequences.any(|rest| {
            rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';').starts_with('m')
        })
    };
    let colored = on_a_terminal("");
    assert!(is_colored(&colored) && colored.contains("sleep"), "{colored:?}");
    let plain = on_a_terminal("--color never");
    assert!(!is_colored(&plain) && plain.contains("sleep"), "{plain:?}");
}
