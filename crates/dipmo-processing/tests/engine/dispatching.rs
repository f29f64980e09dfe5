//! Deliveries: in order per key, each destination for itself, fenced.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Failure, InboxStatus, OutboxStatus};
use dipmo_outbox::{Delivery, Published, Publisher};
use dipmo_processing::{DispatchOptions, EngineOptions, OnFailure, RetryPolicy, Role};

use crate::publishers::Recorder;
use crate::rig::{Rig, start, step};
use crate::script::Step;

fn tell(destination: &str) -> Step {
    Step { tell: vec![destination.to_owned()], ..Step::default() }
}

fn not_now() -> Published {
    Published::Retry { failure: Failure::new("BUSY", "not now"), after: None }
}

#[tokio::test(start_paused = true)]
async fn trap_23_nothing_overtakes_a_delivery_that_is_retried() {
    for keeps_order in [false, true] {
        let rig = Rig::new().await;
        let answer = |delivery: &Delivery, before: usize| {
            let third = delivery.payload.read::<Step>().unwrap().n == 3;
            if third && before < 2 { not_now() } else { Published::delivered() }
        };
        let recorder =
            if keeps_order { Recorder::keeping_order(answer) } else { Recorder::new(answer) };
        let messages: Vec<_> = (1..=6).map(|n| step("A", n, tell("KAFKA:t"))).collect();
        rig.store(&messages).await;
        rig.store(&[step("B", 7, tell("KAFKA:t"))]).await;
        let engine = rig.engine(EngineOptions::default());
        let running = start(engine.publisher("KAFKA:*", recorder.clone()));
        rig.until_quiet().await;
        running.stop().await;
        assert_eq!(recorder.numbers("A"), [1, 2, 3, 3, 3, 4, 5, 6], "keeps order: {keeps_order}");
        assert_eq!(recorder.numbers("B"), [7]);
        let rows = rig.outbox().await;
        assert!(rows.iter().all(|row| row.status == OutboxStatus::Dispatched));
    }
}

#[tokio::test(start_paused = true)]
async fn trap_23_a_retried_delivery_is_not_held_behind_a_later_one() {
    let rig = Rig::new().await;
    let recorder = Recorder::new(|delivery, before| {
        let first = delivery.payload.read::<Step>().unwrap().n == 1;
        if first && before == 0 { not_now() } else { Published::delivered() }
    });
    rig.store(&[step("A", 1, tell("KAFKA:t"))]).await;
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("KAFKA:*", recorder.clone()));
    while recorder.numbers("A").is_empty() {
        tokio::time::sleep(Duration::from_micros(100)).await;
    }
    running.stop().await;
    rig.store(&[step("A", 2, tell("KAFKA:t"))]).await;
    let working = rig.engine(EngineOptions::default());
    let stop = working.stop_token();
    let working = tokio::spawn(working.run_roles(&[Role::Process]));
    rig.until(|row| row.status == InboxStatus::Processed).await;
    stop.cancel();
    working.await.unwrap();
    // Nobody delivers until the first is due again: the next read has both.
    rig.ahead.store(3_600, Ordering::Relaxed);
    let engine = rig.engine(EngineOptions::default());
    let running = start(engine.publisher("KAFKA:*", recorder.clone()));
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(recorder.numbers("A"), [1, 1, 2]);
    let rows = rig.outbox().await;
    assert!(rows.iter().all(|row| row.status == OutboxStatus::Dispatched), "{rows:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refused_delivery_blocks_its_key_or_is_skipped() {
    for (on_failure, expected) in [(OnFailure::Block, vec![1]), (OnFailure::Skip, vec![1, 2, 3])] {
        let rig = Rig::new().await;
        let recorder =
            Recorder::new(|delivery, _| match delivery.payload.read::<Step>().unwrap().n {
                1 => Published::Refused(Failure::new("NEVER", "not at all")),
                _ => Published::delivered(),
            });
        let messages: Vec<_> = (1..=3).map(|n| step("A", n, tell("KAFKA:t"))).collect();
        rig.store(&messages).await;
        let retry = RetryPolicy { on_failure, ..RetryPolicy::default() };
        let dispatch = DispatchOptions { retry, ..DispatchOptions::default() };
        let engine = rig.engine(EngineOptions { dispatch, ..EngineOptions::default() });
        let running = start(engine.publisher("KAFKA:*", recorder.clone()));
        rig.until_quiet().await;
        running.stop().await;
        assert_eq!(recorder.numbers("A"), expected);
        let rows = rig.outbox().await;
        assert_eq!(rows[0].status, OutboxStatus::Failed);
        let held = (on_failure == OnFailure::Block).then_some(rows[0].id);
        assert_eq!(rows[1].held_behind, held);
    }
}

#[tokio::test(start_paused = true)]
async fn a_delivery_is_given_up_after_the_last_attempt() {
    let rig = Rig::new().await;
    let recorder = Recorder::new(|_, _| not_now());
    rig.store(&[step("A", 1, tell("KAFKA:t"))]).await;
    let backoff = "fixed(5s, 3)".parse().unwrap();
    let retry = RetryPolicy { backoff, ..RetryPolicy::default() };
    let dispatch = DispatchOptions { retry, ..DispatchOptions::default() };
    let engine = rig.engine(EngineOptions { dispatch, ..EngineOptions::default() });
    let running = start(engine.publisher("KAFKA:*", recorder.clone()));
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(recorder.numbers("A").len(), 4, "three retries are four attempts");
    assert_eq!(rig.outbox().await[0].status, OutboxStatus::Failed);
}

/// Answers when it is told to, or never.
struct Slow(AtomicUsize, Duration);

