//! Jobs: what waits goes out at once, each unit is settled on its own, and nothing else of its
//! lanes goes out meanwhile.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, InboxStatus, OutboxStatus, StoreError};
use dipmo_outbox::{Attempt, Delivery, JobPhase, JobPlan, JobStep, JobWork, Published, Publisher};
use dipmo_processing::{DispatchOptions, EngineOptions, OnFailure, RetryPolicy, Role};
use dipmo_store::Jobs as _;

use crate::bulk::{Bulk, Holdup, State, TO, number};
use crate::publishers::Recorder;
use crate::rig::{Rig, Running, start, step};
use crate::script::Step;

pub(crate) fn tell() -> Step {
    Step { tell: vec![TO.to_owned()], ..Step::default() }
}

/// Steps of aggregates of their own, from 1 on.
pub(crate) async fn store(rig: &Rig, count: i64) {
    let messages: Vec<_> = (1..=count).map(|n| step(&format!("A{n}"), n, tell())).collect();
    rig.store(&messages).await;
    processed(rig).await;
}

/// Lets all messages be processed, and nothing be sent.
pub(crate) async fn processed(rig: &Rig) {
    let engine = rig.engine(EngineOptions::default());
    let stop = engine.stop_token();
    let task = tokio::spawn(engine.run_roles(&[Role::Process]));
    rig.until(|row| row.status == InboxStatus::Processed).await;
    stop.cancel();
    task.await.unwrap();
}

pub(crate) fn run(rig: &Rig, publisher: &Arc<Bulk>) -> Running {
    run_with(rig, publisher, DispatchOptions::default())
}

pub(crate) fn run_with(rig: &Rig, publisher: &Arc<Bulk>, dispatch: DispatchOptions) -> Running {
    let options = EngineOptions { dispatch, ..EngineOptions::default() };
    start(rig.engine(options).publisher("HTTP:*", Arc::<Bulk>::clone(publisher)))
}

fn refused(code: &str) -> Published {
    Published::Refused(Failure::new(code, "never"))
}

#[tokio::test(start_paused = true)]
async fn what_waits_goes_out_in_one_job_and_each_unit_is_settled() {
    let rig = Rig::new().await;
    store(&rig, 7).await;
    let bulk = Arc::new(Bulk { waits: 3.into(), ..Bulk::new() });
    let running = run(&rig, &bulk);
    rig.until_quiet().await;
    let figures = running.metrics.snapshot().outbox[TO].clone();
    running.stop().await;
    assert_eq!(bulk.applied(), (1..=7).collect::<Vec<_>>());
    assert_eq!(bulk.count(State::Deleted), 1);
    assert!(rig.outbox().await.iter().all(|row| row.status == OutboxStatus::Dispatched));
    let jobs = figures.jobs;
    assert_eq!((jobs.begun, jobs.ended, jobs.taken_over, jobs.units), (1, 1, 0, 7));
    assert!(jobs.in_hand.is_empty(), "{jobs:?}");
    assert_eq!(jobs.phases.keys().copied().collect::<Vec<_>>(), ["GIVEN", "MADE", "SEALED"]);
    assert!(jobs.phases["GIVEN"].sum >= Duration::from_secs(4), "{jobs:?}");
    assert_eq!((figures.dispatched, figures.slices), (7, 0));
    assert_eq!(figures.age.count(), 7, "each was on its way for a time");
    assert_eq!(rig.store.jobs(9).await.unwrap()[0].phase, JobPhase::Ended);
}

#[tokio::test(start_paused = true)]
async fn too_few_for_a_job_go_out_in_slices() {
    let rig = Rig::new().await;
    store(&rig, 4).await;
    let plan = JobPlan { least: 5, ..Bulk::new().plan };
    let bulk = Arc::new(Bulk { plan, ..Bulk::new() });
    let running = run(&rig, &bulk);
    rig.until_quiet().await;
    running.stop().await;
    let service = bulk.service.lock().unwrap();
    assert_eq!((service.jobs.len(), service.sliced.len()), (0, 4));
}

