//! What headers repeat of a body, so that what lies between can route without reading it (2026-07-28
//! `basic/transports/streamable-http`): both must say the same.

use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, sync::Arc, vec::Vec};

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};

use super::head::Fields;
use crate::{
    json::{Decimal, Kind, View},
    protocol::Revision,
    server::Hub,
};

/// The deepest nesting of parameters that headers repeat.
const MAX_DEPTH: usize = 16;
/// The parameters of one tool that headers repeat.
const MAX_RULES: usize = 128;

/// A parameter that a header repeats.
#[derive(Debug)]
struct Rule {
    /// The header's name behind `Mcp-Param-`, in lower case.
    header: String,
    /// The members that lead to the parameter.
    path: Vec<String>,
    is_integer: bool,
}

/// The rules of the tools that have some, read when they are needed first.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// Which tools they were read from.
    digest: u32,
    by_tool: BTreeMap<String, Arc<[Rule]>>,
}

impl Rules {
    fn of(&mut self, hub: &Hub, tool: &str) -> Arc<[Rule]> {
        if self.digest != hub.tools_digest() {
            self.digest = hub.tools_digest();
            self.by_tool.clear();
        }
        if let Some(rules) = self.by_tool.get(tool) {
            return rules.clone();
        }
        let Some(raw) = hub.tool(tool) else { return Arc::new([]) };
        let rules: Arc<[Rule]> = read_rules(raw.view()).into();
        self.by_tool.insert(tool.into(), rules.clone());
        rules
    }

    /// Says where the headers of a request differ from its body, whose revision has been compared.
    pub(super) fn check(
        &mut self,
        hub: &Hub,
        fields: &Fields,
        method: &str,
        params: Option<View<'_>>,
    ) -> Result<(), String> {
        let Some(given) = &fields.method else { return Err("the header `mcp-method` is missing".into()) };
        if given != method {
            return Err("the header `mcp-method` differs from the body's method".into());
        }
        let member = match method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return Ok(()),
        };
        let named = params.and_then(|params| params.get(member)).and_then(View::to_str);
        check_name(fields.name.as_deref(), named.as_deref(), member)?;
        let (Some(tool), "tools/call") = (named, method) else { return Ok(()) };
        let arguments = params.and_then(|params| params.get("arguments"));
        for rule in self.of(hub, &tool).iter() {
            rule.check(fields, arguments)?;
        }
        Ok(())
    }
}

/// Says what is wrong with the header of a revision; `None` where it is the one that the body names.
pub(super) fn version_fault(fields: &Fields, named: &str) -> Option<String> {
    match fields.version.as_deref() {
        None => Some("the header `mcp-protocol-version` is missing".into()),
        Some(version) if version != named => {
            Some("the header `mcp-protocol-version` differs from the body's revision".into())
        }
        Some(_) => None,
    }
}

/// Returns whether a revision is the modern one that is spoken.
pub(super) fn is_spoken(named: &str) -> bool {
    named == Revision::V2026_07_28.as_str()
}

fn check_name(header: Option<&str>, named: Option<&str>, member: &str) -> Result<(), String> {
    let Some(header) = header else {
        // What the body lacks too is for whoever reads the body to say.
        return match named {
            Some(_) => Err("the header `mcp-name` is missing".into()),
            None => Ok(()),
        };
    };
    let header = decode(header).ok_or_else(|| String::from("the header `mcp-name` is malformed"))?;
    if Some(&*header) != named {
        return Err(format!("the header `mcp-name` differs from the body's `{member}`"));
    }
    Ok(())
}

impl Rule {
    fn check(&self, fields: &Fields, arguments: Option<View<'_>>) -> Result<(), String> {
        let start = arguments.ok_or(());
        let value =
            start.and_then(|start| self.path.iter().try_fold(start, |view, name| view.get(name).ok_or(())));
        let value = value.ok().filter(|value| !value.is_null());
        let mut given = fields.params.iter().filter(|(name, _)| *name == self.header);
        let header = given.next().map(|(_, header)| header);
        let fault = |what: &str| Err(format!("the header `mcp-param-{}` {what}", self.header));
        if given.next().is_some() {
            return fault("stands there twice");
        }
        match (header, value) {
            (None, None) => Ok(()),
            (None, Some(_)) => fault("is missing"),
            (Some(_), None) => fault("repeats what the body lacks"),
            (Some(header), Some(value)) => match decode(header) {
                None => fault("is malformed"),
                Some(header) if self.is_same(&header, value) => Ok(()),
                Some(_) => fault("differs from the body"),
            },
        }
    }

