//! Attempts: how many, how far apart, and what follows the last.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dipmo_domain::{Backoff, InboxStatus};
use dipmo_processing::{EngineOptions, RetryPolicy, WorkerOptions};
use tokio::time::Instant;

use crate::rig::{Rig, start, step};
use crate::script::Step;

fn with(backoff: &str) -> EngineOptions {
    let backoff: Backoff = backoff.parse().unwrap();
    let retry = RetryPolicy { backoff, ..RetryPolicy::default() };
    let worker = WorkerOptions { retry, ..WorkerOptions::default() };
    EngineOptions { worker, ..EngineOptions::default() }
}

#[tokio::test(start_paused = true)]
async fn three_retries_are_four_attempts() {
    for (fails, expected) in [(3, InboxStatus::Processed), (4, InboxStatus::Failed)] {
        let rig = Rig::new().await;
        rig.store(&[step("A", 1, Step { fails, ..Step::default() })]).await;
        let began = Instant::now();
        let running = start(rig.engine(with("fixed(5s, 3)")));
        rig.until_quiet().await;
        let figures = running.metrics.snapshot().inbox;
        running.stop().await;
        assert!(began.elapsed() >= Duration::from_secs(15), "{:?}", began.elapsed());
        let row = &rig.inbox().await[0];
        assert_eq!((row.status, figures.retried), (expected, 3));
        assert_eq!(row.attempts, 4);
    }
}

#[tokio::test(start_paused = true)]
async fn the_delay_is_drawn_for_each_message() {
    let rig = Rig::new().await;
    let fails = Step { fails: 1, ..Step::default() };
    let messages: Vec<_> = (0..50).map(|n| step(&format!("A{n}"), n, fails.clone())).collect();
    rig.store(&messages).await;
    let running = start(rig.engine(with("exponential(1h, 1h, 3)")));
    tokio::time::sleep(Duration::from_millis(20)).await;
    running.stop().await;
    let mut due: Vec<_> = rig.inbox().await.iter().map(|row| row.next_attempt_at).collect();
    due.sort();
    due.dedup();
    assert!(due.len() > 40, "they do not come back together: {}", due.len());
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_decide_is_the_failure_of_that_message() {
    let rig = Rig::new().await;
    let panics = Step { panic: true, ..Step::default() };
    rig.store(&[
        step("A", 1, Step::default()),
        step("B", 2, panics),
        step("C", 3, Step::default()),
    ])
    .await;
    rig.settle().await;
    use InboxStatus::{Failed, Processed};
    assert_eq!(rig.statuses().await, [Processed, Failed, Processed]);
    let failure = rig.inbox().await[1].failure.clone().unwrap();
    assert_eq!(failure.code(), "process-panicked");
    assert!(failure.message().contains("as the message wanted"), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn trap_19_the_clock_of_the_database_says_what_is_due() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, Step { fails: 1, ..Step::default() })]).await;
    let began = Instant::now();
    let running = start(rig.engine(with("fixed(1h, 3)")));
    rig.until(|row| row.status == InboxStatus::Retry).await;
    rig.ahead.store(3_600, Ordering::Relaxed);
    rig.until(|row| row.status == InboxStatus::Processed).await;
    running.stop().await;
    assert!(began.elapsed() < Duration::from_secs(60), "our clock: {:?}", began.elapsed());
}
