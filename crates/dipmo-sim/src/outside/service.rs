//! A service that takes jobs: made, filled, closed, worked through, and asked for results. It knows
//! nothing of engines, and all of it outlives them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_outbox::Delivery;
use tokio::time::sleep;

use crate::sim::Sim;

/// All jobs of the service.
#[derive(Default)]
pub(crate) struct Service {
    jobs: BTreeMap<String, Remote>,
    made: u64,
}

struct Remote {
    state: State,
    rows: Vec<Row>,
    /// By the key of the row; what is not there was not processed.
    results: BTreeMap<String, RowResult>,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Can be filled.
    Open,
    /// Is being worked on.
    InProgress,
    /// Has results, perhaps not of all rows.
    Ended,
    /// Was given up before it began.
    Aborted,
}

/// A record: the newest of some units about it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) key: String,
    /// What is known by it, in order.
    pub(super) units: Vec<Delivery>,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowResult {
    Done,
    /// Not this time.
    Busy,
    Refused,
}

impl Service {
    pub(super) fn create(&mut self) -> String {
        self.made += 1;
        let id = format!("r{}", self.made);
        let job = Remote { state: State::Open, rows: Vec::new(), results: BTreeMap::new() };
        self.jobs.insert(id.clone(), job);
        id
    }

    /// False when it cannot be filled any more.
    pub(super) fn upload(&mut self, id: &str, rows: Vec<Row>) -> bool {
        let job = self.jobs.get_mut(id).filter(|job| job.state == State::Open);
        job.map(|job| job.rows = rows).is_some()
    }

    /// Gives it up; false when it has begun, or is not there.
    pub(super) fn abort(&mut self, id: &str) -> bool {
        let job = self.jobs.get_mut(id);
        let job = job.filter(|job| matches!(job.state, State::Open | State::Aborted));
        job.map(|job| job.state = State::Aborted).is_some()
    }

    pub(super) fn delete(&mut self, id: &str) {
        self.jobs.remove(id);
    }

    /// How far it is, and what it has of results; `None` for one that is not there.
    pub(super) fn look(&self, id: &str) -> Option<(State, BTreeMap<String, RowResult>)> {
        self.jobs.get(id).map(|job| (job.state, job.results.clone()))
    }

    /// Those that are worked on.
    pub(crate) fn in_progress(&self) -> Vec<String> {
        let jobs = self.jobs.iter().filter(|(_, job)| job.state == State::InProgress);
        jobs.map(|(id, _)| id.clone()).collect()
    }

    fn begin(&mut self, id: &str) -> Option<Vec<Row>> {
        let job = self.jobs.get_mut(id).filter(|job| job.state == State::Open)?;
        job.state = State::InProgress;
        Some(job.rows.clone())
    }

    fn processed(&mut self, id: &str, key: String, result: RowResult) {
        if let Some(job) = self.jobs.get_mut(id) {
            job.results.insert(key, result);
        }
    }

    fn end(&mut self, id: &str) {
        if let Some(job) = self.jobs.get_mut(id) {
            job.state = State::Ended;
        }
    }
}

/// Closes a job, which is worked on from then on; false when it had been closed, or is not there.
pub(super) fn close(sim: &Arc<Sim>, id: &str) -> bool {
    let Some(rows) = sim.service().begin(id) else { return false };
    tokio::spawn(work(Arc::clone(sim), id.to_owned(), rows));
    true
}

/// Works through a job; now and then not to its end.
async fn work(sim: Arc<Sim>, id: String, rows: Vec<Row>) {
    let slow = sim.fault(sim.options.faults.delay);
    let pace = sim.chance.millis(if slow { 1..=900 } else { 1..=20 });
    let mut fails = false;
    for Row { key, units } in rows {
        sleep(pace).await;
        fails |= sim.fault(sim.options.faults.destination.saturating_mul(8));
        if fails {
            break;
        }
        let result = take(&sim, &units);
        let ids: Vec<i64> = units.iter().map(|delivery| delivery.unit.0).collect();
        sim.step(format_args!("{id} has {key} by {ids:?}: {result:?}"));
        result.into_iter().for_each(|result| sim.service().processed(&id, key.clone(), result));
    }
    sleep(Duration::from_millis(1)).await;
    sim.step(format_args!("{id} has ended"));
    sim.service().end(&id);
    if sim.fault(sim.options.faults.destination.saturating_mul(8)) {
        // Nobody will ever know what became of it.
        sim.step(format_args!("{id} is gone"));
        sim.service().delete(&id);
    }
}

/// `None` for a row that is passed over.
fn take(sim: &Arc<Sim>, units: &[Delivery]) -> Option<RowResult> {
    if sim.options.bad_messages > 0 && sim.chance.one_in(40) {
        units.iter().for_each(|delivery| sim.outside().refuse(delivery.unit));
        return Some(RowResult::Refused);
    }
    if sim.fault(sim.options.faults.destination) {
        return sim.chance.pick(&[Some(RowResult::Busy), None]);
    }
    for delivery in units {
        let wrong = sim.outside().arrive(delivery, false);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
    Some(RowResult::Done)
}
