//! What the generator makes of listings: fixtures for every backend, goldens, and listings at random.

#![cfg(test)]

mod comments;
mod effort;
mod fixtures;
mod gleam_syntax;
mod losses;
mod names;
mod numbers;
mod sizes;
mod surfaces;

use std::{fs, path::PathBuf};

use selvedge_core::{
    codegen::{GenerateError, Generated, Level, Listing, Options, Profile, generate},
    json::{Tape, Value},
    name::Language,
};
use selvedge_tests::generator::{Dice, any_listing, options};

fn fixtures() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/generator");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let case = path.file_stem().unwrap().to_string_lossy().into_owned();
            (case, Value::parse(&fs::read_to_string(path).unwrap()).unwrap())
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The listing of a fixture as it is spelled: duplicates and half characters are part of some.
fn listing_text(case: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/generator");
    let text = fs::read_to_string(folder.join(format!("{case}.json"))).unwrap();
    Tape::parse(&text).unwrap().root().get("listing").unwrap().as_str().to_owned()
}

fn run(text: &str, options: &Options) -> Result<Generated, GenerateError> {
    generate(&Listing::parse(text).unwrap(), options)
}

/// Returns a listing that bytes choose.
fn any_text(choices: &[u8]) -> String {
    any_listing(&mut Dice::new(choices)).to_string()
}

fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().unwrap().to_owned()).collect(),
        _ => Vec::new(),
    }
}

/// The listing of the goldens.
fn golden_listing() -> String {
    fs::read_to_string(golden_folder().join("listing.json")).unwrap()
}

fn golden_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens/generator")
}

/// The lines of a surface that say how something is called.
fn signatures(generated: &Generated, text: &str, language: Language, profile: Profile) -> Vec<String> {
    let mut options = options("notes", language, profile);
    options.level = Some(Level::TwoLine);
    options.max_surface_bytes = 1 << 20;
    let surface = match profile {
        Profile::Loom => generated.surface.text.clone(),
        Profile::Typed => run(text, &options).unwrap().surface.text,
    };
    // A declaration begins with a capital letter in Gleam and with a word and a space in Rust.
    let is_call = |line: &str| {
        let name = line.split_once('(').map_or("", |(name, _)| name);
        name.starts_with(|first: char| first.is_ascii_lowercase()) && !name.contains(' ')
    };
    let is_shown = |line: &str| match (language, profile) {
        (Language::Gleam, Profile::Loom) => line.contains(") -> Result(mcp.ToolResult, mcp.McpError)"),
        (Language::TypeScript, _) => line.contains("): Call"),
        (Language::Python, _) => line.contains(") -> ToolResult["),
        (Language::Gleam | Language::Rust, _) => is_call(line),
    };
    let is_signature = |line: &&str| {
        is_shown(line) && !line.starts_with("///") && !line.starts_with("//") && !line.starts_with('#')
    };
    surface.lines().skip(2).filter(is_signature).map(str::to_owned).collect()
}
