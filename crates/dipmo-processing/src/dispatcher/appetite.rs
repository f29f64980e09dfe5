//! How much a courier reads at once: as much as the publisher likes, and less of what is large.

use dipmo_outbox::{Delivery, SLICE_SIZE};

/// What a read should have at most: payloads are in memory until they are settled.
const BYTES: usize = 8 << 20;

/// The size of the next read, by what the last one had.
pub(super) struct Appetite {
    most: u32,
    /// The average payload of the last read, in bytes.
    average: usize,
}

impl Appetite {
    pub(super) const fn new(most: u32) -> Self {
        Self { most, average: BYTES / SLICE_SIZE as usize }
    }

    /// How many units to read.
    pub(super) fn units(&self) -> u32 {
        let fitting = BYTES / self.average.max(1);
        self.most.min(u32::try_from(fitting).unwrap_or(u32::MAX)).max(1)
    }

    /// Takes in what a read had.
    pub(super) fn had(&mut self, deliveries: &[Delivery]) {
        let bytes =
            deliveries.iter().map(|delivery| delivery.payload.as_str().len()).sum::<usize>();
        if let Some(average) = bytes.checked_div(deliveries.len()) {
            self.average = average;
        }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Json;

    use super::super::rounds::tests::delivery;
    use super::*;

    fn after(most: u32, payload: usize, count: i64) -> u32 {
        let payload = Json::parse(&format!("\"{}\"", "x".repeat(payload - 2))).unwrap();
        let one = |unit| Delivery { payload: payload.clone(), ..delivery(unit, None) };
        let mut appetite = Appetite::new(most);
        assert_eq!(appetite.units(), most.min(SLICE_SIZE), "nothing is known yet");
        appetite.had(&(0..count).map(one).collect::<Vec<_>>());
        appetite.units()
    }

    #[test]
    fn small_payloads_are_read_as_the_publisher_likes_and_large_ones_by_their_bytes() {
        assert_eq!(after(2_000, 1_000, 500), 2_000);
        assert_eq!(after(200, 1_000, 200), 200);
        assert_eq!(after(2_000, 1 << 20, 3), 8);
        assert_eq!(after(2_000, 9 << 20, 1), 1);
        assert_eq!(after(2_000, 1_000, 0), SLICE_SIZE, "an empty read says nothing");
    }
}
