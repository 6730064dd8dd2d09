//! What the command line takes for a call.

use crate::harness::{Folder, STUBBORN, read, run, run_demo, run_stubborn, run_with_input};

#[test]
fn a_value_is_what_the_schema_says() {
    // A string that looks like a number stays one, a number that is none is refused.
    assert_eq!(run_stubborn(&["call", "echo", "text=42"], &[]).ends_with(0).out, "42\n");
    assert_eq!(run_stubborn(&["call", "big", "bytes=3"], &[]).ends_with(0).out, "xxx\n");
    let run = run_stubborn(&["call", "big", "bytes=many"], &[]).ends_with(2);
    assert!(run.err.contains("`bytes` must be an integer, not `many`"), "{}", run.err);
}

#[test]
fn a_slip_of_the_finger_is_caught_before_the_call() {
    let folder = Folder::new("slip");
    let record = folder.file("record");
    let run = run_stubborn(&["call", "echo", "txet=x"], &["--record", &record]).ends_with(2);
    assert!(
        run.err.contains("there is no argument `txet`") && run.err.contains("it takes: text"),
        "{}",
        run.err
    );
    assert!(read(&record).contains("tools/list") && !read(&record).contains("tools/call"));
    let run = run_stubborn(&["call", "ecko", "text=x"], &[]).ends_with(2);
    assert!(run.err.contains("no tool `ecko`") && run.err.contains("did you mean `echo`?"), "{}", run.err);
}

#[test]
fn arguments_come_as_json_or_on_standard_input() {
    let run = run_demo(&["call", "add", "--args", r#"{"a": 1, "b": 0.5}"#]).ends_with(0);
    assert_eq!(run.out, "1.5\n");
    for words in [["call", "echo", "-"].as_slice(), &["call", "echo", "--args", "-"]] {
        let words = [words, &["--", STUBBORN]].concat();
        assert_eq!(run_with_input(&words, "{\"text\": \"piped\"}\n").ends_with(0).out, "piped\n");
    }
    let run = run_demo(&["call", "add", "--args", "[1]"]).ends_with(2);
    assert!(run.err.contains("must be a JSON object, not array"), "{}", run.err);
}

#[test]
fn json_is_taken_literally_where_that_is_asked_for() {
    let run = run_stubborn(&["call", "echo", "text:=\"\\u0041\""], &[]).ends_with(0);
    assert_eq!(run.out, "A\n");
    // The schema is the one to judge it.
    let run = run_stubborn(&["call", "echo", "text:=42"], &[]).ends_with(2);
    assert!(run.err.contains("at /text: expected a string, found the number 42"), "{}", run.err);
}

#[test]
fn a_whole_object_is_checked_before_it_is_sent() {
    let folder = Folder::new("whole");
    let record = folder.file("record");
    let words = ["call", "echo", "--args", r#"{"Text": "x"}"#];
    let run = run_stubborn(&words, &["--record", &record]).ends_with(2);
    assert_eq!(
        run.err,
        "error: `echo` does not take these arguments: expected property `text`, found an object without it\n\
         hint: `Text` is unknown: did you mean `text`?\n\
         hint: nothing was sent; `--no-check` sends it all the same\n"
    );
    assert!(read(&record).contains("tools/list") && !read(&record).contains("tools/call"));
    let run = run_stubborn(&["call", "ecko", "--args", "{}"], &[]).ends_with(2);
    assert!(run.err.contains("did you mean `echo`?"), "{}", run.err);

    let json = run_stubborn(&[&["--json"], words.as_slice()].concat(), &[]).ends_with(2).json();
    assert_eq!(json["error"]["kind"], "arguments");
    assert_eq!(json["error"]["mismatch"]["expected"], "property `text`");
}

#[test]
fn nothing_is_listed_and_checked_where_that_is_asked_for() {
    let folder = Folder::new("unchecked");
    let record = folder.file("record");
    let words = ["call", "echo", "--no-check", "--args", r#"{"Text": "x"}"#];
    // The server is the one to judge it.
    run_stubborn(&words, &["--record", &record]).ends_with(4);
    assert!(!read(&record).contains("tools/list") && read(&record).contains("tools/call"));
    run_stubborn(&["call", "echo", "--no-check", "Text=x"], &[]).ends_with(4);
    run_stubborn(&["call", "ecko", "--no-check", "text=x"], &[]).ends_with(4);
    assert_eq!(run_stubborn(&["call", "echo", "--no-check", "text=7"], &[]).ends_with(0).out, "7\n");
}

#[test]
fn all_that_is_missing_is_named() {
    let run = run_demo(&["call", "add"]).ends_with(2);
    assert!(run.err.contains("`a` is missing") && run.err.contains("`b` is missing"), "{}", run.err);
}

#[test]
fn a_server_inherits_no_secrets_but_sees_what_is_declared() {
    let folder = Folder::new("environment");
    let seen = folder.file("seen");
    let words = ["ping", "-n", "1", "--env", "DECLARED=one=two", "--env", "PASSED_ON", "--", STUBBORN];
    let words = [words.as_slice(), &["--print-env", &seen]].concat();
    let mut command = crate::harness::command(&words);
    command.env("PASSED_ON", "by name").env("SOME_TOKEN", "secret");
    crate::harness::Running::start(command).end().ends_with(0);
    let seen = read(&seen);
    let has = |line: &str| seen.lines().any(|own| own == line);
    assert!(has("DECLARED=one=two") && has("PASSED_ON=by name"), "{seen}");
    assert!(seen.contains("PATH=") && !seen.contains("secret") && !seen.contains("SOME_TOKEN"), "{seen}");
}

#[test]
fn a_variable_that_is_not_set_is_not_passed_on() {
    let run = run_stubborn(&["tools", "--env", "SELVEDGE_TEST_UNSET"], &[]).ends_with(2);
    assert!(run.err.contains("the variable is not set here"), "{}", run.err);
}

#[test]
fn wrong_usage_starts_nothing() {
    let folder = Folder::new("usage");
    let seen = folder.file("seen");
    let server = ["--", STUBBORN, "--print-args", &seen];
    for words in [
        ["--timeout", "0", "tools"].as_slice(),
        &["--timeout", "soon", "tools"],
        &["call"],
        &["call", "echo", "no-pair"],
        &["call", "echo", "a=1", "--args", "{}"],
        &["ping", "-n", "0"],
        &["tools", "--trace", "/nowhere/at/all"],
        &["teach"],
    ] {
        let run = run(&[words, &server].concat()).ends_with(2);
        assert!(run.err.starts_with("error: "), "{words:?}: {}", run.err);
    }
    run(&["tools"]).ends_with(2);
    run(&[]).ends_with(2);
    assert_eq!(read(&seen), "");
}
