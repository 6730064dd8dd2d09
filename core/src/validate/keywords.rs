//! Reads the keywords of one schema object into rules.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    canon::canonical,
    compile::{Compiler, Dialect, Place, Words},
    pattern::Pattern,
    refs::Pending,
    schema::{Bound, Choice, Conditional, Contains, Id, Items, Members, Range, Rule, Types},
};
use crate::{
    json::{Decimal, Item, Kind},
    map::BTreeSet,
};

/// The most values of an `enum` that a message can show.
const MAX_SHOWN_VALUES: usize = 12;

type Make<T> = fn(T) -> Rule;

/// Reads all that stands in one schema object.
pub(super) fn read<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>, is_reference: bool) {
    for container in ["$defs", "definitions"] {
        for (_, schema) in words.get(container).into_iter().flat_map(Item::members) {
            to.intern(schema, place.resource);
        }
    }
    if is_reference {
        reference(to, place, words, "$ref");
        return;
    }
    if words.get("nullable").is_some_and(|flag| flag.as_str() == "true")
        && let Some(schema) = to.schema_mut(place.id)
    {
        schema.is_nullable = true;
    }
    types(to, place, words);
    choices(to, place, words);
    numbers(to, place, words);
    strings(to, place, words);
    objects(to, place, words);
    arrays(to, place, words);
    combinations(to, place, words);
    if to.dialect > Dialect::Draft7 {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            reference(to, place, words, keyword);
        }
        unevaluated(to, place, words);
    }
}

fn reference<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>, keyword: &'static str) {
    let Some(item) = words.get(keyword) else { return };
    let Some(target) = item.to_str() else {
        to.skip(place, keyword, "the reference is not a string");
        return;
    };
    let rule = to.schema_mut(place.id).map_or(0, |schema| schema.rules.len());
    to.push(place.id, Rule::Unsure);
    to.pending.push(Pending {
        id: place.id,
        rule,
        at: place.item.index(),
        resource: place.resource,
        keyword,
        target: target.into_owned(),
    });
}

fn types<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    let Some(item) = words.get("type") else { return };
    let mut types = Types::default();
    let is_known = match item.kind() {
        Kind::String => types.add(&item.to_str().unwrap_or_default()),
        Kind::Array => {
            let mut names = item.elements();
            names.all(|name| name.to_str().is_some_and(|name| types.add(&name)))
        }
        _ => false,
    };
    if is_known {
        to.push(place.id, Rule::Types(types));
    } else {
        to.skip(place, "type", "the type is not one of JSON");
    }
}

fn choices<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    if let Some(value) = words.get("const") {
        to.push(place.id, choice([value].into_iter()));
    }
    match words.get("enum") {
        Some(values) if values.kind() == Kind::Array => to.push(place.id, choice(values.elements())),
        Some(_) => to.skip(place, "enum", "the values are not an array"),
        None => {}
    }
}

fn choice<'t>(values: impl Iterator<Item = Item<'t>>) -> Rule {
    let mut choice = Choice { kinds: Types::default(), values: BTreeSet::new(), shown: Vec::new() };
    for value in values {
        choice.kinds.add_kind(value.kind());
        if choice.shown.len() < MAX_SHOWN_VALUES {
            choice.shown.push(value.as_str().into());
        }
        choice.values.insert(canonical(value));
    }
    Rule::Choice(Box::new(choice))
}

fn numbers<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    for (keyword, exclusive, is_upper) in
        [("minimum", "exclusiveMinimum", false), ("maximum", "exclusiveMaximum", true)]
    {
        // Draft-04 wrote the exclusive form as a flag beside the bound.
        let flag = words.get(exclusive).and_then(Item::as_bool);
        match words.number(keyword) {
            Some(Ok(limit)) => {
                let is_exclusive = flag == Some(true);
                to.push(place.id, Rule::Bound(Box::new(Bound { is_upper, is_exclusive, limit })));
            }
            Some(Err(())) => to.skip(place, keyword, "the bound is not a number"),
            None => {}
        }
        match words.number(exclusive) {
            Some(Ok(limit)) => {
                to.push(place.id, Rule::Bound(Box::new(Bound { is_upper, is_exclusive: true, limit })));
            }
            Some(Err(())) if flag.is_none() => to.skip(place, exclusive, "the bound is not a number"),
            _ => {}
        }
    }
    match words.number("multipleOf") {
        Some(Ok(divisor)) if is_divisor(&divisor) => to.push(place.id, Rule::MultipleOf(divisor)),
        Some(_) => to.skip(place, "multipleOf", "the divisor is not a positive number of at most 19 digits"),
        None => {}
    }
}

