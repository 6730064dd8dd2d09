//! What a project serves, and what it cannot be made to serve.

#![cfg(unix)]

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _, fs::symlink},
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Instant,
};

use super::*;

mod changes;
mod contents;

/// A folder `in` that is served, and a file `out/secret` beside it that must never be seen.
struct World {
    base: PathBuf,
}

const SECRET: &str = "outside of the project";

impl World {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name =
            format!("selvedge-project-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let base = std::env::temp_dir().join(name);
        fs::create_dir_all(base.join("in")).unwrap();
        fs::create_dir_all(base.join("out")).unwrap();
        fs::write(base.join("out/secret"), SECRET).unwrap();
        Self { base }
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        for (path, text) in files {
            world.put(path, text.as_bytes());
        }
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.join("in").join(path)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn project(&self) -> Project {
        self.project_with(ProjectOptions::default())
    }

    fn project_with(&self, options: ProjectOptions) -> Project {
        Project::open(&self.base.join("in"), options).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.base);
    }
}

fn path(path: &str) -> ProjectPath {
    ProjectPath::new(path).unwrap()
}

fn text(project: &Project, name: &str) -> Result<String, Fault> {
    match project.read(&path(name)).map_err(|error| error.fault)?.body {
        Body::Text(text) => Ok(text),
        Body::Blob(bytes) => panic!("{bytes:?}"),
    }
}

fn uri(project: &Project, uri: &str) -> Result<Vec<Document>, ProjectError> {
    project.read_uri(uri).unwrap_or_else(|| panic!("{uri} is a resource"))
}

fn texts(documents: &[Document]) -> String {
    let text = |document: &Document| match &document.body {
        Body::Text(text) => text.clone(),
        Body::Blob(_) => String::new(),
    };
    documents.iter().map(text).collect()
}

