//! What is served, found and written of files that may be.

use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc};

use super::*;

#[test]
fn text_is_served_without_credentials_and_bytes_as_they_are() {
    let world = World::with(&[("a.toml", "x = 1\npassword = \"hunter2\"\ny = 2\n")]);
    world.put("a.png", &[0x89, b'P', b'N', b'G', 0, 1]);
    world.put("latin", b"password=hunter2\xE9\n");
    world.put(
        "wide",
        &"password = hunter2".encode_utf16().fold(vec![0xFF, 0xFE], |mut all, unit| {
            all.extend(unit.to_le_bytes());
            all
        }),
    );
    let project = world.project();
    let png = project.read(&path("a.png")).unwrap();
    assert_eq!((png.body, png.mime_type), (Body::Blob(vec![0x89, b'P', b'N', b'G', 0, 1]), "image/png"));
    for name in ["a.toml", "latin", "wide"] {
        let document = project.read(&path(name)).unwrap();
        assert_eq!(document.redactions.total(), 1, "{name}");
        assert!(!texts(&[document]).contains("hunter2"), "{name}");
    }
    let lines = project.read_lines(&path("a.toml"), Some(2), Some(2)).unwrap();
    assert_eq!(
        (lines.text.as_str(), lines.first, lines.last, lines.of),
        ("password = \"[redacted: secret]\"\n", 2, 2, 3)
    );
}

#[test]
fn lines_are_cut_from_the_whole_text_so_that_a_part_of_a_key_is_hidden_too() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n".repeat(3);
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\nafter\n");
    let world = World::with(&[("key.pem", &pem)]);
    let project = world.project();
    let lines = project.read_lines(&path("key.pem"), Some(3), None).unwrap();
    assert!(!lines.text.contains("MIIE") && lines.text.ends_with("after\n"), "{}", lines.text);
    assert_eq!((lines.last, lines.of), (6, 6));
    let past = project.read_lines(&path("key.pem"), Some(9), None).unwrap();
    assert_eq!((past.text.as_str(), past.first, past.last, past.of), ("", 9, 8, 6));
}

#[test]
fn an_answer_ends_at_a_line_and_tells_where() {
    let world = World::with(&[("a", "1234\n1234\n1234\n"), ("long", "123456789012")]);
    let options = ProjectOptions { max_answer_bytes: 11, ..ProjectOptions::default() };
    let project = world.project_with(options);
    let lines = project.read_lines(&path("a"), None, None).unwrap();
    assert_eq!((lines.text.as_str(), lines.last, lines.of), ("1234\n1234\n", 2, 3));
    let error = project.read_lines(&path("long"), None, None).unwrap_err();
    assert_eq!(error.to_string(), "`long`: line 1 exceeds 11 bytes");
}

#[test]
fn a_search_shows_lines_with_their_surroundings() {
    let world =
        World::with(&[("a.txt", "one\ntwo\nTWO\nthree\nfour\nfive\nsix\ntwo\n"), ("sub/b.txt", "two.\n")]);
    let project = world.project();
    let search = |query: &Query| project.search(query).unwrap().to_text(1 << 20);
    let two = Query { pattern: "two".to_owned(), ..Query::default() };
    assert_eq!(search(&two), "a.txt:2:two\na.txt:8:two\nsub/b.txt:1:two.\n");
    let around = Query { context: 1, ignores_case: true, ..two.clone() };
    assert_eq!(
        search(&around),
        "a.txt-1-one\na.txt:2:two\na.txt:3:TWO\na.txt-4-three\n--\na.txt-7-six\na.txt:8:two\n--\nsub/b.txt:1:two.\n"
    );
    let within = Query { within: Some(path("sub")), ..two.clone() };
    assert_eq!(search(&within), "sub/b.txt:1:two.\n");
    let regex = Query { pattern: "^t.*\\.$".to_owned(), syntax: Syntax::Regex, ..Query::default() };
    assert_eq!(search(&regex), "sub/b.txt:1:two.\n");
    let literal = Query { syntax: Syntax::Literal, ..regex };
    assert_eq!(search(&literal), "nothing found in 2 files\n");
}

#[test]
fn a_search_cannot_tell_what_was_hidden() {
    let world = World::with(&[("a", "password = hunter2\n")]);
    let project = world.project();
    for pattern in ["hunter2", "hunter[0-9]", "password = h"] {
        let query = Query { pattern: pattern.to_owned(), syntax: Syntax::Regex, ..Query::default() };
        assert_eq!(project.search(&query).unwrap().hits, [], "{pattern}");
    }
    let query = Query { pattern: "password".to_owned(), ..Query::default() };
    let found = project.search(&query).unwrap();
    assert_eq!(
        (found.hits[0].lines[0].as_str(), found.redactions.total()),
        ("password = [redacted: secret]", 1)
    );
}

