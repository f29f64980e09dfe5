//! What a courier writes to the store, and what of it must not be given up at the first trouble.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Destination, Lane, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Lease, UnitResult, UnitSettlement};
use dipmo_store::{Settle, Store};
use tokio::time::{Instant, sleep};

use super::internal;
use crate::metrics::Metrics;
use crate::telling;

/// Rests after errors: the first, and the longest.
const RESTS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(5)];

/// The store and the figures, for one destination.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) store: Arc<dyn Store>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) destination: Destination,
    /// What is delivered later than so long after its message came is late.
    pub(super) promised: Option<Duration>,
}

impl Desk {
    /// Tries until it is done, somebody else has taken over, or the time is up.
    pub(super) async fn persist<T, F: Future<Output = Result<T, StoreError>>>(
        &self,
        what: &'static str,
        until: Instant,
        call: impl Fn() -> F,
    ) -> Result<T, StoreError> {
        let [mut rest, longest] = RESTS;
        loop {
            let error = match call().await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let is_lost = matches!(error, StoreError::Fenced { .. }) || !error.is_transient();
            if is_lost || Instant::now() + rest >= until {
                return Err(error);
            }
            self.metrics.store_failed(what, &error);
            sleep(rest).await;
            rest = longest.min(rest * 2);
        }
    }

    /// Writes what became of units. What was delivered would be delivered again if this were
    /// lost, so it is tried for as long as the leases are ours.
    pub(super) async fn settle(
        &self,
        units: &[UnitSettlement],
        leases: &[Lease],
        messages: &[NewMessage],
        until: Instant,
    ) -> Result<(), StoreError> {
        let lanes: HashSet<Lane> = units.iter().map(|unit| unit.delivery.lane).collect();
        let used = leases.iter().filter(|lease| lanes.contains(&lease.lane));
        let leases: Vec<Lease> = used.cloned().collect();
        let settle = || {
            let replies = internal::replies(units);
            self.store.settle(Settle { leases: &leases, units, messages, replies })
        };
        let report = self.persist("settle", until, settle).await?;
        let promised = self.promised;
        self.metrics.destination(&self.destination, |it| it.settled(units, report.at, promised));
        telling::failed_units(&self.destination, units);
        // What was put back as it was is where it was.
        if !units.iter().all(|it| matches!(it.result, UnitResult::Later | UnitResult::Held)) {
            self.metrics.pulse().worked(&self.destination.to_string());
        }
        Ok(())
    }
}
