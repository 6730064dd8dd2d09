//! Gives what is generated to real compilers, and runs programs that call it.
//!
//! `scripts/compilers` installs them and prints their folder, which `SELVEDGE_COMPILERS` may name. `rustc` is the
//! one that builds the tests.

#![expect(clippy::unwrap_used, clippy::format_collect, reason = "a test may panic")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use selvedge_core::{
    codegen::{Generated, Level, Listing, Options, Profile, generate},
    json::Tape,
    name::Language,
};

/// Returns where the compilers are; installs them if nobody has.
fn compilers() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("SELVEDGE_COMPILERS") {
        return Some(path.into());
    }
    let said = run(Command::new("sh").arg(here().join("../scripts/compilers")));
    said.lines().last().map(PathBuf::from)
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    out.into_owned()
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The listings to compile: the fixtures, the golden, and real ones where a development machine has some.
fn listings() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut add = |folder: PathBuf, member: Option<&str>| {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let text = match member {
                Some(member) => Tape::parse(&text).unwrap().root().get(member).unwrap().as_str().to_owned(),
                None => text,
            };
            let name = path.file_stem().unwrap().to_string_lossy().to_lowercase().replace(['-', '.'], "_");
            found.push((format!("c_{name}"), text));
        }
    };
    add(here().join("fixtures/generator"), Some("listing"));
    add(here().join("goldens/generator"), None);
    if let Some(folder) = std::env::var_os("SELVEDGE_LISTINGS") {
        add(folder.into(), None);
    }
    found.sort();
    found
}

/// Generates every listing into a folder and returns the names of the modules.
fn generate_all(folder: &Path, language: Language, profile: Profile) -> Vec<String> {
    let mut names = Vec::new();
    for (name, text) in listings() {
        let options = Options {
            server: name.clone(),
            language,
            profile,
            level: Some(Level::Names),
            max_surface_bytes: 1 << 20,
            digest: selvedge_core::name::sha256,
            ..Options::default()
        };
        // Some fixtures are there to be refused.
        let Ok(generated) = generate(&Listing::parse(&text).unwrap(), &options) else { continue };
        place(folder, &generated);
        names.push(generated.path.rsplit('/').next().unwrap().split('.').next().unwrap().to_owned());
    }
    assert!(names.len() > 50);
    names
}

fn place(folder: &Path, generated: &Generated) {
    write(folder, &generated.path, &generated.source);
    for file in &generated.support {
        write(folder, file.path, file.text);
    }
}

fn wire(folder: &Path, language: Language) {
    let text = fs::read_to_string(here().join("compilers/wire/listing.json")).unwrap();
    let options = Options { server: "wire".into(), language, ..Options::default() };
    place(folder, &generate(&Listing::parse(&text).unwrap(), &options).unwrap());
    for entry in fs::read_dir(here().join("compilers/wire")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        write(folder, &name, &fs::read_to_string(&path).unwrap());
    }
}

fn expected() -> String {
    fs::read_to_string(here().join("compilers/wire/expected.txt")).unwrap()
}

fn tsc(compilers: &Path, folder: &Path) -> Command {
    let mut command = Command::new("node");
    command.arg(compilers.join("node_modules/typescript/bin/tsc")).current_dir(folder);
    command.args([
        "--strict",
        "--noUnusedLocals",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--types",
        "",
    ]);
    command
}

#[test]
fn every_typescript_module_is_accepted_by_tsc_strict() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("typescript");
    write(&folder, "package.json", "{\"type\":\"module\"}");
    let names = generate_all(&folder, Language::TypeScript, Profile::Typed);
    run(tsc(&compilers, &folder).arg("--noEmit").args(names.iter().map(|name| format!("{name}.ts"))));
}

#[test]
fn a_typescript_program_puts_the_original_names_on_the_wire() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("wire-typescript");
    write(&folder, "package.json", "{\"type\":\"module\"}");
    wire(&folder, Language::TypeScript);
    run(tsc(&compilers, &folder).arg("main.ts"));
    assert_eq!(run(Command::new("node").arg("main.js").current_dir(&folder)), expected());
}

fn pyright(compilers: &Path, folder: &Path) {
    write(folder, "pyrightconfig.json", "{\"typeCheckingMode\":\"strict\",\"pythonVersion\":\"3.10\"}");
    let script = compilers.join("node_modules/pyright/index.js");
    run(Command::new("node").arg(script).args(["-p", "."]).current_dir(folder));
}

#[test]
fn every_python_module_compiles_and_satisfies_pyright_strict() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("python");
    let names = generate_all(&folder, Language::Python, Profile::Typed);
    let imports: String = names.iter().map(|name| format!("import {name}\n")).collect();
    run(Command::new("python3").args(["-W", "error", "-c", &imports]).current_dir(&folder));
    pyright(&compilers, &folder);
}

#[test]
fn a_python_program_puts_the_original_names_on_the_wire() {
    let Some(compilers) = compilers() else { return };
    let folder = folder("wire-python");
    wire(&folder, Language::Python);
    pyright(&compilers, &folder);
    let mut command = Command::new("python3");
    command.arg("main.py").env("PYTHONIOENCODING", "utf-8").current_dir(&folder);
    assert_eq!(run(&mut command), expected());
}

fn rustc(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition", "2021", "-D", "warnings"]).current_dir(folder);
    command
}

#[test]
fn every_rust_module_compiles_without_a_warning() {
    if compilers().is_none() {
        return;
    }
    let folder = folder("rust");
    let names = generate_all(&folder, Language::Rust, Profile::Typed);
    let modules: String = names.iter().map(|name| format!("pub mod {name};\n")).collect();
    write(&folder, "lib.rs", &format!("pub mod selvedge;\n{modules}"));
    run(rustc(&folder).args(["--crate-type", "lib", "--emit", "metadata", "lib.rs"]));
    run(Command::new("rustdoc").args(["--test", "--edition", "2021", "lib.rs"]).current_dir(&folder));
}

#[test]
fn a_rust_program_puts_the_original_names_on_the_wire() {
    if compilers().is_none() {
        return;
    }
    let folder = folder("wire-rust");
    wire(&folder, Language::Rust);
    run(rustc(&folder).arg("main.rs"));
    assert_eq!(run(&mut Command::new(folder.join("main"))), expected());
}

fn gleam(compilers: &Path, source: &Path, target: &Path) {
    let script = here().join("compilers/gleam.mjs");
    run(Command::new("node").arg(script).arg(compilers).arg(source).arg(target));
}

#[test]
fn every_gleam_module_of_both_profiles_compiles() {
    let Some(compilers) = compilers() else { return };
    for (name, profile) in [("gleam-loom", Profile::Loom), ("gleam-typed", Profile::Typed)] {
        let (source, target) = (folder(name), folder(&format!("{name}-compiled")));
        generate_all(&source, Language::Gleam, profile);
        gleam(&compilers, &source, &target);
    }
}

#[test]
fn a_gleam_program_puts_the_original_names_on_the_wire() {
    let Some(compilers) = compilers() else { return };
    let (source, target) = (folder("wire-gleam"), folder("wire-gleam-compiled"));
    wire(&source, Language::Gleam);
    gleam(&compilers, &source, &target);
    let package = target.join("gleam-wasm");
    fs::copy(source.join("selvedge_invoke.mjs"), package.join("selvedge_invoke.mjs")).unwrap();
    let program = "import { main } from './main.mjs'; main();";
    let output = run(Command::new("node").args(["--input-type=module", "-e", program]).current_dir(&package));
    assert_eq!(output, expected());
}
