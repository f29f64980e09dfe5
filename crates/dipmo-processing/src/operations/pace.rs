//! How fast items may be met.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

/// So many batches a second there are where a rate is said, unless that is less than one item each.
const BATCHES: u32 = 2;

/// The rate of an operation. What took longer than the rate allows is not made up for later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace(pub(super) Option<NonZeroU32>);

impl Pace {
    /// How many items are met at once.
    pub(super) fn batch(self, most: u32) -> u32 {
        let most = most.max(1);
        self.0.map_or(most, |rate| (rate.get() / BATCHES).clamp(1, most))
    }

    /// When the next batch may begin, after one with so many items.
    pub(super) fn next(self, began: Instant, items: usize) -> Instant {
        let items = u32::try_from(items).unwrap_or(u32::MAX);
        began + self.0.map_or(Duration::ZERO, |rate| Duration::from_secs(1) * items / rate.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_rate_makes_small_batches_and_a_high_one_small_rests() {
        let began = Instant::now();
        for (rate, batch, millis) in
            [(1, 1, 1_000), (3, 1, 333), (10, 5, 500), (1_000, 500, 500), (100_000, 500, 5)]
        {
            let pace = Pace(NonZeroU32::new(rate));
            assert_eq!(pace.batch(500), batch, "{rate} a second");
            let rest = pace.next(began, batch as usize) - began;
            assert_eq!(rest.as_millis(), millis, "{rate} a second");
        }
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let began = Instant::now();
        assert_eq!((Pace(None).batch(500), Pace(None).next(began, 500)), (500, began));
        assert_eq!(Pace(None).batch(0), 1, "something is always met");
    }
}
