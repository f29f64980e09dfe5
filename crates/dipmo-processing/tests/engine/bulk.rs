//! A destination that takes jobs: a service that outlives engines, and the publisher for it.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{
    Delivery, JobMark, JobPage, JobPhase, JobPlan, JobStep, JobWork, Published, Publisher,
};
use tokio::sync::watch;

use crate::script::Step;

/// Where engines send jobs.
pub(crate) const TO: &str = "HTTP:SFDC:BulkV2:Member__c";

/// What a job is at the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    Closed,
    Aborted,
    Deleted,
}

/// The service: what it was given, and what took effect.
#[derive(Default)]
pub(crate) struct Service {
    pub(crate) jobs: BTreeMap<String, (State, Vec<Delivery>)>,
    /// The numbers of the steps whose units took effect, in order.
    pub(crate) applied: Vec<i64>,
    /// Those that went out in slices.
    pub(crate) sliced: Vec<i64>,
}

/// A place between two steps of the publisher.
type Hook = dyn Fn(&str) -> Holdup + Send + Sync;

/// What happens at such a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holdup {
    Nothing,
    /// It never goes on.
    ForEver,
    /// It takes so long.
    For(Duration),
    Panic,
}

type Answer = dyn Fn(&Delivery) -> Published + Send + Sync;

/// The publisher, as a real one would do it; of an order key it sends one unit a job.
pub(crate) struct Bulk {
    pub(crate) service: Arc<Mutex<Service>>,
    pub(crate) plan: JobPlan,
    pub(crate) hook: Box<Hook>,
    /// What becomes of each unit that was sent.
    pub(crate) answer: Box<Answer>,
    /// True for what is not to be sent in the first place.
    pub(crate) leaves_out: fn(&Delivery) -> bool,
    /// So many units are answered for at a time.
    pub(crate) page: u32,
    /// Waits so often before it looks for results.
    pub(crate) waits: AtomicU32,
    /// The places that were reached, in order.
    pub(crate) reached: watch::Sender<Vec<&'static str>>,
}

impl Bulk {
    pub(crate) fn new() -> Self {
        Self {
            service: Arc::default(),
            plan: JobPlan {
                least: 1,
                most: 1_000,
                lanes: 64,
                gather: Duration::ZERO,
                enough: 1_000,
            },
            hook: Box::new(|_| Holdup::Nothing),
            answer: Box::new(|_| Published::delivered()),
            leaves_out: |_| false,
            page: 2,
            waits: AtomicU32::new(0),
            reached: watch::Sender::default(),
        }
    }

    /// Another instance's publisher for the same service.
    pub(crate) fn beside(other: &Self) -> Self {
        Self { service: Arc::clone(&other.service), ..Self::new() }
    }

    /// Waits until a run has come to a place.
    pub(crate) async fn reaches(&self, place: &str) {
        let mut reached = self.reached.subscribe();
        reached.wait_for(|places| places.contains(&place)).await.unwrap();
    }

    /// How often runs came to a place.
    pub(crate) fn times(&self, place: &str) -> usize {
        self.reached.borrow().iter().filter(|at| **at == place).count()
    }

    /// The numbers of what took effect, sorted.
    pub(crate) fn applied(&self) -> Vec<i64> {
        let mut applied = self.service.lock().unwrap().applied.clone();
        applied.sort_unstable();
        applied
    }

    /// How many jobs of the service are in a state.
    pub(crate) fn count(&self, state: State) -> usize {
        let service = self.service.lock().unwrap();
        service.jobs.values().filter(|(now, _)| *now == state).count()
    }

    async fn at(&self, place: &'static str) {
        self.reached.send_modify(|places| places.push(place));
        match (self.hook)(place) {
            Holdup::Nothing => tokio::task::yield_now().await,
            Holdup::ForEver => std::future::pending().await,
            Holdup::For(time) => tokio::time::sleep(time).await,
            Holdup::Panic => panic!("it slipped at {place}"),
        }
    }

