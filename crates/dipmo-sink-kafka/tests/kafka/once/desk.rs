//! A database with one job in it, and the hands that the job is in, one after the other.
//!
//! A hand can be told to stop at a point for good, as a process does that is killed there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use dipmo_domain::{OrderKey, OutboxId, StoreError, Timestamp};
use dipmo_outbox::{Delivery, Ending, Job, JobId, JobMark, JobPage, JobPhase, JobWork, Published};
use tokio::sync::Notify;

/// What the database knows.
pub(super) struct Desk {
    state: Mutex<State>,
}

struct State {
    job: Job,
    /// Whose the lanes are.
    epoch: u64,
    left: BTreeMap<OutboxId, Delivery>,
    answers: BTreeMap<OutboxId, Published>,
    /// Keys that wait for one of their units.
    blocked: BTreeMap<OrderKey, OutboxId>,
}

/// Where a hand can stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// The slot is stored, and nothing was sent.
    Made,
    /// All was sent and marked, and the job is not given.
    BeforeGiven,
    /// The job is given, and the transaction is not committed.
    Given,
    /// The transaction is committed, and no unit is answered for.
    BeforeAnswer,
    /// Some units are answered for.
    Answered,
}

/// A job in somebody's hand.
pub(super) struct Hand {
    desk: Arc<Desk>,
    epoch: u64,
    stop_at: Option<Point>,
    stopped: Notify,
    may_go_on: Notify,
    was_stopped: AtomicBool,
    ending: Ending,
}

/// Job ids are not to meet those of other tests.
fn new_id() -> JobId {
    JobId(i64::try_from(fastrand::u64(1..1 << 40)).unwrap())
}

impl Desk {
    pub(super) fn new(units: &[Delivery]) -> Arc<Self> {
        let job = Job {
            id: new_id(),
            destination: units[0].destination.clone(),
            phase: JobPhase::Sealed,
            remote: None,
            units: u32::try_from(units.len()).unwrap(),
            created_at: Timestamp::EPOCH,
            phase_at: Timestamp::EPOCH,
        };
        let left = units.iter().map(|unit| (unit.unit, unit.clone())).collect();
        let (answers, blocked) = (BTreeMap::new(), BTreeMap::new());
        Arc::new(Self { state: Mutex::new(State { job, epoch: 0, left, answers, blocked }) })
    }

    /// Gives the job to somebody; who had it before has lost it.
    pub(super) fn take(self: &Arc<Self>) -> Hand {
        self.hand(None)
    }

    /// As [`Desk::take`], to somebody who stops.
    pub(super) fn take_and_stop_at(self: &Arc<Self>, point: Point) -> Hand {
        self.hand(Some(point))
    }

    fn hand(self: &Arc<Self>, stop_at: Option<Point>) -> Hand {
        let mut state = self.state.lock().unwrap();
        state.epoch += 1;
        Hand {
            desk: Arc::clone(self),
            epoch: state.epoch,
            stop_at,
            stopped: Notify::new(),
            may_go_on: Notify::new(),
            was_stopped: AtomicBool::new(false),
            ending: Ending::default(),
        }
    }

    pub(super) fn job(&self) -> Job {
        self.state.lock().unwrap().job.clone()
    }

    /// What units were answered with, by their numbers.
    pub(super) fn answers(&self) -> BTreeMap<i64, Published> {
        let state = self.state.lock().unwrap();
        state.answers.iter().map(|(unit, answer)| (unit.0, answer.clone())).collect()
    }

    /// The units that were answered with something else than that they were delivered.
    pub(super) fn undelivered(&self) -> BTreeSet<i64> {
        let is_delivered = |answer: &Published| matches!(answer, Published::Delivered { .. });
        let answers = self.answers().into_iter();
        answers.filter(|(_, answer)| !is_delivered(answer)).map(|(unit, _)| unit).collect()
    }
}

impl Hand {
    /// With an end of the engine.
    pub(super) fn until(self, ending: Ending) -> Self {
        Self { ending, ..self }
    }

