//! How old what waits is, and where it waits.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::{Lane, Timestamp};

use super::filter::Waits;
use crate::Side;

/// Where one age ends and the next begins. What is younger than the first is in the first, what is as old as the last
/// or older in the one behind it.
pub const AGES: [Duration; 4] = [
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(3_600),
    Duration::from_secs(24 * 3_600),
];

/// How many of each age: one more than [`AGES`] has bounds.
pub type ByAge = [u64; 5];

/// All that has not ended, by how old it is.
///
/// A store reads the oldest of every lane and status, so many and no more: when there is more, the counts are at least
/// so high, and the ages of what was read are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ageing {
    /// The moment, by the database's clock.
    pub at: Timestamp,
    /// True when all that waits was counted.
    pub complete: bool,
    /// By side, queue, status and what it waits for; without those that have nothing.
    pub rows: Vec<AgeingRow>,
    /// The same by lane, those with the most first.
    pub lanes: Vec<AgeingLane>,
}

/// What stands in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgeingRow {
    /// Which side.
    pub side: Side,
    /// The destination, in the outbox; empty in the inbox.
    pub queue: String,
    /// `STATUS`.
    pub status: String,
    /// What it waits for beside its time.
    pub waits: Option<Waits>,
    /// How many of each age.
    pub ages: ByAge,
    /// RECEIVED_AT or CREATED_AT of the oldest.
    pub oldest: Timestamp,
}

/// What waits in one lane and is yet to be worked on: all but what failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgeingLane {
    /// Which side.
    pub side: Side,
    /// The destination, in the outbox; empty in the inbox.
    pub queue: String,
    /// The lane.
    pub lane: Lane,
    /// How much.
    pub waiting: u64,
    /// RECEIVED_AT or CREATED_AT of the oldest.
    pub oldest: Timestamp,
}

/// Some of what waits, as a store counts it: alike in everything, and of one age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aged {
    /// Which side.
    pub side: Side,
    /// The destination, in the outbox; empty in the inbox.
    pub queue: String,
    /// The lane.
    pub lane: Lane,
    /// `STATUS`.
    pub status: String,
    /// What it waits for beside its time.
    pub waits: Option<Waits>,
    /// Its place among the ages.
    pub age: usize,
    /// How much.
    pub count: u64,
    /// The oldest.
    pub oldest: Timestamp,
}

impl Ageing {
    /// Puts together what a store counted.
    #[must_use]
    pub fn of(at: Timestamp, complete: bool, aged: impl IntoIterator<Item = Aged>) -> Self {
        let mut rows: BTreeMap<_, (ByAge, Timestamp)> = BTreeMap::new();
        let mut lanes: BTreeMap<_, (u64, Timestamp)> = BTreeMap::new();
        for it in aged {
            let place = (it.side, it.queue.clone());
            if !["FAILED", "SERDE_ERROR"].contains(&it.status.as_str()) {
                let lane = lanes.entry((place.clone(), it.lane)).or_insert((0, it.oldest));
                *lane = (lane.0 + it.count, lane.1.min(it.oldest));
            }
            let (ages, oldest) =
                rows.entry((place, it.status, it.waits)).or_insert(([0; 5], it.oldest));
            ages[it.age.min(AGES.len())] += it.count;
            *oldest = it.oldest.min(*oldest);
        }
        let rows = rows.into_iter().map(|(((side, queue), status, waits), (ages, oldest))| {
            AgeingRow { side, queue, status, waits, ages, oldest }
        });
        let lanes = lanes.into_iter().map(|(((side, queue), lane), (waiting, oldest))| {
            AgeingLane { side, queue, lane, waiting, oldest }
        });
        let mut lanes: Vec<_> = lanes.collect();
        lanes.sort_by_key(|lane| std::cmp::Reverse(lane.waiting));
        Self { at, complete, rows: rows.collect(), lanes }
    }
}

impl AgeingRow {
    /// How many of any age.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ages.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aged(lane: u8, status: &str, age: usize, count: u64, second: u64) -> Aged {
        Aged {
            side: Side::Inbox,
            queue: String::new(),
            lane: Lane::from_index(lane.into()).unwrap(),
            status: status.to_owned(),
            waits: None,
            age,
            count,
            oldest: Timestamp::EPOCH.after(Duration::from_secs(second)),
        }
    }

    #[test]
    fn what_stands_alike_is_one_row_and_a_lane_counts_what_goes_on() {
        let counted = [
            aged(3, "RECEIVED", 0, 2, 90),
            aged(4, "RECEIVED", 4, 5, 10),
            aged(3, "RETRY", 1, 4, 50),
            aged(3, "FAILED", 4, 9, 1),
        ];
        let ageing = Ageing::of(Timestamp::EPOCH, true, counted);
        let rows: Vec<_> =
            ageing.rows.iter().map(|it| (it.status.as_str(), it.ages, it.count())).collect();
        let expected = [
            ("FAILED", [0, 0, 0, 0, 9], 9),
            ("RECEIVED", [2, 0, 0, 0, 5], 7),
            ("RETRY", [0, 4, 0, 0, 0], 4),
        ];
        assert_eq!(rows, expected);
        assert_eq!(ageing.rows[1].oldest, Timestamp::EPOCH.after(Duration::from_secs(10)));
        let lanes: Vec<_> =
            ageing.lanes.iter().map(|it| (it.lane.index(), it.waiting, it.oldest)).collect();
        let second = |second| Timestamp::EPOCH.after(Duration::from_secs(second));
        assert_eq!(lanes, [(3, 6, second(50)), (4, 5, second(10))]);
    }
}
