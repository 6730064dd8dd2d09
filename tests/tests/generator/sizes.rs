//! Listings that are large, and listings at random.

use std::fs;

use selvedge_core::{
    codegen::{GenerateError, Level, Listing, Options, Profile, generate},
    name::Language,
};
use selvedge_tests::{
    fuzz,
    generator::{BACKENDS, noise},
};

use super::{effort::assert_linear, options, run, signatures};

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

/// Makes a listing of a size.
type Listed = fn(usize) -> String;

#[test]
fn hostile_sizes_end_in_linear_time() {
    let listings: [(&str, Listed); 3] =
        [("wide", |count| wide(count, true)), ("linked", linked), ("chained", chained)];
    for (name, listing) in listings {
        for (backend, language, profile) in BACKENDS {
            let options = options("notes", language, profile);
            assert_linear(&format!("{name} in {backend}"), [5_000, 20_000], |count| {
                let (text, options) = (listing(count), options.clone());
                move || drop(run(&text, &options))
            });
        }
    }
    let refused = run(&wide(20_000, true), &options("notes", Language::Gleam, Profile::Loom)).unwrap_err();
    assert!(matches!(refused, GenerateError::SurfaceTooLarge { .. }), "{refused}");
}

/// G57.
#[test]
fn a_hundred_thousand_parameters_end_in_linear_time_in_a_refusal_or_a_loss() {
    for has_properties in [true, false] {
        for (backend, language, profile) in BACKENDS {
            let options = options("notes", language, profile);
            assert_linear(backend, [25_000, 100_000], |count| {
                let (text, options) = (wide(count, has_properties), options.clone());
                move || match run(&text, &options) {
                    Err(GenerateError::SurfaceTooLarge { .. } | GenerateError::SourceTooLarge { .. }) => {}
                    Ok(generated) if profile == Profile::Typed => {
                        assert_ne!(generated.losses, [], "{backend}");
                    }
                    other => panic!("{backend}: {other:?}"),
                }
            });
        }
        let loom = options("notes", Language::Gleam, Profile::Loom);
        let refused = run(&wide(100_000, has_properties), &loom).unwrap_err();
        assert!(matches!(refused, GenerateError::SurfaceTooLarge { .. }), "{refused}");
    }
}

