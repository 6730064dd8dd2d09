//! The server in its process: tools that echo, wait, and answer at length.

use std::{
    future::pending,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
};

use selvedge::{
    HttpOptions, Link, Service,
    core::{
        ServerConfig,
        json::RawJson,
        server::{Answer, Context, Request},
    },
    serve_http,
};

struct Tools {
    /// The result of `large`, which is made once: the server is measured, and not its tool.
    large: RawJson,
    /// What the resource holds.
    contents: RawJson,
}

impl Tools {
    fn new() -> Self {
        let text = |bytes: usize| "x".repeat(bytes);
        let large = format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}", text(15 << 20));
        let contents = format!("{{\"contents\":[{{\"uri\":\"a://b\",\"text\":\"{}\"}}]}}", text(4 << 20));
        Self { large: RawJson::new(large).expect("JSON"), contents: RawJson::new(contents).expect("JSON") }
    }
}

impl Service for Tools {
    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        let tool = |name: &str| RawJson::new(format!("{{\"name\":\"{name}\"}}")).expect("JSON");
        config.tools = ["echo", "wait", "large"].map(tool).into();
        config.has_resources = true;
        config.changes = true;
        config
    }

    async fn serve(&self, request: Request, _: Context, _: Link) -> Answer {
        Answer::Result(match request {
            Request::CallTool { name, .. } => match name.as_str() {
                "wait" => pending().await,
                "large" => self.large.clone(),
                _ => RawJson::new(r#"{"content":[{"type":"text","text":"good day"}]}"#).expect("JSON"),
            },
            Request::ReadResource { .. } => self.contents.clone(),
            _ => return Answer::NotFound,
        })
    }
}

/// Serves until the process is killed.
pub(crate) fn serve() {
    // As the command line does.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::ERROR)
        .with_writer(std::io::stderr)
        .with_target(false)
        .without_time()
        .with_ansi(false)
        .init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut options = HttpOptions::default();
        options.raise_descriptor_limit = true;
        let mut server = serve_http(Tools::new(), options).await.expect("a server");
        println!("{}", server.local_addr());
        server.wait().await.expect("a signal");
    });
}

/// A server in a process of its own.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts one that may have so many descriptors.
    pub(crate) fn start(descriptors: Option<u32>) -> Self {
        let own = std::env::current_exe().expect("the benchmark knows its own path");
        let limit = descriptors.map(|limit| format!("ulimit -n {limit}; ")).unwrap_or_default();
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{limit}exec \"$0\" --serve")).arg(own);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs itself");
        let mut address = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut address).expect("an address");
        Self { child, address: address.trim().to_owned() }
    }

    /// Returns the most memory that the server has had, in MiB.
    pub(crate) fn peak_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(u64::MAX) >> 10
    }

    /// Ends the server; returns what it said.
    pub(crate) fn end(mut self) -> String {
        // One that has ended already cannot be ended.
        let _ = self.child.kill();
        let mut said = String::new();
        let _ = self.child.stderr.take().expect("a pipe").read_to_string(&mut said);
        let _ = self.child.wait();
        said
    }
}
