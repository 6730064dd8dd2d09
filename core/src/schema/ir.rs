//! What the schemas of a listing mean, as a graph of types.
//!
//! The types of all tools stand in one arena and refer to each other by place, so a recursive schema is a cycle
//! of edges and nothing is ever unfolded. Emitters read this and never a schema.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};
use core::{
    hash::{Hash, Hasher},
    num::NonZeroU32,
};

use super::loss::Reason;
use crate::{json::Item, map::BTreeMap};

/// The place of a type in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// The types of a listing and the tools that use them.
#[derive(Clone, Debug, Default)]
pub struct Types<'t> {
    pub(crate) nodes: Vec<Node<'t>>,
    /// The references to the definitions that types came from, where those have names.
    pub(crate) definitions: BTreeMap<NodeId, Box<str>>,
    /// A value of the listing, from which the others are found by their place.
    pub(crate) text: Option<Item<'t>>,
    /// The tools, in the order of their names.
    pub tools: Vec<ToolType<'t>>,
    /// The types that said more and became any value after their schemas were read, and why.
    pub(crate) cut: BTreeMap<NodeId, Reason>,
}

/// A tool with its types.
#[derive(Clone, Debug)]
pub struct ToolType<'t> {
    /// The name that calls it.
    pub name: Cow<'t, str>,
    /// The server's text about it.
    pub description: Option<Cow<'t, str>>,
    /// What its arguments are: a record whose fields are parameters, or one value.
    pub input: NodeId,
    /// What its structured result is, where declared.
    pub output: Option<NodeId>,
}

/// A type with what is known about its use.
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// What it is.
    pub shape: Shape<'t>,
    /// It leads back to itself.
    pub is_cyclic: bool,
    /// Which nodes it forms a cycle with.
    pub(crate) component: u32,
    /// How many edges lead to it.
    pub uses: u32,
}

impl NodeId {
    /// Returns the place with this number.
    pub(crate) fn at(at: usize) -> Self {
        Self(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

/// What a value may be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape<'t> {
    /// Any JSON value.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Num,
    /// A string.
    Str,
    /// One of some plain values, each listed once.
    Literals(Vec<Literal<'t>>),
    /// A list.
    List(NodeId),
    /// A list of exactly these.
    Tuple(Vec<NodeId>),
    /// An object with any names.
    Map(NodeId),
    /// An object with known names.
    Record(Record<'t>),
    /// A value or `null`.
    Nullable(NodeId),
    /// One of several; none of them is nullable, any or a union.
    Union(Vec<NodeId>),
    /// One of several records that a constant string member tells apart.
    Tagged(Box<Tagged<'t>>),
}

/// An object with known names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Record<'t> {
    /// Its members: the required ones in the order of `required`, then the others as they were declared.
    pub fields: Vec<Field<'t>>,
    /// What other members hold, where the schema says that there may be some.
    pub rest: Option<NodeId>,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field<'t> {
    /// Its name on the wire.
    pub name: Cow<'t, str>,
    /// It may not be left out.
    pub is_required: bool,
    /// What it holds.
    pub node: NodeId,
    /// Where the server's text about it stands; [`Types::note`] reads it.
    pub(crate) note: Option<Place>,
    /// Where its default stands, which the server fills in and we never do; [`Types::fallback`] reads it.
    pub(crate) default: Option<Place>,
    /// Which of the identifiers of a language is the member's; for a generation to fill in.
    pub(crate) label: u32,
}

/// Where a value stands in the listing, which it is not the whole of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(NonZeroU32);

impl Place {
    pub(crate) fn of(item: Item<'_>) -> Option<Self> {
        NonZeroU32::new(item.index()).map(Self)
    }
}

/// Records that a constant string member tells apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tagged<'t> {
    /// The name of the member.
    pub tag: Cow<'t, str>,
    /// Its value in each record, and the record.
    pub variants: Vec<(Cow<'t, str>, NodeId)>,
}

/// A plain constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal<'t> {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that every language holds exactly.
    Int(i64),
    /// A string.
    Str(Cow<'t, str>),
}

/// The kinds of JSON values that a type admits, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// None.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// Booleans.
    pub const BOOL: Self = Self(2);
    /// Numbers.
    pub const NUMBER: Self = Self(4);
    /// Strings.
    pub const STRING: Self = Self(8);
    /// Arrays.
    pub const ARRAY: Self = Self(16);
    /// Objects.
    pub const OBJECT: Self = Self(32);
    /// All of them.
    pub const ALL: Self = Self(63);

    /// Returns the kinds of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether no kind is in both.
    #[must_use]
    pub const fn is_apart(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }
}

impl<'t> Types<'t> {
    /// Adds a type.
    pub(crate) fn push(&mut self, shape: Shape<'t>) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        if self.nodes.len() == self.nodes.capacity() {
            // Doubling would hold twice what a large listing needs.
            self.nodes.reserve_exact(self.nodes.len() / 4 + 16);
        }
        self.nodes.push(Node { shape, is_cyclic: false, component: 0, uses: 0 });
        id
    }

    /// Returns the name of the definition that a type came from.
    #[must_use]
    pub fn hint(&self, id: NodeId) -> Option<&str> {
        self.definitions.get(&id)?.rsplit('/').next()
    }

    /// Returns a number that types which are alike share, and others by accident only.
    pub(crate) fn mark(&self, id: NodeId) -> u64 {
        let mut mark = Mark(0);
        self.hint(id).hash(&mut mark);
        self.shape(id).hash(&mut mark);
        mark.finish()
    }

    /// Returns whether both are written alike: the same type but for the texts about its members.
    pub(crate) fn are_alike(&self, one: NodeId, other: NodeId) -> bool {
        let is_same_field = |(own, other): (&Field<'_>, &Field<'_>)| {
            own.is_required == other.is_required && own.node == other.node && own.name == other.name
        };
        self.hint(one) == self.hint(other)
            && match (self.shape(one), self.shape(other)) {
                (Shape::Record(own), Shape::Record(other)) => {
                    own.rest == other.rest
                        && own.fields.len() == other.fields.len()
                        && own.fields.iter().zip(&other.fields).all(is_same_field)
                }
                (own, other) => own == other,
            }
    }

    /// Returns the server's text about a member.
    #[must_use]
    pub fn note(&self, field: &Field<'t>) -> Option<Cow<'t, str>> {
        self.at(field.note)?.to_str()
    }

    /// Returns the JSON text of a member's default.
    #[must_use]
    pub fn fallback(&self, field: &Field<'t>) -> Option<&'t str> {
        self.at(field.default).map(Item::as_str)
    }

    fn at(&self, place: Option<Place>) -> Option<Item<'t>> {
        Some(self.text?.sibling(place?.0.get()))
    }

    /// Returns what a type is.
    #[must_use]
    pub fn shape(&self, id: NodeId) -> &Shape<'t> {
        self.node(id).map_or(&Shape::Any, |node| &node.shape)
    }

    /// Returns the type at a place; [`None`] only for a place of another arena.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node<'t>> {
        self.nodes.get(id.0 as usize)
    }

    /// Makes a type any value, which its tools have to list as a loss.
    pub(crate) fn cut(&mut self, id: NodeId, reason: Reason) {
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.shape = Shape::Any;
            self.cut.insert(id, reason);
        }
    }

