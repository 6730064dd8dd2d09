//! Round trips between JSON and `MessagePack`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::{collection, prelude::*};
use selvedge_core::{
    interchange::{to_json, to_msgpack},
    json::{Value, View},
};

fn numbers() -> impl Strategy<Value = String> {
    let edges = prop::sample::select(vec![7_u32, 8, 15, 16, 31, 32, 52, 53, 54, 63, 64]);
    let near_edges = (edges, -2_i128..=1, any::<bool>()).prop_map(|(bits, off, is_negative)| {
        let number = (1_i128 << bits) + off;
        (if is_negative { -number } else { number }).clamp(-(1 << 63), (1 << 64) - 1).to_string()
    });
    let floats = any::<f64>().prop_filter("JSON has no others", |float| float.is_finite());
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        near_edges,
        floats.clone().prop_map(|float| format!("{float:e}")),
        floats.prop_map(|float| format!("{float:?}")),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers().prop_map(Value::Number),
        any::<String>().prop_map(Value::String),
    ];
    leaves.prop_recursive(5, 64, 20, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
            collection::btree_map(any::<String>(), inner, 0..20)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Compares values as both sides must: integers by their digits, floats by their bits.
fn are_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let is_float = |text: &str| text.contains(['.', 'e', 'E']);
            let bits = |text: &str| text.parse::<f64>().unwrap().to_bits();
            is_float(one) == is_float(other)
                && if is_float(one) { bits(one) == bits(other) } else { one == other }
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same =
                |((a, one), (b, other)): (&(String, Value), &(String, Value))| a == b && are_same(one, other);
            one.len() == other.len() && one.iter().zip(other).all(same)
        }
        (one, other) => one == other,
    }
}

proptest! {
    #[test]
    fn a_value_comes_back_as_it_was(value in values()) {
        let text = value.to_string();
        let bytes = to_msgpack(View::new(&text).unwrap()).unwrap();
        let back = to_json(&bytes).unwrap();
        prop_assert!(are_same(&value, &Value::parse(back.as_str()).unwrap()), "{} {}", text, back);
        prop_assert_eq!(to_msgpack(back.view()).unwrap(), bytes);
    }

    #[test]
    fn any_bytes_are_a_value_or_a_fault(bytes in collection::vec(any::<u8>(), 0..200)) {
        if let Ok(json) = to_json(&bytes) {
            let smallest = to_msgpack(json.view()).unwrap();
            // A float of 32 bits, five bytes with its form, is written as one of 64.
            prop_assert!(smallest.len() <= bytes.len() * 9 / 5);
            prop_assert_eq!(to_json(&smallest).unwrap(), json);
        }
    }

    #[test]
    fn a_cut_value_is_never_whole(value in values(), cut in any::<prop::sample::Index>()) {
        let text = value.to_string();
        let bytes = to_msgpack(View::new(&text).unwrap()).unwrap();
        let cut = cut.index(bytes.len());
        prop_assert!(to_json(bytes.get(..cut).unwrap()).is_err());
    }
}
