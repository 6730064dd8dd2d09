//! What the library tells of its work, on standard error.

use std::{
    env,
    io::{self, Write},
};

use tracing_subscriber::filter::LevelFilter;

use super::text;

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
        .with_writer(|| Escaped)
        .with_target(false)
        .without_time()
        .with_ansi(false)
        .init();
    Ok(())
}

/// Standard error, which what servers say in the log must not drive.
struct Escaped;

impl Write for Escaped {
    /// Takes a whole event: that is how they come.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        io::stderr().write_all(text::safe(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
