//! How many lanes a worker locks, and where it begins to look for them.
//!
//! Few lanes when each is full, so that others find some; many when each has little, so that a
//! batch is worth its transaction.

use dipmo_domain::Lane;
use dipmo_store::ClaimLimits;

/// Messages of one batch.
pub(crate) const MESSAGES: u32 = 500;

/// The next claim of one worker.
pub(crate) struct Lanes {
    wanted: u8,
    most: u8,
    start: u8,
}

/// What a claim got.
pub(crate) struct Claimed {
    /// How many messages.
    pub(crate) messages: usize,
    /// In how many lanes they were.
    pub(crate) lanes: usize,
    /// The last lane that was locked.
    pub(crate) last: Option<Lane>,
}

impl Lanes {
    /// For one of `workers`: all begin at lanes far from each other.
    pub(crate) fn new(worker: usize, workers: usize) -> Self {
        let share = Lane::COUNT / u8::try_from(workers).unwrap_or(Lane::COUNT).max(1);
        let start = u8::try_from(worker).unwrap_or(0).wrapping_mul(share) % Lane::COUNT;
        Self { wanted: 1, most: share.max(1), start }
    }

    /// What to ask for.
    pub(crate) fn limits(&self) -> ClaimLimits {
        let start = Lane::from_index(i64::from(self.start)).unwrap_or_else(|| Lane::of(b""));
        ClaimLimits { messages: MESSAGES, lanes: self.wanted, start }
    }

    /// Learns from a claim: twice as many lanes when it was less than half full, as few as it
    /// needed when it was full; and the next one begins behind it.
    pub(crate) fn learn(&mut self, claimed: &Claimed) {
        let full = MESSAGES as usize;
        if claimed.messages < full / 2 {
            self.wanted = self.wanted.saturating_mul(2).min(self.most);
        } else if claimed.messages >= full {
            self.wanted = u8::try_from(claimed.lanes).unwrap_or(u8::MAX).clamp(1, self.most);
        }
        if let Some(last) = claimed.last {
            self.start = (last.index() + 1) % Lane::COUNT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_asks_for_more_lanes_while_batches_are_small_and_fewer_when_they_are_full() {
        let mut lanes = Lanes::new(1, 2);
        assert_eq!((lanes.limits().lanes, lanes.limits().start.index()), (1, 32));
        let last = Lane::from_index(63);
        for wanted in [2, 4, 8, 16, 32, 32] {
            lanes.learn(&Claimed { messages: 249, lanes: 1, last });
            assert_eq!((lanes.limits().lanes, lanes.limits().start.index()), (wanted, 0));
        }
        lanes.learn(&Claimed { messages: 300, lanes: 9, last: None });
        assert_eq!(lanes.limits().lanes, 32);
        lanes.learn(&Claimed { messages: 500, lanes: 3, last: None });
        assert_eq!(lanes.limits().lanes, 3);
    }
}
