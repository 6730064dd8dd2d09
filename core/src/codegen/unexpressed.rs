//! Lists what the emitted form of a tool says less precisely than its types do.
//!
//! Where a type stands is worked out on the way down, so nothing is kept for all the types that lose nothing.

use alloc::{
    borrow::{Cow, ToOwned as _},
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    listing::Tool,
    prose::MAX_LITERAL,
    text::Hidden,
    typed::{MAX_DEFAULT, MAX_NOTE, Work},
};
use crate::{
    json::{Item, push_pointer},
    map::BTreeSet,
    name::Language,
    schema::{
        ir::{Literal, NodeId, Shape, ToolType},
        loss::{Ledger, Reason},
        refs::{Pointers, unfragmented},
    },
};

impl Work<'_> {
    /// Returns whether a type is emitted as any value, although it has parts.
    pub(super) fn is_opaque(&self, id: NodeId) -> bool {
        match (self.language, self.types.shape(id)) {
            (Language::Gleam, Shape::Tuple(_)) => true,
            (Language::Gleam | Language::Rust, Shape::Union(parts)) => !self.types.are_apart(parts),
            _ => false,
        }
    }

    /// Returns what the emitted form of a type leaves out of the type itself, its parts aside.
    fn unexpressed(&self, id: NodeId, is_parameters: bool) -> Option<Reason> {
        match (self.language, self.types.shape(id)) {
            (_, Shape::Any) => self.types.cut.get(&id).cloned(),
            (Language::Gleam, Shape::Tuple(_)) => Some(Reason::UntypedTuple),
            (Language::Python, Shape::Tuple(_)) => Some(Reason::WideTuple),
            (_, Shape::Union(_)) if self.is_opaque(id) => Some(Reason::Overlap),
            (Language::Python, Shape::Record(record)) if record.rest.is_some() && !is_parameters => {
                Some(Reason::OtherMembers)
            }
            // An index signature is as wide as every member, so beside named ones it is any value.
            (Language::TypeScript, Shape::Record(record)) if !record.fields.is_empty() => {
                let rest = record.rest.filter(|rest| *self.types.shape(*rest) != Shape::Any);
                rest.map(|_| Reason::OtherMembers)
            }
            _ => None,
        }
    }
}

/// Lists what the emitted form of every tool leaves out. What tools share is listed once, with the first of them.
pub(super) fn note(work: &Work<'_>, tools: &[Tool<'_>], losses: &mut Ledger) {
    let mut pointers = Pointers::default();
    for ((tool, own), function) in tools.iter().zip(&work.types.tools).zip(&work.functions) {
        let introduced = function.introduces.iter().copied().collect();
        let mut walk =
            Walk { work, own, base: "/inputSchema", schema: tool.input, introduced, pointers, losses };
        walk.down(own.input);
        walk.texts();
        if let (Some(schema), Some(output)) = (tool.output, own.output) {
            (walk.base, walk.schema) = ("/outputSchema", schema);
            walk.down(output);
        }
        pointers = walk.pointers;
    }
}

