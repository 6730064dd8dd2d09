//! Gives modules of hostile listings to the tools that read comments: none of them acts on a server's text.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use selvedge_core::{
    codegen::{Listing, Options, generate},
    json::Value,
    name::Language,
};

use super::{compilers, folder, place, run, rustc, tsc, write};

/// What a server calls itself: a cookie, and what some tool obeys in the first lines of a file.
const SERVERS: [&str; 8] = [
    "coding:utf-7",
    "x # type: ignore",
    "# pyright: basic",
    "aaaaaaaaaaaaaaaaaaaaa @ts-nocheck x",
    "y pylint: skip-file",
    "flake8: noqa",
    "/ <reference path=\"./nowhere.d.ts\" />",
    "isort:skip_file",
];

/// Texts that run, or say something to a tool, where a line of a comment begins with them or holds them.
fn hostile() -> Vec<String> {
    let utf7 = "harmless +ACIAIgAi-\n+AF8AXw-import+AF8AXw-('pathlib').Path('ran').touch()\n+ACIAIgAi-";
    let starts = [
        ">>> __import__('pathlib').Path('ran').touch()",
        "```rust,edition2021\nstd::fs::write(\"ran\", \"\").unwrap();\n```",
        "~~~\nstd::fs::write(\"ran\", \"\").unwrap();\n~~~",
        "``` std::fs::write(\"ran\",\"\").unwrap();//",
        "    std::fs::write(\"ran\", \"\").unwrap();",
        "<script>ran()</script> <img src=x onerror=ran()> [x](javascript:ran()) ![i](http://a.example/i.png)",
        "`x <javascript:ran()>`_ :download:`/etc/passwd` .. raw:: html",
        "*/ ran(); /*! @license kept */ /*",
        "//# sourceMappingURL=ran.map",
        "@ts-ignore @ts-expect-error @internal x@internal {@link Ran} @deprecated",
        "/* c8 ignore next 9 */ #__PURE__ @__PURE__ @preserve",
        "# type: ignore # noqa # pragma: no cover # fmt: off pylint: disable=all nosec",
        "mypy: ignore-errors",
    ];
    let mut texts = vec![utf7.to_owned()];
    for start in starts {
        // Each stands at the beginning of a line once, however wide what stands before it is.
        texts.push(start.to_owned());
        texts.extend([30, 40, 52, 60, 66, 72].map(|before| format!("{} {start}", "n".repeat(before))));
    }
    texts
}

/// A listing whose every text is hostile.
fn listing() -> String {
    let mut out = String::from("[");
    for (at, text) in hostile().iter().enumerate() {
        let text = Value::String(text.clone()).to_string();
        let name =
            Value::String(format!("{} {at}", Value::parse(&text).unwrap().as_str().unwrap())).to_string();
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(
            out,
            r#"{comma}{{"name":{name},"description":{text},"inputSchema":{{"type":"object","properties":{{{text}:{{"type":"string","description":{text},"default":{text}}}}}}}}}"#
        );
    }
    out.push(']');
    out
}

/// Generates one module for each server into a folder, and returns the names of the modules.
fn hostile_modules(folder: &Path, language: Language) -> Vec<String> {
    let text = listing();
    let listing = Listing::parse(&text).unwrap();
    let module = |server: &&str| {
        let options =
            Options { server: (*server).into(), language, max_surface_bytes: 1 << 20, ..Options::default() };
        let generated = generate(&listing, &options).unwrap();
        place(folder, &generated);
        // As the command prints it with `--surface`.
        let shown = generated.surface.in_comments(language).unwrap();
        fs::write(folder.join(&generated.path), generated.source + "\n" + &shown).unwrap();
        generated.path.split('.').next().unwrap().to_owned()
    };
    SERVERS.iter().map(module).collect()
}

fn venv(compilers: &Path, tool: &str) -> Command {
    Command::new(compilers.join("venv/bin").join(tool))
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn nothing_ran(folder: &Path) {
    assert!(!folder.join("ran").exists(), "{}", folder.display());
}

/// Puts a fault that a checker must see behind everything that a server said.
fn with_fault(folder: &Path, names: &[String], extension: &str, fault: &str) -> Vec<PathBuf> {
    let path = |name: &String| folder.join(format!("{name}.{extension}"));
    let paths: Vec<_> = names.iter().map(path).collect();
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text + fault).unwrap();
    }
    paths
}

