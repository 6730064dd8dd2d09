//! A server with tools that behave in every way, and its signs.

use std::{
    future::pending,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use selvedge::{
    HttpOptions, HttpServer, Link, Service,
    core::{
        ServerConfig,
        json::RawJson,
        protocol::LogLevel,
        server::{Answer, Context, Request},
    },
    serve_http,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
};

/// What takes longer than this has gone wrong.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// What a tool is seen to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Started,
    /// Its call was dropped before it had ended.
    Dropped,
}

struct Tools {
    signs: Mutex<Sender<Sign>>,
    /// What `gate` waits for.
    gate: Arc<Semaphore>,
}

struct Watch<'a> {
    tools: &'a Tools,
    has_ended: bool,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.tools.tell(Sign::Dropped);
        }
    }
}

impl Tools {
    fn tell(&self, sign: Sign) {
        // A test that has ended looks at no signs.
        let _ = self.signs.lock().unwrap().send(sign);
    }
}

impl Service for Tools {
    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        let names = ["echo", "panic", "wait", "gate", "flood", "change"];
        config.tools = names.map(|name| raw(&format!("{{\"name\":\"{name}\"}}"))).into();
        config.logs = true;
        config.changes = true;
        config
    }

    async fn serve(&self, request: Request, _: Context, link: Link) -> Answer {
        let Request::CallTool { name, arguments } = request else { return Answer::NotFound };
        let mut watch = Watch { tools: self, has_ended: false };
        self.tell(Sign::Started);
        match name.as_str() {
            "panic" => panic!("this tool panics on purpose"),
            "wait" => pending().await,
            "gate" => {
                link.progress(1.0, None, None).await;
                self.gate.acquire().await.unwrap().forget();
            }
            "flood" => loop {
                link.log(LogLevel::Error, None, raw(&format!("\"{}\"", "x".repeat(64 << 10)))).await;
            },
            "change" => link.handle().set_tools(vec![raw("{\"name\":\"change\"}")]).await,
            _ => {}
        }
        watch.has_ended = true;
        // What Rust writes of these texts is a string of JSON too.
        let text = format!("{:?}", arguments.as_str());
        Answer::Result(raw(&format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}")))
    }
}

fn raw(json: &str) -> RawJson {
    RawJson::new(json).unwrap()
}

/// A server that runs.
pub(crate) struct Served {
    pub(crate) runtime: Runtime,
    pub(crate) server: HttpServer,
    signs: Receiver<Sign>,
    gate: Arc<Semaphore>,
}

pub(crate) fn server() -> Served {
    server_with(|_| {})
}

pub(crate) fn server_with(set: impl FnOnce(&mut HttpOptions)) -> Served {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (sender, signs) = channel();
    let gate = Arc::new(Semaphore::new(0));
    let tools = Tools { signs: Mutex::new(sender), gate: gate.clone() };
    let mut options = HttpOptions::default();
    set(&mut options);
    let server = runtime.block_on(serve_http(tools, options)).unwrap();
    Served { runtime, server, signs, gate }
}

impl Served {
    #[track_caller]
    pub(crate) fn sees(&self, sign: Sign) {
        assert_eq!(self.signs.recv_timeout(PATIENCE), Ok(sign));
    }

    /// Checks that nothing was seen that the test has not looked at.
    #[track_caller]
    pub(crate) fn sees_nothing_more(&self) {
        assert!(self.signs.try_recv().is_err());
    }

    /// Lets one call of `gate` end.
    pub(crate) fn open_gate(&self) {
        self.gate.add_permits(1);
    }

    /// Waits until the server has ended.
    pub(crate) fn ends(&mut self) {
        let ended = async { tokio::time::timeout(PATIENCE, self.server.wait()).await };
        self.runtime.block_on(ended).expect("the server ends").unwrap();
    }
}
