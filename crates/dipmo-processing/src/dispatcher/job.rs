//! A courier with a job: takes one that was left, or makes one of what waits, and stays with it
//! until it has ended.
//!
//! ```text
//!  take_job ──────────────────────────┐
//!  lease ► gather ► begin_job ► run_job ► wait ► run_job ► … ► end
//!                               └──── leases are renewed ────┘
//! ```
//! The publisher knows what to do next from the job's phase and from the destination. So whoever
//! has the leases of the job's lanes can go on with it, and whoever lost them stops at once.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dipmo_domain::{Code, Failure, StoreError};
use dipmo_outbox::{Job, JobPhase, JobPlan, JobStep, JobWork as _, Lease, Publisher};
use dipmo_store::{BeginJob, LeasedJob};
use futures_util::FutureExt as _;

use super::courier::{ASK_AGAIN, Courier};
use super::hand::Hand;
use super::job_work::Work;
use crate::panics;

/// Rests after runs that failed: the first, and the longest.
const RESTS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// How far a run of the publisher got.
enum Went {
    /// No unit is left, and the job has ended.
    Ended,
    /// It is to be run again after so long.
    On(Duration),
    /// It cannot be run as it is.
    Wrong(Failure),
    /// It was given up because the engine stops.
    Left,
}

impl Courier {
    /// A job that was begun and is nobody's.
    pub(super) async fn take_job(&self) -> Result<Option<LeasedJob>, StoreError> {
        let desk = &self.desk;
        let taken = desk.store.take_job(&desk.destination, &self.owner, self.options.lease).await?;
        if let Some(LeasedJob { job, .. }) = &taken {
            let (id, phase) = (job.id, job.phase.as_str());
            tracing::info!(destination = %desk.destination, job = %id, phase, "a job is taken over");
            desk.metrics.destination(&desk.destination, |figures| figures.jobs.taken_over += 1);
        }
        Ok(taken)
    }

    /// Makes a job of what waits, if that is enough for one. The hand has the lanes of the job then,
    /// and no others.
    pub(super) async fn begin(
        &self,
        hand: &mut Hand,
        plan: JobPlan,
    ) -> Result<Option<Job>, StoreError> {
        if !plan.gather.is_zero() {
            let at_once = self.seal(hand, plan.enough.max(plan.least), plan.most).await?;
            if at_once.is_some() {
                return Ok(at_once);
            }
            self.gathers.store(true, Ordering::Relaxed);
            let pulse = self.desk.metrics.pulse();
            pulse.works(&self.desk.destination.to_string(), plan.gather);
            let gathered = self.kept(hand, self.pause(plan.gather)).await;
            self.gathers.store(false, Ordering::Relaxed);
            gathered?;
            let taken = u8::try_from(hand.leases.len()).unwrap_or(u8::MAX);
            let room = plan.lanes.saturating_sub(taken);
            if room > 0 {
                // What came meanwhile may be in other lanes.
                hand.add(self.lease(room).await?);
            }
        }
        if self.ending.is_begun() || self.is_paused() {
            return Ok(None);
        }
        self.seal(hand, plan.least, plan.most).await
    }

    /// Makes a job of what waits in the lanes of the hand now, unless that is less than `least`.
    async fn seal(
        &self,
        hand: &mut Hand,
        least: u32,
        most: u32,
    ) -> Result<Option<Job>, StoreError> {
        let params = BeginJob { leases: &hand.leases, least, most };
        let desk = &self.desk;
        let Some(LeasedJob { job, leases }) = desk.store.begin_job(params).await? else {
            return Ok(None);
        };
        desk.metrics.destination(&desk.destination, |figures| {
            figures.jobs.begun += 1;
            figures.jobs.units += u64::from(job.units);
        });
        let is_of_job = |lease: &Lease| leases.contains(lease);
        let others: Vec<Lease> =
            hand.leases.iter().filter(|lease| !is_of_job(lease)).cloned().collect();
        hand.leases = leases;
        // What cannot be given back runs out by itself.
        if let Err(error) = desk.store.give_back(&self.owner, &others).await {
            desk.metrics.store_failed("give_back", &error);
        }
        Ok(Some(job))
    }

    /// Goes on with a job until it has ended, or must be left to who takes it next: then it stands
    /// where it stands, and is begun by nobody a second time.
    pub(super) async fn carry(
        &mut self,
        publisher: &dyn Publisher,
        job: Job,
        hand: &mut Hand,
    ) -> Result<(), StoreError> {
        let (leases, random) = (hand.leases.clone(), self.random.fork());
        let (policy, patience) = (self.options.retry, self.options.lease);
        let (desk, ending) = (self.desk.clone(), self.ending.clone());
        let work = Work::new(desk, job, leases, policy, random, patience, ending);
        while !self.ending.is_begun() {
            match self.kept(hand, self.go_on(publisher, &work)).await?? {
                Went::Ended => {
                    self.setbacks = 0;
                    return Ok(());
                }
                Went::Left => {
                    // A call of the run that was dropped may be under way: the lanes are nobody's
                    // before their leases have run out.
                    hand.leases.clear();
                    return Ok(());
                }
                Went::On(time) => {
                    self.setbacks = 0;
                    self.kept(hand, self.pause(time)).await?;
                }
                Went::Wrong(failure) => {
                    let rest = self.set_back(&work, &failure);
                    self.kept(hand, self.pause(rest)).await?;
                    if self.ending.is_begun() {
                        // The rest was cut short, as above.
                        hand.leases.clear();
                    }
                    return Ok(());
                }
            }
            // What was given is only watched: a pause cannot hold back what the destination does by itself.
            let is_held = self.is_paused() && work.job().phase != JobPhase::Given;
            if is_held || !self.is_ready() {
                break;
            }
        }
        Ok(())
    }

    /// One run of the publisher. It may take as long as it likes, until the engine ends.
    async fn go_on(&self, publisher: &dyn Publisher, work: &Work) -> Result<Went, StoreError> {
        let ran = tokio::select! {
            biased;
            ran = AssertUnwindSafe(publisher.run_job(work)).catch_unwind() => ran,
            () = self.out_of_time() => return Ok(Went::Left),
        };
        let ended = match ran {
            Ok(Ok(JobStep::Wait(time))) => return Ok(Went::On(time.max(ASK_AGAIN))),
            Ok(Ok(JobStep::Ended)) => work.end().await.map(|()| Went::Ended),
            Ok(Err(error)) => Err(error),
            Err(panic) => {
                Ok(Went::Wrong(panics::failure(Code::new("publisher-panicked"), &*panic)))
            }
        };
        // Trouble of the store is nobody's fault here: the job is taken again as it stands then.
        ended.or_else(|error| match error {
            error if error.is_transient() => Err(error),
            error => Ok(Went::Wrong((&error).into())),
        })
    }

    /// Takes note of a run that failed; answers how long to rest. Its lanes are kept meanwhile, so
    /// that nobody else meets the same at once, and that no call of it is under way any more.
    fn set_back(&mut self, work: &Work, failure: &Failure) -> Duration {
        let [first, longest] = RESTS;
        let rest = longest.min(first.saturating_mul(2_u32.saturating_pow(self.setbacks)));
        self.setbacks = self.setbacks.saturating_add(1);
        let (destination, job) = (&self.desk.destination, work.job());
        let (code, why) = (failure.code(), failure.message());
        tracing::error!(%destination, job = %job.id, code, why, ?rest, "a run of a job failed");
        self.desk.metrics.destination(destination, |figures| figures.jobs.failed_runs += 1);
        rest.max(self.options.deadline)
    }
}
