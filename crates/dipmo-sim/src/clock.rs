//! The clock of the database: tokio's virtual one, and how far it has been set off from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use dipmo_domain::Timestamp;
use tokio::time::Instant;

/// A clock that can be set forwards and backwards while everybody looks at it.
#[derive(Clone)]
pub(crate) struct Clock {
    start: Instant,
    skew_micros: Arc<AtomicI64>,
    jumps: Arc<AtomicU64>,
}

impl Clock {
    /// Starts now, at a time far from any border.
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), skew_micros: Arc::default(), jumps: Arc::default() }
    }

    /// What the database reads. A store does not believe a clock that goes back: it stands still.
    pub(crate) fn read(&self) -> Timestamp {
        let passed = i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX);
        let micros = 1_000_000_000_000 + passed + self.skew_micros.load(Ordering::Relaxed);
        Timestamp::from_micros(micros).unwrap_or(Timestamp::EPOCH)
    }

    /// Sets the clock forwards. Leases then end earlier than their holders can know.
    pub(crate) fn jump_ahead(&self, by: Duration) {
        self.jumps.fetch_add(1, Ordering::Relaxed);
        self.skew(i64::try_from(by.as_micros()).unwrap_or(0));
    }

    /// Sets the clock back, so that time stands for as long.
    pub(crate) fn jump_back(&self, by: Duration) {
        self.skew(-i64::try_from(by.as_micros()).unwrap_or(0));
    }

    /// How often it was set forwards.
    pub(crate) fn jumps(&self) -> u64 {
        self.jumps.load(Ordering::Relaxed)
    }

    /// Since the start of the run, whatever the database believes.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn skew(&self, micros: i64) {
        self.skew_micros.fetch_add(micros, Ordering::Relaxed);
    }
}
