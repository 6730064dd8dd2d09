//! A client that means well: it goes on calling, and keeps a session that it does not use meanwhile.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

/// What waits longer than this does not come.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len(),
    )
}

/// Writes a call of a tool in the modern era.
pub(crate) fn call(name: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{{}},{meta}}}}}"#
    );
    post(
        &format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {name}\r\n"),
        &body,
    )
}

pub(crate) fn hello(revision: &str) -> String {
    post(
        "",
        &format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
        ),
    )
}

/// Sends a request; returns the head and the body of the response.
pub(crate) fn ask(stream: &mut BufReader<TcpStream>, request: &str) -> std::io::Result<(String, String)> {
    stream.get_mut().write_all(request.as_bytes())?;
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}

/// Connects; one that was refused is tried again, as clients do.
pub(crate) fn connect(address: &str) -> std::io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::new(stream))
}

/// Opens a session; returns its id in small letters' header, as it stands.
pub(crate) fn session(stream: &mut BufReader<TcpStream>, revision: &str) -> Option<String> {
    stream.get_mut().write_all(hello(revision).as_bytes()).ok()?;
    let (mut id, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some((name, value)) = line.split_once(": ") {
            match name.to_ascii_lowercase().as_str() {
                "mcp-session-id" => id = Some(value.trim().to_owned()),
                "content-length" => length = value.trim().parse().unwrap_or(0),
                _ => {}
            }
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    id
}

/// What the honest client saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) longest: Duration,
    pub(crate) lost: usize,
}

/// The honest client.
pub(crate) struct Honest {
    address: String,
    stream: Option<BufReader<TcpStream>>,
    session: String,
}

impl Honest {
    pub(crate) fn new(address: &str) -> Self {
        let mut stream = connect(address).expect("a connection");
        let session = session(&mut stream, "2025-11-25").expect("a session");
        let mut own = Self { address: address.to_owned(), stream: Some(stream), session };
        assert!(own.keeps_session());
        assert_eq!(own.calls(Duration::from_millis(100)).lost, 0);
        own
    }

    /// Returns whether the session is there.
    pub(crate) fn keeps_session(&mut self) -> bool {
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let request = post(&format!("mcp-session-id: {}\r\n", self.session), ping);
        self.once(&request)
    }

    /// Makes one call after the other for so long.
    pub(crate) fn calls(&mut self, span: Duration) -> Seen {
        let (start, request, mut seen) = (Instant::now(), call("echo"), Seen::default());
        while start.elapsed() < span {
            let at = Instant::now();
            seen.lost += usize::from(!self.once(&request));
            seen.longest = seen.longest.max(at.elapsed());
            std::thread::park_timeout(Duration::from_millis(2));
        }
        seen
    }

    /// Asks once; over a new connection where the old one has ended.
    fn once(&mut self, request: &str) -> bool {
        for _ in 0..2 {
            let stream = self.stream.take().map_or_else(|| connect(&self.address), Ok);
            let Ok(mut stream) = stream else { continue };
            if let Ok((head, body)) = ask(&mut stream, request) {
                self.stream = Some(stream);
                return head.starts_with("http/1.1 200") && body.contains("\"result\"");
            }
        }
        false
    }
}
