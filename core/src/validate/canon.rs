//! One text for each value: equal values are spelled alike.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt::Write;

use crate::json::{Decimal, Item, Kind, push_string};

/// Appends the canonical text of a value; the depth of a tape bounds the recursion.
pub(super) fn push_canonical(out: &mut String, item: Item<'_>) {
    match item.kind() {
        Kind::Null | Kind::Bool => out.push_str(item.as_str()),
        Kind::Number => match Decimal::new(item.as_str()) {
            // Writing to a `String` never fails.
            Some(number) => drop(write!(out, "{number}")),
            None => out.push_str(item.as_str()),
        },
        Kind::String => push_string(out, &item.to_str().unwrap_or_default()),
        Kind::Array => {
            out.push('[');
            for element in item.elements() {
                push_canonical(out, element);
                out.push(',');
            }
            out.push(']');
        }
        Kind::Object => {
            let mut members: Vec<(Cow<'_, str>, Item<'_>)> =
                item.members().map(|(name, value)| (name.to_str(), value)).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            out.push('{');
            for (name, value) in members {
                push_string(out, &name);
                out.push(':');
                push_canonical(out, value);
                out.push(',');
            }
            out.push('}');
        }
    }
}

pub(super) fn canonical(item: Item<'_>) -> String {
    let mut out = String::new();
    push_canonical(&mut out, item);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    #[test]
    fn equal_values_are_spelled_alike() {
        let text = |text: &str| canonical(Tape::parse(text).unwrap().root());
        for (one, other) in [
            ("1", "1.0"),
            ("[10e-1, 2]", "[1,2.00]"),
            (r#"{"a":1,"b":[]}"#, r#"{ "b":[], "\u0061":1.0 }"#),
            (r#""\u00e9""#, "\"é\""),
        ] {
            assert_eq!(text(one), text(other));
        }
        for (one, other) in
            [("1", "true"), ("\"1\"", "1"), ("[[1],2]", "[1,2]"), ("{}", "[]"), ("[0]", "[false]")]
        {
            assert_ne!(text(one), text(other));
        }
    }
}
