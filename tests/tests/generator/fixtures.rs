//! The cases of hostile and habitual listings, each a file that says what must come of it.

use selvedge_core::{
    codegen::{Generated, Listing, Profile},
    json::Value,
    name::Language,
};
use selvedge_tests::generator::{BACKENDS, check_sanity};

use super::{fixtures, listing_text, options, run, signatures, strings};

#[test]
fn every_fixture_comes_out_as_it_says_in_every_backend() {
    for (case, fixture) in fixtures() {
        let server = fixture.get("server").unwrap().as_str().unwrap();
        let text = listing_text(&case);
        for (backend, language, profile) in BACKENDS {
            let place = format!("{case} in {backend}");
            let result = run(&text, &options(server, language, profile));
            let scopes: &[&str] =
                if profile == Profile::Loom { &["all", "loom"] } else { &["all", "typed", backend] };
            let expected: Vec<_> =
                scopes.iter().filter_map(|scope| fixture.get("expect").unwrap().get(scope)).collect();
            let error = expected.iter().find_map(|expect| expect.get("error"));
            match (result, error) {
                (Ok(generated), None) => {
                    check_sanity(&place, &generated);
                    for expect in expected {
                        check(&place, expect, &generated, &text, language, profile);
                    }
                }
                (Err(refused), Some(error)) => {
                    assert!(refused.to_string().contains(error.as_str().unwrap()), "{place}: {refused}");
                }
                (Ok(_), Some(error)) => panic!("{place}: should be refused: {error}"),
                (Err(refused), None) => panic!("{place}: {refused}"),
            }
        }
    }
}

fn check(
    place: &str,
    expect: &Value,
    generated: &Generated,
    text: &str,
    language: Language,
    profile: Profile,
) {
    let both = format!("{}\n{}", generated.source, generated.surface.text);
    for part in strings(expect.get("has")) {
        assert!(both.contains(&part), "{place} lacks {part:?}:\n{both}");
    }
    for part in strings(expect.get("lacks")) {
        assert!(!both.contains(&part), "{place} has {part:?}:\n{both}");
    }
    for part in strings(expect.get("source_lacks")) {
        assert!(!generated.source.contains(&part), "{place} has {part:?}:\n{}", generated.source);
    }
    for start in strings(expect.get("no_line")) {
        let found = both.lines().find(|line| line.trim_start().starts_with(&start));
        assert_eq!(found, None, "{place}");
    }
    if let Some(Value::Object(counts)) = expect.get("count") {
        for (part, count) in counts {
            assert_eq!(both_count(&generated.source, part).to_string(), count.to_string(), "{place}: {part}");
        }
    }
    if let Some(Value::Number(max)) = expect.get("max_source") {
        let max: usize = max.parse().unwrap();
        assert!(generated.source.len() <= max, "{place}: {} bytes", generated.source.len());
    }
    if let Some(Value::Number(count)) = expect.get("functions") {
        let listing = Listing::parse(text).unwrap();
        assert_eq!(listing.len().to_string(), *count, "{place}");
        assert_eq!(signatures(generated, text, language, profile).len().to_string(), *count, "{place}");
    }
    if let Some(other) = expect.get("same_as") {
        let other =
            run(&listing_text(other.as_str().unwrap()), &options("notes", language, profile)).unwrap();
        assert_eq!(generated.source, other.source, "{place}");
        assert_eq!(generated.surface, other.surface, "{place}");
    }
    for loss in strings(expect.get("losses")) {
        let parts: Vec<_> = loss.split('|').collect();
        let found = generated.losses.iter().any(|known| {
            known.tool == parts[0]
                && (known.path.starts_with(parts[1]))
                && known.reason.to_string().contains(parts.get(2).unwrap_or(&""))
        });
        assert!(found, "{place} lacks the loss {loss:?}: {:?}", generated.losses);
    }
}

fn both_count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// Brings the signatures of a source into the form that a surface shows: without what a caller does not write.
fn folded(source: &str, language: Language, profile: Profile) -> String {
    match (language, profile) {
        (Language::Gleam, Profile::Loom) => source.lines().fold(String::new(), |mut out, line| {
            let parameter = line.strip_prefix("  ").and_then(|line| line.split_once(' '));
            match parameter {
                Some((label, rest)) if rest.starts_with(&format!("{label}: ")) => {
                    out.push_str(rest.trim_end_matches(','));
                    out.push_str(", ");
                }
                _ => {
                    if line.starts_with(") -> ") {
                        out.truncate(out.trim_end_matches(", ").len());
                    }
                    out.push_str(line.trim_end_matches(" {"));
                    if !line.ends_with('(') || !line.starts_with("pub fn") {
                        out.push('\n');
                    }
                }
            }
            out
        }),
        (Language::Gleam, Profile::Typed) => {
            let source = (0..64)
                .fold(source.to_owned(), |source, at| source.replace(&format!(" v{at}: "), ": "))
                .replace("options options: ", "options: ")
                .replace("arguments arguments: ", "arguments: ");
            unwrapped(&source, " -> mcp.Untyped {", " -> mcp.Call(", ") {")
        }
        (Language::Python, _) => source.replace("(self, ", "(").replace("(self)", "()"),
        (Language::Rust, _) => {
            let source = source.replace("(&self, ", "(").replace("(&self)", "()");
            unwrapped(&source, " -> Untyped {", " -> Reply<", "> {")
        }
        (Language::TypeScript, _) => source.to_owned(),
    }
}

/// Takes off what every result is wrapped in: the first lines of a surface say that once.
fn unwrapped(source: &str, untyped: &str, open: &str, close: &str) -> String {
    let line = |line: &str| {
        if let Some(call) = line.strip_suffix(untyped) {
            return format!("{call} {{\n");
        }
        let typed = line.split_once(open).and_then(|(call, rest)| Some((call, rest.strip_suffix(close)?)));
        typed.map_or_else(|| format!("{line}\n"), |(call, result)| format!("{call} -> {result} {{\n"))
    };
    source.lines().map(line).collect()
}

#[test]
fn a_surface_shows_the_signatures_of_the_source_byte_for_byte() {
    for (case, fixture) in fixtures() {
        let server = fixture.get("server").unwrap().as_str().unwrap();
        let text = listing_text(&case);
        for (backend, language, profile) in BACKENDS {
            let Ok(generated) = run(&text, &options(server, language, profile)) else { continue };
            let source = folded(&generated.source, language, profile);
            let shown = signatures(&generated, &text, language, profile);
            assert_eq!(shown.len(), Listing::parse(&text).unwrap().len(), "{case} in {backend}");
            for signature in shown {
                let end = if language == Language::Rust
                    || (language, profile) == (Language::Gleam, Profile::Typed)
                {
                    " {"
                } else {
                    ""
                };
                let signature = format!("{signature}{end}");
                assert!(source.contains(&signature), "{case} in {backend}: {signature}\n{source}");
            }
        }
    }
}

#[test]
fn the_order_of_tools_and_the_time_of_day_do_not_matter() {
    for (case, fixture) in fixtures() {
        let Some(Value::Array(mut tools)) = fixture.get("listing").cloned() else { panic!("{case}") };
        let before = Value::Array(tools.clone()).to_string();
        tools.reverse();
        let after = Value::Array(tools).to_string();
        for (backend, language, profile) in BACKENDS {
            let options = options("notes", language, profile);
            let (Ok(first), Ok(second)) = (run(&before, &options), run(&after, &options)) else { continue };
            if first.losses.iter().any(|loss| loss.tool.starts_with('#')) {
                continue;
            }
            assert_eq!(first, second, "{case} in {backend}");
        }
    }
}