#[test]
fn the_resources_show_files_structure_configuration_and_every_file() {
    let world = World::with(&[
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
        (".mcp.json", "{\"env\": {\"API_TOKEN\": \"a1b2c3d4e5f6\"}}"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/ä b.rs", "// é\n"),
        (".gitignore", "target\n*.log\n!keep.log\n/src/gone\n"),
        ("target/x", "built"),
        ("a.log", "log"),
        ("keep.log", "log"),
        ("src/gone/x", "x"),
        ("sub/src/gone/x", "x"),
        (".env", "A=b"),
    ]);
    let project = world.project();
    let files = texts(&uri(&project, "selvedge://project/files").unwrap());
    assert_eq!(files, "Cargo.toml\nkeep.log\nsrc/main.rs\nsrc/ä b.rs\nsub/src/gone/x\n");
    let structure = texts(&uri(&project, "selvedge://project/structure").unwrap());
    assert_eq!(
        structure,
        "in/\n  Cargo.toml\n  keep.log\n  src/\n    main.rs\n    ä b.rs\n  sub/\n    src/\n      gone/\n        x\n"
    );
    let config = uri(&project, "selvedge://project/config").unwrap();
    assert_eq!(texts(&config[..1]), "Cargo.toml\n");
    let all = world.project_with(ProjectOptions { serves_hidden: true, ..ProjectOptions::default() });
    let config = uri(&all, "selvedge://project/config").unwrap();
    assert_eq!(texts(&config[..1]), "Cargo.toml\n.mcp.json (1 hidden)\n.gitignore\n");
    assert_eq!(config[2].uri, "selvedge://project/file/.mcp.json");
    assert_eq!(config[2].mime_type, "application/json");
    assert!(!texts(&config).contains("a1b2c3d4e5f6"));

    let file = uri(&project, "selvedge://project/file/src/%C3%A4%20b.rs").unwrap();
    assert_eq!((texts(&file).as_str(), file[0].mime_type), ("// é\n", "text/x-rust"));
    assert_eq!(file[0].uri, "selvedge://project/file/src/%C3%A4%20b.rs");
    for none in ["selvedge://project/", "selvedge://project/files/", "file:///etc/passwd", ""] {
        assert!(project.read_uri(none).is_none(), "{none}");
    }
}

#[test]
fn what_is_excluded_can_be_read_by_no_name() {
    let world = World::with(&[
        (".gitignore", "private/\n"),
        ("private/x", "x"),
        (".env", "x"),
        (".git/config", "x"),
        ("keys.p12", "x"),
        ("deep/.ignore", "x\n"),
        ("deep/x", "x"),
    ]);
    symlink(".env", world.at("env.txt")).unwrap();
    symlink(".git", world.at("git")).unwrap();
    symlink("private", world.at("public")).unwrap();
    let project = world.project();
    for hidden in ["private/x", ".env", ".git/config", "env.txt", "git/config", "public/x", "deep/x"] {
        assert_eq!(text(&project, hidden), Err(Fault::Hidden), "{hidden}");
        let written = project.write(&path(hidden), "y").map_err(|error| error.fault);
        assert!(matches!(written, Err(Fault::Hidden | Fault::Link)), "{hidden}: {written:?}");
    }
    assert_eq!(text(&project, "keys.p12"), Err(Fault::KeyStore));
    assert_eq!(project.write(&path(".git/hooks/new"), "x").unwrap_err().fault, Fault::Hidden);
    assert!(!world.at(".git/hooks").exists());

    let mut options = ProjectOptions::default();
    (options.serves_hidden, options.serves_ignored) = (true, true);
    let open = world.project_with(options);
    assert_eq!(text(&open, "private/x"), Ok("x".to_owned()));
    assert_eq!(text(&open, "env.txt"), Ok("x".to_owned()));
    assert_eq!(text(&open, ".git/config"), Err(Fault::Hidden), "whatever is served");
}

#[test]
fn the_configuration_is_that_of_files_which_are_served() {
    let world = World::with(&[
        (".gitignore", "\u{FEFF}package.json\n.mcp.json\n.cargo/\n"),
        ("package.json", "needle"),
        (".mcp.json", "needle"),
        (".cargo/config.toml", "needle"),
        ("sub/Cargo.toml", "needle"),
        ("Cargo.toml", "needle"),
    ]);
    let hidden = ProjectOptions { serves_hidden: true, ..ProjectOptions::default() };
    for (options, served) in [(ProjectOptions::default(), 1), (hidden, 2)] {
        let project = world.project_with(options);
        let config = uri(&project, "selvedge://project/config").unwrap();
        assert_eq!(config.len() - 1, served, "{config:?}");
        for document in &config[1..] {
            assert_eq!(
                uri(&project, &document.uri).unwrap(),
                std::slice::from_ref(document),
                "it is read by its own URI"
            );
        }
        let index = texts(&config[..1]);
        assert!(
            !index.contains("package.json") && !index.contains("mcp") && !index.contains("cargo/"),
            "{index}"
        );
        let found = project.search(&Query { pattern: "needle".to_owned(), ..Query::default() }).unwrap();
        assert_eq!(
            found.hits.iter().map(|hit| hit.path.to_string()).collect::<Vec<_>>(),
            ["Cargo.toml", "sub/Cargo.toml"]
        );
    }
}

#[test]
fn a_path_is_one_within_the_project_however_it_is_spelled() {
    let world = World::with(&[("a/b", "x")]);
    let project = world.project();
    let paths = [
        "",
        "/",
        "..",
        "../out/secret",
        "a/../../out/secret",
        "/etc/passwd",
        "a//b",
        "a/",
        "./",
        "././a",
        "a\\b",
        "..\\out\\secret",
        "a\0",
        "a\nb",
        "C:/x",
        "a/./b",
        "\u{85}",
    ];
    for bad in paths {
        assert!(matches!(ProjectPath::new(bad).map_err(|error| error.fault), Err(Fault::Path(_))), "{bad:?}");
    }
    assert!(ProjectPath::new(&"x".repeat(256)).is_err() && ProjectPath::new(&"x/".repeat(3_000)).is_err());
    assert_eq!(text(&project, "./a/b"), Ok("x".to_owned()));

    let encoded = [
        "%2e%2e/out/secret",
        "%2E%2E%2Fout%2Fsecret",
        "..%2fout",
        "a%2fb",
        "a%5Cb",
        "%00",
        "a%",
        "a%2",
        "a%zz",
        "%c0%ae%c0%ae/out/secret",
        "%e0%80%ae/x",
        "%FF",
        "/etc/passwd",
        "%2Fetc/passwd",
        "%252e%252e/out/secret",
        ".%2e/out/secret",
        "%u002e",
        "..",
        "",
        "a/..%00/b",
        "a%0Ab",
        "+a/../b",
    ];
    for bad in encoded {
        let answer = project.read_uri(&format!("selvedge://project/file/{bad}")).unwrap();
        let error = answer.unwrap_err();
        assert!(matches!(error.fault, Fault::Path(_) | Fault::NotFound), "{bad}: {error}");
        assert!(!error.to_string().contains(&*world.base.to_string_lossy()), "{error}");
    }
    assert_eq!(ProjectPath::new("../x").unwrap_err().to_string(), "`../x`: the path has a name `.` or `..`");
}

#[test]
fn a_link_leads_nowhere_but_within_the_project() {
    let world = World::with(&[("real/file.txt", "inside")]);
    let out = world.base.join("out");
    symlink(out.join("secret"), world.at("absolute")).unwrap();
    symlink("../out/secret", world.at("relative")).unwrap();
    symlink("../out", world.at("folder")).unwrap();
    symlink("/", world.at("slash")).unwrap();
    symlink("loop", world.at("loop")).unwrap();
    symlink("missing", world.at("dangling")).unwrap();
    symlink("real/file.txt", world.at("good.txt")).unwrap();
    symlink("real", world.at("good")).unwrap();
    let project = world.project();
    for bad in ["absolute", "relative", "folder/secret", "slash/etc/passwd", "loop"] {
        assert_eq!(text(&project, bad), Err(Fault::Outside), "{bad}");
    }
    assert_eq!(text(&project, "dangling"), Err(Fault::NotFound));
    assert_eq!(text(&project, "good.txt"), Ok("inside".to_owned()));
    assert_eq!(text(&project, "good/file.txt"), Ok("inside".to_owned()));

    let structure = texts(&uri(&project, "selvedge://project/structure").unwrap());
    assert!(structure.contains("  folder (link)\n") && !structure.contains("secret"), "{structure}");
    let query = Query { pattern: SECRET.to_owned(), ..Query::default() };
    assert_eq!(project.search(&query).unwrap().hits, []);
    let within = Query { within: Some(path("folder")), ..query };
    assert_eq!(project.search(&within).unwrap_err().fault, Fault::Outside);

    for through in ["absolute", "folder/new", "good.txt", "good/new", "dangling"] {
        assert_eq!(project.write(&path(through), "x").unwrap_err().fault, Fault::Link, "{through}");
    }
    assert_eq!(fs::read_to_string(out.join("secret")).unwrap(), SECRET);
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(world.at("real/file.txt")).unwrap(), "inside");

    fs::remove_dir_all(world.at("good")).unwrap_or_else(|_| fs::remove_file(world.at("good")).unwrap());
    symlink(out, world.at("Cargo.toml")).unwrap();
    assert!(!texts(&uri(&project, "selvedge://project/config").unwrap()).contains(SECRET));
}

