//! Objects, lists, and schemas that are several at once.

use alloc::{borrow::Cow, vec::Vec};

use super::{
    build::{Builder, MAX_ALTERNATIVES, Step},
    ir::{Field, NodeId, Place, Record, Shape},
    keywords::Keywords,
    loss::Reason,
};
use crate::{
    json::{Item, Kind},
    map::{BTreeMap, BTreeSet},
};

/// The most members of a record.
const MAX_FIELDS: usize = 1_000;
/// The most bytes that their names have together: one name must not fill the module of all tools.
const MAX_FIELD_BYTES: usize = 64 << 10;
/// The most schemas that are combined into one.
const MAX_PARTS: usize = 64;
/// The longest list that is a tuple.
const MAX_TUPLE: usize = 8;

/// The members that some schemas declare together.
#[derive(Default)]
struct Declared<'t> {
    names: Names<'t>,
    /// The members, in the order of their names.
    members: Vec<Member<'t>>,
    required: Vec<Cow<'t, str>>,
}

/// Names in the order in which they came, each once.
#[derive(Default)]
struct Names<'t> {
    list: Vec<Cow<'t, str>>,
    /// The places of all of them, once there are too many to compare each.
    places: BTreeMap<Cow<'t, str>, usize>,
}

/// How many names are looked through one by one.
const FEW: usize = 12;

/// A member with the schemas that it must match, one from each part that declares it.
struct Member<'t> {
    first: Item<'t>,
    others: Vec<Item<'t>>,
    last_part: usize,
    is_required: bool,
}

