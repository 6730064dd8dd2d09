//! Requests of the modern era: each stands alone, on the same pipe as a session of the legacy era.

use selvedge_core::{
    ServerConfig, Tick,
    json::{RawJson, View},
    protocol::{LogLevel, Revision},
    server::{Answer, Context, Request, ServedCall, ServerEvent},
};
use selvedge_tests::line;

use super::server_gate::Desk;

/// Returns the members of an envelope whose client can do this.
pub(crate) fn envelope(capabilities: &str) -> String {
    format!(
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities}"#
    )
}

/// Returns a modern request; `members` are its parameters without the envelope.
pub(crate) fn modern(id: &str, method: &str, capabilities: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    line::request(id, method, &format!(r#"{{"_meta":{{{}}}{comma}{members}}}"#, envelope(capabilities)))
}

/// Takes the only event, which must ask for something.
pub(crate) fn asked(desk: &mut Desk) -> (ServedCall, Request, Context) {
    let mut events = desk.take_events();
    assert_eq!(events.len(), 1, "{events:?}");
    let Some(ServerEvent::Requested { call, request, context }) = events.pop() else { panic!("no request") };
    (call, request, context)
}

pub(crate) fn view(text: &str) -> View<'_> {
    View::new(text).unwrap()
}

/// Returns the code and the data of the error that a reply holds.
pub(crate) fn error(reply: &str) -> (i64, String) {
    let error = view(reply).get("error").unwrap_or_else(|| panic!("{reply}"));
    let data = error.get("data").map_or("", View::as_str);
    (error.get("code").unwrap().as_i64().unwrap(), data.to_owned())
}

pub(crate) fn everything(config: &mut ServerConfig) {
    (config.has_resources, config.has_prompts) = (true, true);
    (config.completes, config.logs, config.watches, config.changes) = (true, true, true, true);
    config.prompts = vec![json(r#"{"name":"p","arguments":[{"name":"who","required":true}]}"#)];
}

pub(crate) fn json(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

#[test]
fn a_client_discovers_what_is_offered_without_a_handshake() {
    let mut desk = Desk::new(|config| {
        everything(config);
        config.instructions = Some("be nice".to_owned());
        config.cache_ttl = std::time::Duration::from_secs(5);
    });
    desk.client(modern("1", "server/discover", "{}", ""));
    let reply = desk.reply();
    let result = view(&reply).get("result").unwrap();
    assert!(result.get("resultType").unwrap().is_str("complete"));
    assert_eq!(result.get("supportedVersions").unwrap().as_str(), r#"["2026-07-28"]"#);
    let capabilities = result.get("capabilities").unwrap();
    for (name, declared) in [
        ("tools", r#"{"listChanged":true}"#),
        ("prompts", r#"{"listChanged":true}"#),
        ("resources", r#"{"listChanged":true,"subscribe":true}"#),
        ("completions", "{}"),
        ("logging", "{}"),
    ] {
        assert_eq!(capabilities.get(name).unwrap().as_str(), declared, "{name}");
    }
    assert!(result.get("instructions").unwrap().is_str("be nice"));
    assert_eq!(result.get("ttlMs").unwrap().as_str(), "5000");
    assert!(result.get("cacheScope").unwrap().is_str("private"));
    let info = result.get("_meta").unwrap().get("io.modelcontextprotocol/serverInfo").unwrap();
    assert!(info.get("name").unwrap().is_str("selvedge"));
    assert!(desk.take_events().is_empty());
}

#[test]
fn an_envelope_that_is_missing_or_malformed_is_refused_with_the_place_of_the_fault() {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let level = r#""io.modelcontextprotocol/logLevel""#;
    for (meta, place) in [
        (String::new(), "protocolVersion"),
        (capabilities.to_owned(), "protocolVersion"),
        (r#""io.modelcontextprotocol/protocolVersion":7"#.to_owned(), "protocolVersion"),
        (version.to_owned(), "clientCapabilities"),
        (format!(r#"{version},"io.modelcontextprotocol/clientCapabilities":[]"#), "clientCapabilities"),
        (format!("{version},{capabilities},{level}:\"loud\""), "logLevel"),
        (format!("{version},{capabilities},{level}:null"), "logLevel"),
    ] {
        let mut desk = Desk::new(everything);
        desk.client(line::request("1", "server/discover", &format!(r#"{{"_meta":{{{meta}}}}}"#)));
        let (code, data) = error(&desk.reply());
        assert_eq!(code, -32602, "{meta}");
        assert_eq!(data, format!(r#"{{"path":"/params/_meta/io.modelcontextprotocol~1{place}"}}"#), "{meta}");
    }
    for version in ["2099-01-01", "2025-11-25", ""] {
        let mut desk = Desk::new(everything);
        let request = modern("1", "tools/list", "{}", "").replace("2026-07-28", version);
        desk.client(request);
        let (code, data) = error(&desk.reply());
        assert_eq!(code, -32022);
        assert_eq!(data, format!(r#"{{"supported":["2026-07-28"],"requested":"{version}"}}"#));
    }
}

#[test]
fn both_eras_are_served_side_by_side_on_one_pipe() {
    let mut desk = Desk::new(everything);
    desk.client(modern("1", "tools/list", "{}", ""));
    assert!(desk.reply().contains(r#""resultType":"complete""#));
    desk.client(line::request("2", "tools/list", "{}"));
    assert_eq!(error(&desk.reply()).0, -32002, "no session was opened by that");
    desk.client(line::request("3", "initialize", r#"{"protocolVersion":"2026-07-28"}"#));
    assert!(desk.reply().contains(r#""protocolVersion":"2025-11-25""#));
    desk.take_events();
    desk.client(line::request("4", "tools/list", "{}"));
    assert!(!desk.reply().contains("resultType"));
    desk.client(modern("5", "tools/call", "{}", r#""name":"t""#));
    let (call, _, context) = asked(&mut desk);
    assert_eq!((context.revision, context.id.as_str()), (Revision::V2026_07_28, "5"));
    desk.answer(call, r#"{"content":[]}"#).unwrap();
    assert!(desk.reply().contains(r#""resultType":"complete""#));
}

#[test]
fn methods_that_the_modern_era_does_not_know_are_not_found_in_it() {
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "shutdown",
        "foo/bar",
    ] {
        let mut desk = Desk::new(everything);
        desk.client(modern("1", method, "{}", r#""uri":"a:b","level":"info""#));
        assert_eq!(error(&desk.reply()).0, -32601, "{method}");
    }
    for method in ["resources/list", "prompts/get", "completion/complete", "subscriptions/listen"] {
        let mut desk = Desk::new(|_| {});
        desk.client(modern("1", method, "{}", r#""name":"p","notifications":{}"#));
        assert_eq!(error(&desk.reply()).0, -32601, "{method} was not declared");
    }
}

#[test]
fn a_result_keeps_what_the_application_put_into_it() {
    let mut desk = Desk::new(|_| {});
    desk.client(modern("1", "tools/call", "{}", r#""name":"t""#));
    let (call, ..) = asked(&mut desk);
    desk.answer(call, r#"{"structuredContent":null,"_meta":{"a/b":1},"content":[],"x":"y"}"#).unwrap();
    let reply = desk.reply();
    let result = view(&reply).get("result").unwrap();
    assert_eq!(result.get("_meta").unwrap().get("a/b").unwrap().as_str(), "1");
    assert!(result.get("_meta").unwrap().get("io.modelcontextprotocol/serverInfo").is_some());
    assert!(result.get("structuredContent").unwrap().is_null());
    assert!(result.get("x").unwrap().is_str("y"));
    assert_eq!(result.members().filter(|(name, _)| name.is("_meta")).count(), 1);
}

#[test]
fn what_the_application_says_of_freshness_stands_once_beside_what_the_server_adds() {
    for (own, ttl) in [("", "0"), (r#","ttlMs":5"#, "5"), (r#","cacheScope":"private""#, "0")] {
        let mut desk = Desk::new(everything);
        desk.client(modern("1", "resources/read", "{}", r#""uri":"a:b""#));
        let (call, ..) = asked(&mut desk);
        desk.answer(call, &format!(r#"{{"contents":[]{own}}}"#)).unwrap();
        let reply = desk.reply();
        let result = view(&reply).get("result").unwrap();
        for name in ["ttlMs", "cacheScope"] {
            assert_eq!(result.members().filter(|(own, _)| own.is(name)).count(), 1, "{name}: {reply}");
        }
        assert_eq!(result.get("ttlMs").unwrap().as_str(), ttl);
    }
}

#[test]
fn a_resource_that_does_not_exist_is_refused_in_the_words_of_the_era() {
    let mut desk = Desk::new(everything);
    desk.client(modern("1", "resources/read", "{}", r#""uri":"a:\"b""#));
    let (call, request, _) = asked(&mut desk);
    assert_eq!(request, Request::ReadResource { uri: "a:\"b".to_owned() });
    desk.server.answer(Tick::ZERO, call, Answer::NotFound).unwrap();
    assert_eq!(error(&desk.reply()), (-32602, r#"{"uri":"a:\"b"}"#.to_owned()));

    let mut desk = Desk::ready_with("2025-11-25", everything);
    desk.client(line::request("1", "resources/read", r#"{"uri":"a:b"}"#));
    let (call, ..) = asked(&mut desk);
    desk.server.answer(Tick::ZERO, call, Answer::NotFound).unwrap();
    assert_eq!(error(&desk.reply()), (-32002, r#"{"uri":"a:b"}"#.to_owned()));
}

#[test]
fn a_crash_is_told_as_an_internal_error_that_names_the_tool_and_nothing_else() {
    let mut desk = Desk::ready("2025-11-25");
    let call = desk.called("1");
    desk.server.answer(Tick::ZERO, call, Answer::Crashed).unwrap();
    assert_eq!(error(&desk.reply()), (-32603, r#"{"method":"tools/call","tool":"t"}"#.to_owned()));
}

#[test]
fn log_messages_go_only_to_requests_that_want_their_level() {
    let mut desk = Desk::new(everything);
    let request = modern("1", "tools/call", "{}", r#""name":"t""#);
    let loud = request.replace("\"_meta\":{", r#""_meta":{"io.modelcontextprotocol/logLevel":"warning","#);
    for (request, logged) in [(request, 0), (loud, 1)] {
        desk.client(&request);
        let (call, ..) = asked(&mut desk);
        for level in [LogLevel::Info, LogLevel::Error] {
            desk.server.hub().log(Tick::ZERO, call, level, Some("l"), &json("\"m\"")).unwrap();
        }
        let expected =
            line::notification("notifications/message", r#"{"level":"error","logger":"l","data":"m"}"#);
        assert_eq!(desk.take_sent(), vec![expected; logged]);
        desk.answer(call, "{}").unwrap();
        desk.take_sent();
    }
}

#[test]
fn a_request_that_takes_too_long_is_given_up() {
    let mut desk = Desk::new(|config| config.call_timeout = std::time::Duration::from_secs(5));
    desk.client(modern("1", "tools/call", "{}", r#""name":"t""#));
    let (call, ..) = asked(&mut desk);
    assert_eq!(desk.server.poll_timeout(), Some(Tick::from_millis(5_000)));
    desk.server.handle_timeout(Tick::from_millis(4_999));
    assert!(desk.take_sent().is_empty());
    desk.server.handle_timeout(Tick::from_millis(5_000));
    assert!(desk.reply().contains("no answer within 5000 ms"));
    assert_eq!(desk.take_events(), [ServerEvent::Cancelled { call }]);
    assert_eq!(desk.server.poll_timeout(), None);
}
