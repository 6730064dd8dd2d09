//! The table of violations: what follows from each, and how each reads.

use std::time::Duration;

use selvedge_core::{
    Tolerance, Verdict, Violation,
    json::{Expected, SyntaxError},
    jsonrpc::{Fault, Oddities},
};

use Verdict::{Close, Ignore, Reply};

/// Every violation with its verdict in a tolerant and in a strict session.
fn table() -> Vec<(Violation, Verdict, Verdict)> {
    let syntax = SyntaxError { at: 4, expected: Expected::Digit };
    let mut oddities = Oddities::default();
    oddities.wrong_version = true;
    let limit = 1_024;
    vec![
        (Violation::NotJson(syntax), Ignore, Close),
        (Violation::Text { bytes: 3 }, Ignore, Close),
        (Violation::MultiLineJson, Ignore, Close),
        (Violation::Utf16, Ignore, Close),
        (Violation::NotUtf8 { valid_up_to: 3 }, Ignore, Close),
        (Violation::NotJsonRpc(Fault::NoContent), Ignore, Close),
        (Violation::BadRequest(Fault::MethodNotAString), Reply(-32600), Close),
        (Violation::JoinedLine { at: 40 }, Ignore, Close),
        (Violation::Echoed, Ignore, Close),
        (Violation::RepeatedEntries { count: 2, list: "tools", key: "name" }, Ignore, Ignore),
        (
            Violation::EndlessChanges {
                method: "notifications/tools/list_changed",
                interval: Duration::from_secs(10),
            },
            Ignore,
            Ignore,
        ),
        (Violation::ProgressNotRising, Ignore, Ignore),
        (Violation::OddEnvelope(oddities), Ignore, Close),
        (Violation::TooLarge { limit }, Ignore, Close),
        (Violation::BadHeader { bytes: 3 }, Ignore, Close),
        (Violation::Batch { messages: 2 }, Ignore, Close),
        (Violation::UnknownResponse, Ignore, Ignore),
        (Violation::RespelledId { id: 7 }, Ignore, Close),
        (Violation::MethodNotOffered, Reply(-32601), Reply(-32601)),
        (Violation::MethodTooLong { bytes: 9_999, limit }, Reply(-32600), Reply(-32600)),
        (Violation::IdTooLong { bytes: 9_999, limit }, Reply(-32600), Reply(-32600)),
        (Violation::BadParams, Reply(-32602), Reply(-32602)),
        (Violation::IdInUse, Reply(-32600), Reply(-32600)),
        (Violation::TooManyAsks { limit }, Reply(-32603), Reply(-32603)),
        (Violation::WayNotOffered, Reply(-32602), Reply(-32602)),
        (Violation::RequestOfServer, Ignore, Ignore),
        (Violation::QuestionsNotAllowed { method: "tools/list" }, Ignore, Ignore),
        (Violation::NotListenedFor { method: "notifications/message" }, Ignore, Ignore),
        (Violation::NotAcknowledged { method: "notifications/resources/updated" }, Ignore, Ignore),
        (Violation::BadNotification { method: "notifications/progress" }, Ignore, Ignore),
        (Violation::BadCursor, Ignore, Ignore),
        (Violation::OddHandshake { member: "serverInfo", expected: "an object" }, Ignore, Ignore),
        (Violation::TooManyStrayLines { limit }, Close, Close),
        (Violation::TooManyStrayBytes { limit }, Close, Close),
    ]
}

#[test]
fn every_violation_has_its_verdict() {
    for (violation, tolerant, strict) in table() {
        assert_eq!(violation.verdict(Tolerance::Tolerant), tolerant, "{violation:?}");
        assert_eq!(violation.verdict(Tolerance::Strict), strict, "{violation:?}");
    }
}

#[test]
fn every_violation_reads_as_a_part_of_a_sentence_and_names_its_numbers() {
    for (violation, ..) in table() {
        let text = violation.to_string();
        let first = text.chars().next().unwrap();
        let is_word = !first.is_uppercase() || text.starts_with("UTF") || text.starts_with("JSON");
        assert!(is_word && !text.ends_with('.') && !text.contains('\n'), "{text}");
        if format!("{violation:?}").contains("limit") {
            assert!(text.contains("1024"), "{text}");
        }
    }
}
