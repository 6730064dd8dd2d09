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

/// Writes a text in units of so many bytes, the low one first or last.
fn wide(text: &str, width: usize, is_big: bool) -> Vec<u8> {
    let units: Vec<u32> = match width {
        2 => text.encode_utf16().map(u32::from).collect(),
        _ => text.chars().map(u32::from).collect(),
    };
    let bytes = |unit: &u32| {
        if is_big { unit.to_be_bytes()[4 - width..].to_vec() } else { unit.to_le_bytes()[..width].to_vec() }
    };
    units.iter().flat_map(bytes).collect()
}

#[test]
fn a_text_in_any_encoding_is_served_as_text_without_its_credentials() {
    let text = "größe = 1 €\nname = \"Wörter für alle\"\npassword = hunter2\nlast = 名\n";
    let plain = "name = x\npassword = hunter2\nlast = 1\n";
    let mut files = vec![
        (
            "latin",
            text.replace(['€', '名'], "")
                .chars()
                .map(|code| u8::try_from(u32::from(code)).unwrap())
                .collect(),
        ),
        ("zero", plain.replace("name", "na\0me").into_bytes()),
        ("zero-in-name", plain.replace("password", "pass\0word").into_bytes()),
        ("mark", format!("\u{FEFF}{text}").into_bytes()),
        ("lying-mark", [&[0xFF, 0xFE], plain.as_bytes()].concat()),
        ("ascii-in-16", wide(plain, 2, false)),
        ("ascii-in-16-cut", wide(plain, 2, true)[..2 * plain.len() - 1].to_vec()),
    ];
    for (name, width, is_big) in
        [("16le", 2, false), ("16be", 2, true), ("32le", 4, false), ("32be", 4, true)]
    {
        files.push((name, wide(text, width, is_big)));
        files.push((name, wide(&format!("\u{FEFF}{text}"), width, is_big)));
    }
    for (name, bytes) in files {
        let world = World::new();
        world.put(name, &bytes);
        let project = world.project();
        let served = project.read(&path(name)).unwrap();
        let text = texts(std::slice::from_ref(&served));
        assert_eq!(served.redactions.total(), 1, "{name}: {text}");
        assert!(text.contains("password = [redacted: secret]\n"), "{name}: {text}");
        assert!(text.contains("last"), "{name}: {text}");
        let query = Query { pattern: "password".to_owned(), ..Query::default() };
        assert_eq!(project.search(&query).unwrap().hits.len(), 1, "{name}");
    }
}

#[test]
fn bytes_in_which_a_credential_can_be_read_are_not_served() {
    let key =
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n";
    let noise: Vec<u8> = (0..=255).cycle().take(600).collect();
    let around = |middle: &[u8]| [&noise, middle, &noise].concat();
    let sparse = |zeros: usize| {
        "password = hunter2\n"
            .bytes()
            .flat_map(|byte| [vec![byte], vec![0; zeros]].concat())
            .collect::<Vec<_>>()
    };
    let files = [
        ("key", around(key.as_bytes())),
        ("token", around(b"\0AKIAIOSFODNN7EXAMPLE\0glued")),
        ("setting", around(b"\0password=hunter2\0")),
        ("16le", around(&wide("\0password=hunter2\0", 2, false))),
        ("16be", around(&wide("\0password=hunter2\0", 2, true))),
        ("32le", around(&wide("\0password=hunter2\0", 4, false))),
        ("sparse2", around(&sparse(2))),
        ("sparse5", sparse(5)),
        ("tar", [&[0; 512][..], b"password = hunter2\n", &[0; 493], &[0; 1024]].concat()),
        ("lone-mark", [&[0, 0, 0xFE, 0xFF], &b"password = hunter2\n"[..]].concat()),
        ("zeros-and-marks", [&[0xFE, 0xFF, 0], &b"password = hunter2\n"[..]].concat()),
        ("appended", [&b"name = x\n"[..], &wide("password = hunter2\n", 2, false)].concat()),
        ("shifted", [&[0xFF, 0xFE, b'\n'], &*wide("password = hunter2\n", 2, false)].concat()),
        (
            "marked",
            [
                &[0xFF, 0xFE],
                &*wide("名前の一覧です。改行も空白もない長い文章です。", 2, false),
                b"\npassword=hunter2\n",
            ]
            .concat(),
        ),
    ];
    for (name, bytes) in files {
        let world = World::new();
        world.put(name, &bytes);
        let project = world.project();
        match project.read(&path(name)) {
            Err(error) => assert_eq!(error.fault, Fault::Credentials, "{name}"),
            Ok(document) => {
                let Body::Text(text) = document.body else { panic!("{name} is served as bytes") };
                assert!(text.contains("[redacted") && !text.contains("hunter2"), "{name}: {text}");
            }
        }
        let query = Query { pattern: "hunter2".to_owned(), ..Query::default() };
        assert_eq!(project.search(&query).unwrap().hits, [], "{name}");
    }
    let world = World::new();
    world.put("noise", &noise);
    assert_eq!(world.project().read(&path("noise")).unwrap().body, Body::Blob(noise));
}

#[tokio::test]
async fn a_uri_that_leads_to_nothing_served_is_an_invalid_parameter_with_its_path() {
    use crate::{
        core::jsonrpc::code,
        serve::ResourceProvider as _,
        tools::{CallError, Context, Inputs},
    };
    let world = World::with(&[
        ("ok", "x"),
        (".env", "x"),
        ("keys.p12", "x"),
        ("folder/x", "x"),
        ("long", "0123456789"),
    ]);
    std::os::unix::fs::symlink("../out/secret", world.at("link")).unwrap();
    let project =
        Arc::new(world.project_with(ProjectOptions { max_file_bytes: 9, ..ProjectOptions::default() }));
    let read = async |uri: String| project.read(&uri, Context::new("1", Inputs::default())).await;
    for bad in [
        "../out/secret",
        "a/../../x",
        "%2e%2e/x",
        "/etc/passwd",
        ".env",
        ".git/config",
        "link",
        "keys.p12",
        "folder",
        "long",
        "",
    ] {
        let refused = match read(format!("selvedge://project/file/{bad}")).await {
            Err(error) => error.into_result(),
            // There is no such file: the server says so in the words of the revision.
            Ok(None) if bad == ".git/config" => continue,
            Ok(other) => panic!("{bad}: {other:?}"),
        };
        let Err(CallError::Protocol(error)) = refused else { panic!("{bad}: {refused:?}") };
        assert_eq!(error.code, code::INVALID_PARAMS, "{bad}: {error:?}");
        let shown = if bad.starts_with("%2e") { "../x" } else { bad };
        assert!(error.message.contains(&format!("`{shown}`")), "{bad}: {}", error.message);
    }
    assert_eq!(read("selvedge://project/file/absent".to_owned()).await.unwrap(), None);
    assert!(read("selvedge://project/file/ok".to_owned()).await.unwrap().is_some());
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
    let expected = [("read_file", false), ("search", false), ("git_diff", false), ("write_file", true)];
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
