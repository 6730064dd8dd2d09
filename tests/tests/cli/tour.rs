//! The demo server shows every feature, and the project server a folder.

use crate::harness::{Folder, run, run_demo, selvedge};

#[test]
fn the_demo_answers_tools_of_every_kind() {
    let run = run_demo(&["call", "greet"]).ends_with(1);
    assert!(run.out.contains("needs a client with the capability `elicitation.form`"), "{}", run.out);
    let run = run_demo(&["call", "crash"]).ends_with(4);
    assert!(run.err.contains("broke down over this request (-32603)"), "{}", run.err);
    let run = run_demo(&["call", "remove_note", "name=welcome"]).ends_with(1);
    assert!(run.out.contains("--allow-destructive"), "{}", run.out);
    let run = run_demo(&["read", "demo://note/welcome"]).ends_with(0);
    assert!(run.out.contains("A note is a resource"), "{}", run.out);
    let run = run_demo(&["prompt", "review", "note=welcome"]).ends_with(0);
    assert!(run.out.contains("Review this note:"), "{}", run.out);
}

#[test]
fn destructive_tools_run_once_they_are_allowed() {
    let words =
        ["call", "remove_note", "name=welcome", "--", selvedge(), "serve", "--demo", "--allow-destructive"];
    assert_eq!(run(&words).ends_with(0).out, "removed demo://note/welcome\n");
}

#[test]
fn a_folder_is_served_and_nothing_beside_it() {
    let folder = Folder::new("tour");
    std::fs::write(folder.file("a.txt"), "password = hunter2hunter2\nplain\n").unwrap();
    let serve = ["--", selvedge(), "serve", "--project", &folder.file("")];
    let project = |words: &[&str]| run(&[words, &serve].concat());
    let read = project(&["call", "read_file", "path=a.txt"]).ends_with(0);
    assert!(read.out.contains("plain") && !read.out.contains("hunter2"), "{}", read.out);
    let read = project(&["read", "selvedge://project/file/a.txt"]).ends_with(0);
    assert!(read.out.contains("plain") && !read.out.contains("hunter2"), "{}", read.out);
    project(&["call", "read_file", "path=../a.txt"]).ends_with(1);
    project(&["read", "selvedge://project/file/%2e%2e/a.txt"]).ends_with(4);
    let write = project(&["call", "write_file", "path=b.txt", "content=x"]).ends_with(1);
    assert!(write.out.contains("--allow-destructive"), "{}", write.out);
}
