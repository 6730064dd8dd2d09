//! Guesses what was meant.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use super::{
    failure::{Failure, What},
    schema::{Choice, Members, Rule, Schema, Types},
};
use crate::json::{Decimal, Item, Kind, Shown, Tape, View};

/// The longest names that are compared, in characters.
const MAX_COMPARED: usize = 48;

/// The most names that one is compared with.
const MAX_CANDIDATES: usize = 256;

/// The longest string that is tried as JSON text, in bytes.
const MAX_TRIED: usize = 65_536;

pub(super) fn hint(schemas: &[Schema], tape: &Tape<'_>, failure: Failure) -> Option<String> {
    let item = tape.item(failure.at);
    let rule = failure.rule_in(schemas)?;
    match (failure.what, rule) {
        (What::Missing { name, .. }, Rule::Required(names)) => {
            misspelt(schemas, failure, item, names.get(name as usize)?)
        }
        (What::Unknown, Rule::UnevaluatedItems(_)) => Some("leave it out".into()),
        (What::Unknown, _) => Some(meant(schemas, tape, failure)),
        (_, Rule::Types(types)) => of_type(*types, item),
        (_, Rule::Choice(choice)) => of_choice(choice, item),
        _ => None,
    }
}

/// Returns the names that the failing schema has for members.
pub(super) fn known(schemas: &[Schema], failure: Failure) -> impl Iterator<Item = &str> {
    members(schemas, failure).flat_map(|members| members.named.keys()).map(String::as_str)
}

fn members(schemas: &[Schema], failure: Failure) -> impl Iterator<Item = &Members> {
    let schema = schemas.get(failure.schema as usize);
    schema.into_iter().flat_map(|schema| &schema.rules).filter_map(|rule| match rule {
        Rule::Members(members) => Some(members.as_ref()),
        _ => None,
    })
}

/// Looks for the missing name among those that came and mean nothing.
fn misspelt(schemas: &[Schema], failure: Failure, object: Item<'_>, missing: &str) -> Option<String> {
    let names = object.members().take(MAX_CANDIDATES).map(|(name, _)| name.to_str());
    let unknown: Vec<_> = names
        .filter(|name| !members(schemas, failure).any(|members| members.named.contains_key(name.as_ref())))
        .collect();
    let close = nearest(missing, &mut unknown.iter().map(AsRef::as_ref))?;
    Some(format!("`{}` is unknown: did you mean `{}`?", Shown(close), Shown(missing)))
}

/// Looks for a known name like the unknown one.
fn meant(schemas: &[Schema], tape: &Tape<'_>, failure: Failure) -> String {
    // On a tape, a member's name stands right before its value.
    let name = tape.item(failure.at.saturating_sub(1)).to_str().unwrap_or_default();
    let close = nearest(&name, &mut known(schemas, failure).take(MAX_CANDIDATES));
    close.map_or_else(|| "leave it out".into(), |close| format!("did you mean `{}`?", Shown(close)))
}

fn of_type(types: Types, item: Item<'_>) -> Option<String> {
    let wants_number = types.has(Kind::Number) || types.has_integer();
    match item.kind() {
        Kind::String => {
            let content = item.to_str()?;
            if wants_number && Decimal::new(content.trim()).is_some() {
                return Some("send a number, not a string".into());
            }
            let word = content.to_ascii_lowercase();
            if types.has(Kind::Bool) && matches!(word.as_str(), "true" | "false") {
                return Some(format!("send {word} without quotes"));
            }
            if types.has(Kind::Null) && word == "null" {
                return Some("send null without quotes".into());
            }
            let kind = json_kind(&content);
            let is_wanted = matches!(kind, Kind::Array | Kind::Object) && types.has(kind);
            if is_wanted {
                return Some(format!("send the {} itself, not its text", kind.name()));
            }
            wrapped(types)
        }
        Kind::Number if types.has_integer() => Some("send a whole number".into()),
        Kind::Number | Kind::Bool if types.has(Kind::String) => {
            Some(format!("send a string: \"{}\"", Shown(item.as_str())))
        }
        Kind::Null => Some("leave it out if it is optional".into()),
        _ => wrapped(types),
    }
}

fn wrapped(types: Types) -> Option<String> {
    types.has(Kind::Array).then(|| "put the value into an array".into())
}

/// Returns what a text holds that is JSON itself; a plain string where it is not.
fn json_kind(content: &str) -> Kind {
    let is_tried = content.trim_start().starts_with(['[', '{']) && content.len() <= MAX_TRIED;
    let view = if is_tried { View::new(content).ok() } else { None };
    view.map_or(Kind::String, View::kind)
}

fn of_choice(choice: &Choice, item: Item<'_>) -> Option<String> {
    let content = item.to_str();
    let text = content.as_ref().map_or_else(|| item.as_str(), AsRef::as_ref);
    let bare = |value: &'_ str| value.trim_matches('"').to_owned();
    let values: Vec<String> = choice.values.iter().take(MAX_CANDIDATES).map(String::clone).collect();
    if let Some(other) =
        values.iter().find(|value| bare(value) == text && content.is_some() != value.starts_with('"'))
    {
        let form = if content.is_some() { "without quotes" } else { "as a string" };
        return Some(format!("send {} {form}", Shown(other)));
    }
    content.as_ref()?;
    let strings: Vec<String> =
        values.iter().filter(|value| value.starts_with('"')).map(|value| bare(value)).collect();
    let close = nearest(text, &mut strings.iter().map(String::as_str))?;
    Some(format!("did you mean \"{}\"?", Shown(close)))
}

/// Returns the candidate most like a name, if any is like it at all.
pub(crate) fn nearest<'a>(name: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = folded(name)?;
    let bound = (name.len() / 3).max(1);
    let mut best = None;
    for candidate in candidates {
        let Some(other) = folded(candidate) else { continue };
        let distance = if name == other { 0 } else { distance(&name, &other) };
        let is_near = distance <= bound && distance < other.len();
        if is_near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns a short name's letters, without case and separators.
fn folded(name: &str) -> Option<Vec<char>> {
    if name.len() > MAX_COMPARED * 4 {
        return None;
    }
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ' | '.'));
    let letters: Vec<char> = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    (letters.len() <= MAX_COMPARED).then_some(letters)
}

/// Counts the insertions, removals and replacements that make one name the other.
///
/// The work grows with the product of the lengths: the caller bounds both.
#[must_use]
pub fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (above, target) in row.iter().skip(1).zip(other) {
            left = (diagonal + usize::from(letter != target)).min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["organizationSlug", "projectSlug", "limit"];
        for (name, expected) in [
            ("organization_slug", Some("organizationSlug")),
            ("organisationSlug", Some("organizationSlug")),
            ("Limit", Some("limit")),
            ("limits", Some("limit")),
            ("query", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, &mut names.into_iter()), expected, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), &mut names.into_iter()), None);
        assert_eq!(distance(&['a', 'b', 'c'], &['b', 'c', 'd']), 2);
    }
}
