//! The official test suite of JSON Schema, which `scripts/schema-suite` fetches, without the files that need a
//! network (remote references, vocabularies).

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use selvedge_core::{
    json::View,
    validate::{Outcome, Validator},
};

#[derive(Default)]
struct Tally {
    right: usize,
    /// A wrong value was let through since a part of its schema is not checked, and says so.
    open: usize,
    wrong: Vec<String>,
}

/// Returns where the suite is; fetches it if nobody has.
fn suite() -> PathBuf {
    if let Some(path) = env::var_os("SELVEDGE_JSON_SCHEMA_SUITE") {
        return path.into();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/schema-suite");
    let run = Command::new("bash").arg(script).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    said.lines().last().unwrap().into()
}

#[test]
fn the_official_suite_agrees() {
    let folder = suite();
    for dialect in ["draft7", "draft2019-09", "draft2020-12"] {
        let mut tally = Tally::default();
        let mut files: Vec<_> =
            fs::read_dir(folder.join(dialect)).unwrap().map(|file| file.unwrap().path()).collect();
        files.extend(
            ["bignum", "float-overflow", "non-bmp-regex", "ecmascript-regex"]
                .map(|name| folder.join(dialect).join("optional").join(name).with_extension("json")),
        );
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            if !["refRemote", "vocabulary"].contains(&name) {
                run(&fs::read_to_string(file).unwrap(), name, dialect, &mut tally);
            }
        }
        println!("{dialect}: {} right, {} open, {} wrong", tally.right, tally.open, tally.wrong.len());
        for wrong in &tally.wrong {
            println!("  {wrong}");
        }
        assert_eq!(tally.wrong.len(), 0, "{dialect}");
        assert!(tally.right > 20 * tally.open, "{dialect}");
    }
}

fn run(text: &str, file: &str, dialect: &str, tally: &mut Tally) {
    for group in View::new(text).unwrap().elements() {
        let schema = group.get("schema").unwrap();
        // The suites of the later drafts state their dialect, this one does not always.
        let is_stated = schema.get("$schema").is_some();
        let text = match (dialect, schema.as_str().strip_prefix('{')) {
            ("draft7", Some(rest)) if !is_stated => {
                let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
                format!("{{\"$schema\":\"http://json-schema.org/draft-07/schema#\"{comma}{rest}")
            }
            _ => schema.as_str().into(),
        };
        let validator = Validator::new(View::new(&text).unwrap());
        for test in group.get("tests").unwrap().elements() {
            let is_valid = test.get("valid").unwrap().as_bool().unwrap();
            let outcome = validator.check(test.get("data").unwrap());
            match (&outcome, is_valid) {
                (Outcome::Valid, true) | (Outcome::Invalid(_), false) => tally.right += 1,
                (Outcome::Valid, false) if !validator.skipped().is_empty() => {
                    tally.open += 1;
                    println!("  open {file}: {}", validator.skipped().first().unwrap());
                }
                _ => tally.wrong.push(format!(
                    "{file} / {} / {}: {outcome:?}",
                    group.get("description").unwrap().as_str(),
                    test.get("description").unwrap().as_str()
                )),
            }
        }
    }
}