    /// Waits until it has stopped.
    pub(super) async fn stopped(&self) {
        self.stopped.notified().await;
    }

    /// Lets it go on.
    pub(super) fn go_on(&self) {
        self.may_go_on.notify_one();
    }

    /// The job has ended.
    pub(super) fn end(&self) {
        self.write(|state| {
            assert!(state.left.is_empty(), "{} units are left", state.left.len());
            state.job.phase = JobPhase::Ended;
        })
        .unwrap();
    }

    async fn at(&self, point: Point) {
        if self.stop_at != Some(point) || self.was_stopped.swap(true, Ordering::Relaxed) {
            return;
        }
        self.stopped.notify_one();
        self.may_go_on.notified().await;
    }

    fn write<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, StoreError> {
        let mut state = self.desk.state.lock().unwrap();
        if state.epoch != self.epoch {
            return Err(StoreError::Fenced { what: "the job".to_owned() });
        }
        Ok(change(&mut state))
    }

    fn phase(
        &self,
        from: JobPhase,
        to: JobPhase,
        remote: Option<String>,
    ) -> Result<(), StoreError> {
        self.write(|state| {
            assert_eq!(state.job.phase, from);
            (state.job.phase, state.job.remote) = (to, remote);
        })
    }
}

#[async_trait]
impl JobWork for Hand {
    fn job(&self) -> Job {
        self.desk.job()
    }

    fn ending(&self) -> Ending {
        self.ending.clone()
    }

    async fn made(&self, remote: &str) -> Result<(), StoreError> {
        self.phase(JobPhase::Sealed, JobPhase::Made, Some(remote.to_owned()))?;
        self.at(Point::Made).await;
        Ok(())
    }

    async fn afresh(&self) -> Result<(), StoreError> {
        self.phase(JobPhase::Made, JobPhase::Sealed, None)
    }

    async fn given(&self) -> Result<(), StoreError> {
        self.at(Point::BeforeGiven).await;
        self.phase(JobPhase::Made, JobPhase::Given, self.job().remote)?;
        self.at(Point::Given).await;
        Ok(())
    }

    async fn units(&self, behind: Option<JobMark>, limit: u32) -> Result<JobPage, StoreError> {
        self.write(|state| {
            let begin = behind.map_or(i64::MIN, |JobMark(unit)| unit.0 + 1);
            let mut rest = state.left.range(OutboxId(begin)..);
            let page = rest.by_ref().take(limit as usize).map(|(_, unit)| {
                let head = state.blocked.get(&unit.order_key).filter(|head| **head < unit.unit);
                Delivery { blocked_by: head.copied(), ..unit.clone() }
            });
            let units: Vec<Delivery> = page.collect();
            let last = units.last().map(|unit| JobMark(unit.unit));
            JobPage { next: rest.next().and(last), units }
        })
    }

    async fn answer(
        &self,
        page: Vec<Delivery>,
        answers: Vec<Option<Published>>,
    ) -> Result<(), StoreError> {
        self.at(Point::BeforeAnswer).await;
        self.write(|state| {
            for (unit, answer) in page.iter().zip(answers) {
                let Some(answer) = answer else { continue };
                assert!(state.left.remove(&unit.unit).is_some(), "{:?} is not there", unit.unit);
                if !matches!(answer, Published::Delivered { .. }) {
                    state.blocked.entry(unit.order_key.clone()).or_insert(unit.unit);
                }
                state.answers.insert(unit.unit, answer);
            }
        })?;
        self.at(Point::Answered).await;
        Ok(())
    }

    async fn release(&self, behind: Option<JobMark>) -> Result<(), StoreError> {
        self.write(|state| {
            let begin = behind.map_or(i64::MIN, |JobMark(unit)| unit.0 + 1);
            drop(state.left.split_off(&OutboxId(begin)));
        })
    }
}

/// Runs what never ends by itself until a hand has stopped, and drops it, as by `kill`.
pub(super) async fn killed_at<T>(hand: &Hand, run: impl Future<Output = T>) {
    tokio::select! {
        _ = run => panic!("it went past the point"),
        () = hand.stopped() => {}
    }
}
