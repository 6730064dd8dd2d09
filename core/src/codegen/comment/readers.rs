//! What tools read from comments, as tables: everything that writes and checks comments works from them.
//!
//! `|` shows where a space breaks the text of a directive. Letters match in either case, and a directive that begins
//! with a letter begins a word.

use crate::name::Language;

/// A directive that some tool obeys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    /// What a breach says of it.
    pub(crate) what: &'static str,
    /// The only language whose tool it is.
    language: Option<Language>,
    /// What is read, with the place where it breaks.
    text: &'static str,
}

macro_rules! reads {
    ($name:ident = $($language:ident { $($tool:literal: $($text:literal),+;)+ })+) => {
        const $name: &[Read] = &[
            $($($(Read {
                what: concat!("a directive for ", $tool),
                language: language!($language),
                text: $text,
            },)+)+)+
        ];
    };
}

macro_rules! language {
    (All) => {
        None
    };
    ($language:ident) => {
        Some(Language::$language)
    };
}

reads!(WORDS =
    All {
        "Emacs": "-|*-";
        "SonarQube": "no|sonar";
        "Semgrep": "no|sem";
        "Bandit and gosec": "no|sec";
        "golangci-lint and clang-tidy": "no|lint";
        "CodeQL": "lgtm|[";
        "DeepSource": "skip|cq";
        "LCOV": "lcov|_excl";
        "gcovr": "gcovr|_excl";
        "formatters that skip generated files": "@|generated", "@|partially-generated", "@|codegen";
        "debuggers that follow source maps": "//|#", "//|@", "source|mappingurl", "source|url";
        "compiletest": "//|~";
        "bundlers that keep legal comments": "//|!", "/|*!";
    }
    Python {
        "flake8 and Ruff": "no|qa", "no|pep8";
        "documentation tools that make links": "data|:text/";
    }
    TypeScript {
        "the compiler": "*|/", "@|internal", "@|ts-", "@|jsx";
        "c8 and other coverage tools": "/|* ", "/|*/", "/|*@", "/|*#";
        "bundlers": "@|__", "#|__";
        "bundlers that keep legal comments": "@|lic", "@|preserve", "@|cc_on", "@|copyright";
    }
);

// Each of these ends with a colon, which is rarer than any letter, so they are looked for from there.
reads!(COLONS =
    All {
        "Vim": " vim|:", " vi|:", " ex|:";
        "Kate": "kate|:";
        "Emacs": "local variables|:";
        "gitleaks": "gitleaks|:";
        "TruffleHog": "trufflehog|:";
        "detect-secrets and coverage": "pragma|:";
        "a spell checker": "cspell|:", "codespell|:", "spell-checker|:", "spellchecker|:";
        "Checkov": "checkov|:";
        "tfsec": "tfsec|:";
        "documentation tools that make links": "javascript|:", "vbscript|:";
    }
    Python {
        "pylint": "pylint|:";
        "pyright": "pyright|:";
        "mypy": "mypy|:";
        "pytype": "pytype|:";
        "Ruff": "ruff|:";
        "flake8": "flake8|:";
        "isort": "isort|:";
        "YAPF": "yapf|:";
        "Black and Ruff": "fmt|:", "black|:";
        "autopep8": "autopep8|:";
        "autoflake": "autoflake|:";
        "Cython": "cython|:", "distutils|:";
        "doctest": "doctest|:";
    }
    TypeScript {
        "webpack": "webpackignore|:", "webpackchunkname|:";
        "tslint": "tslint|:";
    }
);

/// What tools read where a comment or a line of it begins, which is where the mark stands: for our own lines.
#[cfg(test)]
pub(crate) const READ_AT_START: &[&str] = &[
    // Interpreters, compilers and type checkers.
    "!",
    "-*-",
    "type:",
    "mypy:",
    "pyright:",
    "pyre-",
    "/ script",
    "@ts-",
    "/ <reference",
    "/ <amd-",
    "@jsx",
    "@flow",
    "@noflow",
    "#",
    "@",
    "~",
    // Test runners: a doc test and its hidden lines, a fence, a block that is set in.
    ">>>",
    "...",
    "```",
    "~~~",
    "    ",
    "\t",
    // Linters, formatters, coverage.
    "eslint",
    "global",
    "exported",
    "jshint",
    "jslint",
    "tslint",
    "prettier-ignore",
    "biome-ignore",
    "deno-",
    "istanbul",
    "c8 ",
    "v8 ",
    "node:coverage",
    "fmt:",
    "yapf:",
    "ruff:",
    "isort:",
    "pylint:",
    "noqa",
    // Editors.
    "%%",
    "region",
    "noinspection",
    "language=",
    // Documentation.
    ".. ",
    "<",
];

/// Which bytes a directive of [`WORDS`] begins with, and the colon.
pub(super) const FIRSTS: [bool; 256] = firsts();

#[expect(clippy::indexing_slicing, reason = "every byte has its place, and no text is empty")]
const fn firsts() -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < WORDS.len() {
        let first = WORDS[at].text.as_bytes()[0];
        table[first as usize] = true;
        table[first.to_ascii_uppercase() as usize] = true;
        at += 1;
    }
    table[b':' as usize] = true;
    table
}

/// Returns the directive that stands at a place of a line, and how far after the place it is broken.
pub(crate) fn reader_at(language: Language, line: &str, at: usize) -> Option<(Read, usize)> {
    let first = *line.as_bytes().get(at)?;
    if FIRSTS.get(usize::from(first)) != Some(&true) {
        return None;
    }
    let before = line.as_bytes().get(..at)?;
    if first == b':' {
        return colon(language, before).map(|read| (read, 0));
    }
    let rest = line.as_bytes().get(at..)?;
    if first.is_ascii_alphanumeric() && before.last().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    WORDS.iter().filter(|read| read.is_for(language)).find_map(|read| {
        let (head, tail) = read.text.split_once('|')?;
        (starts(rest, head) && starts(rest.get(head.len()..)?, tail)).then_some((*read, head.len()))
    })
}

/// Returns the directive that ends with the colon after some text.
fn colon(language: Language, before: &[u8]) -> Option<Read> {
    // Vim takes a version between its name and the colon.
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let named = before.get(..before.len() - digits).unwrap_or_default();
    let named = if digits > 0 {
        named.strip_suffix(b"<").or(named.strip_suffix(b"=")).or(named.strip_suffix(b">")).unwrap_or(named)
    } else {
        named
    };
    COLONS.iter().filter(|read| read.is_for(language)).find_map(|read| {
        let (name, _) = read.text.split_once('|')?;
        let name = name.as_bytes();
        match name.strip_prefix(b" ") {
            Some(name) => {
                let before = if name == b"vim" { named } else { before };
                let lead = ends(before, name)?;
                // It wants a space there, which may yet be put behind any sign.
                (!lead.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'('))
                    .then_some(*read)
            }
            None => (!ends(before, name)?.last().is_some_and(u8::is_ascii_alphanumeric)).then_some(*read),
        }
    })
}

fn starts(text: &[u8], with: &str) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
}

/// Returns what stands before an end in either case.
fn ends<'a>(text: &'a [u8], with: &[u8]) -> Option<&'a [u8]> {
    let (lead, end) = text.split_at_checked(text.len().checked_sub(with.len())?)?;
    end.eq_ignore_ascii_case(with).then_some(lead)
}

impl Read {
    fn is_for(self, language: Language) -> bool {
        self.language.is_none_or(|own| own == language)
    }
}
