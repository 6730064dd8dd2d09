//! What the generator makes of listings: fixtures for every backend, goldens, and listings at random.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::format_collect, reason = "a test may panic")]

use std::{collections::BTreeMap, fs, path::PathBuf};

use selvedge_core::{
    codegen::{GenerateError, Generated, Level, Listing, Options, Profile, detail, generate},
    json::{Kind, Tape, Value},
    name::Language,
};

/// The backends: profile `loom`, and profile `typed` in every language.
const BACKENDS: [(&str, Language, Profile); 5] = [
    ("loom", Language::Gleam, Profile::Loom),
    ("gleam", Language::Gleam, Profile::Typed),
    ("typescript", Language::TypeScript, Profile::Typed),
    ("python", Language::Python, Profile::Typed),
    ("rust", Language::Rust, Profile::Typed),
];

fn fixtures() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/generator");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let case = path.file_stem().unwrap().to_string_lossy().into_owned();
            (case, Value::parse(&fs::read_to_string(path).unwrap()).unwrap())
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// The listing of a fixture as it is spelled: duplicates and half characters are part of some.
fn listing_text(case: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/generator");
    let text = fs::read_to_string(folder.join(format!("{case}.json"))).unwrap();
    Tape::parse(&text).unwrap().root().get("listing").unwrap().as_str().to_owned()
}

fn options(server: &str, language: Language, profile: Profile) -> Options {
    Options { server: server.into(), language, profile, ..Options::default() }
}

fn run(text: &str, options: &Options) -> Result<Generated, GenerateError> {
    generate(&Listing::parse(text).unwrap(), options)
}

fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().map(|item| item.as_str().unwrap().to_owned()).collect(),
        _ => Vec::new(),
    }
}

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

fn check_sanity(place: &str, generated: &Generated) {
    assert!(!generated.source.bytes().any(|byte| byte < 0x20 && byte != b'\n' || byte == 0x7F), "{place}");
    assert!(generated.source.ends_with('\n') && !generated.source.ends_with("\n\n"), "{place}");
    assert!(generated.surface.text.len() <= 64 << 10, "{place}");
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

/// The lines of a surface that say how something is called.
fn signatures(generated: &Generated, text: &str, language: Language, profile: Profile) -> Vec<String> {
    let mut options = options("notes", language, profile);
    options.level = Some(Level::TwoLine);
    options.max_surface_bytes = 1 << 20;
    let surface = match profile {
        Profile::Loom => generated.surface.text.clone(),
        Profile::Typed => run(text, &options).unwrap().surface.text,
    };
    // A declaration begins with a capital letter in Gleam and with a word and a space in Rust.
    let is_call = |line: &str| {
        let name = line.split_once('(').map_or("", |(name, _)| name);
        name.starts_with(|first: char| first.is_ascii_lowercase()) && !name.contains(' ')
    };
    let is_shown = |line: &str| match (language, profile) {
        (Language::Gleam, Profile::Loom) => line.contains(") -> Result(mcp.ToolResult, mcp.McpError)"),
        (Language::TypeScript, _) => line.contains("): Call"),
        (Language::Python, _) => line.contains(") -> ToolResult["),
        (Language::Gleam | Language::Rust, _) => is_call(line),
    };
    let is_signature = |line: &&str| {
        is_shown(line) && !line.starts_with("///") && !line.starts_with("//") && !line.starts_with('#')
    };
    surface.lines().skip(2).filter(is_signature).map(str::to_owned).collect()
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
                let signature = signature
                    .replace("options options: ", "options: ")
                    .replace("arguments arguments: ", "arguments: ");
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

#[test]
fn the_goldens_of_every_backend_hold() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens/generator");
    let text = fs::read_to_string(folder.join("listing.json")).unwrap();
    for (backend, language, profile) in BACKENDS {
        let generated = run(&text, &options("notes", language, profile)).unwrap();
        let losses: String = generated
            .losses
            .iter()
            .map(|loss| format!("{} {}: {}\n", loss.tool, loss.path, loss.reason))
            .collect();
        let extension = generated.path.rsplit('.').next().unwrap();
        let mut files = BTreeMap::from([
            (format!("{backend}/notes.{extension}"), generated.source),
            (format!("{backend}/losses.txt"), losses),
        ]);
        for level in Level::ALL {
            let mut options = options("notes", language, profile);
            options.level = Some(level);
            let surface = run(&text, &options).unwrap().surface;
            files.insert(format!("{backend}/surface-{}.txt", surface.level.name()), surface.text);
        }
        for (name, content) in files {
            let path = folder.join(name);
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &content).unwrap();
            }
            let golden = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(content, golden, "{}", path.display());
        }
    }
}

