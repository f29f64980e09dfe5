//! How many lanes a worker takes at once, and where it begins to look.

use dipmo_domain::Lane;
use dipmo_store::{BatchReport, ClaimLimits};

/// Few lanes when they are full, so that other workers find some; many when they are almost empty,
/// so that a batch is worth its commit.
#[derive(Debug)]
pub(crate) struct Pace {
    messages: u32,
    lanes: u8,
    start: Lane,
    /// How many more batches are to have one lane only.
    narrow: u8,
}

impl Pace {
    /// Begins with one lane, anywhere.
    pub(crate) fn new(messages: u32, start: Lane) -> Self {
        Self { messages, lanes: 1, start, narrow: 0 }
    }

    /// What to claim next.
    pub(crate) const fn limits(&self) -> ClaimLimits {
        let lanes = if self.narrow > 0 { 1 } else { self.lanes };
        ClaimLimits { messages: self.messages, lanes, start: self.start }
    }

    /// After a batch that was refused: one lane at a time, once round. All lanes but one go on, and
    /// the one that does not is the same batch each time, which the search needs.
    pub(crate) const fn narrow(&mut self) {
        self.narrow = Lane::COUNT;
    }

    /// Looks elsewhere next time.
    pub(crate) const fn turn_to(&mut self, start: Lane) {
        self.start = start;
    }

    /// Learns from a batch. Answers whether it was full, which means that there is more.
    pub(crate) fn learn(&mut self, report: &BatchReport) -> bool {
        let Some(last) = report.lanes.iter().max() else { return false };
        self.start = last.next();
        let target = usize::try_from(self.messages).unwrap_or(usize::MAX);
        let used = u8::try_from(report.lanes.len()).unwrap_or(Lane::COUNT);
        let full = report.messages >= target;
        if self.narrow > 0 {
            self.narrow -= 1;
            return full;
        }
        self.lanes = if report.messages < target / 2 {
            self.lanes.saturating_mul(2).min(Lane::COUNT)
        } else {
            self.lanes.min(used).max(1)
        };
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(messages: usize, lanes: u8) -> BatchReport {
        let lanes = (0..lanes).map(|index| Lane::from_index(i64::from(index)).unwrap()).collect();
        BatchReport { lanes, messages, ..BatchReport::default() }
    }

    #[test]
    fn takes_more_lanes_while_batches_are_small_and_fewer_when_they_are_full() {
        let mut pace = Pace::new(100, Lane::from_index(7).unwrap());
        for expected in [2, 4, 8, 16, 32, 64, 64] {
            assert!(!pace.learn(&report(10, pace.lanes)));
            assert_eq!(pace.lanes, expected);
        }
        assert!(pace.learn(&report(100, 5)));
        assert_eq!(pace.lanes, 5);
    }

    #[test]
    fn after_a_refusal_goes_once_round_with_one_lane() {
        let mut pace = Pace::new(100, Lane::from_index(0).unwrap());
        pace.learn(&report(10, 1));
        pace.narrow();
        for _ in 0..Lane::COUNT {
            assert_eq!(pace.limits().lanes, 1);
            pace.learn(&report(10, 1));
        }
        assert_eq!(pace.limits().lanes, 2, "as before");
    }

    #[test]
    fn goes_round_so_that_no_lane_starves() {
        let mut pace = Pace::new(100, Lane::from_index(0).unwrap());
        pace.learn(&report(60, 3));
        assert_eq!(pace.limits().start, Lane::from_index(3).unwrap());
        pace.learn(&BatchReport::default());
        assert_eq!(
            pace.limits().start,
            Lane::from_index(3).unwrap(),
            "an empty claim says nothing"
        );
    }
}
