//! The comment cage: server text enters a module only on lines that begin with our own mark.

use alloc::string::String;

use super::{
    module::make_room,
    text::{WIDTH, wrap},
};
use crate::name::Language;

/// Where a comment stands and how its lines begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cage {
    language: Language,
    indent: &'static str,
    mark: &'static str,
}

impl Cage {
    pub(crate) const fn new(language: Language, indent: &'static str) -> Self {
        let mark = match language {
            Language::Gleam | Language::Rust => "/// ",
            Language::TypeScript => " * ",
            Language::Python => "",
        };
        Self { language, indent, mark }
    }

    /// Appends a paragraph of our own words around cleaned server text; later lines are set in by two.
    pub(crate) fn push(self, out: &mut String, text: &str) {
        let mut lead = "";
        wrap(text, WIDTH, |line| {
            self.push_line(out, lead, line);
            lead = "  ";
        });
    }

    /// Appends a paragraph whose every line is the server's and says so with a bar.
    pub(crate) fn push_quoted(self, out: &mut String, text: &str) {
        wrap(text, WIDTH, |line| self.push_line(out, "| ", line));
    }

    /// Appends a paragraph without any lead.
    pub(crate) fn push_plain(self, out: &mut String, text: &str) {
        wrap(text, WIDTH, |line| self.push_line(out, "", line));
    }

    /// Appends an empty line of the comment.
    pub(crate) fn push_blank(self, out: &mut String) {
        if !self.mark.is_empty() {
            out.push_str(self.indent);
            out.push_str(self.mark.trim_end());
        }
        out.push('\n');
    }

    fn push_line(self, out: &mut String, lead: &str, line: &str) {
        make_room(out, self.indent.len() + self.mark.len() + lead.len() + line.len() + 1);
        out.push_str(self.indent);
        out.push_str(self.mark);
        out.push_str(lead);
        push_caged(out, self.language, line);
        out.push('\n');
    }
}

/// Appends cleaned text so that it cannot end the comment that it stands in.
pub(crate) fn push_caged(out: &mut String, language: Language, line: &str) {
    let is_harmless = match language {
        Language::Gleam | Language::Rust => true,
        Language::TypeScript => memchr::memchr(b'*', line.as_bytes()).is_none() || !line.contains("*/"),
        Language::Python => memchr::memchr2(b'\\', b'"', line.as_bytes()).is_none(),
    };
    if is_harmless {
        out.push_str(line);
        return;
    }
    let mut previous = ' ';
    for code in line.chars() {
        match (language, code) {
            // A block comment ends at `*/` and nowhere else.
            (Language::TypeScript, '/') if previous == '*' => out.push_str(" /"),
            // Two quotes in a row may become three.
            (Language::Python, '\\') => out.push_str("\\\\"),
            (Language::Python, '"') if previous == '"' => out.push_str("\\\""),
            _ => out.push(code),
        }
        previous = code;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_end_its_comment() {
        let text = "ok */ } x(); /* **/ \"\"\" \\";
        let caged = |language| {
            let mut out = String::new();
            Cage::new(language, "  ").push_quoted(&mut out, text);
            out
        };
        assert_eq!(caged(Language::TypeScript), "   * | ok * / } x(); /* ** / \"\"\" \\\n");
        assert_eq!(caged(Language::Python), "  | ok */ } x(); /* **/ \"\\\"\\\" \\\\\n");
        assert_eq!(caged(Language::Rust), "  /// | ok */ } x(); /* **/ \"\"\" \\\n");
    }
}
