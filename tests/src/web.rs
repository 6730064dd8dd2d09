//! A server behind HTTP without sockets: requests by hand, a clock, and what came back.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a harness fails by panicking"
)]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use selvedge_core::{
    Tick,
    http::{Endpoint, EndpointConfig, Exchange, HttpEffect, RequestHead, ResponseHead},
    json::RawJson,
    server::{Answer, Context, Request, ServedCall, ServerEvent},
    sse,
};

use crate::line;

/// What has come back of an exchange.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The head, once it was sent.
    pub head: Option<ResponseHead>,
    /// The body so far.
    pub body: Vec<u8>,
    /// The response is complete.
    pub is_finished: bool,
    /// Its client has gone.
    is_gone: bool,
}

impl Response {
    /// Returns the status; 0 before there is one.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.head.as_ref().map_or(0, |head| head.status)
    }

    /// Returns a header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.as_ref()?.header(name)
    }

    /// Returns the body so far.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns whether the body is a stream of events.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// Returns the events so far: name, id and data. Those without data and name are left out.
    #[must_use]
    pub fn events(&self) -> Vec<(String, String, String)> {
        let mut decoder = sse::Decoder::new(usize::MAX);
        decoder.handle_bytes(&self.body);
        let mut events = Vec::new();
        while let Some(event) = decoder.poll_event() {
            if let sse::Event::Message { name, id, data } = event {
                events.push((name, id, data));
            }
        }
        events.retain(|(name, _, data)| !name.is_empty() || !data.is_empty());
        events
    }

    /// Returns the messages so far: the one of a whole body, or those of a stream.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        if self.is_stream() {
            return self.events().into_iter().map(|(_, _, data)| data).collect();
        }
        if self.body.is_empty() { Vec::new() } else { vec![self.text().to_owned()] }
    }

    /// Returns the id that a client would come back with.
    #[must_use]
    pub fn last_id(&self) -> String {
        let mut decoder = sse::Decoder::new(usize::MAX);
        decoder.handle_bytes(&self.body);
        decoder.last_id().to_owned()
    }
}

/// A request to send.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The method.
    pub method: String,
    /// The path and the query.
    pub target: String,
    /// The headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: String,
    /// Who sends it.
    pub client: u64,
    /// Over which of its connections.
    pub connection: u64,
    /// An earlier request of the connection was answered.
    pub is_established: bool,
    /// Whom the host knows the client to be.
    pub principal: Option<Arc<str>>,
}

impl Sent {
    /// Makes a request as a client of Streamable HTTP makes it.
    #[must_use]
    pub fn new(method: &str, body: &str) -> Self {
        let own = Self {
            method: method.to_owned(),
            target: "/mcp".to_owned(),
            headers: Vec::new(),
            body: body.to_owned(),
            client: 1,
            connection: 1,
            is_established: false,
            principal: None,
        };
        let own = own.with("Host", "127.0.0.1:8080");
        match method {
            "POST" => own
                .with("Content-Type", "application/json")
                .with("Accept", "application/json, text/event-stream"),
            _ => own.with("Accept", "text/event-stream"),
        }
    }

    /// Makes a request of the modern era with all that belongs to it; `members` are further parameters.
    #[must_use]
    pub fn modern(id: &str, method: &str, members: &str) -> Self {
        let own = Self::new("POST", &line::request(id, method, &modern_params(members)))
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", method);
        let named = serde_json::from_str::<serde_json::Value>(&own.body).unwrap();
        match named["params"]["name"].as_str().or_else(|| named["params"]["uri"].as_str()) {
            Some(name) => own.with("Mcp-Name", name),
            None => own,
        }
    }

    /// Makes a post of a session.
    #[must_use]
    pub fn post(session: &str, body: &str) -> Self {
        Self::new("POST", body).with("Mcp-Session-Id", session)
    }

