//! What can be seen of a server and of a session.

use serde_json::Value;

use crate::harness::{Folder, Running, STUBBORN, command, read, run_demo, run_stubborn};

#[test]
fn an_inspection_shows_everything_but_secrets() {
    let flags = ["--", STUBBORN, "--banner", "Welcome!", "--say", "ready"];
    let mut command = command(&[&["inspect"], flags.as_slice()].concat());
    command.env("SOME_TOKEN", "secret");
    let run = Running::start(command).end().ends_with(0);
    for part in [
        "server     stubborn 1\n",
        "revision   2025-11-25\n",
        "offers     tools\n",
        "tools      3 in ",
        "start      process ",
        "fault      a line is text, not a message (passed over)\n",
        "what it wrote that is no message:\n    Welcome!\n",
        "what it wrote on stderr:\n    ready\n",
        "end        exited with code 0\n",
        "SOME_TOKEN",
    ] {
        assert!(run.out.contains(part), "{part:?} is not in {}", run.out);
    }
    assert!(!run.out.contains("secret"));
}

#[test]
fn an_inspection_is_one_document_where_that_is_asked_for() {
    let flags = ["--banner", "Welcome!", "--say", "ready"];
    let json = run_stubborn(&["inspect", "--json", "--env", "DECLARED=1"], &flags).ends_with(0).json();
    assert_eq!(json["handshake"]["serverInfo"]["name"], "stubborn");
    assert_eq!(json["listings"][0]["count"], 3);
    assert_eq!(json["stray"]["samples"], serde_json::json!(["Welcome!"]));
    assert_eq!(
        (&json["violations"][0]["count"], &json["violations"][0]["verdict"]),
        (&1.into(), &"ignore".into())
    );
    assert_eq!((&json["stderr"], &json["exit"]["code"]), (&"ready\n".into(), &0.into()));
    assert!(json["timingsMs"]["handshake"].as_f64().unwrap() > 0.0);
}

#[test]
fn pings_are_counted_and_summed_up() {
    let run = run_demo(&["ping", "-n", "3"]).ends_with(0);
    assert_eq!(run.out.lines().count(), 4);
    assert!(run.out.starts_with("answer 1 of 3 after "), "{}", run.out);
    let json = run_demo(&["ping", "-n", "3", "--json"]).ends_with(0).json();
    assert_eq!(json["timesMs"].as_array().unwrap().len(), 3);
}

#[test]
fn a_trace_holds_every_message_with_its_time() {
    let folder = Folder::new("trace");
    let trace = folder.file("trace.jsonl");
    let words = ["call", "echo", "text=hi", "--trace", &trace];
    run_stubborn(&words, &["--banner", "Welcome!", "--say", "ready"]).ends_with(0);
    let records: Vec<Value> = read(&trace).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ticks: Vec<_> = records.iter().map(|record| record["tick"].as_u64().unwrap()).collect();
    assert!(ticks.is_sorted(), "{ticks:?}");
    let has = |what: &str, part: &str| {
        records.iter().any(|record| {
            record["what"] == what && record["text"].as_str().unwrap_or_default().contains(part)
        })
    };
    assert!(has("sent", "\"initialize\"") && has("sent", "\"tools/call\"") && has("received", "\"hi\""));
    assert!(has("received", "Welcome!") && has("stderr", "ready"));
    let last = records.last().unwrap();
    assert_eq!((&last["what"], &last["code"]), (&"exited".into(), &0.into()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_cannot_be_written_is_told_of_and_ends_nothing() {
    let run = run_demo(&["call", "add", "a=1", "b=2", "--trace", "/dev/full"]).ends_with(0);
    assert_eq!(run.out, "3\n");
    assert_eq!(run.err.matches("the trace cannot be written").count(), 1, "{}", run.err);
}

#[test]
fn the_log_shows_what_the_server_does_wrong() {
    let mut command = command(&["tools", "-q", "--", STUBBORN, "--banner", "Welcome!"]);
    command.env("SELVEDGE_LOG", "warn");
    let run = Running::start(command).end().ends_with(0);
    assert!(run.err.contains("protocol violation"), "{}", run.err);
}

#[test]
fn lists_that_a_server_does_not_have_are_empty() {
    for words in [["resources"], ["prompts"]] {
        let run = run_stubborn(&words, &[]).ends_with(0);
        assert_eq!(run.out, "");
        assert!(run.err.contains(&format!("no {}", words[0])), "{}", run.err);
    }
    let json = run_stubborn(&["resources", "--json"], &[]).ends_with(0).json();
    assert_eq!(json["resourceTemplates"], serde_json::json!([]));
}
