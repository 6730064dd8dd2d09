//! Regular expressions in linear time: a subset of what JSON Schema's `pattern` allows.
//!
//! The expression becomes a small program whose states advance together over the text, so no text makes it
//! run away. What needs more than that (look-around, back references, Unicode properties) is refused at
//! compile time.

mod parse;
mod set;

use alloc::{string::String, sync::Arc, vec::Vec};

use parse::Ast;
use set::Set;

/// The most instructions of a program.
const MAX_PROGRAM: usize = 2_000;

/// The instructions that the expressions of any schema may have together, beside those that its text grants.
const MIN_ROOM: usize = 1_000;

/// How many bytes of a schema grant a further instruction.
const BYTES_PER_OP: usize = 8;

const NO_ROOM: &str = "the patterns of the schema are too large together";

/// The longest text of an expression, in bytes.
const MAX_SOURCE: usize = 8_192;

/// Returns the room that the expressions of a schema have, by the length of its text: a short expression can
/// make a long program.
pub(super) const fn room_for(bytes: usize) -> usize {
    MIN_ROOM + bytes / BYTES_PER_OP
}

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Pattern {
    source: String,
    program: Vec<Op>,
    run: Option<Run>,
}

/// An expression that is one set of characters, repeated from the first character to the last: most are.
#[derive(Debug)]
struct Run {
    set: Arc<Set>,
    min: usize,
    max: usize,
}

#[derive(Debug)]
enum Op {
    /// Shared with the other repetitions of the same part: sets are large, and counts are short to write.
    One(Arc<Set>),
    /// Goes on at both places.
    Split(usize, usize),
    Jump(usize),
    Start,
    End,
    Word(bool),
    Match,
}

impl Pattern {
    /// Compiles an expression; the instructions of its program are taken from the room.
    ///
    /// # Errors
    ///
    /// Says what is not supported.
    pub(super) fn new(source: &str, room: &mut usize) -> Result<Self, &'static str> {
        if *room == 0 {
            return Err(NO_ROOM);
        }
        if source.len() > MAX_SOURCE {
            return Err("the pattern is too large");
        }
        let ast = parse::parse(source)?;
        let run = run_of(&ast);
        let mut program = Vec::new();
        let emitted = match run {
            Some(_) => Ok(()),
            None => emit(&mut program, &ast).and_then(|()| push(&mut program, Op::Match).map(drop)),
        };
        // What fails is paid for, too, and without room nothing is tried: trying costs no more than keeping.
        *room = room.saturating_sub(program.len());
        emitted?;
        if *room == 0 {
            return Err(NO_ROOM);
        }
        program.shrink_to_fit();
        Ok(Self { source: source.into(), program, run })
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Returns whether the expression matches anywhere in the text; `None` where the fuel does not suffice.
    pub(super) fn is_match(&self, text: &str, scratch: &mut Scratch, fuel: &mut u64) -> Option<bool> {
        if let Some(run) = &self.run {
            *fuel = fuel.checked_sub(text.len() as u64 / 16)?;
            return Some(run.is_match(text));
        }
        let Scratch { now, next } = scratch;
        now.reset(self.program.len());
        next.reset(self.program.len());
        let is_anchored = matches!(self.program.first(), Some(Op::Start));
        let mut before = None;
        let mut rest = text.chars();
        loop {
            let after = rest.clone().next();
            if before.is_none() || !is_anchored {
                now.stack.push(0);
            }
            let edge = Edge { before, after };
            if self.follow(now, edge) {
                return Some(true);
            }
            *fuel = fuel.checked_sub(now.list.len() as u64 / 4 + 1)?;
            let Some(character) = rest.next() else { return Some(false) };
            for &state in &now.list {
                if let Some(Op::One(set)) = self.program.get(state)
                    && set.holds(character)
                {
                    next.stack.push(state + 1);
                }
            }
            if next.stack.is_empty() && is_anchored {
                return Some(false);
            }
            core::mem::swap(now, next);
            next.clear();
            before = Some(character);
        }
    }

    /// Enters every state that the stacked ones lead to at this edge. Returns whether one is the match.
    fn follow(&self, states: &mut States, edge: Edge) -> bool {
        while let Some(at) = states.stack.pop() {
            if !states.enter(at) {
                continue;
            }
            match self.program.get(at) {
                Some(Op::Split(one, other)) => states.stack.extend([*one, *other]),
                Some(Op::Jump(to)) => states.stack.push(*to),
                Some(Op::Start) if edge.before.is_none() => states.stack.push(at + 1),
                Some(Op::End) if edge.after.is_none() => states.stack.push(at + 1),
                Some(Op::Word(wanted)) if *wanted == edge.is_word() => states.stack.push(at + 1),
                Some(Op::Match) => return true,
                Some(Op::One(_) | Op::Start | Op::End | Op::Word(_)) | None => {}
            }
        }
        false
    }
}

