//! What must hold of every schema and every value.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use proptest::{collection, prelude::*};
use selvedge_core::{
    json::{Value, View},
    validate::{Outcome, Validator},
};

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "ab", "c", "", "~/"]).prop_map(str::to_owned)
}

fn instances() -> impl Strategy<Value = Value> {
    let numbers = prop::sample::select(vec!["0", "1", "1.0", "-3", "2.5", "1e2", "9007199254740993"]);
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        numbers.prop_map(|number| Value::Number(number.into())),
        names().prop_map(Value::String),
    ];
    leaves.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            collection::btree_map(names(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn counts() -> impl Strategy<Value = Value> {
    (0..4_u8).prop_map(|count| Value::Number(count.to_string()))
}

fn name_lists() -> impl Strategy<Value = Value> {
    collection::vec(names().prop_map(Value::String), 0..3).prop_map(Value::Array)
}

/// A keyword with its value; `inner` makes schemas.
fn keywords(inner: BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let one = |words: &[&'static str]| prop::sample::select(words.to_vec());
    let map = collection::btree_map(names(), inner.clone(), 0..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    let list = collection::vec(inner.clone(), 1..3).prop_map(Value::Array);
    let flag = any::<bool>().prop_map(Value::Bool);
    let pattern = one(&["^a", "b$", "^[ab]+$", "c|^$"]).prop_map(|text| Value::String(text.into()));
    let patterns = collection::vec((one(&["^a", "b$"]), inner.clone()), 0..2)
        .prop_map(|all| Value::Object(all.into_iter().map(|(name, value)| (name.into(), value)).collect()));
    let pair = |keyword: &'static str| move |value| (keyword.to_owned(), value);
    prop_oneof![
        one(&types).prop_map(|name| ("type".to_owned(), Value::String(name.into()))),
        instances().prop_map(pair("const")),
        collection::vec(instances(), 0..3).prop_map(|values| ("enum".to_owned(), Value::Array(values))),
        (one(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]), counts())
            .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
        (
            one(&["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]),
            counts()
        )
            .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
        (one(&["allOf", "anyOf", "oneOf", "prefixItems"]), list)
            .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
        (
            one(&[
                "not",
                "if",
                "then",
                "else",
                "items",
                "contains",
                "additionalProperties",
                "propertyNames",
                "unevaluatedProperties",
                "unevaluatedItems",
            ]),
            inner
        )
            .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
        (one(&["properties", "dependentSchemas"]), map)
            .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
        patterns.prop_map(pair("patternProperties")),
        name_lists().prop_map(pair("required")),
        flag.prop_map(pair("uniqueItems")),
        pattern.prop_map(pair("pattern")),
    ]
    .boxed()
}

fn schemas() -> impl Strategy<Value = Value> {
    any::<bool>().prop_map(Value::Bool).prop_recursive(4, 24, 3, |inner| {
        collection::vec(keywords(inner.boxed()), 0..4).prop_map(Value::Object)
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = [
        "$ref",
        "#",
        "#/a",
        "$defs",
        "a",
        "type",
        "items",
        "allOf",
        "properties",
        "pattern",
        "(",
        "[a-",
        "$id",
        "x#",
        "$anchor",
        "$dynamicRef",
        "enum",
        "required",
        "minLength",
        "nullable",
        "object",
    ];
    let word = prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    let leaves = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop::sample::select(vec!["0", "-1", "1e400"]).prop_map(|number| Value::Number(number.into())),
        word.clone().prop_map(Value::String),
    ];
    leaves.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            collection::vec((word.clone(), inner), 0..6).prop_map(Value::Object),
        ]
    })
}

fn is_valid(schema: &str, value: &Value) -> bool {
    let validator = Validator::new(View::new(schema).unwrap());
    assert_eq!(validator.skipped(), [], "{schema}");
    match validator.check_value(value) {
        Outcome::Valid => true,
        Outcome::Invalid(_) => false,
        Outcome::GaveUp(reason) => panic!("{reason}: {schema}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_schema_says_the_same_in_every_wrapping(schema in schemas(), value in instances()) {
        let plain = schema.to_string();
        let verdict = is_valid(&plain, &value);
        for (before, after) in [
            (r#"{"allOf":["#, "]}"),
            (r#"{"anyOf":[false,"#, "]}"),
            (r#"{"oneOf":["#, ",false]}"),
            (r#"{"not":{"not":"#, "}}"),
            (r#"{"if":"#, r#","else":false}"#),
            (r##"{"$ref":"#/$defs/it","$defs":{"it":"##, "}}"),
            (r##"{"$ref":"#it","$defs":{"x":{"$anchor":"it","allOf":["##, "]}}}"),
            (r#"{"$ref":"other.json","$defs":{"x":{"$id":"other.json","allOf":["#, "]}}}"),
            (r#"{"dependentSchemas":{},"unevaluatedProperties":true,"unevaluatedItems":true,"allOf":["#, "]}"),
        ] {
            prop_assert_eq!(is_valid(&format!("{before}{plain}{after}"), &value), verdict, "{} {} {}", before, plain, value);
        }
        prop_assert_eq!(is_valid(&format!(r#"{{"not":{plain}}}"#), &value), !verdict);
        prop_assert_eq!(is_valid(&format!(r#"{{"items":{plain}}}"#), &Value::Array(vec![value.clone()])), verdict);
        let inside = Value::Object(vec![("a".into(), value)]);
        prop_assert_eq!(is_valid(&format!(r#"{{"properties":{{"a":{plain}}}}}"#), &inside), verdict);
        prop_assert_eq!(is_valid(&format!(r#"{{"unevaluatedProperties":{plain}}}"#), &inside), verdict);
    }

    #[test]
    fn any_json_is_a_schema_that_ends(schema in any_json(), value in any_json()) {
        let outcome = Validator::from_value(&schema).check_value(&value);
        if let Outcome::Invalid(mismatch) = outcome {
            prop_assert!(!mismatch.to_string().chars().any(char::is_control));
        }
    }
}
