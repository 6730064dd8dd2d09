//! What the library tells of its work, on standard error.

use std::{env, io};

use tracing_subscriber::filter::LevelFilter;

const VARIABLE: &str = "SELVEDGE_LOG";

/// Shows what is at least as grave as `SELVEDGE_LOG` says; errors where it says nothing.
pub(super) fn start() -> Result<(), String> {
    let level = match env::var(VARIABLE) {
        Ok(level) if !level.is_empty() => {
            level.parse().map_err(|_| format!("{VARIABLE} must be off, error, warn, info, debug or trace"))?
        }
        _ => LevelFilter::ERROR,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .with_target(false)
        .without_time()
        .with_ansi(false)
        .init();
    Ok(())
}
