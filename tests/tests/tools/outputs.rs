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