#[test]
fn one_excessive_tool_costs_the_others_nothing() {
    let huge = "x".repeat(5 << 20);
    let nested = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let excesses = [
        format!(r#"{{"name":"{huge}","inputSchema":{{}}}}"#),
        format!(r#"{{"name":"bad","description":"{huge}","inputSchema":{{}}}}"#),
        format!(r#"{{"name":"bad","inputSchema":{{"type":"object","properties":{{"{huge}":{{}}}}}}}}"#),
        format!(r#"{{"name":"bad","inputSchema":{{"type":"object","required":["{huge}"]}}}}"#),
        format!(
            r#"{{"name":"bad","inputSchema":{{"type":"object","properties":{{"a":{{"enum":["{huge}"]}}}}}}}}"#
        ),
        format!(
            r##"{{"name":"bad","inputSchema":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/{huge}"}}}},"$defs":{{"{huge}":{{"type":"object","properties":{{"b":{{}}}}}}}}}}}}"##
        ),
        format!(
            r#"{{"name":"bad","inputSchema":{{"type":"object","properties":{{"a":{{"default":"{huge}"}}}}}}}}"#
        ),
        format!(r#"{{"name":"bad","inputSchema":{{"type":"object","properties":{{"a":{nested}}}}}}}"#),
        format!(r#"{{"name":"bad","inputSchema":{{}},"_meta":{nested}}}"#),
    ];
    let good = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    for excess in excesses {
        let text = format!("[{},{excess},{}]", good("first"), good("last"));
        let shown = &excess[..80];
        for (backend, language, profile) in BACKENDS {
            if profile != Profile::Typed {
                continue;
            }
            let generated = run(&text, &options("notes", language, profile));
            let generated = generated.unwrap_or_else(|error| panic!("{backend}: {shown}: {error}"));
            let tools: Vec<_> = generated.functions.iter().map(|function| function.tool.as_str()).collect();
            assert!(tools.contains(&"first") && tools.contains(&"last"), "{backend}: {shown}: {tools:?}");
            // A long default is cut where it is shown, and the name of a definition is not needed.
            let is_whole = shown.contains("default") || shown.contains("$ref");
            assert!(is_whole || !generated.losses.is_empty(), "{backend}: {shown}");
        }
    }
}

/// One tool of so many parameters, all of them required and declared, or only required.
fn wide(count: usize, has_properties: bool) -> String {
    let names: Vec<_> = (0..count).map(|at| format!("\"p{at}\"")).collect();
    let properties: Vec<_> = names.iter().map(|name| format!("{name}:{{\"type\":\"string\"}}")).collect();
    let properties = if has_properties { properties.join(",") } else { String::new() };
    let required = names.join(",");
    format!(
        r#"[{{"name":"big","inputSchema":{{"type":"object","properties":{{{properties}}},"required":[{required}]}}}}]"#
    )
}

/// One tool whose parameter has so many members, each of a definition of its own.
fn linked(count: usize) -> String {
    let refs: Vec<_> = (0..count).map(|at| format!("\"p{at}\":{{\"$ref\":\"#/$defs/d{at}\"}}")).collect();
    let defs: Vec<_> = (0..count).map(|at| format!("\"d{at}\":{{\"type\":\"string\"}}")).collect();
    format!(
        r#"[{{"name":"refs","inputSchema":{{"type":"object","properties":{{"x":{{"anyOf":[{{"type":"object","properties":{{{}}}}}]}}}},"$defs":{{{}}}}}}}]"#,
        refs.join(","),
        defs.join(",")
    )
}

/// One tool of many parameters, which enter a chain of so many definitions at different places.
fn chained(count: usize) -> String {
    let chain: Vec<_> =
        (0..count).map(|at| format!("\"d{at}\":{{\"$ref\":\"#/$defs/d{}\"}}", at + 1)).collect();
    let uses: Vec<_> =
        (0..count / 22).map(|at| format!("\"p{at}\":{{\"$ref\":\"#/$defs/d{at}\"}}")).collect();
    format!(
        r#"[{{"name":"chain","inputSchema":{{"type":"object","properties":{{{}}},"$defs":{{{}}}}}}}]"#,
        uses.join(","),
        chain.join(",")
    )
}

/// G58, at every level that can be asked for; profile `loom` has one.
#[test]
fn a_surface_of_65536_bytes_is_shown_and_one_of_65537_is_refused() {
    for (backend, language, profile) in BACKENDS {
        for level in Level::ALL {
            let mut fits = options("notes", language, profile);
            fits.level = Some(level);
            fits.max_tools = Some(usize::MAX);
            let mut open = fits.clone();
            open.max_surface_bytes = usize::MAX;
            for bytes in [65_536, 65_537] {
                let text = listing_with_surface(&open, bytes);
                let shown = run(&text, &fits).map(|generated| generated.surface.text.len());
                let expected = match bytes {
                    65_536 => Ok(65_536),
                    _ => Err(GenerateError::SurfaceTooLarge { bytes: 65_537, max: 65_536 }),
                };
                assert_eq!(shown, expected, "{backend} {level:?}");
            }
        }
    }
}

/// Without a level, what is one byte too large is shown at a poorer one.
#[test]
fn one_byte_too_much_costs_a_level() {
    for (backend, language, profile) in
        BACKENDS.into_iter().filter(|(.., profile)| *profile == Profile::Typed)
    {
        let mut open = options("notes", language, profile);
        open.level = Some(Level::Full);
        open.max_tools = Some(usize::MAX);
        open.max_surface_bytes = usize::MAX;
        let mut any = open.clone();
        any.level = None;
        any.max_surface_bytes = 65_536;
        for bytes in [65_536, 65_537] {
            let surface = run(&listing_with_surface(&open, bytes), &any).unwrap().surface;
            assert_eq!(surface.level == Level::Full, bytes == 65_536, "{backend} {bytes}");
            assert!(surface.text.len() <= 65_536, "{backend} {bytes}");
        }
    }
}

/// Returns a listing whose surface has exactly so many bytes: of a word that stands on one line, a letter more
/// is a byte more at every level.
fn listing_with_surface(options: &Options, bytes: usize) -> String {
    const SHORT: usize = 20;
    const LONG: usize = 60;
    let listing = |tools: usize, extra: usize| {
        let mut left = extra;
        let tools: Vec<_> = (0..tools)
            .map(|at| {
                let more = left.min(LONG - SHORT);
                left -= more;
                let text = "x".repeat(SHORT + more);
                format!(r#"{{"name":"t{at:04}","description":"{text}","inputSchema":{{"type":"object"}}}}"#)
            })
            .collect();
        format!("[{}]", tools.join(","))
    };
    let size = |text: &str| run(text, options).unwrap().surface.text.len();
    let few = size(&listing(100, 0));
    // One tool fewer than there is room for: the count itself is shown, and may take a digit more.
    let tools = 99 + (bytes - few) / (size(&listing(101, 0)) - few);
    let text = listing(tools, bytes - size(&listing(tools, 0)));
    assert_eq!(size(&text), bytes);
    text
}

/// G68.
#[test]
fn any_json_value_as_a_listing_is_generated_or_refused() {
    let rounds: usize =
        std::env::var("SELVEDGE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let mut seed = 0x5E1E_D6E5_E1ED_6E51;
    for _ in 0..rounds {
        fuzz::generator(&noise(&mut seed, 512));
    }
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
