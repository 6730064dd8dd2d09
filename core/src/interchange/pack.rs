//! JSON to MessagePack.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{Fault, Reason};
use crate::json::{Item, Kind, Tape, View, pointer_to, to_f64};

/// Writes a JSON value as MessagePack, in the smallest encodings.
///
/// # Errors
///
/// Names the first value that MessagePack cannot hold as it is.
pub fn to_msgpack(value: View<'_>) -> Result<Vec<u8>, Fault> {
    let text = value.as_str();
    let outermost = |reason| Fault { pointer: String::new(), reason };
    if u32::try_from(text.len()).is_err() {
        return Err(outermost(Reason::TooLong(text.len())));
    }
    // The text of a view is valid, so only its depth is left to fail on.
    let tape = Tape::parse(text).map_err(|_| outermost(Reason::TooDeep))?;
    let mut out = Vec::with_capacity(text.len());
    let places = u32::try_from(tape.len()).unwrap_or(u32::MAX);
    // The order of a tape is the order of MessagePack: a container, then what it holds.
    for place in 0..places {
        push_item(&mut out, tape.item(place))
            .map_err(|(at, reason)| Fault { pointer: pointer_to(&tape, at), reason })?;
    }
    Ok(out)
}

fn push_item(out: &mut Vec<u8>, item: Item<'_>) -> Result<(), (u32, Reason)> {
    let here = |reason| (item.index(), reason);
    match item.kind() {
        Kind::Null => out.push(0xc0),
        Kind::Bool => out.push(if item.as_str() == "true" { 0xc3 } else { 0xc2 }),
        Kind::Number => push_number(out, item.as_str()).map_err(here)?,
        Kind::String if item.has_lone_surrogate() => return Err(here(Reason::LoneSurrogate)),
        Kind::String => {
            let content = item.to_str().unwrap_or_default();
            push_string_header(out, content.len()).map_err(here)?;
            out.extend_from_slice(content.as_bytes());
        }
        Kind::Array => {
            push_header(out, item.elements().count(), 0x90, 0xdc).map_err(here)?;
        }
        Kind::Object => {
            let members = check_names(item)?;
            push_header(out, members, 0x80, 0xde).map_err(here)?;
        }
    }
    Ok(())
}

/// Returns how many members an object has, unless two of them share a name.
fn check_names(object: Item<'_>) -> Result<usize, (u32, Reason)> {
    let mut names: Vec<(Cow<'_, str>, u32)> =
        object.members().map(|(name, value)| (name.to_str(), value.index())).collect();
    let len = names.len();
    names.sort_unstable();
    let twice = names.windows(2).find_map(|pair| match pair {
        [(one, _), (other, at)] if one == other => Some((*at, Reason::DuplicateName(other.clone().into()))),
        _ => None,
    });
    twice.map_or(Ok(len), Err)
}

fn push_number(out: &mut Vec<u8>, text: &str) -> Result<(), Reason> {
    if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        let float = to_f64(text);
        if !float.is_finite() {
            return Err(Reason::FloatOutOfRange(text.into()));
        }
        out.push(0xcb);
        out.extend_from_slice(&float.to_be_bytes());
    } else if let Ok(integer) = text.parse::<u64>() {
        push_unsigned(out, integer);
    } else if let Ok(integer) = text.parse::<i64>() {
        push_signed(out, integer);
    } else {
        return Err(Reason::IntegerOutOfRange(text.into()));
    }
    Ok(())
}

fn push_unsigned(out: &mut Vec<u8>, integer: u64) {
    if let Ok(small) = u8::try_from(integer) {
        if small >= 0x80 {
            out.push(0xcc);
        }
        out.push(small);
    } else if let Ok(small) = u16::try_from(integer) {
        push_form(out, 0xcd, small.to_be_bytes());
    } else if let Ok(small) = u32::try_from(integer) {
        push_form(out, 0xce, small.to_be_bytes());
    } else {
        push_form(out, 0xcf, integer.to_be_bytes());
    }
}

fn push_signed(out: &mut Vec<u8>, integer: i64) {
    if let Ok(integer) = u64::try_from(integer) {
        push_unsigned(out, integer);
    } else if let Ok(small) = i8::try_from(integer) {
        if small < -32 {
            out.push(0xd0);
        }
        out.extend_from_slice(&small.to_be_bytes());
    } else if let Ok(small) = i16::try_from(integer) {
        push_form(out, 0xd1, small.to_be_bytes());
    } else if let Ok(small) = i32::try_from(integer) {
        push_form(out, 0xd2, small.to_be_bytes());
    } else {
        push_form(out, 0xd3, integer.to_be_bytes());
    }
}

fn push_string_header(out: &mut Vec<u8>, len: usize) -> Result<(), Reason> {
    match u8::try_from(len) {
        Ok(small @ 0..=31) => out.push(0xa0 | small),
        Ok(small) => push_form(out, 0xd9, [small]),
        Err(_) => push_wide_header(out, len, 0xda)?,
    }
    Ok(())
}

/// Writes the length of an array or map: in the byte `small` up to 15, else in the form `wide` or the next.
fn push_header(out: &mut Vec<u8>, len: usize, small: u8, wide: u8) -> Result<(), Reason> {
    match u8::try_from(len) {
        Ok(len @ 0..=15) => out.push(small | len),
        _ => push_wide_header(out, len, wide)?,
    }
    Ok(())
}

fn push_wide_header(out: &mut Vec<u8>, len: usize, form: u8) -> Result<(), Reason> {
    if let Ok(len) = u16::try_from(len) {
        push_form(out, form, len.to_be_bytes());
    } else {
        let len = u32::try_from(len).map_err(|_| Reason::TooLong(len))?;
        push_form(out, form + 1, len.to_be_bytes());
    }
    Ok(())
}

fn push_form<const N: usize>(out: &mut Vec<u8>, form: u8, bytes: [u8; N]) {
    out.push(form);
    out.extend_from_slice(&bytes);
}
