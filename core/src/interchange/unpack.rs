//! MessagePack to JSON.

use alloc::{format, string::String, vec::Vec};

use super::{Fault, Reason};
use crate::{
    json::{MAX_DEPTH, RawJson, push_pointer, push_string},
    map::BTreeSet,
};

/// Writes one MessagePack value as JSON, in its shortest form.
///
/// Lengths that the bytes claim reserve nothing: memory follows the bytes that are there.
///
/// # Errors
///
/// Names the first value that JSON cannot hold as it is, and bytes that are missing or left over.
pub fn to_json(bytes: &[u8]) -> Result<RawJson, Fault> {
    let mut reader = Reader { bytes, at: 0, out: String::with_capacity(bytes.len()), open: Vec::new() };
    match reader.run() {
        Ok(()) => Ok(RawJson::copied(&reader.out)),
        Err(reason) => Err(Fault { pointer: reader.pointer(), reason }),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    out: String,
    open: Vec<Open<'a>>,
}

/// A container whose end was not reached.
struct Open<'a> {
    left: u32,
    /// How many elements were begun.
    begun: u32,
    /// The names of a map's members; none for an array.
    names: Option<Names<'a>>,
}

#[derive(Default)]
struct Names<'a> {
    current: &'a str,
    seen: BTreeSet<&'a str>,
}

/// What one read leaves behind.
enum Read {
    Whole,
    Opened(u32, bool),
}

impl<'a> Reader<'a> {
    fn run(&mut self) -> Result<(), Reason> {
        loop {
            match self.value()? {
                Read::Opened(len, is_map) if self.open.len() < MAX_DEPTH => {
                    let names = is_map.then(Names::default);
                    self.out.push(if is_map { '{' } else { '[' });
                    self.open.push(Open { left: len, begun: 0, names });
                }
                Read::Opened(..) => return Err(Reason::TooDeep),
                Read::Whole => {}
            }
            self.close();
            if self.open.is_empty() {
                break;
            }
            self.begin()?;
        }
        if self.at < self.bytes.len() { Err(Reason::Trailing { at: self.at }) } else { Ok(()) }
    }

    /// Ends the containers that hold all they announced.
    fn close(&mut self) {
        while let Some(Open { left: 0, names, .. }) = self.open.last() {
            self.out.push(if names.is_some() { '}' } else { ']' });
            self.open.pop();
        }
    }

    /// Begins the next element or member of the innermost container.
    fn begin(&mut self) -> Result<(), Reason> {
        let is_map = self.open.last().is_some_and(|open| open.names.is_some());
        let name = if is_map { Some(self.name()?) } else { None };
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        if open.begun > 0 {
            self.out.push(',');
        }
        open.begun += 1;
        open.left -= 1;
        if let (Some(name), Some(names)) = (name, &mut open.names) {
            names.current = name;
            if !names.seen.insert(name) {
                return Err(Reason::DuplicateName(name.into()));
            }
            push_string(&mut self.out, name);
            self.out.push(':');
        }
        Ok(())
    }

