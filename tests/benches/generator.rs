//! How long a generation takes, in units of parsing the same text once with `serde_json`.
//!
//! Reads the listings of the folder that `SELVEDGE_LISTINGS` names, or a listing of its own making. Where
//! `SELVEDGE_RIVALS` names what `scripts/rivals` installs, other generators run on the same texts: their times and
//! the sizes of what they write are told as multiples of ours for TypeScript.
//!
//! `-- --listing FILE` prints the milliseconds that each backend takes for one listing, and nothing else.

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
    codegen::{GenerateError, Generated, Level, Listing, Profile, generate},
    name::Language,
};
use selvedge_tests::generator::{BACKENDS, habitual_listing, options};

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--listing").skip(1);
    if let Some(file) = arguments.next() {
        let text = fs::read_to_string(file).unwrap();
        let spent = BACKENDS.map(|(_, language, profile)| generation(&text, language, profile));
        println!("{}", spent.map(|spent| (spent.as_secs_f64() * 1_000.0).to_string()).join(" "));
        return;
    }
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
    let heads = BACKENDS.map(|(backend, ..)| format!(" {backend:>10}")).concat();
    println!("{:26} {:>8} {:>9}{heads}", "listing", "bytes", "parse µs");
    for (name, text) in &listings {
        let parse = best(|| drop(black_box(serde_json::from_str::<serde_json::Value>(text).unwrap())));
        let is_made = |(_, language, profile)| run(text, language, profile).is_ok();
        assert!(BACKENDS.into_iter().all(is_made), "{name}");
        let spent = BACKENDS.map(|(_, language, profile)| generation(text, language, profile));
        println!("{name:26} {:>8} {:>9}{}", text.len(), parse.as_micros(), ratios(spent, [parse; 5]));
    }
    println!("\nhostile listings of that size, in units of the own one");
    let own = habitual_listing(100);
    let realistic = BACKENDS.map(|(_, language, profile)| generation(&own, language, profile));
    for (name, text) in hostile(own.len()) {
        let spent = BACKENDS.map(|(_, language, profile)| generation(&text, language, profile));
        println!("{name:26} {:>8} {:>9}{}", text.len(), "", ratios(spent, realistic));
    }
    compare(&listings);
}

fn ratios(spent: [Duration; 5], unit: [Duration; 5]) -> String {
    let ratio = |(spent, unit): (Duration, Duration)| spent.as_secs_f64() / unit.as_secs_f64();
    spent.into_iter().zip(unit).fold(String::new(), |mut line, pair| {
        let _ = write!(line, " {:>10.1}", ratio(pair));
        line
    })
}

/// Times a parse and a generation, whether there is a module in the end or a refusal.
fn generation(text: &str, language: Language, profile: Profile) -> Duration {
    best(|| drop(black_box(run(text, language, profile))))
}

fn run(text: &str, language: Language, profile: Profile) -> Result<Generated, GenerateError> {
    let mut options = options("bench", language, profile);
    options.level = Some(Level::TwoLine);
    options.max_surface_bytes = 1 << 20;
    generate(&Listing::parse(text).unwrap(), &options)
}

/// Returns listings of some size that ask for as much work as they can.
fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let repeated = |unit: &dyn Fn(usize) -> String| {
        let mut text = String::from("[");
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            text.push_str(if at > 0 { "," } else { "" });
            text.push_str(&unit(at));
        }
        text + "]"
    };
    let odd = |at: usize| {
        format!(r#"{{"name":"T-{at}","inputSchema":{{"type":"object","properties":{{"A-b":{{}}}}}}}}"#)
    };
    let wide = |at: usize| {
        let members: Vec<_> = (0..900).map(|member| format!("\"P-{member}\":{{}}")).collect();
        format!(
            r#"{{"name":"t{at}","inputSchema":{{"type":"object","properties":{{{}}}}}}}"#,
            members.join(",")
        )
    };
    let union = |at: usize| {
        let parts: Vec<_> =
            (0..250).map(|part| format!(r#"{{"type":"array","items":{{"const":"v{part}"}}}}"#)).collect();
        format!(
            r#"{{"name":"t{at}","inputSchema":{{"type":"object","properties":{{"x":{{"anyOf":[{}]}}}}}}}}"#,
            parts.join(",")
        )
    };
    let chain: Vec<_> = (0..size / 50)
        .map(|at| format!(r##""d{at}":{{"type":"array","items":{{"$ref":"#/$defs/d{}"}}}}"##, at + 1))
        .collect();
    let chained = format!(
        r##"[{{"name":"t","inputSchema":{{"type":"object","properties":{{"x":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}}}]"##,
        chain.join(",")
    );
    vec![
        ("no tools", repeated(&|_| "0".into())),
        ("empty tools", repeated(&|at| format!(r#"{{"name":"t{at}","inputSchema":{{"type":"object"}}}}"#))),
        ("names to change", repeated(&odd)),
        ("900 members to change", repeated(&wide)),
        ("250 alternatives", repeated(&union)),
        ("references", chained),
    ]
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
        let spent = generation(text, Language::TypeScript, Profile::Typed);
        let made = run(text, Language::TypeScript, Profile::Typed).unwrap();
        let ours = [spent.as_secs_f64() * 1e6, made.source.len() as f64];
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
