//! The producer's versions: stale ones end, gaps wait.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dipmo_api::Versions;
use dipmo_domain::{InboxStatus, Outcome};
use dipmo_inbox::NewMessage;
use dipmo_processing::{EngineOptions, OnFailure, RetryPolicy, WorkerOptions};
use dipmo_store::{Acted, MOST_PASSED_OVER, Operate as _};

use crate::rig::{Rig, message, start, versioned};
use crate::script::Step;

const CONTIGUOUS: Versions = Versions::Contiguous { first: 1, wait: Duration::from_secs(60) };

#[tokio::test(start_paused = true)]
async fn trap_13_a_version_that_is_not_newer_ends_as_stale() {
    let rig = Rig::with(Versions::Increasing, |registry| registry).await;
    rig.store(&[versioned("A", 1), versioned("A", 5), versioned("A", 3)]).await;
    rig.settle().await;
    let outcomes: Vec<_> = rig.inbox().await.iter().map(|row| row.outcome).collect();
    assert_eq!(outcomes, [Some(Outcome::Done), Some(Outcome::Done), Some(Outcome::Stale)]);
    assert_eq!(rig.data("A").await.seen, [1, 5]);
}

#[tokio::test(start_paused = true)]
async fn trap_13_a_gap_waits_until_it_closes() {
    let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
    rig.store(&[versioned("A", 2), versioned("A", 4), versioned("A", 3)]).await;
    let running = start(rig.engine(EngineOptions::default()));
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(rig.data("A").await.seen.is_empty());
    rig.store(&[versioned("A", 1)]).await;
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(rig.data("A").await.seen, [1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn trap_13_a_gap_that_stays_is_raised() {
    let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
    rig.store(&[versioned("A", 1), versioned("A", 3)]).await;
    rig.settle().await;
    let row = &rig.inbox().await[1];
    assert_eq!(row.status, InboxStatus::Failed);
    let failure = row.failure.as_ref().unwrap();
    assert_eq!(failure.code(), "version-missing");
    assert!(failure.message().contains("version 2"), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn trap_12_a_head_is_not_held_behind_an_older_message_that_waits_for_it() {
    let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
    let fails = Step { n: 1, fails: 1, ..Step::default() };
    rig.store(&[versioned("A", 2)]).await;
    rig.store(&[message("script", "Step", Some("A"), 1, Some(1), &fails)]).await;
    let running = start(rig.engine(EngineOptions::default()));
    tokio::time::sleep(Duration::from_millis(1)).await;
    running.stop().await;
    let statuses = rig.statuses().await;
    assert_eq!(statuses, [InboxStatus::Received, InboxStatus::Retry], "parked, and a head");
    // Nobody works until both are due: the next batch has both, and the head is the later one.
    rig.ahead.store(3_600, Ordering::Relaxed);
    rig.settle().await;
    assert_eq!(rig.data("A").await.seen, [1, 2]);
}

/// A step with a version that is refused.
fn refused(aggregate: &str, version: i64) -> NewMessage {
    let step = Step { n: version, reject: true, ..Step::default() };
    message("script", "Step", Some(aggregate), version, Some(version), &step)
}

#[tokio::test(start_paused = true)]
async fn trap_13_what_was_skipped_is_not_missed() {
    // Also the first of all, of which there is no instance yet.
    for first in [1, 2] {
        let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
        let begin: Vec<_> = (1..first).map(|version| versioned("A", version)).collect();
        rig.store(&begin).await;
        rig.store(&[refused("A", first), versioned("A", first + 1)]).await;
        rig.settle().await;
        let failed = rig.inbox().await[begin.len()].message.id;
        assert_eq!(rig.store.skip(&[failed]).await.unwrap().acts, [Acted::Done]);
        rig.store(&[versioned("A", first + 3), versioned("A", first + 2)]).await;
        let running = start(rig.engine(EngineOptions::default()));
        tokio::time::sleep(Duration::from_secs(5)).await;
        running.stop().await;
        let went_on = (1..=first + 3).filter(|version| *version != first);
        assert_eq!(rig.data("A").await.seen, went_on.collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn trap_13_what_failed_and_holds_up_nobody_is_not_missed() {
    let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
    // The third comes first, and waits for one that fails.
    rig.store(&[versioned("A", 3), versioned("A", 1), refused("A", 2), versioned("A", 4)]).await;
    let retry = RetryPolicy { on_failure: OnFailure::Skip, ..RetryPolicy::default() };
    let worker = WorkerOptions { retry, ..WorkerOptions::default() };
    let running = start(rig.engine(EngineOptions { worker, ..EngineOptions::default() }));
    tokio::time::sleep(Duration::from_secs(5)).await;
    running.stop().await;
    assert_eq!(rig.data("A").await.seen, [1, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn trap_13_no_number_of_failures_stalls_what_comes_after_them() {
    let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
    let retry = RetryPolicy { on_failure: OnFailure::Skip, ..RetryPolicy::default() };
    let worker = WorkerOptions { retry, ..WorkerOptions::default() };
    let running = start(rig.engine(EngineOptions { worker, ..EngineOptions::default() }));
    let last = i64::try_from(MOST_PASSED_OVER).unwrap() + 200;
    let failing: Vec<_> = (1..=last).map(|version| refused("A", version)).collect();
    rig.store(&failing).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    rig.store(&[versioned("A", last + 1)]).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    running.stop().await;
    assert_eq!(rig.data("A").await.seen, [last + 1]);
}

#[tokio::test(start_paused = true)]
async fn trap_13_who_was_retried_misses_nothing() {
    let rig = Rig::with(CONTIGUOUS, |registry| registry).await;
    rig.store(&[versioned("A", 1), versioned("A", 3), versioned("B", 7)]).await;
    let running = start(rig.engine(EngineOptions::default()));
    rig.until(|row| row.next_attempt_at.is_some() || row.status == InboxStatus::Processed).await;
    let rows = rig.inbox().await;
    // One is retried while it waits, the other after its wait was over.
    assert_eq!(rig.store.retry(&[rows[2].message.id], false).await.unwrap().acts, [Acted::Done]);
    rig.until_quiet().await;
    assert_eq!(rig.statuses().await[1], InboxStatus::Failed);
    rig.store(&[versioned("A", 4), versioned("B", 8)]).await;
    rig.store.retry(&[rows[1].message.id], false).await.unwrap();
    rig.until_quiet().await;
    running.stop().await;
    assert_eq!(rig.data("A").await.seen, [1, 3, 4]);
    assert_eq!(rig.data("B").await.seen, [7, 8]);
}