    /// Makes a request for the stream of a session.
    #[must_use]
    pub fn get(session: &str) -> Self {
        Self::new("GET", "").with("Mcp-Session-Id", session)
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.as_bytes().to_vec()));
        self
    }

    /// Replaces a header.
    #[must_use]
    pub fn but(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    /// Takes a header away.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(own, _)| !own.eq_ignore_ascii_case(name));
        self
    }

    /// Goes to another place.
    #[must_use]
    pub fn at(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// Comes from another client.
    #[must_use]
    pub const fn by(mut self, client: u64) -> Self {
        self.client = client;
        self
    }

    /// Comes over another connection of its client.
    #[must_use]
    pub const fn over(mut self, connection: u64) -> Self {
        self.connection = connection;
        self
    }

    /// Comes over a connection of which a request was answered before.
    #[must_use]
    pub const fn established(mut self) -> Self {
        self.is_established = true;
        self
    }

    /// Comes from a client that the host knows.
    #[must_use]
    pub fn of(mut self, principal: &str) -> Self {
        self.principal = Some(principal.into());
        self
    }
}

/// Returns the parameters of a request of the modern era.
#[must_use]
pub fn modern_params(members: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":"p"}"#;
    let separator = if members.is_empty() { "" } else { "," };
    format!("{{{meta}{separator}{members}}}")
}

/// An endpoint with a clock, and everything that came back.
#[derive(Debug)]
pub struct Web {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The clock.
    pub now: Tick,
    /// What has come back of each exchange.
    pub responses: BTreeMap<Exchange, Response>,
    events: Vec<ServerEvent>,
}