#[test]
fn no_text_of_a_server_runs_when_python_imports_or_tests_a_module() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("readers-python");
    let names = hostile_modules(&folder, Language::Python);
    for name in &names {
        run(Command::new("python3")
            .args(["-W", "error", "-c", &format!("import {name}")])
            .current_dir(&folder));
        let tested = run(Command::new("python3")
            .args(["-m", "doctest", "-v"])
            .arg(format!("{name}.py"))
            .current_dir(&folder));
        assert!(tested.contains("\n0 tests in ") || tested.contains("0 passed"), "{tested}");
    }
    let tested = said(
        venv(&compilers, "python")
            .args(["-m", "pytest", "--doctest-modules", "-q", "-p", "no:cacheprovider"])
            .current_dir(&folder),
    );
    assert!(tested.contains("no tests ran"), "{tested}");
    nothing_ran(&folder);
}

#[test]
fn no_text_of_a_server_silences_a_checker_of_python() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("readers-python-checked");
    let names = hostile_modules(&folder, Language::Python);
    let fault = "\n\nimport os\n\n\ndef fault() -> int:\n    return 'text'\n";
    let paths = with_fault(&folder, &names, "py", fault);
    let count = |said: &str, wanted: &str| said.lines().filter(|line| line.contains(wanted)).count();
    let script = compilers.join("node_modules/pyright/index.js");
    let pyright = said(Command::new("node").arg(script).args(&paths).current_dir(&folder));
    assert_eq!(count(&pyright, "(reportReturnType)"), names.len(), "{pyright}");
    let mypy = said(
        venv(&compilers, "python").args(["-m", "mypy", "--no-incremental"]).args(&paths).current_dir(&folder),
    );
    assert_eq!(count(&mypy, "Incompatible return value type"), names.len(), "{mypy}");
    let flake8 = said(
        venv(&compilers, "python").args(["-m", "flake8", "--isolated", "--select", "F401,E501"]).args(&paths),
    );
    assert_eq!(count(&flake8, "F401 'os'"), names.len(), "{flake8}");
    let ruff = said(
        venv(&compilers, "ruff")
            .args(["check", "--isolated", "--no-cache", "--output-format", "concise"])
            .args(&paths),
    );
    assert_eq!(count(&ruff, "F401"), names.len(), "{ruff}");
    let pylint = said(
        venv(&compilers, "python")
            .args(["-m", "pylint", "--disable=all", "--enable=unused-import,file-ignored"])
            .args(&paths),
    );
    assert_eq!(count(&pylint, "Unused import os"), names.len(), "{pylint}");
    assert_eq!(count(&pylint, "file-ignored"), 0, "{pylint}");
    // A line of code is excused by its own literal; no line of a docstring is.
    let mut strict = venv(&compilers, "python");
    strict.args(["-m", "flake8", "--isolated", "--select", "F401,E501", "--disable-noqa"]).args(&paths);
    let strict = said(&mut strict);
    for excused in strict.lines().filter(|line| !flake8.contains(line)) {
        let mut parts = excused.split(':');
        let (path, line) = (parts.next().unwrap(), parts.next().unwrap());
        let text = fs::read_to_string(path).unwrap();
        let line = text.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap();
        assert!(line.contains("return self._call("), "{line}");
    }
}

#[test]
fn no_text_of_a_server_becomes_markup_in_documentation_of_python() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("readers-python-docs");
    let names = hostile_modules(&folder, Language::Python);
    let program = "import importlib, inspect, sys, docutils.core, markdown2, re\n\
        for name in sys.argv[1:]:\n\
        \x20   for _, each in inspect.getmembers(importlib.import_module(name).Tools, inspect.isfunction):\n\
        \x20       text = inspect.getdoc(each) or ''\n\
        \x20       for html in (docutils.core.publish_parts(text, writer='html', settings_overrides={'report_level': 5})['body'], markdown2.markdown(text)):\n\
        \x20           bad = re.findall(r'<(?:script|img|b onmouse|h[1-6]|pre)|javascript:[^<]*\\'|href=\"(?!https?:|mailto:|#)[^\"]*', html)\n\
        \x20           assert not bad, (bad, text, html)\n";
    run(venv(&compilers, "python").args(["-W", "ignore", "-c", program]).args(&names).current_dir(&folder));
    run(venv(&compilers, "python")
        .args(["-m", "pdoc", "-o", "pages"])
        .args(&names)
        .env("PYTHONPATH", &folder)
        .current_dir(&folder));
    for name in &names {
        let page = fs::read_to_string(folder.join("pages").join(format!("{name}.html"))).unwrap();
        assert!(
            !page.contains("<script>ran")
                && !page.contains("<img src=x")
                && !page.contains("href=\"javascript"),
            "{name}"
        );
    }
    nothing_ran(&folder);
}

