//! What each revision knows: newer members and kinds of content are left out or put in older words.

use alloc::string::String;

use crate::{
    json::{Kind, View, push_compact, push_string},
    protocol::Revision,
};

/// Appends a tool as a client of this revision knows it.
pub(super) fn push_tool(out: &mut String, tool: View<'_>, revision: Revision) {
    if revision.era() == crate::protocol::Era::Modern {
        return push_compact(out, tool.as_str());
    }
    push_members(out, tool, |name, value| match name {
        "outputSchema" => {
            revision >= Revision::V2025_06_18 && value.get("type").is_some_and(|kind| kind.is_str("object"))
        }
        "title" | "_meta" => revision >= Revision::V2025_06_18,
        "annotations" => revision >= Revision::V2025_03_26,
        "icons" | "execution" => revision >= Revision::V2025_11_25,
        _ => true,
    });
}

/// Appends those members of an object that `keeps` says.
fn push_members(out: &mut String, object: View<'_>, keeps: impl Fn(&str, View<'_>) -> bool) {
    let mut separator = '{';
    for (name, value) in object.members().filter(|(name, value)| keeps(&name.to_str(), *value)) {
        out.push(separator);
        separator = ',';
        name.push_to(out);
        out.push(':');
        push_compact(out, value.as_str());
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
}

/// Appends the result of a call as a client of the legacy era knows it.
pub(super) fn push_legacy(out: &mut String, method: &str, result: View<'_>, revision: Revision) {
    let mut separator = '{';
    for (name, value) in result.members() {
        let is_known = match &*name.to_str() {
            "resultType" | "ttlMs" | "cacheScope" => false,
            "structuredContent" => revision >= Revision::V2025_06_18 && value.kind() == Kind::Object,
            _ => true,
        };
        if !is_known {
            continue;
        }
        out.push(separator);
        separator = ',';
        name.push_to(out);
        out.push(':');
        match (&*name.to_str(), method) {
            ("content", "tools/call") if revision < Revision::V2025_06_18 => {
                push_list(out, value, |out, block| push_content(out, block, revision));
            }
            ("messages", "prompts/get") if revision < Revision::V2025_06_18 => {
                push_list(out, value, |out, message| push_message(out, message, revision));
            }
            _ => push_compact(out, value.as_str()),
        }
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
}

fn push_list(out: &mut String, list: View<'_>, mut push: impl FnMut(&mut String, View<'_>)) {
    out.push('[');
    for (at, element) in list.elements().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push(out, element);
    }
    out.push(']');
}

fn push_message(out: &mut String, message: View<'_>, revision: Revision) {
    let mut separator = '{';
    for (name, value) in message.members() {
        out.push(separator);
        separator = ',';
        name.push_to(out);
        out.push(':');
        match &*name.to_str() {
            "content" => push_content(out, value, revision),
            _ => push_compact(out, value.as_str()),
        }
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
}

/// Appends a content block in the words of a revision before 2025-06-18.
fn push_content(out: &mut String, block: View<'_>, revision: Revision) {
    let kind = block.get("type").and_then(View::to_str).unwrap_or_default();
    let push_member = |out: &mut String, before: &str, name: &str| {
        out.push_str(before);
        push_string(out, &block.get(name).and_then(View::to_str).unwrap_or_default());
    };
    match &*kind {
        // An embedded resource carries any bytes.
        "audio" if revision < Revision::V2025_03_26 => {
            push_member(
                out,
                "{\"type\":\"resource\",\"resource\":{\"uri\":\"content:audio\",\"mimeType\":",
                "mimeType",
            );
            push_member(out, ",\"blob\":", "data");
            out.push_str("}}");
        }
        "resource_link" => {
            push_member(out, "{\"type\":\"text\",\"text\":", "uri");
            out.push('}');
        }
        _ => push_compact(out, block.as_str()),
    }
}
