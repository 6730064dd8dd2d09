//! Finds the text of elements: `<password>…</password>`, `<entry key="password">…</entry>`.

use super::{
    Found, Kind, Text,
    name::{Class, class_of_name},
    named::MAX_LOOK,
    pair,
    text::is_name_byte,
    value::{self, Place},
};

const MAX_TAG: usize = 200;
const SECTION: &str = "<![CDATA[";

/// Finds the text of the element whose first tag ends at a place.
pub(super) fn element(text: Text<'_>, at: usize) -> Option<Found> {
    let from = text.run_back(at, MAX_TAG, |byte| byte != b'<' && byte != b'>');
    if text.before(from) != b'<' || text.before(at) == b'/' {
        return None;
    }
    let class = class_of_tag(text, from, at)?;
    let start = text.run(at + 1, MAX_LOOK, |byte| byte.is_ascii_whitespace());
    let (start, end) =
        if text.starts_with(start, SECTION) { (start + SECTION.len(), "]]>") } else { (start, "</") };
    let to = text.look(start, MAX_LOOK, |byte| byte != b'<' && byte != b']');
    let is_closed = text.starts_with(to, end);
    let to = text.run_back(to, MAX_LOOK, |byte| byte.is_ascii_whitespace()).max(start);
    let held = text.slice(start, to);
    let is_secret = is_closed
        && !held.contains(['\n', '\r'])
        && value::is_secret(held, class, Place::Quoted)
        && !text.is_marked(start, to);
    is_secret.then_some((Kind::Named, start..to))
}

/// Returns what a tag promises, by its name or by an attribute that names what it holds.
fn class_of_tag(text: Text<'_>, from: usize, to: usize) -> Option<Class> {
    let is_part = |byte: u8| is_name_byte(byte) || byte == b':';
    let name_to = text.run(from, MAX_TAG, is_part);
    let prefix =
        text.bytes(from, name_to).iter().rposition(|byte| *byte == b':').map_or(0, |colon| colon + 1);
    class_of_name(text.bytes(from + prefix, name_to)).or_else(|| pair::last_named(text, name_to, to))
}
