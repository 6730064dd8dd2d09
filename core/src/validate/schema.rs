//! A compiled schema: one entry per place, references as edges.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::pattern::Pattern;
use crate::{
    json::Kind,
    map::{BTreeMap, BTreeSet},
};

/// The number of a schema in its arena.
pub(super) type Id = u32;

/// What one place of a schema demands.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// In the order of checking: cheap ones first, `unevaluated…` last.
    pub(super) rules: Vec<Rule>,
    /// `null` is welcome whatever the rules say (`OpenAPI`'s `nullable`).
    pub(super) is_nullable: bool,
    /// Reached from several places and branching itself: verdicts are worth remembering.
    pub(super) is_shared: bool,
    /// One of the rules asks what the others evaluated.
    pub(super) has_unevaluated: bool,
}

impl Schema {
    pub(super) fn is_never(&self) -> bool {
        matches!(self.rules.first(), Some(Rule::Never))
    }
}

#[derive(Debug)]
pub(super) enum Rule {
    /// Nothing is valid.
    Never,
    /// Something here was skipped, so the answer is open.
    Unsure,
    Types(Types),
    Choice(Box<Choice>),
    Bound(Box<Bound>),
    MultipleOf(String),
    Length(Range),
    Pattern(Box<Pattern>),
    Elements(Range),
    Unique,
    Items(Box<Items>),
    Contains(Box<Contains>),
    MemberCount(Range),
    Required(Vec<String>),
    DependentRequired(Vec<(String, Vec<String>)>),
    DependentSchemas(Vec<(String, Id)>),
    Names(Id),
    Members(Box<Members>),
    Ref(Id),
    All(Vec<Id>),
    Any(Vec<Id>),
    One(Vec<Id>),
    Not(Id),
    If(Box<Conditional>),
    UnevaluatedItems(Id),
    UnevaluatedMembers(Id),
}

impl Rule {
    /// Returns the schemas that apply to the same value.
    pub(super) fn in_place(&self) -> Vec<Id> {
        match self {
            Self::Ref(id) | Self::Not(id) => [*id].into(),
            Self::All(ids) | Self::Any(ids) | Self::One(ids) => ids.clone(),
            Self::DependentSchemas(entries) => entries.iter().map(|(_, id)| *id).collect(),
            Self::If(parts) => {
                [Some(parts.test), parts.then, parts.otherwise].into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A set of the type names of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    const INTEGER: u8 = 1 << 6;
    const NAMES: [(&'static str, u8); 7] = [
        ("null", 1 << Kind::Null as u8),
        ("boolean", 1 << Kind::Bool as u8),
        ("integer", Self::INTEGER),
        ("number", 1 << Kind::Number as u8),
        ("string", 1 << Kind::String as u8),
        ("array", 1 << Kind::Array as u8),
        ("object", 1 << Kind::Object as u8),
    ];

    /// Adds a type. Returns whether there is one of this name.
    pub(super) fn add(&mut self, name: &str) -> bool {
        let bit = Self::NAMES.iter().find(|(own, _)| *own == name).map(|(_, bit)| *bit);
        self.0 |= bit.unwrap_or_default();
        bit.is_some()
    }

    pub(super) fn add_kind(&mut self, kind: Kind) {
        self.0 |= 1 << kind as u8;
    }

    pub(super) const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    pub(super) const fn has_integer(self) -> bool {
        self.0 & Self::INTEGER != 0
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(_, bit)| self.0 & bit != 0).map(|(name, _)| name)
    }
}

/// The values of `enum` or `const`.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) kinds: Types,
    /// Canonical texts.
    pub(super) values: BTreeSet<String>,
    /// The first values as written, for messages.
    pub(super) shown: Vec<String>,
}

/// `minimum`, `maximum` and their exclusive forms.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) is_upper: bool,
    pub(super) is_exclusive: bool,
    pub(super) limit: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Range {
    pub(super) const fn holds(self, count: u64) -> bool {
        self.min <= count && count <= self.max
    }
}

#[derive(Debug)]
pub(super) struct Items {
    pub(super) prefix: Vec<Id>,
    pub(super) rest: Option<Id>,
}

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) schema: Id,
    pub(super) count: Range,
    /// Matching elements count as evaluated.
    pub(super) evaluates: bool,
}

#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) named: BTreeMap<String, Id>,
    pub(super) patterns: Vec<(Pattern, Id)>,
    /// A pattern was skipped, so a name that nothing else matches may be one of its.
    pub(super) has_skipped_pattern: bool,
    pub(super) additional: Option<Id>,
}

#[derive(Debug)]
pub(super) struct Conditional {
    pub(super) test: Id,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
}