impl<'t> Builder<'t, '_> {
    /// Reads `allOf`, or a reference with other keywords beside it, as one schema.
    pub(super) fn combined(&mut self, keywords: &Keywords<'t>, depth: usize) -> Shape<'t> {
        let parts = match self.gather(keywords) {
            Ok(parts) => parts,
            Err(reason) => {
                self.loss(reason);
                return Shape::Any;
            }
        };
        let (mut shaped, bare): (Vec<_>, Vec<_>) = parts.into_iter().partition(Keywords::has_shape);
        self.restrictions(&bare);
        if shaped.len() > 1 {
            // A bare `type: object` adds nothing to what describes an object already.
            let is_bare = |part: &Keywords<'_>| part.is_plain_object() && !part.is_object_like();
            let others = shaped.iter().filter(|part| !is_bare(part)).count();
            if others == 1 {
                self.restrictions(shaped.iter().filter(|part| is_bare(part)));
                shaped.retain(|part| !is_bare(part));
            }
        }
        match shaped.as_slice() {
            [] => Shape::Any,
            [single] => self.shape(single, depth),
            several if several.iter().all(Keywords::is_plain_object) => {
                self.restrictions(several);
                self.object(&several.iter().collect::<Vec<_>>(), depth)
            }
            several => self.mixed(several, depth),
        }
    }

    /// Combines schemas that are not all plain objects, where one of them says the most.
    fn mixed(&mut self, parts: &[Keywords<'t>], depth: usize) -> Shape<'t> {
        let objects: Vec<_> = parts.iter().filter(|part| part.is_plain_object()).collect();
        let alternatives = parts.iter().filter(|part| part.any_of.is_some() || part.one_of.is_some());
        if !objects.is_empty() && objects.len() + alternatives.count() == parts.len() {
            self.loss(Reason::Unchecked("anyOf"));
            self.restrictions(parts);
            return self.object(&objects, depth);
        }
        let kinds: BTreeSet<_> = parts.iter().filter_map(|part| part.kind.map(Item::as_str)).collect();
        let mut exact = parts.iter().filter(|part| part.constant.is_some() || part.choices.is_some());
        let is_scalar =
            kinds.len() == 1 && parts.iter().all(|part| !part.is_object_like() && !part.is_array_like());
        let has_alternatives = parts.iter().any(|part| part.any_of.is_some() || part.one_of.is_some());
        let (first, second) = (exact.next(), exact.next());
        if let (true, Some(chosen), None) = (is_scalar && !has_alternatives, first.or(parts.first()), second)
        {
            self.restrictions(parts.iter().filter(|part| !core::ptr::eq(*part, chosen)));
            return self.shape(chosen, depth);
        }
        self.loss(Reason::Conflict);
        Shape::Any
    }

    /// Collects the schemas that hold at once, references resolved, without `allOf` and `$ref`.
    fn gather(&mut self, keywords: &Keywords<'t>) -> Result<Vec<Keywords<'t>>, Reason> {
        let mut parts = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = alloc::vec![keywords.clone()];
        while let Some(mut part) = open.pop() {
            if parts.len() + open.len() > MAX_PARTS {
                return Err(Reason::TooLarge);
            }
            let mut inner = Vec::new();
            if let Some(reference) = part.reference.take() {
                let (item, _) = self.target(reference)?;
                if !seen.insert(item.index()) {
                    return Err(Reason::ReferenceLoop);
                }
                inner.push(item);
            }
            if let Some(list) = part.all_of.take() {
                if list.kind() != Kind::Array {
                    return Err(Reason::Malformed("allOf"));
                }
                inner.extend(list.elements().take(MAX_PARTS + 1));
            }
            parts.push(part);
            for item in inner.into_iter().rev() {
                match item.kind() {
                    Kind::Object => open.push(Keywords::of(item)),
                    Kind::Bool if item.as_bool() == Some(true) => {}
                    Kind::Bool => return Err(Reason::NoValue),
                    _ => return Err(Reason::BadSchema),
                }
            }
        }
        Ok(parts)
    }

    /// Reads an object that one or several schemas describe by their members.
    pub(super) fn object(&mut self, parts: &[&Keywords<'t>], depth: usize) -> Shape<'t> {
        let Some(declared) = self.declared(parts) else {
            self.loss(Reason::TooLarge);
            let any = self.push(Shape::Any);
            return Shape::Map(any);
        };
        let additional: Vec<_> = parts.iter().filter_map(|part| part.additional).collect();
        let patterns: Vec<_> = parts.iter().filter_map(|part| part.patterns).collect();
        let has_properties = parts.iter().any(|part| part.properties.is_some());
        if !has_properties && declared.required.is_empty() {
            return self.map(&additional, &patterns, depth);
        }
        let rest = self.rest(&additional, &patterns, depth);
        let mut fields = Vec::with_capacity(declared.members.len());
        for name in &declared.required {
            let member = declared.names.find(name).and_then(|at| declared.members.get(at));
            fields.push(self.field(name, true, member, rest, depth));
        }
        for (name, member) in declared.names.list.iter().zip(&declared.members) {
            if !member.is_required {
                fields.push(self.field(name, false, Some(member), rest, depth));
            }
        }
        Shape::Record(Record { fields, rest })
    }

    fn declared(&mut self, parts: &[&Keywords<'t>]) -> Option<Declared<'t>> {
        let mut declared = Declared::default();
        for (at, part) in parts.iter().enumerate() {
            if part.properties.is_some_and(|properties| properties.kind() != Kind::Object) {
                self.loss(Reason::Malformed("properties"));
            }
            for (name, schema) in part.properties.into_iter().flat_map(Item::members) {
                declared.add(name.to_str(), schema, at);
            }
        }
        let mut seen = Names::default();
        for required in parts.iter().filter_map(|part| part.required) {
            let before = declared.required.len();
            let names = required.elements().filter_map(Item::to_str);
            declared.required.extend(names.filter(|name| seen.add(name.clone()).is_none()));
            // Draft 3 and careless servers write a boolean here; it demands nothing.
            if required.kind() != Kind::Array || required.elements().any(|name| name.kind() != Kind::String) {
                declared.required.truncate(before);
                self.loss(Reason::Malformed("required"));
            }
        }
        let bytes: usize = declared.names.list.iter().chain(&seen.list).map(|name| name.len()).sum();
        if bytes > MAX_FIELD_BYTES {
            return None;
        }
        let mut ghosts = 0;
        for name in &declared.required {
            let place = declared.names.find(name);
            match place.and_then(|at| declared.members.get_mut(at)) {
                Some(member) => member.is_required = true,
                None => ghosts += 1,
            }
        }
        (declared.members.len() + ghosts <= MAX_FIELDS).then_some(declared)
    }

    fn field(
        &mut self,
        name: &Cow<'t, str>,
        is_required: bool,
        member: Option<&Member<'t>>,
        rest: Option<NodeId>,
        depth: usize,
    ) -> Field<'t> {
        let steps = [Step::Word("properties"), Step::Name(name.clone())];
        let node = match (member, rest) {
            (Some(member), _) => match member.chosen() {
                Some(schema) => {
                    self.enter(&steps);
                    for other in member.schemas().filter(|other| other.index() != schema.index()) {
                        self.restrictions([&Keywords::of(other)]);
                    }
                    self.leave(steps.len());
                    self.below(&steps, schema, depth)
                }
                None => self.at(&steps, Reason::Conflict),
            },
            (None, Some(rest)) => rest,
            (None, None) => self.at(&steps, Reason::Undeclared),
        };
        let (mut text, mut default) = (None, None);
        for schema in member.into_iter().flat_map(Member::schemas) {
            let [about, given] = schema.pick(["description", "default"]);
            text = text.or_else(|| about.filter(|about| about.kind() == Kind::String).and_then(Place::of));
            default = default.or_else(|| given.and_then(Place::of));
        }
        Field { name: name.clone(), is_required, node, note: text, default, label: 0 }
    }

    fn at(&mut self, steps: &[Step<'t>], reason: Reason) -> NodeId {
        self.enter(steps);
        let node = self.any_because(reason);
        self.leave(steps.len());
        node
    }

    fn map(&mut self, additional: &[Item<'t>], patterns: &[Item<'t>], depth: usize) -> Shape<'t> {
        let named = patterns.iter().copied().flat_map(Item::members);
        let mut values: Vec<_> = named
            .map(|(name, schema)| {
                let name = Step::Name(name.to_str());
                (alloc::vec![Step::Word("patternProperties"), name], schema)
            })
            .take(MAX_ALTERNATIVES + 1)
            .collect();
        if !values.is_empty() {
            self.loss(Reason::Unchecked("patternProperties"));
        }
        let is_closed = additional.iter().any(|schema| schema.as_bool() == Some(false));
        if is_closed && values.is_empty() {
            return Shape::Record(Record { fields: Vec::new(), rest: None });
        }
        if !is_closed {
            values.extend(
                additional.first().map(|first| (alloc::vec![Step::Word("additionalProperties")], *first)),
            );
        }
        if additional.len() > 1 {
            self.loss(Reason::Unchecked("additionalProperties"));
        }
        if values.len() > MAX_ALTERNATIVES {
            let any = self.any_because(Reason::TooLarge);
            return Shape::Map(any);
        }
        let mut nodes: Vec<_> = Vec::with_capacity(values.len());
        for (steps, schema) in values {
            nodes.push(self.below(&steps, schema, depth));
        }
        let inner = match nodes.as_slice() {
            [] => self.push(Shape::Any),
            [single] => *single,
            _ => self.push(Shape::Union(nodes)),
        };
        Shape::Map(inner)
    }

    fn rest(&mut self, additional: &[Item<'t>], patterns: &[Item<'t>], depth: usize) -> Option<NodeId> {
        if patterns.iter().any(|patterns| patterns.members().next().is_some()) {
            self.loss(Reason::Unchecked("patternProperties"));
            return Some(self.push(Shape::Any));
        }
        let mut open = additional.iter().filter(|schema| schema.as_bool() != Some(false));
        let (first, second) = (open.next()?, open.next());
        if second.is_some() {
            self.loss(Reason::Unchecked("additionalProperties"));
            return Some(self.push(Shape::Any));
        }
        Some(self.below(&[Step::Word("additionalProperties")], *first, depth))
    }

    pub(super) fn array(&mut self, keywords: &Keywords<'t>, depth: usize) -> Shape<'t> {
        let old_tuple = keywords.items.filter(|items| items.kind() == Kind::Array);
        let list = keywords.prefix_items.filter(|items| items.kind() == Kind::Array).or(old_tuple);
        let Some(list) = list else {
            let Some(items) = keywords.items else {
                let any = self.push(Shape::Any);
                return Shape::List(any);
            };
            return Shape::List(self.below(&[Step::Word("items")], items, depth));
        };
        let word = if keywords.prefix_items.is_some_and(|items| items.kind() == Kind::Array) {
            "prefixItems"
        } else {
            "items"
        };
        let rest = if old_tuple.is_some() { keywords.additional_items } else { keywords.items };
        let parts: Vec<_> = list.elements().take(MAX_ALTERNATIVES + 1).collect();
        if parts.len() > MAX_ALTERNATIVES {
            return Shape::List(self.any_because(Reason::TooLarge));
        }
        let count = |item: Option<Item<'_>>| item.and_then(|item| item.view().as_i64());
        let length = i64::try_from(parts.len()).ok();
        let is_closed =
            rest.is_some_and(|rest| rest.as_bool() == Some(false)) || count(keywords.max_items) == length;
        let is_tuple = is_closed
            && (1..=MAX_TUPLE).contains(&parts.len())
            && count(keywords.min_items).is_none_or(|least| Some(least) == length);
        let mut nodes = Vec::with_capacity(parts.len());
        for (at, part) in parts.into_iter().enumerate() {
            nodes.push(self.below(&[Step::Word(word), Step::Index(at)], part, depth));
        }
        if is_tuple {
            return Shape::Tuple(nodes);
        }
        self.loss(Reason::WideTuple);
        match rest {
            Some(rest) if rest.as_bool() == Some(false) => {}
            Some(rest) => {
                let word = if old_tuple.is_some() { "additionalItems" } else { "items" };
                nodes.push(self.below(&[Step::Word(word)], rest, depth));
            }
            None => nodes.push(self.push(Shape::Any)),
        }
        Shape::List(self.push(Shape::Union(nodes)))
    }
}

impl<'t> Declared<'t> {
    /// Adds what a part says about a member; of a name that a part repeats, the first counts.
    fn add(&mut self, name: Cow<'t, str>, schema: Item<'t>, part: usize) {
        let Some(at) = self.names.add(name) else {
            let others = Vec::new();
            return self.members.push(Member { first: schema, others, last_part: part, is_required: false });
        };
        if let Some(member) = self.members.get_mut(at).filter(|known| known.last_part != part) {
            member.others.push(schema);
            member.last_part = part;
        }
    }
}

impl<'t> Names<'t> {
    fn find(&self, name: &str) -> Option<usize> {
        if self.list.len() > FEW {
            return self.places.get(name).copied();
        }
        self.list.iter().position(|known| known == name)
    }

    /// Adds a name; returns its place if it was there.
    fn add(&mut self, name: Cow<'t, str>) -> Option<usize> {
        let found = self.find(&name);
        if found.is_some() {
            return found;
        }
        self.list.push(name);
        let unplaced = self.list.iter().enumerate().skip(self.places.len());
        if self.list.len() > FEW {
            self.places.extend(unplaced.map(|(at, name)| (name.clone(), at)));
        }
        None
    }
}

impl<'t> Member<'t> {
    fn schemas(&self) -> impl Iterator<Item = Item<'t>> {
        core::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Returns the schema that the member is read from; none if several of them differ.
    fn chosen(&self) -> Option<Item<'t>> {
        if self.others.is_empty() {
            return Some(self.first);
        }
        match distinct(self.schemas()).as_slice() {
            [] => Some(self.first),
            [single] => Some(*single),
            _ => None,
        }
    }
}

/// Returns the schemas that say something about the shape of a member and are not spelled alike; of several
/// plain ones of one type the one with constants.
fn distinct<'t>(schemas: impl Iterator<Item = Item<'t>>) -> Vec<Item<'t>> {
    let mut seen = BTreeSet::new();
    let shaped: Vec<_> = schemas
        .filter(|schema| seen.insert(schema.as_str()))
        .map(|schema| (schema, Keywords::of(schema)))
        .filter(|(_, keywords)| keywords.has_shape())
        .collect();
    let kinds: BTreeSet<_> = shaped.iter().map(|(_, keywords)| keywords.kind.map(Item::as_str)).collect();
    let is_exact = |keywords: &Keywords<'_>| keywords.choices.is_some() || keywords.constant.is_some();
    let is_scalar = |keywords: &Keywords<'_>| {
        let kind = keywords.kind.and_then(Item::to_str);
        kind.is_some_and(|kind| ["string", "integer", "number", "boolean"].contains(&&*kind))
            && keywords.any_of.is_none()
            && keywords.one_of.is_none()
            && keywords.all_of.is_none()
            && keywords.reference.is_none()
    };
    let exact = shaped.iter().filter(|(_, keywords)| is_exact(keywords)).count();
    if shaped.len() > 1
        && kinds.len() == 1
        && exact < 2
        && shaped.iter().all(|(_, keywords)| is_scalar(keywords))
    {
        let chosen = shaped.iter().find(|(_, keywords)| is_exact(keywords)).or(shaped.first());
        return chosen.map(|(schema, _)| *schema).into_iter().collect();
    }
    shaped.into_iter().map(|(schema, _)| schema).collect()
}
