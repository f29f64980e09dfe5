//! Figures of a source: counted request by request, read at any time.
//!
//! Everything is of this instance since it started; `docs/guide/http-in.md` says what each means.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Histogram;
use dipmo_inbox::Stored;

/// The figures of a source.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Snapshot>);

/// All figures at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Connections that were accepted.
    pub connections: u64,
    /// Connections that ended before their TLS was agreed upon.
    pub handshakes_failed: u64,
    /// Requests that were answered, by status.
    pub answers: BTreeMap<u16, u64>,
    /// Requests that were not taken, by the code of their problem.
    pub refusals: BTreeMap<&'static str, u64>,
    /// How long a request took, from its head to its answer.
    pub answered: Histogram,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Messages that were new in the inbox.
    pub stored: u64,
    /// Requests that were repeated, and answered as the first time.
    pub replayed: u64,
    /// Requests with the key of another: kept as incidents.
    pub conflicts: u64,
    /// Transactions of the inbox.
    pub batches: u64,
    /// Messages in the largest of them.
    pub largest_batch: u64,
    /// How long a batch was stored.
    pub store: Histogram,
    /// Requests whose client had gone, or was told to come back, before they were stored.
    pub abandoned: u64,
    /// Errors of the database, by code.
    pub store_errors: BTreeMap<&'static str, u64>,
}

impl Snapshot {
    /// Messages in a batch on average.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of messages fit a double")]
    pub fn batch_size(&self) -> f64 {
        let messages = self.stored + self.replayed + self.conflicts;
        if self.batches == 0 { 0.0 } else { messages as f64 / self.batches as f64 }
    }

    /// Answers of a class: 2 for all from 200 to 299.
    #[must_use]
    pub fn answers_of(&self, class: u16) -> u64 {
        self.answers.range(class * 100..class * 100 + 100).map(|(_, count)| count).sum()
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

    pub(crate) fn answered(&self, status: u16, took: Duration) {
        self.change(|figures| {
            *figures.answers.entry(status).or_default() += 1;
            figures.answered.add(took);
        });
    }

    pub(crate) fn batch(&self, stored: &[Stored], took: Duration) {
        self.change(|figures| {
            figures.batches += 1;
            figures.largest_batch = figures.largest_batch.max(count(stored.len()));
            figures.store.add(took);
            for stored in stored {
                match stored {
                    Stored::New(_) => figures.stored += 1,
                    Stored::Duplicate(_) => figures.replayed += 1,
                    Stored::Conflict(_) => figures.conflicts += 1,
                }
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A count as figures have it.
pub(crate) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
