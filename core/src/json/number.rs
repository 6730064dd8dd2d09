//! Compares numbers by their digits.

use core::{cmp::Ordering, fmt};

/// Exponents beyond this bound are read as the bound.
const FAR: i64 = 1 << 60;

/// A number in the digits of its JSON text, of any size and precision.
///
/// Equality and order are those of the values: `1`, `1.0` and `10e-1` are equal, and so are `0` and `-0`.
/// Exponents are exact up to 2⁶⁰, far beyond what can be written out.
#[derive(Clone, Copy)]
pub struct Decimal<'a> {
    negative: bool,
    /// Digits without zeros at either end, in two parts; the value is these digits times ten to the `scale`.
    high: &'a [u8],
    low: &'a [u8],
    scale: i64,
}

impl<'a> Decimal<'a> {
    /// Reads the text of a JSON number.
    ///
    /// Returns `None` where the text is none.
    #[must_use]
    pub fn new(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (negative, bytes) = bytes.strip_prefix(b"-").map_or((false, bytes), |rest| (true, rest));
        let (digits, exponent) = cut(bytes, |byte| matches!(byte, b'e' | b'E'));
        let (whole, part) = cut(digits, |byte| byte == b'.');
        let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        if !is_number(whole) || !part.is_none_or(is_number) {
            return None;
        }
        let exponent = exponent.map_or(Some(0), read_exponent)?;
        Some(Self::normal(negative, whole, part.unwrap_or_default(), exponent))
    }

    fn normal(negative: bool, whole: &'a [u8], part: &'a [u8], exponent: i64) -> Self {
        let mut low = trim_end(part);
        let mut scale = exponent - length(low);
        let mut high = trim_start(whole);
        if low.is_empty() {
            let trimmed = trim_end(high);
            scale += length(high) - length(trimmed);
            high = trimmed;
        }
        if high.is_empty() {
            low = trim_start(low);
        }
        if high.is_empty() && low.is_empty() {
            scale = 0;
        }
        Self { negative, high, low, scale }
    }

    /// Returns whether the value is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.high.is_empty() && self.low.is_empty()
    }

    /// Returns whether the value is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.negative && !self.is_zero()
    }

    /// Returns whether the value is whole, however it was written.
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.scale >= 0
    }

    /// Returns the value where it is whole, not negative and fits.
    #[must_use]
    pub fn to_u64(self) -> Option<u64> {
        if self.is_negative() || !self.is_whole() {
            return None;
        }
        let digits = self.small()?;
        if digits == 0 {
            return Some(0);
        }
        let power = 10_u64.checked_pow(u32::try_from(self.scale).ok()?)?;
        digits.checked_mul(power)
    }

    /// Returns whether the value is a whole multiple of another.
    ///
    /// Returns `None` for the divisor zero and for divisors of more than 19 significant digits.
    #[must_use]
    pub fn is_multiple_of(self, divisor: Self) -> Option<bool> {
        let modulus = divisor.small()?;
        if modulus == 0 {
            return None;
        }
        if self.is_zero() {
            return Some(true);
        }
        // The last digit is not zero, so nothing divides by a higher power of ten.
        let Ok(surplus) = u64::try_from(self.scale - divisor.scale) else {
            return Some(false);
        };
        let digits = self.digits().fold(0, |rest, digit| {
            sum(product(rest, 10, modulus), u64::from(digit - b'0') % modulus, modulus)
        });
        Some(product(digits, power_of_ten(surplus, modulus), modulus) == 0)
    }

    /// Returns the significant digits as a number where they are few enough.
    fn small(self) -> Option<u64> {
        if self.high.len() + self.low.len() > 19 {
            return None;
        }
        Some(self.digits().fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
    }

    fn digits(self) -> impl Iterator<Item = u8> + 'a {
        self.high.iter().chain(self.low).copied()
    }

    fn compare_size(self, other: Self) -> Ordering {
        let top = |number: Self| number.scale + length(number.high) + length(number.low);
        top(self).cmp(&top(other)).then_with(|| self.digits().cmp(other.digits()))
    }
}

impl fmt::Display for Decimal<'_> {
    /// Writes one text for each value: the significant digits and a power of ten.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        for part in [self.high, self.low] {
            f.write_str(core::str::from_utf8(part).unwrap_or_default())?;
        }
        if self.scale == 0 { Ok(()) } else { write!(f, "e{}", self.scale) }
    }
}

