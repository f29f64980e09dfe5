//! Figures of a publisher: counted record by record, read at any time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::{Code, Histogram};

/// The figures of a publisher, of this instance since it started.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Apart from the rest: it is written by who sends and by who hears, record by record.
    in_flight: AtomicU64,
    rest: Mutex<Snapshot>,
}

/// All figures at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Records that the broker acknowledged.
    pub delivered: u64,
    /// Their keys and payloads, in bytes.
    pub delivered_bytes: u64,
    /// From giving a record to the producer to its acknowledgement, linger included.
    pub latency: Histogram,
    /// Records that were not delivered, by code, each attempt.
    pub failed: BTreeMap<&'static str, u64>,
    /// Records that the producer has now.
    pub in_flight: u64,
    /// Producers that were given up and made anew.
    pub rebuilt: u64,
    /// What became of transactions.
    pub transactions: Transactions,
}

/// Transactions of this instance since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transactions {
    /// Committed, and known to be.
    pub committed: u64,
    /// Given up before they were committed, such as for a record that was refused.
    pub aborted: u64,
    /// Left by somebody, or by us after trouble, and found to be committed: nothing was sent again.
    pub found_committed: u64,
    /// Left by somebody, or by us after trouble, and ended before they were committed: what was in
    /// them was sent again, and nobody saw it twice.
    pub found_open: u64,
}

impl Metrics {
    /// Reads all figures: a lock and a copy.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { in_flight: self.in_flight.load(Ordering::Relaxed), ..self.lock().clone() }
    }

    pub(crate) fn sent(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// A record left the producer.
    pub(crate) fn came_back(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// A record was acknowledged.
    pub(crate) fn delivered(&self, bytes: usize, latency: Duration) {
        let mut figures = self.lock();
        figures.delivered += 1;
        figures.delivered_bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
        figures.latency.add(latency);
    }

    /// The records of a transaction were committed.
    pub(crate) fn committed(&self, sizes: impl Iterator<Item = usize>, latency: Duration) {
        let mut figures = self.lock();
        for bytes in sizes {
            figures.delivered += 1;
            figures.delivered_bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
            figures.latency.add(latency);
        }
    }

    pub(crate) fn failed(&self, code: Code) {
        *self.lock().failed.entry(code.as_str()).or_default() += 1;
    }

    pub(crate) fn rebuilt(&self) {
        self.lock().rebuilt += 1;
    }

    pub(crate) fn transactions(&self, change: impl FnOnce(&mut Transactions)) {
        change(&mut self.lock().transactions);
    }

    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