    fn name(&mut self) -> Result<&'a str, Reason> {
        let form = self.byte()?;
        let len = match form {
            0xa0..=0xbf => usize::from(form & 0x1f),
            0xd9 => usize::from(self.byte()?),
            0xda => usize::from(u16::from_be_bytes(self.array()?)),
            0xdb => self.length()?,
            other => return Err(Reason::KeyNotString(kind(other))),
        };
        self.text(len)
    }

    fn value(&mut self) -> Result<Read, Reason> {
        let form = self.byte()?;
        match form {
            0x00..=0x7f => self.push(format_args!("{form}")),
            0x80..=0x8f => return Ok(Read::Opened(u32::from(form & 0x0f), true)),
            0x90..=0x9f => return Ok(Read::Opened(u32::from(form & 0x0f), false)),
            0xa0..=0xbf => self.string(usize::from(form & 0x1f))?,
            0xc0 => self.out.push_str("null"),
            0xc2 => self.out.push_str("false"),
            0xc3 => self.out.push_str("true"),
            0xca => {
                let float = f32::from_be_bytes(self.array()?);
                self.float(f64::from(float))?;
            }
            0xcb => {
                let float = f64::from_be_bytes(self.array()?);
                self.float(float)?;
            }
            0xcc..=0xd3 => self.integer(form)?,
            0xd9 => {
                let len = self.byte()?;
                self.string(usize::from(len))?;
            }
            0xda => {
                let len = u16::from_be_bytes(self.array()?);
                self.string(usize::from(len))?;
            }
            0xdb => {
                let len = self.length()?;
                self.string(len)?;
            }
            0xdc | 0xde => {
                let len = u16::from_be_bytes(self.array()?);
                return Ok(Read::Opened(u32::from(len), form == 0xde));
            }
            0xdd | 0xdf => return Ok(Read::Opened(u32::from_be_bytes(self.array()?), form == 0xdf)),
            0xc1 | 0xc4..=0xc9 | 0xd4..=0xd8 => return Err(Reason::NoForm(kind(form))),
            0xe0..=0xff => self.push(format_args!("{}", form.cast_signed())),
        }
        Ok(Read::Whole)
    }

    fn integer(&mut self, form: u8) -> Result<(), Reason> {
        let integer = match form {
            0xcc => u64::from(self.byte()?),
            0xcd => u64::from(u16::from_be_bytes(self.array()?)),
            0xce => u64::from(u32::from_be_bytes(self.array()?)),
            0xcf => u64::from_be_bytes(self.array()?),
            _ => return self.signed(form),
        };
        self.push(format_args!("{integer}"));
        Ok(())
    }

    fn signed(&mut self, form: u8) -> Result<(), Reason> {
        let integer = match form {
            0xd0 => i64::from(i8::from_be_bytes(self.array()?)),
            0xd1 => i64::from(i16::from_be_bytes(self.array()?)),
            0xd2 => i64::from(i32::from_be_bytes(self.array()?)),
            _ => i64::from_be_bytes(self.array()?),
        };
        self.push(format_args!("{integer}"));
        Ok(())
    }

    fn float(&mut self, float: f64) -> Result<(), Reason> {
        if float.is_nan() {
            return Err(Reason::NotFinite("NaN"));
        }
        if float.is_infinite() {
            return Err(Reason::NotFinite(if float > 0.0 { "infinity" } else { "-infinity" }));
        }
        let plain = float == 0.0 || (1e-5..1e17).contains(&float.abs());
        // Debug keeps a fraction on whole floats; an exponent says the same where digits would run on.
        if plain {
            self.push(format_args!("{float:?}"));
        } else {
            self.push(format_args!("{float:e}"));
        }
        Ok(())
    }

    fn string(&mut self, len: usize) -> Result<(), Reason> {
        let text = self.text(len)?;
        push_string(&mut self.out, text);
        Ok(())
    }

    fn text(&mut self, len: usize) -> Result<&'a str, Reason> {
        let bytes = self.take(len)?;
        core::str::from_utf8(bytes).map_err(|_| Reason::NotUtf8)
    }

    fn length(&mut self) -> Result<usize, Reason> {
        let len = u32::from_be_bytes(self.array()?);
        Ok(usize::try_from(len).unwrap_or(usize::MAX))
    }

    fn byte(&mut self) -> Result<u8, Reason> {
        self.array().map(|[byte]| byte)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Reason> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| Reason::Truncated { at: self.bytes.len() })
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Reason> {
        let end = self.at.checked_add(len);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(Reason::Truncated { at: self.bytes.len() })?;
        self.at += len;
        Ok(taken)
    }

    fn push(&mut self, digits: core::fmt::Arguments<'_>) {
        // Writing to a `String` never fails.
        let _ = core::fmt::Write::write_fmt(&mut self.out, digits);
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for open in self.open.iter().filter(|open| open.begun > 0) {
            match &open.names {
                Some(names) => push_pointer(&mut pointer, names.current),
                None => push_pointer(&mut pointer, &format!("{}", open.begun - 1)),
            }
        }
        pointer
    }
}

/// Names the kind of value that a first byte announces.
const fn kind(form: u8) -> &'static str {
    match form {
        0xc0 => "nil",
        0xc1 => "the reserved byte 0xc1",
        0xc2 | 0xc3 => "a boolean",
        0xc4..=0xc6 => "binary",
        0xc7..=0xc9 | 0xd4..=0xd8 => "an extension",
        0xca | 0xcb => "a float",
        0x80..=0x8f | 0xde | 0xdf => "a map",
        0x90..=0x9f | 0xdc | 0xdd => "an array",
        0xa0..=0xbf | 0xd9..=0xdb => "a string",
        _ => "an integer",
    }
}
