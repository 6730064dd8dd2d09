//! Finds a name that two members of one object have, anywhere in a value.
//!
//! What is handed to a reader that is not ours, such as serde or `JSON.parse`, must not have any: readers
//! disagree on which of the two counts, so that what was checked would not be what is used.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{Kind, Name, Scanner, View, push_pointer, scan::Nesting};

/// Up to this many names of an object are compared one by one.
const FEW: usize = 16;
/// The steps of a pointer that are looked for.
const MAX_STEPS: usize = 16;
/// The characters of one step that are written out.
const MAX_STEP: usize = 48;
/// The bytes of a pointer that is written out whole.
const MAX_POINTER: usize = 64;

/// Returns the pointer to a member whose name another member of its object has too, in a text that was
/// validated already. What stands deep is named by its own name alone.
pub(crate) fn name_twice(valid: &str) -> Option<String> {
    let name = find(valid)?;
    let at = name.start_in(valid);
    let contains = |view: View<'_>| {
        let start = view.as_str().as_ptr() as usize - valid.as_ptr() as usize;
        (start..start + view.as_str().len()).contains(&at)
    };
    let (mut pointer, mut view) = (String::new(), View::trusted(valid));
    for _ in 0..MAX_STEPS {
        if view.kind() == Kind::Array {
            let found = view.elements().enumerate().find(|(_, element)| contains(*element));
            let Some((index, element)) = found else { break };
            push_pointer(&mut pointer, &format!("{index}"));
            view = element;
            continue;
        }
        let found = view.members().find(|(own, value)| own.start_in(valid) == at || contains(*value));
        let Some((own, value)) = found else { break };
        push_pointer(&mut pointer, clipped(&own.to_str()));
        if own.start_in(valid) == at && pointer.len() <= MAX_POINTER {
            return Some(pointer);
        }
        view = value;
    }
    let mut pointer = String::from("/…");
    push_pointer(&mut pointer, clipped(&name.to_str()));
    Some(pointer)
}

/// Cuts a name to what a pointer shows of it.
pub(crate) fn clipped(step: &str) -> &str {
    step.char_indices().nth(MAX_STEP).and_then(|(end, _)| step.get(..end)).unwrap_or(step)
}

/// Walks a value without recursion and returns the second of two equal names.
fn find(text: &str) -> Option<Name<'_>> {
    let mut scanner = Scanner::new(text);
    let mut nesting = Nesting::default();
    let mut names = Names::default();
    loop {
        match scanner.peek() {
            Some(open @ (b'{' | b'[')) => {
                let is_object = open == b'{';
                scanner.at += 1;
                scanner.skip_space();
                if !scanner.eat(if is_object { b'}' } else { b']' }) {
                    nesting.push(is_object);
                    if is_object {
                        names.enter();
                        if let Some(twice) = names.add(&mut scanner, text) {
                            return Some(twice);
                        }
                    }
                    continue;
                }
            }
            _ => scanner.scalar().ok()?,
        }
        loop {
            if nesting.depth == 0 {
                return None;
            }
            scanner.skip_space();
            let is_done = !scanner.eat(b',');
            let twice = match (is_done, nesting.in_object()) {
                (false, true) => names.add(&mut scanner, text),
                (true, true) => names.leave(),
                (_, false) => None,
            };
            if twice.is_some() {
                return twice;
            }
            if !is_done {
                scanner.skip_space();
                break;
            }
            // The bracket that closes the container.
            scanner.at += 1;
            nesting.pop();
        }
    }
}

/// The names of the objects that are open.
#[derive(Default)]
struct Names<'a> {
    open: Vec<Name<'a>>,
    /// Where the names of each open object begin.
    starts: Vec<usize>,
    /// A name was spelled with escapes, so that names are compared by what they stand for.
    has_escapes: bool,
}

impl<'a> Names<'a> {
    fn enter(&mut self) {
        self.starts.push(self.open.len());
    }

