//! Finds the names of values that are called `value`: `<add key="password" value="…"/>`,
//! `{"name": "DB_PASSWORD", "value": "…"}`.

use super::{
    Text,
    name::{Class, class_of_name},
    named::{MAX_NAME, Name, name_at},
    text::{is_blank, is_name_byte, is_quote},
};

/// How far before a value its name is looked for.
const MAX_APART: usize = 160;

/// Returns the name that the value before a sign belongs to.
pub(super) fn name_of(text: Text<'_>, sign: usize) -> Option<Name> {
    let to = text.run_back(sign, 8, is_blank);
    let to = to - usize::from(is_quote(text.before(to)));
    let from = text.run_back(to, MAX_NAME, is_name_byte);
    let is_value = ["value", "content", "defaultValue", "stringValue", "newValue"];
    if !is_value.iter().any(|word| text.is_word(from, to, word)) {
        return None;
    }
    let class = class_before(text, from)?;
    Some(name_at(text, from, to, sign, class))
}

/// Looks back for a name within the same tag, object or entry.
fn class_before(text: Text<'_>, at: usize) -> Option<Class> {
    let start = text.run_back(at, MAX_APART, |byte| !matches!(byte, b'<' | b'>' | b'{' | b'}'));
    last_named(text, start, at)
}

/// Returns what the last attribute `name`, `key` or `id` of a range promises.
pub(super) fn last_named(text: Text<'_>, start: usize, end: usize) -> Option<Class> {
    (start..end).rev().find_map(|at| {
        if !matches!(text.byte(at), b'=' | b':') {
            return None;
        }
        let to = text.run_back(at, 4, is_blank);
        let to = to - usize::from(is_quote(text.before(to)));
        let from = text.run_back(to, MAX_NAME, is_name_byte);
        if !["name", "key", "id", "variable", "property"].iter().any(|word| text.is_word(from, to, word)) {
            return None;
        }
        let from = text.run(at + 1, 4, is_blank);
        let from = from + usize::from(is_quote(text.byte(from)));
        let to = text.run(from, MAX_NAME, is_name_byte);
        Some(class_of_name(text.bytes(from, to)))
    })?
}
