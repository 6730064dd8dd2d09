//! Applies a compiled schema to a value, within a budget of steps.
//!
//! A verdict has three values: where a part of the schema was skipped, the answer is open, and an open
//! answer stays open under `not`, `oneOf` and `if`. Only what is surely wrong is reported.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use super::{
    GaveUp, MAX_LEVELS,
    canon::canonical,
    failure::{Failure, What},
    pattern::Scratch,
    schema::{Bound, Choice, Id, Rule, Schema, Types},
};
use crate::{
    json::{Decimal, Item, Kind, Tape},
    map::BTreeMap,
};

/// The most verdicts that a check remembers.
const MAX_REMEMBERED: usize = 65_536;

#[derive(Clone, Debug)]
pub(super) enum Verdict {
    Yes,
    Unsure,
    /// In a box, since verdicts lie on the stack of a recursion.
    No(Box<Failure>),
}

impl Verdict {
    /// Returns the verdict of both together; the first failure counts.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No(failure), _) | (_, Self::No(failure)) => Self::No(failure),
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unsure,
        }
    }

    pub(super) const fn is_no(&self) -> bool {
        matches!(self, Self::No(_))
    }
}

/// A value and how deep it stands.
#[derive(Clone, Copy)]
pub(super) struct Spot<'t> {
    pub(super) item: Item<'t>,
    pub(super) depth: u32,
}

impl<'t> Spot<'t> {
    pub(super) const fn inner(self, item: Item<'t>) -> Self {
        Self { item, depth: self.depth + 1 }
    }
}

/// A rule at work.
#[derive(Clone, Copy)]
pub(super) struct Here<'t> {
    pub(super) spot: Spot<'t>,
    pub(super) schema: Id,
    pub(super) rule: u32,
    /// Something asks which parts of the value were evaluated.
    pub(super) tracks: bool,
    /// Where the marks of this schema begin.
    pub(super) base: usize,
}

impl Here<'_> {
    pub(super) fn fail(self, what: What) -> Verdict {
        Verdict::No(Box::new(Failure {
            at: self.spot.item.index(),
            depth: self.spot.depth,
            schema: self.schema,
            rule: self.rule,
            what,
            union: None,
        }))
    }

    pub(super) fn expect(self, holds: bool) -> Verdict {
        if holds { Verdict::Yes } else { self.fail(What::Rule) }
    }
}

pub(super) type Step<T = Verdict> = Result<T, GaveUp>;

pub(super) struct Checker<'v, 't> {
    pub(super) schemas: &'v [Schema],
    pub(super) steps: u64,
    level: usize,
    /// The children that were evaluated, by place; a container's own place means all of its children.
    pub(super) marks: Vec<u32>,
    remembered: BTreeMap<(Id, u32), Verdict>,
    pub(super) tape: &'t Tape<'t>,
    pub(super) scratch: Scratch,
}