fn is_divisor(text: &str) -> bool {
    let one = Decimal::new("1");
    Decimal::new(text).is_some_and(|number| {
        !number.is_negative() && one.is_some_and(|one| one.is_multiple_of(number).is_some())
    })
}

fn strings<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    if let Some(length) = range(to, place, words, ["minLength", "maxLength"]) {
        to.push(place.id, Rule::Length(length));
    }
    let Some(item) = words.get("pattern") else { return };
    let source = item.to_str().ok_or("the pattern is not a string");
    match source.and_then(|source| Pattern::new(&source, &mut to.room)) {
        Ok(pattern) => to.push(place.id, Rule::Pattern(Box::new(pattern))),
        Err(reason) => to.skip(place, "pattern", reason),
    }
}

fn range<'t>(
    to: &mut Compiler<'t>,
    place: Place<'t>,
    words: &Words<'t>,
    keywords: [&'static str; 2],
) -> Option<Range> {
    let mut bounds = [0, u64::MAX];
    let mut is_some = false;
    for (keyword, bound) in keywords.into_iter().zip(&mut bounds) {
        match words.count(keyword) {
            Some(Ok(count)) => {
                *bound = count;
                is_some = true;
            }
            Some(Err(())) => to.skip(place, keyword, "the bound is not a count"),
            None => {}
        }
    }
    let [min, max] = bounds;
    is_some.then_some(Range { min, max })
}

fn names(item: Item<'_>) -> Option<Vec<String>> {
    let is_array = item.kind() == Kind::Array;
    let names = item.elements().map(|name| Some(name.to_str()?.into_owned())).collect::<Option<_>>();
    if is_array { names } else { None }
}

fn objects<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    if let Some(count) = range(to, place, words, ["minProperties", "maxProperties"]) {
        to.push(place.id, Rule::MemberCount(count));
    }
    // Before `required`: an alternative's tag says more of what was meant than a name that is missing.
    members(to, place, words);
    match words.get("required").map(names) {
        Some(Some(mut names)) => {
            let mut seen = BTreeSet::new();
            names.retain(|name| seen.insert(name.clone()));
            to.push(place.id, Rule::Required(names));
        }
        Some(None) => to.skip(place, "required", "the names are not an array of strings"),
        None => {}
    }
    if let Some(schema) = words.get("propertyNames") {
        let id = to.intern(schema, place.resource);
        to.push(place.id, Rule::Names(id));
    }
    dependencies(to, place, words);
}

fn members<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    let parts = ["properties", "patternProperties", "additionalProperties"].map(|name| words.get(name));
    if parts.iter().all(Option::is_none) {
        return;
    }
    let [named, patterns, additional] = parts;
    let mut members = Members::default();
    for (name, schema) in named.into_iter().flat_map(Item::members) {
        let id = to.intern(schema, place.resource);
        members.named.entry(name.to_text()).or_insert(id);
    }
    for (source, schema) in patterns.into_iter().flat_map(Item::members) {
        let id = to.intern(schema, place.resource);
        match Pattern::new(&source.to_str(), &mut to.room) {
            Ok(pattern) => members.patterns.push((pattern, id)),
            Err(reason) => {
                members.has_skipped_pattern = true;
                to.note(place.item.index(), "patternProperties", reason);
            }
        }
    }
    members.additional = additional.map(|schema| to.intern(schema, place.resource));
    for (keyword, item) in [("properties", named), ("patternProperties", patterns)] {
        if item.is_some_and(|item| item.kind() != Kind::Object) {
            to.skip(place, keyword, "the schemas are not an object");
        }
    }
    to.push(place.id, Rule::Members(Box::new(members)));
}

