//! Proves, after every generation, that nothing of the server became code.
//!
//! Four checks, each by what is allowed: no control byte; every token is a word of ours, an identifier that
//! the emitter made, or a literal that it wrote, in an order that it writes; the identifiers and literals that
//! are not ours are those that the emitter wrote, each in its turn, and the literals read back as they were; and
//! every line of a comment is one of ours, or a marked one on which no tool finds anything to act on.

mod comments;
mod lexer;
mod surface;
mod words;

pub(super) use self::surface::{check_surface, literal};
use self::{
    comments::Comments,
    lexer::{Lexer, Token},
    words::Ours,
};
use super::{Profile, escape::read_literal, module::Census};
use crate::name::Language;

/// Something in a module that no emitter writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct Breach {
    /// The offset in the module.
    pub at: usize,
    /// What stands there.
    pub what: &'static str,
}

/// What a token is for the order that tokens may come in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Ours,
    Theirs,
    Literal,
    Number,
    Punct,
}

/// Checks a whole module.
pub(crate) fn check(
    source: &str,
    language: Language,
    profile: Profile,
    census: &Census,
) -> Result<(), Breach> {
    no_control_bytes(source)?;
    let mut comments = Comments::new(source, language, profile)?;
    let mut lexer = Lexer::new(source, language);
    let mut before = Class::Punct;
    let ours = Ours::new(language);
    let mut words = census.words.iter().filter(|word| !ours.contains(word));
    let mut literals = census.literals.iter();
    let mut starts_item = Item::default();
    while let Some((at, token)) = lexer.next()? {
        let class = match token {
            Token::Comment => {
                comments.pass(at, lexer.position(), lexer.starts_line)?;
                continue;
            }
            Token::Word(word) if ours.contains(word) => Class::Ours,
            Token::Word(word) if words.next() == Some(word) => Class::Theirs,
            Token::Word(_) => return Err(Breach { at, what: "a word that nobody wrote" }),
            Token::Number => Class::Number,
            Token::Punct(_) => Class::Punct,
            Token::Literal(inside) => {
                expect(inside, at, language, literals.next())?;
                Class::Literal
            }
        };
        let ends_lines = matches!(language, Language::Python | Language::Gleam);
        if !(may_follow(before, class, language) || lexer.starts_line && ends_lines) {
            return Err(Breach { at, what: "tokens in an order that is never written" });
        }
        starts_item.pass(source, at, token, language)?;
        comments.pass_code();
        before = class;
    }
    if starts_item.depth != 0 {
        return Err(Breach { at: source.len(), what: "an open bracket at the end" });
    }
    if literals.next().is_some() || words.next().is_some() {
        return Err(Breach { at: source.len(), what: "an end before everything is written" });
    }
    Ok(())
}

/// Checks that a text has no control byte but line feeds: other line ends would hide code from a scan by line.
pub(crate) fn no_control_bytes(text: &str) -> Result<(), Breach> {
    let is_bad = |byte: u8| byte < 0x20 && byte != b'\n' || byte == 0x7F;
    // Whole chunks without a branch inside are what compiles to wide instructions.
    let has_bad = |bytes: &[u8]| bytes.iter().fold(false, |so_far, byte| so_far | is_bad(*byte));
    let bad = text.as_bytes().chunks(64).position(has_bad).and_then(|chunk| {
        let (at, _) = text.bytes().enumerate().skip(chunk * 64).find(|(_, byte)| is_bad(*byte))?;
        Some(at)
    });
    bad.map_or(Ok(()), |at| Err(Breach { at, what: "a control byte" }))
}

/// Checks that a literal is the one that was written here.
fn expect(inside: &str, at: usize, language: Language, written: Option<&str>) -> Result<(), Breach> {
    let is_written = if inside.contains('\\') {
        let text =
            read_literal(inside, language).ok_or(Breach { at, what: "an escape that is never written" })?;
        Some(text.as_str()) == written
    } else {
        Some(inside) == written
    };
    if is_written { Ok(()) } else { Err(Breach { at, what: "a literal that nobody wrote" }) }
}

const fn may_follow(before: Class, class: Class, language: Language) -> bool {
    match (before, class) {
        // A Gleam parameter is a label and a name.
        (Class::Theirs, Class::Theirs) => matches!(language, Language::Gleam),
        (Class::Literal | Class::Number, Class::Literal | Class::Number | Class::Theirs)
        | (Class::Theirs, Class::Literal | Class::Number) => false,
        _ => true,
    }
}

/// Follows the brackets, and checks how everything outside of them begins.
#[derive(Default)]
struct Item<'a> {
    depth: usize,
    first: &'a str,
}