impl<'v, 't> Checker<'v, 't> {
    pub(super) fn new(schemas: &'v [Schema], tape: &'t Tape<'t>, steps: u64) -> Self {
        Self {
            schemas,
            steps,
            level: 0,
            marks: Vec::new(),
            remembered: BTreeMap::new(),
            tape,
            scratch: Scratch::default(),
        }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Step<()> {
        self.steps = self.steps.checked_sub(steps as u64).ok_or(GaveUp::Steps)?;
        Ok(())
    }

    pub(super) fn apply(&mut self, id: Id, spot: Spot<'t>, tracks: bool) -> Step {
        self.spend(1)?;
        let schemas = self.schemas;
        let Some(schema) = schemas.get(id as usize) else { return Ok(Verdict::Unsure) };
        if schema.is_nullable && spot.item.kind() == Kind::Null {
            return Ok(Verdict::Yes);
        }
        let key = (id, spot.item.index());
        let remembers = schema.is_shared && !tracks;
        if remembers && let Some(verdict) = self.remembered.get(&key) {
            return Ok(verdict.clone());
        }
        if self.level >= MAX_LEVELS {
            return Err(GaveUp::Depth);
        }
        self.level += 1;
        let verdict = self.rules(schema, id, spot, tracks)?;
        self.level -= 1;
        if remembers && self.remembered.len() < MAX_REMEMBERED {
            self.remembered.insert(key, verdict.clone());
        }
        Ok(verdict)
    }

    fn rules(&mut self, schema: &'v Schema, id: Id, spot: Spot<'t>, tracks: bool) -> Step {
        let base = self.marks.len();
        let mut here = Here { spot, schema: id, rule: 0, tracks: tracks || schema.has_unevaluated, base };
        let mut verdict = Verdict::Yes;
        for rule in &schema.rules {
            let own = match self.rule(here, rule)? {
                // What was skipped may have evaluated the rest.
                Verdict::No(failure) if failure.is_unevaluated(self.schemas, id) => match verdict {
                    Verdict::Unsure => Verdict::Unsure,
                    _ => Verdict::No(failure),
                },
                own => own,
            };
            verdict = verdict.and(own);
            if verdict.is_no() {
                break;
            }
            here.rule += 1;
        }
        if verdict.is_no() || !tracks {
            self.marks.truncate(base);
        }
        Ok(verdict)
    }

    fn rule(&mut self, here: Here<'t>, rule: &'v Rule) -> Step {
        let kind = here.spot.item.kind();
        match rule {
            Rule::Ref(id) => self.apply(*id, here.spot, here.tracks),
            Rule::All(ids) => self.all(here, ids),
            Rule::Any(ids) => self.any(here, ids),
            Rule::One(ids) => self.one(here, ids),
            Rule::Not(id) => self.not(here, *id),
            Rule::If(parts) => self.conditional(here, parts),
            Rule::Items(items) if kind == Kind::Array => self.items(here, items),
            Rule::Contains(contains) if kind == Kind::Array => self.contains(here, contains),
            Rule::UnevaluatedItems(id) if kind == Kind::Array => self.unevaluated_items(here, *id),
            Rule::DependentSchemas(entries) if kind == Kind::Object => self.dependent(here, entries),
            Rule::Names(id) if kind == Kind::Object => self.member_names(here, *id),
            Rule::Members(members) if kind == Kind::Object => self.members(here, members),
            Rule::UnevaluatedMembers(id) if kind == Kind::Object => self.unevaluated_members(here, *id),
            _ => self.leaf(here, rule),
        }
    }

    /// Applies a rule that leads to no other schema; its needs do not lie on the stack of the recursion.
    #[inline(never)]
    fn leaf(&mut self, here: Here<'t>, rule: &Rule) -> Step {
        let item = here.spot.item;
        Ok(match (rule, item.kind()) {
            (Rule::Never, _) => here.fail(What::Rule),
            (Rule::Unsure, _) => Verdict::Unsure,
            (Rule::Types(types), _) => here.expect(is_of(*types, item)),
            (Rule::Choice(choice), _) => self.choice(here, choice)?,
            (Rule::Bound(_) | Rule::MultipleOf(_), Kind::Number) => self.number(here, rule)?,
            (Rule::Length(_) | Rule::Pattern(_), Kind::String) => self.string(here, rule)?,
            (Rule::Elements(range), Kind::Array) => {
                let count = item.elements().count();
                self.spend(count / 8)?;
                here.expect(range.holds(count as u64))
            }
            (Rule::Unique, Kind::Array) => self.unique(here)?,
            (Rule::MemberCount(range), Kind::Object) => {
                let count = item.members().count();
                self.spend(count / 8)?;
                here.expect(range.holds(count as u64))
            }
            (Rule::Required(names), Kind::Object) => self.required(here, names, 0)?,
            (Rule::DependentRequired(entries), Kind::Object) => self.dependent_required(here, entries)?,
            _ => Verdict::Yes,
        })
    }

    fn choice(&mut self, here: Here<'t>, choice: &Choice) -> Step {
        let item = here.spot.item;
        if !choice.kinds.has(item.kind()) {
            return Ok(here.fail(What::Rule));
        }
        self.spend(item.as_str().len() / 4)?;
        Ok(here.expect(choice.values.contains(&canonical(item))))
    }

    fn number(&mut self, here: Here<'t>, rule: &Rule) -> Step {
        let text = here.spot.item.as_str();
        self.spend(text.len() / 8)?;
        let Some(number) = Decimal::new(text) else { return Ok(Verdict::Unsure) };
        Ok(match rule {
            Rule::Bound(bound) => {
                is_within(number, bound).map_or(Verdict::Unsure, |holds| here.expect(holds))
            }
            Rule::MultipleOf(divisor) => {
                let holds = Decimal::new(divisor).and_then(|divisor| number.is_multiple_of(divisor));
                holds.map_or(Verdict::Unsure, |holds| here.expect(holds))
            }
            _ => Verdict::Yes,
        })
    }

    fn string(&mut self, here: Here<'t>, rule: &Rule) -> Step {
        let content = here.spot.item.to_str().unwrap_or_default();
        self.spend(content.len() / 32)?;
        Ok(match rule {
            Rule::Length(range) => here.expect(range.holds(content.chars().count() as u64)),
            Rule::Pattern(pattern) => {
                let is_match =
                    pattern.is_match(&content, &mut self.scratch, &mut self.steps).ok_or(GaveUp::Steps)?;
                here.expect(is_match)
            }
            _ => Verdict::Yes,
        })
    }

    /// Returns the names of an object's members, sorted.
    pub(super) fn names(&mut self, object: Item<'t>) -> Step<Vec<Cow<'t, str>>> {
        let mut names: Vec<_> = object.members().map(|(name, _)| name.to_str()).collect();
        self.spend(names.len())?;
        names.sort_unstable();
        Ok(names)
    }
}

fn is_of(types: Types, item: Item<'_>) -> bool {
    types.has(item.kind())
        || types.has_integer()
            && item.kind() == Kind::Number
            && Decimal::new(item.as_str()).is_some_and(Decimal::is_whole)
}

fn is_within(number: Decimal<'_>, bound: &Bound) -> Option<bool> {
    let order = number.cmp(&Decimal::new(&bound.limit)?);
    let order = if bound.is_upper { order } else { order.reverse() };
    Some(order.is_lt() || order.is_eq() && !bound.is_exclusive)
}
