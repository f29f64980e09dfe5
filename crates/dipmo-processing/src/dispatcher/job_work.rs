//! A job in the hands of a publisher: what it says becomes changes and settlements under the
//! leases of the job's lanes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_outbox::{Delivery, Ending, Job, JobMark, JobPage, JobPhase, JobWork, Lease, Published};
use dipmo_store::JobChange;
use tokio::time::Instant;

use super::desk::Desk;
use super::rounds::{Rounds, waits};
use super::staying::Staying;
use crate::policy::RetryPolicy;

/// A job that is ours.
pub(super) struct Work {
    desk: Desk,
    leases: Vec<Lease>,
    job: Mutex<Job>,
    policy: RetryPolicy,
    random: Mutex<fastrand::Rng>,
    staying: Mutex<Staying>,
    /// How long a call is tried again when the store is in trouble.
    patience: Duration,
    ending: Ending,
}

impl Work {
    pub(super) fn new(
        desk: Desk,
        job: Job,
        leases: Vec<Lease>,
        policy: RetryPolicy,
        random: fastrand::Rng,
        patience: Duration,
        ending: Ending,
    ) -> Self {
        desk.metrics.destination(&desk.destination, |figures| figures.jobs.held(&job));
        let (job, random) = (Mutex::new(job), Mutex::new(random));
        Self { desk, leases, job, policy, random, staying: Mutex::default(), patience, ending }
    }

    /// No unit is left in it: its lanes are free.
    pub(super) async fn end(&self) -> Result<(), StoreError> {
        self.change(JobChange::Ended).await
    }

    /// When a change fails, nobody knows here how the job stands: the run must end with that error.
    async fn change(&self, change: JobChange) -> Result<(), StoreError> {
        let id = self.job().id;
        let call = || self.desk.store.change_job(id, &self.leases, change.clone());
        let after = self.desk.persist("change_job", self.until(), call).await?;
        let before = std::mem::replace(&mut *lock(&self.job), after.clone());
        let Desk { metrics, destination, .. } = &self.desk;
        metrics.destination(destination, |figures| figures.jobs.changed(&before, &after));
        tracing::debug!(%destination, job = %id, phase = after.phase.as_str(), "a job goes on");
        Ok(())
    }

    /// What leaves the job before an earlier one of its key was not tried, whatever became of it: an
    /// attempt that counts would make it due, and the earlier one, never tried, be overtaken later.
    fn in_order(
        &self,
        page: &[Delivery],
        answers: Vec<Option<Published>>,
    ) -> Vec<Option<Published>> {
        let mut staying = lock(&self.staying);
        let answer = |(unit, answer): (&Delivery, Option<Published>)| {
            let answer = answer?;
            let happened = matches!(answer, Published::Delivered { .. });
            let early = staying.leaves_before_another(&unit.order_key, unit.unit) && !happened;
            Some(if early { Published::NotTried } else { answer })
        };
        page.iter().zip(answers).map(answer).collect()
    }

    fn until(&self) -> Instant {
        Instant::now() + self.patience
    }
}

#[async_trait]
impl JobWork for Work {
    fn job(&self) -> Job {
        lock(&self.job).clone()
    }

    fn ending(&self) -> Ending {
        self.ending.clone()
    }

    async fn made(&self, remote: &str) -> Result<(), StoreError> {
        self.change(JobChange::Made { remote: remote.to_owned() }).await
    }

    async fn afresh(&self) -> Result<(), StoreError> {
        self.change(JobChange::Afresh).await
    }

    async fn given(&self) -> Result<(), StoreError> {
        self.change(JobChange::Given).await
    }

    async fn units(&self, behind: Option<JobMark>, limit: u32) -> Result<JobPage, StoreError> {
        let id = self.job().id;
        let call = || self.desk.store.job_units(id, behind, limit);
        let mut page = self.desk.persist("job_units", self.until(), call).await?;
        for unit in &mut page.units {
            if !waits(unit) {
                unit.blocked_by = None;
            }
        }
        let mut staying = lock(&self.staying);
        if behind.is_none() {
            staying.begin();
        }
        page.units.iter().for_each(|unit| staying.read(&unit.order_key, unit.unit));
        drop(staying);
        Ok(page)
    }

    async fn answer(
        &self,
        page: Vec<Delivery>,
        answers: Vec<Option<Published>>,
    ) -> Result<(), StoreError> {
        if page.len() != answers.len() {
            let problem = format!("{} answers for {} units", answers.len(), page.len());
            return Err(StoreError::RowRefused { statement: "answer", problem });
        }
        let answers = self.in_order(&page, answers);
        let mut rounds = Rounds::of_job(page, self.policy);
        for (place, answer) in answers.into_iter().enumerate() {
            if let Some(answer) = answer {
                rounds.answered(place, answer, lock(&self.random).u64(..));
            }
        }
        let units = rounds.into_settlements_of_job(self.job().id);
        if units.is_empty() {
            return Ok(());
        }
        self.desk.settle(&units, &self.leases, &[], self.until()).await
    }

    async fn release(&self, behind: Option<JobMark>) -> Result<(), StoreError> {
        self.change(JobChange::Released { behind }).await
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let job = self.job();
        if job.phase != JobPhase::Ended {
            let Desk { metrics, destination, .. } = &self.desk;
            metrics.destination(destination, |figures| figures.jobs.left(&job));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
