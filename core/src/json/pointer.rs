//! JSON pointers (RFC 6901).

use alloc::{format, string::String};

use super::{Kind, Tape};

/// Appends one step to a pointer.
pub(crate) fn push_pointer(pointer: &mut String, step: &str) {
    pointer.push('/');
    for character in step.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Returns the pointer to the value at a place of a tape; a member's name has the pointer of its value.
pub(crate) fn pointer_to(tape: &Tape<'_>, target: u32) -> String {
    let mut pointer = String::new();
    let mut item = tape.root();
    while item.index() < target {
        let next = if item.kind() == Kind::Array {
            let found = item.elements().enumerate().find(|(_, element)| target < element.past());
            found.map(|(index, element)| {
                push_pointer(&mut pointer, &format!("{index}"));
                element
            })
        } else {
            let found = item.members().find(|(_, value)| target < value.past());
            found.map(|(name, value)| {
                push_pointer(&mut pointer, &name.to_str());
                value
            })
        };
        let Some(next) = next else { break };
        item = next;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_pointer_leads_to_its_value() {
        let tape = Tape::parse(r#"{"a" : [1, {"b/~":[]} , "x"], "c":{} }"#).unwrap();
        let array = tape.root().get("a").unwrap();
        let elements: Vec<_> = array.elements().collect();
        let (name, (_, value)) = (elements[1].names().next().unwrap(), elements[1].members().next().unwrap());
        assert_eq!(pointer_to(&tape, value.index()), "/a/1/b~1~0");
        assert_eq!(pointer_to(&tape, name.index()), "/a/1/b~1~0");
        assert_eq!(pointer_to(&tape, elements[2].index()), "/a/2");
        assert_eq!(pointer_to(&tape, tape.root().get("c").unwrap().index()), "/c");
        assert_eq!(pointer_to(&tape, tape.root().index()), "");
    }
}
