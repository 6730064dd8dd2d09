//! Recognises the header fields of `Content-Length` framing.

/// A line that can stand in a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// How long the body is, in bytes.
    Length(usize),
    /// What the body is; there is one kind only.
    Type,
}

impl Field {
    /// Reads a line; `None` when it is no field that this framing knows.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        if !matches!(line.first(), Some(b'C' | b'c')) {
            return None;
        }
        let line = core::str::from_utf8(line).ok()?;
        let (name, value) = line.split_at_checked(memchr::memchr(b':', line.as_bytes())?)?;
        if name.eq_ignore_ascii_case("content-length") {
            return length(value.get(1..)?.trim_ascii()).map(Self::Length);
        }
        name.eq_ignore_ascii_case("content-type").then_some(Self::Type)
    }
}

fn length(digits: &str) -> Option<usize> {
    let mut length: usize = 0;
    for byte in digits.bytes() {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        length = length.checked_mul(10)?.checked_add(usize::from(digit))?;
    }
    (!digits.is_empty()).then_some(length)
}