impl Run {
    fn is_match(&self, text: &str) -> bool {
        let mut count = 0;
        text.chars().inspect(|_| count += 1).all(|character| self.set.holds(character))
            && (self.min..=self.max).contains(&count)
    }
}

/// Reads `^[set]{min,max}$`.
fn run_of(ast: &Ast) -> Option<Run> {
    let Ast::Sequence(parts) = ast else { return None };
    let [Ast::Start, Ast::Repeat { body, min, max }, Ast::End] = parts.as_slice() else { return None };
    let Ast::Set(set) = body.as_ref() else { return None };
    let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    Some(Run { set: set.clone(), min: count(*min), max: max.map_or(usize::MAX, count) })
}

/// The place between two characters.
#[derive(Clone, Copy)]
struct Edge {
    before: Option<char>,
    after: Option<char>,
}

impl Edge {
    fn is_word(self) -> bool {
        let is_word = |side: Option<char>| side.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_');
        is_word(self.before) != is_word(self.after)
    }
}

/// What a run needs, kept from one run to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    now: States,
    next: States,
}

/// The states that a run is in, each once.
#[derive(Debug, Default)]
struct States {
    list: Vec<usize>,
    is_in: Vec<bool>,
    stack: Vec<usize>,
}

impl States {
    fn reset(&mut self, len: usize) {
        self.clear();
        if self.is_in.len() < len {
            self.is_in.resize(len, false);
        }
    }

    fn enter(&mut self, state: usize) -> bool {
        let Some(is_in) = self.is_in.get_mut(state) else { return false };
        if core::mem::replace(is_in, true) {
            return false;
        }
        self.list.push(state);
        true
    }

    fn clear(&mut self) {
        for state in self.list.drain(..) {
            if let Some(is_in) = self.is_in.get_mut(state) {
                *is_in = false;
            }
        }
        self.stack.clear();
    }
}

fn push(program: &mut Vec<Op>, op: Op) -> Result<usize, &'static str> {
    if program.len() >= MAX_PROGRAM {
        return Err("the pattern is too large");
    }
    program.push(op);
    Ok(program.len() - 1)
}

fn patch(program: &mut [Op], at: usize, op: Op) {
    if let Some(slot) = program.get_mut(at) {
        *slot = op;
    }
}

fn emit(program: &mut Vec<Op>, ast: &Ast) -> Result<(), &'static str> {
    match ast {
        Ast::Set(set) => push(program, Op::One(set.clone())).map(|_| ()),
        Ast::Start => push(program, Op::Start).map(|_| ()),
        Ast::End => push(program, Op::End).map(|_| ()),
        Ast::Word(wanted) => push(program, Op::Word(*wanted)).map(|_| ()),
        Ast::Sequence(parts) => parts.iter().try_for_each(|part| emit(program, part)),
        Ast::Either(branches) => emit_either(program, branches),
        Ast::Repeat { body, min, max } => emit_repeat(program, body, *min, *max),
    }
}

fn emit_either(program: &mut Vec<Op>, branches: &[Ast]) -> Result<(), &'static str> {
    let Some((last, others)) = branches.split_last() else { return Ok(()) };
    let mut ends = Vec::new();
    for branch in others {
        let split = push(program, Op::Match)?;
        emit(program, branch)?;
        ends.push(push(program, Op::Match)?);
        let next = program.len();
        patch(program, split, Op::Split(split + 1, next));
    }
    emit(program, last)?;
    let end = program.len();
    for jump in ends {
        patch(program, jump, Op::Jump(end));
    }
    Ok(())
}

