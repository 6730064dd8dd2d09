//! A server behind HTTP, and everything that its clients and its application can do.

#![expect(clippy::unwrap_used, reason = "what the script is made of is JSON")]

use std::time::Duration;

use selvedge_core::{
    client::Offered,
    http::Exchange,
    json::RawJson,
    protocol::LogLevel,
    server::{Answer, Input, Question, ServedCall, ServerEvent, StateKey},
};

use crate::{
    Web, line,
    web::{Sent, call, initialize, modern_params},
};

pub(super) fn check(data: &[u8]) {
    let mut play = Play::new(data);
    while let Some(choice) = play.byte() {
        play.step(choice);
        play.note();
    }
    play.end();
}

/// A script being played.
struct Play<'a> {
    web: Web,
    rest: &'a [u8],
    sessions: Vec<String>,
    exchanges: Vec<Exchange>,
    calls: Vec<ServedCall>,
}

impl<'a> Play<'a> {
    fn new(rest: &'a [u8]) -> Self {
        let web = Web::new(|config| {
            config.server.state_key = Some(StateKey::new([3; 32]));
            config.server.limits.max_message_bytes = 4_096;
            config.limits.max_exchanges = 24;
            config.limits.max_exchanges_per_client = 16;
            config.limits.max_sessions = 6;
            config.limits.max_sessions_per_client = 4;
            config.limits.max_streams_per_session = 4;
            config.limits.max_events_per_session = 8;
            config.limits.max_event_bytes = 4_096;
        });
        Self { web, rest, sessions: Vec::new(), exchanges: Vec::new(), calls: Vec::new() }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let at = self.byte().unwrap_or_default();
        from.get(usize::from(at).checked_rem(from.len())?).cloned()
    }

