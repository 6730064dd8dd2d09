//! Puts a failure into words.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt::Display;

use super::{
    Mismatch,
    check::{Checker, Spot, Verdict},
    failure::{Failure, Union, What},
    hint,
    schema::{Choice, Range, Rule, Schema},
};
use crate::json::{Item, Kind, Shown, pointer_to};

/// The most alternatives that a message lists.
const MAX_LISTED: usize = 8;

/// The steps that wording may take.
const WORDING_STEPS: u64 = 100_000;

pub(super) fn explain(checker: &mut Checker<'_, '_>, failure: Failure) -> Mismatch {
    checker.steps = WORDING_STEPS;
    let item = checker.tape.item(failure.at);
    let expected = match failure.union {
        Some(union) => alternatives(checker, failure, union),
        None => expected(checker.schemas, failure, item),
    };
    Mismatch {
        pointer: pointer_to(checker.tape, failure.at),
        expected,
        found: found(checker.schemas, failure, item),
        hint: hint::hint(checker.schemas, checker.tape, failure),
    }
}

/// Words what each of the alternatives expects that came equally close.
fn alternatives(checker: &mut Checker<'_, '_>, failure: Failure, union: Union) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut open = Vec::from([union]);
    let mut passes = 0;
    while let Some(union) = open.pop() {
        passes += 1;
        if passes > MAX_LISTED {
            break;
        }
        let rule = checker.schemas.get(union.schema as usize);
        let rule = rule.and_then(|schema| schema.rules.get(union.rule as usize));
        let spot = Spot { item: checker.tape.item(union.at), depth: union.depth };
        for id in rule.map(Rule::in_place).unwrap_or_default() {
            let Ok(Verdict::No(other)) = checker.apply(id, spot, false) else { continue };
            if other.at != failure.at
                || other.progress(checker.schemas, union.depth)
                    != failure.progress(checker.schemas, union.depth)
            {
                continue;
            }
            if let Some(inner) = other.union {
                open.push(inner);
                continue;
            }
            let text = expected(checker.schemas, *other, checker.tape.item(other.at));
            if !texts.contains(&text) && texts.len() <= MAX_LISTED {
                texts.push(text);
            }
        }
    }
    if texts.is_empty() {
        return expected(checker.schemas, failure, checker.tape.item(failure.at));
    }
    let is_cut = texts.len() > MAX_LISTED;
    texts.truncate(MAX_LISTED);
    let listed = texts.join(" or ");
    if is_cut { format!("{listed} or …") } else { listed }
}

fn expected(schemas: &[Schema], failure: Failure, item: Item<'_>) -> String {
    let Some(rule) = failure.rule_in(schemas) else { return "another value".into() };
    match (failure.what, rule) {
        (What::Missing { name, owner }, rule) => missing(rule, name, owner),
        (What::Unknown, Rule::UnevaluatedItems(_)) => "no further element".into(),
        (What::Unknown, _) => match list(&mut hint::known(schemas, failure)) {
            Some(names) => format!("no properties but {names}"),
            None => "no further property".into(),
        },
        (What::Both(..), _) => "a value for exactly one of the alternatives".into(),
        (_, Rule::Types(types)) => types.names().map(with_article).collect::<Vec<_>>().join(" or "),
        (_, Rule::Choice(choice)) => choices(choice),
        (_, Rule::Bound(bound)) => {
            let relation = match (bound.is_upper, bound.is_exclusive) {
                (true, true) => "less than",
                (true, false) => "at most",
                (false, true) => "more than",
                (false, false) => "at least",
            };
            format!("{relation} {}", Shown(&bound.limit))
        }
        (_, Rule::MultipleOf(divisor)) => format!("a multiple of {}", Shown(divisor)),
        (_, Rule::Length(range)) => count(*range, "character"),
        (_, Rule::Pattern(pattern)) => format!("a string that matches `{}`", Shown(pattern.source())),
        (_, Rule::Elements(range)) => count(*range, "element"),
        (_, Rule::MemberCount(range)) => count(*range, "member"),
        (_, Rule::Contains(contains)) => count(contains.count, "matching element"),
        (_, Rule::Unique) => "elements that differ".into(),
        (_, Rule::Never) => "no value".into(),
        (_, Rule::Not(_)) => format!("another {}", item.kind().name()),
        _ => "one of the alternatives".into(),
    }
}

