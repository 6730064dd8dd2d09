//! Tests of the validating pass.

use alloc::{format, string::String};

use super::*;

fn check(text: &str) -> Result<(), SyntaxError> {
    let mut scanner = Scanner::new(text);
    scanner.skip_space();
    scanner.value()?;
    scanner.end()
}

#[test]
fn the_grammar_is_accepted_and_nothing_else() {
    for text in
        ["0", "-0.5e+7", "\"\\u00e9\\ud83d\"", "[]", "{}", " [1, {\"a\":[null,true,false]}] ", "1E400"]
    {
        assert_eq!(check(text), Ok(()), "{text}");
    }
    for (text, at, expected) in [
        ("", 0, Expected::Value),
        ("01", 1, Expected::End),
        ("-", 1, Expected::Digit),
        ("1.", 2, Expected::Digit),
        ("1e", 2, Expected::Digit),
        ("NaN", 0, Expected::Value),
        ("nul", 0, Expected::Value),
        ("[1,]", 3, Expected::Value),
        ("[1 2]", 3, Expected::CommaOrBracket),
        ("{\"a\":1,}", 7, Expected::Name),
        ("{\"a\" 1}", 5, Expected::Colon),
        ("{\"a\":1]", 6, Expected::CommaOrBrace),
        ("\"a\nb\"", 2, Expected::NoControl),
        ("\"\\x\"", 2, Expected::Escape),
        ("\"\\u12g4\"", 5, Expected::Escape),
        ("\"abc", 4, Expected::StringEnd),
        ("\u{feff}1", 0, Expected::Value),
    ] {
        assert_eq!(check(text), Err(SyntaxError { at, expected }), "{text}");
    }
}

#[test]
fn a_stop_is_found_at_every_offset_of_a_word() {
    for stop in ["\"", "\\", "\u{1}", "\u{1f}"] {
        for before in 0..70 {
            let mut text = String::from("\"");
            text.push_str(&"é~\u{7f}".repeat(before));
            let at = text.len();
            text.push_str(stop);
            text.push_str("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
            let mut scanner = Scanner::at(&text, 1);
            scanner.skip_plain();
            assert_eq!(scanner.at, at, "{stop:?} after {before}");
        }
    }
}

#[test]
fn nesting_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert_eq!(check(&deep), Ok(()));
    let mixed = format!("{}0{}", "{\"a\":[".repeat(500), "]}".repeat(500));
    assert_eq!(check(&mixed), Ok(()));
    let wrong = format!("{}0{}", "{\"a\":[".repeat(500), "}]".repeat(500));
    assert!(check(&wrong).is_err());
}