#[test]
fn a_hostile_pattern_is_refused_or_ends_in_time() {
    let world = World::with(&[("a", &"a".repeat(16_000)), ("b", &"x".repeat(20_000))]);
    let project = world.project();
    let regex = |pattern: &str| {
        project.search(&Query { pattern: pattern.to_owned(), syntax: Syntax::Regex, ..Query::default() })
    };
    for bad in ["", "(", "a{1000}{1000}{1000}", &"x".repeat(1_025), &"(".repeat(500)] {
        assert!(matches!(regex(bad).unwrap_err().fault, Fault::Pattern(_)), "{bad}");
    }
    let found = regex("(a*)*$|(a|aa)+b").unwrap();
    assert_eq!(found.hits.len(), 1);
    assert!(found.hits[0].lines[0].len() < 500);
    assert_eq!(found.cut, ["lines that exceed 16384 bytes"]);
}

#[test]
fn a_file_is_written_whole_with_its_folders_and_its_mode() {
    let world = World::with(&[("a.sh", "old")]);
    fs::set_permissions(world.at("a.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let project = world.project();
    assert_eq!(project.write(&path("a.sh"), "new"), Ok(Written::Replaced));
    assert_eq!(fs::read_to_string(world.at("a.sh")).unwrap(), "new");
    assert_eq!(fs::metadata(world.at("a.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(project.write(&path("x/y/z.txt"), "é"), Ok(Written::Created));
    assert_eq!(fs::read_to_string(world.at("x/y/z.txt")).unwrap(), "é");
    assert_eq!(project.write(&path("a.sh/x"), "").unwrap_err().fault, Fault::NoFolder);
    assert_eq!(project.write(&path("x"), "").unwrap_err().fault, Fault::NoFile("a folder"));
    assert_eq!(fs::read_dir(world.at("x/y")).unwrap().count(), 1, "no half of a file is left");
}

#[test]
fn marks_are_not_written_over_what_they_stand_for() {
    let world = World::with(&[("a", "password = hunter2\n"), ("b", "x\n")]);
    let project = world.project();
    let Body::Text(served) = project.read(&path("a")).unwrap().body else { panic!() };
    assert_eq!(project.write(&path("a"), &served).unwrap_err().fault, Fault::Marks);
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "password = hunter2\n");
    assert_eq!(project.write(&path("b"), &served), Ok(Written::Replaced));
    assert_eq!(project.write(&path("a"), "password = \"other12\"\n"), Ok(Written::Replaced));
}

#[tokio::test]
async fn the_tools_answer_with_text_and_tell_what_they_hid() {
    use crate::{
        core::json::RawJson,
        tools::{Context, Inputs, Outcome, ToolProvider as _},
    };
    let world = World::with(&[("a.txt", "one\npassword = hunter2\nthree\n")]);
    world.put("a.png", &[0, 1]);
    let tools = tools(&Arc::new(world.project())).unwrap();
    let destructive: Vec<_> =
        tools.list().iter().map(|tool| (tool.name().to_owned(), tool.is_destructive())).collect();
    let expected = [("read_file", false), ("search", false), ("write_file", true)];
    assert_eq!(destructive, expected.map(|(name, is_destructive)| (name.to_owned(), is_destructive)));

    let call = async |name, arguments: &str| {
        let arguments = RawJson::new(arguments).unwrap();
        match tools.call(name, arguments, Context::new("1", Inputs::default())).await {
            Ok(Outcome::Done(output)) => {
                output.to_raw().unwrap_or_else(|error| panic!("{error:?}")).into_string()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        call("read_file", r#"{"path":"a.txt","first_line":2,"last_line":2}"#).await,
        r#"{"content":[{"text":"password = [redacted: secret]\n","type":"text"},{"text":"(lines 2 to 2 of 3; credentials hidden: 1)","type":"text"}]}"#
    );
    assert_eq!(
        call("read_file", r#"{"path":"a.png"}"#).await,
        r#"{"content":[{"data":"AAE=","mimeType":"image/png","type":"image"}]}"#
    );
    assert_eq!(
        call("read_file", r#"{"path":"../out/secret"}"#).await,
        r#"{"content":[{"text":"`../out/secret`: the path has a name `.` or `..`","type":"text"}],"isError":true}"#
    );
    assert_eq!(
        call("search", r#"{"pattern":"THREE","ignore_case":true,"path":"."}"#).await,
        r#"{"content":[{"text":"a.txt:3:three\n","type":"text"}]}"#
    );
    assert_eq!(
        call("write_file", r#"{"path":"new/b.txt","content":"x"}"#).await,
        r#"{"content":[{"text":"created new/b.txt, 1 bytes","type":"text"}]}"#
    );
    assert_eq!(fs::read_to_string(world.at("new/b.txt")).unwrap(), "x");
}
