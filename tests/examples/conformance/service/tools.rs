//! The tools that ask nothing.

use std::time::Duration;

use selvedge::{
    Link,
    core::{protocol::LogLevel, server::Answer},
};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{PIXEL, raw, result, text, unknown};

/// The steps that the suite wants to see apart.
const STEP: Duration = Duration::from_millis(50);
/// A WAV file of one silent sample.
const SILENCE: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQIAAAAAAA==";

pub(super) async fn call(name: &str, arguments: &Value, link: &Link) -> Answer {
    match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => content(&json!([image()])),
        "test_audio_content" => {
            content(&json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }]))
        }
        "test_embedded_resource" => content(&json!([{ "type": "resource", "resource": {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        } }])),
        "test_multiple_content_types" => content(&json!([
            { "type": "text", "text": "Multiple content types test:" },
            image(),
            { "type": "resource", "resource": {
                "uri": "test://mixed-content-resource",
                "mimeType": "application/json",
                "text": "{\"test\":\"data\",\"value\":123}",
            } },
        ])),
        "test_tool_with_logging" => log_thrice(link).await,
        "test_logging_tool" => {
            log(link, "Tool was called").await;
            text("logged")
        }
        "test_error_handling" => result(&json!({
            "isError": true,
            "content": [{ "type": "text", "text": "This tool intentionally returns an error for testing" }],
        })),
        "test_tool_with_progress" => report_thrice(link).await,
        "test_reconnection" => reconnect(link).await,
        "test_echo" => text(arguments["text"].as_str().unwrap_or_default()),
        "test_sum" => {
            let sum =
                arguments["a"].as_f64().unwrap_or_default() + arguments["b"].as_f64().unwrap_or_default();
            let content = json!([{ "type": "text", "text": sum.to_string() }]);
            result(&json!({ "content": content, "structuredContent": { "sum": sum } }))
        }
        "json_schema_2020_12_tool" | "test_dynamic_tool" | "test_header_mirror" => {
            text(&format!("{arguments}"))
        }
        _ => unknown(),
    }
}

fn content(content: &Value) -> Answer {
    result(&json!({ "content": content }))
}

fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

async fn log(link: &Link, message: &str) {
    link.log(LogLevel::Info, Some("conformance"), raw(&json!(message))).await;
}

async fn log_thrice(link: &Link) -> Answer {
    log(link, "Tool execution started").await;
    sleep(STEP).await;
    log(link, "Tool processing data").await;
    sleep(STEP).await;
    log(link, "Tool execution completed").await;
    text("Tool with logging executed successfully")
}

async fn report_thrice(link: &Link) -> Answer {
    for done in [0.0, 50.0, 100.0] {
        link.progress(done, Some(100.0), Some(&format!("Completed step {done} of 100"))).await;
        sleep(STEP).await;
    }
    text("Tool with progress executed successfully")
}

async fn reconnect(link: &Link) -> Answer {
    sleep(STEP).await;
    link.close_stream().await;
    sleep(STEP).await;
    text("Reconnection test completed successfully")
}
