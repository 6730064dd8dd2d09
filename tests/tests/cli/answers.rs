//! What is printed of an answer.

use crate::harness::{command, run, run_demo, run_stubborn};

#[test]
fn the_demo_needs_nothing_but_the_binary() {
    let run = run(&["demo"]).ends_with(0);
    for part in [
        "TOOL         ARGUMENTS                      DESCRIPTION\n",
        "add          a=number b=number              Adds two numbers\n",
        "add a=2 b=40 -- selvedge serve --demo\n42\n",
        "  3 of 5  counted 3\n",
        "  5 of 5  counted 5\ncounted to 5\n",
        "exited with code 0",
    ] {
        assert!(run.out.contains(part), "{part:?} is not in {}", run.out);
    }
    assert!(!run.out.contains('\u{1b}'));
    assert_eq!(run.err, "");
}

#[test]
fn the_demo_is_one_document_where_that_is_asked_for() {
    let json = run(&["demo", "--json"]).ends_with(0).json();
    assert_eq!(json["tools"].as_array().unwrap().len(), 14);
    assert_eq!(json["calls"][0]["result"]["structuredContent"]["sum"], 42);
    assert_eq!(json["calls"][1]["result"]["content"][0]["text"], "counted to 5");
}

#[test]
fn tools_stand_in_columns() {
    let run = run_stubborn(&["tools"], &[]).ends_with(0);
    let expected = "\
TOOL   ARGUMENTS      DESCRIPTION
echo   text=string    Answers with its text
big    bytes=integer  Answers with many letters
sleep                 Never answers
";
    assert_eq!((run.out.as_str(), run.err.as_str()), (expected, ""));
}

#[test]
fn tools_keep_the_words_of_the_server_in_json() {
    let json = run_demo(&["--json", "tools"]).ends_with(0).json();
    let add = &json["tools"][0];
    assert_eq!((&add["name"], &add["inputSchema"]["required"][1]), (&"add".into(), &"b".into()));
    assert!(add["outputSchema"].is_object());
    assert_eq!(json["unusable"], serde_json::json!([]));
}

#[test]
fn an_answer_is_its_text_or_the_whole_result() {
    assert_eq!(run_demo(&["call", "add", "a=2", "b=40"]).ends_with(0).out, "42\n");
    let json = run_demo(&["call", "add", "a=2", "b=40", "--json"]).ends_with(0).json();
    assert_eq!(json["structuredContent"], serde_json::json!({ "sum": 42 }));
    assert_eq!(json["content"][0]["text"], "42");
}

#[test]
fn an_answer_that_breaks_its_promise_is_shown_with_the_failure() {
    let run = run_stubborn(&["call", "echo", "text=kept"], &["--lie", "long"]).ends_with(4);
    assert_eq!(run.out, "kept\n");
    assert!(
        run.err.contains("not what the tool promises: at /length: expected an integer, found the string"),
        "{}",
        run.err
    );
    let json = run_stubborn(&["--json", "call", "echo", "text=kept"], &["--lie", "long"]).ends_with(4).json();
    assert_eq!(json["error"]["kind"], "result");
    assert_eq!(json["error"]["mismatch"]["pointer"], "/length");
    assert_eq!(json["result"]["content"][0]["text"], "kept");
    let run = run_stubborn(&["call", "echo", "--no-check", "text=kept"], &["--lie", "long"]).ends_with(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("kept\n", ""));
}

#[test]
fn what_is_no_text_is_named() {
    let run = run_demo(&["call", "pixel"]).ends_with(0);
    assert_eq!(run.out, "One grey pixel:\n[image image/png, 67 bytes]\n");
}

#[test]
fn a_big_answer_arrives_whole() {
    let run = run_stubborn(&["call", "big", "bytes=3000000"], &[]).ends_with(0);
    assert_eq!(run.out.len(), 3_000_001);
}

#[test]
fn stray_output_is_told_of_beside_the_answer() {
    let flags = ["--banner", "Welcome!", "--stray-on-call", "2"];
    let run = run_stubborn(&["call", "echo", "text=hi"], &flags).ends_with(0);
    assert_eq!(run.out, "hi\n");
    assert!(run.err.contains("3 lines to its output that are no messages"), "{}", run.err);
    let run = run_stubborn(&["-q", "call", "echo", "text=hi"], &flags).ends_with(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("hi\n", ""));
}

#[test]
fn messages_are_framed_as_asked() {
    let words = ["--framing", "content-length", "call", "echo", "text=hi"];
    assert_eq!(run_stubborn(&words, &["--content-length"]).ends_with(0).out, "hi\n");
}

#[test]
fn hostile_text_reaches_no_terminal() {
    let hostile = "text=a\u{1b}]0;x\u{7}\u{202e}b\u{9b}2J";
    // A file gets the bytes of the server.
    let run = run_stubborn(&["call", "echo", hostile], &[]).ends_with(0);
    assert_eq!(run.out, "a\u{1b}]0;x\u{7}\u{202e}b\u{9b}2J\n");
    let run = run_stubborn(&["--color", "always", "call", "echo", hostile], &[]).ends_with(0);
    assert_eq!(run.out, "a\\u{1b}]0;x\\u{7}\\u{202e}b\\u{9b}2J\n");
    // What a server says of itself never drives anything.
    let flags = ["--say", "\u{1b}[2Jlast\u{202e} words", "--exit-at-start", "1"];
    let run = run_stubborn(&["tools"], &flags).ends_with(3);
    assert!(run.err.contains("\\u{1b}[2Jlast\\u{202e} words"), "{}", run.err);
    let run = run_stubborn(&["inspect"], &["--banner", "\u{1b}[2Jbanner"]).ends_with(0);
    assert!(!run.out.contains('\u{1b}') && run.out.contains("banner"), "{}", run.out);
}

#[test]
fn colours_come_only_where_they_are_wanted() {
    let colored = run_stubborn(&["tools", "--color", "always"], &[]).ends_with(0).out;
    assert!(colored.contains("\u{1b}[1mecho\u{1b}[0m"), "{colored:?}");
    let words = ["tools", "--", crate::harness::STUBBORN];
    let mut command = command(&words);
    command.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    let plain = crate::harness::Running::start(command).end().ends_with(0).out;
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn the_era_is_chosen_or_found_out_and_a_sign_of_life_is_had_in_both() {
    for era in ["legacy-first", "modern-first", "2026-07-28"] {
        let run = run_stubborn(&["--era", era, "ping", "--count", "2"], &["--modern-only"]).ends_with(0);
        assert!(run.out.starts_with("answer 1 of 2 after "), "{era}: {}", run.out);
        let run = run_stubborn(&["--era", era, "inspect"], &["--modern-only"]).ends_with(0);
        assert!(run.out.contains("revision   2026-07-28\n"), "{era}: {}", run.out);
    }
    let run = run_stubborn(&["--era", "2025-06-18", "tools"], &[]).ends_with(3);
    assert!(run.err.contains("2025-11-25") && run.err.contains("2025-06-18"), "{}", run.err);
    run_stubborn(&["--era", "modern-first", "tools"], &["--discover", "exit"]).ends_with(0);
}
