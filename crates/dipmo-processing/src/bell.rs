//! Waiting for work: a wake-up, or the next poll.

use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::{Side, Store};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The longest rest after errors of the store.
const LONGEST_REST: Duration = Duration::from_secs(5);

/// Rings when something may have become ready; polls when nobody rings.
pub(crate) struct Bell {
    arrivals: watch::Receiver<u64>,
    poll: Duration,
    random: fastrand::Rng,
    errors: u32,
}

impl Bell {
    pub(crate) fn new(
        store: &dyn Store,
        side: Side,
        poll: Duration,
        random: fastrand::Rng,
    ) -> Self {
        Self { arrivals: store.arrivals(side), poll, random, errors: 0 }
    }

    /// Called before looking for work: what rings after this is not missed.
    pub(crate) fn heard(&mut self) {
        self.arrivals.borrow_and_update();
    }

    /// Waits for a ring, the next poll, or the end.
    pub(crate) async fn wait(&mut self, stop: &CancellationToken) {
        self.errors = 0;
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            // A store that rings no more is one that is going away: polling finds out.
            Ok(()) = self.arrivals.changed() => {}
            () = sleep(self.poll) => {}
        }
    }

    /// Waits after an error, longer after each, so that a database that comes back is not met by
    /// everybody at once. Who only lost a race goes on almost at once.
    pub(crate) async fn rest(&mut self, error: &StoreError, stop: &CancellationToken) {
        let lost_a_race = matches!(
            error,
            StoreError::Fenced { .. }
                | StoreError::VersionConflict { .. }
                | StoreError::Busy { .. }
        );
        let first = Duration::from_millis(if lost_a_race { 2 } else { 100 });
        let longest = first.saturating_mul(2_u32.saturating_pow(self.errors)).min(LONGEST_REST);
        self.errors = (self.errors + 1).min(16);
        let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let rest = Duration::from_millis(1 + self.random.u64(..=millis));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = sleep(rest) => {}
        }
    }
}