impl fmt::Debug for Decimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative(), other.is_negative()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (negative, _) => {
                let size = match (self.is_zero(), other.is_zero()) {
                    (true, true) => Ordering::Equal,
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                    (false, false) => self.compare_size(*other),
                };
                if negative { size.reverse() } else { size }
            }
        }
    }
}

fn cut(bytes: &[u8], at: impl FnMut(u8) -> bool) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().copied().position(at) {
        Some(place) => (bytes.get(..place).unwrap_or_default(), bytes.get(place + 1..)),
        None => (bytes, None),
    }
}

fn read_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.split_first()? {
        (b'-', digits) => (true, digits),
        (b'+', digits) => (false, digits),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0_i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(FAR / 16));
    Some(if negative { -size } else { size })
}

fn power_of_ten(exponent: u64, modulus: u64) -> u64 {
    let (mut result, mut base, mut left) = (1 % modulus, 10 % modulus, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = product(result, base, modulus);
        }
        base = product(base, base, modulus);
        left >>= 1;
    }
    result
}

/// Adds within a modulus that both are below, which may be as large as its type.
const fn sum(one: u64, other: u64, modulus: u64) -> u64 {
    let (sum, has_overflowed) = one.overflowing_add(other);
    if has_overflowed || sum >= modulus { sum.wrapping_sub(modulus) } else { sum }
}

/// Multiplies within a modulus that the first is below, without a wider integer.
const fn product(one: u64, other: u64, modulus: u64) -> u64 {
    let (mut result, mut base, mut left) = (0, one, other);
    while left > 0 {
        if left & 1 == 1 {
            result = sum(result, base, modulus);
        }
        base = sum(base, base, modulus);
        left >>= 1;
    }
    result
}

fn length(digits: &[u8]) -> i64 {
    i64::try_from(digits.len()).unwrap_or(FAR)
}

fn trim_start(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

fn trim_end(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    digits.get(..digits.len() - zeros).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn decimal(text: &str) -> Decimal<'_> {
        Decimal::new(text).unwrap()
    }

    #[test]
    fn values_compare_exactly_whatever_their_spelling() {
        for (low, high) in [
            ("9007199254740992", "9007199254740993"),
            ("-1", "0"),
            ("-10", "-9.99"),
            ("1e-400", "2e-400"),
            ("0.1", "0.10000000000000000000001"),
            ("1e400", "1e401"),
            ("18446744073709551615", "18446744073709551616"),
        ] {
            assert!(decimal(low) < decimal(high), "{low} {high}");
        }
        for (one, other) in [("1", "10e-1"), ("0", "-0.000e9"), ("1200", "1.2E+3"), ("0.0120", "12e-3")] {
            assert_eq!(decimal(one), decimal(other));
            assert_eq!(decimal(one).to_string(), decimal(other).to_string());
        }
    }

    #[test]
    fn whole_numbers_are_told_from_others() {
        for text in ["3.0", "3", "1e400", "-0.0", "0.5e1", "120e-1"] {
            assert!(decimal(text).is_whole(), "{text}");
        }
        for text in ["3.1", "1e-400", "5e-1"] {
            assert!(!decimal(text).is_whole(), "{text}");
        }
        assert_eq!(decimal("2.0").to_u64(), Some(2));
        assert_eq!(decimal("-2").to_u64(), None);
        assert_eq!(decimal("1e30").to_u64(), None);
        assert_eq!(decimal("0.0").to_u64(), Some(0));
    }

    #[test]
    fn multiples_are_exact() {
        for (value, divisor, is_multiple) in [
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("4.5", "1.5", true),
            ("35", "1.5", false),
            ("1e308", "0.123456789", false),
            ("1e308", "0.5", true),
            ("12391239123", "1e-8", true),
            ("9007199254740993", "3", true),
            ("9007199254740992", "3", false),
            ("0", "7", true),
        ] {
            assert_eq!(
                decimal(value).is_multiple_of(decimal(divisor)),
                Some(is_multiple),
                "{value} {divisor}"
            );
        }
        assert_eq!(decimal("1").is_multiple_of(decimal("0")), None);
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in ["", "-", "1.", ".5", "1e", "1e+", "x", "1 ", "1.5.2"] {
            assert!(Decimal::new(text).is_none(), "{text}");
        }
    }
}
