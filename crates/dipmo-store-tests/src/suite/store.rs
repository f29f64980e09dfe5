//! Storing: messages come in once, durably, and everybody sees them.

use std::time::Duration;

use dipmo_domain::{ErrorStage, InboxStatus};
use dipmo_inbox::Stored;

use crate::Fixture;
use crate::support::{Script, alone, batch, done, event, retry, row_of, rows, stored, with_record};

/// Answers stand in the place of their messages, with ids that grow.
pub async fn new_messages_get_growing_ids<F: Fixture>() {
    let fixture = F::fresh().await;
    let messages: Vec<_> = (1..=20).map(|number| event("F-1", number)).collect();
    let ids = stored(&*fixture.store(), &messages).await;
    assert!(ids.is_sorted_by(|a, b| a < b), "ids within a call grow: {ids:?}");
    let later = stored(&*fixture.store(), &[event("F-1", 21)]).await;
    assert!(later[0] > ids[19], "ids of later calls are greater");
}

/// Another instance sees what was stored.
pub async fn another_instance_sees_them<F: Fixture>() {
    let fixture = F::fresh().await;
    let ids = stored(&*fixture.store(), &[event("F-1", 1)]).await;
    assert_eq!(row_of(&*fixture.another().await, ids[0]).await.message.id, ids[0]);
}

/// Storing nothing is no error.
pub async fn an_empty_batch_is_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    assert_eq!(fixture.store().store(&[], &[]).await, Ok(vec![]));
    assert!(rows(&*fixture.store()).await.is_empty());
}

/// RECEIVED_AT is the time of the database.
pub async fn received_at_is_the_databases_time<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let before = store.now().await.unwrap();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    let after = store.now().await.unwrap();
    let first = row_of(&*store, ids[0]).await.message.received_at;
    assert!(before <= first && first <= after, "{before} <= {first} <= {after}");
    let second = row_of(&*store, ids[1]).await.message.received_at;
    assert_eq!(first, second, "all messages of a call have the time of its transaction");
}

/// A stored message is RECEIVED, untried, and due when somebody comes.
pub async fn a_new_row_is_received<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Received, 0));
    assert_eq!((row.processed_at, row.outcome, row.held_behind), (None, None, None));
    assert_eq!((row.error_stage, row.failure), (None, None));
}

/// Bytes that are no JSON are a SERDE_ERROR: kept, shown, never claimed, in nobody's way.
pub async fn an_undecodable_message_is_kept_and_not_claimed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let poison = with_record(|record| {
        record.key = Some(b"K".to_vec());
        record.value = Some(b"\xff{".to_vec());
    });
    let good = with_record(|record| {
        record.key = Some(b"K".to_vec());
        record.offset = 1;
    });
    let ids = stored(&*store, &[poison, good]).await;
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::SerdeError, 0));
    assert_eq!(row.error_stage, Some(ErrorStage::ConsumerSerde));
    assert_eq!(row.failure.as_ref().unwrap().code(), "json-not-utf8");
    assert_eq!((row.next_attempt_at, row.processed_at, row.outcome), (None, None, None));
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [ids[1]], "the poison is not claimable, and blocks nothing");
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// Poison between good messages does not roll them back.
pub async fn one_poison_leaves_its_neighbours<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let poison = with_record(|record| {
        record.offset = 77;
        record.value = Some(b"{".to_vec());
    });
    let answers = store.store(&[alone(1), poison, alone(2)], &[]).await.unwrap();
    assert!(answers.iter().all(|answer| matches!(answer, Stored::New(_))), "{answers:?}");
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.messages.len(), 2);
}

/// Thousands of messages in one call, and in one batch.
pub async fn thousands_in_one_call<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages: Vec<_> = (0..5_000).map(alone).collect();
    let ids = stored(&*store, &messages).await;
    let again = store.store(&messages, &[]).await.unwrap();
    assert!(again.iter().zip(&ids).all(|(answer, id)| *answer == Stored::Duplicate(*id)));
    let script = Script::settling(|claimed| match claimed.message.offset % 2 {
        0 => done(),
        _ => retry(Duration::ZERO),
    });
    assert_eq!(batch(&*store, script).await.unwrap().ids(), ids);
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 2_500);
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}
