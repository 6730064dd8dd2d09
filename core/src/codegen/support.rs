//! The files that a generated module needs beside it: written by us, the same for every server.

use alloc::{vec, vec::Vec};

use super::{File, Profile};
use crate::name::Language;

macro_rules! file {
    ($path:literal, $from:literal) => {
        File { path: $path, text: include_str!(concat!("support/", $from)) }
    };
}

/// Returns the support files of a language.
pub(super) fn files(language: Language, profile: Profile) -> Vec<File> {
    match (language, profile) {
        (Language::Gleam, _) | (_, Profile::Loom) => vec![
            file!("cap/report.gleam", "report.gleam"),
            file!("cap/mcp.gleam", "mcp.gleam"),
            file!("cap/internal/mcp.gleam", "internal_mcp.gleam"),
            file!("gleam/list.gleam", "list.gleam"),
            file!("gleam/option.gleam", "option.gleam"),
        ],
        (Language::TypeScript, Profile::Typed) => vec![file!("selvedge.ts", "selvedge.ts")],
        (Language::Python, Profile::Typed) => vec![file!("selvedge.py", "selvedge.py")],
        (Language::Rust, Profile::Typed) => vec![file!("selvedge.rs", "selvedge.rs")],
    }
}
