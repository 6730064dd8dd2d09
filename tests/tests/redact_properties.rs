//! Redaction over hostile text: nothing panics, nothing is hidden twice, and time stays linear.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use proptest::prelude::*;
use selvedge_core::policy::{Kind, redact};

/// What texts are put together from: parts of credentials, signs, quotes, ends.
const PARTS: &[&str] = &[
    "password",
    "token",
    "API_KEY",
    "secret",
    "authorization",
    "passphrase",
    "PRIVATE KEY",
    "export ",
    "DB_PASS",
    "db_password_prod",
    "passwords",
    "value",
    "name",
    "key",
    "--password",
    "-p",
    "-u",
    "mysql ",
    "login ",
    "machine ",
    "password ",
    "IDENTIFIED BY ",
    "\n  ",
    "- ",
    "|",
    "<![CDATA[",
    "Cookie: ",
    "Private-Lines: ",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "your",
    "example",
    "file:",
    "user,password\n",
    "=",
    ":",
    ": ",
    " = ",
    "=>",
    ":=",
    "==",
    "://",
    "@",
    "/",
    "?",
    "&",
    ";",
    ",",
    ">",
    "<",
    "</",
    "\"",
    "'",
    "\\\"",
    "\\",
    "\\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    "#",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "$",
    "${",
    "%",
    "-",
    "-----",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "Bearer ",
    "Basic ",
    "hunter2",
    "a1b2c3d4e5",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-",
    "ghp_",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJhbGciOiJIUzI1NiJ9",
    ".",
    ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.",
    "https",
    "str",
    "&str",
    "é",
    "名",
    "\u{1F511}",
    "\u{0}",
    "[redacted: secret]",
    "[redacted:",
    "[redacted: key]",
    "x",
    "7",
    "_",
];

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        12 => prop::sample::select(PARTS).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => "[A-Za-z0-9_/+=-]{0,48}",
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn hiding_again_changes_nothing(text in text()) {
        let once = redact(&text);
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(matches!(twice.text, Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_is_copied_only_where_something_was_hidden(text in text()) {
        let redacted = redact(&text);
        prop_assert_eq!(matches!(redacted.text, Cow::Borrowed(_)), redacted.counts.total() == 0);
        prop_assert_eq!(redacted.text == text, redacted.counts.total() == 0);
        prop_assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count());
        let marks = Kind::ALL.map(|kind| redacted.text.matches(kind.mark()).count()).iter().sum::<usize>();
        prop_assert!(marks >= redacted.counts.total());
    }
}

#[test]
fn time_is_linear_in_a_hostile_text() {
    const BYTES: usize = 1 << 18;
    let patterns = PARTS.iter().flat_map(|first| PARTS.iter().map(move |second| [*first, *second].concat()));
    let awkward = [
        "password=\"\\",
        "password=",
        "token:",
        "password:\"",
        "token='\"",
        "password=\"x\\\" ",
        "eyJaaaaaaaaaaa.eyJaaaaaaaaaaa-",
        "eyJ-",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n",
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ01\n",
        "password:\n",
        "password:\n  ",
        "password: |\n",
        "passwords:\n  - ",
        "<password>",
        "<a name=\"password\">\n",
        "value=",
        "mysql -p",
        "--password ",
        "password \"",
        "passwords: [\"",
        "a,password\n",
        "sk-sk_",
    ];
    for pattern in patterns.step_by(401).chain(awkward.map(str::to_owned)) {
        let hostile = pattern.repeat(BYTES / pattern.len());
        for lead in ["", "password = \"", "-----BEGIN PRIVATE KEY-----", "token: '", "eyJ"] {
            let text = format!("{lead}{hostile}");
            let one = Instant::now();
            let _ = redact(&text);
            // A square would take hours.
            assert!(one.elapsed() < Duration::from_secs(10), "{lead:?} and {pattern:?}");
        }
    }
}
