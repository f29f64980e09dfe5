//! A job in memory that keeps to what stores promise, notes every call down, and can die at any.

use std::collections::BTreeMap;
use std::future::pending;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use dipmo_domain::{OutboxId, StoreError, Timestamp};
use dipmo_outbox::{
    Attempt, Delivery, Ending, Job, JobId, JobMark, JobPage, JobPhase, JobWork, Published,
};
use tokio::sync::Notify;

/// A job in memory.
pub(crate) struct MemoryJob {
    state: Mutex<State>,
    died: Notify,
}

/// Where the work of a process on a job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// Before the call of this number was written.
    Before(usize),
    /// After it was written, and before anybody learnt that.
    After(usize),
    /// Not at all, but by then the job is somebody else's.
    Fenced(usize),
}

struct State {
    job: Job,
    units: BTreeMap<OutboxId, Delivery>,
    /// What left the job, with its answer, or without one where it was released.
    left: BTreeMap<OutboxId, (Delivery, Option<Published>)>,
    calls: Vec<&'static str>,
    death: Option<Death>,
    largest_page: u32,
    ending: Ending,
}

impl MemoryJob {
    /// A sealed job of units, which are numbered anew in their order, each an intent of its own.
    pub(crate) fn new(units: impl IntoIterator<Item = Delivery>) -> Self {
        let numbered = |(number, unit): (i64, Delivery)| {
            let id = OutboxId(number);
            (id, Delivery { unit: id, intent: id, ..unit })
        };
        let units: BTreeMap<_, _> = (1..).zip(units).map(numbered).collect();
        let first = units.values().next().expect("a job has units");
        let job = Job {
            id: JobId(1),
            destination: first.destination.clone(),
            phase: JobPhase::Sealed,
            remote: None,
            units: u32::try_from(units.len()).unwrap(),
            created_at: Timestamp::EPOCH,
            phase_at: Timestamp::EPOCH,
        };
        let state = State {
            job,
            units,
            left: BTreeMap::new(),
            calls: Vec::new(),
            death: None,
            largest_page: 0,
            ending: Ending::default(),
        };
        Self { state: Mutex::new(state), died: Notify::new() }
    }

    /// Lets whoever works on it die at a call.
    pub(crate) fn dies(self, death: Death) -> Self {
        self.lock().death = Some(death);
        self
    }

    /// The engine of whoever works on it ends like this.
    pub(crate) fn ends(&self, ending: Ending) {
        self.lock().ending = ending;
    }

    /// Comes back when somebody died at a call, once.
    pub(crate) async fn death(&self) {
        self.died.notified().await;
    }

    /// Whether whoever was to die did.
    pub(crate) fn died(&self) -> bool {
        self.lock().death.is_none()
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.lock().calls.clone()
    }

    pub(crate) fn phase(&self) -> JobPhase {
        self.lock().job.phase
    }

    pub(crate) fn remote(&self) -> Option<String> {
        self.lock().job.remote.clone()
    }

    /// The largest page that was asked for.
    pub(crate) fn largest_page(&self) -> u32 {
        self.lock().largest_page
    }

    /// How many units are still in it.
    pub(crate) fn len(&self) -> usize {
        self.lock().units.len()
    }

    /// The answers of all units, in their order; `None` for those that were released.
    pub(crate) fn answers(&self) -> Vec<Option<Published>> {
        let state = self.lock();
        assert!(state.units.is_empty(), "{} units have no answer", state.units.len());
        state.left.values().map(|(_, answer)| answer.clone()).collect()
    }