#[test]
fn the_richest_surface_that_fits_is_shown_and_the_poorest_that_does_not_is_refused() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens/generator");
    let text = fs::read_to_string(folder.join("listing.json")).unwrap();
    for (backend, language, profile) in BACKENDS {
        if profile == Profile::Loom {
            continue;
        }
        let mut options = options("notes", language, profile);
        let mut sizes = Vec::new();
        for level in Level::ALL {
            options.level = Some(level);
            sizes.push(run(&text, &options).unwrap().surface.text.len());
        }
        assert!(sizes.is_sorted_by(|a, b| a > b), "{backend}: {sizes:?}");
        options.level = None;
        for (size, level) in sizes.iter().zip(Level::ALL) {
            options.max_surface_bytes = *size;
            assert_eq!(run(&text, &options).unwrap().surface.level, level, "{backend}");
        }
        options.max_surface_bytes = sizes[3] - 1;
        let refused = run(&text, &options).unwrap_err();
        assert!(matches!(refused, GenerateError::SurfaceTooLarge { .. }), "{backend}: {refused}");
    }
}

#[test]
fn a_tool_is_shown_in_full_on_demand() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens/generator");
    let text = fs::read_to_string(folder.join("listing.json")).unwrap();
    let listing = Listing::parse(&text).unwrap();
    for (backend, language, profile) in BACKENDS {
        let options = options("notes", language, profile);
        let shown = detail(&listing, &options, "add-note").unwrap().unwrap();
        assert!(shown.contains("add_note_b7325f4a("), "{backend}: {shown}");
        assert_eq!(detail(&listing, &options, "nowhere").unwrap(), None);
    }
}

#[test]
fn too_many_tools_and_too_large_a_surface_name_their_numbers() {
    let many = |count: usize| {
        let tools: Vec<_> =
            (0..count).map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{"type":"object"}}}}"#)).collect();
        format!("[{}]", tools.join(","))
    };
    let loom = options("notes", Language::Gleam, Profile::Loom);
    assert!(run(&many(256), &loom).is_ok());
    assert_eq!(run(&many(257), &loom).unwrap_err().to_string(), "257 tools exceed the 256 of a module");
    let typed = options("notes", Language::TypeScript, Profile::Typed);
    assert!(run(&many(2_048), &typed).is_ok());
    assert!(matches!(run(&many(2_049), &typed), Err(GenerateError::TooManyTools { count: 2_049, .. })));
    let mut at_the_edge = loom.clone();
    at_the_edge.max_surface_bytes = run(&many(3), &loom).unwrap().surface.text.len();
    assert!(run(&many(3), &at_the_edge).is_ok());
    at_the_edge.max_surface_bytes -= 1;
    assert!(matches!(run(&many(3), &at_the_edge), Err(GenerateError::SurfaceTooLarge { .. })));
}

#[test]
fn hostile_sizes_end_in_linear_time() {
    let names: Vec<_> = (0..20_000).map(|at| format!("\"p{at}\"")).collect();
    let properties: Vec<_> = names.iter().map(|name| format!("{name}:{{\"type\":\"string\"}}")).collect();
    let schema = format!(
        r#"[{{"name":"big","inputSchema":{{"type":"object","properties":{{{}}},"required":[{}]}}}}]"#,
        properties.join(","),
        names.join(",")
    );
    let refs: Vec<_> = (0..20_000).map(|at| format!("\"p{at}\":{{\"$ref\":\"#/$defs/d{at}\"}}")).collect();
    let defs: Vec<_> = (0..20_000).map(|at| format!("\"d{at}\":{{\"type\":\"string\"}}")).collect();
    let linked = format!(
        r#"[{{"name":"refs","inputSchema":{{"type":"object","properties":{{"x":{{"anyOf":[{{"type":"object","properties":{{{}}}}}]}}}},"$defs":{{{}}}}}}}]"#,
        refs.join(","),
        defs.join(",")
    );
    let chain: Vec<_> =
        (0..20_000).map(|at| format!("\"d{at}\":{{\"$ref\":\"#/$defs/d{}\"}}", at + 1)).collect();
    let uses: Vec<_> = (0..900).map(|at| format!("\"p{at}\":{{\"$ref\":\"#/$defs/d{at}\"}}")).collect();
    let chained = format!(
        r#"[{{"name":"chain","inputSchema":{{"type":"object","properties":{{{}}},"$defs":{{{}}}}}}}]"#,
        uses.join(","),
        chain.join(",")
    );
    let started = std::time::Instant::now();
    for text in [&schema, &linked, &chained] {
        for (_, language, profile) in BACKENDS {
            let _ = run(text, &options("notes", language, profile));
        }
    }
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    let refused = run(&schema, &options("notes", Language::Gleam, Profile::Loom)).unwrap_err();
    assert!(matches!(refused, GenerateError::SurfaceTooLarge { .. }), "{refused}");
}

/// A small generator of random numbers (xorshift), so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

const WORDS: [&str; 48] = [
    "type",
    "object",
    "string",
    "integer",
    "number",
    "boolean",
    "null",
    "array",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "#/$defs/a",
    "#",
    "#/properties/a",
    "$defs",
    "a",
    "b",
    "additionalProperties",
    "prefixItems",
    "nullable",
    "description",
    "default",
    "patternProperties",
    "name",
    "inputSchema",
    "outputSchema",
    "*/ x",
    "\"\"\" \\",
    "\u{202E}@external(",
    "a\nimport os\n",
    "then",
    "__proto__",
    "class",
    "fn",
    "",
    "名前",
    "a-b",
    "a_b",
    "self",
    "\u{0}",
    "https://x/y",
    "</script>",
];

