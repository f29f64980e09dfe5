//! Deliveries that are in time, and those that are late.

use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_outbox::Published;
use dipmo_processing::metrics::OutboxFigures;
use dipmo_processing::{DispatchOptions, EngineOptions, RetryPolicy, WorkerOptions};

use crate::publishers::Recorder;
use crate::rig::{Rig, start, step};
use crate::script::Step;

/// What is to be delivered within a minute.
async fn delivered(step_of: Step, answer: fn(usize) -> Published) -> OutboxFigures {
    let rig = Rig::new().await;
    let recorder = Recorder::new(move |_, before| answer(before));
    rig.store(&[step("A", 1, Step { tell: vec!["KAFKA:t".to_owned()], ..step_of })]).await;
    let promised = Some(Duration::from_secs(60));
    let dispatch = DispatchOptions { promised, ..DispatchOptions::default() };
    let backoff = "fixed(30s, 5)".parse().unwrap();
    let retry = RetryPolicy { backoff, ..RetryPolicy::default() };
    let worker = WorkerOptions { retry, ..WorkerOptions::default() };
    let engine = rig.engine(EngineOptions { dispatch, worker, ..EngineOptions::default() });
    let running = start(engine.publisher("KAFKA:*", recorder));
    rig.until_quiet().await;
    let figures = running.metrics.snapshot().outbox.remove("KAFKA:t").unwrap();
    running.stop().await;
    figures
}

fn not_for_minutes() -> Published {
    let after = Some(Duration::from_secs(120));
    Published::Retry { failure: Failure::new("BUSY", "not now"), after }
}

#[tokio::test(start_paused = true)]
async fn what_is_delivered_at_once_is_in_time() {
    let figures = delivered(Step::default(), |_| Published::delivered()).await;
    assert_eq!((figures.dispatched, figures.in_time, figures.end_to_end.count()), (1, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_destination_that_takes_it_late_makes_it_late() {
    let late = |before| if before == 0 { not_for_minutes() } else { Published::delivered() };
    let figures = delivered(Step::default(), late).await;
    assert_eq!((figures.dispatched, figures.in_time), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_was_decided_late_makes_it_late_however_soon_it_is_sent() {
    let hesitant = Step { fails: 3, ..Step::default() };
    let figures = delivered(hesitant, |_| Published::delivered()).await;
    assert_eq!((figures.dispatched, figures.in_time), (1, 0));
    let minute = Duration::from_secs(60);
    assert!(figures.age.sum < minute, "{:?}", figures.age);
    assert!(figures.end_to_end.sum >= minute, "{:?}", figures.end_to_end);
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_is_neither_in_time_nor_late() {
    let refused = |_| Published::Refused(Failure::new("NO", "never"));
    let figures = delivered(Step::default(), refused).await;
    assert_eq!((figures.dispatched, figures.in_time, figures.failed), (0, 0, 1));
}