    /// The units that are to go out once more, as the next job has them.
    pub(crate) fn rest(&self) -> Vec<Delivery> {
        let state = self.lock();
        state.left.values().filter_map(|(unit, answer)| again(unit, answer.as_ref())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// A call: written as one, and only if nobody dies before.
    async fn call<T: Send>(
        &self,
        name: &'static str,
        write: impl FnOnce(&mut State) -> T + Send,
    ) -> Result<T, StoreError> {
        let (number, death) = {
            let mut state = self.lock();
            state.calls.push(name);
            (state.calls.len() - 1, state.death)
        };
        match death {
            Some(Death::Before(at)) if at == number => self.die().await,
            Some(Death::Fenced(at)) if at <= number => {
                return Err(StoreError::Fenced { what: "the job".to_owned() });
            }
            _ => {}
        }
        let answer = write(&mut self.lock());
        if death == Some(Death::After(number)) {
            self.die().await;
        }
        Ok(answer)
    }

    /// Nothing more happens to whoever called; the job is there for somebody else.
    async fn die(&self) {
        self.lock().death = None;
        self.died.notify_one();
        pending::<()>().await;
    }
}

fn again(unit: &Delivery, answer: Option<&Published>) -> Option<Delivery> {
    let attempt = match (unit.attempt, answer) {
        (_, Some(Published::Delivered { .. } | Published::Refused(_))) => return None,
        (attempt, None | Some(Published::NotTried)) => attempt,
        (Attempt::First(_), _) => Attempt::Again { attempts: 1, retried: 0 },
        (Attempt::Again { attempts, retried }, _) => {
            Attempt::Again { attempts: attempts + 1, retried }
        }
    };
    Some(Delivery { attempt, ..unit.clone() })
}

impl State {
    fn enter(&mut self, from: JobPhase, to: JobPhase) {
        assert_eq!(self.job.phase, from, "on the way to {to:?}");
        self.job.phase = to;
    }

    fn leave(&mut self, id: OutboxId, answer: Option<Published>) {
        let unit = self.units.remove(&id).unwrap_or_else(|| panic!("{id} is not in the job"));
        self.left.insert(id, (unit, answer));
    }
}

#[async_trait]
impl JobWork for MemoryJob {
    fn job(&self) -> Job {
        self.lock().job.clone()
    }

    fn ending(&self) -> Ending {
        self.lock().ending.clone()
    }

    async fn made(&self, remote: &str) -> Result<(), StoreError> {
        self.call("made", |state| {
            state.enter(JobPhase::Sealed, JobPhase::Made);
            state.job.remote = Some(remote.to_owned());
        })
        .await
    }

    async fn afresh(&self) -> Result<(), StoreError> {
        self.call("afresh", |state| {
            state.enter(JobPhase::Made, JobPhase::Sealed);
            state.job.remote = None;
        })
        .await
    }

    async fn given(&self) -> Result<(), StoreError> {
        self.call("given", |state| state.enter(JobPhase::Made, JobPhase::Given)).await
    }

    async fn units(&self, behind: Option<JobMark>, limit: u32) -> Result<JobPage, StoreError> {
        self.call("units", |state| {
            state.largest_page = state.largest_page.max(limit);
            let from = behind.map_or(Bound::Unbounded, |JobMark(unit)| Bound::Excluded(unit));
            let mut there = state.units.range((from, Bound::Unbounded)).map(|(_, unit)| unit);
            let units: Vec<Delivery> = there.by_ref().take(limit as usize).cloned().collect();
            let next = there.next().and(units.last()).map(|unit| JobMark(unit.unit));
            JobPage { units, next }
        })
        .await
    }

    async fn answer(
        &self,
        page: Vec<Delivery>,
        answers: Vec<Option<Published>>,
    ) -> Result<(), StoreError> {
        assert_eq!(page.len(), answers.len());
        self.call("answer", |state| {
            for (unit, answer) in page.into_iter().zip(answers) {
                assert!(state.units.contains_key(&unit.unit), "{} was answered before", unit.unit);
                if answer.is_some() {
                    state.leave(unit.unit, answer);
                }
            }
        })
        .await
    }

    async fn release(&self, behind: Option<JobMark>) -> Result<(), StoreError> {
        self.call("release", |state| {
            let behind = |id: &OutboxId| behind.is_none_or(|JobMark(mark)| *id > mark);
            let ids: Vec<OutboxId> = state.units.keys().copied().filter(behind).collect();
            ids.into_iter().for_each(|id| state.leave(id, None));
        })
        .await
    }
}
