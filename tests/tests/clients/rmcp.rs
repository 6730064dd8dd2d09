//! `rmcp`, the official client in Rust.

#![expect(deprecated, reason = "what servers ask is deprecated, and still asked")]

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequestParams, ElicitResult, ElicitationAction, Implementation, ListRootsResult,
        ProtocolVersion, Role, Root, SamplingMessage, SamplingMessageContentBlock,
    },
    service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};

use crate::{Served, server};

struct Peer;

impl ClientHandler for Peer {
    fn get_info(&self) -> ClientConfig {
        let able = json!({ "sampling": {}, "elicitation": {}, "roots": {} });
        ClientConfig::new(serde_json::from_value(able).unwrap(), Implementation::new("peer", "1"))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let said = SamplingMessageContentBlock::text("heard");
        Ok(CreateMessageResult::new(SamplingMessage::new(Role::Assistant, said), "peer".to_owned()))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let content = json!({ "username": "ada", "email": "ada@example.com" });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///project")]))
    }
}

#[tokio::test]
async fn rmcp_is_served_in_both_eras() {
    let discover = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for era in [ClientLifecycleMode::Initialize, discover] {
        let mut command = tokio::process::Command::new(server());
        command.arg("--stdio");
        let piped = TokioChildProcess::new(command).unwrap();
        use_all(Peer.serve_with_lifecycle(piped, era.clone()).await.unwrap()).await;
        let (_served, url) = Served::start();
        let over_http = StreamableHttpClientTransport::from_uri(url);
        use_all(Peer.serve_with_lifecycle(over_http, era).await.unwrap()).await;
    }
}

async fn use_all(client: RunningService<RoleClient, Peer>) {
    assert!(client.list_all_tools().await.unwrap().iter().any(|tool| tool.name == "test_sum"));
    for (name, arguments, expected) in [
        ("test_sum", json!({ "a": 2, "b": 40 }), "42"),
        ("test_sampling", json!({ "prompt": "ping" }), "LLM response: heard"),
        ("test_elicitation", json!({ "message": "who?" }), "ada@example.com"),
        ("test_input_required_result_list_roots", json!({}), "file:///project"),
    ] {
        let mut params = CallToolRequestParams::new(name);
        params.arguments = arguments.as_object().cloned();
        let result: Value = serde_json::to_value(client.call_tool(params).await.unwrap()).unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(expected), "{name}: {text}");
    }
    client.cancel().await.unwrap();
}
