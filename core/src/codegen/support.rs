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

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::codegen::comment::{READ_AT_START, check};

    /// Returns what the comments of a file say, line by line.
    fn comments(text: &str, language: Language) -> Vec<String> {
        let signs: &[&str] = match language {
            Language::Python => &["#", "\"\"\""],
            Language::TypeScript => &["//", "/**", "* "],
            Language::Rust | Language::Gleam => &["////", "//!", "///", "//"],
        };
        let said = |line: &str| {
            let line = line.trim_start();
            signs
                .iter()
                .find_map(|sign| line.strip_prefix(sign))
                .map(|text| text.trim_end_matches("*/").into())
        };
        text.lines().filter_map(said).collect()
    }

    #[test]
    fn no_tool_reads_anything_from_the_comments_of_our_own_files() {
        for language in Language::ALL {
            let mut count = 0;
            for file in files(language, Profile::Typed) {
                for line in comments(file.text, language) {
                    let said = line.trim_start();
                    let read = READ_AT_START.iter().find(|start| said.starts_with(*start));
                    assert_eq!(read, None, "{}: {line}", file.path);
                    assert!(
                        said.is_empty() || line.starts_with(' ') || language == Language::Python,
                        "{line}"
                    );
                    let code_spans_apart = said.replace('`', "");
                    assert_eq!(check(language, &code_spans_apart, 0), Ok(()), "{}: {line}", file.path);
                    count += 1;
                }
            }
            assert!(count >= 10, "{language:?}: {count}");
        }
    }
}
