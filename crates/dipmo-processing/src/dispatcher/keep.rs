//! Keeping leases while something takes its time.

use std::pin::pin;

use dipmo_domain::StoreError;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::courier::Courier;
use super::hand::Hand;

impl Courier {
    /// Does something while the leases in hand are renewed, however long it takes. Once one of them
    /// is lost, or may be, it is given up at once.
    pub(super) async fn kept<T>(
        &self,
        hand: &mut Hand,
        work: impl Future<Output = T>,
    ) -> Result<T, StoreError> {
        let due = |hand: &Hand| hand.since + self.options.lease / 3;
        if due(hand) <= Instant::now() {
            // They may be lost already: nothing is begun before that is known.
            self.renew_all(hand).await?;
        }
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = sleep_until(due(hand)) => {}
            }
            let mut renewing = pin!(self.renew_all(hand));
            tokio::select! {
                biased;
                renewed = &mut renewing => renewed?,
                done = &mut work => {
                    // A call of the store is not dropped half way without need.
                    renewing.await?;
                    return Ok(done);
                }
            }
        }
    }

    /// All of them, or it has failed.
    async fn renew_all(&self, hand: &mut Hand) -> Result<(), StoreError> {
        let (desk, lease) = (&self.desk, self.options.lease);
        let until = hand.since + lease;
        let lost = || StoreError::Fenced { what: format!("lanes of {}", desk.destination) };
        let renew = || async {
            let since = Instant::now();
            let renewed = desk.store.renew(&self.owner, &hand.leases, lease).await?;
            if renewed.len() == hand.leases.len() { Ok(since) } else { Err(lost()) }
        };
        let renewed = timeout_at(until, desk.persist("renew", until, renew)).await;
        hand.since = renewed.unwrap_or_else(|_| Err(lost()))?;
        Ok(())
    }
}
