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
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            let digits = value.trim();
            return digits
                .bytes()
                .all(|byte| byte.is_ascii_digit())
                .then(|| digits.parse().ok())?
                .map(Self::Length);
        }
        name.eq_ignore_ascii_case("content-type").then_some(Self::Type)
    }
}