    /// Reads a job page by page; `tell` says what to answer of each page.
    async fn turn_pages(
        &self,
        work: &dyn JobWork,
        mut tell: impl FnMut(&Delivery) -> Option<Published> + Send,
    ) -> Result<(), StoreError> {
        let mut mark: Option<JobMark> = None;
        loop {
            let JobPage { units, next } = work.units(mark, self.page).await?;
            self.at("read a page").await;
            let answers = units.iter().map(&mut tell).collect();
            work.answer(units, answers).await?;
            self.at("answered a page").await;
            mark = next;
            if mark.is_none() {
                return Ok(());
            }
        }
    }

    async fn send(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        let remote = {
            let mut service = self.service.lock().unwrap();
            let remote = format!("750-{}", service.jobs.len());
            service.jobs.insert(remote.clone(), (State::Open, Vec::new()));
            remote
        };
        self.at("created").await;
        work.made(&remote).await?;
        self.at("made").await;
        let (mut rows, mut keys) = (Vec::new(), HashSet::new());
        self.turn_pages(work, |unit| {
            let first = keys.insert(unit.order_key.clone());
            if unit.blocked_by.is_some() || !first || (self.leaves_out)(unit) {
                return Some(Published::NotTried);
            }
            rows.push(unit.clone());
            None
        })
        .await?;
        self.service.lock().unwrap().jobs.get_mut(&remote).unwrap().1 = rows;
        self.at("uploaded").await;
        work.given().await?;
        self.at("given").await;
        self.close(&remote);
        self.at("closed").await;
        Ok(JobStep::Wait(Duration::from_secs(1)))
    }

    fn close(&self, remote: &str) {
        let mut service = self.service.lock().unwrap();
        let (state, rows) = service.jobs.get_mut(remote).unwrap();
        assert_eq!(*state, State::Open, "only an open job is closed");
        *state = State::Closed;
        let delivered: Vec<i64> =
            rows.iter().filter(|unit| is_delivered(&(self.answer)(unit))).map(number).collect();
        service.applied.extend(delivered);
    }

    async fn collect(&self, work: &dyn JobWork, remote: &str) -> Result<JobStep, StoreError> {
        let state = self.service.lock().unwrap().jobs[remote].0;
        if state == State::Open {
            self.close(remote);
            self.at("closed").await;
        }
        let waits = self.waits.load(Ordering::Relaxed);
        if waits > 0 {
            self.waits.store(waits - 1, Ordering::Relaxed);
            return Ok(JobStep::Wait(Duration::from_secs(1)));
        }
        self.turn_pages(work, |unit| Some((self.answer)(unit))).await?;
        self.service.lock().unwrap().jobs.get_mut(remote).unwrap().0 = State::Deleted;
        self.at("deleted").await;
        Ok(JobStep::Ended)
    }
}

#[async_trait]
impl Publisher for Bulk {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let answers: Vec<_> = deliveries.iter().map(|unit| (self.answer)(unit)).collect();
        let mut service = self.service.lock().unwrap();
        let delivered = deliveries.iter().zip(&answers).filter(|(_, it)| is_delivered(it));
        service.sliced.extend(delivered.map(|(unit, _)| number(unit)));
        answers
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        Some(self.plan)
    }

    async fn run_job(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        let job = work.job();
        self.at("begun").await;
        match (job.phase, job.remote) {
            (JobPhase::Made, Some(remote)) => {
                self.service.lock().unwrap().jobs.get_mut(&remote).unwrap().0 = State::Aborted;
                self.at("aborted").await;
                work.afresh().await?;
                self.at("afresh").await;
                self.send(work).await
            }
            (JobPhase::Given, Some(remote)) => self.collect(work, &remote).await,
            _ => self.send(work).await,
        }
    }
}

fn is_delivered(answer: &Published) -> bool {
    matches!(answer, Published::Delivered { .. })
}

/// The number of the step that sent it.
pub(crate) fn number(delivery: &Delivery) -> i64 {
    delivery.payload.read::<Step>().unwrap().n
}
