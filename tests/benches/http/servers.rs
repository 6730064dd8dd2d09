//! The servers: one tool that answers with the text it is given.

use std::sync::Arc;

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use selvedge::{
    HttpOptions, Link, Service,
    core::{
        json::RawJson,
        server::{Answer, Context, Request},
    },
    serve_http, serve_stdio,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, runtime::Builder};

const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;

/// Serves over HTTP until the process is killed.
pub(crate) fn http(name: &str) {
    let runtime = Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        if name == "selvedge" {
            let mut server = serve_http(Ours, HttpOptions::default()).await.expect("a free port");
            println!("{}", server.url());
            server.wait().await.expect("signals");
        } else {
            their_http().await;
        }
    });
}

/// Serves over standard input and output.
pub(crate) fn stdio_of(name: &str) {
    let runtime = Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        if name == "selvedge" {
            serve_stdio(Ours).await.expect("pipes");
        } else {
            let running = Theirs.serve(stdio()).await.expect("a session");
            // However it ends, it has.
            let _ = running.waiting().await;
        }
    });
    runtime.shutdown_background();
}

struct Ours;

impl Service for Ours {
    fn config(&self) -> selvedge::core::ServerConfig {
        let mut config = selvedge::core::ServerConfig::default();
        let tool =
            format!(r#"{{"name":"echo","description":"Answers with its text","inputSchema":{SCHEMA}}}"#);
        config.changes = true;
        config.tools = vec![RawJson::new(&tool).expect("JSON")];
        config
    }

    async fn serve(&self, request: Request, _: Context, _: Link) -> Answer {
        let Request::CallTool { arguments, .. } = request else { return Answer::NotFound };
        let arguments: Value = serde_json::from_str(arguments.as_str()).expect("JSON");
        let text = arguments["text"].as_str().unwrap_or_default();
        let result = json!({ "content": [{ "type": "text", "text": text }] });
        Answer::Result(RawJson::new(result.to_string()).expect("JSON"))
    }
}

#[derive(Clone)]
struct Theirs;

impl ServerHandler for Theirs {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
        let schema = Arc::new(schema.as_object().cloned().expect("an object"));
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "Answers with its text", schema)]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|arguments| arguments.get("text")?.as_str());
        let content = ContentBlock::text(text.unwrap_or_default());
        Ok(CallToolResult::success(vec![content]).into())
    }
}

async fn their_http() {
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service = StreamableHttpService::new(|| Ok(Theirs), Arc::new(LocalSessionManager::default()), config);
    let socket = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("http://{}/mcp", socket.local_addr().expect("an address"));
    loop {
        let (stream, _) = socket.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("an option");
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let builder = auto::Builder::new(TokioExecutor::new());
            // A client that is gone is no fault.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
