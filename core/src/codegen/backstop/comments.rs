//! Proves of every line of every comment what it is: one of ours, or a marked one of the server.

use alloc::{borrow::Cow, string::String};

use super::Breach;
use crate::{
    codegen::{
        Profile,
        comment::{ABOUT, COOKIE, MARK, ORIGIN, check, check_unmarked},
    },
    name::Language,
};

/// What our own lines of documentation say.
const OURS: [&str; 3] =
    ["The tools of one MCP server.", "Calls through this.", "A type that several others share."];

/// What stands around the lines of a comment.
const QUOTES: &str = "\"\"\"";

/// The comments of one module, in their order.
pub(super) struct Comments<'a> {
    source: &'a str,
    language: Language,
    profile: Profile,
    is_code_seen: bool,
}

impl<'a> Comments<'a> {
    /// Begins with the first two lines, which hold nothing from the outside.
    pub(super) fn new(source: &'a str, language: Language, profile: Profile) -> Result<Self, Breach> {
        let comments = Self { source, language, profile, is_code_seen: false };
        if profile == Profile::Loom {
            return Ok(comments);
        }
        let mut lines = source.lines();
        if language == Language::Python && lines.next() != Some(COOKIE) {
            return Err(Breach { at: 0, what: "a first line that is not the encoding" });
        }
        let origin = lines.next().and_then(|line| line.strip_prefix(comments.header_sign()));
        let about = lines.next().and_then(|line| line.strip_prefix(comments.header_sign()));
        if origin.is_some_and(is_origin) && about == Some(ABOUT[0]) {
            return Ok(comments);
        }
        Err(Breach { at: 0, what: "first lines that are not ours" })
    }

    /// Takes note of a token that is no comment.
    pub(super) const fn pass_code(&mut self) {
        self.is_code_seen = true;
    }

    /// Checks one comment.
    pub(super) fn pass(&self, at: usize, end: usize, starts_line: bool) -> Result<(), Breach> {
        let ends_line = matches!(self.source.as_bytes().get(end), None | Some(b'\n'));
        if !(starts_line && ends_line) {
            return Err(Breach { at, what: "a comment on a line of code" });
        }
        let text = self.source.get(at..end).unwrap_or_default();
        match self.language {
            Language::Gleam if self.profile == Profile::Loom => self.loom(at, text),
            Language::TypeScript if text.starts_with("/*") => self.block(at, text),
            Language::Python if text.starts_with(QUOTES) => self.docstring(at, text),
            _ => self.line(at, text),
        }
    }

    const fn header_sign(&self) -> &'static str {
        match self.language {
            Language::Gleam => "//// ",
            Language::TypeScript | Language::Rust => "// ",
            Language::Python => "# ",
        }
    }

    /// Checks a comment of one line.
    fn line(&self, at: usize, text: &str) -> Result<(), Breach> {
        if self.language == Language::Python && at == 0 && text == COOKIE {
            return Ok(());
        }
        if let Some(rest) = text.strip_prefix(self.header_sign()) {
            return match rest.strip_prefix(MARK) {
                _ if self.is_code_seen => Err(Breach { at, what: "a first line behind code" }),
                Some(theirs) => check(self.language, theirs, at + text.len() - theirs.len()),
                None if is_origin(rest) || ABOUT.contains(&rest) => Ok(()),
                None => Err(Breach { at, what: "a comment without its mark" }),
            };
        }
        let has_docs = matches!(self.language, Language::Gleam | Language::Rust);
        if has_docs && text == "///" {
            return Ok(());
        }
        match text.strip_prefix("/// ").filter(|_| has_docs) {
            Some(rest) => self.documentation(at + 4, rest),
            None => Err(Breach { at, what: "a comment that is never written" }),
        }
    }

    fn documentation(&self, at: usize, rest: &str) -> Result<(), Breach> {
        match rest.strip_prefix(MARK) {
            Some(theirs) => check(self.language, theirs, at + MARK.len()),
            None if OURS.contains(&rest) => Ok(()),
            None => Err(Breach { at, what: "a comment without its mark" }),
        }
    }

    /// Checks a block of documentation in TypeScript.
    fn block(&self, at: usize, text: &str) -> Result<(), Breach> {
        let inside = text.strip_prefix("/**\n").and_then(|text| text.strip_suffix("*/"));
        let inside = inside.ok_or(Breach { at, what: "a comment that is never written" })?;
        for (from, line) in lines(inside, at + 4) {
            match line.trim_start_matches(' ').strip_prefix('*') {
                Some("") => {}
                Some(rest) if rest.starts_with(' ') => {
                    self.documentation(from, rest.get(1..).unwrap_or_default())?;
                }
                None if line.trim_start_matches(' ').is_empty()
                    && from + line.len() + 2 == at + text.len() => {}
                _ => return Err(Breach { at: from, what: "a comment without its mark" }),
            }
        }
        Ok(())
    }

    /// Checks a docstring of Python: what it says is read without the escapes that keep it closed.
    fn docstring(&self, at: usize, text: &str) -> Result<(), Breach> {
        let inside = text.strip_prefix(QUOTES).and_then(|text| text.strip_suffix(QUOTES));
        let inside = inside.ok_or(Breach { at, what: "a comment that is never written" })?;
        if OURS.contains(&inside) {
            return Ok(());
        }
        let inside = inside.strip_prefix('\n').ok_or(Breach { at, what: "a comment without its mark" })?;
        for (from, line) in lines(inside, at + 4) {
            let line = line.trim_start_matches(' ');
            if line.is_empty() {
                continue;
            }
            self.documentation(from, &unescaped(line))?;
        }
        Ok(())
    }

    /// Checks a comment of profile `loom`, which has no mark.
    fn loom(&self, at: usize, text: &str) -> Result<(), Breach> {
        if text == "///" {
            return Ok(());
        }
        let header = text.strip_prefix("//// ").filter(|_| !self.is_code_seen);
        match header.or(text.strip_prefix("/// ")) {
            Some(line) => check_unmarked(line, at + text.len() - line.len()),
            None => Err(Breach { at, what: "a comment that is never written" }),
        }
    }
}

/// Returns whether a line names the generator and a digest.
fn is_origin(line: &str) -> bool {
    let digest = line.strip_prefix(ORIGIN[0]).and_then(|line| line.strip_suffix(ORIGIN[1]));
    digest.is_some_and(|digest| digest.len() <= 16 && digest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns the lines of a text that stands somewhere, with where they begin.
fn lines(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut from = start;
    text.split('\n').map(move |line| {
        let at = from;
        from += line.len() + 1;
        (at, line)
    })
}

fn unescaped(line: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut is_escaped = false;
    for code in line.chars() {
        is_escaped = code == '\\' && !is_escaped;
        if !is_escaped {
            out.push(code);
        }
    }
    Cow::Owned(out)
}
