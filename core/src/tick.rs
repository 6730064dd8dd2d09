//! Time as an input: milliseconds since an origin that the host chose.

use core::time::Duration;

/// A point in time: milliseconds since an origin that the host chose.
///
/// The engine owns no clock. A host reads its own monotonic clock once per turn and passes the reading
/// along; a reading that went back is taken as the latest one seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(u64);

impl Tick {
    /// The origin.
    pub const ZERO: Self = Self(0);

    /// Returns the tick `millis` milliseconds after the origin.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the origin.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Returns the tick `span` later, rounded up to a whole millisecond; the end of time is never passed.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        let whole = whole_millis(span);
        let rest = u64::from(!span.subsec_nanos().is_multiple_of(1_000_000));
        Self(self.0.saturating_add(whole).saturating_add(rest))
    }

    /// Returns the time from `earlier` to this tick, zero when `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Returns the whole milliseconds of a span; no span is longer than time itself.
pub(crate) const fn whole_millis(span: Duration) -> u64 {
    span.as_secs().saturating_mul(1_000).saturating_add(span.subsec_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_never_cut_short() {
        assert_eq!(Tick::ZERO.after(Duration::from_micros(1)), Tick::from_millis(1));
        assert_eq!(Tick::ZERO.after(Duration::from_millis(7)), Tick::from_millis(7));
        assert_eq!(Tick::from_millis(u64::MAX).after(Duration::MAX), Tick::from_millis(u64::MAX));
        assert_eq!(Tick::ZERO.since(Tick::from_millis(3)), Duration::ZERO);
    }
}
