//! Engines that are stopped while something is being sent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Backoff, Destination, OutboxStatus, StoreError};
use dipmo_outbox::{Delivery, Ending, JobPlan, JobStep, JobWork, Published, Publisher};
use dipmo_processing::{DispatchOptions, EngineOptions, RetryPolicy};
use dipmo_store::Jobs as _;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::bulk::Bulk;
use crate::rig::{Rig, Running, start, step};
use crate::script::Step;

const LEDGER: &str = "KAFKA:ledger";

/// How long a slice may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// What it takes to settle and to give leases back, on a clock that moves only when all wait.
const LITTLE: Duration = Duration::from_secs(1);

/// How long it may take to end while something is on the wire that is never answered.
fn most() -> Duration {
    DispatchOptions::default().ending + LITTLE
}

async fn rig(aggregates: impl IntoIterator<Item = String>) -> Rig {
    let rig = Rig::new().await;
    let tell = || Step { tell: vec![LEDGER.to_owned()], ..Step::default() };
    let messages: Vec<_> =
        (1..).zip(aggregates).map(|(n, aggregate)| step(&aggregate, n, tell())).collect();
    rig.store(&messages).await;
    rig
}

fn run(rig: &Rig, publisher: Arc<dyn Publisher>) -> Running {
    run_with(rig, DispatchOptions::default(), publisher)
}

fn run_with(rig: &Rig, dispatch: DispatchOptions, publisher: Arc<dyn Publisher>) -> Running {
    let options = EngineOptions { dispatch, ..EngineOptions::default() };
    start(rig.engine(options).publisher("KAFKA:*", publisher))
}

/// Makes a call of a second for each delivery, and takes note of when.
#[derive(Default)]
struct OneByOne {
    called: watch::Sender<Vec<(String, Instant)>>,
    /// Hears that the engine ends.
    listens: bool,
    /// Never gets an answer.
    silent: bool,
    keeps_order: bool,
}

impl OneByOne {
    async fn reaches(&self, calls: usize) {
        self.called.subscribe().wait_for(|called| called.len() >= calls).await.unwrap();
    }

    fn calls(&self) -> Vec<(String, Instant)> {
        self.called.borrow().clone()
    }

    async fn call(&self, delivery: &Delivery) -> Published {
        let call = (delivery.aggregate_id.clone(), Instant::now());
        self.called.send_modify(|called| called.push(call));
        sleep(if self.silent { Duration::MAX } else { Duration::from_secs(1) }).await;
        Published::delivered()
    }
}

#[async_trait]
impl Publisher for OneByOne {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.publish_until(deliveries, &Ending::default()).await
    }

    async fn publish_until(&self, deliveries: &[Delivery], ending: &Ending) -> Vec<Published> {
        let mut answers = Vec::new();
        for delivery in deliveries {
            let ends = self.listens && ending.is_begun();
            answers.push(if ends { Published::NotTried } else { self.call(delivery).await });
        }
        answers
    }

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    fn deadline(&self, _: &Destination) -> Option<Duration> {
        Some(DEADLINE)
    }
}

#[tokio::test(start_paused = true)]
async fn who_hears_of_the_end_begins_no_further_call_and_nothing_is_sent_twice() {
    let rig = rig((0..50).map(|n| format!("A-{n}"))).await;
    let publisher = Arc::new(OneByOne { listens: true, keeps_order: true, ..Default::default() });
    let running = run(&rig, publisher.clone());
    publisher.reaches(5).await;
    let began = Instant::now();
    running.stop().await;
    assert!(began.elapsed() < LITTLE * 2, "{:?}", began.elapsed());
    let rows = rig.outbox().await;
    let delivered = rows.iter().filter(|row| row.status == OutboxStatus::Dispatched).count();
    assert_eq!(delivered, publisher.calls().len(), "what was answered is settled");
    let running = run(&rig, publisher.clone());
    let (before, taken) = (publisher.calls().len(), Instant::now());
    publisher.reaches(before + 1).await;
    assert!(taken.elapsed() < LITTLE, "no lease had to run out");
    rig.until_quiet().await;
    running.stop().await;
    let mut sent: Vec<_> = publisher.calls().into_iter().map(|(aggregate, _)| aggregate).collect();
    sent.sort();
    sent.dedup();
    assert_eq!((sent.len(), publisher.calls().len()), (50, 50));
}

#[tokio::test(start_paused = true)]
async fn a_key_is_not_sent_to_its_end_when_the_engine_stops() {
    // One of it at a time, each a slice of its own.
    let rig = rig((0..50).map(|_| "A".to_owned())).await;
    let publisher = Arc::new(OneByOne::default());
    let running = run(&rig, publisher.clone());
    publisher.reaches(5).await;
    running.stop().await;
    assert_eq!(publisher.calls().len(), 5);
    let rows = rig.outbox().await;
    let delivered = rows.iter().filter(|row| row.status == OutboxStatus::Dispatched).count();
    assert_eq!(delivered, 5);
}

