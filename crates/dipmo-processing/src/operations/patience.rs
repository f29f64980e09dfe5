//! Calls of the store that are tried again while its trouble may go by itself.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Backoff, StoreError};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;

/// About half a minute in all, as long as a lease.
const RESTS: Backoff = Backoff::Exponential {
    first: Duration::from_millis(100),
    longest: Duration::from_secs(5),
    retries: 16,
};

/// Somebody who does not give up at the first trouble.
pub(super) struct Patience {
    pub(super) metrics: Arc<Metrics>,
    pub(super) random: fastrand::Rng,
    pub(super) stop: CancellationToken,
}

impl Patience {
    /// Calls until it is done, the trouble does not go by itself, or it is to stop. Who was fenced has lost
    /// the operation for good.
    pub(super) async fn call<T, F: Future<Output = Result<T, StoreError>>>(
        &mut self,
        what: &'static str,
        call: impl Fn() -> F,
    ) -> Result<T, StoreError> {
        let mut errors = 0;
        loop {
            let error = match call().await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            if matches!(error, StoreError::Fenced { .. }) {
                return Err(error);
            }
            if !error.is_transient() {
                self.metrics.store_error(what, &error);
                return Err(error);
            }
            self.metrics.store_failed(what, &error);
            let Some(rest) = RESTS.delay(errors, self.random.u64(..)) else { return Err(error) };
            errors += 1;
            if !self.rests(Instant::now() + rest).await {
                return Err(error);
            }
        }
    }

    /// Waits; false when it is to stop.
    pub(super) async fn rests(&self, until: Instant) -> bool {
        rests(until, &self.stop).await
    }
}

/// Waits; false when it is to stop.
pub(super) async fn rests(until: Instant, stop: &CancellationToken) -> bool {
    tokio::select! {
        biased;
        () = stop.cancelled() => false,
        () = sleep_until(until) => true,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn patience() -> Patience {
        let (random, stop) = (fastrand::Rng::with_seed(7), CancellationToken::new());
        Patience { metrics: Arc::default(), random, stop }
    }

    fn busy() -> StoreError {
        StoreError::Busy { statement: "x", problem: "y".to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn trouble_that_goes_by_itself_is_waited_for_and_counted() {
        let (calls, mut patience) = (AtomicU32::new(0), patience());
        let call = || async {
            if calls.fetch_add(1, Ordering::Relaxed) < 9 { Err(busy()) } else { Ok(5) }
        };
        assert_eq!(patience.call("x", call).await, Ok(5));
        assert_eq!(patience.metrics.snapshot().store_errors[&("x", "store-busy")], 9);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_has_an_end_and_other_trouble_gets_none() {
        let refused = StoreError::RowRefused { statement: "x", problem: "y".to_owned() };
        let fenced = StoreError::Fenced { what: "z".to_owned() };
        for (error, expected) in [(busy(), 17), (refused, 1), (fenced, 1)] {
            let calls = AtomicU32::new(0);
            let call = || async {
                calls.fetch_add(1, Ordering::Relaxed);
                Err::<(), _>(error.clone())
            };
            assert_eq!(patience().call("x", call).await, Err(error.clone()));
            assert_eq!(calls.load(Ordering::Relaxed), expected, "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_to_stop_does_not_wait() {
        let mut patience = patience();
        patience.stop.cancel();
        let began = Instant::now();
        assert_eq!(patience.call("x", || async { Err::<(), _>(busy()) }).await, Err(busy()));
        assert_eq!(Instant::now(), began);
    }
}
