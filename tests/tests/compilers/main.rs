//! Gives what is generated to real compilers, and runs programs that call it.
//!
//! `scripts/compilers` installs them and prints their folder, which `SELVEDGE_COMPILERS` may name. `rustc` is the
//! one that builds the tests.

#![cfg(test)]

mod live;
mod programs;

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
use selvedge_tests::generator::{Dice, any_listing, noise};

/// Returns where the compilers are; installs them if nobody has.
fn compilers() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("SELVEDGE_COMPILERS") {
        return Some(path.into());
    }
    let said = run(Command::new("bash").arg(here().join("../scripts/compilers")));
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

/// The listings to compile: the fixtures, the golden, some at random, and real ones where a development
/// machine has them.
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
    let mut seed = 0x0DD_BA11_5E1E_D6E5;
    found.extend((0..40).map(|at| {
        let listing = any_listing(&mut Dice::new(&noise(&mut seed, 512)));
        (format!("r_{at}"), listing.to_string())
    }));
    found
}

/// Generates listings into a folder and returns the names of the modules.
fn generate_all(
    folder: &Path,
    listings: &[(String, String)],
    language: Language,
    profile: Profile,
) -> Vec<String> {
    let mut names = Vec::new();
    for (name, text) in listings {
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
        let Ok(generated) = generate(&Listing::parse(text).unwrap(), &options) else { continue };
        place(folder, &generated);
        names.push(generated.path.rsplit('/').next().unwrap().split('.').next().unwrap().to_owned());
    }
    names
}

fn place(folder: &Path, generated: &Generated) {
    write(folder, &generated.path, &generated.source);
    for file in &generated.support {
        write(folder, file.path, file.text);
    }
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
    assert!(compile_typescript(&compilers, "typescript", &listings()) > 80);
}

/// Compiles what is generated from listings, and returns how many modules there are.
fn compile_typescript(compilers: &Path, name: &str, listings: &[(String, String)]) -> usize {
    let folder = folder(name);
    write(&folder, "package.json", "{\"type\":\"module\"}");
    let names = generate_all(&folder, listings, Language::TypeScript, Profile::Typed);
    run(tsc(compilers, &folder).arg("--noEmit").args(names.iter().map(|name| format!("{name}.ts"))));
    names.len()
}

fn pyright(compilers: &Path, folder: &Path) {
    write(folder, "pyrightconfig.json", "{\"typeCheckingMode\":\"strict\",\"pythonVersion\":\"3.10\"}");
    let script = compilers.join("node_modules/pyright/index.js");
    run(Command::new("node").arg(script).args(["-p", "."]).current_dir(folder));
}

#[test]
fn every_python_module_compiles_and_satisfies_pyright_strict() {
    let Some(compilers) = compilers() else { return };
    assert!(compile_python(&compilers, "python", &listings()) > 80);
}

fn compile_python(compilers: &Path, name: &str, listings: &[(String, String)]) -> usize {
    let folder = folder(name);
    let names = generate_all(&folder, listings, Language::Python, Profile::Typed);
    let imports = names.iter().map(|name| format!("import {name}")).collect::<Vec<_>>().join("\n");
    run(Command::new("python3").args(["-W", "error", "-c", &imports]).current_dir(&folder));
    pyright(compilers, &folder);
    names.len()
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
    assert!(compile_rust("rust", &listings()) > 80);
}

fn compile_rust(name: &str, listings: &[(String, String)]) -> usize {
    let folder = folder(name);
    let names = generate_all(&folder, listings, Language::Rust, Profile::Typed);
    let modules = names.iter().map(|name| format!("pub mod {name};")).collect::<Vec<_>>().join("\n");
    write(&folder, "lib.rs", &format!("pub mod selvedge;\n{modules}\n"));
    run(rustc(&folder).args(["--crate-type", "lib", "--emit", "metadata", "lib.rs"]));
    run(Command::new("rustdoc").args(["--test", "--edition", "2021", "lib.rs"]).current_dir(&folder));
    names.len()
}

fn gleam(compilers: &Path, source: &Path, target: &Path) {
    let script = here().join("compilers/gleam.mjs");
    run(Command::new("node").arg(script).arg(compilers).arg(source).arg(target));
}

#[test]
fn every_gleam_module_of_both_profiles_compiles() {
    let Some(compilers) = compilers() else { return };
    let listings = listings();
    assert!(compile_gleam(&compilers, "gleam-loom", &listings, Profile::Loom) > 60);
    assert!(compile_gleam(&compilers, "gleam-typed", &listings, Profile::Typed) > 80);
}

fn compile_gleam(compilers: &Path, name: &str, listings: &[(String, String)], profile: Profile) -> usize {
    let (source, target) = (folder(name), folder(&format!("{name}-compiled")));
    let names = generate_all(&source, listings, Language::Gleam, profile);
    gleam(compilers, &source, &target);
    names.len()
}
