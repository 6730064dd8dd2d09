//! Reads a schema into an arena, place by place and without recursion.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};

use super::{
    MAX_SKIPPED, Skipped, keywords,
    pattern::room_for,
    refs::{Pending, Resources},
    schema::{Id, Rule, Schema},
};
use crate::{
    json::{Decimal, Item, Kind, Tape, pointer_to},
    map::BTreeMap,
};

/// The characters of a pointer that a note keeps.
const MAX_POINTER: usize = 1_024;

/// Which edition of JSON Schema a schema is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    /// Draft-07 and before: what stands beside a `$ref` is ignored.
    Draft7,
    Draft2019,
    /// Also the reading of a schema that does not say.
    Draft2020,
}

/// What came of a compilation.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) schemas: Vec<Schema>,
    pub(super) skipped: Vec<Skipped>,
}

pub(super) fn compile(tape: &Tape<'_>) -> Compiled {
    let root = tape.root();
    let dialect = dialect_of(root);
    let mut compiler = Compiler {
        tape,
        dialect,
        compiled: Compiled::default(),
        ids: BTreeMap::new(),
        work: Vec::new(),
        resources: Resources::new(root.index()),
        pending: Vec::new(),
        room: room_for(root.as_str().len()),
    };
    compiler.intern(root, Resources::ROOT);
    compiler.drain();
    while let Some(pending) = compiler.pending.pop() {
        compiler.link(&pending);
        compiler.drain();
    }
    compiler.break_loops();
    compiler.compiled
}

fn dialect_of(root: Item<'_>) -> Dialect {
    let Some(uri) = root.get("$schema").and_then(Item::to_str) else { return Dialect::Draft2020 };
    if ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|draft| uri.contains(draft)) {
        Dialect::Draft7
    } else if uri.contains("2019-09") {
        Dialect::Draft2019
    } else {
        Dialect::Draft2020
    }
}

pub(super) struct Compiler<'t> {
    pub(super) tape: &'t Tape<'t>,
    pub(super) dialect: Dialect,
    pub(super) compiled: Compiled,
    /// Schemas by their place on the tape.
    ids: BTreeMap<u32, Id>,
    work: Vec<Place<'t>>,
    pub(super) resources: Resources<'t>,
    pub(super) pending: Vec<Pending>,
    /// The instructions that are left for patterns.
    pub(super) room: usize,
}

/// A place of the schema and the resource that its references are seen from.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) item: Item<'t>,
    pub(super) id: Id,
    pub(super) resource: u32,
}

impl<'t> Compiler<'t> {
    /// Returns the schema at a place, to be read later if it was not yet.
    pub(super) fn intern(&mut self, item: Item<'t>, resource: u32) -> Id {
        if let Some(id) = self.ids.get(&item.index()) {
            return *id;
        }
        let id = Id::try_from(self.compiled.schemas.len()).unwrap_or(Id::MAX);
        self.compiled.schemas.push(Schema::default());
        self.ids.insert(item.index(), id);
        self.work.push(Place { item, id, resource });
        id
    }

    fn drain(&mut self) {
        while let Some(place) = self.work.pop() {
            self.read(place);
        }
    }

    fn read(&mut self, mut place: Place<'t>) {
        match place.item.kind() {
            Kind::Bool if place.item.as_str() == "true" => {}
            Kind::Bool => self.push(place.id, Rule::Never),
            Kind::Object => {
                let words = Words::read(place.item);
                let is_reference = self.dialect == Dialect::Draft7 && words.get("$ref").is_some();
                if !is_reference {
                    self.resources.enter(&mut place, &words, self.dialect);
                }
                keywords::read(self, place, &words, is_reference);
            }
            _ => self.skip(place, "", "a schema is an object or a boolean"),
        }
    }

    pub(super) fn push(&mut self, id: Id, rule: Rule) {
        if let Some(schema) = self.compiled.schemas.get_mut(id as usize) {
            schema.rules.push(rule);
        }
    }

    pub(super) fn schema_mut(&mut self, id: Id) -> Option<&mut Schema> {
        self.compiled.schemas.get_mut(id as usize)
    }

    /// Notes that a keyword is not checked, so that no verdict rests on it.
    pub(super) fn skip(&mut self, place: Place<'t>, keyword: &str, reason: &str) {
        self.push(place.id, Rule::Unsure);
        self.note(place.item.index(), keyword, reason);
    }

    pub(super) fn note(&mut self, at: u32, keyword: &str, reason: &str) {
        if self.compiled.skipped.len() < MAX_SKIPPED {
            let mut pointer = pointer_to(self.tape, at);
            let end = pointer.char_indices().nth(MAX_POINTER).map_or(pointer.len(), |(end, _)| end);
            pointer.truncate(end);
            self.compiled.skipped.push(Skipped { pointer, keyword: keyword.into(), reason: reason.into() });
        }
    }