fn emit_repeat(program: &mut Vec<Op>, body: &Ast, min: u32, max: Option<u32>) -> Result<(), &'static str> {
    for _ in 0..min {
        let before = program.len();
        emit(program, body)?;
        if program.len() == before {
            // An empty body repeats for free; without this a huge count would spin.
            return Ok(());
        }
    }
    let Some(max) = max else {
        let split = push(program, Op::Match)?;
        emit(program, body)?;
        push(program, Op::Jump(split))?;
        let end = program.len();
        patch(program, split, Op::Split(split + 1, end));
        return Ok(());
    };
    let mut splits = Vec::new();
    for _ in min..max {
        splits.push(push(program, Op::Match)?);
        emit(program, body)?;
    }
    let end = program.len();
    for split in splits {
        patch(program, split, Op::Split(split + 1, end));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(source: &str) -> Result<Pattern, &'static str> {
        Pattern::new(source, &mut { MAX_PROGRAM + 1 })
    }

    fn is_match(pattern: &str, text: &str) -> bool {
        compile(pattern).unwrap().is_match(text, &mut Scratch::default(), &mut 1_000_000).unwrap()
    }

    #[test]
    fn expressions_match_what_they_should() {
        for (pattern, yes, no) in [
            ("^a*$", &["", "aaa"][..], &["b", "ab"][..]),
            ("a+", &["xaay"], &["xyz", ""]),
            ("^(ab|c)+d?$", &["abc", "cccd", "ab"], &["", "d", "abx"]),
            ("^[a-z][a-z0-9_-]{0,3}$", &["a", "a-_9"], &["A", "9", "abcde"]),
            ("^[^a-c]$", &["d", "é"], &["a", "dd", ""]),
            (r"^\d{3}-\d{4}$", &["123-4567"], &["1234567", "१२३-4567"]),
            (r"^\w+@\w+\.com$", &["a_b@c.com"], &["a@bxcom"]),
            (r"^\s*$", &["", " \t\u{feff}\u{2003}"], &["x"]),
            (r"^\S+$", &["x"], &["x y"]),
            (r"\bfoo\b", &["a foo b", "foo"], &["afoo", "food"]),
            (r"^\u0041\x42\u{43}\cA$", &["ABC\u{1}"], &["ABC"]),
            (r"^\ud83d\ude00$", &["😀"], &["x"]),
            ("^.$", &["x", "😀"], &["\n", "\u{2028}", ""]),
            ("^(?:a|b){2,}$", &["ab", "bba"], &["a"]),
            ("^(?<year>[0-9]+)$", &["2024"], &["x"]),
            ("a{,3}", &["a{,3}"], &["aaa"]),
            (r"^[\d\-.\]]+$", &["1-.]"], &["a"]),
            ("^[]$|x", &["x"], &["", "]"]),
            (r"^(|(.|\n)*)$", &["", "a\nb"], &[]),
            ("^a??b*?$", &["", "ab"], &["c"]),
            ("a|", &["", "b"], &[]),
            ("^(a*)*$", &["aaa", ""], &["b"]),
            (r"^\/tmp\/", &["/tmp/x"], &["tmp"]),
        ] {
            for text in yes {
                assert!(is_match(pattern, text), "{pattern} on {text:?}");
            }
            for text in no {
                assert!(!is_match(pattern, text), "{pattern} on {text:?}");
            }
        }
    }

    #[test]
    fn a_run_of_one_set_matches_like_any_expression() {
        for repeat in ["*", "+", "?", "{2}", "{1,3}", "{2,}"] {
            for set in ["a", "[^b]", r"\s", "."] {
                let run = compile(&alloc::format!("^{set}{repeat}$")).unwrap();
                assert!(run.run.is_some());
                let same = alloc::format!("^(?:{set}){repeat}$");
                let same = Pattern { run: None, ..compile(&same).unwrap() };
                for text in ["", "a", "aa", "aaa", "aaaa", "b", "ab", "  ", "é", "\n"] {
                    let is_match =
                        |pattern: &Pattern| pattern.is_match(text, &mut Scratch::default(), &mut 1_000);
                    assert_eq!(is_match(&run), is_match(&same), "{set}{repeat} on {text:?}");
                }
            }
        }
    }

    #[test]
    fn what_needs_more_than_states_is_refused() {
        for pattern in [
            "(?=a)",
            "(?!a)b",
            "(?<=a)",
            r"(a)\1",
            r"\k<a>",
            r"\p{L}",
            "(?i)a",
            "(",
            ")",
            "*",
            "[a",
            "[z-a]",
            "a{3,2}",
            "a{1000000}",
            r"\Z",
            "\\",
            "a**",
            "((a{100}){100}){100}",
        ] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
        assert!(compile(&alloc::format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000))).is_err());
        assert!(compile("(){4000000000}").is_ok());
    }

    #[test]
    fn no_text_makes_an_expression_run_away() {
        let mut fuel = 1_000_000;
        let text = alloc::format!("{}!", "a".repeat(10_000));
        assert_eq!(
            compile("(a+)+$").unwrap().is_match(&text, &mut Scratch::default(), &mut fuel),
            Some(false)
        );
        assert!(fuel > 900_000, "{fuel}");
        assert_eq!(compile("^(a|a?)+$").unwrap().is_match(&text, &mut Scratch::default(), &mut 100), None);
    }

    #[test]
    fn the_expressions_of_a_schema_share_their_room() {
        let mut room = 5_000;
        assert!(Pattern::new("a{1500}", &mut room).is_ok());
        assert!(Pattern::new("b{1500}", &mut room).is_ok());
        assert!(Pattern::new("^[a-z]+$", &mut room).is_ok());
        assert!(Pattern::new("(ab){1001}", &mut room).is_err(), "too large, and paid for");
        assert!(matches!(Pattern::new("a", &mut room), Err(NO_ROOM)), "nothing is tried any more");
    }
}