    fn own(&self) -> &[Name<'a>] {
        self.open.get(self.starts.last().copied().unwrap_or_default()..).unwrap_or_default()
    }

    /// Takes the name that the scanner stands before, and returns it where the object has it already.
    fn add(&mut self, scanner: &mut Scanner<'_>, text: &'a str) -> Option<Name<'a>> {
        let name = Name::trusted(scanner.name().ok()?.of(text));
        self.has_escapes = self.has_escapes || name.is_escaped();
        let own = self.own();
        let is_twice = own.len() < FEW
            && if self.has_escapes {
                own.contains(&name)
            } else {
                own.iter().any(|own| own.cmp_plain(name).is_eq())
            };
        self.open.push(name);
        is_twice.then_some(name)
    }

    /// Ends an object; returns a name that it has twice, if it has too many to compare one by one.
    fn leave(&mut self) -> Option<Name<'a>> {
        let start = self.starts.pop().unwrap_or_default();
        if self.open.len() - start <= FEW {
            self.open.truncate(start);
            return None;
        }
        let mut own = self.open.split_off(start);
        if self.has_escapes {
            let mut read: Vec<(Cow<'_, str>, Name<'_>)> =
                own.iter().map(|name| (name.to_str(), *name)).collect();
            read.sort_by(|(one, _), (other, _)| one.cmp(other));
            return second_of(&read, |(one, _), (other, _)| one == other).map(|(_, name)| *name);
        }
        own.sort_by(|one, other| one.cmp_plain(*other));
        second_of(&own, |one, other| one.cmp_plain(*other).is_eq()).copied()
    }
}

/// Returns the second of two neighbours that are equal.
fn second_of<T>(sorted: &[T], is_equal: impl Fn(&T, &T) -> bool) -> Option<&T> {
    sorted.windows(2).find_map(|pair| match pair {
        [one, other] if is_equal(one, other) => Some(other),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_name_is_found_that_stands_twice_in_one_object() {
        let many: Vec<_> = (0..40).map(|at| format!("\"m{at}\":{at}")).collect();
        let many = many.join(",");
        for (text, pointer) in [
            (r#"{"a":1,"a":2}"#.to_string(), "/a"),
            (r#"{"a":1,"\u0061":2}"#.into(), "/a"),
            (r#"{"\u0061":1,"a":2}"#.into(), "/a"),
            (r#"{"x":[1,{"b/":{},"c":{"d":1, "e":2 , "d":3}}]}"#.into(), "/x/1/c/d"),
            (r#"[{"a":{"a":1},"b~":[],"b~":0}]"#.into(), "/0/b~0"),
            (format!("{{{many},\"m7\":0}}"), "/m7"),
            (format!("{{{many},\"\\u006d7\":0}}"), "/m7"),
            (format!("{}{{\"a\":1,\"a\":2}}{}", "[".repeat(200), "]".repeat(200)), "/…/a"),
            (format!(r#"{{"{0}":{{"{0}":{{"a":1,"a":2}}}}}}"#, "x".repeat(40)), "/…/a"),
        ] {
            assert_eq!(name_twice(&text).as_deref(), Some(pointer), "{text}");
        }
    }

    #[test]
    fn equal_names_of_different_objects_are_no_duplicates() {
        let many: Vec<_> = (0..40).map(|at| format!("\"m{at}\":{{\"m{at}\":[{{}}]}}")).collect();
        for text in [
            "{}".to_string(),
            "7".into(),
            r#""a""#.into(),
            r#"[{"a":1},{"a":1}]"#.into(),
            r#"{"a":{"a":{"a":[{"a":[]}, {"a":{}} ]}},"b":{"a":1}, "A":2 }"#.into(),
            r#"{"a":"\"a\":1","\\u0061":1}"#.into(),
            format!("{{{}}}", many.join(" , ")),
            format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        ] {
            assert_eq!(name_twice(&text), None, "{}", text.get(..80).unwrap_or(&text));
        }
    }
}
