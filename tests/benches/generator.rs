//! How long a generation takes, in units of parsing the same text once with `serde_json`.
//!
//! Reads the listings of the folder that `SELVEDGE_LISTINGS` names, or a listing of its own making.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::{
    fmt::Write as _,
    fs,
    hint::black_box,
    time::{Duration, Instant},
};

use selvedge_core::{
    codegen::{Level, Listing, Options, Profile, generate},
    name::Language,
};

fn main() {
    let mut listings = vec![("own, 100 tools".to_owned(), own(100))];
    for entry in
        std::env::var_os("SELVEDGE_LISTINGS").into_iter().flat_map(|folder| fs::read_dir(folder).unwrap())
    {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            listings.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    println!(
        "{:26} {:>8} {:>9} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "listing", "bytes", "parse µs", "loom", "gleam", "ts", "python", "rust"
    );
    for (name, text) in &listings {
        let parse = best(|| drop(black_box(serde_json::from_str::<serde_json::Value>(text).unwrap())));
        let mut line = format!("{name:26} {:>8} {:>9}", text.len(), parse.as_micros());
        for (language, profile) in [
            (Language::Gleam, Profile::Loom),
            (Language::Gleam, Profile::Typed),
            (Language::TypeScript, Profile::Typed),
            (Language::Python, Profile::Typed),
            (Language::Rust, Profile::Typed),
        ] {
            let options = Options {
                server: "bench".into(),
                language,
                profile,
                level: Some(Level::TwoLine),
                max_surface_bytes: 1 << 20,
                ..Options::default()
            };
            let spent = best(|| drop(black_box(generate(&Listing::parse(text).unwrap(), &options).unwrap())));
            let _ = write!(line, " {:>6.1}", spent.as_secs_f64() / parse.as_secs_f64());
        }
        println!("{line}");
    }
}

/// Returns the shortest of some runs: the one that nothing else disturbed.
fn best(mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..25).map(|_| time(&mut run)).min().unwrap_or_default()
}

/// Returns a listing with the habits of real ones: mostly scalars, some enumerations, some nesting.
fn own(tools: usize) -> String {
    let mut out = String::from("{\"tools\":[");
    for at in 0..tools {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(
            out,
            r#"{comma}{{"name":"resource_{at}_update","description":"Update resource {at} of the workspace. Members that are left out keep their values, and the answer holds the resource as it is afterwards.","inputSchema":{{"type":"object","properties":{{"owner":{{"type":"string","description":"The account that owns the resource"}},"repo":{{"type":"string","description":"The name of the resource, without its owner"}},"issue_number":{{"type":"number","description":"The number by which it is known"}},"state":{{"type":"string","enum":["open","closed","all"],"description":"The state that it goes to"}},"labels":{{"type":"array","items":{{"type":"string"}},"description":"Labels, which replace the ones that are set"}},"assignee":{{"anyOf":[{{"type":"string"}},{{"type":"null"}}],"default":null,"description":"Who works on it; null for nobody"}},"page":{{"type":"integer","minimum":1,"default":1,"description":"Which page"}},"perPage":{{"type":"number","minimum":1,"maximum":100}},"body":{{"type":"object","properties":{{"text":{{"type":"string"}},"format":{{"type":"string","enum":["plain","rich"]}}}},"required":["text"]}}}},"required":["owner","repo","issue_number"],"additionalProperties":false}},"annotations":{{"title":"Update","readOnlyHint":false}}}}"#
        );
    }
    out.push_str("]}");
    out
}
