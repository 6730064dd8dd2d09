//! Builds the types of a listing from its schemas, within bounds and without unfolding a reference.

use alloc::{
    borrow::Cow,
    boxed::Box,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    ir::{Literal, NodeId, Shape, ToolType, Types},
    keywords::Keywords,
    loss::{Ledger, Reason},
    passes,
    refs::{Pointers, unfragmented},
};
use crate::{
    codegen::{
        Tool,
        text::{Hidden, clean},
    },
    json::{Item, Kind, push_pointer},
    map::{BTreeMap, BTreeSet},
};

/// The most types of a listing.
pub(super) const MAX_NODES: usize = 20_000;
/// The most types of one tool, so that one does not use up what the others need.
const MAX_TOOL_NODES: usize = 5_000;
/// How deep one schema may nest.
const MAX_DEPTH: usize = 32;
/// The most members of an enumeration, and the most bytes of them.
const MAX_LITERALS: usize = 1_000;
const MAX_LITERAL_BYTES: usize = 32 << 10;
/// The most alternatives of a union.
pub(super) const MAX_ALTERNATIVES: usize = 256;
/// How long a chain of references may be.
const MAX_CHAIN: usize = 64;
/// The whole numbers that every language reads back as they are.
const SAFE: core::ops::RangeInclusive<i64> = -0x1F_FFFF_FFFF_FFFF..=0x1F_FFFF_FFFF_FFFF;

/// A step of the path to the schema that is being read.
#[derive(Clone, Debug)]
pub(super) enum Step<'t> {
    Word(&'static str),
    Name(Cow<'t, str>),
    Index(usize),
}

/// A definition that is referred to and not yet read.
struct Pending<'t> {
    item: Item<'t>,
    node: NodeId,
    path: Cow<'t, str>,
}

pub(super) struct Builder<'t, 'l> {
    pub(super) types: Types<'t>,
    losses: &'l mut Ledger,
    pointers: Pointers<'t>,
    /// The types of schemas that references lead to.
    targets: BTreeMap<u32, NodeId>,
    pending: Vec<Pending<'t>>,
    tool: Cow<'t, str>,
    root: Item<'t>,
    shared: Item<'t>,
    base: String,
    path: Vec<Step<'t>>,
    spent: usize,
}

/// Builds the types of some tools, which come in the order of their names.
pub(crate) fn build<'t>(tools: &[Tool<'t>], losses: &mut Ledger) -> Types<'t> {
    let Some(first) = tools.first() else { return Types::default() };
    let mut builder = Builder {
        types: Types { text: Some(first.input), ..Types::default() },
        losses,
        pointers: Pointers::default(),
        targets: BTreeMap::new(),
        pending: Vec::new(),
        tool: Cow::Borrowed(""),
        root: first.input,
        shared: first.input,
        base: String::new(),
        path: Vec::new(),
        spent: 0,
    };
    for tool in tools {
        builder.tool(tool);
    }
    let mut types = builder.types;
    passes::finish(&mut types);
    types
}

