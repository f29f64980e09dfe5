//! Jobs: begun, taken over and changed under the locks of their lanes.
//!
//! Each call is one transaction, so that whoever takes a job over finds it as some call left it. Nothing
//! but the holder of its lanes changes a job: a statement locks them and asserts that they are ours,
//! the next one reads.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Epoch, Job, JobId, JobMark, JobPage, JobPhase, Lease, Owner};
use dipmo_store::{BeginJob, JobChange, Jobs, LeasedJob, Side};
use tokio_postgres::Row;

use crate::dispatch::{columns, destination};
use crate::exception::micros;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgTime;
use crate::{job_change, job_units, rows};

#[async_trait]
impl Jobs for PostgresStore {
    async fn begin_job(&self, wanted: BeginJob<'_>) -> Result<Option<LeasedJob>, StoreError> {
        let Some(first) = wanted.leases.first() else { return Ok(None) };
        let (destinations, lanes, epochs) = columns(wanted.leases);
        if let Some(stray) = wanted.leases.iter().find(|it| it.destination != first.destination) {
            let what = format!("a job of {}: {} is another", first.destination, stray.destination);
            return Err(StoreError::Fenced { what });
        }
        let (least, most) = (i64::from(wanted.least), i64::from(wanted.most));
        let name = first.destination.to_string();
        let calls = vec![
            sql::begin().call(),
            sql::lease_check().with(params![destinations.clone(), lanes.clone(), epochs]),
            sql::job_idle().with(params![destinations, lanes.clone()]),
            sql::job_begin().with(params![name, lanes, least, most]),
            sql::commit().call(),
        ];
        let answers = self.hot().await?.run(calls).await?;
        let Some(row) = answers[3].first() else { return Ok(None) };
        let held: Vec<i16> = row.get(7);
        let is_held = |lease: &&Lease| held.contains(&i16::from(lease.lane.index()));
        let leases = wanted.leases.iter().filter(is_held).cloned().collect();
        Ok(Some(LeasedJob { job: job(row)?, leases }))
    }

    async fn take_job(
        &self,
        destination: &Destination,
        owner: &Owner,
        duration: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        let take = sql::job_take().with(params![
            owner.0.clone(),
            destination.to_string(),
            micros(duration)
        ]);
        let rows = self.hot().await?.run(vec![take]).await?.remove(0);
        let Some(first) = rows.first() else { return Ok(None) };
        let lease = |row: &Row| {
            let (lane, epoch) = (rows::lane(row.get(7))?, Epoch(row.get(8)));
            Ok(Lease { destination: destination.clone(), lane, epoch })
        };
        let mut leases = rows.iter().map(lease).collect::<Result<Vec<_>, StoreError>>()?;
        leases.sort_unstable_by_key(|lease| lease.lane);
        Ok(Some(LeasedJob { job: job(first)?, leases }))
    }

    async fn change_job(
        &self,
        id: JobId,
        leases: &[Lease],
        change: JobChange,
    ) -> Result<Job, StoreError> {
        let (job, let_go) = job_change::run(self.hot().await?, id, leases, change).await?;
        self.waking(Side::Outbox, let_go);
        Ok(job)
    }

    async fn job_units(
        &self,
        id: JobId,
        behind: Option<JobMark>,
        limit: u32,
    ) -> Result<JobPage, StoreError> {
        job_units::page(self.hot().await?, id, behind, limit).await
    }

    async fn jobs(&self, limit: u32) -> Result<Vec<Job>, StoreError> {
        let call = sql::job_rows().with(params![i64::from(limit)]);
        let rows = self.report().await?.run(vec![call]).await?.remove(0);
        rows.iter().map(job).collect()
    }
}

/// A job from the first columns of the statements that tell one.
pub(crate) fn job(row: &Row) -> Result<Job, StoreError> {
    let phase: &str = row.get(2);
    Ok(Job {
        id: JobId(row.get(0)),
        destination: destination(row.get(1))?,
        phase: JobPhase::from_name(phase).ok_or_else(|| rows::unreadable("PHASE", phase))?,
        remote: row.get(3),
        units: u32::try_from(row.get::<_, i32>(4)).unwrap_or(0),
        created_at: row.get::<_, PgTime>(5).0,
        phase_at: row.get::<_, PgTime>(6).0,
    })
}