    /// Takes a piece of the script as it is.
    fn piece(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte().unwrap_or_default() % 64).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(length);
        self.rest = rest;
        piece
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.piece()).into_owned()
    }

    fn step(&mut self, choice: u8) {
        match choice % 16 {
            0..=5 => {
                let sent = self.sent();
                let exchange = self.web.send(&sent);
                self.exchanges.push(exchange);
            }
            6 => {
                let sent = self.sent();
                let exchange = self.web.begin(&sent);
                self.exchanges.push(exchange);
            }
            7 => {
                let (exchange, piece) = (self.pick(&self.exchanges.clone()), self.piece());
                if let Some(exchange) = exchange {
                    self.web.endpoint.handle_body(self.web.now, exchange, piece);
                }
            }
            8 => {
                if let Some(exchange) = self.pick(&self.exchanges.clone()) {
                    self.web.endpoint.handle_body_end(self.web.now, exchange);
                }
            }
            9 | 10 => {
                if let Some(exchange) = self.pick(&self.exchanges.clone()) {
                    self.web.disconnect(exchange);
                }
            }
            11 => {
                let seconds = u64::from(self.byte().unwrap_or_default());
                self.web.pass(Duration::from_millis(seconds * seconds * 20));
            }
            12 | 13 => self.answer(),
            14 => {
                let data = RawJson::new("\"log\"").unwrap();
                self.web.endpoint.hub().log_to_all(self.web.now, LogLevel::Error, None, &data);
                self.web.endpoint.hub().resource_updated(self.web.now, "a://b");
            }
            _ => {
                if let Some(call) = self.pick(&self.calls.clone()) {
                    let _ = self.web.endpoint.close_stream(self.web.now, call);
                }
            }
        }
    }

    fn answer(&mut self) {
        let Some(call) = self.pick(&self.calls.clone()) else { return };
        let hub = self.web.endpoint.hub();
        let how = self.rest.first().copied().unwrap_or_default();
        match how % 5 {
            1 | 2 => {
                let _ = hub.report_progress(self.web.now, call, f64::from(how), None, None);
            }
            3 => {
                let params = RawJson::new("{\"message\":\"m\"}").unwrap();
                let question = Question { key: "k".to_owned(), what: Offered::Elicitation, params };
                let input = Input { questions: vec![question], state: None };
                let _ = hub.answer(self.web.now, call, Answer::Input(input));
            }
            _ => {
                let result = RawJson::new("{\"content\":[]}").unwrap();
                let _ = hub.answer(self.web.now, call, Answer::Result(result));
            }
        }
    }

    /// Makes a request: mostly a good one, sometimes anything.
    fn sent(&mut self) -> Sent {
        let session = self.pick(&self.sessions.clone()).unwrap_or_else(|| "none".to_owned());
        let id = self.byte().unwrap_or_default() % 8;
        let sent = match self.byte().unwrap_or_default() % 14 {
            0 => {
                Sent::new("POST", &initialize(if id.is_multiple_of(2) { "2025-03-26" } else { "2025-11-25" }))
            }
            1 => Sent::post(&session, &call(&id.to_string())),
            2 => Sent::post(
                &session,
                &line::request(&id.to_string(), "resources/subscribe", r#"{"uri":"a://b"}"#),
            ),
            3 => Sent::post(
                &session,
                &line::notification("notifications/cancelled", &format!("{{\"requestId\":{id}}}")),
            ),
            4 => Sent::post(&session, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)),
            5 => Sent::get(&session),
            6 => Sent::get(&session).with("Last-Event-ID", &format!("{}-{}", id % 4, id / 2)),
            7 => Sent::new("DELETE", "").with("Mcp-Session-Id", &session),
            8 => Sent::modern(&id.to_string(), "tools/call", r#""name":"t","arguments":{}"#),
            9 => Sent::modern(
                "1",
                "subscriptions/listen",
                r#""notifications":{"resourceSubscriptions":["a://b"]}"#,
            ),
            10 => Sent::new("GET", "").at("/sse"),
            11 => Sent::new("POST", &call("7")).at(&format!("/sse?session={session}")),
            12 => Sent::post(&session, &format!("[{},{}]", call("1"), line::request("2", "ping", "{}"))),
            _ => Sent::new("POST", &line::request("1", "tools/list", &modern_params("")))
                .with("MCP-Protocol-Version", "2026-07-28"),
        };
        let sent = sent.by(u64::from(id % 3));
        match self.byte().unwrap_or_default() {
            250 => sent.at(&self.text()),
            251 => Sent { method: self.text(), ..sent },
            252 => Sent { body: self.text(), ..sent },
            253 => {
                let (name, value) = (self.text(), self.text());
                sent.with(&name, &value)
            }
            254 => {
                let names =
                    ["Mcp-Name", "Mcp-Method", "Accept", "Last-Event-ID", "Host", "Origin", "Content-Length"];
                let name = self.pick(&names).unwrap_or_default();
                let value = self.text();
                sent.but(name, &value)
            }
            _ => sent,
        }
    }

    /// Takes note of what came back.
    fn note(&mut self) {
        for event in self.web.take_events() {
            match event {
                ServerEvent::Requested { call, .. } => self.calls.push(call),
                ServerEvent::Cancelled { call } => self.calls.retain(|own| *own != call),
                _ => {}
            }
        }
        for response in self.web.responses.values() {
            let named = response.header("mcp-session-id").map(str::to_owned);
            let events = if response.is_stream() { response.events() } else { Vec::new() };
            let old = events.into_iter().find(|(name, _, _)| name == "endpoint");
            let old = old.and_then(|(_, _, target)| Some(target.split_once('=')?.1.to_owned()));
            for session in named.into_iter().chain(old) {
                if !self.sessions.contains(&session) {
                    self.sessions.push(session);
                }
            }
        }
        assert!(self.web.endpoint.exchanges() <= 24 && self.web.endpoint.sessions() <= 6);
    }

    /// Everybody goes: nothing is left, and every request whose client stayed was answered.
    fn end(mut self) {
        self.web.pass(Duration::from_hours(2));
        self.note();
        assert_eq!(self.web.endpoint.hub().calls_in_flight(), 0, "calls end by themselves");
        for exchange in std::mem::take(&mut self.exchanges) {
            if !self.web.response(exchange).is_finished {
                self.web.disconnect(exchange);
            }
        }
        self.web.pass(Duration::from_hours(2));
        let (exchanges, sessions) = (self.web.endpoint.exchanges(), self.web.endpoint.sessions());
        assert_eq!((exchanges, sessions, self.web.endpoint.poll_timeout()), (0, 0, None));
    }
}
