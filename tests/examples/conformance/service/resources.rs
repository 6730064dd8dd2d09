//! The resources.

use serde_json::{Value, json};

use super::PIXEL;

pub(super) fn listed() -> Vec<Value> {
    let resource = |uri: &str, name: &str, kind: &str| json!({ "uri": uri, "name": name, "description": format!("The resource {name}"), "mimeType": kind });
    vec![
        resource("test://static-text", "static-text", "text/plain"),
        resource("test://static-binary", "static-binary", "image/png"),
        resource("test://watched-resource", "watched-resource", "text/plain"),
    ]
}

pub(super) fn templates() -> Vec<Value> {
    vec![json!({
        "uriTemplate": "test://template/{id}/data",
        "name": "template",
        "description": "Data under an id",
        "mimeType": "application/json",
    })]
}

pub(super) fn read(uri: &str) -> Option<Value> {
    let contents = match uri {
        "test://static-text" => json!({
            "uri": uri,
            "mimeType": "text/plain",
            "text": "This is the content of the static text resource.",
        }),
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL }),
        "test://watched-resource" => json!({ "uri": uri, "mimeType": "text/plain", "text": "Watch me." }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
    };
    Some(json!({ "contents": [contents] }))
}
