//! The members of a result, found in the pass that validated it.

use crate::json::{Index, RawJson, Span};

/// Shows the members of a result: names with their quotes, values as spans from the result's first byte.
///
/// The index was made while the line was validated; where it does not hold all members, they are walked.
pub(crate) fn each_member(raw: &RawJson, index: &Index, origin: usize, mut show: impl FnMut(&str, Span)) {
    let text = raw.as_str();
    if index.is_complete() {
        for (name, value) in index.iter() {
            show(name.from(origin).of(text), value.from(origin));
        }
        return;
    }
    for (name, value) in raw.view().members() {
        let start = value.as_str().as_ptr() as usize - text.as_ptr() as usize;
        show(name.as_str(), Span { start, end: start + value.as_str().len() });
    }
}
