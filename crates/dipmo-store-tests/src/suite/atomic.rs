//! A batch is one transaction: it is written whole, or nothing of it is.

use std::time::Duration;

use dipmo_api::DomainWrite;
use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_store::{Changes, ClaimedBatch, Needs, Settlement, SettlementKind, Store};

use crate::support::{
    Script, alone, batch, batch_at_last, changed_state, done, event, intent, kafka, new_state,
    polled_at_most, retry, row_of, rows, settle, stored, suite_key,
};
use crate::{Fixture, labels_table};

/// Something of each kind that a batch can write.
fn everything_at_once() -> Changes {
    Changes {
        states: vec![new_state("S-1")],
        writes: vec![DomainWrite::upsert(labels_table()).set("LABEL_ID", "L-1")],
        intents: vec![intent(&kafka("t"), "F-1", 1)],
        ..Changes::default()
    }
}

/// Settles all messages but those that the test leaves out.
fn without(batch: &ClaimedBatch, left_out: InboxId) -> Changes {
    let settled = settle(batch, |claimed| (claimed.message.id != left_out).then_some(done()));
    Changes { settlements: settled.settlements, ..everything_at_once() }
}

async fn assert_nothing_written(store: &dyn Store, messages: &[InboxId]) {
    assert!(store.outbox_rows(10).await.unwrap().is_empty(), "an intent was written");
    assert!(store.domain_rows(&labels_table()).await.unwrap().is_empty(), "a row was written");
    assert_eq!(store.instance(&suite_key("S-1")).await, Ok(None), "an instance was written");
    for id in messages {
        let row = row_of(store, *id).await;
        assert_eq!((row.status, row.attempts), (InboxStatus::Received, 0), "{id} was settled");
    }
    let ran = batch(store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), messages, "every message can be claimed again");
}

/// A message that nobody settled fails the batch.
pub async fn an_unsettled_message_is_an_error<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), alone(2), alone(3)]).await;
    let left_out = ids[1];
    let script = Script::changing(move |batch, _| without(batch, left_out));
    let error = batch(&*store, script).await.unwrap_err();
    assert_eq!(error, StoreError::Unsettled { messages: 1, first: left_out });
    assert_nothing_written(&*store, &ids).await;
}

/// A batch without a single wave settles nothing, which is an error as well.
pub async fn no_wave_is_an_error<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[alone(1)]).await;
    let error = batch(&*store, Script::default()).await.unwrap_err();
    assert_eq!(error, StoreError::Unsettled { messages: 1, first: ids[0] });
    assert_nothing_written(&*store, &ids).await;
}

/// A message that is settled twice fails the batch, in one wave or in two.
pub async fn a_message_settled_twice_is_an_error<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[alone(1), alone(2)]).await;
    let all = |batch: &ClaimedBatch| settle(batch, |_| Some(done())).settlements;
    let twice_at_once = Script::changing(move |batch, _| Changes {
        settlements: [all(batch), all(batch)].concat(),
        ..everything_at_once()
    });
    let wave = move |batch: &ClaimedBatch, _: &_| Changes {
        settlements: all(batch),
        ..Changes::default()
    };
    let in_two_waves = Script::default()
        .wave(
            |_| Needs::default(),
            move |batch, _| Changes { settlements: all(batch), ..everything_at_once() },
        )
        .wave(|_| Needs::default(), wave);
    for script in [twice_at_once, in_two_waves] {
        let error = batch(&*store, script).await.unwrap_err();
        assert!(matches!(error, StoreError::Unexpected { .. }), "{error:?}");
    }
    assert_nothing_written(&*store, &ids).await;
}

/// A message that was not claimed cannot be settled.
pub async fn a_message_of_somebody_else_is_an_error<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[alone(1)]).await;
    let stranger = InboxId(ids[0].0 + 1_000);
    let script = Script::changing(move |batch, _| {
        let mut changes = everything_at_once();
        changes.settlements = settle(batch, |_| Some(done())).settlements;
        changes.settlements.push(Settlement { message: stranger, kind: done() });
        changes
    });
    let error = batch(&*store, script).await.unwrap_err();
    assert!(matches!(error, StoreError::Unexpected { .. }), "{error:?}");
    assert_nothing_written(&*store, &ids).await;
}

