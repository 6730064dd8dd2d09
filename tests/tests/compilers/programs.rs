//! Programs that call what is generated, with recorded answers: what they put on the wire, and what they see.

use std::{fs, path::Path, process::Command};

use selvedge_core::{
    codegen::{Listing, Options, generate},
    name::Language,
};

use super::{compilers, folder, gleam, here, place, pyright, run, rustc, tsc, write};

/// Puts a program into a folder, with the module that it calls.
fn program(name: &str, folder: &Path, language: Language) {
    let home = here().join("compilers").join(name);
    let text = fs::read_to_string(home.join("listing.json")).unwrap();
    let options = Options { server: name.into(), language, ..Options::default() };
    place(folder, &generate(&Listing::parse(&text).unwrap(), &options).unwrap());
    for entry in fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        write(folder, &name, &fs::read_to_string(&path).unwrap());
    }
}

/// What the program says, in every language.
fn expected(name: &str) -> String {
    fs::read_to_string(here().join("compilers").join(name).join("expected.txt")).unwrap()
}

#[test]
fn a_typescript_program_puts_the_original_names_on_the_wire() {
    let Some(compilers) = compilers() else { return };
    run_typescript(&compilers, "wire");
}

/// G42, G44, G61, G62, G64 and G65, as a program meets them.
#[test]
fn a_typescript_program_sees_every_kind_of_result_and_failure() {
    let Some(compilers) = compilers() else { return };
    run_typescript(&compilers, "results");
}

fn run_typescript(compilers: &Path, name: &str) {
    let folder = folder(&format!("{name}-typescript"));
    write(&folder, "package.json", "{\"type\":\"module\"}");
    program(name, &folder, Language::TypeScript);
    run(tsc(compilers, &folder).arg("main.ts"));
    assert_eq!(run(Command::new("node").arg("main.js").current_dir(&folder)), expected(name));
}

#[test]
fn a_python_program_puts_the_original_names_on_the_wire() {
    let Some(compilers) = compilers() else { return };
    run_python(&compilers, "wire");
}

/// G42, G44, G61, G62, G64 and G65, as a program meets them.
#[test]
fn a_python_program_sees_every_kind_of_result_and_failure() {
    let Some(compilers) = compilers() else { return };
    run_python(&compilers, "results");
}

#[test]
fn a_python_program_sends_a_large_number_as_it_is_and_reads_every_text() {
    let Some(compilers) = compilers() else { return };
    run_python(&compilers, "edges");
}

fn run_python(compilers: &Path, name: &str) {
    let folder = folder(&format!("{name}-python"));
    program(name, &folder, Language::Python);
    pyright(compilers, &folder);
    let mut command = Command::new("python3");
    command.arg("main.py").env("PYTHONIOENCODING", "utf-8").current_dir(&folder);
    assert_eq!(run(&mut command), expected(name));
}

#[test]
fn a_rust_program_puts_the_original_names_on_the_wire() {
    if compilers().is_some() {
        run_rust("wire");
    }
}

/// G42, G44, G61, G62, G64 and G65, as a program meets them.
#[test]
fn a_rust_program_sees_every_kind_of_result_and_failure() {
    if compilers().is_some() {
        run_rust("results");
    }
}

fn run_rust(name: &str) {
    let folder = folder(&format!("{name}-rust"));
    program(name, &folder, Language::Rust);
    run(rustc(&folder).arg("main.rs"));
    assert_eq!(run(&mut Command::new(folder.join("main"))), expected(name));
}

#[test]
fn a_gleam_program_puts_the_original_names_on_the_wire() {
    let Some(compilers) = compilers() else { return };
    run_gleam(&compilers, "wire");
}

/// G42, G44, G61, G62, G64 and G65, as a program meets them.
#[test]
fn a_gleam_program_sees_every_kind_of_result_and_failure() {
    let Some(compilers) = compilers() else { return };
    run_gleam(&compilers, "results");
}

fn run_gleam(compilers: &Path, name: &str) {
    let (source, target) = (folder(&format!("{name}-gleam")), folder(&format!("{name}-gleam-compiled")));
    program(name, &source, Language::Gleam);
    gleam(compilers, &source, &target);
    let package = target.join("gleam-wasm");
    fs::copy(here().join("compilers/selvedge_invoke.mjs"), package.join("selvedge_invoke.mjs")).unwrap();
    fs::copy(source.join("recorded.mjs"), package.join("recorded.mjs")).unwrap();
    let program = "import { main } from './main.mjs'; main();";
    let output = run(Command::new("node").args(["--input-type=module", "-e", program]).current_dir(&package));
    assert_eq!(output, expected(name));
}

#[test]
fn a_gleam_program_sends_a_large_number_as_it_is_and_reads_every_text() {
    let Some(compilers) = compilers() else { return };
    let (source, target) = (folder("edges-gleam"), folder("edges-gleam-compiled"));
    program("edges", &source, Language::Gleam);
    gleam(&compilers, &source, &target);
    let package = target.join("gleam-wasm");
    fs::copy(source.join("selvedge_invoke.mjs"), package.join("selvedge_invoke.mjs")).unwrap();
    let program = "import { main } from './main.mjs'; main();";
    let output = run(Command::new("node").args(["--input-type=module", "-e", program]).current_dir(&package));
    assert_eq!(output, expected("edges"));
}
