//! INTERNAL delivery: a message of a settlement is in the inbox exactly once.

use std::time::Duration;

use dipmo_domain::OutboxStatus;
use dipmo_inbox::Stored;
use dipmo_outbox::UnitResult;
use dipmo_store::Replies;

use crate::Fixture;
use crate::support::{
    Hand, dispatched, done, event, event_saying, failure, intent, internal, polled_at_most, rows,
    stored, take, work_off, write_intents,
};

fn nobody() -> Replies {
    Box::new(|_| Vec::new())
}

/// Messages of a settlement are stored with it, and processed like any other.
pub async fn messages_are_stored_with_the_settlement<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&internal(), "F-1", 1)]).await;
    let hand = take(&*store, &internal(), "o").await;
    let messages = [event("F-1", 1), event("F-2", 1)];
    let report = hand.settle_with(&*store, |_| dispatched(), &messages, nobody()).await.unwrap();
    assert_eq!((report.units, report.messages), (1, 2));
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!(tried.len(), 2);
    assert_eq!(tried[0].message.message_id, "F-1/1");
}

/// A message that is there already is not stored again, nor counted.
pub async fn duplicates_are_not_counted<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 1)]).await;
    write_intents(&*store, vec![intent(&internal(), "F-1", 1)]).await;
    let hand = take(&*store, &internal(), "o").await;
    let messages = [event("F-1", 1), event_saying("F-1", 1, "[]"), event("F-1", 2)];
    let replies: Replies = Box::new(|_| vec![event("F-1", 2)]);
    let report = hand.settle_with(&*store, |_| dispatched(), &messages, replies).await.unwrap();
    assert_eq!(report.messages, 1);
    assert_eq!(store.incidents(10).await.unwrap().len(), 1, "the other content is an incident");
    let again = store.store(&[event("F-1", 2)], &[]).await.unwrap();
    assert!(matches!(again[0], Stored::Duplicate(_)), "it is remembered like any other");
}

/// A settlement that is fenced stores no message.
pub async fn a_fenced_settlement_stores_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&internal(), "F-1", 1)]).await;
    let late = Hand::leasing(&*store, &internal(), "a", Duration::ZERO).await;
    fixture.tick().await;
    let now_owner = take(&*store, &internal(), "b").await;
    let count = rows(&*store).await.len();
    let messages = [event("F-1", 1)];
    late.settle_with(&*store, |_| dispatched(), &messages, nobody()).await.unwrap_err();
    assert_eq!(rows(&*store).await.len(), count);
    let report =
        now_owner.settle_with(&*store, |_| dispatched(), &messages, nobody()).await.unwrap();
    assert_eq!(report.messages, 1, "the one that has the lease delivers it");
}

/// Dropped at any point, a settlement and its message are both there or neither is.
pub async fn a_dropped_settlement_is_whole_or_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for polls in 0..25 {
        let number = i64::try_from(polls).unwrap();
        let ids = write_intents(&*store, vec![intent(&internal(), "F-1", number)]).await;
        let hand = take(&*store, &internal(), "o").await;
        let messages = [event("F-1", number)];
        let settling = hand.settle_with(&*store, |_| dispatched(), &messages, nobody());
        polled_at_most(polls, settling).await;
        // The same lease settles again: fenced when the first try was through, else it works now.
        // Until the transaction that was cut off is gone, the lease may be locked for a moment.
        let again = hand.settle_with(&*another, |_| dispatched(), &messages, nobody()).await;
        if let Err(error) = again {
            assert!(matches!(error, dipmo_domain::StoreError::Fenced { .. }), "{error:?}");
        }
        let row = store.outbox_rows(1).await.unwrap().remove(0);
        assert_eq!((row.id, row.status, row.attempts), (ids[0], OutboxStatus::Dispatched, 1));
        let tried = work_off(&*store, |_| done()).await;
        assert_eq!(tried.len(), 1, "dropped after {polls} polls");
        hand.give_back(&*store).await;
    }
}

/// A retry stores its messages as well: what a settlement carries is the caller's word.
pub async fn messages_go_with_any_result<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&internal(), "F-1", 1)]).await;
    let hand = take(&*store, &internal(), "o").await;
    let failed = |_: &_| UnitResult::Failed { failure: failure("refused"), block: false };
    let messages = [event("F-9", 1)];
    let report = hand.settle_with(&*store, failed, &messages, nobody()).await.unwrap();
    assert_eq!(report.messages, 1);
}
