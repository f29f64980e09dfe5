//! What is said of an engine while it runs: only what another process would mend makes it dead.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::Failure;
use dipmo_outbox::{Delivery, Published, Publisher};
use dipmo_processing::health::{Checkup, Limits, Trouble, Verdict, judge};
use dipmo_processing::{DispatchOptions, Engine, EngineOptions, Pulse, Role, WorkerOptions};
use dipmo_store_memory::MemoryStore;

use crate::publishers::Recorder;
use crate::rig::{Rig, step};
use crate::script::Step;

const HOUR: Duration = Duration::from_secs(3_600);

fn judged(pulse: &Pulse) -> Verdict {
    judge(&pulse.look(), &Limits::default())
}

/// Runs some roles for an hour; answers what is said then.
async fn an_hour(engine: Engine, roles: &'static [Role]) -> Verdict {
    let (pulse, stop) = (engine.pulse(), engine.stop_token());
    let running = tokio::spawn(engine.run_roles(roles));
    tokio::time::sleep(HOUR).await;
    let verdict = judged(&pulse);
    stop.cancel();
    running.await.unwrap();
    verdict
}

fn names(verdict: &Verdict) -> Vec<(&'static str, &str)> {
    verdict.reasons.iter().map(|reason| (reason.name, reason.about.as_str())).collect()
}

fn tells() -> Step {
    Step { tell: vec!["KAFKA:a".to_owned()], ..Step::default() }
}

#[tokio::test(start_paused = true)]
async fn an_idle_engine_is_well() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, Step::default())]).await;
    let verdict = an_hour(rig.engine(EngineOptions::default()), &Role::ALL).await;
    assert_eq!(verdict, Verdict::default());
}

#[tokio::test(start_paused = true)]
async fn keys_that_wait_for_a_person_are_no_stall() {
    let rig = Rig::new().await;
    let rejects = Step { reject: true, ..Step::default() };
    rig.store(&[step("A", 1, rejects), step("A", 2, Step::default())]).await;
    let verdict = an_hour(rig.engine(EngineOptions::default()), &Role::ALL).await;
    assert_eq!(verdict, Verdict::default());
}

#[tokio::test(start_paused = true)]
async fn a_dispatcher_that_sends_nobody_out_is_stalled() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tells())]).await;
    let dispatch = DispatchOptions { couriers: 0, ..DispatchOptions::default() };
    let engine = rig.engine(EngineOptions { dispatch, ..EngineOptions::default() });
    let engine = engine.publisher("KAFKA:*", Recorder::new(|_, _| Published::delivered()));
    let verdict = an_hour(engine, &Role::ALL).await;
    assert_eq!(names(&verdict), [("stalled", "KAFKA:a")]);
    assert!(!verdict.is_live());
}

#[tokio::test(start_paused = true)]
async fn what_another_role_has_to_do_is_not_held_against_this_instance() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tells())]).await;
    let verdict = an_hour(rig.engine(EngineOptions::default()), &[Role::Upkeep]).await;
    assert_eq!(verdict, Verdict::default());
}

#[tokio::test(start_paused = true)]
async fn a_destination_without_publisher_is_shown() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tells())]).await;
    let verdict = an_hour(rig.engine(EngineOptions::default()), &Role::ALL).await;
    assert_eq!(names(&verdict), [("unserved", "KAFKA:a")]);
    assert!(verdict.is_ready());
}

/// Never answers in time.
struct Mute;

#[async_trait]
impl Publisher for Mute {
    async fn publish(&self, _: &[Delivery]) -> Vec<Published> {
        std::future::pending().await
    }

    fn deadline(&self, _: &dipmo_domain::Destination) -> Option<Duration> {
        Some(HOUR * 2)
    }
}

#[tokio::test(start_paused = true)]
async fn a_publisher_may_take_as_long_as_it_said() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tells())]).await;
    let engine = rig.engine(EngineOptions::default()).publisher("KAFKA:*", Arc::new(Mute));
    assert_eq!(an_hour(engine, &Role::ALL).await, Verdict::default());
}

#[tokio::test(start_paused = true)]
async fn a_role_without_a_worker_is_dead_before_anything_waits() {
    let rig = Rig::new().await;
    let worker = WorkerOptions { min: 0, ..WorkerOptions::default() };
    let engine = rig.engine(EngineOptions { worker, ..EngineOptions::default() });
    let verdict = an_hour(engine, &Role::ALL).await;
    assert_eq!(names(&verdict), [("no-task", "process")]);
    assert!(!verdict.is_live());
}

#[tokio::test(start_paused = true)]
async fn a_task_that_dies_is_missed_and_one_that_is_replaced_is_not() {
    let pulse = Arc::<Pulse>::default();
    let part = pulse.part("source");
    let (alive, second) = (part.task(), part.task());
    let task = tokio::spawn(async move {
        let _alive = alive;
        panic!("as the test wanted");
    });
    assert!(task.await.is_err());
    tokio::time::sleep(HOUR).await;
    assert!(judged(&pulse).is_live(), "another one is alive");
    drop(second);
    assert!(judged(&pulse).is_live(), "it may be replaced");
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(!judged(&pulse).is_live());
    pulse.stopping();
    assert!(judged(&pulse).is_live(), "what ends now ends as it should");
}

#[tokio::test(start_paused = true)]
async fn an_instance_without_an_engine_is_ready_once_the_database_answered_and_the_source_reads() {
    let rig = Rig::new().await;
    let pulse = Arc::<Pulse>::default();
    assert_eq!(names(&judged(&pulse)), [("starting", "store")]);
    Checkup::new(Arc::<MemoryStore>::clone(&rig.store), Arc::clone(&pulse)).look().await;
    let source = pulse.part("source");
    let _alive = source.task();
    let why = Failure::new("kafka-unreachable", "nobody answers");
    let trouble = Trouble { code: why.code().to_owned(), text: why.message().to_owned() };
    source.trouble(Some(trouble));
    assert_eq!(names(&judged(&pulse)), [("not-working", "source")]);
    source.trouble(None);
    assert!(judged(&pulse).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_does_not_fit_makes_it_unready() {
    let store = Arc::new(MemoryStore::new(dipmo_domain::Timestamp::EPOCH));
    let pulse = Arc::<Pulse>::default();
    Checkup::new(store, Arc::clone(&pulse)).look().await;
    let verdict = judged(&pulse);
    assert_eq!(names(&verdict), [("schema", "store")]);
    assert!(verdict.is_live());
}