    /// Returns how many types there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there is no type.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the kinds of values that a type admits.
    #[must_use]
    pub fn kinds(&self, id: NodeId) -> Kinds {
        self.kinds_within(id, 8)
    }

    fn kinds_within(&self, id: NodeId, levels: u8) -> Kinds {
        let Some(below) = levels.checked_sub(1) else { return Kinds::ALL };
        match self.shape(id) {
            Shape::Any => Kinds::ALL,
            Shape::Null => Kinds::NULL,
            Shape::Bool => Kinds::BOOL,
            Shape::Int | Shape::Num => Kinds::NUMBER,
            Shape::Str => Kinds::STRING,
            Shape::List(_) | Shape::Tuple(_) => Kinds::ARRAY,
            Shape::Map(_) | Shape::Record(_) | Shape::Tagged(_) => Kinds::OBJECT,
            Shape::Nullable(inner) => self.kinds_within(*inner, below).and(Kinds::NULL),
            Shape::Union(parts) => {
                parts.iter().fold(Kinds::NONE, |all, part| all.and(self.kinds_within(*part, below)))
            }
            Shape::Literals(literals) => literals.iter().fold(Kinds::NONE, |all, literal| {
                all.and(match literal {
                    Literal::Bool(_) => Kinds::BOOL,
                    Literal::Int(_) => Kinds::NUMBER,
                    Literal::Str(_) => Kinds::STRING,
                })
            }),
        }
    }

    /// Returns whether the kind of a value tells which of these types it has.
    #[must_use]
    pub fn are_apart(&self, parts: &[NodeId]) -> bool {
        let mut seen = Kinds::NONE;
        parts.iter().all(|part| {
            let kinds = self.kinds(*part);
            let is_apart = seen.is_apart(kinds);
            seen = seen.and(kinds);
            is_apart
        })
    }

    /// Returns whether an edge between these types closes a cycle.
    #[must_use]
    pub fn is_back_edge(&self, from: NodeId, to: NodeId) -> bool {
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return false };
        to.is_cyclic && from.component == to.component
    }
}

impl Hash for Field<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The texts are left out: a type is the same without them.
        self.name.hash(state);
        (self.is_required, self.node).hash(state);
    }
}

/// A quick hash, whose collisions cost nothing but a type that is generated twice.
struct Mark(u64);

impl Hasher for Mark {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        for word in words.iter().chain([&last]) {
            self.write_u64(u64::from_le_bytes(*word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517C_C1B7_2722_0A95);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Shape<'_> {
    /// Returns whether this is made of nothing.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self, Self::Any | Self::Null | Self::Bool | Self::Int | Self::Num | Self::Str)
    }

    /// Replaces every type that this one is made of.
    pub(crate) fn redirect(&mut self, to: impl Fn(NodeId) -> NodeId) {
        match self {
            Self::Any | Self::Null | Self::Bool | Self::Int | Self::Num | Self::Str | Self::Literals(_) => {}
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => *inner = to(*inner),
            Self::Tuple(parts) | Self::Union(parts) => parts.iter_mut().for_each(|part| *part = to(*part)),
            Self::Tagged(tagged) => tagged.variants.iter_mut().for_each(|(_, id)| *id = to(*id)),
            Self::Record(record) => {
                record.fields.iter_mut().for_each(|field| field.node = to(field.node));
                record.rest = record.rest.map(to);
            }
        }
    }

    /// Hands out every type that this one is made of.
    pub fn edges(&self, mut each: impl FnMut(NodeId)) {
        match self {
            Self::Any | Self::Null | Self::Bool | Self::Int | Self::Num | Self::Str | Self::Literals(_) => {}
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => each(*inner),
            Self::Tuple(parts) | Self::Union(parts) => parts.iter().copied().for_each(each),
            Self::Tagged(tagged) => tagged.variants.iter().for_each(|(_, id)| each(*id)),
            Self::Record(record) => {
                record.fields.iter().for_each(|field| each(field.node));
                record.rest.into_iter().for_each(each);
            }
        }
    }
}
