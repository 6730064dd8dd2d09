//! Calls: what is written, and every way in which an answer is good, bad or an error.

use selvedge_core::{
    Client, Misuse, Tick,
    client::{Answer, AnswerFault, CallError, CallId, CallOptions},
    json::Kind,
    protocol::{CallToolResult, Content},
};
use selvedge_tests::{
    World, line,
    world::{NORMAL, changed},
};

type Command = fn(&mut Client, Tick) -> Result<CallId, Misuse>;

fn called(result: &str) -> CallToolResult {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_sent();
    world.peer(line::result(call, result));
    let outcome = world.outcome(call);
    let Ok(Answer::Called(answer)) = outcome else { panic!("{result}: {outcome:?}") };
    world.assert_quiet();
    answer
}

#[test]
fn a_call_is_one_line_with_its_name_and_its_arguments_as_they_were_given() {
    let mut world = World::ready();
    world.call("a\"b\n", "{ \"n\" : 1.10,\n  \"s\":\"x\\ny\",\r\n\"big\":12345678901234567890}");
    let expected = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"a\\\"b\\n\",\"arguments\":\
        { \"n\" : 1.10,  \"s\":\"x\\ny\",\"big\":12345678901234567890}}}";
    assert_eq!(world.take_sent(), [expected]);
    world.assert_quiet();
}