/// A step from a type to one that it is made of.
#[derive(Clone, Copy)]
enum Step<'w> {
    Same,
    Word(&'static str),
    Field(&'w str),
}

/// The way through the types of one schema.
struct Walk<'w, 't> {
    work: &'w Work<'w>,
    own: &'w ToolType<'w>,
    base: &'static str,
    schema: Item<'t>,
    /// The types with a name that are met here first.
    introduced: BTreeSet<NodeId>,
    pointers: Pointers<'t>,
    losses: &'w mut Ledger,
}

impl<'w> Walk<'w, '_> {
    fn down(&mut self, root: NodeId) {
        let mut roots = Vec::new();
        self.meet(root, "", &mut roots);
        while let Some((root, mut path)) = roots.pop() {
            let mut open = alloc::vec![(root, path.len(), Step::Same)];
            let mut is_met = true;
            while let Some((id, from, step)) = open.pop() {
                path.truncate(from);
                match step {
                    Step::Same => {}
                    Step::Word(word) => push_pointer(&mut path, word),
                    Step::Field(name) => {
                        push_pointer(&mut path, "properties");
                        push_pointer(&mut path, name);
                    }
                }
                if !core::mem::take(&mut is_met) && self.meet(id, &path, &mut roots) {
                    continue;
                }
                let is_parameters = id == self.own.input && !self.work.names.contains_key(&id);
                if let Some(reason) = self.work.unexpressed(id, is_parameters) {
                    self.note(&path, reason);
                }
                self.literals(id, &path);
                self.queue(id, path.len(), &mut open);
            }
        }
    }

    /// Returns whether a type is none to go on with here: it starts a way of its own, or has been listed.
    fn meet(&mut self, id: NodeId, path: &str, roots: &mut Vec<(NodeId, String)>) -> bool {
        if self.work.names.contains_key(&id) && !self.introduced.remove(&id) {
            return true;
        }
        let definition = self.work.types.definitions.get(&id).and_then(|pointer| unfragmented(pointer));
        let is_start = path.is_empty() || definition.is_some();
        if is_start {
            roots.push((id, definition.map_or_else(|| path.to_owned(), Cow::into_owned)));
        }
        is_start
    }

    fn queue(&self, id: NodeId, from: usize, open: &mut Vec<(NodeId, usize, Step<'w>)>) {
        if self.work.is_opaque(id) {
            return;
        }
        match self.work.types.shape(id) {
            Shape::Record(record) => {
                open.extend(record.fields.iter().map(|field| (field.node, from, Step::Field(&field.name))));
                open.extend(record.rest.map(|rest| (rest, from, Step::Word("additionalProperties"))));
            }
            Shape::List(inner) => open.push((*inner, from, Step::Word("items"))),
            Shape::Map(inner) => open.push((*inner, from, Step::Word("additionalProperties"))),
            shape => shape.edges(|to| open.push((to, from, Step::Same))),
        }
    }

    /// Lists a loss at the nearest place that the schema has: types do not know which alternative they were.
    fn note(&mut self, path: &str, reason: Reason) {
        let mut place = self.base.to_string();
        place.push_str(self.pointers.nearest(self.schema, path));
        self.losses.note(&self.own.name, &place, reason);
    }

    /// Lists the literals that a surface cuts: it shows them behind the mark, up to a length.
    fn literals(&mut self, id: NodeId, path: &str) {
        if !matches!(self.work.language, Language::TypeScript | Language::Python) {
            return;
        }
        let is_long = |text: &str| text.len() > MAX_LITERAL && text.chars().count() > MAX_LITERAL;
        match self.work.types.shape(id) {
            Shape::Literals(literals) => {
                for literal in literals {
                    if let Literal::Str(text) = literal
                        && is_long(text)
                    {
                        self.note(path, Reason::LongText(text.len()));
                    }
                }
            }
            Shape::Record(record) => {
                for field in record.fields.iter().filter(|field| is_long(&field.name)) {
                    let path = format!("{path}{}", pointer(&["properties", &field.name]));
                    self.note(&path, Reason::LongText(field.name.len()));
                }
            }
            _ => {}
        }
    }

    /// Lists what is not shown of the texts about parameters.
    fn texts(&mut self) {
        let record = self.work.parameters(self.own.input);
        for field in record.map_or(&[][..], |record| &record.fields) {
            let types = &self.work.types;
            let default = types.fallback(field).map(Cow::Borrowed);
            let texts = [("description", types.note(field), MAX_NOTE), ("default", default, MAX_DEFAULT)];
            for (member, text, max) in texts {
                for reason in text_losses(text.as_deref().unwrap_or_default(), max, Hidden::Extended) {
                    self.note(&pointer(&["properties", &field.name, member]), reason);
                }
            }
        }
    }
}

fn pointer(steps: &[&str]) -> String {
    let mut pointer = String::new();
    for step in steps {
        push_pointer(&mut pointer, step);
    }
    pointer
}

/// Returns what is lost of a text that is cleaned and cut.
pub(super) fn text_losses(text: &str, max: usize, hidden: Hidden) -> Vec<Reason> {
    let hidden = hidden.count(text);
    let is_long = text.len() > max && text.chars().count() > max;
    let hidden = (hidden > 0).then_some(Reason::HiddenText(hidden));
    hidden.into_iter().chain(is_long.then_some(Reason::LongText(text.len()))).collect()
}
