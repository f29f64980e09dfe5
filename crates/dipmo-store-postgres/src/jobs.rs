//! Jobs.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Job, JobId, JobMark, JobPage, Lease, Owner};
use dipmo_store::{BeginJob, JobChange, Jobs, LeasedJob};

use crate::store::PostgresStore;

#[async_trait]
impl Jobs for PostgresStore {
    async fn begin_job(&self, _params: BeginJob<'_>) -> Result<Option<LeasedJob>, StoreError> {
        Ok(None)
    }

    async fn take_job(
        &self,
        _destination: &Destination,
        _owner: &Owner,
        _duration: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        Ok(None)
    }

    async fn change_job(
        &self,
        job: JobId,
        _leases: &[Lease],
        _change: JobChange,
    ) -> Result<Job, StoreError> {
        Err(StoreError::Fenced { what: format!("job {job}") })
    }

    async fn job_units(
        &self,
        _job: JobId,
        _behind: Option<JobMark>,
        _limit: u32,
    ) -> Result<JobPage, StoreError> {
        Ok(JobPage::default())
    }

    async fn jobs(&self, _limit: u32) -> Result<Vec<Job>, StoreError> {
        Ok(Vec::new())
    }
}
