//! Jobs whose runs fail: they are tried again, not spun, and nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, OutboxStatus, StoreError};
use dipmo_outbox::{Delivery, JobMark, JobPhase, JobPlan, JobStep, JobWork, Published, Publisher};
use dipmo_processing::{DispatchOptions, EngineOptions};
use dipmo_store::Jobs as _;
use tokio::time::Instant;

use crate::bulk::{Bulk, Holdup, TO};
use crate::jobs::{run, run_with, store};
use crate::rig::{Rig, start};

/// A run of its own for each time that a job is run.
type Runs = dyn Fn(usize) -> Manner + Send + Sync;

/// What a run does.
enum Manner {
    /// Says that it has ended, and has answered for nothing.
    EndsTooEarly,
    /// Answers for one unit less than there are.
    Miscounts,
    /// Is in a hurry.
    WaitsForNothing,
    /// Answers for some, and releases the rest.
    ReleasesTheRest,
    /// As a good one does.
    Answers,
}

struct Careless {
    runs: Box<Runs>,
    count: AtomicUsize,
}

impl Careless {
    fn new(runs: impl Fn(usize) -> Manner + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { runs: Box::new(runs), count: AtomicUsize::new(0) })
    }
}

fn delivered(units: &[Delivery]) -> Vec<Option<Published>> {
    units.iter().map(|_| Some(Published::delivered())).collect()
}

#[async_trait]
impl Publisher for Careless {
    async fn publish(&self, _: &[Delivery]) -> Vec<Published> {
        panic!("there are no slices");
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        Some(Bulk::new().plan)
    }

    async fn run_job(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        let units = work.units(None, 1_000).await?.units;
        match (self.runs)(self.count.fetch_add(1, Ordering::Relaxed)) {
            Manner::EndsTooEarly => {}
            Manner::Miscounts => {
                let answers = delivered(&units[1..]);
                work.answer(units, answers).await?;
            }
            Manner::WaitsForNothing => return Ok(JobStep::Wait(Duration::ZERO)),
            Manner::ReleasesTheRest => {
                let first = work.units(None, 1).await?;
                let answers = delivered(&first.units);
                let mark = first.units.last().map(|unit| JobMark(unit.unit));
                work.answer(first.units, answers).await?;
                work.release(mark).await?;
            }
            Manner::Answers => {
                let answers = delivered(&units);
                work.answer(units, answers).await?;
            }
        }
        Ok(JobStep::Ended)
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_panics_is_tried_again_after_longer_and_longer_rests() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let hook = |at: &str| if at == "created" { Holdup::Panic } else { Holdup::Nothing };
    let bulk = Arc::new(Bulk { hook: Box::new(hook), ..Bulk::new() });
    let running = run_with(&rig, &bulk, DispatchOptions { couriers: 1, ..Default::default() });
    tokio::time::sleep(Duration::from_secs(600)).await;
    let jobs = running.metrics.snapshot().outbox[TO].jobs.clone();
    // 1, 2, 4 … 32 s, and a minute each time after that.
    assert!((10..=16).contains(&bulk.times("created")), "{}", bulk.times("created"));
    assert_eq!(jobs.failed_runs, u64::try_from(bulk.times("created")).unwrap());
    assert_eq!((jobs.begun, jobs.ended), (1, 0));
    running.stop().await;
    let mended = Arc::new(Bulk::beside(&bulk));
    let running = run(&rig, &mended);
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(bulk.applied(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_rest_after_a_panic_ends_when_the_engine_stops() {
    let rig = Rig::new().await;
    store(&rig, 1).await;
    let bulk = Arc::new(Bulk { hook: Box::new(|_| Holdup::Panic), ..Bulk::new() });
    let running = run(&rig, &bulk);
    tokio::time::sleep(Duration::from_secs(100)).await;
    let began = Instant::now();
    running.stop().await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_job_does_not_end_before_each_unit_is_answered_for() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let careless = Careless::new(|run| match run {
        0 => Manner::EndsTooEarly,
        1 => Manner::Miscounts,
        _ => Manner::Answers,
    });
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("HTTP:*", careless.clone()));
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(careless.count.load(Ordering::Relaxed), 1, "it rests before it goes on");
    rig.until_quiet().await;
    let jobs = running.metrics.snapshot().outbox[TO].jobs.clone();
    running.stop().await;
    assert_eq!(careless.count.load(Ordering::Relaxed), 3);
    assert_eq!((jobs.failed_runs, jobs.begun, jobs.ended), (2, 1, 1));
    assert!(rig.outbox().await.iter().all(|row| row.status == OutboxStatus::Dispatched));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_to_go_on_at_once_does_not_spin() {
    let rig = Rig::new().await;
    store(&rig, 3).await;
    let careless = Careless::new(|_| Manner::WaitsForNothing);
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("HTTP:*", careless.clone()));
    tokio::time::sleep(Duration::from_secs(10)).await;
    running.stop().await;
    assert!(careless.count.load(Ordering::Relaxed) <= 400);
}

#[tokio::test(start_paused = true)]
async fn what_is_released_goes_on_as_if_it_had_never_been_in_the_job() {
    let rig = Rig::new().await;
    store(&rig, 4).await;
    let careless = Careless::new(|_| Manner::ReleasesTheRest);
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("HTTP:*", careless.clone()));
    rig.until_quiet().await;
    running.stop().await;
    let rows = rig.outbox().await;
    assert!(rows.iter().all(|row| row.status == OutboxStatus::Dispatched && row.attempts == 1));
    let jobs = rig.store.jobs(9).await.unwrap();
    assert!(jobs.len() > 1 && jobs.iter().all(|job| job.phase == JobPhase::Ended));
}