fn missing(rule: &Rule, name: u32, owner: u32) -> String {
    let names = match rule {
        Rule::Required(names) => Some((names, None)),
        Rule::DependentRequired(entries) => {
            entries.get(owner as usize).map(|(owner, names)| (names, Some(owner)))
        }
        _ => None,
    };
    let Some((names, owner)) = names else { return "another property".into() };
    let name = names.get(name as usize).map_or("", String::as_str);
    match owner {
        Some(owner) => format!("property `{}` beside `{}`", Shown(name), Shown(owner)),
        None => format!("property `{}`", Shown(name)),
    }
}

fn choices(choice: &Choice) -> String {
    let shown = choice.shown.iter().map(|text| Shown(text).to_string()).collect::<Vec<_>>();
    match (shown.as_slice(), choice.values.len()) {
        ([], _) => "no value".into(),
        ([only], 1) => only.clone(),
        (all, len) if all.len() >= len => format!("one of {}", all.join(", ")),
        (some, len) => format!("one of {} values such as {}", len, some.join(", ")),
    }
}

fn count(range: Range, thing: &str) -> String {
    let things = |number: u64| if number == 1 { String::from(thing) } else { format!("{thing}s") };
    match (range.min, range.max) {
        (min, u64::MAX) => format!("at least {min} {}", things(min)),
        (min, max) if min == max => format!("{max} {}", things(max)),
        (0, max) => format!("at most {max} {}", things(max)),
        (min, max) => format!("{min} to {max} {}", things(max)),
    }
}

fn found(schemas: &[Schema], failure: Failure, item: Item<'_>) -> String {
    let things =
        |number: usize, thing: &str| format!("{number} {thing}{}", if number == 1 { "" } else { "s" });
    match failure.what {
        What::Missing { .. } => return "an object without it".into(),
        What::Both(one, other) => return format!("one for both number {} and {}", one + 1, other + 1),
        What::Equal(one, other) => return format!("that elements {one} and {other} are equal"),
        What::Matching(number) => return format!("{number}"),
        What::Unknown => return found_unknown(failure.rule_in(schemas), item),
        What::Rule => {}
    }
    match (failure.rule_in(schemas), item.kind()) {
        (Some(Rule::Length(_)), _) => things(item.to_str().unwrap_or_default().chars().count(), "character"),
        (Some(Rule::Elements(_)), _) => things(item.elements().count(), "element"),
        (Some(Rule::MemberCount(_)), _) => things(item.members().count(), "member"),
        (_, Kind::Null | Kind::Bool) => item.as_str().into(),
        (_, Kind::Number) => format!("the number {}", Shown(item.as_str())),
        (_, Kind::String) => format!("the string {}", Shown(item.as_str())),
        (_, Kind::Array) => format!("an array of {}", things(item.elements().count(), "element")),
        (_, Kind::Object) => format!("an object of {}", things(item.members().count(), "member")),
    }
}

fn found_unknown(rule: Option<&Rule>, item: Item<'_>) -> String {
    match rule {
        Some(Rule::UnevaluatedItems(_)) => "one more".into(),
        _ => format!("{} under an unknown name", with_article(item.kind().name())),
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => name.into(),
        "integer" | "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// Lists names, the first few of many.
fn list(names: &mut dyn Iterator<Item = &str>) -> Option<String> {
    let mut listed = Vec::new();
    for name in names {
        if listed.len() == MAX_LISTED {
            listed.push("…".to_string());
            break;
        }
        listed.push(format!("`{}`", Shown(name)));
    }
    if listed.is_empty() { None } else { Some(join(&listed)) }
}

fn join(parts: &[impl Display]) -> String {
    let mut joined = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            joined.push_str(", ");
        }
        joined.push_str(&part.to_string());
    }
    joined
}
