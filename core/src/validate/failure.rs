//! What went wrong, in a few words of memory: most failures are forgotten by the branch that follows.

use super::schema::{Id, Rule, Schema};

#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    /// The place of the value.
    pub(super) at: u32,
    pub(super) depth: u32,
    pub(super) schema: Id,
    pub(super) rule: u32,
    pub(super) what: What,
    /// The alternatives that failed alike, where this is one of several.
    pub(super) union: Option<Union>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The rule says it all.
    Rule,
    /// A name of the rule's list is missing; for dependencies also whose.
    Missing { name: u32, owner: u32 },
    /// The schema knows no member of this name.
    Unknown,
    /// Two alternatives match where one may.
    Both(u32, u32),
    /// Two elements are equal.
    Equal(u32, u32),
    /// So many elements match.
    Matching(u64),
}

/// Alternatives at some place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Union {
    pub(super) schema: Id,
    pub(super) rule: u32,
    pub(super) at: u32,
    pub(super) depth: u32,
}

impl Failure {
    pub(super) fn rule_in<'s>(&self, schemas: &'s [Schema]) -> Option<&'s Rule> {
        schemas.get(self.schema as usize)?.rules.get(self.rule as usize)
    }

    /// Returns how far a value got in one of several alternatives at the depth `own`: deeper is closer.
    ///
    /// At one depth, a wrong type of the value itself says that another alternative was meant, and so does,
    /// less surely, a value that is none of those listed: it may be the tag that tells them apart.
    pub(super) fn progress(&self, schemas: &[Schema], own: u32) -> (u32, u32) {
        let inner = u32::from(matches!(self.what, What::Missing { .. }));
        let rank = match self.rule_in(schemas) {
            Some(Rule::Never | Rule::Types(_)) if self.what == What::Rule && self.depth == own => 0,
            Some(Rule::Choice(_)) => 1,
            _ => 2,
        };
        (self.depth + inner, rank)
    }

    /// Returns whether a rule of this schema found something unevaluated.
    pub(super) fn is_unevaluated(&self, schemas: &[Schema], own: Id) -> bool {
        self.schema == own
            && matches!(self.rule_in(schemas), Some(Rule::UnevaluatedItems(_) | Rule::UnevaluatedMembers(_)))
    }
}
