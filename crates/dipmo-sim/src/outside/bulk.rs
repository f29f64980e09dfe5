//! A destination that takes jobs, as an instance reaches it.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, StoreError};
use dipmo_outbox::{
    Delivery, JobId, JobPage, JobPhase, JobPlan, JobStep, JobWork, Published, Publisher, Readiness,
};

use super::publisher::SimPublisher;
use super::request::ask;
use super::service::{Row, RowResult, State, close};
use crate::sim::Sim;
use crate::witness;

/// Gives jobs to the service, and a few units in slices.
pub(crate) struct SimBulk(pub(crate) SimPublisher);

/// Rows that are being filled, by their key.
type Rows = BTreeMap<String, Filling>;

/// A row that is being filled.
#[derive(Default)]
struct Filling {
    units: Vec<Delivery>,
    /// True when one of its key was left out: nothing behind that may go out with this job.
    closed: bool,
}

impl SimBulk {
    fn sim(&self) -> &Arc<Sim> {
        &self.0.from.sim
    }

    /// Asks something of the service for a job.
    async fn ask<T: std::fmt::Debug + Send + 'static>(
        &self,
        what: &str,
        act: impl FnOnce(&Arc<Sim>) -> T + Send + 'static,
    ) -> Option<T> {
        witness::may_go_on(self.sim(), &self.0.from.name, what);
        ask(&self.0.from, what, act).await
    }

    /// The same, where the job must be known in a phase under this id, unless it was lost.
    async fn ask_in<T: std::fmt::Debug + Send + 'static>(
        &self,
        (job, phase, remote): (JobId, JobPhase, &str),
        what: &str,
        act: impl FnOnce(&Arc<Sim>) -> T + Send + 'static,
    ) -> Option<T> {
        if witness::may_go_on(self.sim(), &self.0.from.name, what) {
            witness::must_be(self.sim(), job, phase, remote, what);
        }
        ask(&self.0.from, what, act).await
    }

    /// Makes a job there, fills it, and lets it be worked on.
    async fn send(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        let id = work.job().id;
        let Some(remote) = self.ask("creates", |sim| sim.service().create()).await else {
            return Ok(self.later());
        };
        work.made(&remote).await?;
        let rows = self.fill(work).await?;
        if rows.is_empty() {
            return Ok(JobStep::Ended);
        }
        let sent = rows.iter().flat_map(|row| &row.units).map(|unit| unit.unit).collect();
        let (at, to) = ((id, JobPhase::Made, remote.as_str()), remote.clone());
        let uploaded = self.ask_in(at, "uploads", move |sim| sim.service().upload(&to, rows));
        if uploaded.await != Some(true) {
            return Ok(self.later());
        }
        work.given().await?;
        witness::given(self.sim(), &self.0.from.name, id, &sent);
        self.close(id, &remote).await;
        Ok(self.later())
    }

    /// Reads all units, and answers for those that are not to go out with this job.
    async fn fill(&self, work: &dyn JobWork) -> Result<Vec<Row>, StoreError> {
        let sim = self.sim();
        let (mut rows, mut mark) = (Rows::new(), None);
        loop {
            let JobPage { units, next } = work.units(mark, sim.options.job_page).await?;
            let answers = units.iter().map(|unit| self.place(unit, &mut rows)).collect();
            work.answer(units, answers).await?;
            mark = next;
            if mark.is_none() {
                break;
            }
            if sim.fault(sim.options.faults.destination.saturating_mul(4)) {
                // The rest does not fit.
                work.release(mark).await?;
                break;
            }
        }
        let rows = rows.into_iter().filter(|(_, row)| !row.units.is_empty());
        Ok(rows.map(|(key, row)| Row { key, units: row.units }).collect())
    }

    /// Puts a unit into the row of its record, if it may go out; otherwise the answer for it.
    fn place(&self, unit: &Delivery, rows: &mut Rows) -> Option<Published> {
        let sim = self.sim();
        let row = rows.entry(unit.order_key.as_str().to_owned()).or_default();
        let may_go = !row.closed && unit.blocked_by.is_none();
        let is_stale = sim.fault(sim.options.faults.destination.saturating_mul(3));
        // Not all changes of a record can go out as one.
        let fits = row.units.is_empty() || sim.chance.one_in(2);
        if may_go && fits && !is_stale {
            row.units.push(unit.clone());
            return None;
        }
        row.closed = true;
        Some(if may_go && is_stale { busy("sim-stale") } else { Published::NotTried })
    }

    async fn close(&self, job: JobId, remote: &str) {
        let (at, to) = ((job, JobPhase::Given, remote), remote.to_owned());
        self.ask_in(at, "closes", move |sim| close(sim, &to)).await;
    }

    /// Looks what became of a job, and answers for its units.
    async fn collect(&self, work: &dyn JobWork, remote: &str) -> Result<JobStep, StoreError> {
        let (id, to) = (work.job().id, remote.to_owned());
        let look = self.ask("looks", move |sim| sim.service().look(&to)).await;
        let results = match look {
            None | Some(Some((State::InProgress, _))) => return Ok(self.later()),
            Some(Some((State::Open, _))) => {
                self.close(id, remote).await;
                return Ok(self.later());
            }
            Some(Some((State::Ended | State::Aborted, results))) => Some(results),
            // Nobody knows what became of it.
            Some(None) => None,
        };
        if !self.answer(work, results.as_ref()).await? {
            return Ok(self.later());
        }
        let to = remote.to_owned();
        self.ask("deletes", move |sim| sim.service().delete(&to)).await;
        Ok(JobStep::Ended)
    }

    /// False when some were left for another time.
    async fn answer(
        &self,
        work: &dyn JobWork,
        results: Option<&BTreeMap<String, RowResult>>,
    ) -> Result<bool, StoreError> {
        let sim = self.sim();
        let (mut mark, mut all) = (None, true);
        loop {
            let JobPage { units, next } = work.units(mark, sim.options.job_page).await?;
            let answer = |unit: &Delivery| {
                let left = sim.fault(sim.options.faults.destination.saturating_mul(2));
                all &= !left;
                (!left).then(|| answer(unit, results))
            };
            let answers = units.iter().map(answer).collect();
            work.answer(units, answers).await?;
            mark = next;
            if mark.is_none() {
                return Ok(all);
            }
        }
    }

    fn later(&self) -> JobStep {
        JobStep::Wait(self.sim().chance.millis(30..=400))
    }
}

