//! Requests that need answers of their client first: one handler, both eras.

use selvedge_core::{
    Misuse, Tick,
    client::Offered,
    json::View,
    server::{Answer, Input, Question, ServedCall, ServerEvent, StateKey},
};
use selvedge_tests::line;

use super::{
    server_gate::Desk,
    server_modern::{asked, error, everything, json, modern, view},
};

const ALL: &str = r#"{"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"roots":{}}"#;
const CALL: &str = r#""name":"t","arguments":{"x":1}"#;

fn desk(capabilities: &str, revision: &str) -> Desk {
    let mut desk = Desk::new(|config| {
        everything(config);
        config.state_key = Some(StateKey::new([7; 32]));
    });
    let params = format!(r#"{{"protocolVersion":"{revision}","capabilities":{capabilities}}}"#);
    desk.client(line::request("0", "initialize", &params));
    desk.take_sent();
    desk.take_events();
    desk
}

fn question(key: &str, what: Offered, params: &str) -> Question {
    Question { key: key.to_owned(), what, params: json(params) }
}

fn ask(desk: &mut Desk, call: ServedCall, questions: Vec<Question>, state: Option<&str>) {
    let input = Input { questions, state: state.map(str::to_owned) };
    desk.server.answer(Tick::ZERO, call, Answer::Input(input)).unwrap();
}

fn name() -> Question {
    question(
        "name",
        Offered::Elicitation,
        r#"{"message":"Name?","requestedSchema":{"type":"object","properties":{}}}"#,
    )
}

/// Returns the state that a reply carries.
fn state(reply: &str) -> String {
    view(reply).get("result").unwrap().get("requestState").unwrap().to_text().unwrap()
}

fn retry(id: &str, responses: &str, state: &str) -> String {
    modern(id, "tools/call", ALL, &format!(r#"{CALL},"inputResponses":{responses},"requestState":"{state}""#))
}

#[test]
fn a_modern_client_answers_in_a_new_request_and_the_handler_goes_on_where_it_was() {
    let mut desk = desk("{}", "2025-11-25");
    desk.client(modern("1", "tools/call", ALL, CALL));
    let (call, _, context) = asked(&mut desk);
    assert_eq!((context.answers, context.state), (None, None));
    ask(&mut desk, call, vec![name(), question("roots", Offered::Roots, "{}")], Some("half \"way\""));
    let reply = desk.reply();
    let result = view(&reply).get("result").unwrap();
    assert!(result.get("resultType").unwrap().is_str("input_required"));
    assert_eq!(
        result.get("inputRequests").unwrap().as_str(),
        r#"{"name":{"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{}}}},"roots":{"method":"roots/list","params":{}}}"#
    );
    assert_eq!(desk.server.calls_in_flight(), 0, "nothing waits");

    let answers = r#"{"name":{"action":"accept"},"roots":{"roots":[]},"unasked":{}}"#;
    desk.client(retry("2", answers, &state(&reply)));
    let (call, _, context) = asked(&mut desk);
    assert_eq!(context.state.as_deref(), Some("half \"way\""));
    assert_eq!(context.answered("name").unwrap().as_str(), r#"{"action":"accept"}"#);
    assert_eq!(context.answered("roots").unwrap().as_str(), r#"{"roots":[]}"#);

    // What was answered once is known in every later round.
    ask(&mut desk, call, vec![question("more", Offered::Roots, "{}")], None);
    let reply = desk.reply();
    desk.client(retry("3", r#"{"more":{"roots":[1]}}"#, &state(&reply)));
    let (call, _, context) = asked(&mut desk);
    assert_eq!(context.state, None);
    assert_eq!(context.answered("name").unwrap().as_str(), r#"{"action":"accept"}"#);
    assert_eq!(context.answered("more").unwrap().as_str(), r#"{"roots":[1]}"#);
    desk.answer(call, r#"{"content":[]}"#).unwrap();
    assert!(desk.reply().contains(r#""id":3,"result":{"resultType":"complete""#));
}

#[test]
fn a_state_that_is_forged_borrowed_or_old_is_refused() {
    let mut desk = desk("{}", "2025-11-25");
    desk.client(modern("1", "tools/call", ALL, CALL));
    let (call, ..) = asked(&mut desk);
    ask(&mut desk, call, vec![name()], Some("s"));
    let state = state(&desk.reply());
    let other = retry("2", "{}", &state).replace(r#"{"x":1}"#, r#"{"x":2}"#);
    let forged = retry("2", "{}", &state.replace('.', "A."));
    let nonsense = retry("2", "{}", "abc");
    let number = retry("2", "{}", &state).replace(&format!("\"{state}\""), "7");
    for request in [other, forged, nonsense, number] {
        desk.client(&request);
        let (code, data) = error(&desk.reply());
        assert_eq!((code, data.as_str()), (-32602, r#"{"path":"/params/requestState"}"#), "{request}");
        assert!(desk.take_events().is_empty());
    }
    for responses in ["[]", r#"{"name":7}"#] {
        desk.client(retry("2", responses, &state));
        assert_eq!(error(&desk.reply()).0, -32602, "{responses}");
    }
    desk.server.handle_timeout(Tick::from_millis(3_600_000));
    desk.client(retry("2", "{}", &state));
    assert_eq!(error(&desk.reply()).0, -32602, "it has expired");
}

#[test]
fn a_legacy_client_is_asked_with_real_requests_and_the_same_call_goes_on() {
    let mut desk = desk(ALL, "2025-11-25");
    desk.client(line::request("\"c\"", "tools/call", &format!("{{{CALL}}}")));
    let (call, request, _) = asked(&mut desk);
    let url =
        question("link", Offered::Elicitation, r#"{"mode":"url","message":"m","url":"https://a.example"}"#);
    ask(&mut desk, call, vec![name(), url], Some("s"));
    let sent = desk.take_sent();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent[0].contains(r#""id":1,"method":"elicitation/create","params":{"message":"Name?""#));
    assert!(sent[1].contains(r#""id":2,"method":"elicitation/create""#) && sent[1].contains("elicitationId"));

    desk.client(r#"{"jsonrpc":"2.0","id":2,"result":{"action":"accept"}}"#);
    assert!(desk.take_events().is_empty(), "one answer is missing");
    desk.client(r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#);
    let (again, same, context) = asked(&mut desk);
    assert_eq!((again, same), (call, request));
    assert_eq!(context.state.as_deref(), Some("s"));
    assert_eq!(context.answered("name").unwrap().as_str(), r#"{"action":"decline"}"#);
    assert_eq!(context.answered("link").unwrap().as_str(), r#"{"action":"accept"}"#);
    desk.answer(call, r#"{"content":[]}"#).unwrap();
    assert_eq!(desk.reply(), r#"{"jsonrpc":"2.0","id":"c","result":{"content":[]}}"#);
    desk.client(r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#);
    assert!(
        matches!(desk.take_events()[..], [ServerEvent::PeerViolated { .. }]),
        "a second answer is one too many"
    );
}

#[test]
fn a_legacy_client_that_refuses_or_keeps_silent_fails_the_tool() {
    let failure = |desk: &mut Desk| {
        let reply = desk.take_sent().pop().unwrap();
        let result = view(&reply).get("result").unwrap_or_else(|| panic!("{reply}"));
        assert_eq!(result.get("isError").and_then(View::as_bool), Some(true), "{reply}");
        reply
    };
    let start = |questions| {
        let mut desk = desk(ALL, "2025-06-18");
        desk.client(line::request("5", "tools/call", &format!("{{{CALL}}}")));
        let (call, ..) = asked(&mut desk);
        ask(&mut desk, call, questions, None);
        desk.take_sent();
        desk
    };
    let roots = || question("r", Offered::Roots, "{}");
    let mut refusing = start(vec![name(), roots()]);
    refusing.client(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#);
    let sent = refusing.take_sent();
    assert!(sent[0].contains(r#""method":"notifications/cancelled","params":{"requestId":2"#), "{sent:?}");
    assert!(sent[1].contains("refused `elicitation/create`: no (-1)"), "{sent:?}");

    let mut odd = start(vec![roots()]);
    odd.client(r#"{"jsonrpc":"2.0","id":1,"result":[]}"#);
    assert!(failure(&mut odd).contains("is no object"));

    let mut silent = start(vec![roots()]);
    silent.server.handle_timeout(Tick::from_millis(600_000));
    assert!(failure(&mut silent).contains("did not answer `roots/list` within 600000 ms"));

    let mut gone = start(vec![roots()]);
    gone.server.handle_eof(Tick::ZERO);
    assert!(failure(&mut gone).contains("closed the session"));

    let mut cancelling = start(vec![roots()]);
    cancelling.client(line::notification("notifications/cancelled", r#"{"requestId":5}"#));
    let sent = cancelling.take_sent();
    assert!(matches!(&sent[..], [only] if only.contains("notifications/cancelled")), "{sent:?}");
    assert_eq!(cancelling.server.calls_in_flight(), 0);
}

#[test]
fn a_client_is_only_asked_for_what_it_declared() {
    let tools = r#"{"messages":[],"maxTokens":1,"tools":[]}"#;
    let url = r#"{"mode":"url","message":"m","url":"https://a.example"}"#;
    for (capabilities, revision, what, params, needed) in [
        ("{}", "2025-11-25", Offered::Roots, "{}", "roots"),
        (r#"{"sampling":{}}"#, "2025-11-25", Offered::Sampling, tools, "sampling.tools"),
        (r#"{"elicitation":{}}"#, "2025-11-25", Offered::Elicitation, url, "elicitation.url"),
        (r#"{"elicitation":{"url":{}}}"#, "2025-11-25", Offered::Elicitation, "{}", "elicitation.form"),
        (ALL, "2025-06-18", Offered::Elicitation, url, "elicitation.url"),
    ] {
        let mut desk = desk(capabilities, revision);
        desk.client(line::request("5", "tools/call", &format!("{{{CALL}}}")));
        let (call, ..) = asked(&mut desk);
        ask(&mut desk, call, vec![question("k", what, params)], None);
        let reply = desk.reply();
        assert!(reply.contains(r#""isError":true"#) && reply.contains(&format!("`{needed}`")), "{reply}");
        if revision == "2025-06-18" {
            continue;
        }
        desk.client(modern("6", "tools/call", capabilities, CALL));
        let (call, ..) = asked(&mut desk);
        ask(&mut desk, call, vec![question("k", what, params)], None);
        let (code, data) = error(&desk.reply());
        let nested =
            needed.split('.').rev().fold("{}".to_owned(), |inner, name| format!(r#"{{"{name}":{inner}}}"#));
        assert_eq!((code, data), (-32021, format!(r#"{{"requiredCapabilities":{nested}}}"#)));
    }
    let mut desk = desk(r#"{"elicitation":{},"roots":{"listChanged":true}}"#, "2025-11-25");
    desk.client(line::request("5", "tools/call", &format!("{{{CALL}}}")));
    let (call, ..) = asked(&mut desk);
    ask(&mut desk, call, vec![name(), question("r", Offered::Roots, "{}")], None);
    assert_eq!(desk.take_sent().len(), 2, "an empty object of elicitation means forms");
}

#[test]
fn a_request_cannot_ask_for_ever() {
    let mut legacy = desk(ALL, "2025-11-25");
    legacy.client(line::request("5", "tools/call", &format!("{{{CALL}}}")));
    let (call, ..) = asked(&mut legacy);
    for _ in 0..10 {
        ask(&mut legacy, call, Vec::new(), Some("again"));
        assert_eq!(asked(&mut legacy).0, call);
    }
    ask(&mut legacy, call, Vec::new(), Some("again"));
    assert!(legacy.reply().contains("more than 10 times"));

    let mut modern_desk = desk("{}", "2025-11-25");
    modern_desk.client(modern("1", "tools/call", ALL, CALL));
    for round in 2.. {
        let (call, ..) = asked(&mut modern_desk);
        ask(&mut modern_desk, call, Vec::new(), Some("again"));
        let reply = modern_desk.reply();
        if round > 11 {
            assert!(reply.contains("more than 10 times"), "{reply}");
            break;
        }
        modern_desk.client(retry(&round.to_string(), "{}", &state(&reply)));
    }
}

#[test]
fn questions_that_cannot_be_put_are_the_applications_mistake() {
    let mut desk = desk(ALL, "2025-11-25");
    desk.client(line::request("5", "tools/call", &format!("{{{CALL}}}")));
    let (call, ..) = asked(&mut desk);
    let twice = Input { questions: vec![name(), name()], state: None };
    for input in [Input::default(), twice] {
        let answer = desk.server.answer(Tick::ZERO, call, Answer::Input(input));
        assert!(matches!(answer, Err(Misuse::CannotAsk { .. })), "{answer:?}");
    }
    let odd = Input { questions: vec![question("k", Offered::Roots, "[]")], state: None };
    let answer = desk.server.answer(Tick::ZERO, call, Answer::Input(odd));
    assert!(matches!(answer, Err(Misuse::NotAnObject { .. })));
    desk.answer(call, "{}").unwrap();
    assert_eq!(desk.take_sent().len(), 1, "the call still waits for a good answer");
}