/// A state that somebody else changed takes everything else back with it.
pub async fn a_bad_version_writes_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), alone(2)]).await;
    let script = Script::writing(|_| {
        let mut changes = everything_at_once();
        changes.states.push(changed_state("S-2", 7));
        changes
    });
    let error = batch(&*store, script).await.unwrap_err();
    let process = "SUITE".to_owned();
    assert_eq!(error, StoreError::VersionConflict { process, changed: 1 });
    assert_nothing_written(&*store, &ids).await;
}

/// What an earlier wave wrote goes with a later one that fails.
pub async fn a_bad_wave_takes_the_earlier_ones_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let (first, second) = (ids[0], ids[1]);
    let only = move |id| {
        move |batch: &ClaimedBatch| {
            settle(batch, |claimed| (claimed.message.id == id).then_some(done())).settlements
        }
    };
    let script = Script::default()
        .wave(
            |_| Needs::default(),
            move |batch, _| Changes { settlements: only(first)(batch), ..everything_at_once() },
        )
        .wave(
            |_| Needs::default(),
            move |batch, _| Changes {
                settlements: only(second)(batch),
                states: vec![new_state("S-1")],
                ..Changes::default()
            },
        );
    let error = batch(&*store, script).await.unwrap_err();
    assert!(matches!(error, StoreError::VersionConflict { .. }), "{error:?}");
    assert_nothing_written(&*store, &ids).await;
}

/// A retry that is rolled back leaves no block.
pub async fn a_rolled_back_retry_blocks_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let (first, key) = (ids[0], event("F-1", 1).order_key.unwrap());
    let script = Script::changing(move |batch, _| Changes {
        settlements: settle(batch, |claimed| {
            Some(if claimed.message.id == first {
                retry(Duration::ZERO)
            } else {
                SettlementKind::Held
            })
        })
        .settlements,
        states: vec![changed_state("S-1", 1)],
        ..Changes::default()
    });
    batch(&*store, script).await.unwrap_err();
    let reads = Needs { blocks: vec![key.clone()], ..Needs::default() };
    let ran = batch(&*store, Script::reading(reads)).await.unwrap();
    assert_eq!(ran.ids(), ids);
    assert_eq!(ran.found[0].blocks.get(&key), None);
}

/// A logic that panics takes nothing with it: not the messages, not the lane, not the store.
pub async fn a_panic_frees_the_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let inside = std::sync::Arc::clone(&store);
    let task = tokio::spawn(async move {
        let script = Script::changing(|_, _| panic!("a process that panics (part of the test)"));
        batch(&*inside, script).await.map(|ran| ran.report)
    });
    assert!(!matches!(task.await, Ok(Ok(_))), "the batch must not commit");
    // A connection that is thrown away may take a moment to end; nobody has to help it.
    let another = fixture.another().await;
    batch_at_last(&*another, Script::process_all).await;
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Processed);
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// A batch whose future is dropped at any point is written whole or not at all, and frees its lane.
pub async fn a_dropped_batch_is_whole_or_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for polls in 0..40 {
        let number = i64::try_from(polls).unwrap();
        let ids = stored(&*store, &[event("F-1", number)]).await;
        let writes = move || Changes {
            intents: vec![intent(&kafka("t"), "F-1", number)],
            ..Changes::default()
        };
        polled_at_most(polls, batch(&*store, Script::writing(move |_| writes()))).await;
        while row_of(&*another, ids[0]).await.status != InboxStatus::Processed {
            batch(&*another, Script::writing(move |_| writes())).await.unwrap();
        }
        let caused = store.outbox_rows(1_000).await.unwrap();
        assert_eq!(caused.len(), polls + 1, "dropped after {polls} polls");
    }
    assert!(rows(&*store).await.iter().all(|row| row.attempts == 1));
}
