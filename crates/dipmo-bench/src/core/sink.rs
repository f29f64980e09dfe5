//! Publishers that do nothing, or nothing but remember what they were given.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, ensure};
use async_trait::async_trait;
use dipmo_domain::{InboxId, OutboxId};
use dipmo_outbox::{Delivery, Published, Publisher};

/// Acknowledges everything and forgets it.
pub(super) struct Void;

#[async_trait]
impl Publisher for Void {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        deliveries.iter().map(|_| Published::delivered()).collect()
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Acknowledges everything, as a broker does it: with a partition and an offset.
#[derive(Default)]
pub(super) struct Sink(Mutex<Vec<(OutboxId, String, Option<InboxId>)>>);

#[async_trait]
impl Publisher for Sink {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let take = |delivery: &Delivery| {
            taken.push((delivery.unit, delivery.aggregate_id.clone(), delivery.cause));
            let external_ref = format!("{}:{}", delivery.lane.index() % 8, delivery.unit.0);
            Published::Delivered { external_ref: Some(external_ref) }
        };
        deliveries.iter().map(take).collect()
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

impl Sink {
    /// Each intent came once, in the order of the messages of its account.
    pub(super) fn check(&self, all: usize) -> Result<()> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ensure!(taken.len() == all, "{} units were delivered for {all} messages", taken.len());
        let mut last: HashMap<&str, (OutboxId, Option<InboxId>)> = HashMap::new();
        for (unit, account, cause) in taken.iter() {
            if let Some((unit_before, before)) = last.insert(account, (*unit, *cause)) {
                ensure!(unit_before < *unit, "{account}: {unit} came after {unit_before}");
                ensure!(before < *cause, "{account}: {cause:?} came after {before:?}");
            }
        }
        Ok(())
    }
}
