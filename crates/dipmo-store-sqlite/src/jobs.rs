//! Jobs: begun, taken over, and what their lanes let happen meanwhile.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Lane, StoreError};
use dipmo_outbox::{Epoch, Job, JobId, JobMark, JobPage, JobPhase, Lease, Owner};
use dipmo_store::{BeginJob, JobChange, Jobs, LeasedJob};
use rusqlite::Row;

use crate::deliveries::{ToDeliver, to_deliver};
use crate::error::{unexpected, unreadable};
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{SqliteStore, job_change, job_units, leases, rows, sql};

#[async_trait]
impl Jobs for SqliteStore {
    async fn begin_job(&self, params: BeginJob<'_>) -> Result<Option<LeasedJob>, StoreError> {
        let (leases, least) = (params.leases.to_vec(), as_usize(params.least));
        let most = as_usize(params.most);
        self.write(move |tx| begin(tx, &leases, least, most)).await
    }

    async fn take_job(
        &self,
        destination: &Destination,
        owner: &Owner,
        duration: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        let (destination, owner) = (destination.clone(), owner.clone());
        self.write(move |tx| take(tx, &destination, &owner, duration)).await
    }

    async fn change_job(
        &self,
        id: JobId,
        leases: &[Lease],
        change: JobChange,
    ) -> Result<Job, StoreError> {
        let leases = leases.to_vec();
        self.write(move |tx| job_change::run(tx, id, &leases, change)).await
    }

    async fn job_units(
        &self,
        id: JobId,
        behind: Option<JobMark>,
        limit: u32,
    ) -> Result<JobPage, StoreError> {
        self.read(move |tx| job_units::page(tx, id, behind, as_usize(limit.max(1)))).await
    }

    async fn jobs(&self, limit: u32) -> Result<Vec<Job>, StoreError> {
        self.read(move |tx| tx.all(&sql::job_rows(), [limit], job)).await
    }
}

/// Makes a job of what a read of these lanes would take.
fn begin(
    tx: &Tx<'_>,
    given: &[Lease],
    least: usize,
    most: usize,
) -> Result<Option<LeasedJob>, StoreError> {
    leases::check(tx, given)?;
    let Some(destination) = given.first().map(|lease| lease.destination.clone()) else {
        return Ok(None);
    };
    let queue = destination.to_string();
    for lease in given {
        if lease.destination != destination || holds(tx, &queue, lease.lane)? {
            let what = format!("{} of {}: no lane for a job", lease.lane, lease.destination);
            return Err(StoreError::Fenced { what });
        }
    }
    let lanes = to_deliver(tx, &given.iter().collect::<Vec<_>>(), &[], most)?;
    let units: usize = lanes.iter().map(|lane| lane.ready + lane.due.len()).sum();
    if units < least.max(1) {
        return Ok(None);
    }
    let id = JobId(tx.take_numbers("job", 1)?);
    tx.run(&sql::job_begin(), (id.0, &queue, units, tx.now().as_micros()))?;
    let mut leases = Vec::new();
    for ToDeliver { lease, chunks, due, .. } in lanes {
        let lane = lease.lane.index();
        for chunk in &chunks {
            tx.run(&sql::job_mark_chunk(), (&queue, lane, chunk, id.0))?;
        }
        for unit in &due {
            tx.run(&sql::job_mark_due(), (unit.id.0, id.0))?;
        }
        if !(chunks.is_empty() && due.is_empty()) {
            tx.run(&sql::job_hold(), (&queue, lane, id.0))?;
            leases.push(lease.clone());
        }
    }
    Ok(Some(LeasedJob { job: find(tx, id)?, leases }))
}

/// Takes a job that nobody holds.
fn take(
    tx: &Tx<'_>,
    destination: &Destination,
    owner: &Owner,
    duration: Duration,
) -> Result<Option<LeasedJob>, StoreError> {
    let queue = destination.to_string();
    let free = (&queue, tx.now().as_micros());
    let Some(id) = tx.one(&sql::job_take(), free, |row| row.get(0))?.map(JobId) else {
        return Ok(None);
    };
    let until = tx.now().after(duration).as_micros();
    let mut leases = tx.all(&sql::job_lease(), (&queue, id.0, &owner.0, until), |row| {
        let (lane, epoch) = (rows::lane(row, 0)?, Epoch(row.get(1)?));
        Ok(Lease { destination: destination.clone(), lane, epoch })
    })?;
    leases.sort_unstable_by_key(|lease| lease.lane);
    Ok(Some(LeasedJob { job: find(tx, id)?, leases }))
}

/// A job that is there.
pub(crate) fn find(tx: &Tx<'_>, id: JobId) -> Result<Job, StoreError> {
    let sql = sql::job_find();
    let missing = || unexpected(sql.name, format!("there is no job {id}"));
    tx.one(&sql, [id.0], job)?.ok_or_else(missing)
}

/// True for a lane that a job holds.
pub(crate) fn holds(tx: &Tx<'_>, queue: &str, lane: Lane) -> Result<bool, StoreError> {
    Ok(tx.one(&sql::job_idle(), (queue, lane.index()), |_| Ok(()))?.is_some())
}

/// Those of the leases whose lanes no job holds.
pub(crate) fn without_jobs<'a>(
    tx: &Tx<'_>,
    leases: &'a [Lease],
) -> Result<Vec<&'a Lease>, StoreError> {
    if tx.one(&sql::job_any(), (), |_| Ok(()))?.is_none() {
        return Ok(leases.iter().collect());
    }
    let mut free = Vec::new();
    for lease in leases {
        if !holds(tx, &lease.destination.to_string(), lease.lane)? {
            free.push(lease);
        }
    }
    Ok(free)
}

fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    let phase = row.get_ref(2)?.as_str()?;
    let unknown = || unreadable(2, format!("there is no phase {phase}"));
    Ok(Job {
        id: JobId(row.get(0)?),
        destination: rows::parsed(row, 1)?,
        phase: JobPhase::from_name(phase).ok_or_else(unknown)?,
        remote: row.get(3)?,
        units: row.get(4)?,
        created_at: rows::time(row, 5)?,
        phase_at: rows::time(row, 6)?,
    })
}
