//! The JSON-RPC envelope: ids, versions, errors, and what is no message.

use selvedge_core::{
    Violation,
    client::{Answer, AnswerFault, CallError, Event},
    jsonrpc::Fault,
};
use selvedge_tests::{World, line};

fn violations(world: &mut World) -> Vec<Violation> {
    world
        .take_events()
        .into_iter()
        .map(|event| match event {
            Event::PeerViolated(violation) => violation,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn our_id_spelled_otherwise_is_taken_with_a_diagnostic() {
    for id in [r#""7""#, "7.0", r#""7.0""#, "7e0", "70e-1", "0.7e1", "0.07E+2", r#""7e0""#] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        assert!(world.outcome(call).is_ok(), "{id}");
        assert_eq!(violations(&mut world), [Violation::RespelledId { id: 7 }], "{id}");
        world.assert_lives();
    }
}

#[test]
fn an_id_that_is_not_ours_answers_nothing() {
    for id in ["70", r#""07x""#, "-7", "7e1", "7e99999", r#""""#, "18446744073709551616"] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        assert_eq!(violations(&mut world), [Violation::UnknownResponse], "{id}");
        world.assert_quiet();
        world.peer(line::ok(call));
        assert_eq!(world.text(call), "ok");
    }
}

#[test]
fn what_cannot_be_an_id_answers_nothing_and_is_no_message() {
    for id in ["7.5", "7e-1", "[7]", "{}", "true"] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        assert_eq!(violations(&mut world), [Violation::NotJsonRpc(Fault::BadId)], "{id}");
        world.assert_quiet();
        world.peer(line::ok(call));
        assert_eq!(world.text(call), "ok");
    }
}

#[test]
fn a_peers_id_comes_back_as_it_was_spelled() {
    let ids = [
        "9007199254740993",
        r#""a\"b""#,
        "-1",
        "0",
        "1.50",
        "-0",
        "1E400",
        r#""\u0041\ud83d""#,
        "99999999999999999999",
    ];
    for id in ids {
        let mut world = World::ready();
        world.peer(line::request(id, "ping", "{}"));
        assert_eq!(world.take_sent(), [format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)]);
        world.assert_quiet();
    }
}

#[test]
fn an_error_that_names_no_request_is_told_and_attached_to_the_only_call_it_can_mean() {
    let unnamed = [
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
    ];
    for line in unnamed {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(line);
        let events = world.take_events();
        assert!(matches!(&events[..], [Event::PeerErrored(error)] if error.code == -32700), "{events:?}");
        world.assert_quiet();
        assert_eq!(world.client.calls_in_flight(), 1);

        world.pass_millis(60_000);
        let failure = world.failure(call).to_string();
        assert!(failure.contains("Parse error (-32700)"), "{failure}");
        world.assert_lives();
    }
}

#[test]
fn an_error_that_names_no_request_is_attached_to_none_of_several() {
    let mut world = World::ready();
    let calls = [world.call("t", "{}"), world.call("t", "{}")];
    world.peer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#);
    world.pass_millis(60_000);
    for call in calls {
        assert!(matches!(world.failure(call), CallError::TimedOut { hint: None, .. }));
    }
}

#[test]
fn an_error_that_names_no_request_is_attached_to_no_later_call() {
    for settle in [line::error, |call, _, _: &str| line::ok(call)] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#);
        world.peer(settle(call, -32000, "no"));
        let later = world.call("t", "{}");
        world.pass_millis(60_000);
        assert!(matches!(world.failure(later), CallError::TimedOut { hint: None, .. }));
    }
    let mut world = World::ready();
    let first = world.call("t", "{}");
    world.peer(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#);
    world.pass_millis(60_000);
    assert!(matches!(world.failure(first), CallError::TimedOut { hint: Some(_), .. }));
    let second = world.call("t", "{}");
    world.pass_millis(60_000);
    assert!(matches!(world.failure(second), CallError::TimedOut { hint: None, .. }));
}

#[test]
fn answers_that_nothing_waits_for_are_dropped_and_told() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#);
    assert_eq!(violations(&mut world), [Violation::UnknownResponse]);
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
    world.peer(line::ok(call));
    assert_eq!(violations(&mut world), [Violation::UnknownResponse]);
    assert_eq!(world.client.stray().lines(), 0);
    world.assert_quiet();
    world.assert_lives();
}

