//! Destinations that take nothing for a while: nothing is read, tried or counted, and they are
//! asked again when they said.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, OutboxStatus};
use dipmo_outbox::{Delivery, JobPlan, Published, Publisher, Readiness};
use dipmo_processing::metrics::DestinationState;
use dipmo_processing::{DispatchOptions, EngineOptions};
use dipmo_store::{Dispatch as _, LeaseParams};

use crate::bulk::{Bulk, Holdup, TO};
use crate::jobs;
use crate::publishers::Recorder;
use crate::rig::{Rig, Running, start, step};
use crate::script::Step;

const LEDGER: &str = "KAFKA:ledger";

/// Says what it is told to say, and counts.
struct Moody {
    readiness: Mutex<Readiness>,
    asked: AtomicUsize,
    slices: AtomicUsize,
    /// Becomes this with the first slice.
    then: Option<Readiness>,
}

impl Moody {
    fn new(readiness: Readiness) -> Arc<Self> {
        Arc::new(Self {
            readiness: Mutex::new(readiness),
            asked: AtomicUsize::new(0),
            slices: AtomicUsize::new(0),
            then: None,
        })
    }

    fn becomes(&self, readiness: Readiness) {
        *self.readiness.lock().unwrap() = readiness;
    }

    fn counts(&self) -> [usize; 2] {
        [&self.asked, &self.slices].map(|count| count.load(Ordering::Relaxed))
    }
}

#[async_trait]
impl Publisher for Moody {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.slices.fetch_add(1, Ordering::Relaxed);
        self.then.iter().for_each(|then| self.becomes(then.clone()));
        deliveries.iter().map(|_| Published::delivered()).collect()
    }

    fn readiness(&self, _: &Destination) -> Readiness {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let readiness = self.readiness.lock().unwrap().clone();
        if let Readiness::Stopped { why } = &readiness {
            assert!(why.code() != "PANIC", "it slipped");
        }
        readiness
    }
}

fn why(code: &str) -> Failure {
    Failure::new(code, "as the test wanted")
}

fn later(seconds: u64) -> Readiness {
    Readiness::Later { after: Duration::from_secs(seconds), why: why("QUOTA") }
}

async fn store(rig: &Rig, first: i64, count: i64) {
    let tell = || Step { tell: vec![LEDGER.to_owned()], ..Step::default() };
    let messages: Vec<_> =
        (first..first + count).map(|n| step(&format!("A{n}"), n, tell())).collect();
    rig.store(&messages).await;
}

fn run(rig: &Rig, publisher: &Arc<Moody>, dispatch: DispatchOptions) -> Running {
    let options = EngineOptions { dispatch, ..EngineOptions::default() };
    start(rig.engine(options).publisher("KAFKA:*", Arc::<Moody>::clone(publisher)))
}

#[tokio::test(start_paused = true)]
async fn a_destination_that_is_not_ready_is_left_alone_until_it_said() {
    let rig = Rig::new().await;
    store(&rig, 1, 3).await;
    let moody = Moody::new(later(100));
    let running = run(&rig, &moody, DispatchOptions::default());
    tokio::time::sleep(Duration::from_secs(90)).await;
    assert_eq!(moody.counts(), [1, 0], "asked once, and given nothing");
    let state = running.metrics.snapshot().outbox[LEDGER].state.clone();
    assert_eq!(state, DestinationState::Later { why: why("QUOTA") });
    assert_eq!(state.as_str(), "later");
    // Nobody has its lanes, and nothing was written.
    assert!(rig.outbox().await.iter().all(|row| row.attempts == 0));
    let params = LeaseParams {
        owner: dipmo_outbox::Owner("somebody".to_owned()),
        destination: LEDGER.parse().unwrap(),
        lanes: 64,
        duration: Duration::from_secs(1),
    };
    assert_eq!(rig.store.lease(&params).await.unwrap().len(), 3);
    moody.becomes(Readiness::Ready);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(moody.counts()[0], 1, "it is not asked before its time");
    rig.until_quiet().await;
    let state = running.metrics.snapshot().outbox[LEDGER].state.clone();
    running.stop().await;
    assert_eq!(state, DestinationState::Ready);
    assert!(rig.outbox().await.iter().all(|row| row.status == OutboxStatus::Dispatched));
}

