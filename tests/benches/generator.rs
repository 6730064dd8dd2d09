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
use selvedge_tests::generator::habitual_listing;

fn main() {
    let mut listings = vec![("own, 100 tools".to_owned(), habitual_listing(100))];
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
