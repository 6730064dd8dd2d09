//! Hands the scenarios to the test runner of WebAssembly, which has an attribute of its own.

use std::{env, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    let source = Path::new("../../tests/tests/scenarios");
    let target = env::var("OUT_DIR").map_err(io::Error::other)?;
    println!("cargo:rerun-if-changed={}", source.display());
    let mut modules = String::new();
    for line in fs::read_to_string(source.join("main.rs"))?.lines() {
        let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) else { continue };
        let text = fs::read_to_string(source.join(name).with_extension("rs"))?;
        let text = text.replace("#[test]", "#[wasm_bindgen_test::wasm_bindgen_test]");
        let path = Path::new(&target).join(name).with_extension("rs");
        fs::write(&path, text)?;
        writeln!(modules, "#[path = {path:?}]\npub mod {name};").map_err(io::Error::other)?;
    }
    fs::write(Path::new(&target).join("scenarios.rs"), modules)
}
