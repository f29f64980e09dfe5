//! The tables of jobs: the jobs, the lanes that they hold, and what is in them.
//!
//! **Invariant:** what is in a job is in a lane that the job holds.

use std::collections::BTreeSet;
use std::ops::Bound;

use dipmo_domain::OutboxId;
use dipmo_outbox::{Job, JobId, JobMark, JobPhase};

use crate::database::Map;
use crate::index::Index;
use crate::side::OutboxLane;

/// What is settled as a whole: a chunk, or a unit with a row of its own.
///
/// Parts are in the order of their last units. When a chunk is settled and some of its units stay,
/// each with a row of its own, these are still before every mark that the chunk was before: none
/// comes twice while somebody turns the pages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub(crate) last: OutboxId,
    /// The chunk, or the unit.
    pub(crate) id: OutboxId,
}

impl Part {
    /// A unit with a row of its own.
    pub(crate) const fn row(unit: OutboxId) -> Self {
        Self { last: unit, id: unit }
    }
}

/// All jobs.
#[derive(Clone, Default)]
pub(crate) struct JobTables {
    last_id: i64,
    rows: Map<JobId, Job>,
    lanes: Map<OutboxLane, JobId>,
    parts: Index<JobId, Part>,
    /// The job of each part, by its id.
    of_part: Map<OutboxId, (JobId, Part)>,
}

impl JobTables {
    /// Writes a new job.
    pub(crate) fn add(&mut self, job: impl FnOnce(JobId) -> Job) -> Job {
        self.last_id += 1;
        let job = job(JobId(self.last_id));
        self.rows.insert_mut(job.id, job.clone());
        job
    }

    pub(crate) fn get(&self, job: JobId) -> Option<&Job> {
        self.rows.get(&job)
    }

    pub(crate) fn change(&mut self, job: Job) {
        self.rows.insert_mut(job.id, job);
    }

    /// Those that have not ended, the oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Job> {
        self.rows.values().filter(|job| job.phase != JobPhase::Ended)
    }

    /// Those that have ended, the newest first.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &Job> {
        self.rows.values().rev().filter(|job| job.phase == JobPhase::Ended)
    }

    /// True for a lane that only a job is leased with.
    pub(crate) fn hold(&self, lane: &OutboxLane) -> bool {
        self.lanes.contains_key(lane)
    }

    pub(crate) fn lanes_of(&self, job: JobId) -> impl Iterator<Item = &OutboxLane> {
        self.lanes.iter().filter(move |(_, holder)| **holder == job).map(|(lane, _)| lane)
    }

    /// Puts a part of a lane into a job, which holds the lane from now on.
    pub(crate) fn join(&mut self, job: JobId, lane: &OutboxLane, part: Part) {
        self.lanes.insert_mut(lane.clone(), job);
        self.parts.add(&job, part);
        self.of_part.insert_mut(part.id, (job, part));
    }

    /// True for a part that is in a job.
    pub(crate) fn has(&self, part: OutboxId) -> bool {
        self.of_part.contains_key(&part)
    }

    /// Takes a part out of the job that it is in; answers that.
    pub(crate) fn leave(&mut self, part: OutboxId) -> Option<JobId> {
        let (job, part) = *self.of_part.get(&part)?;
        self.of_part.remove_mut(&part.id);
        self.parts.remove(&job, &part);
        Some(job)
    }

    /// Lets the lanes of a job go; answers them.
    pub(crate) fn free(&mut self, job: JobId) -> BTreeSet<OutboxLane> {
        let lanes: BTreeSet<_> = self.lanes_of(job).cloned().collect();
        for lane in &lanes {
            self.lanes.remove_mut(lane);
        }
        lanes
    }

    /// Forgets one that has ended.
    pub(crate) fn forget(&mut self, job: JobId) {
        self.rows.remove_mut(&job);
    }

    /// What is in a job behind a mark, in order.
    pub(crate) fn behind(&self, job: JobId, mark: Option<JobMark>) -> impl Iterator<Item = Part> {
        // No part has a greater id than its last unit.
        let after = mark.map(|JobMark(last)| Bound::Excluded(Part::row(last)));
        self.parts.range(&job, after.unwrap_or(Bound::Unbounded)).copied()
    }
}
