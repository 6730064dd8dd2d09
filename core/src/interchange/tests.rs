use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::*;
use crate::json::{MAX_DEPTH, RawJson, View};

fn pack(text: &str) -> Result<Vec<u8>, Fault> {
    to_msgpack(View::new(text).unwrap())
}

fn unpack(bytes: &[u8]) -> Result<String, Fault> {
    to_json(bytes).map(RawJson::into_string)
}

#[test]
fn every_edge_of_the_integers_is_exact_and_smallest() {
    for (text, bytes) in [
        ("0", vec![0x00]),
        ("127", vec![0x7f]),
        ("128", vec![0xcc, 0x80]),
        ("255", vec![0xcc, 0xff]),
        ("256", vec![0xcd, 1, 0]),
        ("65535", vec![0xcd, 0xff, 0xff]),
        ("65536", vec![0xce, 0, 1, 0, 0]),
        ("4294967295", vec![0xce, 0xff, 0xff, 0xff, 0xff]),
        ("4294967296", vec![0xcf, 0, 0, 0, 1, 0, 0, 0, 0]),
        ("9007199254740993", vec![0xcf, 0, 0x20, 0, 0, 0, 0, 0, 1]),
        ("9223372036854775807", vec![0xcf, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("9223372036854775808", vec![0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ("18446744073709551615", vec![0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("-1", vec![0xff]),
        ("-32", vec![0xe0]),
        ("-33", vec![0xd0, 0xdf]),
        ("-128", vec![0xd0, 0x80]),
        ("-129", vec![0xd1, 0xff, 0x7f]),
        ("-32768", vec![0xd1, 0x80, 0]),
        ("-32769", vec![0xd2, 0xff, 0xff, 0x7f, 0xff]),
        ("-2147483648", vec![0xd2, 0x80, 0, 0, 0]),
        ("-2147483649", vec![0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]),
        ("-9223372036854775808", vec![0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(pack(text).unwrap(), bytes, "{text}");
        assert_eq!(unpack(&bytes).unwrap(), text);
    }
    assert_eq!(pack("-0").unwrap(), [0]);
}

#[test]
fn integers_beyond_64_bits_fail_the_whole_conversion() {
    for number in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        let fault = pack(&format!(r#"{{"a":[true,{{"b/c":{number}}}]}}"#)).unwrap_err();
        assert_eq!(fault.pointer, "/a/1/b~1c");
        assert_eq!(fault.reason, Reason::IntegerOutOfRange(number.into()));
        assert_eq!(
            fault.to_string(),
            format!("/a/1/b~1c: integer {number} is outside -9223372036854775808..=18446744073709551615")
        );
    }
}

#[test]
fn a_fraction_or_an_exponent_makes_a_float() {
    for (text, float, back) in [
        ("3.0", 3.0, "3.0"),
        ("42e0", 42.0, "42.0"),
        ("-0.0", -0.0, "-0.0"),
        ("0.1", 0.1, "0.1"),
        ("1E2", 100.0, "100.0"),
        ("9007199254740993.0", 9_007_199_254_740_992.0, "9007199254740992.0"),
        ("1e300", 1e300, "1e300"),
        ("5e-324", 5e-324, "5e-324"),
        ("1.5e-7", 1.5e-7, "1.5e-7"),
        ("1.7976931348623157e308", f64::MAX, "1.7976931348623157e308"),
    ] {
        let bytes = pack(text).unwrap();
        assert_eq!(bytes.split_first().unwrap(), (&0xcb, &float.to_be_bytes()[..]), "{text}");
        assert_eq!(unpack(&bytes).unwrap(), back);
    }
    let fault = pack("[1e400]").unwrap_err();
    assert_eq!(fault.to_string(), "/0: number 1e400 is beyond the range of a 64-bit float");
    assert_eq!(unpack(&[0xca, 0x3f, 0x80, 0, 0]).unwrap(), "1.0");
}

#[test]
fn lengths_take_their_smallest_form() {
    for (len, header) in [(0, vec![0xa0]), (31, vec![0xbf]), (32, vec![0xd9, 32]), (255, vec![0xd9, 255])]
        .into_iter()
        .chain([(256, vec![0xda, 1, 0]), (65_535, vec![0xda, 255, 255]), (65_536, vec![0xdb, 0, 1, 0, 0])])
    {
        let text = format!("\"{}\"", "x".repeat(len));
        let bytes = pack(&text).unwrap();
        assert!(bytes.starts_with(&header) && bytes.len() == header.len() + len, "{len}");
        assert_eq!(unpack(&bytes).unwrap(), text);
    }
    for (len, header) in [(0, vec![0x90]), (15, vec![0x9f]), (16, vec![0xdc, 0, 16])]
        .into_iter()
        .chain([(65_535, vec![0xdc, 255, 255]), (65_536, vec![0xdd, 0, 1, 0, 0])])
    {
        let text = format!("[{}]", vec!["7"; len].join(","));
        let bytes = pack(&text).unwrap();
        assert!(bytes.starts_with(&header) && bytes.len() == header.len() + len, "{len}");
        assert_eq!(unpack(&bytes).unwrap(), text);
    }
    for (len, header) in [(0, vec![0x80]), (15, vec![0x8f]), (16, vec![0xde, 0, 16])] {
        let members: Vec<_> = (0..len).map(|at| format!("\"{at}\":null")).collect();
        let text = format!("{{{}}}", members.join(","));
        let bytes = pack(&text).unwrap();
        assert!(bytes.starts_with(&header), "{len}");
        assert_eq!(unpack(&bytes).unwrap(), text);
    }
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_place() {
    let in_map = |value: &[u8]| [&[0x81, 0xa1, b'k', 0x92, 0xc0], value].concat();
    for (value, reason) in [
        (&[0xc4, 1, 0][..], Reason::NoForm("binary")),
        (&[0xc6, 0xff, 0xff, 0xff, 0xff], Reason::NoForm("binary")),
        (&[0xd4, 1, 0], Reason::NoForm("an extension")),
        (&[0xc7, 0, 0], Reason::NoForm("an extension")),
        (&[0xc1], Reason::NoForm("the reserved byte 0xc1")),
        (&[0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0], Reason::NotFinite("infinity")),
        (&[0xcb, 0xff, 0xf0, 0, 0, 0, 0, 0, 0], Reason::NotFinite("-infinity")),
        (&[0xca, 0x7f, 0xc0, 0, 0], Reason::NotFinite("NaN")),
        (&[0xa1, 0xff], Reason::NotUtf8),
        (&[0xa3, 0xed, 0xa0, 0x80], Reason::NotUtf8),
        (&[0x81, 0x01, 0xc0], Reason::KeyNotString("an integer")),
        (&[0x81, 0xc4, 0, 0xc0], Reason::KeyNotString("binary")),
        (&[0x81, 0xc0, 0xc0], Reason::KeyNotString("nil")),
    ] {
        let fault = unpack(&in_map(value)).unwrap_err();
        assert_eq!(fault, Fault { pointer: "/k/1".into(), reason }, "{value:x?}");
    }
    let fault = unpack(&[0x82, 0xa1, b'a', 1, 0xa1, b'a', 2]).unwrap_err();
    assert_eq!(fault, Fault { pointer: "/a".into(), reason: Reason::DuplicateName("a".into()) });
    let fault = pack(r#"{"x":[{"a":1,"b":2,"\u0061":3}]}"#).unwrap_err();
    assert_eq!(fault.to_string(), "/x/0/a: name `a` occurs twice");
    assert_eq!(pack(r#"["\ud800"]"#).unwrap_err().to_string(), "/0: string holds an unpaired surrogate");
    assert!(pack(r#"{"\udc00":1}"#).is_err());
    assert_eq!(unpack(&pack(r#""\ud83d\ude00""#).unwrap()).unwrap(), "\"😀\"");
}

#[test]
fn missing_and_surplus_bytes_are_refused() {
    let whole = pack(r#"{"a":[1,-200,70000,"text",1.5,null,{"b":18446744073709551615}]}"#).unwrap();
    for cut in 0..whole.len() {
        let fault = unpack(&whole[..cut]).unwrap_err();
        assert_eq!(fault.reason, Reason::Truncated { at: cut });
    }
    let surplus = [&whole[..], &[0xc0]].concat();
    assert_eq!(unpack(&surplus).unwrap_err().reason, Reason::Trailing { at: whole.len() });
    assert_eq!(unpack(&[]).unwrap_err().to_string(), "the value: bytes end at 0, inside the value");
}

#[test]
fn a_claimed_length_reserves_nothing() {
    for form in [0xdb, 0xdd, 0xdf] {
        let fault = unpack(&[form, 0xff, 0xff, 0xff, 0xff]).unwrap_err();
        assert_eq!(fault.reason, Reason::Truncated { at: 5 });
    }
    let nested = [0xdd, 0xff, 0xff, 0xff, 0xff].repeat(100);
    assert_eq!(unpack(&nested).unwrap_err().reason, Reason::Truncated { at: 500 });
}

#[test]
fn the_depth_is_bounded_both_ways() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deepest = pack(&nested(MAX_DEPTH)).unwrap();
    assert_eq!(unpack(&deepest).unwrap(), nested(MAX_DEPTH));
    assert_eq!(pack(&nested(MAX_DEPTH + 1)).unwrap_err().reason, Reason::TooDeep);
    assert_eq!(pack(&nested(1_000_000)).unwrap_err().reason, Reason::TooDeep);
    let bytes = [&vec![0x91; MAX_DEPTH][..], &[0x90]].concat();
    assert_eq!(unpack(&bytes).unwrap_err().reason, Reason::TooDeep);
    assert_eq!(unpack(&vec![0x91; 1_000_000]).unwrap_err().reason, Reason::TooDeep);
}

#[test]
fn a_fault_shows_hostile_text_on_one_line() {
    let fault = pack("{\"a\\u000a\\u001b\":99999999999999999999}").unwrap_err();
    assert!(fault.to_string().starts_with("/a\\u{a}\\u{1b}: integer"));
    let digits = "9".repeat(100_000);
    assert!(pack(&digits).unwrap_err().to_string().len() < 250);
}