    fn is_same(&self, header: &str, value: View<'_>) -> bool {
        match (value.to_str(), value.as_number()) {
            (Some(content), _) => content == header,
            (None, Some(number)) if self.is_integer => {
                let is_number = View::new(header).is_ok_and(|header| header.kind() == Kind::Number);
                is_number && Decimal::new(header).is_some_and(|own| Decimal::new(number) == Some(own))
            }
            _ => value.as_str() == header,
        }
    }
}

/// Returns what a header stands for: its text, or what it encodes; `None` where it is malformed.
fn decode(header: &str) -> Option<Cow<'_, str>> {
    let encoded = header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let Some(encoded) = encoded else {
        let is_plain = header.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
        return is_plain.then_some(Cow::Borrowed(header));
    };
    let bytes = BASE64.decode(encoded).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn read_rules(tool: View<'_>) -> Vec<Rule> {
    let mut rules = Vec::new();
    let finder = memchr::memmem::find(tool.as_str().as_bytes(), b"x-mcp-header");
    if let (Some(_), Some(schema)) = (finder, tool.get("inputSchema")) {
        collect(&mut rules, &mut Vec::new(), schema);
    }
    rules
}

/// Finds the parameters that are reached through `properties` alone. What is no valid mark makes no rule: a
/// client leaves such a tool out.
fn collect(rules: &mut Vec<Rule>, path: &mut Vec<String>, schema: View<'_>) {
    let Some(properties) = schema.get("properties").filter(|_| path.len() < MAX_DEPTH) else { return };
    for (name, property) in properties.members() {
        if rules.len() >= MAX_RULES {
            return;
        }
        let name = name.to_text();
        if properties.get(&name).is_none_or(|first| first.as_str().as_ptr() != property.as_str().as_ptr()) {
            // Another one of this name stands before it, and that one counts.
            continue;
        }
        path.push(name);
        if let Some(rule) = read_rule(path, property).filter(|new| is_new(rules, new)) {
            rules.push(rule);
        }
        collect(rules, path, property);
        path.pop();
    }
}

fn is_new(rules: &[Rule], new: &Rule) -> bool {
    rules.iter().all(|rule| rule.header != new.header)
}

fn read_rule(path: &[String], property: View<'_>) -> Option<Rule> {
    let header = property.get("x-mcp-header")?.to_str()?;
    let is_token = !header.is_empty()
        && header.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    let kind = property.get("type").and_then(View::to_str)?;
    let is_fitting = matches!(&*kind, "string" | "integer" | "boolean");
    (is_token && is_fitting).then(|| Rule {
        header: header.to_ascii_lowercase(),
        path: path.to_vec(),
        is_integer: kind == "integer",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_text_or_as_what_they_encode() {
        assert_eq!(decode("plain text").as_deref(), Some("plain text"));
        assert_eq!(decode("=?base64?w6k=?=").as_deref(), Some("é"));
        assert_eq!(decode("=?base64??=").as_deref(), Some(""));
        for malformed in ["é", "=?base64?*?=", "=?base64?w6k?=", "=?base64?/w==?=", "a\u{1}"] {
            assert_eq!(decode(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn only_valid_marks_make_rules() {
        let tool = View::new(
            r#"{"inputSchema":{"properties":{
                "a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"REGION"},
                "c":{"type":"number","x-mcp-header":"N"},"d":{"type":"string","x-mcp-header":""},
                "e":{"type":"string","x-mcp-header":"a b"},"f":{"items":{"type":"string","x-mcp-header":"F"}},
                "g":{"type":"object","properties":{"h":{"type":"integer","x-mcp-header":"Depth"}}},
                "\u0061":{"type":"string","x-mcp-header":"Second"}}}}"#,
        );
        let rules = read_rules(tool.unwrap());
        let seen: Vec<_> = rules.iter().map(|rule| (rule.header.as_str(), rule.path.len())).collect();
        assert_eq!(seen, [("region", 1), ("depth", 2)]);
    }
}
