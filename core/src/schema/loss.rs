//! What a generated type says less precisely than the schema did, and why.

use alloc::{borrow::ToOwned as _, string::String};

/// A place where something of a listing is not, or not fully, expressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The original name of the tool; for an entry without a usable name, its index as `#3`.
    pub tool: String,
    /// A JSON pointer into the tool's entry.
    pub path: String,
    /// What was lost there.
    pub reason: Reason,
}

/// Why a part of a schema became any value, or a wider type than it asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The top level is no object.
    #[error("the schema is not an object")]
    NotAnObject,
    /// The top level has another type.
    #[error("the top-level type is {0}, not \"object\"")]
    TopLevelType(String),
    /// The top level has no type.
    #[error("the schema declares no type")]
    NoType,
    /// The member `properties` is no object.
    #[error("`properties` is not an object")]
    BadProperties,
    /// The member `required` is no array.
    #[error("`required` is not an array")]
    BadRequired,
    /// The member `required` holds something else than names.
    #[error("`required` holds something that is not a string")]
    BadRequiredName,
    /// A parameter is demanded and nowhere described.
    #[error("required but not declared")]
    Undeclared,
    /// A schema is `true`, or says nothing.
    #[error("any value is allowed")]
    AnyValue,
    /// A schema is `false`.
    #[error("the schema `false` allows no value")]
    NoValue,
    /// A schema is neither an object nor a boolean.
    #[error("the schema is not an object")]
    BadSchema,
    /// A type that the generator does not know, or that profile `loom` leaves as it is.
    #[error("type {0} is beyond the typed subset")]
    BeyondSubset(String),
    /// Several types at once, in profile `loom`.
    #[error("a list of types is beyond the typed subset")]
    TypeList,
    /// A keyword instead of a type, in profile `loom`.
    #[error("`{0}` is beyond the typed subset")]
    Combinator(&'static str),
    /// An array whose elements are beyond profile `loom`.
    #[error("a list of anything but plain values is beyond the typed subset")]
    NestedList,
    /// Two parameters would get one label.
    #[error("two parameters would be called {0}")]
    LabelCollision(String),
    /// A reference to something that is not there.
    #[error("the reference leads nowhere")]
    DanglingReference,
    /// A reference out of the listing, which is never followed.
    #[error("a reference out of the schema is never followed")]
    ForeignReference,
    /// References that only lead to each other.
    #[error("the reference leads back to itself")]
    ReferenceLoop,
    /// A schema beyond the bounds on nodes, depth or members.
    #[error("the schema is larger than the generator reads")]
    TooLarge,
    /// A combination of schemas that no single type expresses.
    #[error("the parts of `allOf` do not combine to one type")]
    Conflict,
    /// Alternatives that cannot be told apart by what they hold.
    #[error("the alternatives cannot be told apart")]
    Overlap,
    /// An enumeration without members.
    #[error("the enumeration is empty")]
    EmptyEnum,
    /// Members of an enumeration or a constant that no literal type expresses.
    #[error("a constant that is no plain value is not expressed")]
    OddConstant,
    /// A list of alternatives that is empty or no list.
    #[error("the alternatives are not a list")]
    BadAlternatives,
    /// Keywords that restrict the value and are left to the engine's check.
    #[error("`{0}` is checked when called, not by the type")]
    Unchecked(&'static str),
    /// A keyword that does not have the shape that the specification gives it.
    #[error("`{0}` is malformed and ignored")]
    Malformed(&'static str),
    /// A tuple that is too long or open, or in a language whose lists are the only arrays.
    #[error("a tuple is expressed as a list")]
    WideTuple,
    /// A tuple in a language that has no type for it here.
    #[error("a tuple is passed as a plain value")]
    UntypedTuple,
    /// Members of an object that are allowed beside the named ones.
    #[error("members beside the named ones are not typed")]
    OtherMembers,
    /// An optional parameter, in profile `loom`.
    #[error("an optional parameter is beyond the typed subset")]
    UntypedOptional,
    /// Two fields of one record would get one name.
    #[error("two fields would have one name")]
    FieldCollision,
    /// A whole tool could not be generated.
    #[error("the tool is left out: {0}")]
    Dropped(String),
    /// A result schema, in profile `loom`.
    #[error("a result is beyond the typed subset")]
    UntypedResult,
    /// Characters that a reader cannot see.
    #[error("{0} hidden characters were removed")]
    HiddenText(usize),
    /// A text longer than its bound.
    #[error("a text of {0} bytes was cut")]
    LongText(usize),
    /// More losses than are kept.
    #[error("{0} further losses are not listed")]
    More(usize),
}

/// Collects losses up to a bound, and counts those beyond it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    losses: alloc::vec::Vec<Loss>,
    text_bytes: usize,
    beyond: usize,
}

/// The most losses that a generation lists.
const MAX_LOSSES: usize = 10_000;
/// The most bytes of the names and paths that it lists: a long name costs the same at every loss of its tool.
const MAX_LOSS_BYTES: usize = 1 << 20;

impl Ledger {
    pub(crate) fn note(&mut self, tool: &str, path: &str, reason: Reason) {
        let bytes = self.text_bytes + tool.len() + path.len();
        if self.losses.len() >= MAX_LOSSES || bytes > MAX_LOSS_BYTES {
            self.beyond += 1;
            return;
        }
        self.text_bytes = bytes;
        self.losses.push(Loss { tool: tool.to_owned(), path: path.to_owned(), reason });
    }

    /// Counts losses that are known by their number alone.
    pub(crate) const fn pass_over(&mut self, count: usize) {
        self.beyond += count;
    }

    pub(crate) fn finish(mut self) -> alloc::vec::Vec<Loss> {
        self.losses.sort_by(|a, b| (&a.tool, &a.path).cmp(&(&b.tool, &b.path)));
        if self.beyond > 0 {
            let reason = Reason::More(self.beyond);
            self.losses.push(Loss { tool: String::new(), path: String::new(), reason });
        }
        self.losses
    }
}