fn any_value(dice: &mut Dice, depth: usize) -> Value {
    let word = |dice: &mut Dice| WORDS[dice.roll(WORDS.len())].to_owned();
    match dice.roll(if depth == 0 { 5 } else { 10 }) {
        0 => Value::Null,
        1 => Value::Bool(dice.roll(2) == 0),
        2 => Value::Number(["0", "-1", "1.5", "1e400", "9007199254740993", "-0.0"][dice.roll(6)].into()),
        3 | 4 => Value::String(word(dice)),
        5 => Value::Array((0..dice.roll(4)).map(|_| any_value(dice, depth - 1)).collect()),
        _ => Value::Object((0..dice.roll(6)).map(|_| (word(dice), any_value(dice, depth - 1))).collect()),
    }
}

fn any_schema(dice: &mut Dice, depth: usize) -> Value {
    if depth == 0 || dice.roll(12) == 0 {
        return any_value(dice, depth.min(2));
    }
    let text = |text: &str| Value::String(text.into());
    let named = |dice: &mut Dice| {
        let count = dice.roll(4);
        Value::Object(
            (0..count)
                .map(|_| (WORDS[dice.roll(WORDS.len())].to_owned(), any_schema(dice, depth - 1)))
                .collect(),
        )
    };
    let listed =
        |dice: &mut Dice| Value::Array((0..=dice.roll(3)).map(|_| any_schema(dice, depth - 1)).collect());
    let mut members = Vec::new();
    for _ in 0..=dice.roll(3) {
        let member = match dice.roll(14) {
            0..=2 => ("type", text(WORDS[1 + dice.roll(7)])),
            3 | 4 => ("properties", named(dice)),
            5 => ("required", Value::Array((0..dice.roll(3)).map(|_| text(WORDS[dice.roll(48)])).collect())),
            6 => ("items", any_schema(dice, depth - 1)),
            7 => (["anyOf", "oneOf", "allOf", "prefixItems"][dice.roll(4)], listed(dice)),
            8 => ("$ref", text(["#/$defs/a", "#/$defs/b", "#", "#/properties/a", "x"][dice.roll(5)])),
            9 => ("$defs", named(dice)),
            10 => ("enum", Value::Array((0..dice.roll(4)).map(|_| any_value(dice, 0)).collect())),
            11 => ("const", any_value(dice, 1)),
            12 => ("additionalProperties", any_schema(dice, depth - 1)),
            _ => ("description", text(WORDS[dice.roll(48)])),
        };
        members.push((member.0.to_owned(), member.1));
    }
    if depth > 3 {
        members.push(("type".into(), text("object")));
    }
    Value::Object(members)
}

#[test]
fn any_json_value_as_a_listing_is_generated_or_refused() {
    let mut dice = Dice(0x5E1E_D6E5_E1ED_6E51);
    let rounds: usize =
        std::env::var("SELVEDGE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let mut generated = 0;
    for round in 0..rounds {
        let tools = (0..=dice.roll(3)).map(|at| {
            if dice.roll(10) == 0 {
                return any_value(&mut dice, 3);
            }
            let mut members = vec![
                ("name".to_owned(), Value::String(format!("{}{at}", WORDS[dice.roll(48)]))),
                ("inputSchema".to_owned(), any_schema(&mut dice, 4)),
                ("description".to_owned(), any_value(&mut dice, 0)),
            ];
            if dice.roll(2) == 0 {
                members.push(("outputSchema".to_owned(), any_schema(&mut dice, 4)));
            }
            Value::Object(members)
        });
        let text = Value::Array(tools.collect()).to_string();
        for (backend, language, profile) in BACKENDS {
            match run(&text, &options("notes\u{202E}\"", language, profile)) {
                Ok(done) => {
                    check_sanity(&format!("round {round} in {backend}"), &done);
                    generated += 1;
                }
                Err(GenerateError::SanitizerBreach(breach)) => {
                    panic!("round {round} in {backend}: {breach}\n{text}")
                }
                Err(_) => {}
            }
        }
        let whole = any_value(&mut dice, 4);
        assert!(
            Listing::parse(&whole.to_string()).is_err() || matches!(whole.kind(), Kind::Array | Kind::Object)
        );
    }
    assert!(generated > rounds, "{generated} of {rounds}");
}

#[test]
fn real_listings_lose_nothing_silently() {
    let Some(folder) = std::env::var_os("SELVEDGE_LISTINGS") else { return };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let listing = Listing::parse(&text).unwrap();
        for (backend, language, profile) in BACKENDS {
            let mut options = options("real", language, profile);
            options.max_surface_bytes = 1 << 20;
            options.level = Some(Level::TwoLine);
            let generated =
                generate(&listing, &options).unwrap_or_else(|error| panic!("{path:?} {backend}: {error}"));
            assert_eq!(
                signatures(&generated, &text, language, profile).len(),
                listing.len(),
                "{path:?} {backend}"
            );
        }
        count += 1;
    }
    assert!(count > 0);
}
