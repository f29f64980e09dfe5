//! What has to happen now and then, so that what operators look at stays small and quick.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{LONGEST_WINDOW, Operable};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::patience::rests;
use crate::metrics::Metrics;

/// How often groups of failures are put together: while there is something, and while there is nothing.
const FOLDS: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(15)];
/// How many notes of changes at once.
const NOTES: u32 = 1_000;

/// How often to look for something to forget.
const HOUR: Duration = Duration::from_secs(3_600);
/// Instances that start together do not look together.
const SPREAD: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// Groups in which nothing counts any more, and items of operations that ended, are kept for so long.
const KEPT: Duration = Duration::from_secs(30 * DAY.as_secs());
/// How many items go at once, and the rest between two portions: others want the database too.
const ITEMS: (u32, Duration) = (1_000, Duration::from_millis(200));

/// Runs with every performer: all of it is safe to do twice.
pub(super) struct Tidying {
    pub(super) store: Arc<dyn Operable>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) random: fastrand::Rng,
}

impl Tidying {
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        let random = self.random.fork();
        tokio::join!(self.fold(self.random.clone(), stop), self.forget(random, stop));
    }

    async fn fold(&self, mut random: fastrand::Rng, stop: &CancellationToken) {
        let [busy, idle] = FOLDS;
        let mut pause = busy;
        while rests(Instant::now() + pause.mul_f64(0.5 + random.f64()), stop).await {
            pause = match self.store.fold_failures(NOTES).await {
                Ok(0) => idle,
                // There is more, most likely.
                Ok(notes) if notes >= u64::from(NOTES) => Duration::ZERO,
                Ok(_) => busy,
                Err(error) => {
                    self.metrics.store_failed("fold_failures", &error);
                    idle
                }
            };
        }
    }

    async fn forget(&self, mut random: fastrand::Rng, stop: &CancellationToken) {
        let mut pause = SPREAD.mul_f64(random.f64());
        while rests(Instant::now() + pause, stop).await {
            if let Err((what, error)) = self.forget_once(stop).await {
                self.metrics.store_failed(what, &error);
            }
            pause = HOUR + SPREAD.mul_f64(random.f64());
        }
    }

    async fn forget_once(
        &self,
        stop: &CancellationToken,
    ) -> Result<(), (&'static str, StoreError)> {
        let now = self.store.now().await.map_err(|e| ("now", e))?;
        let kept_since = before(now, KEPT);
        let forgot = self.store.forget_failures(kept_since).await;
        forgot.map_err(|e| ("forget_failures", e))?;
        let forgot = self.store.forget_instances(before(now, DAY)).await;
        forgot.map_err(|e| ("forget_instances", e))?;
        // The oldest hour of the longest window began an hour before it, at most.
        let forgot = self.store.forget_slo(before(now, LONGEST_WINDOW + HOUR)).await;
        forgot.map_err(|e| ("forget_slo", e))?;
        let (most, rest) = ITEMS;
        loop {
            let forgot = self.store.forget_operation_items(kept_since, most).await;
            let forgot = forgot.map_err(|e| ("forget_operation_items", e))?;
            if forgot < u64::from(most) || !rests(Instant::now() + rest, stop).await {
                return Ok(());
            }
        }
    }
}

fn before(now: Timestamp, kept: Duration) -> Timestamp {
    let micros = i64::try_from(kept.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_micros(now.as_micros().saturating_sub(micros)).unwrap_or(Timestamp::EPOCH)
}
