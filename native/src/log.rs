//! What servers do wrong or write as diagnostics, told to `tracing` without drowning it.

use std::time::Duration;

use selvedge_core::{Tick, Violation};

const QUIET: Duration = Duration::from_secs(1);
/// The longest part of one line that is told.
const MAX_LINE_BYTES: usize = 4 << 10;

/// Tells of a server's violations, at most once a second.
#[derive(Debug)]
pub(crate) struct ViolationLog {
    server: String,
    quiet_until: Tick,
    untold: u64,
}

impl ViolationLog {
    pub(crate) const fn new(server: String) -> Self {
        Self { server, quiet_until: Tick::ZERO, untold: 0 }
    }

    pub(crate) fn take(&mut self, violation: &Violation, now: Tick) {
        if now < self.quiet_until {
            self.untold += 1;
            return;
        }
        tracing::warn!(server = self.server, untold = self.untold, %violation, "protocol violation");
        self.untold = 0;
        self.quiet_until = now.after(QUIET);
    }
}

/// Tells of what a server writes on its diagnostic stream, line by line.
#[derive(Debug)]
pub(crate) struct ErrorLog {
    server: String,
    line: Vec<u8>,
}

impl ErrorLog {
    pub(crate) const fn new(server: String) -> Self {
        Self { server, line: Vec::new() }
    }

    pub(crate) fn take(&mut self, chunk: &[u8]) {
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        for part in chunk.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            if part.ends_with(b"\n") {
                let line = String::from_utf8_lossy(self.line.trim_ascii_end());
                tracing::debug!(server = self.server, "stderr: {}", line.escape_debug());
                self.line.clear();
            }
        }
    }
}
