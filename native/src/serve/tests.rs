use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split};

use selvedge_core::{ServerConfig, json::RawJson, protocol::Implementation};

use super::*;

/// A tool that answers, one that panics, one that answers with nonsense, one that never ends.
struct Rough;

impl Service for Rough {
    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.implementation = Implementation::new("rough", "1");
        config.tools =
            ["ok", "crash", "nonsense", "sleep"].map(|name| raw(&format!("{{\"name\":\"{name}\"}}"))).into();
        config
    }

    async fn serve(&self, request: Request, _: Context, link: Link) -> Answer {
        let Request::CallTool { name, .. } = request else { return Answer::NotFound };
        link.progress(1.0, None, None).await;
        match name.as_str() {
            "crash" => panic!("this tool panics on purpose"),
            "nonsense" => Answer::Result(raw("[]")),
            "sleep" => pending().await,
            _ => Answer::Result(raw("{}")),
        }
    }
}

fn raw(json: &str) -> RawJson {
    RawJson::new(json).unwrap()
}

struct Peer {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Peer {
    /// Starts a session that ends at the end of its input, after the handshake.
    async fn new() -> (Self, tokio::task::JoinHandle<io::Result<()>>) {
        let (own, other) = duplex(1 << 10);
        let (input, output) = split(other);
        let session = tokio::spawn(Session::new(Rough).unwrap().run(input, output, pending()));
        let (output, input) = split(own);
        let mut peer = Self { input, output: BufReader::new(output).lines() };
        peer.send(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
        )
        .await;
        assert!(peer.receive().await.contains("rough"));
        (peer, session)
    }

    async fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: u8, name: &str) {
        let params = format!("{{\"name\":\"{name}\"}}");
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)).await;
    }

    async fn receive(&mut self) -> String {
        self.output.next_line().await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn a_tool_that_panics_is_answered_and_the_others_go_on() {
    let (mut peer, _session) = Peer::new().await;
    peer.call(1, "crash").await;
    let crashed = peer.receive().await;
    assert!(crashed.contains("\"id\":1") && crashed.contains("-32603"), "{crashed}");
    assert!(!crashed.contains("on purpose"), "{crashed}");
    peer.call(2, "nonsense").await;
    let nonsense = peer.receive().await;
    assert!(nonsense.contains("\"id\":2") && nonsense.contains("-32603"), "{nonsense}");
    peer.call(3, "ok").await;
    assert_eq!(peer.receive().await, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_has_two_seconds_after_the_end_of_the_input() {
    let (mut peer, session) = Peer::new().await;
    peer.call(1, "sleep").await;
    peer.call(2, "ok").await;
    assert!(peer.receive().await.contains("\"id\":2"));
    let started = tokio::time::Instant::now();
    peer.input.shutdown().await.unwrap();
    session.await.unwrap().unwrap();
    assert_eq!(started.elapsed().as_secs(), 2);
    assert_eq!(peer.output.next_line().await.unwrap(), None);
}
