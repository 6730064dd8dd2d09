//! What numbers become on their way from an argument to the wire.

use selvedge_core::{
    interchange::{Reason, to_json, to_msgpack},
    json::View,
    validate::{Outcome, Validator},
};

/// G44: the whole conversion fails, and says where.
#[test]
fn a_number_that_the_wire_cannot_hold_fails_its_call_by_its_path() {
    for number in ["18446744073709551616", "-9223372036854775809", "1e400", "-1e400"] {
        let arguments = format!(r#"{{"fine":1,"where":{{"list":[0,{number}]}}}}"#);
        let fault = to_msgpack(View::new(&arguments).unwrap()).unwrap_err();
        assert_eq!(fault.pointer, "/where/list/1", "{fault}");
        let is_range = matches!(fault.reason, Reason::IntegerOutOfRange(_) | Reason::FloatOutOfRange(_));
        assert!(is_range, "{fault}");
    }
}

/// G44.
#[test]
fn a_number_within_the_range_arrives_as_it_was_written() {
    for number in [
        "42",
        "0",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "-9223372036854775808",
        "0.5",
    ] {
        let arguments = format!(r#"{{"n":{number}}}"#);
        let packed = to_msgpack(View::new(&arguments).unwrap()).unwrap();
        assert_eq!(to_json(&packed).unwrap().as_str(), arguments);
    }
}

/// G44: a whole number is whole however it is written.
#[test]
fn an_integer_may_be_written_with_a_fraction_of_zero() {
    let schema = r#"{"type":"object","properties":{"i":{"type":"integer"},"n":{"type":"number"}}}"#;
    let validator = Validator::new(View::new(schema).unwrap());
    for (arguments, is_valid) in [
        (r#"{"i":3.0,"n":42}"#, true),
        (r#"{"i":3e2,"n":42.0}"#, true),
        (r#"{"i":9007199254740993}"#, true),
        (r#"{"i":3.5}"#, false),
        (r#"{"i":"3"}"#, false),
        (r#"{"n":null}"#, false),
    ] {
        let outcome = validator.check(View::new(arguments).unwrap());
        assert_eq!(matches!(outcome, Outcome::Valid), is_valid, "{arguments}: {outcome:?}");
    }
}
