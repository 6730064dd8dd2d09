//! Gives names to the types that need one, short and in the order in which the functions use them.

use alloc::{borrow::Cow, collections::VecDeque, format, string::String, vec::Vec};

use super::typed::Work;
use crate::{
    map::{BTreeMap, BTreeSet},
    name::{Digest, Language, callable, mangle_label, pascal},
    schema::{
        ir::{NodeId, Shape},
        loss::Reason,
    },
};

/// How many types may nest in each other before one gets a name.
const MAX_NESTING: u32 = 6;

impl Work<'_> {
    /// Gives every member its identifier, and takes records whose members would share one as values of any
    /// shape.
    pub(super) fn untangle_labels(&mut self) {
        if self.language == Language::TypeScript {
            return;
        }
        let mut labels = Labels::default();
        for at in 0..self.types.nodes.len() {
            let Some(Shape::Record(record)) = self.types.nodes.get_mut(at).map(|node| &mut node.shape) else {
                continue;
            };
            let mut clash = None;
            for field in &mut record.fields {
                field.label = labels.of(field.name.clone(), |name| label(name, self.language, self.digest));
                let is_free = labels.take(field.label, at);
                clash = clash.or(if is_free { None } else { Some(field.name.clone()) });
            }
            let Some(clash) = clash else { continue };
            let id = NodeId::at(at);
            let is_input = self.types.tools.iter().any(|tool| tool.input == id);
            let reason = if is_input {
                Reason::LabelCollision(label(&clash, self.language, self.digest))
            } else {
                Reason::FieldCollision
            };
            self.types.cut(id, reason);
        }
        self.labels = labels.finish();
    }

    /// Takes tuples inside of shared tuples as values of any shape, where a type that is only an alias would
    /// unfold: Rust reads a graph of them as the tree that it stands for.
    pub(super) fn cut_tuples(&mut self) {
        if self.language != Language::Rust {
            return;
        }
        for at in 0..self.types.nodes.len() {
            let Some(Shape::Tuple(parts)) = self.types.nodes.get(at).map(|node| &node.shape) else {
                continue;
            };
            if !parts.iter().any(|part| self.names.contains_key(part) && self.is_tuple(*part)) {
                continue;
            }
            self.types.cut(NodeId::at(at), Reason::TooLarge);
        }
    }

    fn is_tuple(&self, id: NodeId) -> bool {
        let mut id = id;
        for _ in 0..MAX_NESTING {
            match self.types.shape(id) {
                Shape::Tuple(_) => return true,
                Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => id = *inner,
                _ => return false,
            }
        }
        true
    }

    /// Gives a name to every type that needs one, in the order in which the functions use them.
    pub(super) fn give_names(&mut self) {
        let mut seen = BTreeSet::new();
        for at in 0..self.functions.len() {
            let Some(tool) = self.types.tools.get(at) else { continue };
            let base = capital(&tool.name);
            let mut open = VecDeque::new();
            // Parameters are written out one by one; a record that is also used elsewhere has a name there.
            let is_shared = self.types.node(tool.input).is_some_and(|node| node.uses > 0);
            if self.parameters(tool.input).is_some() && !self.names_arguments() && !is_shared {
                seen.insert(tool.input);
                self.queue_edges(tool.input, &base, 0, &mut open);
            } else {
                open.push_back((tool.input, base.clone(), 0));
            }
            open.extend(tool.output.map(|output| (output, format!("{base}Result"), 0)));
            while let Some((id, wish, level)) = open.pop_front() {
                if !seen.insert(id) {
                    continue;
                }
                let mut level = level;
                if self.needs_name(id, level) {
                    let hint = self.types.hint(id);
                    let wish = hint.map_or_else(|| wish.clone(), capital);
                    let name = self.identifiers.take(&wish);
                    self.names.insert(id, name);
                    self.order.push(id);
                    if let Some(function) = self.functions.get_mut(at) {
                        function.introduces.push(id);
                    }
                    level = 0;
                }
                self.queue_edges(id, &wish, level, &mut open);
            }
        }
    }

    fn queue_edges(&self, id: NodeId, wish: &str, level: u32, open: &mut VecDeque<(NodeId, String, u32)>) {
        let mut push = |to: NodeId, part: &str| {
            // What is made of nothing never gets a name.
            if self.types.shape(to).is_plain() {
                return;
            }
            open.push_back((to, format!("{}{}", short(wish), capital_part(part)), level + 1));
        };
        match self.types.shape(id) {
            Shape::Record(record) => {
                record.fields.iter().for_each(|field| push(field.node, &field.name));
                record.rest.into_iter().for_each(|rest| push(rest, "rest"));
            }
            Shape::Tagged(tagged) => tagged.variants.iter().for_each(|(value, to)| push(*to, value)),
            Shape::List(inner) | Shape::Map(inner) => push(*inner, "item"),
            shape => shape.edges(|to| push(to, "")),
        }
    }

    const fn names_arguments(&self) -> bool {
        matches!(self.language, Language::Rust)
    }

    fn needs_name(&self, id: NodeId, level: u32) -> bool {
        let Some(node) = self.types.node(id) else { return false };
        let is_plain = matches!(
            node.shape,
            Shape::Any
                | Shape::Null
                | Shape::Bool
                | Shape::Int
                | Shape::Num
                | Shape::Str
                | Shape::Literals(_)
        );
        let is_nominal = match (self.language, &node.shape) {
            (Language::TypeScript, Shape::Record(_)) => node.is_cyclic,
            (Language::TypeScript, _) | (_, Shape::Any) => false,
            (_, Shape::Record(_))
            | (Language::Rust | Language::Gleam, Shape::Literals(_) | Shape::Tagged(_)) => true,
            (Language::Rust | Language::Gleam, Shape::Union(parts)) => self.types.are_apart(parts),
            _ => false,
        };
        is_nominal || !is_plain && (level >= MAX_NESTING || self.types.hint(id).is_some() && node.uses > 1)
    }
}

