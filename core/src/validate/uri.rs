//! Resolves references between the parts of one schema (RFC 3986); nothing is ever fetched.

use alloc::{format, string::String, vec::Vec};

/// Returns a reference seen from a base.
pub(super) fn join(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.into();
    }
    if has_scheme(reference) {
        return reference.into();
    }
    let (origin, path) = split_origin(base);
    if let Some(authority) = reference.strip_prefix("//") {
        let scheme = base.split_once("//").map_or("", |(scheme, _)| scheme);
        return format!("{scheme}//{authority}");
    }
    if reference.starts_with('/') {
        return format!("{origin}{}", without_dots(reference));
    }
    let folder = path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or_default();
    let lead = if folder.is_empty() && !origin.is_empty() { "/" } else { "" };
    format!("{origin}{}", without_dots(&format!("{lead}{folder}{reference}")))
}

fn has_scheme(reference: &str) -> bool {
    reference.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// Splits `scheme://authority` from the path.
fn split_origin(base: &str) -> (&str, &str) {
    let Some(start) = base.find("://").map(|at| at + 3) else { return ("", base) };
    let end = base.get(start..).and_then(|rest| rest.find('/')).map_or(base.len(), |at| start + at);
    base.split_at_checked(end).unwrap_or((base, ""))
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut steps = path.split('/').peekable();
    while let Some(step) = steps.next() {
        let is_last = steps.peek().is_none();
        match step {
            "." if is_last => kept.push(""),
            "." => {}
            ".." => {
                if kept.len() > 1 {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    kept.join("/")
}

/// Resolves the percent escapes of a fragment; `None` where the bytes are no text.
pub(super) fn decode(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment;
    while let Some((plain, tail)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let digits = tail.get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = tail.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_seen_from_their_base() {
        for (base, reference, joined) in [
            ("http://a.example/b/c.json", "d.json", "http://a.example/b/d.json"),
            ("http://a.example/b/c.json", "/d.json", "http://a.example/d.json"),
            ("http://a.example/b/c/", "../d/./e", "http://a.example/b/d/e"),
            ("http://a.example", "d", "http://a.example/d"),
            ("http://a.example/b", "//c.example/d", "http://c.example/d"),
            ("http://a.example/b", "urn:x:y", "urn:x:y"),
            ("", "x.json", "x.json"),
            ("folder/one.json", "two.json", "folder/two.json"),
            ("/absolute/one", "../../../two", "/two"),
        ] {
            assert_eq!(join(base, reference), joined, "{base} {reference}");
        }
    }

    #[test]
    fn percent_escapes_are_resolved_or_refused() {
        assert_eq!(decode("/a%20b%25%C3%A9").unwrap(), "/a b%é");
        assert!(decode("%ff").is_none() && decode("%4").is_none() && decode("%zz").is_none());
    }
}
