//! Figures of jobs.

use std::collections::BTreeMap;

use dipmo_domain::Histogram;
use dipmo_outbox::{Job, JobPhase};

/// Figures of the jobs of one destination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFigures {
    /// Jobs that this instance began.
    pub begun: u64,
    /// Units that they were sealed with.
    pub units: u64,
    /// Unfinished jobs that it went on with: of an instance that crashed or stopped, or its own
    /// after a run that failed.
    pub taken_over: u64,
    /// Jobs that it ended.
    pub ended: u64,
    /// Runs of the publisher that panicked or could not be ended; they are tried again.
    pub failed_runs: u64,
    /// Jobs that it has in hand now, by phase.
    pub in_hand: BTreeMap<&'static str, JobsInHand>,
    /// How long jobs were in each phase, by the database's clock; counted when they leave it.
    pub phases: BTreeMap<&'static str, Histogram>,
}

/// Jobs that an instance has in hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobsInHand {
    /// How many.
    pub jobs: u64,
    /// How many units they were sealed with.
    pub units: u64,
}

impl JobFigures {
    /// A job is in hand.
    pub(crate) fn held(&mut self, job: &Job) {
        let now = self.in_hand.entry(job.phase.as_str()).or_default();
        now.jobs += 1;
        now.units += u64::from(job.units);
    }

    /// A job is in hand no more. An ended one has not been since it ended.
    pub(crate) fn left(&mut self, job: &Job) {
        if let Some(now) = self.in_hand.get_mut(job.phase.as_str()) {
            now.jobs -= 1;
            now.units -= u64::from(job.units);
            if now.jobs == 0 {
                self.in_hand.remove(job.phase.as_str());
            }
        }
    }

    /// A job in hand has another phase.
    pub(crate) fn changed(&mut self, before: &Job, after: &Job) {
        if before.phase == after.phase {
            return;
        }
        self.left(before);
        let took = after.phase_at.since(before.phase_at);
        self.phases.entry(before.phase.as_str()).or_default().add(took);
        if after.phase == JobPhase::Ended {
            self.ended += 1;
        } else {
            self.held(after);
        }
    }
}
