//! Workers that come and go, and figures that show what is hot.

use std::time::Duration;

use dipmo_domain::OrderKey;
use dipmo_processing::{EngineOptions, WorkerOptions};

use crate::rig::{Rig, start, step};
use crate::script::Step;

#[tokio::test(start_paused = true)]
async fn workers_come_with_the_work_and_go_without() {
    let rig = Rig::new().await;
    let worker = WorkerOptions { batch: 10, max: 3, ..WorkerOptions::default() };
    let options = EngineOptions { worker, ..EngineOptions::default() };
    let running = start(rig.engine(options));
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(running.metrics.snapshot().workers, 1);
    let messages: Vec<_> = (0..3_000).map(|n| step(&format!("A{n}"), n, Step::default())).collect();
    rig.store(&messages).await;
    let mut most = 0;
    for _ in 0..2_000 {
        tokio::task::yield_now().await;
        most = most.max(running.metrics.snapshot().workers);
    }
    assert_eq!(most, 3, "never more than it may");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(running.metrics.snapshot().workers, 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_hot_aggregate_shows() {
    let rig = Rig::new().await;
    let messages = (0..400).map(|n| {
        let aggregate = if n % 2 == 0 { "HOT".to_owned() } else { format!("A{n}") };
        step(&aggregate, n, Step::default())
    });
    rig.store(&messages.collect::<Vec<_>>()).await;
    let running = start(rig.engine(EngineOptions::default()));
    rig.until_quiet().await;
    let figures = running.metrics.snapshot();
    running.stop().await;
    let (key, count) = &figures.inbox.hot_keys[0];
    assert_eq!(*key, OrderKey::new("HOT"));
    assert!(*count >= 200, "never too low: {count}");
    let lane = OrderKey::new("HOT").lane();
    let hottest = figures.inbox.lanes.iter().max_by_key(|(_, count)| **count).unwrap();
    assert_eq!(*hottest.0, lane);
    assert_eq!(figures.transitions[&("SCRIPT".to_owned(), "GOING".to_owned(), "GOING")], 199);
    assert_eq!(figures.inbox.latency.count(), 400);
}

#[tokio::test(start_paused = true)]
async fn without_work_nothing_but_polling_happens() {
    let rig = Rig::new().await;
    let running = start(rig.engine(EngineOptions::default()));
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let figures = running.metrics.snapshot();
    running.stop().await;
    assert_eq!((figures.inbox.batches, figures.workers), (0, 1));
    assert!(figures.store_errors.is_empty());
}
