//! How long a generation takes, in units of parsing the same text once with `serde_json`.
//!
//! Reads the listings of the folder that `SELVEDGE_LISTINGS` names, or a listing of its own making. Where
//! `SELVEDGE_RIVALS` names what `scripts/rivals` installs, other generators run on the same texts: their times and
//! the sizes of what they write are told as multiples of ours for TypeScript.

#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark may panic, and rounds what it shows"
)]

use std::{
    fmt::Write as _,
    fs,
    hint::black_box,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
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
    compare(&listings);
}

/// Runs the other generators on the same listings.
fn compare(listings: &[(String, String)]) {
    let Some(rivals) = std::env::var_os("SELVEDGE_RIVALS") else {
        println!("\nno comparison: SELVEDGE_RIVALS is not set; `scripts/rivals` installs what it names");
        return;
    };
    println!("\nothers, as multiples of our TypeScript (source and two-line surface), -: failed");
    println!(
        "{:26} {:>8} {:>9} {:>14} {:>14} {:>14} {:>14}",
        "listing", "ours µs", "bytes", "schema-to-ts t", "bytes", "mcporter t", "bytes"
    );
    for (name, text) in listings {
        let options = Options {
            server: "bench".into(),
            level: Some(Level::TwoLine),
            max_surface_bytes: 1 << 20,
            ..Options::default()
        };
        let make = || generate(&Listing::parse(text).unwrap(), &options).unwrap();
        let ours = [best(|| drop(black_box(make()))).as_secs_f64() * 1e6, make().source.len() as f64];
        let mut line = format!("{name:26} {:>8.0} {:>9}", ours[0], ours[1]);
        for (theirs, ours) in rival(Path::new(&rivals), text).iter().zip(ours.iter().cycle()) {
            let shown = if *theirs < 0.0 { "-".to_owned() } else { format!("{:.1}", theirs / ours) };
            let _ = write!(line, " {shown:>14}");
        }
        println!("{line}");
    }
}

/// Returns microseconds and bytes of each of the other generators.
fn rival(rivals: &Path, text: &str) -> Vec<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("rivals/rivals.mjs");
    let mut command = Command::new("node");
    command.arg(script).arg(rivals).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the other generators did not run: {}", output.status);
    let numbers = String::from_utf8(output.stdout).unwrap();
    numbers.split_whitespace().map(|number| number.parse().unwrap()).collect()
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