impl<'t> Builder<'t, '_> {
    fn tool(&mut self, tool: &Tool<'t>) {
        self.tool.clone_from(&tool.name);
        self.spent = 0;
        let input = self.input(tool.input);
        let output = tool.output.map(|schema| self.whole(schema, "/outputSchema"));
        self.types.tools.push(ToolType {
            name: tool.name.clone(),
            description: tool.description.clone(),
            input,
            output,
        });
    }

    fn input(&mut self, schema: Item<'t>) -> NodeId {
        let keywords = Keywords::of(schema);
        let fault = match (keywords.properties, keywords.required) {
            _ if schema.kind() != Kind::Object => Some(Reason::NotAnObject),
            (Some(properties), _) if properties.kind() != Kind::Object => Some(Reason::BadProperties),
            (_, Some(required)) if required.kind() != Kind::Array => Some(Reason::BadRequired),
            (_, Some(required)) if required.elements().any(|name| name.kind() != Kind::String) => {
                Some(Reason::BadRequiredName)
            }
            _ if !keywords.has_shape() => Some(Reason::NoType),
            _ => None,
        };
        self.base.clear();
        self.base.push_str("/inputSchema");
        if let Some(reason) = fault {
            return self.any_because(reason);
        }
        // A tool that declares no parameter takes none.
        let is_bare = keywords.kind.is_some_and(|kind| kind.is_str("object"))
            && !keywords.is_object_like()
            && keywords.all_of.is_none()
            && keywords.any_of.is_none()
            && keywords.one_of.is_none()
            && keywords.reference.is_none();
        if is_bare {
            self.restrictions([&keywords]);
            return self.push(Shape::Record(super::ir::Record { fields: Vec::new(), rest: None }));
        }
        self.whole(schema, "/inputSchema")
    }

    /// Reads a schema with everything that it refers to.
    fn whole(&mut self, schema: Item<'t>, base: &str) -> NodeId {
        self.root = schema;
        self.shared = self.pointers.canonical(schema);
        self.base.clear();
        self.base.push_str(base);
        let node = self.node(schema, 0, None);
        while let Some(pending) = self.pending.pop() {
            self.base.clear();
            self.base.push_str(base);
            self.base.push_str(&unfragmented(&pending.path).unwrap_or_default());
            let built = self.node(pending.item, 0, None);
            let shape = self.types.shape(built).clone();
            self.set(pending.node, shape);
        }
        node
    }

    pub(super) fn loss(&mut self, reason: Reason) {
        let mut path = String::with_capacity(self.base.len() + 24 * self.path.len());
        path.push_str(&self.base);
        for step in &self.path {
            match step {
                Step::Word(word) => push_pointer(&mut path, word),
                Step::Name(name) => push_pointer(&mut path, name),
                Step::Index(at) => push_pointer(&mut path, &at.to_string()),
            }
        }
        self.losses.note(&self.tool, &path, reason);
    }

    /// Lists the keywords of some schemas that only restrict a value.
    pub(super) fn restrictions<'k>(&mut self, schemas: impl IntoIterator<Item = &'k Keywords<'t>>)
    where
        't: 'k,
    {
        for keyword in schemas.into_iter().flat_map(|keywords| &keywords.unchecked) {
            self.loss(Reason::Unchecked(keyword));
        }
    }

    pub(super) fn any_because(&mut self, reason: Reason) -> NodeId {
        self.loss(reason);
        self.push(Shape::Any)
    }

    pub(super) fn push(&mut self, shape: Shape<'t>) -> NodeId {
        self.spent += 1;
        self.types.push(shape)
    }

    fn set(&mut self, id: NodeId, shape: Shape<'t>) {
        if let Some(node) = self.types.nodes.get_mut(id.0 as usize) {
            node.shape = shape;
        }
    }

    pub(super) fn enter(&mut self, steps: &[Step<'t>]) {
        self.path.extend_from_slice(steps);
    }

    pub(super) fn leave(&mut self, steps: usize) {
        self.path.truncate(self.path.len().saturating_sub(steps));
    }

    /// Reads a schema one step below the current one.
    pub(super) fn below(&mut self, steps: &[Step<'t>], schema: Item<'t>, depth: usize) -> NodeId {
        self.enter(steps);
        let id = self.node(schema, depth + 1, None);
        self.leave(steps.len());
        id
    }

    /// Reads a schema; `outer` is the type that the schema around it gave to its alternatives.
    pub(super) fn node(&mut self, schema: Item<'t>, depth: usize, outer: Option<Item<'t>>) -> NodeId {
        if depth > MAX_DEPTH || self.spent >= MAX_TOOL_NODES || self.types.len() >= MAX_NODES {
            return self.any_because(Reason::TooLarge);
        }
        match schema.kind() {
            Kind::Bool if schema.as_bool() == Some(true) => return self.push(Shape::Any),
            Kind::Bool => return self.any_because(Reason::NoValue),
            Kind::Object => {}
            _ => return self.any_because(Reason::BadSchema),
        }
        let mut keywords = Keywords::of(schema);
        keywords.kind = keywords.kind.or(outer);
        if let Some(reference) = keywords.reference {
            let kind = keywords.kind;
            (keywords.reference, keywords.kind) = (None, kind.filter(|_| outer.is_none()));
            let stands_alone = !keywords.has_shape();
            (keywords.reference, keywords.kind) = (Some(reference), kind);
            if stands_alone {
                self.restrictions([&keywords]);
                let target = self.follow(reference);
                return if keywords.nullable { self.push(Shape::Nullable(target)) } else { target };
            }
        }
        let shape = self.shape(&keywords, depth);
        if keywords.nullable && !matches!(shape, Shape::Nullable(_) | Shape::Null | Shape::Any) {
            let inner = self.push(shape);
            return self.push(Shape::Nullable(inner));
        }
        self.push(shape)
    }

    /// Returns the type that a reference leads to, which may not have been read yet.
    fn follow(&mut self, reference: Item<'t>) -> NodeId {
        let (item, pointer) = match self.target(reference) {
            Ok(found) => found,
            Err(reason) => return self.any_because(reason),
        };
        if let Some(node) = self.targets.get(&item.index()) {
            return *node;
        }
        if self.spent >= MAX_TOOL_NODES || self.types.len() >= MAX_NODES {
            return self.any_because(Reason::TooLarge);
        }
        let node = self.push(Shape::Any);
        if !pointer.ends_with('/') && *pointer != *"#" {
            self.types.definitions.insert(node, Box::from(&*pointer));
        }
        self.targets.insert(item.index(), node);
        self.pending.push(Pending { item, node, path: pointer });
        node
    }

    /// Follows references that only lead to references, step by step.
    pub(super) fn target(&mut self, reference: Item<'t>) -> Result<(Item<'t>, Cow<'t, str>), Reason> {
        let mut reference = reference;
        let mut seen = Vec::new();
        for _ in 0..MAX_CHAIN {
            let item = self.pointers.resolve(self.root, self.shared, reference)?;
            let pointer = reference.to_str().unwrap_or_default();
            if self.targets.contains_key(&item.index()) {
                return Ok((item, pointer));
            }
            if seen.contains(&item.index()) {
                return Err(Reason::ReferenceLoop);
            }
            let mut keywords = Keywords::of(item);
            let Some(next) = keywords.reference.take() else { return Ok((item, pointer)) };
            if keywords.has_shape() || keywords.nullable {
                return Ok((item, pointer));
            }
            seen.push(item.index());
            reference = next;
        }
        Err(Reason::TooLarge)
    }

    /// Returns what the keywords of a schema describe, `nullable` aside.
    pub(super) fn shape(&mut self, keywords: &Keywords<'t>, depth: usize) -> Shape<'t> {
        if keywords.all_of.is_some() || keywords.reference.is_some() {
            return self.combined(keywords, depth);
        }
        self.restrictions([keywords]);
        if let Some(constant) = keywords.constant {
            return self.literals(core::iter::once(constant));
        }
        if let Some(choices) = keywords.choices {
            if choices.kind() == Kind::Array {
                return self.literals(choices.elements());
            }
            self.loss(Reason::Malformed("enum"));
        }
        let alternatives = [("anyOf", keywords.any_of), ("oneOf", keywords.one_of)]
            .into_iter()
            .find_map(|(word, list)| Some((word, list?)));
        if let Some((word, list)) = alternatives {
            let also = if word == "anyOf" { keywords.one_of } else { None };
            if keywords.has_members() || keywords.is_array_like() {
                self.loss(Reason::Unchecked(word));
            } else {
                if also.is_some() {
                    self.loss(Reason::Unchecked("oneOf"));
                }
                return self.union(word, list, keywords.kind, depth);
            }
        }
        self.by_type(keywords, depth)
    }

    fn literals(&mut self, members: impl Iterator<Item = Item<'t>>) -> Shape<'t> {
        let mut seen = BTreeSet::new();
        let mut list = Vec::new();
        let (mut is_nullable, mut has_number, mut bytes) = (false, false, 0);
        let mut fault = None;
        for member in members {
            let literal = match member.kind() {
                Kind::Null => {
                    is_nullable = true;
                    continue;
                }
                Kind::Bool => Literal::Bool(member.as_bool() == Some(true)),
                Kind::String => Literal::Str(member.to_str().unwrap_or_default()),
                Kind::Number => {
                    let Some(number) = member.view().as_i64().filter(|number| SAFE.contains(number)) else {
                        (has_number, fault) = (true, Some(Reason::OddConstant));
                        continue;
                    };
                    Literal::Int(number)
                }
                Kind::Array | Kind::Object => {
                    self.loss(Reason::OddConstant);
                    return Shape::Any;
                }
            };
            bytes += member.as_str().len();
            if list.len() >= MAX_LITERALS || bytes > MAX_LITERAL_BYTES {
                fault = Some(Reason::TooLarge);
                continue;
            }
            if seen.insert(literal.clone()) {
                list.push(literal);
            }
        }
        if list.is_empty() && fault.is_none() {
            if is_nullable {
                return Shape::Null;
            }
            self.loss(Reason::EmptyEnum);
            return Shape::Any;
        }
        let is_bool = list.len() == 2 && list.iter().all(|literal| matches!(literal, Literal::Bool(_)));
        let shape = match fault {
            None if is_bool => Shape::Bool,
            None => Shape::Literals(list),
            Some(reason) => {
                self.loss(reason);
                widened(&list, has_number)
            }
        };
        if is_nullable && shape != Shape::Any { Shape::Nullable(self.push(shape)) } else { shape }
    }

    fn union(
        &mut self,
        word: &'static str,
        list: Item<'t>,
        outer: Option<Item<'t>>,
        depth: usize,
    ) -> Shape<'t> {
        let count = list.elements().take(MAX_ALTERNATIVES + 1).count();
        if count == 0 || count > MAX_ALTERNATIVES {
            self.loss(if count == 0 { Reason::BadAlternatives } else { Reason::TooLarge });
            return Shape::Any;
        }
        let outer = outer.filter(|kind| kind.kind() == Kind::String);
        let mut parts = Vec::with_capacity(count);
        for (at, alternative) in list.elements().enumerate() {
            self.path.extend([Step::Word(word), Step::Index(at)]);
            parts.push(self.node(alternative, depth + 1, outer));
            self.leave(2);
        }
        Shape::Union(parts)
    }

    fn by_type(&mut self, keywords: &Keywords<'t>, depth: usize) -> Shape<'t> {
        let Some(kind) = keywords.kind else {
            return match (keywords.is_object_like(), keywords.is_array_like()) {
                (true, _) => self.object(&[keywords], depth),
                (false, true) => self.array(keywords, depth),
                (false, false) => Shape::Any,
            };
        };
        if kind.kind() != Kind::Array {
            return self.typed(kind, keywords, depth);
        }
        let mut seen = BTreeSet::new();
        let mut parts = Vec::new();
        for kind in kind.elements().filter(|kind| seen.insert(kind.as_str())).take(8) {
            let shape = self.typed(kind, keywords, depth);
            parts.push(self.push(shape));
        }
        if parts.is_empty() {
            self.loss(Reason::Malformed("type"));
            return Shape::Any;
        }
        Shape::Union(parts)
    }

    fn typed(&mut self, kind: Item<'t>, keywords: &Keywords<'t>, depth: usize) -> Shape<'t> {
        match kind.to_str().as_deref() {
            Some("string") => Shape::Str,
            Some("integer") => Shape::Int,
            Some("number") => Shape::Num,
            Some("boolean") => Shape::Bool,
            Some("null") => Shape::Null,
            Some("object") => self.object(&[keywords], depth),
            Some("array") => self.array(keywords, depth),
            Some(other) => {
                let quoted = format!("\"{}\"", clean(other, 120, Hidden::Extended));
                self.loss(Reason::BeyondSubset(quoted));
                Shape::Any
            }
            None => {
                self.loss(Reason::Malformed("type"));
                Shape::Any
            }
        }
    }
}

/// Returns the plain type that holds every member of an enumeration that is not expressed itself.
fn widened<'t>(list: &[Literal<'_>], has_number: bool) -> Shape<'t> {
    let strings = list.iter().filter(|literal| matches!(literal, Literal::Str(_))).count();
    let numbers = list.iter().filter(|literal| matches!(literal, Literal::Int(_))).count();
    match () {
        () if strings == list.len() && !has_number => Shape::Str,
        () if numbers == list.len() => Shape::Num,
        () => Shape::Any,
    }
}
