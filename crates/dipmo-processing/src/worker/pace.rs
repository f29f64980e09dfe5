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
}

impl Pace {
    /// Begins with one lane, anywhere.
    pub(crate) fn new(messages: u32, start: Lane) -> Self {
        Self { messages, lanes: 1, start }
    }

    /// What to claim next.
    pub(crate) const fn limits(&self) -> ClaimLimits {
        ClaimLimits { messages: self.messages, lanes: self.lanes, start: self.start }
    }

    /// Learns from a batch. Answers whether it was full, which means that there is more.
    pub(crate) fn learn(&mut self, report: &BatchReport) -> bool {
        let Some(last) = report.lanes.iter().max() else { return false };
        self.start = last.next();
        let target = usize::try_from(self.messages).unwrap_or(usize::MAX);
        let used = u8::try_from(report.lanes.len()).unwrap_or(Lane::COUNT);
        let full = report.messages >= target;
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
