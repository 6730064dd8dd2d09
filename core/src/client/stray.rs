//! Output that is no message: counted, sampled, bounded.

use alloc::{collections::VecDeque, string::String, vec::Vec};

use crate::{Limits, Violation, json::SyntaxError};

/// The longest part of one line that is kept.
const MAX_SAMPLE_BYTES: usize = 1_024;

/// What a server wrote that is no message.
#[derive(Debug, Default)]
pub struct Stray {
    lines: usize,
    bytes: usize,
    kept: VecDeque<String>,
    kept_bytes: usize,
}

impl Stray {
    /// Returns how many lines were no messages.
    #[must_use]
    pub const fn lines(&self) -> usize {
        self.lines
    }

    /// Returns how many bytes they had.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the newest of them, oldest first, each cut to 1,024 bytes and safe to show: control
    /// characters and bytes that are not ASCII are escaped.
    pub fn samples(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(String::as_str)
    }

    /// Counts a line and keeps a sample of it.
    pub(super) fn line(&mut self, line: &[u8], limits: &Limits) {
        self.lines += 1;
        self.bytes += line.len();
        let part = line.get(..MAX_SAMPLE_BYTES).unwrap_or(line);
        let sample = escape(part);
        self.kept_bytes += sample.len();
        self.kept.push_back(sample);
        while self.kept_bytes > limits.max_stray_kept_bytes {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.kept_bytes -= oldest.len();
        }
    }

    /// Counts a line that is too long to be kept.
    pub(super) const fn long_line(&mut self, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes;
    }

    /// Counts more bytes of such a line.
    pub(super) const fn dropped(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Returns the limit that is broken, if one is.
    pub(super) fn excess(&self, limits: &Limits) -> Option<Violation> {
        if self.lines > limits.max_stray_lines {
            return Some(Violation::TooManyStrayLines { limit: limits.max_stray_lines });
        }
        (self.bytes > limits.max_stray_bytes)
            .then_some(Violation::TooManyStrayBytes { limit: limits.max_stray_bytes })
    }
}

fn escape(part: &[u8]) -> String {
    let mut escaped = String::with_capacity(part.len());
    for byte in part {
        if matches!(byte, b' '..=b'~') {
            escaped.push(char::from(*byte));
        } else {
            escaped.extend(byte.escape_ascii().map(char::from));
        }
    }
    escaped
}

/// Says what a line is that is not JSON.
pub(super) fn name(line: &[u8], error: SyntaxError) -> Violation {
    let line = line.trim_ascii();
    match line {
        b"{" | b"[" => Violation::MultiLineJson,
        _ if is_utf16(line) => Violation::Utf16,
        [b'{' | b'[', ..] => Violation::NotJson(error),
        _ => Violation::Text { bytes: line.len() },
    }
}

/// Says what a line is that is not UTF-8.
pub(super) fn name_bytes(line: &[u8], valid_up_to: usize) -> Violation {
    if is_utf16(line) { Violation::Utf16 } else { Violation::NotUtf8 { valid_up_to } }
}

fn is_utf16(line: &[u8]) -> bool {
    line.starts_with(b"\xFF\xFE")
        || line.starts_with(b"\xFE\xFF")
        || line.iter().take(4).any(|byte| *byte == 0)
}

/// The newest bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
}

impl Tail {
    pub(super) fn push(&mut self, chunk: &[u8], max_bytes: usize) {
        let chunk = chunk.get(chunk.len().saturating_sub(max_bytes)..).unwrap_or(chunk);
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(max_bytes);
        self.bytes.drain(..excess);
        self.bytes.extend(chunk);
    }

    pub(super) fn to_text(&self) -> String {
        let (head, tail) = self.bytes.as_slices();
        let mut bytes: Vec<u8> = Vec::with_capacity(self.bytes.len());
        bytes.extend_from_slice(head);
        bytes.extend_from_slice(tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
