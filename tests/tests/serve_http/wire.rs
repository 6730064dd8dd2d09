//! A client that writes what it likes.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write as _},
    net::{Ipv4Addr, TcpStream},
};

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::{Served, served::PATIENCE};

/// A connection.
pub(crate) struct Wire {
    pub(crate) stream: BufReader<TcpStream>,
    is_chunked: bool,
    length: usize,
    /// What has come of a stream of events.
    events: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Writes a request of the modern era.
pub(crate) fn modern(id: u32, method: &str, params: Value) -> String {
    let mut params = params;
    let name = params["name"].as_str().map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let headers = format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{name}");
    post(&headers, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// Writes a message of a session.
pub(crate) fn legacy(session: Option<&str>, message: &Value) -> String {
    let session = session.map(|session| format!("mcp-session-id: {session}\r\n")).unwrap_or_default();
    post(&session, message)
}

fn post(headers: &str, body: &Value) -> String {
    let (body, mut text) = (body.to_string(), String::new());
    text.push_str("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
    text.push_str("accept: application/json, text/event-stream\r\n");
    let _ = write!(text, "{headers}content-length: {}\r\n\r\n{body}", body.len());
    text
}

impl Wire {
    pub(crate) fn new(served: &Served) -> Self {
        Self::over(TcpStream::connect(served.server.local_addr()).unwrap())
    }

    /// Connects from this address of the machine, which need not have it on other systems than Linux.
    pub(crate) fn from(served: &Served, address: Ipv4Addr) -> Self {
        let stream = served.runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind((address, 0).into()).unwrap();
            socket.connect(served.server.local_addr()).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        Self::over(stream)
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { stream: BufReader::new(stream), is_chunked: false, length: 0, events: String::new() }
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.stream.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Sends a request and reads the whole response.
    #[track_caller]
    pub(crate) fn ask(&mut self, text: &str) -> Response {
        self.send(text);
        self.response()
    }

    #[track_caller]
    pub(crate) fn response(&mut self) -> Response {
        let mut response = self.head();
        let mut body = Vec::new();
        while let Some(part) = self.part() {
            body.extend(part);
        }
        response.body = String::from_utf8(body).unwrap();
        response
    }

    #[track_caller]
    pub(crate) fn head(&mut self) -> Response {
        let line = self.line();
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.unwrap_or_else(|| panic!("{line:?} is no status"));
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let response = Response { status, headers, body: String::new() };
        self.is_chunked = response.header("transfer-encoding") == Some("chunked");
        self.length = response.header("content-length").map_or(0, |length| length.parse().unwrap());
        response
    }

    /// Reads a part of a body; `None` is its end.
    #[track_caller]
    fn part(&mut self) -> Option<Vec<u8>> {
        let length = if self.is_chunked {
            usize::from_str_radix(&self.line(), 16).unwrap()
        } else {
            std::mem::take(&mut self.length)
        };
        let mut part = vec![0; length];
        self.stream.read_exact(&mut part).unwrap();
        if self.is_chunked {
            assert_eq!(self.line(), "");
        }
        (length > 0).then_some(part)
    }

    /// Reads the next event as it stands; `None` is the end of the stream.
    #[track_caller]
    pub(crate) fn event(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.events.find("\n\n") {
                let rest = self.events.split_off(end + 2);
                return Some(std::mem::replace(&mut self.events, rest));
            }
            let part = self.part()?;
            self.events.push_str(std::str::from_utf8(&part).unwrap());
        }
    }

    /// Reads the next message of a stream.
    #[track_caller]
    pub(crate) fn message(&mut self) -> Option<Value> {
        loop {
            let event = self.event()?;
            let data = event.lines().find_map(|line| line.strip_prefix("data: "));
            if let Some(data) = data.filter(|data| !data.is_empty()) {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    #[track_caller]
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// Reads what comes until the server closes the connection.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        // A connection that is cut has ended too.
        let _ = self.stream.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// Shakes hands; returns the session.
pub(crate) fn session(served: &Served) -> String {
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {} });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let response = Wire::new(served).ask(&legacy(None, &hello));
    let session = response.header("mcp-session-id").unwrap().to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(Wire::new(served).ask(&legacy(Some(&session), &ready)).status, 202);
    session
}

/// Checks that the server serves somebody else.
#[track_caller]
pub(crate) fn is_served(served: &Served) {
    let response = Wire::new(served).ask("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!((response.status, response.body.as_str()), (200, "{\"status\":\"ok\"}"));
}