fn dependencies<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    let mut required = Vec::new();
    let mut schemas = Vec::new();
    let keywords: &[&str] = match to.dialect {
        Dialect::Draft7 => &["dependencies"],
        _ => &["dependencies", "dependentRequired", "dependentSchemas"],
    };
    for keyword in keywords {
        for (name, dependency) in words.get(keyword).into_iter().flat_map(Item::members) {
            let name = name.to_text();
            if dependency.kind() != Kind::Array {
                schemas.push((name, to.intern(dependency, place.resource)));
            } else if let Some(names) = names(dependency) {
                required.push((name, names));
            } else {
                to.skip(place, keyword, "the names are not an array of strings");
            }
        }
    }
    if !required.is_empty() {
        to.push(place.id, Rule::DependentRequired(required));
    }
    if !schemas.is_empty() {
        to.push(place.id, Rule::DependentSchemas(schemas));
    }
}

fn arrays<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    if let Some(count) = range(to, place, words, ["minItems", "maxItems"]) {
        to.push(place.id, Rule::Elements(count));
    }
    let items = words.get("items");
    let is_tuple = items.is_some_and(|items| items.kind() == Kind::Array);
    let (prefix, rest) = match (is_tuple, words.get("prefixItems")) {
        (true, _) => (items, words.get("additionalItems")),
        (false, Some(prefix)) if to.dialect == Dialect::Draft2020 => (Some(prefix), items),
        (false, _) => (None, items),
    };
    if prefix.is_some() || rest.is_some() {
        let prefix: Vec<Id> = prefix
            .into_iter()
            .flat_map(Item::elements)
            .map(|schema| to.intern(schema, place.resource))
            .collect();
        let rest = rest.map(|schema| to.intern(schema, place.resource));
        to.push(place.id, Rule::Items(Box::new(Items { prefix, rest })));
    }
    if let Some(schema) = words.get("contains") {
        let schema = to.intern(schema, place.resource);
        let mut count = Range { min: 1, max: u64::MAX };
        if to.dialect > Dialect::Draft7
            && let Some(stated) = range(to, place, words, ["minContains", "maxContains"])
        {
            let min = if words.get("minContains").is_some() { stated.min } else { 1 };
            count = Range { min, ..stated };
        }
        let evaluates = to.dialect == Dialect::Draft2020;
        to.push(place.id, Rule::Contains(Box::new(Contains { schema, count, evaluates })));
    }
    if words.get("uniqueItems").is_some_and(|flag| flag.as_str() == "true") {
        to.push(place.id, Rule::Unique);
    }
}

fn combinations<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    let make: [(&str, Make<Vec<Id>>); 3] = [("allOf", Rule::All), ("anyOf", Rule::Any), ("oneOf", Rule::One)];
    for (keyword, rule) in make {
        match words.get(keyword) {
            Some(schemas) if schemas.kind() == Kind::Array => {
                let ids = schemas.elements().map(|schema| to.intern(schema, place.resource)).collect();
                to.push(place.id, rule(ids));
            }
            Some(_) => to.skip(place, keyword, "the schemas are not an array"),
            None => {}
        }
    }
    let mut intern = |keyword| words.get(keyword).map(|schema| to.intern(schema, place.resource));
    let (not, test, then, otherwise) = (intern("not"), intern("if"), intern("then"), intern("else"));
    if let Some(id) = not {
        to.push(place.id, Rule::Not(id));
    }
    if let Some(test) = test {
        to.push(place.id, Rule::If(Box::new(Conditional { test, then, otherwise })));
    }
}

fn unevaluated<'t>(to: &mut Compiler<'t>, place: Place<'t>, words: &Words<'t>) {
    let make: [(&str, Make<Id>); 2] =
        [("unevaluatedItems", Rule::UnevaluatedItems), ("unevaluatedProperties", Rule::UnevaluatedMembers)];
    for (keyword, rule) in make {
        let Some(item) = words.get(keyword) else { continue };
        let id = to.intern(item, place.resource);
        to.push(place.id, rule(id));
        if let Some(schema) = to.schema_mut(place.id) {
            schema.has_unevaluated = true;
        }
    }
}