#[test]
fn progress_is_asked_for_only_where_it_is_wanted() {
    let mut world = World::ready();
    let options = CallOptions { progress: true, ..NORMAL };
    world.call_with("t", "{}", options);
    world.call("t", "{}");
    let sent = world.take_sent();
    assert!(sent[0].contains(r#""_meta":{"progressToken":7}"#), "{}", sent[0]);
    assert!(!sent[1].contains("_meta"), "{}", sent[1]);
}

#[test]
fn absent_content_is_empty_content() {
    for result in ["{}", r#"{"content":null}"#, r#"{"_meta":{}}"#, r#"{"content":[],"isError":null}"#] {
        let answer = called(result);
        assert_eq!((answer.content().count(), answer.text().as_str()), (0, ""), "{result}");
        assert_eq!(answer.structured_content(), None, "{result}");
        assert_eq!(answer.raw().as_str(), result);
    }
}

#[test]
fn structured_content_that_is_absent_null_or_a_value_are_three_answers() {
    assert_eq!(called(r#"{"content":[]}"#).structured_content(), None);
    let null = called(r#"{"structuredContent":null,"content":[]}"#);
    assert_eq!(null.structured_content().map(selvedge_core::json::View::kind), Some(Kind::Null));
    let value = called(r#"{"content":[],"structuredContent":{"n":12345678901234567890,"f":1.10,"e":1E400}}"#);
    assert_eq!(
        value.structured_content().unwrap().as_str(),
        r#"{"n":12345678901234567890,"f":1.10,"e":1E400}"#
    );
}

#[test]
fn a_block_of_an_unknown_kind_is_kept_raw_beside_the_text() {
    let answer = called(
        r#"{"content":[{"type":"video","data":"AA=="},{"type":"text","text":"x"},null,{"text":"y"}]}"#,
    );
    assert_eq!(answer.text(), "x");
    let blocks: Vec<_> = answer.content().collect();
    let Content::Other { kind, raw } = &blocks[0] else { panic!("{blocks:?}") };
    assert_eq!((&**kind, raw.as_str()), ("video", r#"{"type":"video","data":"AA=="}"#));
    assert!(matches!(&blocks[2], Content::Other { kind, .. } if kind.is_empty()));
    assert!(matches!(&blocks[3], Content::Other { kind, .. } if kind.is_empty()));
}

#[test]
fn many_members_and_members_in_any_order_are_read_alike() {
    let many: Vec<_> = (0..20).map(|at| format!(r#""m{at}":0,"#)).collect();
    let many = many.concat();
    let answer =
        called(&format!(r#"{{{many}"structuredContent":[1],"content":[{{"text":"x","type":"text"}}]}}"#));
    assert_eq!((answer.text().as_str(), answer.structured_content().unwrap().as_str()), ("x", "[1]"));
}

#[test]
fn a_result_of_the_wrong_shape_keeps_its_text_and_nothing_is_written() {
    let wrong = [
        (r#"{"content":"oops"}"#, "`content` must be an array, not string"),
        (r#"{"content":{}}"#, "`content` must be an array, not object"),
        (r#"{"isError":"yes"}"#, "`isError` must be a boolean, not string"),
        ("[]", "`result` must be an object, not array"),
        ("null", "`result` must be an object, not null"),
    ];
    for (result, why) in wrong {
        let mut world = World::ready();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(line::result(call, result));
        let CallError::Malformed { fault: AnswerFault::WrongShape(fault), raw } = world.failure(call) else {
            panic!("{result}")
        };
        assert_eq!(fault.to_string(), why);
        assert_eq!(raw.unwrap().as_str(), result);
        world.assert_quiet();
        world.assert_lives();
    }
}

#[test]
fn a_tool_that_failed_is_an_outcome_of_its_own() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer(line::result(call, r#"{"isError":true,"content":[{"type":"text","text":"no such file"}]}"#));
    let CallError::ToolFailed(result) = world.failure(call) else { panic!("no tool error") };
    assert!(result.is_error());
    assert_eq!(result.text(), "no such file");

    let call = world.call("t", "{}");
    world.peer(line::error(call, -32602, "bad"));
    assert!(matches!(world.failure(call), CallError::Refused(error) if error.code == -32602));
    world.assert_lives();
}

#[test]
fn a_mistake_of_the_application_writes_nothing_and_starts_nothing() {
    let mut world = World::ready_with(changed(|config| {
        config.limits.max_message_bytes = 400;
        config.limits.max_calls_in_flight = 2;
    }));
    let mut tried = |arguments: &str| world.client.call_tool(world.now, "t", arguments, NORMAL);
    assert!(matches!(tried("{"), Err(Misuse::NotJson { what: "the arguments", .. })));
    assert_eq!(tried("[]"), Err(Misuse::NotAnObject { what: "the arguments" }));
    let long = format!(r#"{{"x":"{}"}}"#, "x".repeat(400));
    assert!(matches!(tried(&long), Err(Misuse::TooLarge { limit: 400, .. })));
    world.assert_quiet();
    assert_eq!(world.client.calls_in_flight(), 0);

    world.call("t", "{}");
    world.call("t", "{}");
    world.take_sent();
    let third = world.client.call_tool(world.now, "t", "{}", NORMAL);
    assert_eq!(third, Err(Misuse::TooManyCalls { limit: 2 }));
    world.assert_quiet();
}

#[test]
fn other_requests_have_their_own_methods_and_answers() {
    let cases: [(Command, &str, &str, &str, &str); 7] = [
        (|c, n| c.ping(n, NORMAL), "ping", "{}", "{}", "Done"),
        (
            |c, n| c.read_resource(n, "a://b", NORMAL),
            "resources/read",
            r#"{"uri":"a://b"}"#,
            r#"{"contents":[{"uri":"a://b","text":"x"},{"uri":"a://c","blob":"AA==","mimeType":"m"}]}"#,
            "Resource",
        ),
        (|c, n| c.subscribe(n, "a://b", NORMAL), "resources/subscribe", r#"{"uri":"a://b"}"#, "{}", "Done"),
        (
            |c, n| c.get_prompt(n, "p", r#"{"a":"1"}"#, NORMAL),
            "prompts/get",
            r#"{"name":"p","arguments":{"a":"1"}}"#,
            r#"{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}"#,
            "Prompt",
        ),
        (
            |c, n| {
                let reference = r#"{"type":"ref/prompt","name":"p"}"#;
                c.complete(n, reference, r#"{"name":"a","value":"x"}"#, NORMAL)
            },
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"x"}}"#,
            r#"{"completion":{"values":["xa","xb"],"total":9,"hasMore":true}}"#,
            "Completion",
        ),
        (
            |c, n| c.set_log_level(n, "debug", NORMAL),
            "logging/setLevel",
            r#"{"level":"debug"}"#,
            "{}",
            "Done",
        ),
        (|c, n| c.request(n, "x/y", r#" {"a":[1]} "#, NORMAL), "x/y", r#"{"a":[1]}"#, "[7]", "Raw"),
    ];
    for (command, method, params, result, kind) in cases {
        let mut world = World::ready();
        let call = world.must(command);
        assert_eq!(world.take_sent(), [line::request("7", method, params)]);
        world.peer(line::result(call, result));
        let answer = world.outcome(call).unwrap();
        assert!(format!("{answer:?}").starts_with(kind), "{method}: {answer:?}");
        world.assert_quiet();
    }
}

#[test]
fn answers_in_any_order_reach_their_own_calls() {
    let mut world = World::ready();
    let calls: Vec<_> = (0..100).map(|_| world.call("t", "{}")).collect();
    for call in calls.iter().rev() {
        world.peer(line::text(*call, &call.as_u64().to_string()));
    }
    for call in calls {
        assert_eq!(world.text(call), call.as_u64().to_string());
    }
}

#[test]
fn what_the_application_adds_to_meta_stands_beside_what_the_engine_writes_there() {
    let mut world = World::ready();
    let options = CallOptions { progress: true, ..NORMAL };
    world.must(|client, now| client.request(now, "x/y", r#"{"b":1,"_meta":{"a":1},"c":2}"#, options));
    world.call_with(
        "t",
        "{}",
        CallOptions {
            meta: Some(
                r#" {"a": 1,
        "traceparent":"00"} "#,
            ),
            ..NORMAL
        },
    );
    world.must(|client, now| client.request(now, "x/y", r#"{"_meta":{"progressToken":"mine"}}"#, NORMAL));
    let sent = world.take_sent();
    assert!(sent[0].ends_with(r#""params":{"b":1,"c":2,"_meta":{"progressToken":7,"a":1}}}"#), "{}", sent[0]);
    assert!(
        sent[1].contains(r#""arguments":{},"_meta":{"a": 1,        "traceparent":"00"}}}"#),
        "{}",
        sent[1]
    );
    assert!(sent[2].ends_with(r#""params":{"_meta":{"progressToken":"mine"}}}"#), "{}", sent[2]);
}

#[test]
fn neither_side_of_meta_is_overwritten() {
    let mut world = World::ready();
    let (now, progress) = (world.now, CallOptions { progress: true, ..NORMAL });
    let token = r#"{"_meta":{"progressToken":1}}"#;
    assert_eq!(world.client.request(now, "x/y", token, progress), Err(Misuse::MetaTwice));
    let twice = CallOptions { meta: Some("{}"), ..NORMAL };
    assert_eq!(world.client.request(now, "x/y", r#"{"_meta":{}}"#, twice), Err(Misuse::MetaTwice));
    let reserved = r#"{"io.modelcontextprotocol/clientInfo":{}}"#;
    for meta in [reserved, "{\"io.modelcontextprotocol\\u002fprotocolVersion\":\"x\"}"] {
        let options = CallOptions { meta: Some(meta), ..NORMAL };
        assert_eq!(world.client.call_tool(now, "t", "{}", options), Err(Misuse::MetaTwice), "{meta}");
    }
    for meta in ["[]", "7", "{", ""] {
        let options = CallOptions { meta: Some(meta), ..NORMAL };
        let refused = world.client.call_tool(now, "t", "{}", options);
        assert!(matches!(refused, Err(Misuse::NotAnObject { .. } | Misuse::NotJson { .. })), "{meta}");
    }
    world.assert_quiet();
}
