//! Requests of the modern era (2026-07-28): each stands alone, and its headers repeat its body.

use selvedge_core::{
    json::RawJson,
    jsonrpc::RpcError,
    server::{Answer, Input, Question, Request, ServerEvent, StateKey},
};
use selvedge_tests::{
    Web, line,
    spelling::{Doubled, doubled, escaped},
    web::{Sent, modern_params},
};

use crate::code;

const TOOL: &str = r#"{"name":"routed","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"at":{"type":"object","properties":{"shard":{"type":"integer","x-mcp-header":"Shard"}}},"dry":{"type":"boolean","x-mcp-header":"Dry"},"count":{"type":"number","x-mcp-header":"Count"}}}}"#;

fn web() -> Web {
    Web::new(|config| {
        config.server.tools.extend(RawJson::new(TOOL));
        config.server.tools.extend(RawJson::new(r#"{"name":"né","inputSchema":{"type":"object"}}"#));
        config.server.state_key = Some(StateKey::new([1; 32]));
    })
}

fn call_sent(id: &str) -> Sent {
    Sent::modern(id, "tools/call", r#""name":"t","arguments":{}"#)
}

fn refusal(web: &mut Web, sent: &Sent) -> (u16, i64) {
    let response = web.ask(sent);
    assert!(response.is_finished);
    (response.status(), code(response.text()))
}

#[test]
fn an_answer_that_comes_at_once_is_one_json_body() {
    let mut web = web();
    let exchange = web.send(&call_sent("\"a\""));
    assert_eq!(web.response(exchange).status(), 0);
    let call = web.take_call();
    web.answer(call, "42");
    let response = web.response(exchange);
    assert_eq!((response.status(), response.header("content-type")), (200, Some("application/json")));
    assert!(response.is_finished);
    assert!(response.text().starts_with(r#"{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete""#));
    assert_eq!(response.header("mcp-session-id"), None);
    assert_eq!((web.endpoint.exchanges(), web.endpoint.poll_timeout()), (0, None));
}

#[test]
fn what_comes_before_an_answer_makes_the_response_a_stream() {
    let mut web = web();
    let exchange = web.send(&call_sent("1"));
    let call = web.take_call();
    web.progress(call, 0.5);
    web.answer(call, "42");
    let response = web.response(exchange);
    assert!(response.is_stream() && response.is_finished);
    assert_eq!(response.header("x-accel-buffering"), Some("no"));
    let messages = response.messages();
    assert!(
        messages[0].contains("notifications/progress") && messages[1].contains("\"id\":1,"),
        "{messages:?}"
    );
    assert_eq!((messages.len(), response.last_id()), (2, String::new()), "streams of this era have no ids");
}

#[test]
fn a_slow_answer_becomes_a_stream_that_is_kept_alive() {
    let mut web = web();
    let exchange = web.send(&call_sent("1"));
    let call = web.take_call();
    web.pass_millis(999);
    assert_eq!(web.response(exchange).status(), 0);
    web.pass_millis(1);
    assert!(web.response(exchange).is_stream());
    assert_eq!(web.response(exchange).text(), "");
    web.pass_millis(15_000);
    assert_eq!(web.response(exchange).text(), ":\n\n");
    web.pass_millis(15_000);
    assert_eq!(web.response(exchange).text(), ":\n\n:\n\n");
    web.answer(call, "42");
    let response = web.response(exchange);
    assert!(response.is_finished && response.messages()[0].contains("42"));
}

#[test]
fn the_end_of_a_connection_cancels_its_request() {
    for is_streaming in [false, true] {
        let mut web = web();
        let exchange = web.send(&call_sent("1"));
        let call = web.take_call();
        web.pass_millis(if is_streaming { 2_000 } else { 0 });
        web.disconnect(exchange);
        assert_eq!(web.take_events(), [ServerEvent::Cancelled { call }]);
        assert_eq!((web.endpoint.hub().calls_in_flight(), web.endpoint.exchanges()), (0, 0));
        assert_eq!(web.endpoint.poll_timeout(), None);
    }
}

#[test]
fn refusals_have_the_status_that_their_code_has() {
    let mut web = web();
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"] {
        assert_eq!(refusal(&mut web, &Sent::modern("1", method, "")), (404, -32601), "{method}");
    }
    let unknown = Sent::modern("1", "tools/call", r#""name":"u","arguments":{}"#);
    assert_eq!(refusal(&mut web, &unknown), (200, -32602));
    let future = Sent::new("POST", &call_sent("1").body.replace("2026-07-28", "2099-01-01"))
        .with("MCP-Protocol-Version", "2099-01-01");
    let response = web.ask(&future);
    assert_eq!((response.status(), code(response.text())), (400, -32022));
    assert!(response.text().contains(r#""supported":["2026-07-28"],"requested":"2099-01-01""#));
    let old = Sent::modern("1", "tools/list", "").but("MCP-Protocol-Version", "2025-11-25");
    let old = Sent { body: old.body.replace("2026-07-28", "2025-11-25"), ..old };
    assert_eq!(refusal(&mut web, &old), (400, -32022));
}

#[test]
fn an_application_that_fails_is_no_failure_of_http() {
    let mut web = web();
    let exchange = web.send(&call_sent("1"));
    let call = web.take_call();
    web.endpoint.hub().answer(web.now, call, Answer::Failed(RpcError::new(5, "no"))).unwrap();
    let response = web.response(exchange);
    assert_eq!((response.status(), code(response.text())), (200, 5));
}

#[test]
fn a_client_without_the_capability_that_is_needed_is_told_which() {
    let mut web = web();
    let exchange = web.send(&call_sent("1"));
    let call = web.take_call();
    let question = Question {
        key: "k".to_owned(),
        what: selvedge_core::client::Offered::Sampling,
        params: RawJson::new("{}").unwrap(),
    };
    let input = Input { questions: vec![question], state: None };
    web.endpoint.hub().answer(web.now, call, Answer::Input(input)).unwrap();
    let response = web.response(exchange);
    assert_eq!((response.status(), code(response.text())), (400, -32021));
    assert!(response.text().contains(r#""requiredCapabilities":{"sampling":{}}"#));
}

#[test]
fn the_era_is_told_by_the_body_and_checked_against_the_headers() {
    let mut web = web();
    let call = call_sent("1");
    let bare = Sent::new("POST", &call.body);
    assert_eq!(refusal(&mut web, &bare), (400, -32020), "an envelope without headers");
    let versioned = bare.with("MCP-Protocol-Version", "2026-07-28");
    assert_eq!(refusal(&mut web, &versioned), (400, -32020), "no method in the headers");
    assert_eq!(refusal(&mut web, &call.clone().but("MCP-Protocol-Version", "2025-11-25")), (400, -32020));
    assert_eq!(refusal(&mut web, &call.clone().but("MCP-Protocol-Version", "2027-01-01")), (400, -32020));
    for body in [
        line::request("1", "tools/list", "{}"),
        line::request("1", "initialize", r#"{"protocolVersion":"2025-11-25"}"#),
        line::request("1", "tools/list", r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}"#),
    ] {
        let sent = Sent { body, ..Sent::modern("1", "tools/list", "") };
        assert_eq!(refusal(&mut web, &sent), (400, -32602), "{}", sent.body);
    }
    let no_capabilities = call.body.replace("clientCapabilities", "nothing");
    assert_eq!(refusal(&mut web, &Sent { body: no_capabilities, ..call.clone() }), (400, -32602));
    let batch = Sent { body: format!("[{}]", call.body), ..call.clone() };
    assert_eq!(refusal(&mut web, &batch), (400, -32600));
    let response = Sent { body: r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), ..call.clone() };
    assert_eq!(refusal(&mut web, &response), (400, -32600));
    assert_eq!(web.take_calls(), []);
}

#[test]
fn notifications_are_accepted_and_need_no_headers() {
    let mut web = web();
    let params = modern_params("\"requestId\":1");
    let bare = Sent::new("POST", &line::notification("notifications/cancelled", &params));
    let response = web.ask(&bare);
    assert_eq!((response.status(), response.text(), response.is_finished), (202, "", true));
    let headed = Sent::new("POST", &line::notification("notifications/x", "{}"))
        .with("MCP-Protocol-Version", "2026-07-28");
    assert_eq!(web.ask(&headed).status(), 202);
}

#[test]
fn sessions_and_event_ids_mean_nothing_to_this_era() {
    let mut web = web();
    let sent = Sent::modern("1", "server/discover", "")
        .with("Mcp-Session-Id", "no-such-session")
        .with("Last-Event-ID", "1-1");
    let response = web.ask(&sent);
    assert_eq!((response.status(), response.header("mcp-session-id")), (200, None));
    for method in ["GET", "DELETE"] {
        let response = web.ask(&Sent::new(method, "").with("MCP-Protocol-Version", "2026-07-28"));
        assert_eq!((response.status(), response.header("allow")), (405, Some("POST, OPTIONS")));
        assert!(!response.text().contains("\"id\""), "{}", response.text());
    }
}

#[test]
fn the_headers_of_method_and_name_must_repeat_the_body() {
    let mut web = web();
    let call = call_sent("1");
    for sent in [
        call.clone().but("Mcp-Method", "tools/list"),
        call.clone().but("Mcp-Method", "Tools/Call"),
        call.clone().without("Mcp-Name"),
        call.clone().but("Mcp-Name", "u"),
        call.clone().but("Mcp-Name", "T"),
        call.clone().but("Mcp-Name", "=?base64?*?="),
        call.clone().but("Mcp-Name", "=?base64?dA?="),
        Sent::modern("1", "resources/read", r#""uri":"a://b""#).but("Mcp-Name", "a://c"),
        Sent::modern("1", "prompts/get", r#""name":"p""#).without("Mcp-Name"),
        Sent { body: call.body.replace("\"name\":\"t\",", ""), ..call.clone() },
    ] {
        assert_eq!(refusal(&mut web, &sent), (400, -32020), "{sent:?}");
    }
    for name in ["t", "  t\t", "=?base64?dA==?="] {
        web.ask(&call.clone().but("mcp-NAME", name));
        web.take_call();
    }
    assert_eq!(refusal(&mut web, &call.clone().with("Mcp-Name", "t")), (400, -32600), "twice");
    let accented = Sent::modern("1", "tools/call", r#""name":"né""#);
    assert_eq!(refusal(&mut web, &accented), (400, -32020), "headers are ASCII");
    web.ask(&accented.but("Mcp-Name", "=?base64?bsOp?="));
    web.take_call();
}

#[test]
fn the_headers_of_parameters_must_repeat_the_body() {
    let mut web = web();
    let routed = |arguments: &str| {
        Sent::modern("1", "tools/call", &format!(r#""name":"routed","arguments":{arguments}"#))
    };
    let good = [
        routed("{}"),
        routed(r#"{"region":null}"#),
        routed(r#"{"region":"eu west"}"#).with("Mcp-Param-Region", "eu west"),
        routed(r#"{"region":"é"}"#).with("mcp-param-REGION", "=?base64?w6k=?="),
        routed(r#"{"at":{"shard":42}}"#).with("Mcp-Param-Shard", "42"),
        routed(r#"{"at":{"shard":42}}"#).with("Mcp-Param-Shard", "42.0"),
        routed(r#"{"at":{"shard":4.2e1}}"#).with("Mcp-Param-Shard", "42"),
        routed(r#"{"dry":true}"#).with("Mcp-Param-Dry", "true"),
        routed(r#"{"count":1}"#),
        routed("{}").with("Mcp-Param-Unknown", "x"),
    ];
    for sent in good {
        let response = web.ask(&sent);
        // `null` fits no string, which the tool's schema says.
        assert!(web.take_calls().len() == 1 || response.text().contains("isError"), "{sent:?}");
    }
    let bad = [
        routed(r#"{"region":"eu"}"#),
        routed(r#"{"region":"eu"}"#).with("Mcp-Param-Region", "us"),
        routed(r#"{"region":"eu"}"#).with("Mcp-Param-Region", "=?base64?dXM=?="),
        routed(r#"{"region":"eu"}"#).with("Mcp-Param-Region", "eu").with("mcp-param-region", "eu"),
        routed("{}").with("Mcp-Param-Region", "eu"),
        routed(r#"{"at":{"shard":42}}"#).with("Mcp-Param-Shard", "43"),
        routed(r#"{"at":{"shard":42}}"#).with("Mcp-Param-Shard", "x"),
        routed(r#"{"at":{"shard":9007199254740993}}"#).with("Mcp-Param-Shard", "9007199254740992"),
        routed(r#"{"dry":true}"#).with("Mcp-Param-Dry", "True"),
    ];
    for sent in bad {
        assert_eq!(refusal(&mut web, &sent), (400, -32020), "{sent:?}");
    }
}

#[test]
fn the_rules_for_headers_follow_the_tools() {
    let mut web = web();
    let sent = Sent::modern("1", "tools/call", r#""name":"t","arguments":{"zone":"a"}"#);
    web.ask(&sent);
    web.take_call();
    let tool = r#"{"name":"t","inputSchema":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}"#;
    web.endpoint.hub().set_tools(web.now, vec![RawJson::new(tool).unwrap()]).unwrap();
    assert_eq!(refusal(&mut web, &sent), (400, -32020));
    web.ask(&sent.with("Mcp-Param-Zone", "a"));
    web.take_call();
}

#[test]
fn one_who_listens_gets_a_stream_that_stays_open() {
    let mut web = web();
    let sent = Sent::modern("7", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#);
    let exchange = web.send(&sent);
    let response = web.response(exchange);
    assert!(response.is_stream() && !response.is_finished);
    assert!(response.messages()[0].contains("notifications/subscriptions/acknowledged"));
    web.pass_millis(15_000);
    assert!(web.response(exchange).text().ends_with(":\n\n"));
    web.endpoint.hub().set_tools(web.now, Vec::new()).unwrap();
    let messages = web.response(exchange).messages();
    assert!(messages[1].contains("notifications/tools/list_changed"), "{messages:?}");
    assert!(messages[1].contains(r#""io.modelcontextprotocol/subscriptionId":7"#));
    web.disconnect(exchange);
    web.endpoint.hub().set_tools(web.now, vec![RawJson::new(TOOL).unwrap()]).unwrap();
    web.drain();
    assert_eq!(web.endpoint.exchanges(), 0);
}

#[test]
fn one_who_asks_for_rounds_gets_them_as_exchanges_of_their_own() {
    let mut web = web();
    let exchange = web.send(&call_sent("1"));
    let call = web.take_call();
    let input = Input { questions: Vec::new(), state: Some("half".to_owned()) };
    web.endpoint.hub().answer(web.now, call, Answer::Input(input)).unwrap();
    let first: serde_json::Value = serde_json::from_str(web.response(exchange).text()).unwrap();
    assert_eq!(first["result"]["resultType"], "input_required");
    let state = &first["result"]["requestState"];
    web.ask(&Sent::modern(
        "2",
        "tools/call",
        &format!(r#""name":"t","arguments":{{}},"requestState":{state}"#),
    ));
    let calls = web.take_calls();
    assert_eq!(calls[0].2.state.as_deref(), Some("half"));
}

#[test]
fn principals_reach_the_application() {
    let mut web = web();
    web.ask(&call_sent("1").of("ann"));
    assert_eq!(web.take_calls()[0].2.principal.as_deref(), Some("ann"));
}

#[test]
fn the_tool_that_the_headers_name_is_the_one_that_runs_however_the_body_is_spelled() {
    let mut web = web();
    let call = call_sent("1");
    web.ask(&Sent { body: escaped(&call.body), ..call.clone() });
    let calls = web.take_calls();
    assert!(matches!(&calls[..], [(_, Request::CallTool { name, .. }, _)] if name == "t"), "{calls:?}");
    for Doubled { text: body, .. } in doubled(&call.body) {
        let response = web.ask(&Sent { body, ..call.clone() });
        assert!(response.text().contains("stands there twice"), "{}", response.text());
    }
    for (body, code) in [
        (r#""n\u0061me":"t","name":"routed""#, -32602),
        (r#""name":"routed","n\u0061me":"t""#, -32020),
        (r#""n\u0061me":"routed""#, -32020),
    ] {
        let sent = Sent { body: call.body.replace(r#""name":"t""#, body), ..call.clone() };
        let response = web.ask(&sent);
        assert_eq!(crate::code(response.text()), code, "{body}");
    }
    assert!(web.take_calls().is_empty());
}
