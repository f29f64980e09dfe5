//! Figures of a source: counted batch by batch, read at any time.
//!
//! Everything is of this instance since it started; `docs/guide/kafka-in.md` says what each means.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Histogram;

use crate::offsets::Place;

/// The figures of a source.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Snapshot>);

/// All figures at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Records that were read, duplicates and undecodable ones included.
    pub records: u64,
    /// Bytes of their keys, headers and values.
    pub bytes: u64,
    /// Messages that were new in the inbox.
    pub stored: u64,
    /// Messages that the inbox knew already.
    pub duplicates: u64,
    /// Messages with the id of another one: kept as incidents.
    pub conflicts: u64,
    /// Transactions of the inbox.
    pub batches: u64,
    /// Records in the largest of them.
    pub largest_batch: u64,
    /// Records that could not be decoded, by topic.
    pub serde_errors: BTreeMap<String, u64>,
    /// Records that the database refused and that were kept as bytes, by topic.
    pub refused: BTreeMap<String, u64>,
    /// Records that could not be decoded and that were to be mirrored and could not be, by topic.
    pub unmirrored: BTreeMap<String, u64>,
    /// Dead letters that came back, by what became of them.
    pub letters: BTreeMap<&'static str, u64>,
    /// How long a batch was decoded.
    pub decode: Histogram,
    /// How long a batch was stored.
    pub store: Histogram,
    /// From the end of storing until the commit was on its way.
    pub store_to_commit: Histogram,
    /// Commits that were sent to the broker.
    pub commits: u64,
    /// Commits that the client refused, or the broker when we left; the database knows better.
    pub commits_failed: u64,
    /// Records behind the end of each partition that this instance reads.
    pub lag: BTreeMap<Place, i64>,
    /// How often reading paused because of the inbox.
    pub pauses_pressure: u64,
    /// How often reading paused because of the database.
    pub pauses_store: u64,
    /// Partitions that were assigned.
    pub assigned: u64,
    /// Partitions that were revoked.
    pub revoked: u64,
    /// Rebalances.
    pub rebalances: u64,
    /// Records that were read and let go because their partition went; whoever has it reads them.
    pub dropped_revoked: u64,
    /// Partitions whose group offset was behind the database when they came.
    pub committed_behind: u64,
    /// Partitions whose group offset was ahead of the database when they came: it lost something.
    pub committed_ahead: u64,
    /// How often the database had lost what it stored while we read: it was restored or failed over.
    pub database_set_back: u64,
    /// Offsets that the broker deleted before they were read.
    pub records_lost: u64,
    /// Partitions that were made anew since they were read last.
    pub topics_made_anew: u64,
    /// Errors of the database, by code.
    pub store_errors: BTreeMap<&'static str, u64>,
}

impl Snapshot {
    /// Records in a batch on average.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of records fit a double")]
    pub fn batch_size(&self) -> f64 {
        if self.batches == 0 { 0.0 } else { self.records as f64 / self.batches as f64 }
    }

    /// All partitions together.
    #[must_use]
    pub fn total_lag(&self) -> i64 {
        self.lag.values().sum()
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

    pub(crate) fn store_failed(&self, code: &'static str) {
        *self.lock().store_errors.entry(code).or_default() += 1;
    }

    pub(crate) fn letter(&self, fate: &'static str) {
        *self.lock().letters.entry(fate).or_default() += 1;
    }

    pub(crate) fn committed_after(&self, waited: Option<Duration>) {
        let mut figures = self.lock();
        figures.commits += 1;
        if let Some(waited) = waited {
            figures.store_to_commit.add(waited);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A count as figures have it.
pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