#[test]
fn a_rules_file_that_is_a_link_is_not_followed() {
    let world = World::with(&[("a.txt", "x")]);
    fs::write(world.base.join("out/rules"), "*.txt").unwrap();
    symlink("../out/rules", world.at(".gitignore")).unwrap();
    assert_eq!(text(&world.project(), "a.txt"), Ok("x".to_owned()));
}

/// Swaps names between something inside and a link to the outside, while another thread reads and writes.
#[cfg(target_os = "linux")]
#[test]
fn a_link_that_is_swapped_while_it_is_read_never_leads_out() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    /// Ends the swapping also where an assertion fails.
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let world = World::with(&[("file", "inside"), ("folder/secret", "inside")]);
    let links = [world.base.join("file_link"), world.base.join("folder_link")];
    symlink(world.base.join("out/secret"), &links[0]).unwrap();
    symlink(world.base.join("out"), &links[1]).unwrap();
    let project = world.project();
    let done = AtomicBool::new(false);
    let ends_at = Instant::now() + Duration::from_millis(1_500);
    std::thread::scope(|scope| {
        let ending = Done(&done);
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for (name, link) in ["file", "folder"].iter().zip(&links) {
                    renameat_with(CWD, world.at(name), CWD, link, RenameFlags::EXCHANGE).unwrap();
                }
            }
        });
        let mut inside = 0;
        while Instant::now() < ends_at {
            for name in ["file", "folder/secret"] {
                match text(&project, name) {
                    Ok(text) => {
                        assert_ne!(text, SECRET);
                        inside += 1;
                    }
                    Err(fault) => assert!(
                        matches!(fault, Fault::Outside | Fault::NotFound | Fault::NoFolder),
                        "{fault}"
                    ),
                }
            }
            let found = project.search(&Query { pattern: SECRET.to_owned(), ..Query::default() }).unwrap();
            assert_eq!(found.hits, []);
            let _ = project.write(&path("folder/new"), "x");
        }
        drop(ending);
        assert!(inside > 0, "it was read between the swaps");
    });
    assert_eq!(fs::read_dir(world.base.join("out")).unwrap().count(), 1, "nothing was written outside");
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let world = World::with(&[("folder/x", "x")]);
    let made = std::process::Command::new("mkfifo").args([world.at("pipe"), world.at("Cargo.toml")]).status();
    assert!(made.unwrap().success());
    let socket = std::os::unix::net::UnixListener::bind(world.at("socket")).unwrap();
    symlink("/dev/zero", world.at("zero")).unwrap();
    let project = world.project();
    let special = Fault::NoFile("a pipe, a socket or a device");
    for (name, fault) in [
        ("pipe", special.clone()),
        ("socket", special.clone()),
        ("folder", Fault::NoFile("a folder")),
        ("zero", Fault::Outside),
        ("folder/x/y", Fault::NoFolder),
        ("absent", Fault::NotFound),
    ] {
        assert_eq!(text(&project, name), Err(fault), "{name}");
    }
    assert_eq!(project.write(&path("pipe"), "x").unwrap_err().fault, special);
    let config = texts(&uri(&project, "selvedge://project/config").unwrap());
    assert!(config.contains("Cargo.toml (not served: this is a pipe"), "{config}");
    let found = project.search(&Query { pattern: "x".to_owned(), ..Query::default() }).unwrap();
    assert_eq!(found.hits.len(), 1);
    drop(socket);
}

