//! The members of a result, found in the pass that validated it.

use alloc::{string::String, vec::Vec};

use crate::{
    json::{Index, RawJson, Span, clipped, first_of, has_few_twice, push_pointer},
    map::BTreeSet,
};

/// Returns where the first members of these names stand, as spans from the result's first byte.
///
/// The index was made while the line was validated; where it does not hold all members, they are walked.
pub(crate) fn pick<const N: usize>(
    raw: &RawJson,
    index: &Index,
    origin: usize,
    names: [&str; N],
) -> [Option<Span>; N] {
    let text = raw.as_str();
    if index.is_complete() {
        return first_of(index.members(text, origin), names);
    }
    let members = raw.view().members().map(|(name, value)| {
        let start = value.as_str().as_ptr() as usize - text.as_ptr() as usize;
        (name, Span { start, end: start + value.as_str().len() })
    });
    first_of(members, names)
}

/// Returns a result without the members whose name another one before them has, and the pointer to the first of those;
/// `None` where every name stands there once.
///
/// A result whose text says two things is read by whoever gets it: the engine, an application, a page.
pub(crate) fn without_duplicates(raw: &RawJson, index: &Index, origin: usize) -> Option<(RawJson, String)> {
    let is_ambiguous = if index.is_complete() {
        has_few_twice(index.members(raw.as_str(), origin).map(|(name, _)| name))
    } else {
        let mut names: Vec<_> = raw.view().members().map(|(name, _)| name.to_str()).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| matches!(pair, [one, other] if one == other))
    };
    if !is_ambiguous {
        return None;
    }
    let (mut seen, mut twice) = (BTreeSet::new(), None);
    let mut text = String::with_capacity(raw.as_str().len());
    for (name, value) in raw.view().members() {
        if !seen.insert(name.to_str()) {
            twice.get_or_insert(name);
            continue;
        }
        text.push(if text.is_empty() { '{' } else { ',' });
        name.push_to(&mut text);
        text.push(':');
        text.push_str(value.as_str());
    }
    text.push('}');
    let mut pointer = String::from("/result");
    push_pointer(&mut pointer, clipped(&twice?.to_str()));
    Some((RawJson::trusted(text), pointer))
}
