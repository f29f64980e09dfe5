//! Samples how much waits, so that whoever reads the figures asks no database.

use std::sync::Arc;
use std::time::Duration;

use dipmo_store::Store;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::options::UpkeepOptions;

/// A sample that took long is followed by a pause so many times as long: counting costs the
/// database at most a twentieth of the time of one connection, however much waits.
const PAUSE: u32 = 20;
/// But never longer than this: one that had to wait for a database that was away says nothing about
/// the next.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Beside the rest of upkeep and not in its way: timers do not wait for a count.
pub(crate) struct Sampling {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) options: UpkeepOptions,
    pub(crate) metrics: Arc<Metrics>,
}

impl Sampling {
    pub(crate) async fn run(self, stop: CancellationToken) {
        regularly(self.options.figures, stop, || self.sample()).await;
    }

    /// When the store does not answer, the last sample stays: its time says how old it is.
    async fn sample(&self) {
        match self.store.backlog().await {
            Ok(backlog) => self.metrics.backlog(backlog),
            Err(error) => {
                self.metrics.pulse().away(&error);
                self.metrics.store_failed("backlog", &error);
            }
        }
    }
}

/// Looks every so often, and less often when looking takes long, until it is stopped.
pub(crate) async fn regularly<Look: Future<Output = ()>>(
    every: Duration,
    stop: CancellationToken,
    look: impl Fn() -> Look,
) {
    while !stop.is_cancelled() {
        let began = Instant::now();
        tokio::select! {
            biased;
            // Looking changes nothing, so that it can be given up at any point.
            () = stop.cancelled() => return,
            () = look() => {}
        }
        let pause = every.max(LONGEST_PAUSE.min(began.elapsed() * PAUSE));
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = sleep(pause) => {}
        }
    }
}
