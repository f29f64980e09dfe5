//! The port of the dispatcher.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Delivery, Lease, Owner};
use dipmo_store::{Dispatch, LeaseParams, ReadParams, Settle, SettleReport, Side};

use crate::MemoryStore;
use crate::leases::{free_jobs, give_back, lanes_with_work, lease, renew};
use crate::outbox_settle::settle_units;
use crate::read::read_units;
use crate::release::release_units;

#[async_trait]
impl Dispatch for MemoryStore {
    async fn due_destinations(&self) -> Result<Vec<Destination>, StoreError> {
        self.read(|database, now| {
            let lanes = lanes_with_work(&database.outbox, now);
            let jobs = free_jobs(&database.outbox, now);
            let lanes = lanes.iter().map(|lane| &lane.destination);
            let destinations: BTreeSet<_> = lanes.chain(jobs.map(|job| &job.destination)).collect();
            Ok(destinations.into_iter().cloned().collect())
        })
    }

    async fn lease(&self, params: &LeaseParams) -> Result<Vec<Lease>, StoreError> {
        self.transact(|database, now| Ok(lease(&mut database.outbox, params, now)))
    }

    async fn renew(
        &self,
        owner: &Owner,
        leases: &[Lease],
        duration: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        self.transact(|database, now| {
            Ok(renew(&mut database.outbox, owner, leases, now.after(duration)))
        })
    }

    async fn give_back(&self, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError> {
        self.transact(|database, now| {
            give_back(&mut database.outbox, owner, leases, now);
            Ok(())
        })
    }

    async fn read(&self, params: ReadParams<'_>) -> Result<Vec<Delivery>, StoreError> {
        MemoryStore::read(self, |database, now| Ok(read_units(&database.outbox, &params, now)))
    }

    async fn settle(&self, settle: Settle<'_>) -> Result<SettleReport, StoreError> {
        let report = self.transact(|database, now| settle_units(database, settle, now))?;
        self.waking(Side::Inbox, report.messages);
        Ok(report)
    }

    async fn release_units(&self, limit: u32) -> Result<usize, StoreError> {
        self.transact(|database, now| Ok(release_units(&mut database.outbox, limit, now)))
            .map(|count| self.waking(Side::Outbox, count))
    }
}
