//! What is shown of the changes that Git knows of.

use std::{
    process::{Command, Stdio},
    sync::Arc,
};

use super::*;

impl World {
    /// Runs Git in the project, as its user.
    fn git(&self, words: &[&str]) {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let user = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        command.args(user).args(words).current_dir(self.at("")).stdout(Stdio::null());
        assert!(command.status().unwrap().success(), "{words:?}");
    }

    /// Makes a commit of everything, what is ignored among it.
    fn commit(&self) {
        self.git(&["add", "--force", "."]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    fn repository(files: &[(&str, &str)]) -> Self {
        let world = Self::with(files);
        world.git(&["init", "--quiet"]);
        world.commit();
        world
    }
}

fn changes(project: &Project) -> Changes {
    project.changes(&Comparison::default()).unwrap()
}

fn since(project: &Project, base: &str) -> Result<Changes, Fault> {
    let wanted = Comparison { base: Some(base.to_owned()), ..Comparison::default() };
    project.changes(&wanted).map_err(|error| error.fault)
}

fn within(project: &Project, path: &str) -> Result<Changes, Fault> {
    let within = Some(ProjectPath::new(path).map_err(|error| error.fault)?);
    project.changes(&Comparison { within, ..Comparison::default() }).map_err(|error| error.fault)
}

#[test]
fn changes_are_a_diff_without_credentials_and_without_digests_of_them() {
    let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let world = World::repository(&[
        ("a.txt", &format!("{lines}password = hunter2\nend")),
        ("gone", "x\n"),
        ("same", "y\n"),
    ]);
    let project = world.project();
    assert_eq!(changes(&project), Changes::default());
    world.put("a.txt", format!("one\n{}password = hunter3\nend\n", &lines[2..]).as_bytes());
    world.put("dir/new", b"n\n");
    world.put("untracked", b"u\n");
    fs::remove_file(world.at("gone")).unwrap();
    world.git(&["add", "dir/new"]);
    let found = changes(&project);
    assert_eq!(
        found.text,
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n\
         @@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n\
         @@ -7,5 +7,5 @@\n 7\n 8\n 9\n-password = [redacted: secret]\n-end\n\\ No newline at end of file\n\
         +password = [redacted: secret]\n+end\n\
         diff --git a/dir/new b/dir/new\nnew file mode 100644\n--- /dev/null\n+++ b/dir/new\n@@ -0,0 +1,1 @@\n+n\n\
         diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"
    );
    assert_eq!((found.hidden, found.excluded, found.cut.len()), (2, 0, 0));
    assert!(!found.text.contains("index "));

    let staged = Comparison { is_staged: true, ..Comparison::default() };
    let staged = project.changes(&staged).unwrap().text;
    assert!(staged.contains("dir/new") && !staged.contains("a.txt"), "{staged}");
    let one = within(&project, "dir").unwrap().text;
    assert!(one.contains("dir/new") && !one.contains("a.txt"), "{one}");
    world.commit();
    assert_eq!(changes(&project).text, "");
    assert!(since(&project, "HEAD~1").unwrap().text.contains("+password = [redacted: secret]"));
}

#[test]
fn a_part_of_a_credential_is_hidden_as_the_whole_is() {
    let body = |last: &str| {
        let middle = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n".repeat(20);
        format!("-----BEGIN PRIVATE KEY-----\n{middle}{last}\n-----END PRIVATE KEY-----\n")
    };
    let world = World::repository(&[
        ("key", &body("AAAAvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj")),
        ("was.yaml", "password:\n  hunter2\nx: 1\n"),
        ("is.yaml", "title:\n  hunter2\nx: 1\n"),
    ]);
    world.put("key", body("BBBBvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj").as_bytes());
    world.put("was.yaml", b"title:\n  hunter2\nx: 1\n");
    world.put("is.yaml", b"password:\n  hunter2\nx: 1\n");
    let text = changes(&world.project()).text;
    assert!(text.contains("-----END PRIVATE KEY-----"), "{text}");
    assert!(!text.contains("AAAAvQ") && !text.contains("BBBBvQ") && !text.contains("MIIE"), "{text}");
    assert!(text.contains("title:") && !text.contains("hunter2"), "{text}");
}

#[test]
fn what_the_rules_exclude_is_not_shown_whatever_git_tracks() {
    let world = World::repository(&[
        (".gitignore", "ignored\nbuild/\n"),
        (".env", "a\n"),
        ("ignored", "a\n"),
        ("build/x", "a\n"),
        ("store.p12", "a\n"),
        ("ok", "a\n"),
        ("sub/.hidden/x", "a\n"),
        ("wide", "a\n"),
        ("link", "a\n"),
        ("bytes", "a\n"),
    ]);
    for path in [".env", "ignored", "build/x", "store.p12", "ok"] {
        world.put(path, b"needle\n");
    }
    fs::remove_dir_all(world.at("sub")).unwrap();
    fs::remove_file(world.at("link")).unwrap();
    symlink(world.base.join("out/secret"), world.at("link")).unwrap();
    world.put("bytes", &[0, 1, 2, 255]);
    world.put("wide", &[&[0xFF, 0xFE][..], "password = hunter2".as_bytes()].concat());
    let project = world.project();
    let found = changes(&project);
    assert_eq!(found.text.matches("needle").count(), 1, "{}", found.text);
    assert!(!found.text.contains("secret\n") && !found.text.contains("hunter2"), "{}", found.text);
    assert!(found.text.contains("+++ b/bytes\n(binary)\n"), "{}", found.text);
    assert!(found.text.contains("(a link)\n") && !found.text.contains("out/"), "{}", found.text);
    assert_eq!(found.excluded, 5);
    assert_eq!(within(&project, ".env"), Err(Fault::Hidden));
    assert_eq!(within(&project, "build/x"), Err(Fault::Hidden));
    assert_eq!(within(&project, "store.p12"), Err(Fault::KeyStore));
    assert!(matches!(within(&project, "../out"), Err(Fault::Path(_))));
    let all = ProjectOptions { serves_hidden: true, serves_ignored: true, ..ProjectOptions::default() };
    assert_eq!(changes(&world.project_with(all)).text.matches("needle").count(), 4);
}

#[test]
fn nothing_of_the_project_is_executed() {
    let world = World::repository(&[(".gitattributes", "* diff=evil\n"), ("a", "1\n")]);
    let script = world.base.join("evil");
    let ran = world.base.join("ran");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    for name in ["diff.external", "core.fsmonitor", "core.pager", "pager.diff", "diff.evil.command"] {
        world.git(&["config", name, script]);
    }
    world.git(&["config", "diff.evil.textconv", script]);
    world.put("a", b"2\n");
    let text = changes(&world.project()).text;
    assert!(text.ends_with("@@ -1,1 +1,1 @@\n-1\n+2\n"), "{text}");
    assert!(!ran.exists());
}

#[test]
fn a_revision_is_a_commit_and_nothing_else() {
    let world = World::repository(&[("a", "1\n"), (".env", "needle\n")]);
    world.put("a", b"2\n");
    let project = world.project();
    let output = format!("--output={}", world.base.join("written").display());
    for bad in ["nothing", "HEAD:.env", "HEAD~9", "-p", "--no-index", &output, "HEAD a", "a\0b", "a\nb", ""] {
        assert!(matches!(since(&project, bad), Err(Fault::Git(_))), "{bad}");
    }
    assert!(!world.base.join("written").exists());
    assert!(since(&project, "HEAD").unwrap().text.contains("+2"));
}

#[test]
fn a_project_need_be_no_repository_and_may_be_a_part_of_one() {
    let plain = World::with(&[("a", "1\n")]);
    let refused = plain.project().changes(&Comparison::default()).unwrap_err();
    assert_eq!(refused.to_string(), "`.`: this is no working tree of Git, or belongs to another user");

    // Before the first commit everything is new.
    plain.git(&["init", "--quiet"]);
    plain.git(&["add", "."]);
    assert!(changes(&plain.project()).text.contains("+1"));

    let world = World::repository(&[("sub/a", "1\n"), ("b", "1\n")]);
    world.put("sub/a", b"2\n");
    world.put("b", b"2\n");
    let project = Project::open(&world.at("sub"), ProjectOptions::default()).unwrap();
    assert!(changes(&project).text.starts_with("diff --git a/a b/a\n"), "{}", changes(&project).text);
    assert!(!changes(&project).text.contains("/b"));
}

#[test]
fn changes_are_bounded_and_tell_what_is_left_out() {
    let world = World::repository(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    world.put("a", "2\n".repeat(100).as_bytes());
    world.put("b", b"2\n");
    let mut options = ProjectOptions { max_answer_bytes: 150, ..ProjectOptions::default() };
    let found = changes(&world.project_with(options.clone()));
    assert!(found.text.starts_with("diff --git a/b b/b\n"), "{}", found.text);
    assert_eq!(found.cut, ["`a`: the changes exceed 150 bytes"]);
    options = ProjectOptions { max_file_bytes: 50, ..ProjectOptions::default() };
    let found = changes(&world.project_with(options.clone()));
    assert_eq!(found.cut, ["`a`: the file exceeds 50 bytes"]);
    options.max_entries = 1;
    let refused = world.project_with(options.clone()).changes(&Comparison::default()).unwrap_err().fault;
    assert_eq!(refused, Fault::Git("more than 1 files differ: name a folder of them".to_owned()));
    options.max_search_time = Duration::ZERO;
    let refused = world.project_with(options).changes(&Comparison::default()).unwrap_err().fault;
    assert_eq!(refused, Fault::Git("Git took longer than 0ns".to_owned()));
}

#[tokio::test]
async fn the_tool_shows_the_changes_and_counts_what_is_left_out() {
    use crate::{
        core::json::RawJson,
        tools::{Context, Inputs, Outcome, ToolProvider as _},
    };
    let world = World::repository(&[("a", "password = hunter2\n"), (".env", "x\n")]);
    world.put("a", b"password = hunter3\n");
    world.put(".env", b"y\n");
    let tools = tools(&Arc::new(world.project())).unwrap();
    let call = async |arguments: &str| {
        let arguments = RawJson::new(arguments).unwrap();
        match tools.call("git_diff", arguments, Context::new("1", Inputs::default())).await {
            Ok(Outcome::Done(output)) => output.to_text(),
            other => panic!("{other:?}"),
        }
    };
    let all = call("{}").await;
    let end = "-password = [redacted: secret]\n+password = [redacted: secret]\n\n\
               (changed files that are hidden or ignored: 1; credentials hidden: 2)";
    assert!(all.ends_with(end), "{all}");
    assert_eq!(call(r#"{"path":"b"}"#).await, "no changes\n");
    assert_eq!(call(r#"{"path":".env"}"#).await, "`.env`: the file is hidden or ignored");
    assert_eq!(call(r#"{"base":"--output=x"}"#).await, "`.`: this is no name of a revision");
    assert!(!world.at("x").exists());
}