    fn link(&mut self, pending: &Pending) {
        let rule = match self.resources.resolve(self.tape, pending) {
            Ok((item, resource)) if matches!(item.kind(), Kind::Object | Kind::Bool) => {
                Rule::Ref(self.intern(item, resource))
            }
            Ok(_) => {
                self.note(pending.at, pending.keyword, "the reference leads to no schema");
                Rule::Unsure
            }
            Err(reason) => {
                self.note(pending.at, pending.keyword, reason);
                Rule::Unsure
            }
        };
        let schema = self.compiled.schemas.get_mut(pending.id as usize);
        if let Some(slot) = schema.and_then(|schema| schema.rules.get_mut(pending.rule)) {
            *slot = rule;
        }
    }

    /// Opens every loop that reaches a schema again at the same value, and marks what is shared.
    fn break_loops(&mut self) {
        let edges: Vec<Vec<(usize, Id)>> = self
            .compiled
            .schemas
            .iter()
            .map(|schema| {
                let rules = schema.rules.iter().enumerate();
                rules.flat_map(|(at, rule)| rule.in_place().into_iter().map(move |id| (at, id))).collect()
            })
            .collect();
        let places: BTreeMap<Id, u32> = self.ids.iter().map(|(at, id)| (*id, *at)).collect();
        for (id, rule) in back_edges(&edges) {
            if let Some(slot) = self.schema_mut(id).and_then(|schema| schema.rules.get_mut(rule)) {
                *slot = Rule::Unsure;
            }
            let at = places.get(&id).copied().unwrap_or_default();
            self.note(at, "$ref", "the reference leads back to itself");
        }
        let mut reached: BTreeMap<Id, usize> = BTreeMap::new();
        for (_, target) in edges.iter().flatten() {
            *reached.entry(*target).or_default() += 1;
        }
        for (schema, own) in self.compiled.schemas.iter_mut().zip(0..) {
            let branches = edges.get(own as usize).map_or(0, Vec::len);
            schema.is_shared = branches > 1 && reached.get(&own).is_some_and(|count| *count > 1);
        }
    }
}

/// Finds the rules that close a loop, with a stack of its own.
fn back_edges(edges: &[Vec<(usize, Id)>]) -> Vec<(Id, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        New,
        Open,
        Done,
    }
    let mut colours = alloc::vec![Colour::New; edges.len()];
    let mut found = Vec::new();
    let mut stack: Vec<(Id, usize)> = Vec::new();
    let colour_of = |colours: &[Colour], id: Id| colours.get(id as usize).copied().unwrap_or(Colour::Done);
    let paint = |colours: &mut [Colour], id: Id, colour| {
        if let Some(slot) = colours.get_mut(id as usize) {
            *slot = colour;
        }
    };
    for start in 0..Id::try_from(edges.len()).unwrap_or(Id::MAX) {
        if colour_of(&colours, start) != Colour::New {
            continue;
        }
        stack.push((start, 0));
        paint(&mut colours, start, Colour::Open);
        while let Some((id, next)) = stack.last_mut() {
            let edge = edges.get(*id as usize).and_then(|edges| edges.get(*next)).copied();
            let Some((rule, target)) = edge else {
                paint(&mut colours, *id, Colour::Done);
                stack.pop();
                continue;
            };
            *next += 1;
            match colour_of(&colours, target) {
                Colour::New => {
                    paint(&mut colours, target, Colour::Open);
                    stack.push((target, 0));
                }
                Colour::Open => found.push((*id, rule)),
                Colour::Done => {}
            }
        }
    }
    found
}

/// The members of one schema object by name; the first of two with one name counts.
pub(super) struct Words<'t> {
    sorted: Vec<(Cow<'t, str>, Item<'t>)>,
}

impl<'t> Words<'t> {
    fn read(item: Item<'t>) -> Self {
        let members = item.members();
        let mut sorted: Vec<_> = members.map(|(name, value)| (name.to_str(), value)).collect();
        // The sort is stable, so that the first of equals stays the first.
        sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
        sorted.dedup_by(|(later, _), (first, _)| later == first);
        Self { sorted }
    }

    pub(super) fn get(&self, name: &str) -> Option<Item<'t>> {
        let at = self.sorted.binary_search_by(|(own, _)| own.as_ref().cmp(name)).ok()?;
        self.sorted.get(at).map(|(_, value)| *value)
    }

    pub(super) fn text(&self, name: &str) -> Option<Cow<'t, str>> {
        self.get(name)?.to_str()
    }

    /// Returns a count; one beyond 64 bits reads as the largest.
    pub(super) fn count(&self, name: &str) -> Option<Result<u64, ()>> {
        let item = self.get(name)?;
        let number = (item.kind() == Kind::Number).then(|| Decimal::new(item.as_str())).flatten();
        Some(match number {
            Some(number) if number.is_whole() && !number.is_negative() => {
                Ok(number.to_u64().unwrap_or(u64::MAX))
            }
            _ => Err(()),
        })
    }

    pub(super) fn number(&self, name: &str) -> Option<Result<String, ()>> {
        let item = self.get(name)?;
        Some(if item.kind() == Kind::Number { Ok(item.as_str().to_string()) } else { Err(()) })
    }
}