#[tokio::test(start_paused = true)]
async fn a_job_waits_for_more_before_it_is_sealed_also_in_other_lanes() {
    let rig = Rig::new().await;
    store(&rig, 1).await;
    let plan = JobPlan { least: 5, gather: Duration::from_secs(100), ..Bulk::new().plan };
    let bulk = Arc::new(Bulk { plan, ..Bulk::new() });
    let running = run(&rig, &bulk);
    tokio::time::sleep(Duration::from_secs(50)).await;
    let messages: Vec<_> = (2..=9).map(|n| step(&format!("A{n}"), n, tell())).collect();
    rig.store(&messages).await;
    rig.until_quiet().await;
    running.stop().await;
    let service = bulk.service.lock().unwrap();
    assert_eq!((service.jobs.len(), service.applied.len()), (1, 9));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_has_enough_waits_for_no_more() {
    for (enough, jobs_after_a_moment) in [(9, 1), (10, 0)] {
        let rig = Rig::new().await;
        store(&rig, 9).await;
        let gather = Duration::from_secs(1_000);
        let plan = JobPlan { least: 5, gather, enough, ..Bulk::new().plan };
        let bulk = Arc::new(Bulk { plan, ..Bulk::new() });
        let running = run(&rig, &bulk);
        tokio::time::sleep(Duration::from_secs(500)).await;
        assert_eq!(bulk.service.lock().unwrap().jobs.len(), jobs_after_a_moment, "{enough}");
        rig.until_quiet().await;
        running.stop().await;
        assert_eq!(bulk.service.lock().unwrap().jobs.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_left_out_of_a_job_goes_on_in_the_next() {
    let rig = Rig::new().await;
    store(&rig, 6).await;
    let even = |delivery: &Delivery| {
        matches!(delivery.attempt, Attempt::First(_)) && number(delivery) % 2 == 0
    };
    let bulk = Arc::new(Bulk { leaves_out: even, page: 4, ..Bulk::new() });
    let running = run(&rig, &bulk);
    rig.until_quiet().await;
    running.stop().await;
    let service = bulk.service.lock().unwrap();
    assert!(service.applied[..3].iter().all(|n| n % 2 == 1), "{:?}", service.applied);
    assert!(service.applied[3..].iter().all(|n| n % 2 == 0), "{:?}", service.applied);
    assert_eq!(service.applied.len(), 6);
    assert_eq!(service.jobs.len(), 2);
    assert!(service.jobs.values().all(|(state, _)| *state == State::Deleted));
}

#[tokio::test(start_paused = true)]
async fn trap_23_a_unit_that_failed_is_retried_in_the_next_job_before_those_behind_it() {
    let rig = Rig::new().await;
    let messages: Vec<_> = (1..=3).map(|n| step("A", n, tell())).collect();
    rig.store(&messages).await;
    rig.store(&[step("B", 4, tell())]).await;
    processed(&rig).await;
    let fails_once = |delivery: &Delivery| match delivery.attempt {
        Attempt::Again { attempts: 1.., .. } => Published::delivered(),
        _ if number(delivery) > 1 => Published::delivered(),
        _ => Published::Retry { failure: Failure::new("BUSY", "not now"), after: None },
    };
    let bulk = Arc::new(Bulk { answer: Box::new(fails_once), ..Bulk::new() });
    let running = run(&rig, &bulk);
    rig.until_quiet().await;
    running.stop().await;
    let mut of_a = bulk.service.lock().unwrap().applied.clone();
    of_a.retain(|n| *n != 4);
    assert_eq!(of_a, [1, 2, 3]);
    let mut rows = rig.outbox().await;
    rows.retain(|row| row.aggregate_id == "A");
    assert_eq!((rows[0].status, rows[0].attempts), (OutboxStatus::Dispatched, 2));
}

#[tokio::test(start_paused = true)]
async fn outcomes_of_a_job_reach_the_process_once_all_units_have_ended() {
    let rig = Rig::new().await;
    let records = ["M-1", "M-2", "M-3"].map(str::to_owned).to_vec();
    rig.store(&[step("A", 1, Step { records, ask: true, ..tell() })]).await;
    processed(&rig).await;
    let answer = |delivery: &Delivery| match delivery.record.as_ref().unwrap().0.as_str() {
        "M-2" => refused("GONE"),
        _ => Published::delivered(),
    };
    let bulk = Arc::new(Bulk { answer: Box::new(answer), page: 1, ..Bulk::new() });
    let running = run(&rig, &bulk);
    rig.until_quiet().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    running.stop().await;
    assert_eq!(rig.data("A").await.heard, ["failed 1 of 3"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_in_a_job_blocks_its_key_or_not_as_the_policy_says() {
    for (on_failure, expected) in [(OnFailure::Block, vec![]), (OnFailure::Skip, vec![2])] {
        let rig = Rig::new().await;
        rig.store(&[step("A", 1, tell())]).await;
        processed(&rig).await;
        let refuses_first = |delivery: &Delivery| match number(delivery) {
            1 => refused("NEVER"),
            _ => Published::delivered(),
        };
        let bulk = Arc::new(Bulk { answer: Box::new(refuses_first), ..Bulk::new() });
        let retry = RetryPolicy { on_failure, ..RetryPolicy::default() };
        let running = run_with(&rig, &bulk, DispatchOptions { retry, ..Default::default() });
        rig.until_quiet().await;
        rig.store(&[step("A", 2, tell())]).await;
        rig.until(|row| row.status == InboxStatus::Processed).await;
        rig.until_quiet().await;
        running.stop().await;
        assert_eq!(bulk.service.lock().unwrap().applied, expected, "{on_failure:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn slices_go_out_beside_a_job_and_nothing_of_its_lanes() {
    let rig = Rig::new().await;
    store(&rig, 1).await;
    // The job takes one lane and the only courier, and waits for long.
    let plan = JobPlan { lanes: 1, ..Bulk::new().plan };
    let bulk = Arc::new(Bulk { plan, waits: 100.into(), ..Bulk::new() });
    let one = DispatchOptions { couriers: 1, ..DispatchOptions::default() };
    let running = run_with(&rig, &bulk, one);
    bulk.reaches("closed").await;
    let service = Arc::clone(&bulk.service);
    let other = Recorder::new(move |delivery, _| {
        service.lock().unwrap().applied.push(number(delivery));
        Published::delivered()
    });
    let beside = start(rig.engine(EngineOptions::default()).publisher("HTTP:*", other.clone()));
    let later = |aggregate: &str, n| step(aggregate, n, tell());
    rig.store(&[later("A1", 2), later("B", 3), later("A1", 4)]).await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    assert_eq!(bulk.service.lock().unwrap().applied, [1, 3]);
    rig.until_quiet().await;
    running.stop().await;
    beside.stop().await;
    assert_eq!(bulk.service.lock().unwrap().applied, [1, 3, 2, 4], "in order, behind the job");
}

#[tokio::test(start_paused = true)]
async fn jobs_are_counted_within_the_couriers_of_a_destination() {
    let rig = Rig::new().await;
    store(&rig, 20).await;
    let plan = JobPlan { most: 1, lanes: 1, ..Bulk::new().plan };
    let bulk = Arc::new(Bulk { plan, waits: 1_000.into(), ..Bulk::new() });
    let running = run_with(&rig, &bulk, DispatchOptions { couriers: 3, ..Default::default() });
    tokio::time::sleep(Duration::from_secs(20)).await;
    let jobs = running.metrics.snapshot().outbox[TO].jobs.clone();
    assert_eq!((jobs.begun, jobs.in_hand["GIVEN"].jobs, jobs.in_hand["GIVEN"].units), (3, 3, 3));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_makes_no_jobs_any_more_gives_back_what_nobody_else_knows_of() {
    let other = taken_over_at("created").await;
    assert_eq!(other.taken.lock().unwrap().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_makes_no_jobs_leaves_alone_what_may_have_taken_effect() {
    for place in ["made", "closed"] {
        let other = taken_over_at(place).await;
        assert!(other.taken.lock().unwrap().is_empty(), "after {place}");
    }
}

/// A job is left at a place, and found by a publisher that makes none.
async fn taken_over_at(place: &'static str) -> Arc<Recorder> {
    let rig = Rig::new().await;
    store(&rig, 5).await;
    let hook = move |at: &str| if at == place { Holdup::ForEver } else { Holdup::Nothing };
    let bulk = Arc::new(Bulk { hook: Box::new(hook), ..Bulk::new() });
    let running = run(&rig, &bulk);
    bulk.reaches(place).await;
    running.crash().await;
    let other = Recorder::new(|_, _| Published::delivered());
    let running = start(rig.engine(EngineOptions::default()).publisher("HTTP:*", other.clone()));
    tokio::time::sleep(Duration::from_secs(300)).await;
    running.stop().await;
    other
}

/// Of two units of a key it answers for the second first, and lets the first go; tells how often each had been
/// tried when it came in the next job.
#[derive(Default)]
struct Hasty {
    jobs: AtomicU32,
    came: Mutex<Vec<(i64, u32)>>,
}

#[async_trait]
impl Publisher for Hasty {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        deliveries.iter().map(|_| Published::NotTried).collect()
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        Some(Bulk::new().plan)
    }

    async fn run_job(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        let units = work.units(None, 10).await?.units;
        if self.jobs.fetch_add(1, Ordering::Relaxed) > 0 {
            let tried = |unit: &Delivery| match unit.attempt {
                Attempt::First(_) => 0,
                Attempt::Again { attempts, .. } => attempts,
            };
            let came = units.iter().map(|unit| (number(unit), tried(unit)));
            self.came.lock().unwrap().extend(came);
            let answers = units.iter().map(|_| Some(Published::delivered())).collect();
            work.answer(units, answers).await?;
            return Ok(JobStep::Ended);
        }
        let failure = Failure::new("row-locked", "later");
        let retry = Published::Retry { failure, after: Some(Duration::ZERO) };
        work.answer(units, vec![None, Some(retry)]).await?;
        let left = work.units(None, 10).await?.units;
        let answers = left.iter().map(|_| Some(Published::NotTried)).collect();
        work.answer(left, answers).await?;
        Ok(JobStep::Ended)
    }
}

#[tokio::test(start_paused = true)]
async fn trap_23_what_leaves_a_job_before_an_earlier_one_was_not_tried() {
    let rig = Rig::new().await;
    for n in 1..=2 {
        rig.store(&[step("A", n, tell())]).await;
    }
    processed(&rig).await;
    let hasty = Arc::new(Hasty::default());
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("HTTP:*", Arc::<Hasty>::clone(&hasty)));
    rig.until_quiet().await;
    running.stop().await;
    // An attempt that counted would make the second due, and let it go before the first.
    assert_eq!(*hasty.came.lock().unwrap(), [(1, 0), (2, 0)]);
}