#[tokio::test(start_paused = true)]
async fn trap_22_what_is_not_answered_at_the_end_is_not_sent_again_while_it_may_be_on_the_wire() {
    let rig = rig(["A".to_owned()]).await;
    let silent = Arc::new(OneByOne { silent: true, ..Default::default() });
    let running = run(&rig, silent.clone());
    silent.reaches(1).await;
    let began = Instant::now();
    running.stop().await;
    assert!(began.elapsed() < most(), "{:?}", began.elapsed());
    let row = &rig.outbox().await[0];
    assert_eq!((row.status, row.attempts), (OutboxStatus::Pending, 0), "a stop is no attempt");
    assert_eq!(row.failure.as_ref().unwrap().code(), "publisher-timed-out");
    let next = Arc::new(OneByOne::default());
    let running = run(&rig, next.clone());
    // Of the same lane, and nothing to do with what is on the wire.
    rig.store(&[step("A", 2, Step { tell: vec![LEDGER.to_owned()], ..Step::default() })]).await;
    next.reaches(2).await;
    running.stop().await;
    let waited = next.calls()[0].1 - silent.calls()[0].1;
    assert!(waited >= DEADLINE && waited < DEADLINE + LITTLE * 5, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stop_makes_nothing_fail_however_few_attempts_there_are() {
    let rig = rig(["A".to_owned()]).await;
    let backoff: Backoff = "none".parse().unwrap();
    let retry = RetryPolicy { backoff, ..RetryPolicy::default() };
    let dispatch = DispatchOptions { retry, ..DispatchOptions::default() };
    for _ in 0..3 {
        let silent = Arc::new(OneByOne { silent: true, ..Default::default() });
        let running = run_with(&rig, dispatch.clone(), silent.clone());
        silent.reaches(1).await;
        running.stop().await;
        let row = &rig.outbox().await[0];
        assert_eq!((row.status, row.attempts), (OutboxStatus::Pending, 0));
    }
    let publisher = Arc::new(OneByOne::default());
    let running = run_with(&rig, dispatch, publisher.clone());
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(rig.outbox().await[0].status, OutboxStatus::Dispatched);
}

#[tokio::test(start_paused = true)]
async fn a_lane_beside_what_is_on_the_wire_is_free_at_once() {
    let aggregates = (0..64).map(|n| format!("A-{n}"));
    let rig = rig(aggregates).await;
    let silent = Arc::new(OneByOne { silent: true, ..Default::default() });
    let running = run(&rig, silent.clone());
    silent.reaches(1).await;
    let began = Instant::now();
    running.stop().await;
    assert!(began.elapsed() < most(), "{:?}", began.elapsed());
    let next = Arc::new(OneByOne { keeps_order: true, ..Default::default() });
    let running = run(&rig, next.clone());
    let tell = || Step { tell: vec![LEDGER.to_owned()], ..Step::default() };
    let messages: Vec<_> = (0..64).map(|n| step(&format!("B-{n}"), 100 + n, tell())).collect();
    rig.store(&messages).await;
    let began = Instant::now();
    next.reaches(1).await;
    assert!(began.elapsed() < LITTLE, "no lease had to run out");
    rig.until_quiet().await;
    running.stop().await;
}

/// Goes on with jobs until the end of the engine has begun.
struct Listening(Mutex<u32>);

#[async_trait]
impl Publisher for Listening {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        vec![Published::NotTried; deliveries.len()]
    }

    fn deadline(&self, _: &Destination) -> Option<Duration> {
        Some(DEADLINE)
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        Some(Bulk::new().plan)
    }

    async fn run_job(&self, job: &dyn JobWork) -> Result<JobStep, StoreError> {
        *self.0.lock().unwrap() += 1;
        job.ending().begun().await;
        Ok(JobStep::Wait(Duration::ZERO))
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_publisher_hears_of_the_end_is_free_at_once() {
    let rig = rig(["A".to_owned()]).await;
    let runs = |publisher: &Listening| *publisher.0.lock().unwrap();
    for _ in 0..2 {
        let publisher = Arc::new(Listening(Mutex::new(0)));
        let (began, running) = (Instant::now(), run(&rig, publisher.clone()));
        while runs(&publisher) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        running.stop().await;
        assert!(began.elapsed() < LITTLE, "{:?}", began.elapsed());
        assert_eq!(runs(&publisher), 1);
    }
    assert_eq!(rig.store.jobs(9).await.unwrap().len(), 1);
}

/// A run that panics when the engine stops, with a call on the wire for all that is known.
struct Panicking;

#[async_trait]
impl Publisher for Panicking {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        vec![Published::NotTried; deliveries.len()]
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        Some(Bulk::new().plan)
    }

    async fn run_job(&self, job: &dyn JobWork) -> Result<JobStep, StoreError> {
        job.ending().begun().await;
        panic!("it cannot go on");
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_run_panics_at_the_end_is_nobodys_before_its_leases_have_run_out() {
    let rig = rig(["A".to_owned()]).await;
    let running = run(&rig, Arc::new(Panicking));
    while rig.store.jobs(9).await.unwrap().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    running.stop().await;
    let (stopped, next) = (Instant::now(), Arc::new(Listening(Mutex::new(0))));
    let running = run(&rig, next.clone());
    while *next.0.lock().unwrap() == 0 {
        sleep(Duration::from_millis(100)).await;
    }
    running.stop().await;
    let waited = stopped.elapsed();
    assert!(waited >= DispatchOptions::default().deadline, "{waited:?}");
}
