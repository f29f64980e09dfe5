//! Processing messages once more: as new messages, which name what they repeat.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_inbox::{InboxRow, NewMessage, REPLAY_OF, replay_id};
use dipmo_store::Side;
use dipmo_store::admin::{
    Act, MessageFilter, Operable, OperationId, OperationState, Performed, Target,
    processed_messages,
};

use super::actions::{begin, items, lease, messages, results_of};
use super::erasure::{erased, wish};
use crate::OperableFixture;
use crate::support::{Ear, LONG, done, event, failed, rows, stored, work_off};

/// Messages that were processed.
async fn processed(store: &dyn Operable, messages: &[NewMessage]) -> Vec<InboxId> {
    let ids = stored(store, messages).await;
    work_off(store, |_| done()).await;
    ids
}

/// The messages that repeat others, as who performs an operation makes them.
async fn again(
    store: &dyn Operable,
    operation: OperationId,
    ids: &[InboxId],
) -> Vec<(InboxId, NewMessage)> {
    let mut again = Vec::new();
    for id in ids {
        let row = store.message(*id).await.unwrap().unwrap();
        let message = row.message.again(&replay_id(operation.0, *id), true).unwrap().unwrap();
        again.push((*id, message));
    }
    again
}

async fn oldest_first(store: &dyn Operable) -> Vec<InboxRow> {
    let mut all = rows(store).await;
    all.sort_by_key(|row| row.message.id);
    all
}

/// A message that was processed is there a second time, ready, in the order of its key; the first stays as it is.
pub async fn a_message_is_processed_a_second_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = processed(&*store, &[event("F-1", 1), event("F-1", 2), event("F-2", 1)]).await;
    let before = oldest_first(&*store).await;
    let operation = begin(&*store, Act::Replay, messages(&ids)).await;
    assert_eq!(oldest_first(&*store).await, before, "nothing is stored by a beginning");
    let lease = lease(&*store, &operation).await;
    // Whatever the order in which they are handed over.
    let mut repeated = again(&*store, operation.id, &ids).await;
    repeated.reverse();
    let performed = store.perform_replay(&lease, &repeated, &[]).await.unwrap();
    assert_eq!(performed, Performed { met: 3, done: 3, releasing: false });
    let ended = store.renew_operation(&lease, LONG).await.unwrap();
    assert_eq!((ended.state, ended.done), (OperationState::Ended, 3));
    let after = oldest_first(&*store).await;
    assert_eq!(after[..3], before, "the first stay as they are");
    for (first, second) in before.iter().zip(&after[3..]) {
        assert_eq!((second.status, second.attempts), (InboxStatus::Received, 0));
        assert_eq!(second.message.payload, first.message.payload);
        assert_eq!(second.message.aggregate_id, first.message.aggregate_id);
        assert_eq!(second.message.lane, first.message.lane);
        assert_ne!(second.message.message_id, first.message.message_id);
        let named = second.message.headers().unwrap();
        assert_eq!(named.text(REPLAY_OF), Some(first.message.id.0.to_string().as_str()));
    }
    let tried: Vec<_> = work_off(&*store, |_| done()).await;
    let of_f_1 = tried.iter().filter(|it| it.message.aggregate_id.as_deref() == Some("F-1"));
    let names: Vec<_> = of_f_1.map(|it| it.message.message_id.clone()).collect();
    assert_eq!(names, ids[..2].iter().map(|id| replay_id(operation.id.0, *id)).collect::<Vec<_>>());
}

/// What is left alone has the word that was said of it, and items that were met have no second result.
pub async fn each_has_its_word<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let mut ids = processed(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    ids.extend(stored(&*store, &[event("F-3", 1)]).await);
    ids.push(InboxId(ids[2].0 + 1_000_000));
    let operation = begin(&*store, Act::Replay, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &ids[..1]).await;
    let left = [(ids[1], "PAST_HORIZON"), (ids[2], "WRONG_STATUS"), (ids[3], "NOT_FOUND")];
    let performed = store.perform_replay(&lease, &repeated, &left).await.unwrap();
    assert_eq!((performed.met, performed.done), (4, 1));
    let second = store.perform_replay(&lease, &repeated, &left).await.unwrap();
    assert_eq!((second.met, second.done), (0, 0));
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let words = ["DONE", "PAST_HORIZON", "WRONG_STATUS", "NOT_FOUND"];
    assert_eq!(results_of(&*store, operation.id, &numbers).await, words);
    assert_eq!(rows(&*store).await.len(), 4);
}

/// However often and by however many an operation is performed, each message is stored again once.
pub async fn each_is_replayed_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let all: Vec<_> = (0..4).map(|number| event(&format!("F-{number}"), 1)).collect();
    let ids = processed(&*store, &all).await;
    let operation = begin(&*store, Act::Replay, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &ids).await;
    let (one, two) = tokio::join!(
        store.perform_replay(&lease, &repeated, &[]),
        another.perform_replay(&lease, &repeated, &[])
    );
    assert_eq!(one.unwrap().done + two.unwrap().done, 4);
    assert_eq!(rows(&*store).await.len(), 8);
    // Asked for by ids once more, it is another operation.
    let operation = begin(&*store, Act::Replay, messages(&ids[..1])).await;
    let lease = self::lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &ids[..1]).await;
    assert_eq!(store.perform_replay(&lease, &repeated, &[]).await.unwrap().done, 1);
    assert_eq!(rows(&*store).await.len(), 9);
}

