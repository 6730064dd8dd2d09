//! A lexer for exactly what we write: anything that no emitter of ours produces is a breach.

use super::Breach;
use crate::{codegen::text::byte_table, name::Language};

/// One token of generated source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    /// The inside of a string literal, still escaped.
    Literal(&'a str),
    Number,
    Punct(u8),
    Comment,
}

/// What a word goes on with.
const IN_WORD: [bool; 256] = byte_table(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");

const fn punctuation(language: Language) -> &'static [u8] {
    match language {
        Language::Gleam => b"(){}[],:=#.->|<",
        Language::TypeScript => b"(){}[],:=.->|<?;#",
        Language::Python => b"(){}[],:=.->|*@",
        Language::Rust => b"(){}[],:=.->|<?;&!#'*",
    }
}

/// Reads tokens and where they begin.
pub(crate) struct Lexer<'a> {
    source: &'a str,
    language: Language,
    allowed: [bool; 256],
    at: usize,
    /// The token that was read last is the first of its line.
    pub(crate) starts_line: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a str, language: Language) -> Self {
        Self { source, language, allowed: byte_table(punctuation(language)), at: 0, starts_line: true }
    }

    /// Returns the next token with its offset, `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, Breach> {
        self.starts_line = self.at == 0;
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        let spaces = rest.iter().position(|byte| !matches!(byte, b' ' | b'\n')).unwrap_or(rest.len());
        self.starts_line |= rest.get(..spaces).is_some_and(|spaces| spaces.contains(&b'\n'));
        self.at += spaces;
        let start = self.at;
        let Some(first) = self.peek(0) else { return Ok(None) };
        let token = match first {
            b'"' if self.language == Language::Python && self.rest().starts_with("\"\"\"") => {
                self.docstring()?
            }
            b'"' => self.literal()?,
            b'#' if self.language == Language::Python => self.line_comment(),
            // The path of a Gleam import.
            b'/' if self.language == Language::Gleam
                && self.peek(1).is_some_and(|byte| byte.is_ascii_lowercase()) =>
            {
                self.at += 1;
                Token::Punct(b'/')
            }
            b'/' => self.comment()?,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.skip(|byte| IN_WORD.get(usize::from(byte)) == Some(&true));
                Token::Word(self.from(start))
            }
            b'0'..=b'9' => {
                self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
                Token::Number
            }
            byte if self.allowed.get(usize::from(byte)) == Some(&true) => {
                self.at += 1;
                Token::Punct(byte)
            }
            _ => return Err(Breach { at: start, what: "a character that is never written" }),
        };
        Ok(Some((start, token)))
    }

    /// Returns where the token that was read last ends.
    pub(crate) const fn position(&self) -> usize {
        self.at
    }

    fn comment(&mut self) -> Result<Token<'a>, Breach> {
        let rest = self.rest();
        let opens_line = match self.language {
            Language::Gleam => rest.starts_with("///"),
            Language::Rust | Language::TypeScript => rest.starts_with("//"),
            Language::Python => false,
        };
        if opens_line {
            return Ok(self.line_comment());
        }
        if self.language == Language::TypeScript
            && rest.starts_with("/**")
            && let Some(end) = rest.find("*/")
            && end > 2
        {
            self.at += end + 2;
            return Ok(Token::Comment);
        }
        Err(Breach { at: self.at, what: "a slash outside a comment" })
    }

    fn line_comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        self.at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        Token::Comment
    }

    fn literal(&mut self) -> Result<Token<'a>, Breach> {
        let start = self.at;
        self.at += 1;
        loop {
            self.skip(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'));
            match self.peek(0) {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                _ => return Err(Breach { at: start, what: "a literal that does not end on its line" }),
            }
        }
        let inside = self.source.get(start + 1..self.at).unwrap_or_default();
        self.at += 1;
        Ok(Token::Literal(inside))
    }

    fn docstring(&mut self) -> Result<Token<'a>, Breach> {
        let start = self.at;
        self.at += 3;
        loop {
            let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
            let Some(found) = memchr::memchr2(b'\\', b'"', rest) else {
                return Err(Breach { at: start, what: "a comment that does not end" });
            };
            self.at += found;
            match rest.get(found..) {
                Some([b'\\', ..]) => self.at += 2,
                Some([b'"', b'"', b'"', ..]) => break,
                _ => self.at += 1,
            }
        }
        self.at += 3;
        Ok(Token::Comment)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn from(&self, start: usize) -> &'a str {
        self.source.get(start..self.at).unwrap_or_default()
    }

    fn skip(&mut self, more: impl Fn(u8) -> bool) {
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| !more(*byte)).unwrap_or(rest.len());
    }
}
