//! Hands the scenarios to the test runner of WebAssembly, which has an attribute of its own.

use std::{env, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    let source = Path::new("../../tests/tests/scenarios");
    let target = env::var("OUT_DIR").map_err(io::Error::other)?;
    let target = Path::new(&target);
    println!("cargo:rerun-if-changed={}", source.display());
    copy(source, &target.join("scenarios"))?;
    let mut modules = String::new();
    for line in fs::read_to_string(source.join("main.rs"))?.lines() {
        let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) else { continue };
        let file = target.join("scenarios").join(name);
        let path = if file.is_dir() { file.join("mod.rs") } else { file.with_extension("rs") };
        writeln!(modules, "#[path = {:?}]\npub mod {name};", path.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    fs::write(target.join("scenarios.rs"), modules)
}

/// Copies a folder of scenarios, with the other attribute.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let to = target.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        fs::write(to, text.replace("#[test]", "#[wasm_bindgen_test::wasm_bindgen_test]"))?;
    }
    Ok(())
}