#[async_trait]
impl Publisher for Slow {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.0.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(self.1).await;
        deliveries.iter().map(|_| Published::delivered()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn trap_25_a_slow_destination_holds_up_nobody_else() {
    let rig = Rig::new().await;
    let slow = Arc::new(Slow(AtomicUsize::new(0), Duration::from_secs(3_600)));
    let quick = Recorder::new(|_, _| Published::delivered());
    for n in 0..20 {
        rig.store(&[step("A", n, tell("KAFKA:slow")), step("B", n, tell("KAFKA:quick"))]).await;
    }
    rig.store(&[step("C", 1, tell("KAFKA:unserved"))]).await;
    let engine = rig.engine(EngineOptions::default());
    let engine = engine.publisher("KAFKA:slow", slow).publisher("KAFKA:quick", quick.clone());
    let running = start(engine);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(quick.numbers("B"), (0..20).collect::<Vec<_>>());
    let figures = running.metrics.snapshot();
    assert_eq!(figures.unserved, ["KAFKA:unserved"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn trap_22_an_answer_that_never_comes_counts_as_not_delivered_for_now() {
    let rig = Rig::new().await;
    let slow = Arc::new(Slow(AtomicUsize::new(0), Duration::from_secs(3_600)));
    rig.store(&[step("A", 1, tell("KAFKA:slow"))]).await;
    let running = start(rig.engine(EngineOptions::default()).publisher("KAFKA:*", slow.clone()));
    tokio::time::sleep(Duration::from_secs(30)).await;
    running.stop().await;
    assert!(slow.0.load(Ordering::Relaxed) >= 2, "it is tried again");
    let row = &rig.outbox().await[0];
    assert_eq!(row.status, OutboxStatus::Pending);
    assert_eq!(row.failure.as_ref().unwrap().code(), "publisher-timed-out");
}

#[tokio::test(start_paused = true)]
async fn a_destination_that_is_not_there_is_looked_at_now_and_then() {
    let rig = Rig::new().await;
    let absent = Recorder::new(|_, before| match before {
        0..5 => Published::NotTried,
        _ => Published::delivered(),
    });
    rig.store(&[step("A", 1, tell("KAFKA:t"))]).await;
    let running = start(rig.engine(EngineOptions::default()).publisher("KAFKA:*", absent.clone()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(absent.numbers("A").len() <= 5, "it does not go in circles");
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(absent.numbers("A").len(), 6);
    assert_eq!(rig.outbox().await[0].attempts, 1, "what was not tried is no attempt");
}

/// Panics, or answers for too few.
struct Careless;

#[async_trait]
impl Publisher for Careless {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        assert!(deliveries[0].aggregate_id != "A", "it slipped");
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_panics_or_miscounts_is_a_failure_for_now() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tell("KAFKA:a")), step("B", 1, tell("KAFKA:b"))]).await;
    let careless = Arc::new(Careless);
    let running = start(rig.engine(EngineOptions::default()).publisher("KAFKA:*", careless));
    tokio::time::sleep(Duration::from_secs(2)).await;
    running.stop().await;
    for row in rig.outbox().await {
        let expected =
            if row.aggregate_id == "A" { "publisher-panicked" } else { "publisher-miscounted" };
        assert_eq!(row.failure.unwrap().code(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn trap_20_a_courier_that_was_stopped_for_too_long_settles_nothing() {
    let rig = Rig::new().await;
    // Longer than the lease, within its own idea of a deadline: a process that was stopped.
    let stopped = Arc::new(Slow(AtomicUsize::new(0), Duration::from_secs(20)));
    rig.store(&[step("A", 1, tell("KAFKA:t"))]).await;
    let dispatch = DispatchOptions {
        deadline: Duration::from_secs(3_600),
        lease: Duration::from_secs(3_601),
        couriers: 1,
        ..DispatchOptions::default()
    };
    let engine = rig.engine(EngineOptions { dispatch, ..EngineOptions::default() });
    let first = start(engine.publisher("KAFKA:*", stopped));
    tokio::time::sleep(Duration::from_secs(1)).await;
    // The database thinks that the lease has run out.
    rig.ahead.store(7_200, Ordering::Relaxed);
    let second = Recorder::new(|_, _| Published::delivered());
    let other = start(rig.engine(EngineOptions::default()).publisher("KAFKA:*", second.clone()));
    tokio::time::sleep(Duration::from_secs(60)).await;
    let fenced = first.metrics.snapshot().outbox["KAFKA:t"].clone();
    first.stop().await;
    other.stop().await;
    assert_eq!(second.numbers("A"), [1]);
    assert_eq!((fenced.fenced, fenced.dispatched), (1, 0));
    assert_eq!(rig.outbox().await[0].status, OutboxStatus::Dispatched);
}

#[tokio::test(start_paused = true)]
async fn trap_23_records_are_delivered_each_on_its_own() {
    let rig = Rig::new().await;
    let recorder = Recorder::new(|delivery, before| {
        let record = &delivery.record.as_ref().unwrap().0;
        match (record.as_str(), before) {
            ("M-2", 0) => not_now(),
            ("M-3", _) => Published::Refused(Failure::new("GONE", "no such member")),
            _ => Published::Delivered { external_ref: Some(format!("ext-{record}")) },
        }
    });
    let records = ["M-1", "M-2", "M-3"].map(str::to_owned).to_vec();
    let told = Step { records, ask: true, ..tell("HTTP:SFDC:Auto:Member__c") };
    rig.store(&[step("A", 1, told)]).await;
    let running = start(rig.engine(EngineOptions::default()).publisher("HTTP:*", recorder.clone()));
    rig.until_quiet().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    running.stop().await;
    assert_eq!(recorder.taken.lock().unwrap().len(), 4, "only M-2 was sent twice");
    assert_eq!(rig.data("A").await.heard, ["failed 1 of 3"], "told once, when all had ended");
}
