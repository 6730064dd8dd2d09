//! The engine's JSON beside that of `serde_json`.

use selvedge_core::json::{Kind, MAX_DEPTH, RawJson, Value, View};
use serde_json::value::RawValue;

use crate::world::fail;

pub(super) fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let theirs = serde_json::from_str::<&RawValue>(text);
    let ours = RawJson::new(text);
    assert_eq!(ours.is_ok(), theirs.is_ok(), "{text:?}: {ours:?} {theirs:?}");
    let Ok(ours) = ours else { return };
    assert_eq!(ours.as_str(), text.trim_matches([' ', '\t', '\r', '\n']));
    assert_eq!(ours.clone().into_string(), ours.as_str());
    let depth = depth(ours.view());
    let Ok(tree) = Value::parse(text) else {
        assert!(depth > MAX_DEPTH, "{text:?}");
        return;
    };
    assert!(depth <= MAX_DEPTH, "{text:?}");
    let written = tree.to_string();
    let Ok(again) = Value::parse(&written) else { fail(&format!("{written:?} is not JSON")) };
    assert_eq!(again, tree, "{text:?}");
    if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(text) {
        assert_eq!(convert(&tree), theirs, "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&written).ok(), Some(theirs), "{written:?}");
    }
}

/// Returns how deep a value nests, without recursion.
fn depth(view: View<'_>) -> usize {
    let mut deepest = 0;
    let mut left = vec![(view, 0)];
    while let Some((view, above)) = left.pop() {
        if matches!(view.kind(), Kind::Object | Kind::Array) {
            deepest = deepest.max(above + 1);
        }
        // Deeper levels would be walked once for each level above them.
        if above <= MAX_DEPTH {
            left.extend(
                view.elements().chain(view.members().map(|(_, value)| value)).map(|inner| (inner, above + 1)),
            );
        }
    }
    deepest
}

/// Reads a tree as `serde_json` does: the last of several members with one name counts.
fn convert(tree: &Value) -> serde_json::Value {
    match tree {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(digits) => serde_json::from_str(digits).unwrap_or_default(),
        Value::String(content) => content.as_str().into(),
        Value::Array(elements) => elements.iter().map(convert).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), convert(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}
