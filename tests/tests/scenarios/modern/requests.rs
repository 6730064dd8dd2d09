//! What requests of the modern era carry, what the era has no words for, and which results are none.

use selvedge_core::{
    Misuse, Violation,
    client::{Answer, AnswerFault, CallError, CallOptions, Event},
    jsonrpc::RpcError,
    protocol::LogLevel,
};
use selvedge_tests::{World, line, world::changed};

use super::{NORMAL, json, member};

const META: [&str; 2] = ["params", "_meta"];

fn meta(message: &str, key: &str) -> Option<String> {
    member(message, &[META[0], META[1], key])
}

#[test]
fn every_request_carries_its_envelope() {
    let mut world = World::modern();
    world.call("t", r#"{"a":1}"#);
    world.list_tools();
    world.must(|client, now| client.list_prompts(now, NORMAL));
    world.must(|client, now| client.list_resources(now, NORMAL));
    world.must(|client, now| client.list_resource_templates(now, NORMAL));
    world.must(|client, now| client.read_resource(now, "x:/y", NORMAL));
    world.must(|client, now| client.get_prompt(now, "p", "{}", NORMAL));
    let reference = r#"{"type":"ref/prompt","name":"p"}"#;
    world.must(|client, now| client.complete(now, reference, r#"{"name":"a","value":"b"}"#, NORMAL));
    world.must(|client, now| client.discover(now, NORMAL));
    world.must(|client, now| client.request(now, "x/y", "{}", NORMAL));
    let sent = world.take_sent();
    assert_eq!(sent.len(), 10);
    for message in sent {
        assert_eq!(meta(&message, "io.modelcontextprotocol/protocolVersion").unwrap(), "\"2026-07-28\"");
        assert_eq!(meta(&message, "io.modelcontextprotocol/clientCapabilities").unwrap(), "{}");
        assert!(meta(&message, "io.modelcontextprotocol/clientInfo").unwrap().contains("selvedge"));
        assert_eq!(meta(&message, "progressToken"), None);
        assert_eq!(meta(&message, "io.modelcontextprotocol/logLevel"), None);
    }
}

#[test]
fn progress_levels_and_what_the_application_adds_stand_beside_the_envelope() {
    let mut world = World::modern();
    let options = CallOptions {
        progress: true,
        log_level: Some(LogLevel::Warning),
        meta: Some(r#"{"traceparent":"00-1","com.example/x":[1]}"#),
        ..NORMAL
    };
    let call = world.call_with("t", "{}", options);
    world.must(|client, now| client.request(now, "x/y", r#"{"_meta":{"a":1},"b":2}"#, NORMAL));
    let sent = world.take_sent();
    assert_eq!(meta(&sent[0], "progressToken").unwrap(), "7");
    assert_eq!(meta(&sent[0], "io.modelcontextprotocol/logLevel").unwrap(), "\"warning\"");
    assert_eq!(meta(&sent[0], "traceparent").unwrap(), "\"00-1\"");
    assert_eq!(meta(&sent[0], "com.example/x").unwrap(), "[1]");
    assert!(sent[1].contains(r#""params":{"b":2,"_meta":{"io."#), "{}", sent[1]);
    assert_eq!(meta(&sent[1], "a").unwrap(), "1");
    world.peer(line::notification("notifications/progress", r#"{"progressToken":7,"progress":1}"#));
    world.peer(line::notification("notifications/message", r#"{"level":"error","data":"x"}"#));
    let events = world.take_events();
    assert!(
        matches!(&events[..], [Event::Progressed { call: own, .. }, Event::Logged { .. }] if *own == call),
        "{events:?}"
    );
}

#[test]
fn a_level_of_log_messages_is_remembered_and_named_by_every_later_call() {
    let mut world = World::modern();
    let set = world.must(|client, now| client.set_log_level(now, "notice", NORMAL));
    assert_eq!(world.outcome(set), Ok(Answer::Done));
    world.assert_quiet();
    world.call("t", "{}");
    world.list_tools();
    let quiet = CallOptions { log_level: Some(LogLevel::Error), ..NORMAL };
    world.call_with("t", "{}", quiet);
    let levels: Vec<_> = world
        .take_sent()
        .iter()
        .map(|message| meta(message, "io.modelcontextprotocol/logLevel").unwrap())
        .collect();
    assert_eq!(levels, ["\"notice\"", "\"notice\"", "\"error\""]);
    let now = world.now;
    assert_eq!(world.client.set_log_level(now, "loud", NORMAL), Err(Misuse::UnknownLogLevel));
}

#[test]
fn log_messages_that_nobody_asked_for_are_a_violation() {
    let mut world = World::modern();
    world.call("t", "{}");
    world.take_effects();
    world.peer(line::notification("notifications/message", r#"{"level":"error","data":"x"}"#));
    let violation = Violation::NotListenedFor { method: "notifications/message" };
    assert_eq!(world.take_events(), [Event::PeerViolated(violation)]);
}

#[test]
fn what_the_era_does_by_other_means_is_refused_and_says_by_which() {
    let mut world = World::modern();
    let now = world.now;
    let refused = world.client.ping(now, NORMAL).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "2026-07-28 has no `ping`: `server/discover` shows whether a server lives"
    );
    for method in ["ping", "logging/setLevel", "resources/subscribe", "initialize", "subscriptions/listen"] {
        let refused = world.client.request(now, method, "{}", NORMAL);
        assert!(matches!(refused, Err(Misuse::NotInRevision { .. })), "{method}: {refused:?}");
    }
    world.assert_quiet();
}

#[test]
fn what_only_the_modern_era_knows_is_refused_in_a_legacy_session() {
    let mut world = World::ready();
    let now = world.now;
    let level = CallOptions { log_level: Some(LogLevel::Error), ..NORMAL };
    let refusals = [
        world.client.discover(now, NORMAL),
        world.client.listen(now, &selvedge_core::protocol::Interests::default(), NORMAL),
        world.client.call_tool(now, "t", "{}", level),
    ];
    for refused in refusals {
        assert!(matches!(refused, Err(Misuse::NotInRevision { .. })), "{refused:?}");
    }
    world.assert_quiet();
}

#[test]
fn a_server_that_asks_is_never_answered() {
    let mut world = World::modern_with(changed(|config| config.offers.roots = true));
    let requests = [
        line::request("1", "ping", "{}"),
        line::request("2", "roots/list", "{}"),
        line::request("3", "x/y", "{}"),
        line::request("4", "roots/list", "[]"),
        line::request(&format!("\"{}\"", "i".repeat(2_000)), "ping", "{}"),
    ];
    for request in requests {
        world.peer(request);
        assert_eq!(world.take_events(), [Event::PeerViolated(Violation::RequestOfServer)]);
        world.assert_quiet();
    }
    world.peer(r#"{"jsonrpc":"2.0","id":1,"method":7}"#);
    assert!(matches!(world.take_events()[..], [Event::PeerViolated(Violation::BadRequest(_))]));
    world.assert_quiet();
    world.assert_lives();
}

#[test]
fn a_result_without_a_kind_is_complete_and_one_of_an_unknown_kind_is_none() {
    let mut world = World::modern();
    for kind in ["", r#""resultType":"complete","#] {
        let call = world.call("t", "{}");
        world.peer(line::result(call, &format!(r#"{{{kind}"content":[]}}"#)));
        assert!(matches!(world.outcome(call), Ok(Answer::Called(_))));
    }
    let call = world.call("t", "{}");
    world.peer(line::result(call, r#"{"content":[],"resultType":"later"}"#));
    let error = world.failure(call);
    assert_eq!(error.to_string(), "malformed answer: unknown kind of result: later");
    let CallError::Malformed { fault: AnswerFault::UnknownKind(kind), raw: Some(_) } = error else {
        panic!("{error:?}")
    };
    assert_eq!(kind, "later");
    for result in [r#"{"resultType":7,"content":[]}"#, r#"{"resultType":null,"content":[]}"#] {
        let call = world.call("t", "{}");
        world.peer(line::result(call, result));
        let error = world.failure(call);
        assert!(
            matches!(&error, CallError::Malformed { fault: AnswerFault::WrongShape(fault), .. } if fault.member == "resultType"),
            "{result}: {error:?}"
        );
    }
    let long = "x".repeat(10_000);
    let call = world.call("t", "{}");
    world.peer(line::result(call, &format!(r#"{{"resultType":"{long}"}}"#)));
    assert!(world.failure(call).to_string().len() < 200);
    world.assert_lives();
}

#[test]
fn a_raw_request_gets_whatever_kind_of_result_there_is() {
    let mut world = World::modern();
    for result in [r#"{"resultType":"task","taskId":"1"}"#, r#"{"resultType":"input_required"}"#] {
        let call = world.must(|client, now| client.request(now, "tools/call", r#"{"name":"t"}"#, NORMAL));
        world.peer(line::result(call, result));
        assert_eq!(world.outcome(call), Ok(Answer::Raw(json(result))));
    }
}

#[test]
fn the_kind_of_a_result_is_found_behind_many_members_and_far_away() {
    let mut world = World::modern();
    let many = r#""m":0,"#.repeat(40);
    let call = world.call("t", "{}");
    world.peer(line::result(call, &format!(r#"{{{many}"content":[],"resultType":"later"}}"#)));
    let error = world.failure(call);
    assert!(matches!(error, CallError::Malformed { fault: AnswerFault::UnknownKind(_), .. }), "{error:?}");
}

#[test]
fn kinds_mean_nothing_in_a_legacy_session() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.peer(line::result(call, r#"{"resultType":"later","content":[],"ttlMs":1000}"#));
    assert!(matches!(world.outcome(call), Ok(Answer::Called(_))));
}

#[test]
fn structured_content_of_any_kind_is_taken() {
    let mut world = World::modern();
    for value in ["[1]", "\"x\"", "7", "null", "false", "{}"] {
        let call = world.call("t", "{}");
        world.peer(line::result(call, &format!(r#"{{"content":[],"structuredContent":{value}}}"#)));
        let Ok(Answer::Called(result)) = world.outcome(call) else { panic!("{value}") };
        assert_eq!(result.structured_content().unwrap().as_str(), value);
    }
}

#[test]
fn an_empty_cursor_is_a_cursor_and_one_that_comes_again_ends_the_listing() {
    let mut world = World::modern();
    let list = world.list_tools();
    world.take_effects();
    world.peer(line::result(list, r#"{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":""}"#));
    let sent = world.take_sent();
    assert_eq!(member(&sent[0], &["params", "cursor"]).unwrap(), "\"\"");
    world.peer(line::result_of(8, r#"{"tools":[{"name":"b","inputSchema":{}}]}"#));
    let Ok(Answer::Tools(listing)) = world.outcome(list) else { panic!() };
    assert_eq!(listing.items.len(), 2);

    let list = world.list_tools();
    world.peer(line::result(list, r#"{"tools":[],"nextCursor":""}"#));
    world.peer(line::result_of(10, r#"{"tools":[],"nextCursor":""}"#));
    assert_eq!(world.failure(list), CallError::PaginationLoop { cursor: String::new() });
}

#[test]
fn a_capability_that_is_missing_is_named_by_the_refusal() {
    let mut world = World::modern();
    let call = world.call("t", "{}");
    let error =
        r#"{"code":-32021,"message":"needs sampling","data":{"requiredCapabilities":{"sampling":{}}}}"#;
    world.peer(format!(r#"{{"jsonrpc":"2.0","id":7,"error":{error}}}"#));
    let CallError::Refused(error) = world.failure(call) else { panic!() };
    assert_eq!(error.required_capabilities().unwrap().as_str(), r#"{"sampling":{}}"#);
    assert!(RpcError::new(-32_602, "x").with_data(json("{}")).required_capabilities().is_none());
}

#[test]
fn a_call_that_ends_early_is_cancelled_on_the_wire() {
    let mut world = World::modern();
    let call = world.call("t", "{}");
    world.take_effects();
    world.cancel(call);
    assert_eq!(world.failure(call), CallError::Cancelled);
    let sent = world.take_sent();
    assert!(sent[0].contains(r#""method":"notifications/cancelled","params":{"requestId":7,"#), "{sent:?}");
    world.call("t", "{}");
    world.pass_millis(60_000);
    assert!(world.take_sent().iter().any(|line| line.contains(r#""requestId":8"#)));
}
