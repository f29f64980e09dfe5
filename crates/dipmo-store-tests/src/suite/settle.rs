//! Settling: what INBOX shows at each step of the life of a message.

use std::time::Duration;

use dipmo_domain::{ErrorStage, InboxStatus, Outcome};
use dipmo_store::SettlementKind;

use crate::Fixture;
use crate::support::{
    LONG, Script, alone, batch, done, event, failed, retry, row_of, rows, stored,
};

/// Ended at the first attempt: PROCESSED, attempts 1, when and how.
pub async fn processed_at_the_first_attempt<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages: Vec<_> = (1..).zip(Outcome::ALL).map(|(number, _)| alone(number)).collect();
    let ids = stored(&*store, &messages).await;
    let mut outcomes = Outcome::ALL.iter();
    let script = Script::settling(move |_| SettlementKind::Processed(*outcomes.next().unwrap()));
    let before = store.now().await.unwrap();
    batch(&*store, script).await.unwrap();
    let after = store.now().await.unwrap();
    for (id, outcome) in ids.iter().zip(Outcome::ALL) {
        let row = row_of(&*store, *id).await;
        assert_eq!((row.status, row.attempts), (InboxStatus::Processed, 1));
        assert_eq!((row.outcome, row.next_attempt_at), (Some(*outcome), None));
        let at = row.processed_at.unwrap();
        assert!(before <= at && at <= after, "{before} <= {at} <= {after}");
        assert_eq!((row.error_stage, row.failure, row.held_behind), (None, None, None));
    }
}

/// RETRY: one attempt more, due later, with the failure.
pub async fn retry_shows_when_and_why<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let now = batch(&*store, Script::settling(|_| retry(LONG))).await.unwrap().now.unwrap();
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 1));
    let due = row.next_attempt_at.unwrap();
    let after = store.now().await.unwrap();
    assert!(now.after(LONG) <= due && due <= after.after(LONG), "due at {due}");
    assert_eq!((row.processed_at, row.outcome, row.held_behind), (None, None, None));
    assert_eq!(row.error_stage, Some(ErrorStage::Business));
    assert_eq!(row.failure.unwrap().code(), "try-again");
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty(), "not due");
}

/// Attempts count up, and the logic is told how many there were.
pub async fn attempts_count_up<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    for attempts in 0..4 {
        let script = Script::settling(|_| retry(Duration::ZERO));
        let ran = batch(&*store, script).await.unwrap();
        assert_eq!((ran.messages.len(), ran.messages[0].attempts), (1, attempts));
        assert_eq!(row_of(&*store, ids[0]).await.attempts, attempts + 1);
    }
}

/// Ended after retries: PROCESSED, not due, and the last failure is still told.
pub async fn processed_after_a_retry<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    let before = store.now().await.unwrap();
    batch(&*store, Script::settling(|_| done())).await.unwrap();
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Processed, 2));
    assert_eq!((row.outcome, row.next_attempt_at), (Some(Outcome::Done), None));
    assert!(row.processed_at.unwrap() >= before);
    assert_eq!(row.failure.unwrap().code(), "try-again", "the last failure is kept");
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// FAILED: one attempt more, never due again.
pub async fn failed_is_not_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    let first = ids[0];
    let script = Script::settling(move |claimed| {
        if claimed.message.id == first { failed(true) } else { retry(Duration::ZERO) }
    });
    batch(&*store, script).await.unwrap();
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    for (id, attempts) in ids.iter().zip([1, 2]) {
        let row = row_of(&*store, *id).await;
        assert_eq!((row.status, row.attempts), (InboxStatus::Failed, attempts));
        assert_eq!((row.next_attempt_at, row.processed_at, row.outcome), (None, None, None));
        assert_eq!(row.error_stage, Some(ErrorStage::Business));
        assert_eq!(row.failure.unwrap().code(), "refused");
    }
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// Messages settled in many ways in one batch do not get in each other's way.
pub async fn many_ways_in_one_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &(1..=200).map(alone).collect::<Vec<_>>()).await;
    let kind = |number: i64| match number % 4 {
        0 => done(),
        1 => retry(LONG),
        2 => failed(false),
        _ => SettlementKind::Parked { at_most: LONG },
    };
    batch(&*store, Script::settling(move |claimed| kind(claimed.message.offset))).await.unwrap();
    let seen = rows(&*store).await;
    assert_eq!(seen.len(), ids.len());
    for row in seen {
        let expected = match row.message.offset % 4 {
            0 => (InboxStatus::Processed, 1),
            1 => (InboxStatus::Retry, 1),
            2 => (InboxStatus::Failed, 1),
            _ => (InboxStatus::Received, 0),
        };
        assert_eq!((row.status, row.attempts), expected, "message {}", row.message.offset);
    }
}

/// A failure of the longest kind fits.
pub async fn a_long_failure_fits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[alone(1)]).await;
    let failure = dipmo_domain::Failure::new(&"ü".repeat(300), &"€\0'\"".repeat(3_000));
    let given = failure.clone();
    let script =
        Script::settling(move |_| SettlementKind::Failed { failure: given.clone(), block: false });
    batch(&*store, script).await.unwrap();
    assert_eq!(row_of(&*store, ids[0]).await.failure, Some(failure));
}
