//! Content blocks for people.

use selvedge::core::{
    json::{Kind, View},
    protocol::{CallToolResult, Content},
};

use super::{
    Output,
    output::DIM,
    text::{one_line, pretty},
};

/// Returns what a tool answered: its texts, a line for each other block, its structure where there is no text.
pub(super) fn answer(output: &Output, result: &CallToolResult) -> String {
    let mut out = String::new();
    let mut has_text = false;
    for block in result.content() {
        has_text |= matches!(block, Content::Text(_));
        push_block(&mut out, output, &block);
    }
    if let (false, Some(structure)) = (has_text, result.structured_content()) {
        let laid_out = pretty(structure.as_str());
        out.push_str(&output.foreign_json(&laid_out));
        out.push('\n');
    }
    out
}

/// Appends a block, with a line end behind it.
pub(super) fn push_block(out: &mut String, output: &Output, block: &Content<'_>) {
    match block {
        Content::Text(text) => {
            out.push_str(&output.foreign(text));
            if !text.ends_with('\n') {
                out.push('\n');
            }
        }
        Content::Other { kind, raw } => {
            out.push_str(&output.paint(DIM, &placeholder(kind, *raw)));
            out.push('\n');
        }
        _ => {}
    }
}

/// Returns what stands for bytes that are not shown.
pub(super) fn blob(what: &str, mime_type: Option<&str>, base64: &str) -> String {
    let mime_type = mime_type.map(|mime_type| format!(" {mime_type}")).unwrap_or_default();
    one_line(&format!("[{what}{mime_type}, {} bytes]", decoded_bytes(base64)))
}

fn placeholder(kind: &str, raw: View<'_>) -> String {
    let text = |view: View<'_>, member: &str| view.get(member).and_then(View::to_text);
    let mime_type = text(raw, "mimeType");
    match (kind, raw.get("resource")) {
        ("image" | "audio", _) => blob(kind, mime_type.as_deref(), &text(raw, "data").unwrap_or_default()),
        ("resource_link", _) => {
            let uri = text(raw, "uri").unwrap_or_default();
            let mime_type = mime_type.map(|mime_type| format!(" {mime_type}")).unwrap_or_default();
            one_line(&format!("[link {uri}{mime_type}]"))
        }
        ("resource", Some(resource)) if resource.kind() == Kind::Object => {
            let what = format!("resource {}", text(resource, "uri").unwrap_or_default());
            let mime_type = text(resource, "mimeType");
            match text(resource, "text") {
                Some(text) => {
                    let mime_type = mime_type.map(|mime_type| format!(" {mime_type}")).unwrap_or_default();
                    one_line(&format!("[{what}{mime_type}, {} bytes]", text.len()))
                }
                None => blob(&what, mime_type.as_deref(), &text(resource, "blob").unwrap_or_default()),
            }
        }
        _ => one_line(&format!("[{kind} block, {} bytes of JSON]", raw.as_str().len())),
    }
}

/// Returns how many bytes a base64 text stands for.
fn decoded_bytes(base64: &str) -> usize {
    let digits = base64.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits / 4 * 3 + (digits % 4).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_are_not_shown_say_what_they_are() {
        for (json, shown) in [
            (r#"{"type":"image","mimeType":"image/png","data":"aGVsbG8="}"#, "[image image/png, 5 bytes]"),
            (r#"{"type":"audio","data":"aGVs"}"#, "[audio, 3 bytes]"),
            (
                r#"{"type":"resource_link","uri":"file:///x","mimeType":"text/plain"}"#,
                "[link file:///x text/plain]",
            ),
            (r#"{"type":"resource","resource":{"uri":"a://b","text":"four"}}"#, "[resource a://b, 4 bytes]"),
            (r#"{"type":"resource","resource":{"uri":"a://b","blob":"aGU="}}"#, "[resource a://b, 2 bytes]"),
            (r#"{"type":"video\u001b[2J"}"#, "[video\\u{1b}[2J block, 25 bytes of JSON]"),
        ] {
            let Content::Other { kind, raw } = Content::read(View::new(json).unwrap()) else {
                panic!("{json}")
            };
            assert_eq!(placeholder(&kind, raw), shown);
        }
    }
}
