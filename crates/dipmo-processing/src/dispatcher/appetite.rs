//! How much a courier reads at once: as much as the publisher likes, and less of what is large or
//! takes long.

use std::time::Duration;

use dipmo_outbox::{Delivery, SLICE_SIZE};

/// What a read should have: payloads are in memory until they are settled. It is no limit: only the
/// last reads are known, and a chunk is not split.
const BYTES: usize = 8 << 20;

/// A slice that took longer is not made any larger: one key may hold up the others of its slice.
const LONG: Duration = Duration::from_secs(1);

/// The size of the next read, by what the last ones were like.
pub(super) struct Appetite {
    most: u32,
    now: u32,
    /// The average payload, in bytes.
    average: usize,
}

impl Appetite {
    pub(super) fn new(most: u32) -> Self {
        Self { most, now: most.min(SLICE_SIZE), average: 0 }
    }

    /// How many units to read.
    pub(super) fn units(&self) -> u32 {
        let fitting = BYTES / self.average.max(1);
        self.now.min(u32::try_from(fitting).unwrap_or(u32::MAX)).max(1)
    }

    /// Takes in what a read had, and how long it took to deliver. Large payloads are not forgotten
    /// at the first small one.
    pub(super) fn had(&mut self, payloads: Payloads, took: Duration) {
        self.average = payloads.average().max(self.average / 2);
        self.now = if took > LONG { SLICE_SIZE } else { self.now.saturating_mul(2) }.min(self.most);
    }
}

/// How much the payloads of a read are.
#[derive(Clone, Copy)]
pub(super) struct Payloads {
    count: usize,
    bytes: usize,
}

impl Payloads {
    pub(super) fn of(deliveries: &[Delivery]) -> Self {
        let bytes = deliveries.iter().map(|delivery| delivery.payload.as_str().len()).sum();
        Self { count: deliveries.len(), bytes }
    }

    fn average(self) -> usize {
        self.bytes.checked_div(self.count).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUICK: Duration = Duration::from_millis(50);

    fn payloads(bytes: usize) -> Payloads {
        Payloads { count: 3, bytes: 3 * bytes }
    }

    #[test]
    fn quick_slices_grow_to_what_the_publisher_likes() {
        let mut appetite = Appetite::new(1_500);
        let mut read = || {
            let units = appetite.units();
            appetite.had(payloads(1_000), QUICK);
            units
        };
        assert_eq!([read(), read(), read(), read()], [500, 1_000, 1_500, 1_500]);
        assert_eq!(Appetite::new(200).units(), 200);
    }

    #[test]
    fn a_slice_that_took_long_is_followed_by_a_shorter_one() {
        let mut appetite = Appetite::new(2_000);
        appetite.had(payloads(1_000), QUICK);
        appetite.had(payloads(1_000), LONG * 2);
        assert_eq!(appetite.units(), SLICE_SIZE);
        let mut modest = Appetite::new(20);
        modest.had(payloads(1_000), LONG * 2);
        assert_eq!(modest.units(), 20);
    }

    #[test]
    fn large_payloads_make_a_read_shorter_and_are_not_forgotten_at_once() {
        let mut appetite = Appetite::new(2_000);
        appetite.had(payloads(1 << 20), QUICK);
        assert_eq!(appetite.units(), 8);
        appetite.had(payloads(10), QUICK);
        assert_eq!(appetite.units(), 16);
        appetite.had(payloads(9 << 20), QUICK);
        assert_eq!(appetite.units(), 1);
    }
}