#[test]
fn a_missing_or_wrong_version_is_taken_with_a_warning() {
    for version in ["", r#""jsonrpc":"1.0","#, r#""jsonrpc":2.0,"#] {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(format!(r#"{{{version}"id":7,"result":{{}}}}"#));
        assert!(world.outcome(call).is_ok());
        let violations = violations(&mut world);
        assert!(
            matches!(&violations[..], [Violation::OddEnvelope(odd)] if odd.wrong_version),
            "{violations:?}"
        );
        world.assert_lives();
    }
}

#[test]
fn errors_of_any_shape_are_errors_and_keep_their_text() {
    let cases = [
        (r#""not found""#, 0, "not found", true),
        (r#"{"code":"E42","message":"m"}"#, 0, "m", true),
        (r#"{"message":"m"}"#, 0, "m", true),
        (r#"{"code":-32000}"#, -32000, "", true),
        ("[1]", 0, "", true),
        (r#"{"code":-32000,"message":"m","data":{"a":1.10}}"#, -32000, "m", false),
    ];
    for (text, code, message, is_malformed) in cases {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(format!(r#"{{"jsonrpc":"2.0","id":7,"error":{text}}}"#));
        let CallError::Refused(error) = world.failure(call) else { panic!("{text}") };
        assert_eq!((error.code, error.message.as_str()), (code, message), "{text}");
        assert_eq!(error.malformed.map(|raw| raw.as_str().to_owned()), is_malformed.then(|| text.to_owned()));
        if !is_malformed {
            assert_eq!(error.data.unwrap().as_str(), r#"{"a":1.10}"#);
        }
        world.assert_lives();
    }
}

#[test]
fn members_are_known_by_their_exact_names_only() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(r#"{"JSONRPC":"2.0","ID":7,"Result":{}}"#);
    assert_eq!(violations(&mut world), [Violation::NotJsonRpc(Fault::NotVersioned)]);
    world.assert_quiet();
    assert_eq!(world.client.calls_in_flight(), 1);
    world.peer(r#"{"jsonrpc":"2.0","id":7,"res\u0075lt":{}}"#);
    assert!(world.outcome(call).is_ok());
}

#[test]
fn unknown_members_survive_at_every_level() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    let result = r#"{"x_future":{"a":[1]},"content":[{"type":"text","text":"ok","x_future":{"a":[1]}}]}"#;
    world.peer(format!(r#"{{"x_future":{{"a":[1]}},"jsonrpc":"2.0","id":7,"result":{result},"y":null}}"#));
    let Ok(Answer::Called(answer)) = world.outcome(call) else { panic!("no answer") };
    assert_eq!((answer.text().as_str(), answer.raw().as_str()), ("ok", result));
    assert_eq!(world.take_events(), []);
}

#[test]
fn of_two_members_of_an_envelope_the_first_one_counts_and_that_is_reported() {
    let ok = r#"{"content":[{"type":"text","text":"ok"}]}"#;
    let doubled = [
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{ok},"result":{{}}}}"#), "result"),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{ok},"r\u0065sult":{{}}}}"#), "result"),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{ok},"jsonrpc":"1.0"}}"#), "jsonrpc"),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"id":99,"result":{ok}}}"#), "id"),
    ];
    for (line, member) in doubled {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(&line);
        assert_eq!(world.text(call), "ok", "{line}");
        let odd = violations(&mut world);
        let [Violation::OddEnvelope(odd)] = &odd[..] else { panic!("{odd:?}") };
        assert_eq!(odd.duplicate, Some(member));
        world.assert_lives();
    }
}

#[test]
fn a_response_with_two_ids_settles_the_first_call_that_waits_for_one_of_them() {
    for (ids, settled) in [
        (r#""id":7,"id":8"#, 0),
        (r#""id":8,"id":7"#, 1),
        (r#""id":99,"i\u0064":"8""#, 1),
        (r#""id":null,"id":[],"id":8"#, 1),
    ] {
        let mut world = World::ready();
        let calls = [world.call("t", "{}"), world.call("t", "{}")];
        world.peer(format!(r#"{{"jsonrpc":"2.0",{ids},"result":{{"content":[]}}}}"#));
        assert!(world.outcome(calls[settled]).is_ok(), "{ids}");
        let odd = violations(&mut world);
        assert!(matches!(&odd[0], Violation::OddEnvelope(odd) if odd.duplicate == Some("id")), "{odd:?}");
        world.peer(line::ok(calls[1 - settled]));
        assert!(world.outcome(calls[1 - settled]).is_ok(), "{ids}");
    }
}

#[test]
fn of_two_members_of_a_result_the_first_one_counts_for_every_reader() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    let result =
        r#"{"content":[],"structuredContent":1,"is\u0045rror":false,"structuredContent":2,"isError":true}"#;
    world.peer(line::result(call, result));
    let Ok(Answer::Called(answer)) = world.outcome(call) else { panic!("no answer") };
    assert_eq!(answer.structured_content().unwrap().as_str(), "1");
    assert_eq!(answer.raw().as_str(), r#"{"content":[],"structuredContent":1,"is\u0045rror":false}"#);
    let twice = Violation::DuplicateName { pointer: "/result/structuredContent".to_owned() };
    assert_eq!(violations(&mut world), [twice]);
}

#[test]
fn a_response_with_neither_or_both_of_result_and_error_is_a_fault_of_its_call() {
    let faulty = [
        (r#"{"jsonrpc":"2.0","id":7}"#, Fault::NoContent),
        (r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"m"}}"#, Fault::ResultAndError),
    ];
    for (line, fault) in faulty {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.peer(line);
        let malformed = CallError::Malformed { fault: AnswerFault::NotJsonRpc(fault), raw: None };
        assert_eq!(world.failure(call), malformed);
        assert_eq!(violations(&mut world), [Violation::NotJsonRpc(fault)]);
        world.assert_lives();
    }
}

#[test]
fn a_null_beside_the_answer_is_odd_and_harmless() {
    let mut world = World::ready();
    let (seven, eight) = (world.call("t", "{}"), world.call("t", "{}"));
    world.peer(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]},"error":null}"#);
    world.peer(r#"{"jsonrpc":"2.0","id":8,"result":null,"error":{"code":1,"message":"m"}}"#);
    assert!(world.outcome(seven).is_ok());
    assert!(matches!(world.failure(eight), CallError::Refused(error) if error.message == "m"));
    let odd = violations(&mut world);
    assert!(odd.iter().all(|odd| matches!(odd, Violation::OddEnvelope(odd) if odd.null_beside)), "{odd:?}");
    assert_eq!(odd.len(), 2);
}

#[test]
fn null_members_mean_the_same_as_absent_ones_and_are_reported() {
    let mut world = World::ready();
    world.peer(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null,"result":null,"error":null}"#);
    assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    world.peer(r#"{"jsonrpc":"2.0","id":null,"method":"notifications/tools/list_changed"}"#);
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(r#"{"jsonrpc":"2.0","id":7,"method":null,"params":null,"result":{}}"#);
    assert!(world.outcome(call).is_ok());
    let events = world.take_events();
    let odd = events.iter().filter(|event| matches!(event, Event::PeerViolated(Violation::OddEnvelope(_))));
    assert_eq!(odd.count(), 3, "{events:?}");
    assert!(events.contains(&Event::ToolsChanged));
    world.assert_lives();
}

#[test]
fn a_strict_session_ends_at_a_null_member() {
    let mut world = World::strict();
    world.peer(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#);
    let events = world.take_events();
    assert!(matches!(events.first(), Some(Event::PeerViolated(Violation::OddEnvelope(_)))), "{events:?}");
    assert!(matches!(events.get(1), Some(Event::Closed(_))), "{events:?}");
}
