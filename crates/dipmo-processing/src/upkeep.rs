//! What has to happen now and then: timers fire, held messages are let go, months are made.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::Store;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::options::UpkeepOptions;

/// When months could not be made, they are tried again after so long.
const MONTHS_AGAIN: Duration = Duration::from_secs(60);

/// Runs in every instance: all of it is safe to do twice.
pub(crate) struct Upkeep {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) options: UpkeepOptions,
    pub(crate) metrics: Arc<Metrics>,
}

impl Upkeep {
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut months_due = Instant::now();
        while !stop.is_cancelled() {
            if months_due <= Instant::now() {
                let again = match self.store.prepare_months(1).await {
                    Ok(()) => self.options.months,
                    // It may not be ours to make: messages find their place without it.
                    Err(error) => {
                        self.metrics.store_failed("prepare_months", &error);
                        self.options.months.min(MONTHS_AGAIN)
                    }
                };
                months_due = Instant::now() + again;
            }
            if let Err((what, error)) = self.round(&stop).await {
                self.metrics.store_failed(what, &error);
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = sleep(self.options.poll) => {}
            }
        }
    }

    /// Fires and lets go until nothing is left, in bounded batches.
    async fn round(&self, stop: &CancellationToken) -> Result<(), (&'static str, StoreError)> {
        let limit = self.options.batch;
        while !stop.is_cancelled() {
            let fired = self.store.fire_timers(limit).await.map_err(|e| ("fire_timers", e))?;
            let messages = self.store.release(limit).await.map_err(|e| ("release", e))?;
            let units = self.store.release_units(limit).await.map_err(|e| ("release_units", e))?;
            self.metrics.timers_fired(fired);
            self.metrics.released(messages + units);
            if fired + messages + units == 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}
