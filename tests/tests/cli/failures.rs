//! What is said when something goes wrong, and the exit codes of scripts.

use crate::harness::{run, run_demo, run_stubborn};

#[test]
fn a_tool_that_says_that_it_failed_is_exit_code_1() {
    let run = run_demo(&["call", "fail", "reason=no luck"]).ends_with(1);
    assert_eq!(run.out, "no luck\n");
    assert!(run.err.contains("the tool fail says that it failed"), "{}", run.err);
    let json = run_demo(&["--json", "call", "fail"]).ends_with(1).json();
    assert_eq!(json["isError"], true);
}

#[test]
fn no_session_is_exit_code_3() {
    let lost = run(&["tools", "--", "no-such-program-anywhere", "x"]).ends_with(3);
    assert!(lost.err.contains("command not found: no-such-program-anywhere"), "{}", lost.err);
    assert!(lost.err.contains("hint: "), "{}", lost.err);
    let quoted = run(&["tools", "--", "npx -y some-server"]).ends_with(3);
    assert!(quoted.err.contains("no shell reads the command"), "{}", quoted.err);
    let nowhere = run_stubborn(&["tools", "--cwd", "/no/such/folder"], &[]).ends_with(3);
    assert!(nowhere.err.contains("/no/such/folder"), "{}", nowhere.err);
    let strange = run_stubborn(&["tools"], &["--version", "1999-01-01"]).ends_with(3);
    assert!(strange.err.contains("1999-01-01") && strange.err.contains("2025-11-25"), "{}", strange.err);
    let modern = run_stubborn(&["tools", "--era", "2025-11-25"], &["--modern-only"]).ends_with(3);
    assert!(modern.err.contains("the server refused the handshake"), "{}", modern.err);
}

#[test]
fn the_last_words_of_a_server_that_dies_at_the_start_are_shown() {
    let run = run_stubborn(&["tools"], &["--say", "KEY is not set", "--exit-at-start", "7"]).ends_with(3);
    assert_eq!(run.out, "");
    let lines: Vec<_> = run.err.lines().collect();
    assert_eq!(lines[0], "error: the server exited with code 7");
    assert_eq!(lines[2], "    KEY is not set");
    assert!(lines[3].contains("--env NAME"), "{}", run.err);
}

#[test]
fn the_last_words_of_a_server_that_dies_during_a_call_are_shown() {
    let flags = ["--say", "about to die", "--die-mid-line"];
    let run = run_stubborn(&["call", "echo", "text=hi"], &flags).ends_with(4);
    assert!(run.err.contains("    about to die\n"), "{}", run.err);
    assert!(run.err.contains("exited with code 3"), "{}", run.err);
}

#[test]
fn a_refusal_is_exit_code_4() {
    let run = run_stubborn(&["call", "echo", "--no-check", "--args", "{}"], &[]).ends_with(4);
    assert!(run.err.contains("text must be a string (-32602)"), "{}", run.err);
    assert!(run.err.contains("hint: "), "{}", run.err);
    let unknown = run_stubborn(&["read", "file:///x"], &[]).ends_with(4);
    assert!(unknown.err.contains("-32601"), "{}", unknown.err);
}

#[test]
fn no_answer_in_time_is_exit_code_5() {
    let run = run_stubborn(&["call", "sleep", "--timeout", "0.2"], &[]).ends_with(5);
    assert!(run.err.contains("within 200 ms") && run.err.contains("--timeout"), "{}", run.err);
    let run = run_stubborn(&["tools", "--timeout", "0.2"], &["--silent"]).ends_with(5);
    assert!(run.err.contains("no handshake within 200 ms"), "{}", run.err);
}

#[test]
fn a_strict_session_does_not_survive_a_banner() {
    let run = run_stubborn(&["tools", "--strict"], &["--banner", "Welcome!"]).ends_with(3);
    assert!(run.err.contains("without `--strict`"), "{}", run.err);
}

#[test]
fn a_failure_is_one_document_where_that_is_asked_for() {
    let json = run(&["--json", "tools", "--", "no-such-program-anywhere"]).ends_with(3).json();
    assert_eq!(json["error"]["kind"], "not-connected");
    let json =
        run_stubborn(&["--json", "call", "echo", "--no-check", "--args", "{}"], &[]).ends_with(4).json();
    assert_eq!((&json["error"]["kind"], &json["error"]["code"]), (&"refused".into(), &(-32602).into()));
    let json = run_stubborn(&["--json", "call", "sleep", "--timeout", "0.2"], &[]).ends_with(5).json();
    assert_eq!(json["error"]["kind"], "timed-out");
    let flags = ["--say", "words", "--exit-at-start", "7"];
    let json = run_stubborn(&["--json", "tools"], &flags).ends_with(3).json();
    assert_eq!(json["error"]["stderr"], "words\n");
}
