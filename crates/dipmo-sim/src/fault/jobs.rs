//! The ports of jobs and look-ups.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{Destination, StoreError, Value};
use dipmo_outbox::{Job, JobId, JobMark, JobPage, Lease, Owner};
use dipmo_store::{BeginJob, JobChange, Jobs, LeasedJob, Lookup};
use dipmo_store_memory::MemoryStore;

use crate::fault::Faulty;
use crate::witness;

#[async_trait]
impl Jobs for Faulty {
    async fn begin_job(&self, params: BeginJob<'_>) -> Result<Option<LeasedJob>, StoreError> {
        let BeginJob { leases, least, most } = params;
        let (sim, name, leases) = (Arc::clone(&self.sim), Arc::clone(&self.name), leases.to_vec());
        let run = move |store: MemoryStore| async move {
            let begun = store.begin_job(BeginJob { leases: &leases, least, most }).await?;
            begun.iter().for_each(|job| witness::begun(&sim, &name, job));
            Ok(begun)
        };
        let begun = self.call("begin_job", run).await?;
        self.has(begun.as_ref());
        Ok(begun)
    }

    async fn take_job(
        &self,
        destination: &Destination,
        owner: &Owner,
        duration: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let (destination, owner) = (destination.clone(), owner.clone());
        let jumps = self.sim.clock.jumps();
        let run = move |store: MemoryStore| async move {
            let taken = store.take_job(&destination, &owner, duration).await?;
            if let Some(job) = &taken {
                witness::leased(&sim, &owner, &job.leases, duration, jumps);
                witness::taken(&sim, &name, job);
            }
            Ok(taken)
        };
        let taken = self.call("take_job", run).await?;
        self.has(taken.as_ref());
        Ok(taken)
    }

    async fn change_job(
        &self,
        job: JobId,
        leases: &[Lease],
        change: JobChange,
    ) -> Result<Job, StoreError> {
        let (sim, name, leases) = (Arc::clone(&self.sim), Arc::clone(&self.name), leases.to_vec());
        let run = move |store: MemoryStore| async move {
            let changed = store.change_job(job, &leases, change.clone()).await?;
            witness::changed(&sim, &name, &changed, &change);
            Ok(changed)
        };
        self.call("change_job", run).await
    }

    async fn job_units(
        &self,
        job: JobId,
        behind: Option<JobMark>,
        limit: u32,
    ) -> Result<JobPage, StoreError> {
        let run =
            move |store: MemoryStore| async move { store.job_units(job, behind, limit).await };
        self.call("job_units", run).await
    }

    async fn jobs(&self, limit: u32) -> Result<Vec<Job>, StoreError> {
        self.sim.store.jobs(limit).await
    }
}

impl Faulty {
    /// What this task asks of a destination from now on, it asks under the leases of this job.
    fn has(&self, job: Option<&LeasedJob>) {
        if let Some(LeasedJob { leases, .. }) = job {
            self.sim.witness().hands.insert(tokio::task::try_id(), leases.clone());
        }
    }
}

#[async_trait]
impl Lookup for Faulty {
    /// Nobody hydrates in this world.
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError> {
        self.sim.store.look_up(fact, keys).await
    }
}
