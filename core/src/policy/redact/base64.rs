//! Decodes the start of a text in base64.

use alloc::vec::Vec;

/// Decodes as many bytes as the digits give, up to the first character that is none.
pub(super) fn decode(digits: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0);
    for value in digits.iter().map_while(|digit| value(*digit)) {
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.extend(bits.checked_shr(held).and_then(|byte| u8::try_from(byte & 0xFF).ok()));
        }
    }
    bytes
}

const fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

pub(super) const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
