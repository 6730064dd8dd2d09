//! Follows references inside one listing: `#` and `#/…`, and nothing else.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::loss::Reason;
use crate::{
    json::{Item, Kind},
    map::BTreeMap,
};

/// Where the references of each tool lead, each step of a pointer looked up once.
#[derive(Debug, Default)]
pub(crate) struct Pointers<'t> {
    found: BTreeMap<(u32, Cow<'t, str>), Result<u32, Reason>>,
    indexes: BTreeMap<u32, BTreeMap<Cow<'t, str>, Item<'t>>>,
    blocks: BTreeMap<(&'static str, &'t str), Item<'t>>,
}

/// The names of the members that hold definitions.
const BLOCKS: [&str; 2] = ["$defs", "definitions"];

impl<'t> Pointers<'t> {
    /// Returns, for a schema, the first schema with literally the same definitions, itself otherwise.
    ///
    /// Servers repeat one block of definitions in every tool; read as one, its types are generated once.
    pub(super) fn canonical(&mut self, root: Item<'t>) -> Item<'t> {
        for name in BLOCKS {
            let Some(block) = root.get(name) else { continue };
            if !is_self_contained(block) {
                return root;
            }
            return *self.blocks.entry((name, block.as_str())).or_insert(root);
        }
        root
    }

    /// Finds what a reference in a schema points at; `shared` is the schema's [`canonical`](Self::canonical).
    pub(super) fn resolve(
        &mut self,
        root: Item<'t>,
        shared: Item<'t>,
        reference: Item<'t>,
    ) -> Result<Item<'t>, Reason> {
        let pointer = reference.to_str().ok_or(Reason::Malformed("$ref"))?;
        let rest = pointer.strip_prefix('#').ok_or(Reason::ForeignReference)?;
        let root = if is_block_pointer(rest) { shared } else { root };
        let key = (root.index(), pointer.clone());
        if let Some(found) = self.found.get(&key) {
            return found.clone().map(|at| root.sibling(at));
        }
        let found = self.walk(root, rest);
        self.found.insert(key, found.clone().map(Item::index));
        found
    }

    fn walk(&mut self, root: Item<'t>, pointer: &str) -> Result<Item<'t>, Reason> {
        if pointer.is_empty() {
            return Ok(root);
        }
        let steps = pointer.strip_prefix('/').and_then(percent_decoded).ok_or(Reason::DanglingReference)?;
        let found = steps.split('/').try_fold(root, |item, step| self.step(item, step));
        found.filter(|item| matches!(item.kind(), Kind::Object | Kind::Bool)).ok_or(Reason::DanglingReference)
    }

    /// Returns as much of a JSON pointer, from its start, as leads to something.
    pub(crate) fn nearest<'p>(&mut self, root: Item<'t>, pointer: &'p str) -> &'p str {
        let (mut item, mut end) = (root, 0);
        for step in pointer.split('/').skip(1) {
            let Some(next) = self.step(item, step) else { break };
            item = next;
            end += 1 + step.len();
        }
        pointer.get(..end).unwrap_or_default()
    }

    fn step(&mut self, item: Item<'t>, step: &str) -> Option<Item<'t>> {
        let name = step.replace("~1", "/").replace("~0", "~");
        match item.kind() {
            Kind::Object => {
                let index = self.indexes.entry(item.index()).or_insert_with(|| {
                    let mut index = BTreeMap::new();
                    for (name, value) in item.members() {
                        index.entry(name.to_str()).or_insert(value);
                    }
                    index
                });
                index.get(&*name).copied()
            }
            Kind::Array => name.parse().ok().and_then(|at| item.elements().nth(at)),
            _ => None,
        }
    }
}

fn is_block_pointer(pointer: &str) -> bool {
    BLOCKS.iter().any(|name| {
        pointer
            .strip_prefix('/')
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// Returns whether every reference inside of a block of definitions stays inside.
fn is_self_contained(block: Item<'_>) -> bool {
    let mut open: Vec<Item<'_>> = alloc::vec![block];
    while let Some(item) = open.pop() {
        for (name, value) in item.members() {
            if name.is("$ref") {
                let pointer = value.to_str().unwrap_or_default();
                if !is_block_pointer(pointer.strip_prefix('#').unwrap_or_default()) {
                    return false;
                }
            }
            open.push(value);
        }
        open.extend(item.elements());
    }
    true
}

/// Returns the JSON pointer that a reference in the same document holds.
pub(crate) fn unfragmented(reference: &str) -> Option<Cow<'_, str>> {
    percent_decoded(reference.strip_prefix('#')?)
}

fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = core::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = rest.get(2..)?;
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    #[test]
    fn pointers_are_decoded_and_followed_anywhere_in_the_schema() {
        let text = r#"{"$defs":{"a/b":{"x":1},"~":true,"é %":{}},"list":[{"k":{}}],"":{}}"#;
        let tape = Tape::parse(text).unwrap();
        for (reference, found) in [
            ("#", Ok(text)),
            ("#/$defs/a~1b", Ok(r#"{"x":1}"#)),
            ("#/$defs/~0", Ok("true")),
            ("#/$defs/%C3%A9%20%25", Ok("{}")),
            ("#/list/0/k", Ok("{}")),
            ("#/", Ok("{}")),
            ("#/$defs/a~1b/x", Err(Reason::DanglingReference)),
            ("#/$defs/__proto__/x", Err(Reason::DanglingReference)),
            ("#anchor", Err(Reason::DanglingReference)),
            ("#/%zz", Err(Reason::DanglingReference)),
            ("https://example.org/x#/a", Err(Reason::ForeignReference)),
            ("file:///etc/passwd", Err(Reason::ForeignReference)),
            ("x.json", Err(Reason::ForeignReference)),
        ] {
            let quoted = alloc::format!("{reference:?}");
            let reference_tape = Tape::parse(&quoted).unwrap();
            let mut pointers = Pointers::default();
            let root = tape.root();
            let seen = pointers.resolve(root, root, reference_tape.root());
            assert_eq!(seen.map(Item::as_str), found, "{reference}");
        }
    }

    #[test]
    fn equal_blocks_of_definitions_are_read_as_one() {
        let text = r##"[{"$defs":{"A":{"$ref":"#/$defs/B"}}},{"$defs":{"A":{"$ref":"#/$defs/B"}}},{"$defs":{"A":{"$ref":"#"}}}]"##;
        let tape = Tape::parse(text).unwrap();
        let roots: Vec<_> = tape.root().elements().collect();
        let mut pointers = Pointers::default();
        let seen: Vec<_> = roots.iter().map(|root| pointers.canonical(*root).index()).collect();
        assert_eq!(seen, [roots[0].index(), roots[0].index(), roots[2].index()]);
    }
}