#[tokio::test(start_paused = true)]
async fn a_short_wait_is_no_longer_than_it_says_and_no_wait_does_not_spin() {
    let rig = Rig::new().await;
    store(&rig, 1, 1).await;
    let moody = Moody::new(Readiness::Later { after: Duration::ZERO, why: why("NOW") });
    let poll = Duration::from_secs(3_600);
    let running = run(&rig, &moody, DispatchOptions { poll, ..DispatchOptions::default() });
    tokio::time::sleep(Duration::from_secs(10)).await;
    let [asked, _] = moody.counts();
    assert!((100..=400).contains(&asked), "{asked}");
    moody.becomes(Readiness::Ready);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(moody.counts()[1], 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_destination_that_needs_a_person_goes_on_once_it_is_mended() {
    let rig = Rig::new().await;
    store(&rig, 1, 2).await;
    let moody = Moody::new(Readiness::Stopped { why: why("FIELD_UNKNOWN") });
    let other = Recorder::new(|_, _| Published::delivered());
    let engine = rig.engine(EngineOptions::default());
    let engine = engine.publisher(LEDGER, moody.clone()).publisher("KAFKA:*", other.clone());
    let running = start(engine);
    let elsewhere = Step { tell: vec!["KAFKA:other".to_owned()], ..Step::default() };
    rig.store(&[step("B", 9, elsewhere)]).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(other.numbers("B"), [9], "it stops its own destination only");
    let [asked, slices] = moody.counts();
    assert!((50..=62).contains(&asked) && slices == 0, "{asked}");
    let state = running.metrics.snapshot().outbox[LEDGER].state.clone();
    assert_eq!((state.as_str(), state.why().unwrap().code()), ("stopped", "FIELD_UNKNOWN"));
    moody.becomes(Readiness::Ready);
    rig.until_quiet().await;
    running.stop().await;
    assert!(rig.outbox().await.iter().all(|row| row.status == OutboxStatus::Dispatched));
}

#[tokio::test(start_paused = true)]
async fn a_courier_stops_between_two_slices() {
    let rig = Rig::new().await;
    store(&rig, 1, 6).await;
    rig.until(|_| true).await;
    let moody =
        Arc::new(Moody { then: Some(later(50)), ..unwrapped(Moody::new(Readiness::Ready)) });
    let options = DispatchOptions { couriers: 1, units: Some(1), ..DispatchOptions::default() };
    let running = run(&rig, &moody, options);
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(moody.counts()[1], 1);
    let rows = rig.outbox().await;
    let pending: Vec<_> = rows.iter().filter(|it| it.status == OutboxStatus::Pending).collect();
    assert!(pending.iter().all(|row| row.attempts == 0), "{pending:?}");
    assert_eq!(rows.len() - pending.len(), 1, "what was sent is settled");
    running.stop().await;
}

fn unwrapped(moody: Arc<Moody>) -> Moody {
    Arc::into_inner(moody).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_state_that_is_over_does_not_stay_in_the_figures() {
    let rig = Rig::new().await;
    store(&rig, 1, 1).await;
    let moody = Moody::new(later(10));
    let running = run(&rig, &moody, DispatchOptions::default());
    tokio::time::sleep(Duration::from_secs(5)).await;
    let quick = Moody::new(Readiness::Ready);
    let other = run(&rig, &quick, DispatchOptions::default());
    rig.until_quiet().await;
    moody.becomes(Readiness::Ready);
    tokio::time::sleep(Duration::from_secs(10)).await;
    let state = running.metrics.snapshot().outbox[LEDGER].state.clone();
    assert_eq!(state, DestinationState::Ready, "although it has nothing to deliver any more");
    running.stop().await;
    other.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_panics_when_it_is_asked_stops_nobody_else() {
    let rig = Rig::new().await;
    store(&rig, 1, 1).await;
    let moody = Moody::new(Readiness::Stopped { why: why("PANIC") });
    let running = run(&rig, &moody, DispatchOptions::default());
    tokio::time::sleep(Duration::from_secs(5)).await;
    let state = running.metrics.snapshot().outbox[LEDGER].state.clone();
    assert_eq!(state.why().unwrap().code(), "publisher-panicked");
    moody.readiness.clear_poison();
    moody.becomes(Readiness::Ready);
    rig.until_quiet().await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_fits_no_clock_stops_nobody_else() {
    let rig = Rig::new().await;
    store(&rig, 1, 1).await;
    let moody = Moody::new(Readiness::Later { after: Duration::MAX, why: why("NEVER") });
    let running = run(&rig, &moody, DispatchOptions::default());
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(running.metrics.snapshot().outbox[LEDGER].state.as_str(), "later");
    assert_eq!(moody.counts(), [1, 0]);
    running.stop().await;
}

/// Takes nothing from the moment that its job waits.
struct Pausing(Bulk, Mutex<bool>);

#[async_trait]
impl Publisher for Pausing {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.0.publish(deliveries).await
    }

    fn readiness(&self, _: &Destination) -> Readiness {
        if *self.1.lock().unwrap() { Readiness::Ready } else { later(20) }
    }

    fn job_plan(&self, destination: &Destination) -> Option<JobPlan> {
        self.0.job_plan(destination)
    }

    async fn run_job(
        &self,
        job: &dyn dipmo_outbox::JobWork,
    ) -> Result<dipmo_outbox::JobStep, dipmo_domain::StoreError> {
        let step = self.0.run_job(job).await;
        *self.1.lock().unwrap() = self.0.times("closed") > 1;
        step
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_of_a_destination_that_takes_nothing_now_is_left_and_taken_again() {
    let rig = Rig::new().await;
    jobs::store(&rig, 2).await;
    let bulk = Bulk { hook: Box::new(|_| Holdup::Nothing), ..Bulk::new() };
    let pausing = Arc::new(Pausing(bulk, Mutex::new(true)));
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("HTTP:*", pausing.clone()));
    pausing.0.reaches("closed").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let figures = running.metrics.snapshot().outbox[TO].clone();
    assert_eq!((figures.state.as_str(), figures.jobs.ended), ("later", 0));
    assert!(figures.jobs.in_hand.is_empty(), "nobody holds it meanwhile: {figures:?}");
    *pausing.1.lock().unwrap() = true;
    rig.until_quiet().await;
    let figures = running.metrics.snapshot().outbox[TO].clone();
    running.stop().await;
    assert_eq!((figures.jobs.taken_over, figures.jobs.ended), (1, 1));
}
