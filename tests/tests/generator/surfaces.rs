//! Goldens of every backend, and how much of each tool a surface shows.

use std::{collections::BTreeMap, fs};

use selvedge_core::{
    codegen::{GenerateError, Level, Listing, Profile, detail},
    schema::Loss,
};
use selvedge_tests::generator::BACKENDS;

use super::{golden_folder, golden_listing, options, run};

#[test]
fn the_goldens_of_every_backend_hold() {
    let text = golden_listing();
    for (backend, language, profile) in BACKENDS {
        let generated = run(&text, &options("notes", language, profile)).unwrap();
        let line = |loss: &Loss| format!("{} {}: {}\n", loss.tool, loss.path, loss.reason);
        let losses = generated.losses.iter().map(line).collect::<Vec<_>>().concat();
        let extension = generated.path.rsplit('.').next().unwrap();
        let mut files = BTreeMap::from([
            (format!("{backend}/notes.{extension}"), generated.source),
            (format!("{backend}/losses.txt"), losses),
        ]);
        for level in Level::ALL {
            let mut options = options("notes", language, profile);
            options.level = Some(level);
            let surface = run(&text, &options).unwrap().surface;
            files.insert(format!("{backend}/surface-{}.txt", surface.level.name()), surface.text);
        }
        for (name, content) in files {
            let path = golden_folder().join(name);
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, &content).unwrap();
            }
            let golden = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(content, golden, "{}", path.display());
        }
    }
}

#[test]
fn the_richest_surface_that_fits_is_shown_and_the_poorest_that_does_not_is_refused() {
    let text = golden_listing();
    for (backend, language, profile) in BACKENDS {
        if profile == Profile::Loom {
            continue;
        }
        let mut options = options("notes", language, profile);
        let mut sizes = Vec::new();
        for level in Level::ALL {
            options.level = Some(level);
            sizes.push(run(&text, &options).unwrap().surface.text.len());
        }
        assert!(sizes.is_sorted_by(|a, b| a > b), "{backend}: {sizes:?}");
        options.level = None;
        for (size, level) in sizes.iter().zip(Level::ALL) {
            options.max_surface_bytes = *size;
            assert_eq!(run(&text, &options).unwrap().surface.level, level, "{backend}");
        }
        options.max_surface_bytes = sizes[3] - 1;
        let refused = run(&text, &options).unwrap_err();
        assert!(matches!(refused, GenerateError::SurfaceTooLarge { .. }), "{backend}: {refused}");
    }
}

#[test]
fn a_tool_is_shown_in_full_on_demand() {
    let text = golden_listing();
    let listing = Listing::parse(&text).unwrap();
    for (backend, language, profile) in BACKENDS {
        let options = options("notes", language, profile);
        let shown = detail(&listing, &options, "add-note").unwrap().unwrap();
        assert!(shown.contains("add_note_b7325f4a("), "{backend}: {shown}");
        assert_eq!(detail(&listing, &options, "nowhere").unwrap(), None);
    }
}