#[async_trait]
impl Publisher for SimBulk {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.0.publish(deliveries).await
    }

    fn deadline(&self, destination: &Destination) -> Option<Duration> {
        self.0.deadline(destination)
    }

    fn readiness(&self, destination: &Destination) -> Readiness {
        self.0.readiness(destination)
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        Some(self.sim().options.jobs)
    }

    async fn run_job(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        let (sim, job) = (self.sim(), work.job());
        let panics = || {
            if sim.fault(sim.options.faults.destination.saturating_mul(8)) {
                sim.step(format_args!("{} panics in job {}", self.0.from.name, job.id));
                resume_unwind(Box::new("the simulation wanted it"));
            }
        };
        panics();
        let step = match (job.phase, job.remote.as_deref()) {
            (JobPhase::Made, Some(remote)) => {
                let to = remote.to_owned();
                match self.ask("aborts", move |sim| sim.service().abort(&to)).await {
                    Some(true) => {
                        work.afresh().await?;
                        self.send(work).await
                    }
                    _ => Ok(self.later()),
                }
            }
            (JobPhase::Given, Some(remote)) => self.collect(work, remote).await,
            _ => self.send(work).await,
        };
        panics();
        step
    }
}

fn answer(unit: &Delivery, results: Option<&BTreeMap<String, RowResult>>) -> Published {
    let Some(results) = results else { return busy("sim-gone") };
    match results.get(unit.order_key.as_str()) {
        Some(RowResult::Done) => Published::delivered(),
        Some(RowResult::Busy) => busy("sim-busy"),
        Some(RowResult::Refused) => {
            Published::Refused(Failure::new("sim-refused", "the simulation wanted it"))
        }
        None => Published::NotTried,
    }
}

fn busy(code: &str) -> Published {
    let failure = Failure::new(code, "the simulation wanted it");
    Published::Retry { failure, after: None }
}
