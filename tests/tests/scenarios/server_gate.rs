//! The server's lifecycle gate, its calls and their ids.

use std::collections::BTreeMap;

use selvedge_core::{
    Misuse, Server, ServerConfig, Tick, Violation,
    json::{RawJson, View},
    jsonrpc::RpcError,
    protocol::Revision,
    server::{Answer, Request, ServedCall, ServerEffect, ServerEvent},
};
use selvedge_tests::{line, spec::check_served, world::to_line};

/// A server, and what it has asked of its host.
pub(crate) struct Desk {
    pub(crate) server: Server,
    log: Vec<ServerEffect>,
    /// The revision of the session, and what was asked by its id: what answers is held against the schema.
    revision: Option<String>,
    asked: BTreeMap<String, (String, bool)>,
}

impl Desk {
    pub(crate) fn new(change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut config = ServerConfig::default();
        config.tools = vec![RawJson::new(r#"{"name":"t","inputSchema":{"type":"object"}}"#).unwrap()];
        change(&mut config);
        Self { server: Server::new(config), log: Vec::new(), revision: None, asked: BTreeMap::new() }
    }

    /// Returns a server that has shaken hands on this revision.
    pub(crate) fn ready(revision: &str) -> Self {
        Self::ready_with(revision, |_| {})
    }

    /// Returns a server of one's own making that has shaken hands on this revision.
    pub(crate) fn ready_with(revision: &str, change: impl FnOnce(&mut ServerConfig)) -> Self {
        let mut desk = Self::new(change);
        desk.client(line::request("1", "initialize", &format!(r#"{{"protocolVersion":"{revision}"}}"#)));
        desk.client(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(desk.take_sent().len(), 1);
        desk.take_events();
        desk
    }

    pub(crate) fn client(&mut self, line: impl AsRef<[u8]>) {
        self.note(line.as_ref());
        self.server.handle_bytes(Tick::ZERO, line.as_ref());
        self.server.handle_bytes(Tick::ZERO, b"\n");
    }

    pub(crate) fn take_sent(&mut self) -> Vec<String> {
        self.drain();
        let is_sent = |effect: &mut ServerEffect| matches!(effect, ServerEffect::Send(_));
        let sent = self.log.extract_if(.., is_sent);
        sent.map(|effect| if let ServerEffect::Send(bytes) = effect { to_line(&bytes) } else { panic!() })
            .collect()
    }

    pub(crate) fn take_events(&mut self) -> Vec<ServerEvent> {
        self.drain();
        let is_event = |effect: &mut ServerEffect| matches!(effect, ServerEffect::Event(_));
        let events = self.log.extract_if(.., is_event);
        events.map(|effect| if let ServerEffect::Event(event) = effect { event } else { panic!() }).collect()
    }

    /// Notes what a line asks.
    fn note(&mut self, line: &[u8]) {
        let Some(view) = std::str::from_utf8(line).ok().and_then(|text| View::new(text).ok()) else { return };
        let (Some(id), Some(method)) = (view.get("id"), view.get("method").and_then(View::to_text)) else {
            return;
        };
        let is_modern = view.as_str().contains("io.modelcontextprotocol/protocolVersion");
        self.asked.insert(id.as_str().to_owned(), (method, is_modern));
    }

    /// Holds a sent message against the schema of its revision.
    fn check(&mut self, message: &str) {
        let Some(view) = View::new(message).ok().filter(|view| view.get("jsonrpc").is_some()) else { return };
        let asked = view.get("id").and_then(|id| self.asked.get(id.as_str())).cloned();
        let result = view.get("result");
        let settled = result.and_then(|result| result.get("protocolVersion")).and_then(View::to_text);
        self.revision = settled.or_else(|| self.revision.take());
        let is_modern = asked.as_ref().is_some_and(|(_, is_modern)| *is_modern)
            || message.contains("io.modelcontextprotocol/subscriptionId");
        let revision = if is_modern { Some("2026-07-28") } else { self.revision.as_deref() };
        if let Some(revision) = revision {
            check_served(revision, asked.as_ref().map(|(method, _)| method.as_str()), message);
        }
    }

    /// Takes the only reply.
    pub(crate) fn reply(&mut self) -> String {
        let mut sent = self.take_sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    pub(crate) fn called(&mut self, id: &str) -> ServedCall {
        self.client(line::request(id, "tools/call", r#"{"name":"t","arguments":{"x":1.10}}"#));
        let events = self.take_events();
        let [ServerEvent::Requested { call, request: Request::CallTool { name, arguments }, .. }] =
            &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!((name.as_str(), arguments.as_str()), ("t", r#"{"x":1.10}"#));
        *call
    }

    pub(crate) fn answer(&mut self, call: ServedCall, result: &str) -> Result<(), Misuse> {
        self.server.answer(Tick::ZERO, call, Answer::Result(json(result)))
    }

    fn progress(
        &mut self,
        call: ServedCall,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<(), Misuse> {
        self.server.hub().report_progress(Tick::ZERO, call, progress, total, message)
    }

    fn drain(&mut self) {
        while let Some(effect) = self.server.poll_effect() {
            if let ServerEffect::Send(bytes) = &effect {
                self.check(&to_line(bytes));
            }
            self.log.push(effect);
        }
    }
}

fn refusal(id: &str, code: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"#)
}

fn json(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

#[test]
fn nothing_is_served_before_the_handshake_but_signs_of_life() {
    let mut desk = Desk::new(|_| {});
    for method in ["tools/call", "tools/list", "prompts/list", "foo/bar", "logging/setLevel"] {
        desk.client(line::request("3", method, r#"{"name":"t"}"#));
        let reply = desk.reply();
        assert!(reply.starts_with(&refusal("3", -32002)), "{method}: {reply}");
    }
    for method in ["ping", "shutdown"] {
        desk.client(line::request("3", method, "{}"));
        assert_eq!(desk.reply(), r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    }
    desk.client(line::request("3", "server/discover", "{}"));
    assert!(desk.reply().starts_with(&refusal("3", -32602)), "it has no envelope");
    assert!(!desk.take_events().iter().any(|event| matches!(event, ServerEvent::Requested { .. })));
    desk.client(line::request("4", "initialize", r#"{"protocolVersion":"2025-11-25"}"#));
    assert!(desk.reply().contains(r#""protocolVersion":"2025-11-25""#), "nothing of this pinned anything");
}

#[test]
fn the_asked_revision_is_taken_where_it_is_spoken_and_the_newest_legacy_one_is_offered_otherwise() {
    let cases = [
        ("2024-11-05", Revision::V2024_11_05),
        ("2025-03-26", Revision::V2025_03_26),
        ("2025-06-18", Revision::V2025_06_18),
        ("2025-11-25", Revision::V2025_11_25),
        ("2026-07-28", Revision::V2025_11_25),
        ("1999-01-01", Revision::V2025_11_25),
    ];
    for (asked, revision) in cases {
        let mut desk = Desk::new(|config| config.instructions = Some("be \"nice\"".to_owned()));
        desk.client(line::request(
            "1",
            "initialize",
            &format!(r#"{{"protocolVersion":"{asked}","clientInfo":{{"name":"c"}}}}"#),
        ));
        let reply = desk.reply();
        assert!(
            reply.starts_with(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{revision}","#
            ))
        );
        assert!(
            reply.contains(r#""instructions":"be \"nice\"""#)
                && reply.contains(r#""capabilities":{"tools":{}}"#)
        );
        let events = desk.take_events();
        let [ServerEvent::Initialized { client, revision: own, .. }] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!((client.name.as_str(), *own), ("c", revision));
    }
}

#[test]
fn a_second_handshake_is_refused_and_changes_nothing() {
    let mut desk = Desk::ready("2025-03-26");
    desk.client(line::request("2", "initialize", r#"{"protocolVersion":"2025-11-25"}"#));
    assert!(desk.reply().starts_with(&refusal("2", -32600)));
    desk.client(format!("[{}]", line::request("3", "ping", "{}")));
    assert!(desk.reply().contains(r#""id":3,"result":{}"#), "the first revision stays");
}

#[test]
fn a_handshake_without_a_version_is_refused_and_may_be_tried_again() {
    for params in ["{}", r#"{"protocolVersion":5}"#, "[]"] {
        let mut desk = Desk::new(|_| {});
        desk.client(line::request("1", "initialize", params));
        assert!(desk.reply().starts_with(&refusal("1", -32602)), "{params}");
        desk.client(line::request("1", "initialize", r#"{"protocolVersion":"2025-06-18"}"#));
        assert!(desk.reply().contains("2025-06-18"));
    }
}

#[test]
fn tools_are_listed_as_they_were_given_and_called_by_name() {
    let mut desk = Desk::ready("2025-11-25");
    desk.client(line::request("2", "tools/list", "{}"));
    let listed =
        r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}"#;
    assert_eq!(desk.reply(), listed);
    let call = desk.called("\"x\"");
    assert_eq!(desk.take_sent(), [""; 0]);
    desk.answer(call, "{\n\"content\":[]\n}").unwrap();
    assert_eq!(desk.reply(), r#"{"jsonrpc":"2.0","id":"x","result":{"content":[]}}"#);
    assert_eq!(desk.answer(call, "{}"), Err(Misuse::UnknownAsk));
    assert_eq!(desk.take_sent(), [""; 0]);
}

#[test]
fn a_call_of_no_tool_or_with_bad_arguments_is_refused() {
    let mut desk = Desk::ready("2025-11-25");
    let bad = ["{}", r#"{"name":"u"}"#, r#"{"name":5}"#, r#"{"name":"t","arguments":[]}"#];
    for params in bad {
        desk.client(line::request("2", "tools/call", params));
        assert!(desk.reply().starts_with(&refusal("2", -32602)), "{params}");
        assert_eq!(desk.take_events(), []);
    }
    desk.client(line::request("2", "tools/call", r#"{"name":"t"}"#));
    let events = desk.take_events();
    let [ServerEvent::Requested { request: Request::CallTool { arguments, .. }, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(arguments.as_str(), "{}");
}

#[test]
fn a_second_request_with_an_id_under_way_is_refused_and_the_first_is_unharmed() {
    let mut desk = Desk::ready("2025-11-25");
    let call = desk.called("0");
    desk.client(line::request("0", "tools/call", r#"{"name":"t"}"#));
    assert!(desk.reply().starts_with(&refusal("0", -32600)));
    assert!(matches!(
        desk.take_events()[..],
        [ServerEvent::PeerViolated { violation: Violation::IdInUse, .. }]
    ));
    desk.answer(call, "{}").unwrap();
    assert_eq!(desk.reply(), r#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
    let again = desk.called("0");
    assert_ne!(again, call, "the id is free again, the call is another");
}

#[test]
fn a_cancelled_call_is_told_and_not_answered() {
    let mut desk = Desk::ready("2025-11-25");
    let call = desk.called("0");
    desk.client(line::notification("notifications/cancelled", r#"{"requestId":"0"}"#));
    assert_eq!(desk.take_events(), [], "the string is another id");
    desk.client(line::notification("notifications/cancelled", r#"{"requestId":0,"reason":"r"}"#));
    assert_eq!(desk.take_events(), [ServerEvent::Cancelled { call }]);
    let late = RpcError::new(1, "late");
    assert_eq!(desk.server.answer(Tick::ZERO, call, Answer::Failed(late)), Err(Misuse::UnknownAsk));
    assert_eq!(desk.take_sent(), [""; 0]);
    assert_eq!(desk.server.calls_in_flight(), 0);
}

#[test]
fn progress_is_reported_under_the_clients_token_and_only_where_there_is_one() {
    let mut desk = Desk::ready("2025-11-25");
    let silent = desk.called("2");
    assert_eq!(desk.progress(silent, 1.0, None, None), Ok(()));
    assert_eq!(desk.take_sent(), [""; 0]);
    for token in ["7", r#""a\"b""#, "1.50"] {
        let params = format!(r#"{{"name":"t","_meta":{{"progressToken":{token}}}}}"#);
        desk.client(line::request("3", "tools/call", &params));
        let events = desk.take_events();
        let [ServerEvent::Requested { call, .. }] = &events[..] else { panic!("{events:?}") };
        desk.progress(*call, 1.0, Some(2.0), Some("half\n")).unwrap();
        let expected = format!(r#"{{"progressToken":{token},"progress":1,"total":2,"message":"half\n"}}"#);
        assert_eq!(desk.reply(), line::notification("notifications/progress", &expected));
        desk.answer(*call, "{}").unwrap();
        desk.take_sent();
        assert_eq!(desk.progress(*call, 2.0, None, None), Err(Misuse::UnknownAsk));
    }
}

#[test]
fn more_calls_than_the_limit_are_refused() {
    let mut desk = Desk::ready("2025-11-25");
    let running: Vec<_> = (0..32).map(|at| desk.called(&at.to_string())).collect();
    for at in 32..32 + 1_024 {
        desk.client(line::request(&at.to_string(), "tools/call", r#"{"name":"t"}"#));
    }
    assert_eq!((desk.take_events().len(), desk.take_sent().len()), (0, 0), "they wait");
    desk.client(line::request("\"x\"", "tools/call", r#"{"name":"t"}"#));
    assert!(desk.reply().starts_with(&refusal("\"x\"", -32603)));
    assert_eq!(desk.server.calls_in_flight(), 32 + 1_024);
    desk.take_events();
    desk.answer(running[7], "{}").unwrap();
    assert_eq!(desk.take_sent().len(), 1);
    assert!(
        matches!(&desk.take_events()[..], [ServerEvent::Requested { context, .. }] if context.id == "32")
    );
}

#[test]
fn calls_under_way_may_be_answered_after_the_end_of_the_input() {
    let mut desk = Desk::ready("2025-11-25");
    let call = desk.called("2");
    desk.server.handle_eof(Tick::ZERO);
    desk.server.handle_eof(Tick::ZERO);
    assert!(matches!(desk.take_events()[..], [ServerEvent::Closed { .. }]));
    desk.client(line::request("3", "ping", "{}"));
    assert_eq!(desk.take_sent(), [""; 0], "nothing more is read");
    desk.answer(call, "{}").unwrap();
    assert_eq!(desk.reply(), r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
}