/// Whoever lost the lease stores nothing, and no other operation stores anything this way.
pub async fn a_lease_that_was_taken_over_stores_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = processed(&*store, &[event("F-1", 1)]).await;
    let operation = begin(&*store, Act::Replay, messages(&ids)).await;
    let old = store.take_operation(None, "one", Duration::ZERO).await.unwrap().unwrap();
    fixture.tick().await;
    another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    let repeated = again(&*store, operation.id, &ids).await;
    let refused = store.perform_replay(&old, &repeated, &[]).await;
    assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
    let retry = begin(&*store, Act::Retry, messages(&ids)).await;
    let lease = lease(&*store, &retry).await;
    let refused = store.perform_replay(&lease, &repeated, &[]).await;
    assert!(matches!(refused, Err(StoreError::Unexpected { .. })), "{refused:?}");
    assert_eq!(rows(&*store).await.len(), 1);
    let performed = store.perform(&old, &items(&*store, operation.id).await).await;
    assert!(matches!(performed, Err(StoreError::Fenced { .. })), "{performed:?}");
}

/// It waits behind a head of its key like any other message.
pub async fn it_waits_its_turn<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let first = processed(&*store, &[event("F-1", 1)]).await;
    stored(&*store, &[event("F-1", 2)]).await;
    work_off(&*store, |_| failed(true)).await;
    let operation = begin(&*store, Act::Replay, messages(&first)).await;
    let lease = lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &first).await;
    store.perform_replay(&lease, &repeated, &[]).await.unwrap();
    let tried = work_off(&*store, |_| done()).await;
    assert!(tried.is_empty(), "its key is blocked: {tried:?}");
    let last = oldest_first(&*store).await.pop().unwrap();
    assert_eq!(last.held_behind, Some(oldest_first(&*store).await[1].message.id));
}

/// What was read and then erased is not stored once more.
pub async fn what_was_erased_since_is_left_alone<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = processed(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    let operation = begin(&*store, Act::Replay, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &ids).await;
    erased(&*store, &wish("F-1"), false).await;
    let performed = store.perform_replay(&lease, &repeated, &[]).await.unwrap();
    assert_eq!((performed.met, performed.done), (2, 1));
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    assert_eq!(results_of(&*store, operation.id, &numbers).await, ["ERASED", "DONE"]);
    assert_eq!(rows(&*store).await.len(), 3);
}

/// An id that somebody else sent is theirs: what would have it is not processed, and that is said.
pub async fn an_id_that_is_taken_is_told_of<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = processed(&*store, &[event("F-1", 1)]).await;
    let operation = begin(&*store, Act::Replay, messages(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &ids).await;
    stored(&*store, &[repeated[0].1.clone()]).await;
    let performed = store.perform_replay(&lease, &repeated, &[]).await.unwrap();
    assert_eq!((performed.met, performed.done), (1, 0));
    assert_eq!(results_of(&*store, operation.id, &[ids[0].0]).await, ["DUPLICATE"]);
    assert_eq!(rows(&*store).await.len(), 2);
}

/// Whoever waits for messages is woken.
pub async fn workers_are_woken<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let all: Vec<_> = (0..Ear::ROUNDS).map(|number| event("F-1", number)).collect();
    let ids = processed(&*store, &all).await;
    let mut ear = Ear::on(&*store, Side::Inbox);
    for id in ids {
        let operation = begin(&*store, Act::Replay, messages(&[id])).await;
        let lease = lease(&*store, &operation).await;
        let repeated = again(&*store, operation.id, &[id]).await;
        ear.forgets();
        store.perform_replay(&lease, &repeated, &[]).await.unwrap();
        ear.hears().await;
    }
}

/// A filter finds what was processed, and nothing that repeats something.
pub async fn what_a_filter_finds<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = processed(&*store, &[event("F-1", 1), event("F-2", 1)]).await;
    let operation = begin(&*store, Act::Replay, messages(&ids[..1])).await;
    let lease = lease(&*store, &operation).await;
    let repeated = again(&*store, operation.id, &ids[..1]).await;
    store.perform_replay(&lease, &repeated, &[]).await.unwrap();
    work_off(&*store, |_| done()).await;
    stored(&*store, &[event("F-3", 1)]).await;
    let found = async |filter: MessageFilter| {
        processed_messages(&*store, &filter).await.unwrap().expect("it is not too wide")
    };
    let all = found(MessageFilter::default()).await;
    assert_eq!(all.ids, [ids[1].0, ids[0].0]);
    let first = store.message(ids[0]).await.unwrap().unwrap();
    assert_eq!(all.oldest, Some(first.message.received_at));
    let of_f_2 = MessageFilter { aggregate: Some("F-2".to_owned()), ..MessageFilter::default() };
    assert_eq!(found(of_f_2.clone()).await.ids, [ids[1].0]);
    let failed = MessageFilter { status: vec![InboxStatus::Failed], ..MessageFilter::default() };
    assert_eq!(found(failed).await, dipmo_store::admin::ProcessedMessages::default());
    let none = store.preview(Act::Replay, &Target::Messages(of_f_2)).await.unwrap();
    assert_eq!(none.items, 0, "a filter is looked through before");
}
