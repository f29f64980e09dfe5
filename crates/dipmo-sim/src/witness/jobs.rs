//! Jobs: which lanes each of them holds, what is in it, and how far it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dipmo_domain::OutboxId;
use dipmo_outbox::{Job, JobId, JobPage, JobPhase, UnitResult};
use dipmo_store::{JobChange, Jobs as _, LeasedJob};
use futures_util::FutureExt as _;

use super::leases;
use crate::sim::Sim;

/// All jobs that have not ended.
#[derive(Default)]
pub(crate) struct JobsSeen {
    open: BTreeMap<JobId, JobSeen>,
    ended: usize,
    taken_over: usize,
}

struct JobSeen {
    job: Job,
    /// Destination and lane.
    lanes: BTreeSet<(String, u8)>,
    units: BTreeSet<OutboxId>,
}

impl JobsSeen {
    /// The job that holds a lane.
    pub(super) fn holder(&self, lane: &(String, u8)) -> Option<JobId> {
        self.open.iter().find(|(_, seen)| seen.lanes.contains(lane)).map(|(id, _)| *id)
    }

    /// Takes a settlement; answers what is wrong with it.
    pub(super) fn settled(&mut self, unit: OutboxId, result: &UnitResult) -> Option<String> {
        let job = self.open.iter_mut().find(|(_, seen)| seen.units.contains(&unit));
        match (job, result) {
            (Some((id, _)), UnitResult::InJob(stays)) if id == stays => None,
            (_, UnitResult::InJob(stays)) => Some(format!("unit {unit} is not in job {stays}")),
            (Some((_, seen)), _) => {
                seen.units.remove(&unit);
                None
            }
            (None, _) => None,
        }
    }

    /// How many have ended, and how often one was taken over.
    pub(crate) const fn counts(&self) -> (usize, usize) {
        (self.ended, self.taken_over)
    }

    /// What has not ended, for people.
    pub(crate) fn left(&self) -> Vec<String> {
        let left = self.open.iter();
        left.map(|(id, seen)| format!("job {id} {}", seen.job.phase.as_str())).collect()
    }
}

/// A job was begun.
pub(crate) fn begun(sim: &Arc<Sim>, name: &str, LeasedJob { job, leases }: &LeasedJob) {
    let units = units_of(sim, job.id);
    sim.step(format_args!("{name} begins job {} with {units:?}", job.id));
    let lanes: BTreeSet<_> = leases.iter().map(leases::key).collect();
    let mut witness = sim.witness();
    let held = lanes.iter().find_map(|lane| witness.jobs.holder(lane));
    let (id, seen) = (job.id, JobSeen { job: job.clone(), lanes, units });
    witness.jobs.open.insert(id, seen);
    drop(witness);
    if let Some(other) = held {
        sim.violation(format_args!("job {id} has lanes of job {other}"));
    }
}

/// A job was taken over.
pub(crate) fn taken(sim: &Arc<Sim>, name: &str, LeasedJob { job, leases }: &LeasedJob) {
    sim.step(format_args!("{name} takes job {} {}", job.id, job.phase.as_str()));
    let lanes: BTreeSet<_> = leases.iter().map(leases::key).collect();
    let mut witness = sim.witness();
    witness.jobs.taken_over += 1;
    let seen = witness.jobs.open.get(&job.id);
    let fits = seen.is_some_and(|seen| seen.lanes == lanes && seen.job == *job);
    drop(witness);
    if !fits {
        sim.violation(format_args!("job {} was taken over as another one", job.id));
    }
}

/// A job was changed.
pub(crate) fn changed(sim: &Arc<Sim>, name: &str, job: &Job, change: &JobChange) {
    sim.step(format_args!("{name} changes job {}: {change:?}", job.id));
    let left = matches!(change, JobChange::Released { .. }).then(|| units_of(sim, job.id));
    let mut witness = sim.witness();
    let Some(mut seen) = witness.jobs.open.remove(&job.id) else {
        drop(witness);
        return sim.violation(format_args!("job {} goes on after its end", job.id));
    };
    seen.job = job.clone();
    seen.units = left.unwrap_or(seen.units);
    let lost = job.phase == JobPhase::Ended && !seen.units.is_empty();
    if job.phase == JobPhase::Ended {
        witness.jobs.ended += 1;
    } else {
        witness.jobs.open.insert(job.id, seen);
    }
    drop(witness);
    if lost {
        sim.violation(format_args!("units of job {} were not settled as they left it", job.id));
    }
}

/// A publisher is about to ask something of a destination for a job that it has in hand. It may be
/// somebody else's by now only if the clock of the database jumped; answers whether it is its own.
pub(crate) fn may_go_on(sim: &Arc<Sim>, name: &str, what: &str) -> bool {
    let now = leases::now(sim);
    let witness = sim.witness();
    let hand = witness.hands.get(&tokio::task::try_id());
    let standing = |lease| witness.standing(sim, lease, now);
    let standings: Vec<_> = hand.into_iter().flatten().map(standing).collect();
    drop(witness);
    if standings.contains(&leases::Standing::Lost) {
        sim.violation(format_args!("{name} {what} for a job that it has lost"));
    }
    standings.iter().all(|standing| *standing == leases::Standing::Ours)
}

/// What is asked of the destination needs the job to be in a phase, and known by this id there.
pub(crate) fn must_be(sim: &Arc<Sim>, job: JobId, phase: JobPhase, remote: &str, what: &str) {
    let witness = sim.witness();
    let job_seen = witness.jobs.open.get(&job).map(|seen| &seen.job);
    let fits =
        job_seen.is_some_and(|job| job.phase == phase && job.remote.as_deref() == Some(remote));
    let problem = format!("{what} of {remote} when the job is {job_seen:?}");
    drop(witness);
    if !fits {
        sim.violation(problem);
    }
}

/// A job was given away with these units: just those that are left in it, or one of them could take
/// another way as well.
pub(crate) fn given(sim: &Arc<Sim>, name: &str, job: JobId, units: &BTreeSet<OutboxId>) {
    if !may_go_on(sim, name, "gives a job away") {
        return;
    }
    let witness = sim.witness();
    let left = witness.jobs.open.get(&job).map(|seen| seen.units.clone());
    drop(witness);
    if left.as_ref() != Some(units) {
        sim.violation(format_args!("job {job} was given with {units:?}, and has {left:?}"));
    }
}

fn units_of(sim: &Sim, job: JobId) -> BTreeSet<OutboxId> {
    let page = sim.store.job_units(job, None, u32::MAX).now_or_never().and_then(Result::ok);
    let JobPage { units, .. } = page.unwrap_or_default();
    // From now on somebody has them in hand.
    sim.outside().read(&units);
    units.iter().map(|delivery| delivery.unit).collect()
}