impl Web {
    /// Makes a server with one tool `t`.
    #[must_use]
    pub fn new(change: impl FnOnce(&mut EndpointConfig)) -> Self {
        let mut config = EndpointConfig::default();
        config.server.tools.extend(RawJson::new(r#"{"name":"t","inputSchema":{"type":"object"}}"#));
        config.server.has_resources = true;
        (config.server.logs, config.server.changes, config.server.watches) = (true, true, true);
        config.seed = [7; 32];
        change(&mut config);
        let endpoint = Endpoint::new(config);
        Self { endpoint, now: Tick::ZERO, responses: BTreeMap::new(), events: Vec::new() }
    }

    /// Sends a whole request.
    pub fn send(&mut self, sent: &Sent) -> Exchange {
        let exchange = self.begin(sent);
        if !sent.body.is_empty() {
            self.endpoint.handle_body(self.now, exchange, sent.body.as_bytes());
        }
        self.endpoint.handle_body_end(self.now, exchange);
        self.drain();
        exchange
    }

    /// Sends the head of a request.
    pub fn begin(&mut self, sent: &Sent) -> Exchange {
        let headers: Vec<_> =
            sent.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let head = RequestHead {
            method: &sent.method,
            target: &sent.target,
            headers: &headers,
            client: sent.client,
            connection: sent.connection,
            is_established: sent.is_established,
            principal: sent.principal.clone(),
        };
        let exchange = self.endpoint.handle_request(self.now, &head);
        self.drain();
        exchange
    }

    /// Sends a whole request and returns what has come back at once.
    pub fn ask(&mut self, sent: &Sent) -> Response {
        let exchange = self.send(sent);
        self.response(exchange)
    }

    /// Returns what has come back of an exchange.
    pub fn response(&mut self, exchange: Exchange) -> Response {
        self.drain();
        self.responses.get(&exchange).cloned().unwrap_or_default()
    }

    /// The client of an exchange goes.
    pub fn disconnect(&mut self, exchange: Exchange) {
        self.drain();
        self.responses.entry(exchange).or_default().is_gone = true;
        self.endpoint.handle_disconnect(self.now, exchange);
        self.drain();
    }

    /// Lets time pass, stopping at every deadline.
    pub fn pass(&mut self, span: Duration) {
        let end = self.now.after(span);
        for _ in 0..10_000 {
            self.drain();
            let due = self.endpoint.poll_timeout().filter(|due| *due <= end);
            self.now = due.unwrap_or(end).max(self.now);
            if due.is_none() {
                return;
            }
            self.endpoint.handle_timeout(self.now);
        }
        panic!("the endpoint spins: a deadline that stays");
    }

    /// Lets milliseconds pass.
    pub fn pass_millis(&mut self, millis: u64) {
        self.pass(Duration::from_millis(millis));
    }

    /// Carries out what the endpoint asks for, and holds it to the order that it promises.
    pub fn drain(&mut self) {
        while let Some(effect) = self.endpoint.poll_effect() {
            match effect {
                HttpEffect::Event(event) => self.events.push(event),
                HttpEffect::Respond { exchange, head } => {
                    let response = self.live(exchange);
                    assert!(response.head.is_none(), "a second head: {head:?}");
                    response.head = Some(head);
                }
                HttpEffect::Write { exchange, bytes } => {
                    let response = self.live(exchange);
                    assert!(response.head.is_some(), "a body without a head");
                    response.body.extend(bytes);
                }
                HttpEffect::Finish { exchange } => {
                    let response = self.live(exchange);
                    assert!(response.head.is_some(), "an end without a head");
                    response.is_finished = true;
                }
            }
        }
    }

    fn live(&mut self, exchange: Exchange) -> &mut Response {
        let response = self.responses.entry(exchange).or_default();
        assert!(!response.is_finished && !response.is_gone, "an effect after the end of {exchange:?}");
        response
    }

    /// Takes what the application was told.
    pub fn take_events(&mut self) -> Vec<ServerEvent> {
        self.drain();
        std::mem::take(&mut self.events)
    }

    /// Takes the calls that wait for the application.
    pub fn take_calls(&mut self) -> Vec<(ServedCall, Request, Context)> {
        let events = self.take_events().into_iter();
        let calls = events.filter_map(|event| match event {
            ServerEvent::Requested { call, request, context } => Some((call, request, context)),
            _ => None,
        });
        calls.collect()
    }

    /// Takes the only call that waits for the application.
    pub fn take_call(&mut self) -> ServedCall {
        let calls = self.take_calls();
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls[0].0
    }

    /// Answers a call with a text.
    pub fn answer(&mut self, call: ServedCall, text: &str) {
        let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        let answer = Answer::Result(RawJson::new(result).unwrap());
        self.endpoint.hub().answer(self.now, call, answer).unwrap();
        self.drain();
    }

    /// Reports how far a call is.
    pub fn progress(&mut self, call: ServedCall, progress: f64) {
        self.endpoint.hub().report_progress(self.now, call, progress, None, None).unwrap();
        self.drain();
    }

    /// Shakes hands and returns the id of the session.
    pub fn session(&mut self, revision: &str) -> String {
        self.session_of(revision, |sent| sent)
    }

    /// Shakes hands with a request that is changed first.
    pub fn session_of(&mut self, revision: &str, change: impl FnOnce(Sent) -> Sent) -> String {
        let sent = change(Sent::new("POST", &initialize(revision)));
        let response = self.ask(&sent);
        assert_eq!((response.status(), response.is_finished), (200, true), "{}", response.text());
        let session = response.header("mcp-session-id").unwrap().to_owned();
        let mut ready = Sent::post(&session, &line::notification("notifications/initialized", "{}"));
        (ready.client, ready.principal) = (sent.client, sent.principal);
        ready.connection = sent.connection;
        assert_eq!(self.ask(&ready).status(), 202);
        self.take_events();
        session
    }
}

/// Returns the request that shakes hands.
#[must_use]
pub fn initialize(revision: &str) -> String {
    let params = format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}"#
    );
    line::request("1", "initialize", &params)
}

/// Returns a call of the tool under this id, which wants progress.
#[must_use]
pub fn call(id: &str) -> String {
    line::request(id, "tools/call", r#"{"name":"t","arguments":{},"_meta":{"progressToken":"p"}}"#)
}
