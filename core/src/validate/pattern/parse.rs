//! Reads the text of an expression.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::str::Chars;

use super::set::Set;

/// The deepest nesting of groups.
const MAX_NESTING: usize = 32;

#[derive(Debug)]
pub(super) enum Ast {
    Set(Arc<Set>),
    Start,
    End,
    /// A word boundary, or the absence of one.
    Word(bool),
    Sequence(Vec<Ast>),
    Either(Vec<Ast>),
    Repeat {
        body: Box<Ast>,
        min: u32,
        max: Option<u32>,
    },
}

pub(super) fn parse(source: &str) -> Result<Ast, &'static str> {
    let mut parser = Parser { rest: source.chars(), nesting: 0 };
    let ast = parser.either()?;
    if parser.rest.as_str().is_empty() { Ok(ast) } else { Err("a group is closed that is not open") }
}

struct Parser<'a> {
    rest: Chars<'a>,
    nesting: usize,
}

enum Escape {
    Set(Set),
    Character(u32),
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn eat(&mut self, text: &str) -> bool {
        let Some(rest) = self.rest.as_str().strip_prefix(text) else { return false };
        self.rest = rest.chars();
        true
    }

    fn either(&mut self) -> Result<Ast, &'static str> {
        let mut branches = Vec::new();
        branches.push(self.sequence()?);
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        Ok(match branches.len() {
            1 => branches.pop().unwrap_or(Ast::Sequence(Vec::new())),
            _ => Ast::Either(branches),
        })
    }

    fn sequence(&mut self) -> Result<Ast, &'static str> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let atom = self.atom()?;
            parts.push(self.repeated(atom)?);
        }
        Ok(Ast::Sequence(parts))
    }

    fn atom(&mut self) -> Result<Ast, &'static str> {
        match self.rest.next() {
            Some('^') => Ok(Ast::Start),
            Some('$') => Ok(Ast::End),
            Some('.') => Ok(Ast::Set(Arc::new(Set::dot()))),
            Some('[') => self.class().map(|set| Ast::Set(Arc::new(set))),
            Some('(') => self.group(),
            Some('*' | '+' | '?') => Err("nothing stands before a quantifier"),
            Some('\\') => match self.peek() {
                Some(letter @ ('b' | 'B')) => {
                    self.rest.next();
                    Ok(Ast::Word(letter == 'b'))
                }
                _ => Ok(Ast::Set(Arc::new(match self.escape()? {
                    Escape::Set(set) => set,
                    Escape::Character(code) => Set::one(code),
                }))),
            },
            Some(literal) => Ok(Ast::Set(Arc::new(Set::one(u32::from(literal))))),
            None => Ok(Ast::Sequence(Vec::new())),
        }
    }

    fn group(&mut self) -> Result<Ast, &'static str> {
        if self.nesting >= MAX_NESTING {
            return Err("groups nest too deep");
        }
        if self.eat("?") && !self.eat(":") {
            let is_named = self.eat("<") && !matches!(self.peek(), Some('=' | '!'));
            let name_end = self.rest.as_str().find('>');
            let (true, Some(end)) = (is_named, name_end) else {
                return Err("look-around and flags are not supported");
            };
            self.rest = self.rest.as_str().get(end + 1..).unwrap_or_default().chars();
        }
        self.nesting += 1;
        let body = self.either()?;
        self.nesting -= 1;
        if self.eat(")") { Ok(body) } else { Err("a group is not closed") }
    }

    fn repeated(&mut self, atom: Ast) -> Result<Ast, &'static str> {
        let Some((min, max)) = self.quantifier() else { return Ok(atom) };
        self.eat("?");
        if self.quantifier().is_some() {
            return Err("a quantifier follows another");
        }
        if max.is_some_and(|max| max < min) {
            return Err("a quantifier's bounds are in the wrong order");
        }
        Ok(Ast::Repeat { body: Box::new(atom), min, max })
    }

    fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        let bounds = match self.peek()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => return self.counted(),
            _ => return None,
        };
        self.rest.next();
        Some(bounds)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`; any other brace is a literal.
    fn counted(&mut self) -> Option<(u32, Option<u32>)> {
        let (inside, rest) = self.rest.as_str().get(1..)?.split_once('}')?;
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<u32>().unwrap_or(u32::MAX))
        };
        let bounds = match inside.split_once(',') {
            None => number(inside).map(|count| (count, Some(count)))?,
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        };
        self.rest = rest.chars();
        Some(bounds)
    }

    /// Reads a class behind its opening bracket.
    fn class(&mut self) -> Result<Set, &'static str> {
        let is_inverted = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            let from = self.class_atom()?;
            let has_dash = self.rest.as_str().starts_with('-') && !self.rest.as_str().starts_with("-]");
            let Escape::Character(start) = from else {
                if let Escape::Set(set) = from {
                    ranges.extend_from_slice(set.ranges());
                }
                continue;
            };
            if !has_dash {
                ranges.push((start, start));
                continue;
            }
            self.rest.next();
            match self.class_atom()? {
                Escape::Character(end) if start <= end => ranges.push((start, end)),
                Escape::Character(_) => return Err("a range is in the wrong order"),
                Escape::Set(set) => {
                    ranges.extend([(start, start), (0x2d, 0x2d)]);
                    ranges.extend_from_slice(set.ranges());
                }
            }
        }
        let set = Set::new(ranges);
        Ok(if is_inverted { set.inverted() } else { set })
    }

    fn class_atom(&mut self) -> Result<Escape, &'static str> {
        match self.rest.next() {
            None => Err("a class is not closed"),
            Some('\\') if self.eat("b") => Ok(Escape::Character(8)),
            Some('\\') => self.escape(),
            Some(literal) => Ok(Escape::Character(u32::from(literal))),
        }
    }

    /// Reads an escape behind its backslash.
    fn escape(&mut self) -> Result<Escape, &'static str> {
        let Some(letter) = self.rest.next() else { return Err("the pattern ends in a backslash") };
        if let Some(set) = Set::of_escape(letter) {
            return Ok(Escape::Set(set));
        }
        let code = match letter {
            't' => 0x09,
            'n' => 0x0a,
            'v' => 0x0b,
            'f' => 0x0c,
            'r' => 0x0d,
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => 0,
            'c' => match self.rest.next() {
                Some(control) if control.is_ascii_alphabetic() => u32::from(control) % 32,
                _ => return Err("a control escape lacks its letter"),
            },
            'x' => self.hex(2)?,
            'u' => self.unicode()?,
            '0'..='9' | 'k' => return Err("back references are not supported"),
            'p' | 'P' => return Err("Unicode properties are not supported"),
            other if other.is_ascii_alphabetic() => return Err("an escape is not of ECMA-262"),
            other => u32::from(other),
        };
        Ok(Escape::Character(code))
    }

    fn unicode(&mut self) -> Result<u32, &'static str> {
        const WRONG: &str = "a Unicode escape is not valid";
        if self.eat("{") {
            let (digits, rest) = self.rest.as_str().split_once('}').ok_or(WRONG)?;
            let code = u32::from_str_radix(digits, 16).map_err(|_| WRONG)?;
            self.rest = rest.chars();
            return if code <= 0x10_ffff { Ok(code) } else { Err(WRONG) };
        }
        let high = self.hex(4)?;
        if (0xd800..0xdc00).contains(&high) && self.eat("\\u") {
            let low = self.hex(4)?;
            if !(0xdc00..0xe000).contains(&low) {
                return Err(WRONG);
            }
            return Ok(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
        Ok(high)
    }

    fn hex(&mut self, digits: usize) -> Result<u32, &'static str> {
        let text = self.rest.as_str();
        let code = text.get(..digits).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = code.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        self.rest = text.get(digits..).unwrap_or_default().chars();
        code.ok_or("a hexadecimal escape is not valid")
    }
}