/// The identifiers of members while they are made: once for each name, however many members have it.
#[derive(Default)]
struct Labels<'t> {
    by_name: BTreeMap<Cow<'t, str>, u32>,
    by_text: BTreeMap<String, u32>,
    /// Which record took each identifier last.
    takers: Vec<Option<usize>>,
}

impl<'t> Labels<'t> {
    fn of(&mut self, name: Cow<'t, str>, make: impl Fn(&str) -> String) -> u32 {
        if let Some(known) = self.by_name.get(&name) {
            return *known;
        }
        let next = u32::try_from(self.takers.len()).unwrap_or(u32::MAX);
        let label = *self.by_text.entry(make(&name)).or_insert(next);
        if label == next {
            self.takers.push(None);
        }
        self.by_name.insert(name, label);
        label
    }

    /// Returns whether a record did not have this identifier yet.
    fn take(&mut self, label: u32, record: usize) -> bool {
        let taker = self.takers.get_mut(label as usize);
        taker.is_none_or(|taker| taker.replace(record) != Some(record))
    }

    fn finish(self) -> Vec<String> {
        let mut texts = alloc::vec![String::new(); self.takers.len()];
        for (text, label) in self.by_text {
            if let Some(slot) = texts.get_mut(label as usize) {
                *slot = text;
            }
        }
        texts
    }
}

/// Makes the identifier of a record's member.
fn label(name: &str, language: Language, digest: Digest) -> String {
    let reserved: &[&str] = match language {
        Language::Gleam => &["options", "rest", "value"],
        Language::Rust | Language::Python => &["rest"],
        Language::TypeScript => &[],
    };
    match language {
        Language::Python => callable(name, Language::Python, reserved, digest),
        language => mangle_label(name, language, reserved, digest),
    }
}

/// Words that a function of the language must not be called, because what we write around it uses them.
pub(super) const fn reserved_callables(language: Language) -> &'static [&'static str] {
    match language {
        Language::TypeScript => &["invoke"],
        Language::Python => &[
            "Json",
            "Literal",
            "TypedDict",
            "ToolResult",
            "Tools",
            "Union",
            "Unset",
            "UNSET",
            "bool",
            "dict",
            "float",
            "int",
            "list",
            "str",
            "object",
            "tuple",
            "property",
        ],
        Language::Rust => &["new"],
        Language::Gleam => &[],
    }
}

pub(super) const fn reserved_types(language: Language) -> &'static [&'static str] {
    match language {
        Language::TypeScript => &TYPESCRIPT_TYPES,
        Language::Python => &PYTHON_TYPES,
        Language::Rust => &RUST_TYPES,
        Language::Gleam => &GLEAM_TYPES,
    }
}

/// Types that the modules of a language mention, besides our own.
const TYPESCRIPT_TYPES: [&str; 19] = [
    "Array",
    "Boolean",
    "Call",
    "Date",
    "Error",
    "Function",
    "Invoke",
    "Json",
    "JsonObject",
    "Map",
    "Number",
    "Object",
    "Promise",
    "Record",
    "Set",
    "String",
    "Symbol",
    "ToolResult",
    "Tools",
];
const PYTHON_TYPES: [&str; 14] = [
    "Any",
    "Base",
    "False",
    "Json",
    "Literal",
    "None",
    "Optional",
    "ToolResult",
    "Tools",
    "True",
    "TypeAlias",
    "TypedDict",
    "Union",
    "Unset",
];
const RUST_TYPES: [&str; 29] = [
    "BTreeMap",
    "Box",
    "Choice",
    "Clone",
    "Constant",
    "Copy",
    "Debug",
    "Decode",
    "Default",
    "Encode",
    "Err",
    "I",
    "Invoke",
    "Json",
    "Mismatch",
    "None",
    "Object",
    "Ok",
    "Option",
    "PartialEq",
    "Path",
    "Reply",
    "Result",
    "Self",
    "Some",
    "String",
    "Tools",
    "Untyped",
    "Vec",
];
const GLEAM_TYPES: [&str; 18] = [
    "BitArray",
    "BitString",
    "Bool",
    "Error",
    "False",
    "Float",
    "Int",
    "List",
    "Nil",
    "None",
    "Object",
    "Ok",
    "Option",
    "Result",
    "Some",
    "String",
    "True",
    "UtfCodepoint",
];

/// Turns a name into one that starts with a capital letter.
pub(super) fn capital(name: &str) -> String {
    let mut pascal = pascal(name);
    if !pascal.starts_with(|first: char| first.is_ascii_uppercase()) {
        pascal.insert(0, 'T');
    }
    pascal.truncate(40);
    pascal
}

fn capital_part(name: &str) -> String {
    let mut part = pascal(name);
    part.truncate(24);
    part
}

fn short(wish: &str) -> &str {
    wish.get(..40).unwrap_or(wish)
}
