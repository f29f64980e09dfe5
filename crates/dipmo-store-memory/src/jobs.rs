//! The port of jobs: begun, taken over, read page by page.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, OutboxId, StoreError, Timestamp};
use dipmo_outbox::{Job, JobId, JobMark, JobPage, JobPhase, Lease, Owner};
use dipmo_store::{BeginJob, JobChange, Jobs, LeasedJob, ReadParams};

use crate::MemoryStore;
use crate::job_change::change_job;
use crate::job_tables::Part;
use crate::leases::{fenced, free_jobs, lane_of, still_leased, take};
use crate::outbox::OutboxTables;
use crate::read::{ToDeliver, unit_again, units_of_chunk};

#[async_trait]
impl Jobs for MemoryStore {
    async fn begin_job(&self, params: BeginJob<'_>) -> Result<Option<LeasedJob>, StoreError> {
        self.transact(|database, now| begin(&mut database.outbox, &params, now))
    }

    async fn take_job(
        &self,
        destination: &Destination,
        owner: &Owner,
        duration: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        self.transact(|database, now| {
            let outbox = &mut database.outbox;
            let job = free_jobs(outbox, now).find(|job| job.destination == *destination).cloned();
            Ok(job.map(|job| take_over(outbox, job, owner, now.after(duration))))
        })
    }

    async fn change_job(
        &self,
        job: JobId,
        leases: &[Lease],
        change: JobChange,
    ) -> Result<Job, StoreError> {
        self.transact(|database, now| change_job(&mut database.outbox, job, leases, change, now))
    }

    async fn job_units(
        &self,
        job: JobId,
        behind: Option<JobMark>,
        limit: u32,
    ) -> Result<JobPage, StoreError> {
        self.read(|database, _| Ok(page(&database.outbox, job, behind, limit)))
    }

    async fn jobs(&self, limit: u32) -> Result<Vec<Job>, StoreError> {
        self.read(|database, _| {
            let jobs = &database.outbox.jobs;
            Ok(jobs.open().chain(jobs.ended()).take(as_usize(limit)).cloned().collect())
        })
    }
}

fn begin(
    outbox: &mut OutboxTables,
    params: &BeginJob<'_>,
    now: Timestamp,
) -> Result<Option<LeasedJob>, StoreError> {
    let BeginJob { leases, least, most } = *params;
    let lanes = still_leased(outbox, leases)?;
    if let Some(lane) = lanes.iter().find(|lane| outbox.jobs.hold(lane)) {
        return Err(fenced(format!("{} of {}: a job holds it", lane.lane, lane.destination)));
    }
    let read = ReadParams { leases, in_flight: &[], units: most };
    let parts = parts(outbox, ToDeliver::now(outbox, &read, now));
    let units: usize = parts.iter().map(|part| size(outbox, *part)).sum();
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    let Some(lease) = leases.first().filter(|_| units >= least.max(1)) else { return Ok(None) };
    let job = outbox.jobs.add(|id| Job {
        id,
        destination: lease.destination.clone(),
        phase: JobPhase::Sealed,
        remote: None,
        units,
        created_at: now,
        phase_at: now,
    });
    for part in parts {
        if let Some(unit) = outbox.units.get(&part.id).cloned() {
            outbox.jobs.join(job.id, &unit.lane, part);
        }
    }
    let held: BTreeSet<_> = outbox.jobs.lanes_of(job.id).cloned().collect();
    let leases = leases.iter().filter(|lease| held.contains(&lane_of(lease))).cloned().collect();
    Ok(Some(LeasedJob { job, leases }))
}

fn take_over(outbox: &mut OutboxTables, job: Job, owner: &Owner, until: Timestamp) -> LeasedJob {
    let lanes: Vec<_> = outbox.jobs.lanes_of(job.id).cloned().collect();
    let leases = lanes.into_iter().map(|lane| take(outbox, lane, owner, until)).collect();
    LeasedJob { job, leases }
}

fn parts(outbox: &OutboxTables, read: ToDeliver) -> Vec<Part> {
    let chunk = |id: OutboxId| {
        let last = outbox.chunks.get(&id).and_then(|units| units.last().copied());
        Some(Part { last: last?, id })
    };
    let chunks = read.chunks.into_iter().filter_map(chunk);
    read.due.into_iter().map(Part::row).chain(chunks).collect()
}

fn size(outbox: &OutboxTables, part: Part) -> usize {
    outbox.chunks.get(&part.id).map_or(1, Vec::len)
}

/// Whole parts, until they have so many units.
fn page(outbox: &OutboxTables, job: JobId, behind: Option<JobMark>, limit: u32) -> JobPage {
    let mut parts = outbox.jobs.behind(job, behind).peekable();
    let mut page = JobPage::default();
    while let Some(part) = parts.next() {
        if outbox.chunks.contains_key(&part.id) {
            page.units.extend(units_of_chunk(outbox, part.id));
        } else {
            page.units.extend(unit_again(outbox, part.id));
        }
        if page.units.len() >= as_usize(limit) {
            page.next = parts.peek().map(|_| JobMark(part.last));
            break;
        }
    }
    page
}

fn as_usize(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