#[test]
fn bounds_are_named_where_they_are_met() {
    let world =
        World::with(&[("a/b/c/d/e", "x"), ("large", "0123456789"), ("one", "1\n"), ("two", "1\n1\n")]);
    let mut options = ProjectOptions::default();
    (options.max_file_bytes, options.max_depth) = (9, 3);
    let project = world.project_with(options.clone());
    assert_eq!(project.read(&path("large")).unwrap_err().to_string(), "`large`: the file exceeds 9 bytes");
    assert_eq!(text(&project, "a/b/c/d/e"), Err(Fault::TooDeep { max: 3 }));
    assert_eq!(project.write(&path("new"), "0123456789").unwrap_err().fault, Fault::TooLarge { max: 9 });
    assert_eq!(project.list().unwrap().cut, ["folders deeper than 3"]);
    let one = Query { pattern: "1".to_owned(), ..Query::default() };
    assert!(project.search(&one).unwrap().cut.contains(&"files that exceed 9 bytes".to_owned()));

    options = ProjectOptions { max_entries: 3, ..ProjectOptions::default() };
    let listing = world.project_with(options).list().unwrap();
    assert_eq!(listing.cut, ["entries beyond 3"]);
    assert!(listing.entries.len() <= 3);
    options = ProjectOptions { max_hits: 2, ..ProjectOptions::default() };
    let found = world.project_with(options).search(&one).unwrap();
    assert_eq!((found.hits.len(), found.cut), (2, vec!["hits beyond 2".to_owned()]));
    options = ProjectOptions { max_search_bytes: 3, ..ProjectOptions::default() };
    assert_eq!(world.project_with(options).search(&one).unwrap().cut, ["files beyond 3 bytes in all"]);
    options = ProjectOptions { max_search_time: Duration::ZERO, ..ProjectOptions::default() };
    assert_eq!(world.project_with(options).search(&one).unwrap().cut, ["what takes longer than 0 s"]);
}

#[test]
fn a_deep_tree_and_a_wide_folder_are_walked_within_bounds() {
    let world = World::new();
    fs::create_dir_all(world.at(&"d/".repeat(300))).unwrap();
    for at in 0..3_000 {
        fs::write(world.at(&format!("f{at}")), "").unwrap();
    }
    let options = ProjectOptions { max_entries: 1_000, ..ProjectOptions::default() };
    let listing = world.project_with(options).list().unwrap();
    assert!(listing.entries.len() <= 1_000 && listing.cut.contains(&"entries beyond 1000".to_owned()));
    assert_eq!(world.project().list().unwrap().entries.len(), 3_000 + 32);
}

#[test]
fn a_file_that_may_not_be_read_and_a_name_that_is_no_text_are_told() {
    let world = World::with(&[("closed/x", "x"), ("open", "needle")]);
    fs::write(world.base.join("in").join(std::ffi::OsStr::from_bytes(b"bad\xFFname")), "needle").unwrap();
    fs::set_permissions(world.at("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(world.at("closed")).is_ok();
    let project = world.project();
    let listing = project.list().unwrap();
    let files = texts(&uri(&project, "selvedge://project/files").unwrap());
    assert_eq!(listing.unnamed, 1);
    assert!(files.contains("(left out: 1 names that are not UTF-8)"), "{files}");
    if !is_root {
        assert_eq!(listing.unreadable, 1);
        assert_eq!(text(&project, "closed/x"), Err(Fault::System(io::ErrorKind::PermissionDenied)));
    }
    let found = project.search(&Query { pattern: "needle".to_owned(), ..Query::default() }).unwrap();
    assert_eq!(found.hits.len(), 1);
    fs::set_permissions(world.at("closed"), fs::Permissions::from_mode(0o700)).unwrap();
}
