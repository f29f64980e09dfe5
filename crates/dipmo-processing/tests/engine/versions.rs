//! The producer's versions: stale ones end, gaps wait.

use std::time::Duration;

use dipmo_api::Versions;
use dipmo_domain::{InboxStatus, Outcome};
use dipmo_processing::EngineOptions;

use crate::rig::{Rig, start, versioned};

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