#[test]
fn rustdoc_finds_no_test_no_markup_and_no_link_in_a_servers_text() {
    let folder = folder("readers-rust");
    let names = hostile_modules(&folder, Language::Rust);
    let modules = names.iter().map(|name| format!("pub mod {name};")).collect::<Vec<_>>().join("\n");
    write(&folder, "lib.rs", &format!("pub mod selvedge;\n{modules}\n"));
    run(rustc(&folder).args(["--crate-type", "lib", "--emit", "metadata", "lib.rs"]));
    let tested =
        run(Command::new("rustdoc").args(["--test", "--edition", "2021", "lib.rs"]).current_dir(&folder));
    assert!(tested.contains("running 0 tests"), "{tested}");
    run(Command::new("rustdoc").args(["--edition", "2021", "lib.rs"]).current_dir(&folder));
    for name in &names {
        let page = fs::read_to_string(folder.join("doc/lib").join(name).join("struct.Tools.html")).unwrap();
        for markup in
            ["<script>ran", "<img src=x", "href=\"javascript", "a.example/i.png\"", "rust-example-rendered"]
        {
            assert!(!page.contains(markup), "{name}: {markup}");
        }
    }
    nothing_ran(&folder);
}

#[test]
fn no_text_of_a_server_is_a_directive_to_tsc() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("readers-typescript");
    write(&folder, "package.json", "{\"type\":\"module\"}");
    let names = hostile_modules(&folder, Language::TypeScript);
    let files: Vec<_> = names.iter().map(|name| format!("{name}.ts")).collect();
    run(tsc(&compilers, &folder).args(["--declaration", "--stripInternal"]).args(&files));
    for name in &names {
        let declared = fs::read_to_string(folder.join(format!("{name}.d.ts"))).unwrap();
        assert_eq!(declared.matches("): Call").count(), hostile().len(), "{name}");
        let emitted = fs::read_to_string(folder.join(format!("{name}.js"))).unwrap();
        let comments: Vec<_> =
            emitted.lines().filter(|line| line.trim_start().starts_with(['*', '/'])).collect();
        assert!(comments.iter().all(|line| !line.contains("sourceMappingURL")), "{name}");
    }
    with_fault(&folder, &names, "ts", "\nconst fault: number = \"text\";\nvoid fault;\n");
    let told = said(tsc(&compilers, &folder).arg("--noEmit").args(&files));
    assert_eq!(told.matches("error TS2322").count(), names.len(), "{told}");
    assert_eq!(told.matches("error TS").count(), names.len(), "{told}");
}

#[test]
fn a_bundler_keeps_and_drops_nothing_because_of_a_servers_text() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("readers-bundled");
    write(&folder, "package.json", "{\"type\":\"module\"}");
    let names = hostile_modules(&folder, Language::TypeScript);
    let mut command = Command::new(compilers.join("node_modules/.bin/esbuild"));
    let files = names.iter().map(|name| format!("{name}.ts"));
    command.args(files).args([
        "--bundle",
        "--format=esm",
        "--minify",
        "--legal-comments=eof",
        "--outdir=bundled",
    ]);
    let told = said(command.current_dir(&folder));
    assert!(!told.contains("[WARNING]") && !told.contains("[ERROR]"), "{told}");
    for name in &names {
        let bundled = fs::read_to_string(folder.join("bundled").join(format!("{name}.js"))).unwrap();
        let kept: Vec<_> = bundled.lines().filter(|line| line.trim_start().starts_with('/')).collect();
        assert!(kept.is_empty() && bundled.contains("license kept"), "{kept:?}");
    }
}
