//! Figures of a leg: counted transaction by transaction, read at any time.
//!
//! Everything is of this instance since it started; `docs/guide/kafka-leg.md` says what each means.
//! What was part of a transaction that was aborted is not counted.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dipmo_domain::Histogram;
use dipmo_kafka::Place;

/// The figures of a leg.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Snapshot>);

/// All figures at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Records that were read and committed, those of retry topics included.
    pub records_in: u64,
    /// Records that were sent and committed, retries and dead letters included.
    pub records_out: u64,
    /// Records that nothing was to come of.
    pub dropped: u64,
    /// Records that were sent to a retry topic.
    pub retried: u64,
    /// Records that were sent to a dead-letter topic, by code.
    pub dead_lettered: BTreeMap<String, u64>,
    /// Transactions that were committed.
    pub committed: u64,
    /// Transactions that were aborted.
    pub aborted: u64,
    /// Transactions that were refused because the group had changed, or another had our name.
    pub fenced: u64,
    /// From the first record of a transaction until it was committed.
    pub transaction: Histogram,
    /// How long committing took.
    pub commit: Histogram,
    /// Records behind the end of each partition that this instance reads. What waits in a retry
    /// topic counts.
    pub lag: BTreeMap<Place, i64>,
    /// Partitions that were assigned.
    pub assigned: u64,
    /// Partitions that were revoked.
    pub revoked: u64,
    /// Rebalances.
    pub rebalances: u64,
    /// Offsets that the broker deleted before they were read.
    pub records_lost: u64,
}

impl Snapshot {
    /// All partitions together.
    #[must_use]
    pub fn total_lag(&self) -> i64 {
        self.lag.values().sum()
    }

    /// All dead letters together.
    #[must_use]
    pub fn total_dead_lettered(&self) -> u64 {
        self.dead_lettered.values().sum()
    }
}

impl Metrics {
    /// Reads all figures.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.lock().clone()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.lock());
    }

    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A count as figures have it.
pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
