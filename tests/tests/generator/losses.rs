//! Whatever is expressed less precisely than the server said it is listed, with its tool and its place.

use std::{collections::BTreeSet, fs};

use selvedge_core::{
    codegen::{Generated, Level, Listing, Profile},
    json::{Item, Kind, Tape},
    name::Language,
    schema::Loss,
};
use selvedge_tests::generator::{BACKENDS, noise};

use super::{any_text, fixtures, listing_text, options, run};

/// Schemas that some language does not express, with the languages that take them as any value.
const LEAVES: [(&str, &str, &[&str]); 10] = [
    (
        "tuple",
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}"#,
        &["gleam"],
    ),
    (
        "union",
        r#"{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"string"}}}]}"#,
        &["gleam", "rust"],
    ),
    ("endless", r##"{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/Loop"}},{"type":"string"}]}"##, &ALL),
    ("wide", r##"{"anyOf":[{"$ref":"#/$defs/Wide"},{"$ref":"#/$defs/Wider"},{"type":"null"}]}"##, &ALL),
    ("conflict", r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, &ALL),
    ("never", "false", &ALL),
    ("dangling", r##"{"$ref":"#/nowhere"}"##, &ALL),
    ("odd", r#"{"const":{"a":1}}"#, &ALL),
    ("empty", r#"{"enum":[]}"#, &ALL),
    ("unknown", r#"{"type":"date"}"#, &ALL),
];

const ALL: [&str; 4] = ["gleam", "typescript", "python", "rust"];

/// Places of a tool where a schema may stand, each with the pointer to it.
const PLACES: [(&str, &str, &str); 8] = [
    (
        "required",
        r#""inputSchema":{"type":"object","properties":{"p~/":LEAF},"required":["p~/"],DEFS}"#,
        "/inputSchema/properties/p~0~1",
    ),
    (
        "optional",
        r#""inputSchema":{"type":"object","properties":{"p":LEAF},DEFS}"#,
        "/inputSchema/properties/p",
    ),
    (
        "item",
        r#""inputSchema":{"type":"object","properties":{"p":{"type":"array","items":LEAF}},DEFS}"#,
        "/inputSchema/properties/p/items",
    ),
    (
        "other",
        r#""inputSchema":{"type":"object","properties":{"p":{"type":"object","additionalProperties":LEAF}},DEFS}"#,
        "/inputSchema/properties/p/additionalProperties",
    ),
    (
        "member",
        r#""inputSchema":{"type":"object","properties":{"p":{"type":"object","properties":{"q":LEAF}}},DEFS}"#,
        "/inputSchema/properties/p/properties/q",
    ),
    (
        "definition",
        r##""inputSchema":{"type":"object","properties":{"p":{"$ref":"#/$defs/D"},"q":{"$ref":"#/$defs/D"}},DEFS}"##,
        "/inputSchema/$defs/D",
    ),
    (
        "alternative",
        r#""inputSchema":{"type":"object","properties":{"p":{"anyOf":[{"type":"object","properties":{"q":LEAF}},{"type":"boolean"}]}},DEFS}"#,
        "/inputSchema/properties/p/anyOf/0/properties/q",
    ),
    (
        "result",
        r#""inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"r":LEAF},DEFS}"#,
        "/outputSchema/properties/r",
    ),
];

/// Returns a listing of two tools: one with a schema at a place, after one that is plain.
fn listing(place: &str, leaf: &str) -> String {
    let wide: Vec<_> = (0..250)
        .map(|at| format!(r#"{{"type":"array","items":{{"type":"array","items":{{"const":"c{at}"}}}}}}"#))
        .collect();
    let wider: Vec<_> = (0..300)
        .map(|at| format!(r#"{{"type":"array","items":{{"type":"array","items":{{"const":"d{at}"}}}}}}"#))
        .collect();
    let narrow: Vec<_> = wider.iter().take(255).cloned().collect();
    let defs = format!(
        r##""$defs":{{"Loop":{{"type":"array","items":{{"$ref":"#/$defs/Loop"}}}},"Wide":{{"anyOf":[{}]}},"Wider":{{"anyOf":[{},{{"anyOf":[{}]}}]}},"D":{leaf}}}"##,
        wide.join(","),
        narrow.join(","),
        wider.iter().skip(250).cloned().collect::<Vec<_>>().join(",")
    );
    let members = place.replace("LEAF", leaf).replace("DEFS", &defs);
    format!(r#"[{{"name":"a","inputSchema":{{"type":"object"}}}},{{"name":"t",{members}}}]"#)
}

/// Counts the places where a text says any value.
fn count_any(text: &str, language: Language) -> usize {
    let forms: &[&str] = match language {
        Language::Gleam => &["report.Value"],
        Language::Rust => &[": Json", "<Json", "(Json", "String, Json", "= Json"],
        Language::TypeScript | Language::Python => &["Json", "unknown"],
    };
    let lines = text.lines().filter(|line| !line.starts_with(['#', '/']));
    let code = lines.map(|line| line.replace("ToolResult[Json]", "")).collect::<String>();
    forms.iter().map(|form| code.matches(form).count()).sum()
}

fn full(text: &str, backend: (&str, Language, Profile)) -> Generated {
    let mut options = options("notes", backend.1, backend.2);
    options.level = Some(Level::Full);
    options.max_surface_bytes = 4 << 20;
    run(text, &options).unwrap_or_else(|error| panic!("{}: {error}\n{text}", backend.0))
}

/// Follows a pointer into an entry of a listing.
fn resolves(entry: Item<'_>, pointer: &str) -> bool {
    let found = pointer.split('/').skip(1).try_fold(entry, |item, step| {
        let name = step.replace("~1", "/").replace("~0", "~");
        item.get(&name).or_else(|| item.elements().nth(name.parse().ok()?))
    });
    found.is_some()
}

#[test]
fn what_a_language_takes_as_any_value_is_lost_at_its_place() {
    for (leaf, schema, lossy) in LEAVES {
        for (place, members, pointer) in PLACES {
            let (plain, text) = (listing(members, r#"{"type":"string"}"#), listing(members, schema));
            for backend in BACKENDS.into_iter().filter(|backend| backend.2 == Profile::Typed) {
                let said = format!("{leaf} as {place} in {}", backend.0);
                let count = |text: &str| count_any(&full(text, backend).surface.text, backend.1);
                let generated = full(&text, backend);
                let is_any = count(&text) > count(&plain);
                let shown = &generated.surface.text;
                // No other members is no loss: it is what `additionalProperties: false` says.
                let is_lossy = lossy.contains(&backend.0) && (leaf, place) != ("never", "other");
                assert_eq!(is_any, is_lossy, "{said}:\n{shown}");
                let is_there = |loss: &&Loss| {
                    let place = if schema.contains("#/$defs/") { "/$defs/" } else { pointer };
                    let is_near = pointer.starts_with(&loss.path) && loss.path.len() > 15;
                    // A reference that leads nowhere is lost where the way to it begins.
                    let is_before =
                        pointer == "/inputSchema/$defs/D" && loss.path == "/inputSchema/properties/p";
                    loss.tool == "t" && (is_near || is_before || loss.path.contains(place))
                };
                let found = generated.losses.iter().find(is_there);
                assert!(found.is_some() || !is_any, "{said}: {:?}\n{shown}", generated.losses);
                assert_placed(&said, &text, &generated.losses);
            }
        }
    }
}

/// Every loss names a tool of the listing and a place that its entry has.
fn assert_placed(said: &str, text: &str, losses: &[Loss]) {
    let tape = Tape::parse(text).unwrap();
    let entries = |name: &str| {
        let all = tape.root().elements().filter(|entry| entry.get("name").is_some());
        all.filter(|entry| entry.get("name").unwrap().is_str(name)).collect::<Vec<_>>()
    };
    for loss in losses {
        let found = entries(&loss.tool);
        assert!(!found.is_empty(), "{said}: {loss:?}");
        // What is demanded and not declared has no place of its own.
        let path = match loss.reason.to_string().as_str() {
            "required but not declared" => "/inputSchema",
            _ => loss.path.as_str(),
        };
        assert!(found.iter().any(|entry| resolves(*entry, path)), "{said}: {loss:?}\n{text}");
    }
}

/// Returns whether a schema leaves a value open anywhere, so that any value is what it says.
fn is_open(schema: Item<'_>, is_root: bool) -> bool {
    if schema.kind() != Kind::Object {
        return schema.as_bool() == Some(true);
    }
    let has = |name: &str| schema.get(name).is_some();
    let is = |name: &str| schema.get("type").is_some_and(|kind| kind.as_str().contains(name));
    let combined = ["$ref", "anyOf", "oneOf", "allOf", "enum", "const"].into_iter().any(has);
    let is_object =
        has("properties") || has("additionalProperties") || has("required") || has("patternProperties");
    let is_list = has("items") || has("prefixItems");
    let says_nothing = !combined && !is_object && !is_list && !has("type");
    let is_map = is("\"object\"") && !has("properties") && !combined && (!is_root || is_object);
    let is_bare = is_map || is("\"array\"") && !is_list;
    let inner = schema.members().filter(|(name, _)| {
        ["additionalProperties", "items", "additionalItems"].iter().any(|known| name.is(known))
    });
    let named = ["properties", "$defs", "definitions", "patternProperties"]
        .into_iter()
        .filter_map(|name| schema.get(name));
    let listed =
        ["anyOf", "oneOf", "allOf", "prefixItems", "items"].into_iter().filter_map(|name| schema.get(name));
    says_nothing
        || is_bare
        || inner.map(|(_, value)| value).any(|value| is_open(value, false))
        || named.flat_map(Item::members).any(|(_, value)| is_open(value, false))
        || listed.flat_map(Item::elements).any(|value| is_open(value, false))
}

/// Every tool that is shown with any value says so itself, or lost something.
fn assert_nothing_is_silent(said: &str, text: &str) {
    let listing = Listing::parse(text).unwrap();
    let mut tools: Vec<_> = listing.tools().collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    for backend in BACKENDS.into_iter().filter(|backend| backend.2 == Profile::Typed) {
        let mut options = options("notes", backend.1, backend.2);
        options.level = Some(Level::Full);
        options.max_surface_bytes = 4 << 20;
        let Ok(generated) = run(text, &options) else { continue };
        let lost: BTreeSet<_> = generated.losses.iter().map(|loss| loss.tool.as_str()).collect();
        let blocks = generated.surface.text.split("\n\n").skip(1);
        assert_eq!(blocks.clone().count(), tools.len(), "{said}");
        for (tool, shown) in tools.iter().zip(blocks) {
            if count_any(shown, backend.1) == 0 || lost.contains(&*tool.name) {
                continue;
            }
            let is_open =
                is_open(tool.input, true) || tool.output.is_some_and(|output| is_open(output, false));
            assert!(is_open, "{said} in {}: {} loses something silently:\n{shown}", backend.0, tool.name);
        }
    }
}

#[test]
fn no_fixture_and_no_listing_at_random_loses_anything_silently() {
    for (case, _) in fixtures() {
        assert_nothing_is_silent(&case, &listing_text(&case));
    }
    let mut seed = 0x5EED_0F10_55E5_0000;
    for _ in 0..300 {
        let text = any_text(&noise(&mut seed, 512));
        assert_nothing_is_silent(&text, &text);
    }
}

#[test]
fn no_real_listing_loses_anything_silently() {
    let Some(folder) = std::env::var_os("SELVEDGE_LISTINGS") else { return };
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).unwrap();
            assert_nothing_is_silent(&path.display().to_string(), &text);
            let inner = Tape::parse(&text).unwrap();
            let tools = inner.root().get("tools").map_or(text.as_str(), Item::as_str);
            for backend in BACKENDS {
                let mut options = options("notes", backend.1, backend.2);
                options.level = Some(Level::Names);
                options.max_surface_bytes = 4 << 20;
                if let Ok(generated) = run(&text, &options) {
                    assert_placed(&path.display().to_string(), tools, &generated.losses);
                }
            }
        }
    }
}

/// Members beyond the named ones are no type of their own, so no any value shows that they are lost.
#[test]
fn members_that_a_language_leaves_out_are_lost_at_their_place() {
    let inner =
        r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}"#;
    // Types that are alike are one type, which is listed once.
    let other = inner.replace("\"a\"", "\"b\"");
    let text = format!(
        r#"[{{"name":"t","inputSchema":{{"type":"object","properties":{{"p":{inner}}},"additionalProperties":{{"type":"string"}}}},"outputSchema":{other}}}]"#
    );
    for (backend, places) in [
        ("python", &["/inputSchema/properties/p", "/outputSchema"][..]),
        ("typescript", &["/inputSchema", "/inputSchema/properties/p", "/outputSchema"]),
        ("gleam", &[]),
        ("rust", &[]),
    ] {
        let backend =
            BACKENDS.into_iter().find(|known| known.0 == backend && known.2 == Profile::Typed).unwrap();
        let losses = full(&text, backend).losses;
        let seen: Vec<_> =
            losses.iter().map(|loss| loss.path.trim_end_matches("/additionalProperties")).collect();
        assert_eq!(seen, places, "{}: {losses:?}", backend.0);
        assert!(losses.iter().all(|loss| loss.tool == "t"), "{losses:?}");
    }
}

#[test]
fn a_restriction_beside_what_is_chosen_is_lost_and_not_forgotten() {
    for (schema, keyword) in [
        (r#"{"allOf":[{"type":"string"},{"type":"string","maxLength":5}]}"#, "maxLength"),
        (r##"{"$ref":"#/$defs/D","maxLength":5}"##, "maxLength"),
        (
            r#"{"allOf":[{"type":"object","minProperties":1},{"type":"object","properties":{"a":{"type":"string"}}}]}"#,
            "minProperties",
        ),
        (
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"minProperties":1},{"anyOf":[{"required":["a"]}]}]}"#,
            "minProperties",
        ),
        (
            r#"{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"string","pattern":"x"}}}]}"#,
            "pattern",
        ),
        (
            r#"{"allOf":[{"additionalProperties":{"type":"string"}},{"additionalProperties":{"type":"string","minLength":1}}]}"#,
            "additionalProperties",
        ),
    ] {
        let text = listing(PLACES[1].1, schema).replace(r#""D":"#, r#""D":{"type":"string"},"E":"#);
        for backend in BACKENDS.into_iter().filter(|backend| backend.2 == Profile::Typed) {
            let losses = full(&text, backend).losses;
            let is_there = |loss: &Loss| {
                loss.tool == "t"
                    && loss.path.starts_with("/inputSchema/properties/p")
                    && loss.reason.to_string().contains(keyword)
            };
            assert!(losses.iter().any(is_there), "{schema} in {}: {losses:?}", backend.0);
        }
    }
    let bare = r#"[{"name":"t","inputSchema":{"type":"object","minProperties":1}}]"#;
    let losses = full(bare, BACKENDS[1]).losses;
    assert_eq!(losses.len(), 1, "{losses:?}");
}

/// Profile `loom` types what is required and plain; everything else is listed.
#[test]
fn loom_lists_the_parameters_the_results_and_the_texts_that_it_leaves_out() {
    let long = "x".repeat(500);
    let text = format!(
        r#"[{{"name":"t","description":"{long}","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string"}},"b":{{"type":"integer"}},"c":{{}}}},"required":["a"]}},"outputSchema":{{"type":"object"}}}}]"#
    );
    let losses = full(&text, BACKENDS[0]).losses;
    let seen: Vec<_> = losses.iter().map(|loss| (loss.tool.as_str(), loss.path.as_str())).collect();
    let expected = [("t", "/description"), ("t", "/inputSchema/properties/b"), ("t", "/outputSchema")];
    assert_eq!(seen, expected, "{losses:?}");
}

#[test]
fn a_text_about_a_parameter_that_is_cut_or_cleaned_is_listed() {
    let long = "x".repeat(500);
    let text = format!(
        r#"[{{"name":"t","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string","description":"{long}"}},"b":{{"type":"string","description":"\u202ex"}}}}}}}}]"#
    );
    for backend in BACKENDS {
        let losses = full(&text, backend).losses;
        for path in ["/inputSchema/properties/a/description", "/inputSchema/properties/b/description"] {
            assert!(losses.iter().any(|loss| loss.path == path), "{}: {losses:?}", backend.0);
        }
    }
}
