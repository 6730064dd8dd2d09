//! Sets of characters.

use alloc::{vec, vec::Vec};

const LAST: u32 = 0x10_ffff;

/// A set of characters as sorted ranges that neither touch nor overlap.
#[derive(Clone, Debug)]
pub(super) struct Set {
    ranges: Vec<(u32, u32)>,
    /// The same for the first 128 characters, a bit each.
    ascii: u128,
}

impl Set {
    pub(super) fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (from, to) in ranges {
            match merged.last_mut() {
                Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Self::of_sorted(merged)
    }

    fn of_sorted(ranges: Vec<(u32, u32)>) -> Self {
        let codes = ranges.iter().flat_map(|(from, to)| *from..=(*to).min(0x7f));
        let ascii = codes.fold(0, |bits, code| bits | 1 << code);
        Self { ranges, ascii }
    }

    pub(super) fn one(character: u32) -> Self {
        Self::of_sorted(vec![(character, character)])
    }

    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    #[must_use]
    pub(super) fn inverted(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut from = 0;
        for (start, end) in &self.ranges {
            if from < *start {
                ranges.push((from, start - 1));
            }
            from = end + 1;
        }
        if from <= LAST {
            ranges.push((from, LAST));
        }
        Self::of_sorted(ranges)
    }

    pub(super) fn holds(&self, character: char) -> bool {
        let code = u32::from(character);
        if code < 128 {
            return self.ascii & (1 << code) != 0;
        }
        let behind = self.ranges.partition_point(|(_, end)| *end < code);
        self.ranges.get(behind).is_some_and(|(start, _)| *start <= code)
    }

    /// Returns the set of an escape such as `\d`, as ECMA-262 defines it.
    pub(super) fn of_escape(letter: char) -> Option<Self> {
        let ranges = match letter.to_ascii_lowercase() {
            'd' => vec![(0x30, 0x39)],
            'w' => vec![(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)],
            's' => vec![
                (0x09, 0x0d),
                (0x20, 0x20),
                (0xa0, 0xa0),
                (0x1680, 0x1680),
                (0x2000, 0x200a),
                (0x2028, 0x2029),
                (0x202f, 0x202f),
                (0x205f, 0x205f),
                (0x3000, 0x3000),
                (0xfeff, 0xfeff),
            ],
            _ => return None,
        };
        let set = Self::of_sorted(ranges);
        Some(if letter.is_ascii_uppercase() { set.inverted() } else { set })
    }

    /// Returns the set of the dot: everything but line ends.
    pub(super) fn dot() -> Self {
        Self::new(vec![(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)]).inverted()
    }
}
