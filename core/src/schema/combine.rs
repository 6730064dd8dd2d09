//! Objects, lists, and schemas that are several at once.

use alloc::{borrow::Cow, vec::Vec};

use super::{
    build::{Builder, Step},
    ir::{Field, NodeId, Record, Shape},
    keywords::Keywords,
    loss::Reason,
};
use crate::{
    json::{Item, Kind},
    map::{BTreeMap, BTreeSet},
};

/// The most members of a record.
const MAX_FIELDS: usize = 1_000;
/// The most schemas that are combined into one.
const MAX_PARTS: usize = 64;
/// The longest list that is a tuple.
const MAX_TUPLE: usize = 8;

/// The members that some schemas declare together.
#[derive(Default)]
struct Declared<'t> {
    order: Vec<Cow<'t, str>>,
    schemas: BTreeMap<Cow<'t, str>, Vec<Item<'t>>>,
    required: Vec<Cow<'t, str>>,
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
        for keyword in bare.iter().flat_map(|part| &part.unchecked) {
            self.loss(Reason::Unchecked(keyword));
        }
        if shaped.len() > 1 {
            // A bare `type: object` adds nothing to what describes an object already.
            let is_bare = |part: &Keywords<'_>| part.is_plain_object() && !part.is_object_like();
            let others = shaped.iter().filter(|part| !is_bare(part)).count();
            if others == 1 {
                shaped.retain(|part| !is_bare(part));
            }
        }
        match shaped.as_slice() {
            [] => Shape::Any,
            [single] => self.shape(single, depth),
            several if several.iter().all(Keywords::is_plain_object) => {
                for keyword in several.iter().flat_map(|part| &part.unchecked) {
                    self.loss(Reason::Unchecked(keyword));
                }
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
        let mut fields = Vec::with_capacity(declared.order.len());
        let demanded: BTreeSet<_> = declared.required.iter().cloned().collect();
        let optional = declared.order.iter().filter(|name| !demanded.contains(*name));
        let all = declared.required.iter().map(|name| (name, true)).chain(optional.map(|name| (name, false)));
        for (name, is_required) in all {
            let schemas = declared.schemas.get(name).map_or(&[][..], Vec::as_slice);
            fields.push(self.field(name, is_required, schemas, rest, depth));
        }
        Shape::Record(Record { fields, rest })
    }

    fn declared(&mut self, parts: &[&Keywords<'t>]) -> Option<Declared<'t>> {
        let mut declared = Declared::default();
        for part in parts {
            let mut own = BTreeSet::new();
            if part.properties.is_some_and(|properties| properties.kind() != Kind::Object) {
                self.loss(Reason::Malformed("properties"));
            }
            for (name, schema) in part.properties.into_iter().flat_map(Item::members) {
                let name = name.to_str().unwrap_or_default();
                if !own.insert(name.clone()) {
                    continue;
                }
                let schemas = declared.schemas.entry(name.clone()).or_default();
                if schemas.is_empty() {
                    declared.order.push(name);
                }
                schemas.push(schema);
            }
        }
        let mut seen = BTreeSet::new();
        for required in parts.iter().filter_map(|part| part.required) {
            let before = declared.required.len();
            let names = required.elements().filter_map(Item::to_str);
            declared.required.extend(names.filter(|name| seen.insert(name.clone())));
            // Draft 3 and careless servers write a boolean here; it demands nothing.
            if required.kind() != Kind::Array || required.elements().any(|name| name.kind() != Kind::String) {
                declared.required.truncate(before);
                self.loss(Reason::Malformed("required"));
            }
        }
        let ghosts = declared.required.iter().filter(|name| !declared.schemas.contains_key(*name)).count();
        (declared.order.len() + ghosts <= MAX_FIELDS).then_some(declared)
    }

    fn field(
        &mut self,
        name: &Cow<'t, str>,
        is_required: bool,
        schemas: &[Item<'t>],
        rest: Option<NodeId>,
        depth: usize,
    ) -> Field<'t> {
        let steps = [Step::Word("properties"), Step::Name(name.clone())];
        let shaped: Vec<_> = distinct(schemas);
        let node = match (shaped.as_slice(), schemas.first()) {
            ([single], _) => self.below(&steps, *single, depth),
            ([], Some(first)) => self.below(&steps, *first, depth),
            ([], None) => match rest {
                Some(rest) => rest,
                None => self.at(&steps, Reason::Undeclared),
            },
            _ => self.at(&steps, Reason::Conflict),
        };
        let keywords = schemas.iter().map(|schema| Keywords::of(*schema));
        let mut text = None;
        let mut fallback = None;
        for keywords in keywords {
            text = text.or_else(|| keywords.note());
            fallback = fallback.or_else(|| keywords.default.map(Item::as_str));
        }
        Field { name: name.clone(), is_required, node, note: text, default: fallback }
    }

    fn at(&mut self, steps: &[Step<'t>], reason: Reason) -> NodeId {
        self.enter(steps);
        let node = self.any_because(reason);
        self.leave(steps.len());
        node
    }

    fn map(&mut self, additional: &[Item<'t>], patterns: &[Item<'t>], depth: usize) -> Shape<'t> {
        let mut values: Vec<_> =
            patterns.iter().copied().flat_map(Item::members).map(|(_, schema)| schema).collect();
        if !values.is_empty() {
            self.loss(Reason::Unchecked("patternProperties"));
        }
        let is_closed = additional.iter().any(|schema| schema.as_bool() == Some(false));
        if is_closed && values.is_empty() {
            return Shape::Record(Record { fields: Vec::new(), rest: None });
        }
        if !is_closed {
            values.extend(additional.first());
        }
        values.truncate(super::build::MAX_ALTERNATIVES);
        let mut nodes: Vec<_> = Vec::with_capacity(values.len());
        for schema in values {
            nodes.push(self.below(&[Step::Word("additionalProperties")], schema, depth));
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
        let rest = if old_tuple.is_some() { keywords.additional_items } else { keywords.items };
        let parts: Vec<_> = list.elements().take(super::build::MAX_ALTERNATIVES).collect();
        let count = |item: Option<Item<'_>>| item.and_then(|item| item.view().as_i64());
        let length = i64::try_from(parts.len()).ok();
        let is_closed =
            rest.is_some_and(|rest| rest.as_bool() == Some(false)) || count(keywords.max_items) == length;
        let is_tuple = is_closed
            && (1..=MAX_TUPLE).contains(&parts.len())
            && count(keywords.min_items).is_none_or(|least| Some(least) == length);
        let mut nodes = Vec::with_capacity(parts.len());
        for (at, part) in parts.into_iter().enumerate() {
            nodes.push(self.below(&[Step::Word("items"), Step::Index(at)], part, depth));
        }
        if is_tuple {
            return Shape::Tuple(nodes);
        }
        self.loss(Reason::WideTuple);
        match rest {
            Some(rest) if rest.as_bool() == Some(false) => {}
            Some(rest) => nodes.push(self.below(&[Step::Word("items")], rest, depth)),
            None => nodes.push(self.push(Shape::Any)),
        }
        Shape::List(self.push(Shape::Union(nodes)))
    }
}

/// Returns the schemas that say something about the shape of a member and are not spelled alike; of several
/// plain ones of one type the one with constants.
fn distinct<'t>(schemas: &[Item<'t>]) -> Vec<Item<'t>> {
    if let [single] = schemas {
        return alloc::vec![*single];
    }
    let mut seen = BTreeSet::new();
    let shaped: Vec<_> = schemas
        .iter()
        .filter(|schema| seen.insert(schema.as_str()) && Keywords::of(**schema).has_shape())
        .map(|schema| (*schema, Keywords::of(*schema)))
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
