use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::*;

fn validator(schema: &str) -> Validator {
    Validator::new(View::new(schema).unwrap())
}

fn check(schema: &str, value: &str) -> Outcome {
    validator(schema).check(View::new(value).unwrap())
}

/// Returns the message, or nothing where the value is valid.
fn message(schema: &str, value: &str) -> String {
    match check(schema, value) {
        Outcome::Valid => String::new(),
        Outcome::Invalid(mismatch) => mismatch.to_string(),
        Outcome::GaveUp(reason) => reason.to_string(),
    }
}

#[test]
fn a_mismatch_names_place_expectation_finding_and_a_fix() {
    for (schema, value, expected) in [
        (
            r#"{"type":"integer"}"#,
            r#""1""#,
            r#"expected an integer, found the string "1"; send a number, not a string"#,
        ),
        (r#"{"type":"integer"}"#, "1.5", "expected an integer, found the number 1.5; send a whole number"),
        (r#"{"type":"string"}"#, "5", r#"expected a string, found the number 5; send a string: "5""#),
        (
            r#"{"type":"boolean"}"#,
            r#""True""#,
            r#"expected a boolean, found the string "True"; send true without quotes"#,
        ),
        (
            r#"{"type":"array"}"#,
            r#""[1]""#,
            r#"expected an array, found the string "[1]"; send the array itself, not its text"#,
        ),
        (r#"{"type":"array"}"#, "3", "expected an array, found the number 3; put the value into an array"),
        (
            r#"{"properties":{"a":{"type":"string"}}}"#,
            r#"{"a":null}"#,
            "at /a: expected a string, found null; leave it out if it is optional",
        ),
        (r#"{"type":["string","null"]}"#, "{}", "expected null or a string, found an object of 0 members"),
        (
            r#"{"enum":["open","closed",1]}"#,
            r#""Opne""#,
            r#"expected one of "open", "closed", 1, found the string "Opne""#,
        ),
        (
            r#"{"enum":["open","closed"]}"#,
            r#""OPEN""#,
            r#"expected one of "open", "closed", found the string "OPEN"; did you mean "open"?"#,
        ),
        (
            r#"{"enum":[1,2]}"#,
            r#""1""#,
            r#"expected one of 1, 2, found the string "1"; send 1 without quotes"#,
        ),
        (r#"{"const":"a"}"#, "1", r#"expected "a", found the number 1"#),
        (r#"{"minimum":3}"#, "2", "expected at least 3, found the number 2"),
        (r#"{"exclusiveMaximum":3}"#, "3", "expected less than 3, found the number 3"),
        (r#"{"multipleOf":5}"#, "7", "expected a multiple of 5, found the number 7"),
        (r#"{"minLength":2}"#, r#""é""#, "expected at least 2 characters, found 1 character"),
        (r#"{"pattern":"^a+$"}"#, r#""b""#, r#"expected a string that matches `^a+$`, found the string "b""#),
        (r#"{"maxItems":1}"#, "[1,2]", "expected at most 1 element, found 2 elements"),
        (
            r#"{"uniqueItems":true}"#,
            "[1,2,1.0]",
            "expected elements that differ, found that elements 0 and 2 are equal",
        ),
        (r#"{"contains":{"type":"null"}}"#, "[1]", "expected at least 1 matching element, found 0"),
        (r#"{"not":{"type":"string"}}"#, r#""x""#, r#"expected another string, found the string "x""#),
        ("false", "1", "expected no value, found the number 1"),
        (
            r#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#,
            "3",
            "expected a value for exactly one of the alternatives, found one for both number 1 and 2",
        ),
    ] {
        assert_eq!(message(schema, value), expected, "{schema} {value}");
    }
}

#[test]
fn an_unknown_or_missing_property_suggests_the_known_one() {
    let schema = r#"{"type":"object","properties":{"organizationSlug":{"type":"string"},"limit":{}},
        "required":["organizationSlug"],"additionalProperties":false}"#;
    assert_eq!(
        message(schema, r#"{"organisation-slug":"x"}"#),
        "at /organisation-slug: expected no properties but `limit`, `organizationSlug`, \
         found a string under an unknown name; did you mean `organizationSlug`?"
    );
    assert_eq!(
        message(&schema.replace("false", "true"), r#"{"organisation-slug":"x"}"#),
        "expected property `organizationSlug`, found an object without it; \
         `organisation-slug` is unknown: did you mean `organizationSlug`?"
    );
    assert_eq!(
        message(schema, r#"{"limit":1}"#),
        "expected property `organizationSlug`, found an object without it"
    );
    assert_eq!(
        message(schema, r#"{"organizationSlug":"x","limits":1}"#),
        "at /limits: expected no properties but `limit`, `organizationSlug`, \
         found a number under an unknown name; did you mean `limit`?"
    );
    assert_eq!(
        message(r#"{"additionalProperties":false}"#, r#"{"q":[]}"#),
        "at /q: expected no further property, found an array under an unknown name; leave it out"
    );
    assert_eq!(
        message(r#"{"dependentRequired":{"a":["b"]}}"#, r#"{"a":1}"#),
        "expected property `b` beside `a`, found an object without it"
    );
}

#[test]
fn the_alternative_that_came_closest_is_reported() {
    let shapes = r#"{"anyOf":[
        {"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
        {"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}
    ]}"#;
    assert_eq!(
        message(shapes, r#"{"kind":"circle","r":"x"}"#),
        r#"at /r: expected a number, found the string "x""#
    );
    assert_eq!(message(shapes, r#"{"kind":"square","side":1,"r":1,"x":{}}"#), "");
    assert_eq!(
        message(shapes, r#"{"kind":"oval","side":1,"r":1}"#),
        r#"at /kind: expected "circle" or "square", found the string "oval""#
    );
    assert_eq!(message(shapes, "7"), "expected an object, found the number 7");
    assert_eq!(
        message(r#"{"oneOf":[{"type":"string"},{"anyOf":[{"type":"integer"},{"type":"array"}]}]}"#, "{}"),
        "expected a string or an integer or an array, found an object of 0 members"
    );
}

#[test]
fn numbers_are_compared_by_their_digits() {
    for (schema, valid, invalid) in [
        (r#"{"maximum":9007199254740992}"#, "9007199254740992", "9007199254740993"),
        (r#"{"exclusiveMinimum":18446744073709551615}"#, "18446744073709551616", "18446744073709551615.0"),
        (r#"{"type":"integer"}"#, "3.0", "3.0000000000000000000001"),
        (r#"{"type":"integer"}"#, "1e400", "1e-400"),
        (r#"{"const":1.0}"#, "10e-1", "1.00000000000000000001"),
        (r#"{"minimum":5,"exclusiveMinimum":true}"#, "5.1", "5"),
        (r#"{"multipleOf":0.01}"#, "4.35", "4.355"),
    ] {
        assert_eq!(message(schema, valid), "", "{schema}");
        assert_ne!(message(schema, invalid), "", "{schema}");
    }
}

#[test]
fn null_is_welcome_where_the_schema_is_nullable() {
    assert_eq!(message(r#"{"type":"string","nullable":true,"enum":["a"]}"#, "null"), "");
    assert_ne!(message(r#"{"type":"string","nullable":false}"#, "null"), "");
}

#[test]
fn references_stay_inside_the_schema() {
    for (schema, reason) in [
        (r##"{"$ref":"#/$defs/Missing"}"##, "the reference leads nowhere"),
        (r#"{"$ref":"https://evil.example/s.json"}"#, "the reference leads out of the schema"),
        (r#"{"$ref":"file:///etc/passwd"}"#, "the reference leads out of the schema"),
        (r#"{"$ref":"./x.json"}"#, "the reference leads out of the schema"),
        (r##"{"$ref":"#"}"##, "the reference leads back to itself"),
        (
            r##"{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A"}"##,
            "the reference leads back to itself",
        ),
        (r##"{"$ref":"#/$defs/__proto__/x"}"##, "the reference leads nowhere"),
        (r##"{"$ref":"#/%ff"}"##, "the reference is not valid"),
        (r#"{"$ref":5}"#, "the reference is not a string"),
        (r##"{"title":"x","$ref":"#/title"}"##, "the reference leads to no schema"),
    ] {
        let validator = validator(schema);
        assert_eq!(validator.check(View::new("1").unwrap()), Outcome::Valid, "{schema}");
        assert_eq!(validator.skipped()[0].reason, reason, "{schema}");
    }
    let nested = r##"{"properties":{"a~/b%":{"anyOf":[{"type":"integer"}]},"c":{"$ref":"#/properties/a~0~1b%25/anyOf/0"}}}"##;
    assert_ne!(message(nested, r#"{"c":"x"}"#), "");
    let list = r##"{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}"##;
    assert_eq!(message(list, r#"{"next":{"next":{}}}"#), "");
    assert_eq!(
        message(list, r#"{"next":{"next":1}}"#),
        "at /next/next: expected an object, found the number 1"
    );
}

#[test]
fn what_is_skipped_stays_open_under_every_combination() {
    for schema in [
        r#"{"pattern":"(?=x)"}"#,
        r#"{"not":{"pattern":"(?=x)"}}"#,
        r#"{"not":{"not":{"pattern":"(?=x)"}}}"#,
        r#"{"oneOf":[{"pattern":"(?=x)"},{"type":"string"}]}"#,
        r#"{"anyOf":[{"pattern":"(?=x)"},{"type":"null"}]}"#,
        r#"{"if":{"pattern":"(?=x)"},"then":false,"else":false}"#,
        r#"{"type":"file"}"#,
        r#"{"required":true,"minLength":"x","properties":5,"allOf":{},"enum":3,"multipleOf":0}"#,
        "17",
    ] {
        let validator = validator(schema);
        assert_eq!(validator.check(View::new("\"x\"").unwrap()), Outcome::Valid, "{schema}");
        assert!(!validator.skipped().is_empty(), "{schema}");
    }
    let open = r#"{"patternProperties":{"(?=x)":{}},"additionalProperties":false}"#;
    assert_eq!(message(open, r#"{"x":1}"#), "");
    assert_ne!(message(r#"{"pattern":"(?=x)","type":"integer"}"#, "\"x\""), "");
    assert_eq!(
        validator(r#"{"items":{"pattern":"(?=x)"}}"#).skipped()[0].to_string(),
        "/items/pattern: look-around and flags are not supported"
    );
}

#[test]
fn a_value_that_says_a_name_twice_fits_no_schema() {
    for value in [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":1}"#, r#"{"b":[{"a":1,"a":1}]}"#] {
        for schema in ["true", r#"{"properties":{"a":{"type":"integer"}}}"#] {
            let message = message(schema, value);
            assert!(message.contains("every name of an object once, found this one twice"), "{message}");
        }
    }
    assert_eq!(message("true", r#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#), "");
}

#[test]
fn hostile_text_stays_on_its_line() {
    let name = "\\u001b[31m\\n\\u202e".repeat(500);
    let schema = format!(r#"{{"required":["{name}"],"properties":{{"{name}":{{"const":"{name}"}}}}}}"#);
    for value in ["{}".into(), format!(r#"{{"{name}":"{name}x"}}"#)] {
        let message = message(&schema, &value);
        assert!(message.len() < 3_000 && !message.chars().any(char::is_control), "{message}");
        assert!(!message.contains('\u{202e}'));
    }
}

#[test]
fn schemas_that_explode_when_unfolded_are_decided_or_given_up() {
    let doubling = |keyword: &str, leaf: &str| {
        let mut defs: Vec<String> = (0..30)
            .map(|at| {
                format!(
                    r##""d{at}":{{"{keyword}":[{{"$ref":"#/$defs/d{0}"}},{{"$ref":"#/$defs/d{0}"}}]}}"##,
                    at + 1
                )
            })
            .collect();
        defs.push(format!(r#""d30":{leaf}"#));
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, defs.join(","))
    };
    let leaf = r#"{"type":"integer"}"#;
    assert_eq!(message(&doubling("allOf", leaf), "1"), "");
    assert_eq!(message(&doubling("anyOf", leaf), "\"x\""), "expected an integer, found the string \"x\"");
    assert_ne!(message(&doubling("oneOf", leaf), "1"), "");
    let tracked = doubling("allOf", leaf).replacen('{', r#"{"unevaluatedProperties":false,"#, 1);
    assert_eq!(check(&tracked, "1"), Outcome::GaveUp(GaveUp::Steps));
}

#[test]
fn long_chains_and_deep_values_end() {
    let mut defs: Vec<String> =
        (0..20_000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
    defs.push(r#""d20000":true"#.into());
    let chain = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, defs.join(","));
    assert_eq!(check(&chain, "1"), Outcome::GaveUp(GaveUp::Depth));

    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let list = r##"{"type":"array","anyOf":[{"items":{"$ref":"#"}}]}"##;
    assert_eq!(check(list, &nested(MAX_DEPTH)), Outcome::Valid);
    assert_eq!(check(list, &nested(MAX_DEPTH + 1)), Outcome::GaveUp(GaveUp::Depth));
    let deep = format!("{}true{}", r#"{"not":"#.repeat(MAX_DEPTH + 1), "}".repeat(MAX_DEPTH + 1));
    assert_eq!(check(&deep, "1"), Outcome::Valid);
}

#[test]
fn a_pattern_that_backtracks_elsewhere_is_decided() {
    let text = format!("\"{}!\"", "a".repeat(30));
    assert_ne!(message(r#"{"pattern":"^(a+)+$"}"#, &text), "");
    let long = format!("\"{}!\"", "a".repeat(1_000_000));
    let outcome = check(r#"{"pattern":"^((a|a?)+){50}$"}"#, &long);
    assert_eq!(outcome, Outcome::GaveUp(GaveUp::Steps));
}

#[test]
fn top_level_shapes_are_read_as_they_are() {
    assert_eq!(message("true", "[]"), "");
    assert_eq!(message("{}", "null"), "");
    assert_eq!(message(r#"{"anyOf":[{"type":"object"},{"type":"null"}]}"#, "null"), "");
    for value in ["[]", "\"x\"", "1", "null"] {
        let kind = View::new(value).unwrap().kind().name();
        assert_eq!(message(&format!(r#"{{"type":"{kind}"}}"#), value), "");
    }
    let tree = Value::parse(r#"{"a":[1]}"#).unwrap();
    let validator = Validator::from_value(&Value::parse(r#"{"required":["a"]}"#).unwrap());
    assert_eq!(validator.check_value(&tree), Outcome::Valid);
}

#[test]
fn a_budget_of_few_steps_is_kept() {
    let validator = validator(r#"{"items":{"allOf":[{"type":"integer"}]}}"#).with_max_steps(0);
    assert_eq!(validator.check(View::new("[1,2,3]").unwrap()), Outcome::Valid);
    let many: Vec<_> = (0..200).map(|_| r#"{"type":"integer"}"#).collect();
    let wide = format!(r#"{{"allOf":[{}]}}"#, many.join(","));
    let narrow = Validator::new(View::new(&wide).unwrap()).with_max_steps(0);
    assert_eq!(narrow.check(View::new("1").unwrap()), Outcome::GaveUp(GaveUp::Steps));
}
