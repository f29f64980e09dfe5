//! Order per aggregate, whatever fails and however many work.

use std::time::Duration;

use dipmo_domain::{InboxStatus, Outcome};
use dipmo_processing::{EngineOptions, OnFailure, RetryPolicy, Unrouted, WorkerOptions};

use crate::rig::{Rig, message, start, step};
use crate::script::Step;

fn skipping() -> EngineOptions {
    let retry = RetryPolicy { on_failure: OnFailure::Skip, ..RetryPolicy::default() };
    let worker = WorkerOptions { retry, ..WorkerOptions::default() };
    EngineOptions { worker, ..EngineOptions::default() }
}

#[tokio::test(start_paused = true)]
async fn trap_12_nothing_overtakes_a_message_that_is_retried() {
    let rig = Rig::new().await;
    let fails = Step { fails: 3, ..Step::default() };
    rig.store(&[step("A", 1, Step::default()), step("A", 2, fails)]).await;
    rig.store(&[step("A", 3, Step::default()), step("B", 9, Step::default())]).await;
    let running = start(rig.engine(EngineOptions::default()));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(rig.data("B").await.seen, [9], "others do not wait");
    rig.store(&[step("A", 4, Step::default())]).await;
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(rig.data("A").await.seen, [1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn trap_12_a_failure_blocks_its_aggregate_by_default() {
    let rig = Rig::new().await;
    let rejects = Step { reject: true, ..Step::default() };
    rig.store(&[step("A", 1, rejects), step("A", 2, Step::default())]).await;
    rig.store(&[step("A", 3, Step::default()), step("B", 1, Step::default())]).await;
    rig.settle().await;
    let rows = rig.inbox().await;
    assert_eq!(rows[0].status, InboxStatus::Failed);
    assert_eq!(rows[0].failure.as_ref().unwrap().code(), "REJECTED");
    for row in &rows[1..3] {
        assert_eq!(
            (row.status, row.held_behind),
            (InboxStatus::Received, Some(rows[0].message.id))
        );
    }
    assert_eq!(rig.data("B").await.seen, [1]);
}

#[tokio::test(start_paused = true)]
async fn trap_12_a_failure_is_skipped_by_choice() {
    let rig = Rig::new().await;
    let rejects = Step { reject: true, ..Step::default() };
    rig.store(&[step("A", 1, rejects), step("A", 2, Step::default())]).await;
    let running = start(rig.engine(skipping()));
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(rig.statuses().await, [InboxStatus::Failed, InboxStatus::Processed]);
    assert_eq!(rig.data("A").await.seen, [2]);
}

#[tokio::test(start_paused = true)]
async fn trap_12_what_nobody_takes_is_ignored_and_blocks_nothing() {
    let rig = Rig::new().await;
    let nobody = message("script", "Unheard", Some("A"), 1, None, &Step::default());
    rig.store(&[nobody, step("A", 2, Step::default())]).await;
    rig.settle().await;
    let rows = rig.inbox().await;
    assert_eq!(rows[0].outcome, Some(Outcome::Ignored));
    assert_eq!(rig.data("A").await.seen, [2]);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_takes_fails_by_choice() {
    let rig = Rig::new().await;
    let nobody = message("elsewhere", "Unheard", Some("A"), 1, None, &Step::default());
    rig.store(&[nobody]).await;
    let worker = WorkerOptions { unrouted: Unrouted::Fail, ..WorkerOptions::default() };
    let running = start(rig.engine(EngineOptions { worker, ..EngineOptions::default() }));
    rig.until_quiet().await;
    running.stop().await;
    let failure = rig.inbox().await[0].failure.clone().unwrap();
    assert_eq!(failure.code(), "message-unrouted");
    assert!(failure.message().contains("Unheard of elsewhere"), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn trap_14_order_holds_with_many_workers_and_engines() {
    let rig = Rig::new().await;
    let worker = WorkerOptions { min: 4, batch: 7, ..WorkerOptions::default() };
    let options = EngineOptions { worker, ..EngineOptions::default() };
    let running = [(); 3].map(|()| start(rig.engine(options.clone())));
    for n in 0..60 {
        let aggregates = ["A", "B", "C", "D", "E"];
        rig.store(&aggregates.map(|aggregate| step(aggregate, n, Step::default()))).await;
        if n % 7 == 0 {
            tokio::task::yield_now().await;
        }
    }
    rig.until_quiet().await;
    for engine in running {
        engine.stop().await;
    }
    for aggregate in ["A", "B", "C", "D", "E"] {
        assert_eq!(rig.data(aggregate).await.seen, (0..60).collect::<Vec<_>>(), "{aggregate}");
    }
}

#[tokio::test(start_paused = true)]
async fn trap_17_what_a_crashed_engine_had_begun_is_free_again() {
    let rig = Rig::new().await;
    let messages: Vec<_> =
        (0..200).map(|n| step(&format!("A{}", n % 9), n, Step::default())).collect();
    rig.store(&messages).await;
    for _ in 0..20 {
        let running = start(rig.engine(EngineOptions::default()));
        tokio::task::yield_now().await;
        running.crash().await;
    }
    rig.settle().await;
    assert!(rig.statuses().await.iter().all(|status| *status == InboxStatus::Processed));
    let seen = rig.data("A3").await.seen;
    assert_eq!(seen, (0..200).filter(|n| n % 9 == 3).collect::<Vec<_>>());
}
