//! Finds the id in a line that is not JSON, or that is too long to keep.

/// The longest member name that matters: `"result"`, `"method"`.
const NAME: usize = 8;
/// The longest id that we mint.
const DIGITS: usize = 24;

/// Walks over the bytes of a broken response and remembers which of our ids it shows.
///
/// It takes the bytes in any pieces and keeps a few dozen of them. An id counts only in a line that looks
/// like a response: an object with `result` or `error` and without `method` at its outermost level.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the bytes so far")]
pub(crate) struct Salvage {
    depth: usize,
    in_string: bool,
    escape: Escape,
    /// The bytes cannot be a response of ours.
    hopeless: bool,
    started: bool,
    /// The outermost object has ended; what follows it is not looked at.
    done: bool,
    /// A value is expected, not a name: the outermost object's colon was passed.
    in_value: bool,
    is_id: bool,
    name: Short<NAME>,
    id: Short<DIGITS>,
    has_id: bool,
    answers: bool,
    calls: bool,
}

/// How far an escape of a string was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// The backslash was.
    Begun,
    /// So many digits of a code point were, which stand for this so far.
    Digits(u8, u32),
}

/// What stands for a character that no name or id of ours has.
const OTHER: u8 = 0xFF;

#[derive(Clone, Copy, Debug)]
struct Short<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Default for Short<N> {
    fn default() -> Self {
        Self { bytes: [0; N], len: 0 }
    }
}

impl<const N: usize> Short<N> {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte;
        }
        self.len += 1;
    }

    /// Returns the bytes, nothing when there were more than fit.
    fn get(&self) -> &[u8] {
        if self.len > N { &[] } else { self.bytes.get(..self.len).unwrap_or_default() }
    }
}

impl Salvage {
    pub(crate) fn of(line: &[u8]) -> Option<u64> {
        let mut salvage = Self::default();
        salvage.push(line);
        salvage.id()
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.hopeless || self.done {
                return;
            }
            self.step(*byte);
        }
    }

    /// Returns the id of ours that the bytes so far answer to.
    pub(crate) fn id(&self) -> Option<u64> {
        if self.hopeless || self.calls || !self.answers || !self.has_id {
            return None;
        }
        core::str::from_utf8(self.id.get()).ok()?.parse().ok()
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.step_in_string(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if self.depth == 1 && !self.in_value {
                    self.name = Short::default();
                }
            }
            b'{' | b'[' => {
                self.hopeless |= !self.started && byte == b'[';
                self.started = true;
                self.depth += 1;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.done = self.depth == 0;
            }
            b':' if self.depth == 1 && !self.in_value => self.named(),
            b',' if self.depth == 1 => {
                self.in_value = false;
                self.is_id = false;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                self.hopeless |= !self.started;
                self.id_byte(byte);
            }
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        let byte = match (self.escape, byte) {
            (Escape::None, b'"') => {
                self.in_string = false;
                return;
            }
            (Escape::None, b'\\') => {
                self.escape = Escape::Begun;
                return;
            }
            (Escape::None, byte) => byte,
            (Escape::Begun, b'u') => {
                self.escape = Escape::Digits(0, 0);
                return;
            }
            (Escape::Begun, b'/') => b'/',
            // None of the others stands for what a name or an id of ours holds.
            (Escape::Begun, _) => OTHER,
            (Escape::Digits(count, code), byte) => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0xF);
                let code = code << 4 | digit;
                if count < 3 {
                    self.escape = Escape::Digits(count + 1, code);
                    return;
                }
                u8::try_from(code).ok().filter(u8::is_ascii).unwrap_or(OTHER)
            }
        };
        self.escape = Escape::None;
        if self.depth == 1 {
            if self.in_value {
                self.id_byte(byte);
            } else {
                self.name.push(byte);
            }
        }
    }

    fn id_byte(&mut self, byte: u8) {
        if self.is_id && self.depth == 1 {
            self.id.push(byte);
        }
    }

    fn named(&mut self) {
        self.in_value = true;
        match self.name.get() {
            // Of two ids the first one counts.
            b"id" if self.has_id => {}
            b"id" => {
                self.has_id = true;
                self.is_id = true;
            }
            b"result" | b"error" => self.answers = true,
            b"method" => self.calls = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_in_what_is_left_of_a_response() {
        for line in [
            &br#"{"jsonrpc":"2.0","id":7,"result":{"content":[]"#[..],
            br#"{"result":{"x":NaN,"id":9},"jsonrpc":"2.0","id":7}"#,
            b"{\"jsonrpc\":\"2.0\",\"id\": 7 ,\"result\":\"a\xFFb\"}",
            br#"{"id":"7","error":{,}"#,
            br#"{"jsonrpc":"2.0","id":7,"result":{"text":"\"method\":"#,
            b"{\"id\":7,\"result\":{}}\x1b[0m{\"id\":8}",
            br#"{"\u0069\u0064":7,"r\u0065sult":NaN}"#,
            br#"{"id":7,"id":8,"result":NaN}"#,
            br#"{"id":"\u0037","result":NaN}"#,
        ] {
            assert_eq!(Salvage::of(line), Some(7), "{}", line.escape_ascii());
            for cut in 0..line.len() {
                let mut salvage = Salvage::default();
                let (head, tail) = line.split_at(cut);
                salvage.push(head);
                salvage.push(tail);
                assert_eq!(salvage.id(), Some(7), "cut at {cut}");
            }
        }
    }

    #[test]
    fn nothing_is_read_into_a_line_that_is_no_response() {
        for line in [
            &br#"{"jsonrpc":"2.0","id":7,"method":"ping","result":NaN}"#[..],
            br#"{"jsonrpc":"2.0","id":7,"#,
            br#"listening: {"id":7,"result":{}}"#,
            b"\x1b[32m{\"id\":7,\"result\":{}}",
            br#"[{"id":7,"result":NaN}]"#,
            br#"{"result":{"id":7"#,
            br#"{"\u0049d":7,"result":NaN}"#,
            br#"{"id\n":7,"result":NaN}"#,
            br#"{"id":7,"\u006dethod":"ping","result":NaN}"#,
            br#"{"id":123456789012345678901234567890,"result":NaN}"#,
            br#"{"ID":7,"result":NaN}"#,
            b"",
        ] {
            assert_eq!(Salvage::of(line), None, "{}", line.escape_ascii());
        }
    }
}