impl<'a> Item<'a> {
    fn pass(
        &mut self,
        source: &'a str,
        at: usize,
        token: Token<'a>,
        language: Language,
    ) -> Result<(), Breach> {
        match token {
            Token::Punct(b'(' | b'[' | b'{') => self.depth += 1,
            Token::Punct(b')' | b']' | b'}') => {
                let Some(depth) = self.depth.checked_sub(1) else {
                    return Err(Breach { at, what: "a bracket that was never opened" });
                };
                self.depth = depth;
                return Ok(());
            }
            _ => {}
        }
        let at_margin = at == 0 || source.as_bytes().get(at - 1) == Some(&b'\n');
        if self.depth > usize::from(matches!(token, Token::Punct(b'(' | b'[' | b'{'))) {
            return if at_margin { Err(Breach { at, what: "an item inside of another" }) } else { Ok(()) };
        }
        let word = match token {
            Token::Word(word) => word,
            Token::Punct(b'#') if language == Language::Rust => "#",
            Token::Punct(b'@') if language == Language::Python => "@",
            _ if at_margin => return Err(Breach { at, what: "an item that is never written" }),
            _ => return Ok(()),
        };
        if at_margin && !words::may_start(language, word) {
            return Err(Breach { at, what: "an item that is never written" });
        }
        if self.first == "pub" && !words::may_be_public(word) {
            return Err(Breach { at, what: "an item that is never written" });
        }
        self.first = if at_margin { word } else { "" };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::codegen::comment::{ABOUT, CommentWriter, ORIGIN};

    fn census(words: &[&str], literals: &[&str]) -> Census {
        let mut census = Census::default();
        for word in words {
            census.words.push(word);
        }
        for text in literals {
            census.literals.push(text);
        }
        census
    }

    const GOOD: &str = "/// | A text with @external(erlang, \"os\", \"cmd\").\n\
        pub fn add(\n  arguments arguments: report.Value,\n) -> Result(mcp.ToolResult, mcp.McpError) {\n  \
        internal.invoke(\"s\\u{22}@\", \"add\", arguments)\n}\n";

    /// Checks a module of Gleam behind first lines as they are written.
    fn proven(body: &str, census: &Census) -> Result<(), Breach> {
        let mut module = String::new();
        let header = CommentWriter::header(Language::Gleam);
        header.say(&mut module, &[ORIGIN[0], "00", ORIGIN[1]]);
        header.say(&mut module, &[ABOUT[0]]);
        header.say(&mut module, &[ABOUT[1]]);
        header.quote(&mut module, "MCP server \"s\".");
        module.push_str(body);
        check(&module, Language::Gleam, Profile::Typed, census)
    }

    #[test]
    fn what_we_write_passes() {
        let census = census(&["add"], &["s\"@", "add"]);
        assert_eq!(proven(GOOD, &census), Ok(()));
    }

    #[test]
    fn what_nobody_wrote_is_a_breach() {
        let census = census(&["add"], &["s\"@", "add"]);
        for (from, to) in [
            ("pub fn", "@external(erlang, \"os\", \"cmd\")\npub fn"),
            ("/// | A text", "/// A text"),
            ("/// | A text", "/// | <b>A text"),
            ("/// | A text", "/// | [A text]"),
            ("/// | A text", "/// | A text NOSONAR"),
            ("/// | A text", "/// | `A text"),
            ("/// | A text", "// | A text"),
            ("/// | A text", "//// | A text\n///"),
            ("/// | A text", "/// The tools of another server.\n/// | A text"),
            ("internal.invoke(", "internal.invoke( /// | A text\n"),
            ("/// | A text", "/// | A text\r@external"),
            ("/// | A text", "/// | A text\nevil()\n///"),
            ("\"add\"", "\"add\", \"add\""),
            ("\"add\", ", ""),
            ("\"add\"", "\"a\" <> \"dd\""),
            ("\\u{22}", "\\u{23}"),
            (")\n}", ")\n}}"),
            (")\n}", ")\n"),
            ("pub fn add", "pub const add"),
            ("arguments)", "system.arguments)"),
            ("arguments)", "arguments /"),
            ("\"add\"", "\"add"),
        ] {
            let bad = GOOD.replacen(from, to, 1);
            assert!(proven(&bad, &census).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_carriage_return_that_would_hide_code_is_seen() {
        let source = "/// text\r@external(erlang, \"a\", \"b\")\n";
        assert_eq!(no_control_bytes(source).unwrap_err().at, 8);
        assert_eq!(no_control_bytes("a\nb\u{7F}").unwrap_err().at, 3);
    }
}
