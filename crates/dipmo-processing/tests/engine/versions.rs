//! The producer's versions: stale ones end, gaps wait.

use std::sync::atomic::Ordering;
use std::time::Duration;

use dipmo_api::Versions;
use dipmo_domain::{InboxStatus, Outcome};
use dipmo_processing::EngineOptions;

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
