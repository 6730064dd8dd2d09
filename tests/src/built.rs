//! Programs that tests run, built by the cargo that built the test.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::world::fail;

/// Builds what these words of `cargo build` name, in the profile of the test that calls; returns the profile's
/// folder.
#[must_use]
pub fn build(what: &[&str]) -> PathBuf {
    let test = env::current_exe().unwrap_or_else(|error| fail(&format!("the test cannot be found: {error}")));
    let Some(profile) = test.ancestors().nth(2) else { fail("the test lies in no folder of a profile") };
    let is_release = profile.ends_with("release");
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet"]).args(what).arg("--target-dir");
    build.arg(profile.parent().unwrap_or(Path::new("."))).args(is_release.then_some("--release"));
    build.current_dir(env!("CARGO_MANIFEST_DIR"));
    if !build.status().is_ok_and(|status| status.success()) {
        fail(&format!("{what:?} cannot be built"));
    }
    profile.to_owned()
}
