//! Blocks of content as they cross the wire.

use selvedge::{
    core::json::RawJson,
    tools::{Body, Content, Resource, ResourceLink, Tool, ToolError, ToolOutput, Toolset},
};
use serde_json::{json, value::RawValue};

use super::call;

fn resource(body: Body) -> Content {
    Content::Resource(Resource { uri: "a:b".to_owned(), mime_type: Some("x/y".to_owned()), body })
}

#[tokio::test]
async fn every_kind_of_block_has_the_shape_of_the_protocol() {
    let blocks = vec![
        Content::text("t"),
        Content::Image { data: vec![0, 1, 2, 255], mime_type: "image/png".to_owned() },
        Content::Audio { data: Vec::new(), mime_type: "audio/wav".to_owned() },
        resource(Body::Text("é".to_owned())),
        resource(Body::Blob(vec![0xFF])),
        Content::Link(ResourceLink {
            uri: "a:b".to_owned(),
            name: "b".to_owned(),
            size: Some(7),
            ..ResourceLink::default()
        }),
    ];
    let mut tools = Toolset::new();
    let all = blocks.clone();
    let show = Tool::new("show").handler(move |_: selvedge::tools::NoArguments, _| {
        let output = ToolOutput::new(all.clone());
        async move { Ok(output) }
    });
    tools.add(show).unwrap();
    let fail = move |_: selvedge::tools::NoArguments, _| {
        let error = ToolError::with_content(blocks.clone());
        async move { Err::<(), _>(error) }
    };
    tools.add(Tool::new("fail").handler(fail)).unwrap();

    let mut expected = json!({ "content": [
        { "type": "text", "text": "t" },
        { "type": "image", "data": "AAEC/w==", "mimeType": "image/png" },
        { "type": "audio", "data": "", "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "a:b", "mimeType": "x/y", "text": "é" } },
        { "type": "resource", "resource": { "uri": "a:b", "mimeType": "x/y", "blob": "/w==" } },
        { "type": "resource_link", "uri": "a:b", "name": "b", "size": 7 },
    ] });
    assert_eq!(call(&tools, "show", json!({})).await, expected);
    expected["isError"] = json!(true);
    assert_eq!(call(&tools, "fail", json!({})).await, expected);
}

#[test]
fn structured_content_keeps_its_spelling() {
    let value =
        RawValue::from_string("{\"b\":1.0, \"a\":123456789012345678901234567890}".to_owned()).unwrap();
    let output = ToolOutput::structured(&value).unwrap_or_default();
    let raw = output.to_raw().map(RawJson::into_string).unwrap_or_default();
    assert!(raw.contains(r#""structuredContent":{"b":1.0, "a":123456789012345678901234567890}"#), "{raw}");
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Setting {
    password: String,
}

/// Reads a file.
#[selvedge::tool(serves_content)]
fn read_marked() -> &'static str {
    "password = hunter2\n"
}

#[tokio::test]
async fn a_tool_that_serves_content_hides_credentials_in_text_and_nowhere_else() {
    const TEXT: &str = "a = 1\npassword = hunter2\n";
    const HIDDEN: &str = "a = 1\npassword = [redacted: secret]\n";
    let blocks = || {
        vec![
            Content::text(TEXT),
            resource(Body::Text(TEXT.to_owned())),
            resource(Body::Blob(TEXT.as_bytes().to_vec())),
        ]
    };
    let show = move |_: selvedge::tools::NoArguments, _| async move { Ok(ToolOutput::new(blocks())) };
    let fail = move |_: selvedge::tools::NoArguments, _| async move {
        Err::<(), _>(ToolError::with_content(blocks()))
    };
    let structured = |_: selvedge::tools::NoArguments, _| async {
        ToolOutput::structured(&Setting { password: "hunter2".to_owned() })
    };
    let mut tools = Toolset::new();
    tools.add(Tool::new("show").serves_content().handler(show)).unwrap();
    tools.add(Tool::new("fail").serves_content().handler(fail)).unwrap();
    tools.add(Tool::new("structured").serves_content().handler(structured)).unwrap();
    tools.add(Tool::new("plain").handler(show)).unwrap();
    tools.add(read_marked_tool()).unwrap();
    for name in ["show", "fail"] {
        let result = call(&tools, name, json!({})).await;
        assert_eq!(result["content"][0]["text"], HIDDEN, "{name}");
        assert_eq!(result["content"][1]["resource"]["text"], HIDDEN, "{name}");
        assert!(result["content"][2]["resource"]["blob"].is_string(), "{name}");
    }
    let result = call(&tools, "structured", json!({})).await;
    assert_eq!(result["structuredContent"], json!({ "password": "hunter2" }));
    assert_eq!(result["content"][0]["text"], r#"{"password":"[redacted: secret]"}"#);
    assert_eq!(call(&tools, "plain", json!({})).await["content"][0]["text"], TEXT);
    let result = call(&tools, "read_marked", json!({})).await;
    assert_eq!(result["content"][0]["text"], "password = [redacted: secret]\n");
}
