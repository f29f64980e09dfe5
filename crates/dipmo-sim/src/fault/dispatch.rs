//! The port of the dispatcher.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Delivery, Lease, Owner};
use dipmo_store::{Dispatch, LeaseParams, ReadParams, Settle, SettleReport};
use dipmo_store_memory::MemoryStore;

use crate::fault::Faulty;
use crate::witness;

#[async_trait]
impl Dispatch for Faulty {
    async fn due_destinations(&self) -> Result<Vec<Destination>, StoreError> {
        self.call("due_destinations", |store| async move { store.due_destinations().await }).await
    }

    async fn lease(&self, params: &LeaseParams) -> Result<Vec<Lease>, StoreError> {
        let (sim, params) = (Arc::clone(&self.sim), params.clone());
        let jumps = self.sim.clock.jumps();
        let run = move |store: MemoryStore| async move {
            let leases = store.lease(&params).await?;
            witness::leased(&sim, &params.owner, &leases, params.duration, jumps);
            Ok(leases)
        };
        self.call("lease", run).await
    }

    async fn renew(
        &self,
        owner: &Owner,
        leases: &[Lease],
        duration: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let (sim, owner, asked) = (Arc::clone(&self.sim), owner.clone(), leases.to_vec());
        let jumps = self.sim.clock.jumps();
        let run = move |store: MemoryStore| async move {
            let renewed = store.renew(&owner, &asked, duration).await?;
            witness::leased(&sim, &owner, &renewed, duration, jumps);
            Ok(renewed)
        };
        let renewed = self.call("renew", run).await?;
        self.sim.witness().told(leases, &renewed);
        Ok(renewed)
    }

    async fn give_back(&self, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError> {
        let (sim, owner, leases) = (Arc::clone(&self.sim), owner.clone(), leases.to_vec());
        let run = |store: MemoryStore| async move {
            store.give_back(&owner, &leases).await?;
            witness::given_back(&sim, &owner, &leases);
            Ok(())
        };
        self.call("give_back", run).await
    }

    async fn read(&self, params: ReadParams<'_>) -> Result<Vec<Delivery>, StoreError> {
        let (leases, in_flight, units) =
            (params.leases.to_vec(), params.in_flight.to_vec(), params.units);
        let (hand, sim) = (leases.clone(), Arc::clone(&self.sim));
        let run = move |store: MemoryStore| async move {
            let params = ReadParams { leases: &leases, in_flight: &in_flight, units };
            let deliveries = Dispatch::read(&store, params).await?;
            sim.outside().read(&deliveries);
            Ok(deliveries)
        };
        let read = self.call("read", run).await;
        // What this task sends from now on, it sends under these.
        self.sim.witness().hands.insert(tokio::task::try_id(), hand);
        read
    }

    async fn settle(&self, settle: Settle<'_>) -> Result<SettleReport, StoreError> {
        let Settle { leases, units, messages, replies } = settle;
        let (leases, units, messages) = (leases.to_vec(), units.to_vec(), messages.to_vec());
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let run = move |store: MemoryStore| async move {
            let settle = Settle { leases: &leases, units: &units, messages: &messages, replies };
            let report = store.settle(settle).await?;
            witness::settled(&sim, &name, &units);
            Ok(report)
        };
        self.call("settle", run).await
    }

    async fn release_units(&self, limit: u32) -> Result<usize, StoreError> {
        self.call("release_units", move |store| async move { store.release_units(limit).await })
            .await
    }
}
