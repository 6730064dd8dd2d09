//! The nearest float of a number's text, on WebAssembly: the standard library's way costs ten kilobytes of table.
//!
//! The digits are halved and doubled in decimal until they show the 53 bits of the float, as in the slow path
//! of every exact reader.

use alloc::vec::Vec;

/// More digits than any number needs to be told from its neighbours; those beyond only break ties.
const MAX_DIGITS: usize = 800;
/// The most bits that one pass over the digits shifts.
const MAX_SHIFT: u32 = 27;

/// A decimal fraction: 0.d₁d₂d₃… × 10^point.
#[derive(Debug)]
struct Decimal {
    digits: Vec<u8>,
    point: i64,
    /// Digits that are not zero were left out.
    is_cut: bool,
}

/// Returns the nearest float of a number of JSON, ties to even; infinite beyond the range.
pub(crate) fn nearest(text: &str) -> f64 {
    let (sign, magnitude) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let mut decimal = Decimal::read(magnitude);
    sign * f64::from_bits(decimal.take_bits())
}

impl Decimal {
    fn read(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent = exponent.parse().unwrap_or_else(|_| if exponent.starts_with('-') { MIN } else { MAX });
        let mut decimal = Self { digits: Vec::new(), point: 0, is_cut: false };
        let point = i64::try_from(whole.len()).unwrap_or(MAX);
        decimal.point = point.saturating_add(exponent).clamp(MIN, MAX);
        for digit in whole.bytes().chain(fraction.bytes()) {
            decimal.push(digit - b'0');
        }
        decimal.trim();
        decimal
    }

    fn push(&mut self, digit: u8) {
        if self.digits.is_empty() && digit == 0 {
            self.point -= 1;
        } else if self.digits.len() < MAX_DIGITS {
            self.digits.push(digit);
        } else {
            self.is_cut |= digit != 0;
        }
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    /// Divides by a power of two.
    fn halve(&mut self, bits: u32) {
        let mut halved = Self { digits: Vec::new(), point: self.point, is_cut: self.is_cut };
        let (mut rest, mask) = (0_u64, (1_u64 << bits) - 1);
        let digits = core::mem::take(&mut self.digits);
        let mut left = digits.into_iter();
        loop {
            let next = left.next();
            if next.is_none() && rest == 0 {
                break;
            }
            rest = rest * 10 + u64::from(next.unwrap_or(0));
            halved.push(digit(rest >> bits));
            rest &= mask;
        }
        halved.trim();
        *self = halved;
    }

    /// Multiplies with a power of two.
    fn double(&mut self, bits: u32) {
        let mut carry = 0_u64;
        let mut doubled = Vec::with_capacity(self.digits.len() + 10);
        for own in self.digits.iter().rev() {
            carry += u64::from(*own) << bits;
            doubled.push(digit(carry % 10));
            carry /= 10;
        }
        while carry > 0 {
            doubled.push(digit(carry % 10));
            self.point += 1;
            carry /= 10;
        }
        doubled.reverse();
        self.is_cut |= doubled.iter().skip(MAX_DIGITS).any(|digit| *digit != 0);
        doubled.truncate(MAX_DIGITS);
        self.digits = doubled;
        self.trim();
    }

    /// Returns the bits of the nearest float.
    fn take_bits(&mut self) -> u64 {
        const INFINITE: u64 = 0x7FF << 52;
        if self.digits.is_empty() || self.point < -330 {
            return 0;
        }
        if self.point > 310 {
            return INFINITE;
        }
        // The number becomes one from 1/2 to 1, and the power of two that it lost is kept.
        let mut exponent = 0_i32;
        while self.point > 0 {
            let bits = shift_for(self.point);
            self.halve(bits);
            exponent += bits.cast_signed();
        }
        while self.point < 0 || self.point == 0 && self.digits.first().is_some_and(|first| *first < 5) {
            let bits = shift_for(-self.point);
            self.double(bits);
            exponent -= bits.cast_signed();
        }
        exponent -= 1;
        // Below the smallest exponent bits are lost instead.
        while exponent < -1022 {
            let bits = (-1022 - exponent).cast_unsigned().min(MAX_SHIFT);
            self.halve(bits);
            exponent += bits.cast_signed();
        }
        self.double(MAX_SHIFT);
        self.double(53 - MAX_SHIFT);
        let mut mantissa = self.rounded();
        if mantissa == 1 << 53 {
            mantissa >>= 1;
            exponent += 1;
        }
        if exponent > 1023 {
            return INFINITE;
        }
        // Without the leading bit the float is one of the smallest, whose exponent is not counted.
        let biased = if mantissa >> 52 == 0 { 0 } else { u64::from((exponent + 1023).cast_unsigned()) };
        (mantissa & ((1 << 52) - 1)) | (biased << 52)
    }

    /// Returns the nearest whole number, ties to even.
    fn rounded(&self) -> u64 {
        let point = usize::try_from(self.point).unwrap_or_default();
        let whole = (0..point).fold(0, |whole, at| whole * 10 + u64::from(self.digit(at)));
        let is_tie = self.digit(point) == 5 && self.digits.len() == point + 1 && !self.is_cut;
        let is_up = if is_tie { whole % 2 == 1 } else { self.digit(point) >= 5 };
        // A number far below one has its first digit behind the place that decides.
        whole + u64::from(is_up && self.point >= 0)
    }

    fn digit(&self, at: usize) -> u8 {
        self.digits.get(at).copied().unwrap_or(0)
    }
}

const MIN: i64 = -1 << 40;
const MAX: i64 = 1 << 40;

/// Returns how many bits bring a number with this many decimal places closer without passing 1.
fn shift_for(places: i64) -> u32 {
    const BITS: [u32; 9] = [1, 3, 6, 9, 13, 16, 19, 23, 26];
    usize::try_from(places).ok().and_then(|places| BITS.get(places)).copied().unwrap_or(MAX_SHIFT)
}

#[expect(clippy::cast_possible_truncation, reason = "both callers pass what is below ten")]
const fn digit(value: u64) -> u8 {
    value as u8
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String};

    use super::nearest;

    fn agrees(text: &str) {
        let expected: f64 = text.parse().unwrap();
        assert_eq!(nearest(text).to_bits(), expected.to_bits(), "{text}");
    }

    #[test]
    fn the_nearest_float_is_the_standard_librarys() {
        for text in [
            "0",
            "-0",
            "0.0",
            "-0e5",
            "1",
            "-1",
            "10",
            "0.1",
            "0.3",
            "123456789",
            "9007199254740993",
            "1e23",
            "1e22",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "4.9e-324",
            "5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "1e309",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0e99999999999999999999",
            "0.000001e6",
            "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
            "9007199254740992.5",
            "9007199254740993.5",
            "4503599627370496.5",
            "4503599627370497.5",
        ] {
            agrees(text);
        }
    }

    #[test]
    fn long_and_random_numbers_agree_too() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        for _ in 0..2_000 {
            let exponent = i64::try_from(next() % 700).unwrap() - 360;
            agrees(&format!("{}.{}e{exponent}", next() % 100_000, next()));
            let float = f64::from_bits((next() << 11) | (next() % 2_048));
            if float.is_finite() {
                agrees(&format!("{float:e}"));
            }
            agrees(&format!("{}", next()));
        }
        // Halfway between two floats, and what stands far behind decides.
        for tail in ["", "0", "1", &"0".repeat(2_000), &format!("{}1", "0".repeat(2_000))] {
            let odd: String = format!("9007199254740993.{}{tail}", "0".repeat(700));
            agrees(&odd);
            agrees(&format!("9007199254740992.5{tail}"));
        }
    }
}
