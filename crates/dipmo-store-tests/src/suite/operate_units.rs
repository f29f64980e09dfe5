//! Operators and units: retried under the same id, given up without being sent, in order.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_domain::{OutboxId, OutboxStatus, StoreError};
use dipmo_outbox::{Attempt, Delivery, NewIntent, OutboxRow, UnitResult};
use dipmo_store::{Acted, IntentEnd, Replies, Store};

use super::outbox_hold::{held_behind_a_head, retry, units};
use crate::Fixture;
use crate::support::{
    Hand, LONG, dispatch_all, dispatched, failure, intent, kafka, record_keys, suite_key, take,
    write_intents,
};

fn refused(block: bool) -> UnitResult {
    UnitResult::Failed { failure: failure("refused"), block }
}

/// A head that failed, with so many units held behind it; nobody has the lane.
async fn behind_a_failed_head(store: &dyn Store, held: usize) -> Vec<OutboxId> {
    let (hand, ids) = held_behind_a_head(store, held).await;
    hand.settle(store, |_| refused(true)).await.unwrap();
    hand.give_back(store).await;
    ids
}

async fn row_of(store: &dyn Store, id: OutboxId) -> OutboxRow {
    let rows = store.outbox_rows(10_000).await.unwrap();
    rows.into_iter().find(|row| row.id == id).unwrap()
}

async fn sent(store: &dyn Store) -> Vec<OutboxId> {
    dispatch_all(store, &kafka("t")).await.iter().map(|unit| unit.unit).collect()
}

/// A unit that failed is sent again as if it had never been, and its key goes on behind it.
pub async fn a_failed_unit_is_retried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_failed_head(&*store, 2).await;
    let operated = store.retry_units(&ids[..1], false).await.unwrap();
    assert_eq!((operated.acts, operated.releasing), (vec![Acted::Done], false));
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts, row.skipped), (OutboxStatus::Pending, 0, false));
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(units(&hand), [ids[0]], "nothing overtakes it");
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 0, retried: 1 });
    hand.give_back(&*store).await;
    assert_eq!(sent(&*store).await, ids);
    assert_eq!(row_of(&*store, ids[0]).await.status, OutboxStatus::Dispatched);
}

/// A unit that waits for its next attempt is due now, also while somebody has its lane.
pub async fn a_waiting_unit_is_due_now<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, ids) = held_behind_a_head(&*store, 1).await;
    hand.settle(&*store, |_| retry(LONG)).await.unwrap();
    assert_eq!(store.retry_units(&ids[..1], false).await.unwrap().acts, [Acted::Done]);
    assert_eq!(store.retry_units(&ids[..1], false).await.unwrap().acts, [Acted::AlreadyDone]);
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[..1]);
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 0, retried: 0 });
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    hand.give_back(&*store).await;
    assert_eq!(sent(&*store).await, ids[1..]);
}

/// A unit that is retried while somebody has it in hand: that attempt is the first since then.
pub async fn retried_while_in_hand<F: Fixture>() {
    let results = [retry(LONG), refused(true), UnitResult::Later, dispatched()];
    for (result, attempts) in results.into_iter().zip([1, 1, 0, 1]) {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let ids = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
        let mut hand = take(&*store, &kafka("t"), "o").await;
        for _ in 0..3 {
            hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
            hand.reads_again(&*store).await;
        }
        assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 3, retried: 0 });
        assert_eq!(store.retry_units(&ids, false).await.unwrap().acts, [Acted::Done]);
        hand.settle(&*store, |_| result.clone()).await.unwrap();
        assert_eq!(row_of(&*store, ids[0]).await.attempts, attempts, "{result:?}");
    }
}

/// A unit that is given up stays FAILED, is never sent, and what is held behind it goes on.
pub async fn a_skipped_unit_lets_go<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_failed_head(&*store, 3).await;
    assert_eq!(store.backlog().await.unwrap().outbox["KAFKA:t"].failed, 1);
    let operated = store.skip_units(&ids[..1]).await.unwrap();
    assert_eq!((operated.acts, operated.releasing), (vec![Acted::Done], false));
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.skipped), (OutboxStatus::Failed, true));
    assert!(row.failure.is_some(), "why it failed stays");
    assert_eq!(store.backlog().await.unwrap().outbox["KAFKA:t"].failed, 0, "it needs nobody");
    assert_eq!(sent(&*store).await, ids[1..]);
    assert_eq!(store.release_units(10).await, Ok(0));
    let fresh = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 9)]).await;
    assert_eq!(sent(&*store).await, fresh, "the key is free again");
}

/// More than five hundred behind a unit that is given up go in bounded steps.
pub async fn many_behind_a_skipped_unit_go_in_steps<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_failed_head(&*store, 720).await;
    assert!(store.skip_units(&ids[..1]).await.unwrap().releasing);
    let mut hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(units(&hand), ids[1..=500]);
    assert_eq!(store.release_units(1_000).await, Ok(220));
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[1..]);
}

/// Trap 23: a unit that was read as blocked, and is held after the block went, stays behind those
/// that were let go.
pub async fn trap_23_read_before_and_held_after_a_skip<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let mut ids = behind_a_failed_head(&*store, 1).await;
    ids.extend(write_intents(&*store, vec![intent(&kafka("t"), "F-1", 9)]).await);
    let mut hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!((units(&hand), hand.units[0].blocked_by), (vec![ids[2]], Some(ids[0])));
    another.skip_units(&ids[..1]).await.unwrap();
    hand.settle(&*store, |_| UnitResult::Held).await.unwrap();
    hand.reads_again(&*store).await;
    let first_free = hand.units.iter().find(|unit| unit.blocked_by.is_none());
    assert_eq!(first_free.map(|unit| unit.unit), Some(ids[1]), "the older one is sent first");
    hand.give_back(&*store).await;
    assert_eq!(sent(&*store).await, ids[1..]);
}

/// Trap 20: a settlement of an attempt from before a retry is fenced.
pub async fn trap_20_a_settlement_from_before_a_retry_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, |_| UnitResult::Later).await.unwrap();
    hand.reads_again(&*store).await;
    let (first, second) = (hand.clone(), hand);
    first.settle(&*store, |_| refused(true)).await.unwrap();
    store.retry_units(&ids, false).await.unwrap();
    // The answer was lost, and the dispatcher settles once more.
    let late = second.settle(&*store, |_| refused(true)).await;
    assert!(matches!(late, Err(StoreError::Fenced { .. })), "{late:?}");
    assert_eq!(row_of(&*store, ids[0]).await.status, OutboxStatus::Pending, "the retry counts");
}

/// Keeps all ends that it hears of.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<IntentEnd>>>);

impl Listener {
    async fn settle(
        &self,
        store: &dyn Store,
        hand: &Hand,
        result: impl Fn(&Delivery) -> UnitResult,
    ) {
        let heard = Arc::clone(&self.0);
        let replies: Replies = Box::new(move |ends| {
            heard.lock().unwrap().extend(ends.iter().cloned());
            Vec::new()
        });
        hand.settle_with(store, result, &[], replies).await.unwrap();
    }

    /// Dispatched, failed and retried of each end, since the last time.
    fn heard(&self) -> Vec<(u64, u64, u32)> {
        let ends = std::mem::take(&mut *self.0.lock().unwrap());
        ends.iter().map(|end| (end.dispatched, end.failed, end.retried)).collect()
    }
}

fn asking(records: usize) -> NewIntent {
    NewIntent {
        records: record_keys(records),
        reply_to: Some(suite_key("S-1")),
        ..intent(&kafka("t"), "F-1", 1)
    }
}

/// An intent that ends again after a retry is answered again, and the answers can be told apart.
pub async fn an_answer_for_each_end<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let listener = Listener::default();
    let ids = write_intents(&*store, vec![asking(0)]).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    for retried in 0..3 {
        listener.settle(&*store, &hand, |_| refused(true)).await;
        assert_eq!(listener.heard(), [(0, 1, retried)]);
        store.retry_units(&ids, false).await.unwrap();
        hand.reads_again(&*store).await;
    }
    listener.settle(&*store, &hand, |_| retry(Duration::ZERO)).await;
    hand.reads_again(&*store).await;
    listener.settle(&*store, &hand, |_| dispatched()).await;
    assert_eq!(listener.heard(), [(1, 0, 3)]);
}

/// Records are retried and given up each on its own, and the intent counts them.
pub async fn records_are_counted_anew<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let listener = Listener::default();
    let intent = write_intents(&*store, vec![asking(3)]).await[0];
    let mut hand = take(&*store, &kafka("t"), "o").await;
    let refuse = |unit: &Delivery| match unit.record.as_ref().unwrap().0.as_str() {
        "REC-2" => dispatched(),
        _ => refused(true),
    };
    listener.settle(&*store, &hand, refuse).await;
    assert_eq!(listener.heard(), [(1, 2, 0)]);
    let records: Vec<_> = store.records(intent).await.unwrap().iter().map(|row| row.id).collect();
    assert_eq!(store.retry_units(&[intent], false).await.unwrap().acts, [Acted::NotFound]);
    assert_eq!(store.retry_units(&records[..1], false).await.unwrap().acts, [Acted::Done]);
    assert_eq!(row_of(&*store, intent).await.status, OutboxStatus::Pending);
    hand.reads_again(&*store).await;
    listener.settle(&*store, &hand, |_| dispatched()).await;
    assert_eq!(listener.heard(), [(2, 1, 1)]);
    assert_eq!(store.skip_units(&records[1..2]).await.unwrap().acts, [Acted::Done]);
    let row = row_of(&*store, intent).await;
    assert_eq!((row.status, row.skipped), (OutboxStatus::Failed, true));
    let skipped: Vec<_> =
        store.records(intent).await.unwrap().iter().map(|row| row.skipped).collect();
    assert_eq!(skipped, [false, true, false]);
    assert!(listener.heard().is_empty(), "its process was told that it failed");
}

/// A unit that failed, was retried and is held behind another keeps its count.
pub async fn a_retried_unit_is_held_and_answered_for<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let listener = Listener::default();
    let ids = write_intents(&*store, vec![asking(0), intent(&kafka("t"), "F-1", 2)]).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    let first = ids[0];
    let result =
        move |unit: &Delivery| if unit.unit == first { refused(false) } else { retry(LONG) };
    listener.settle(&*store, &hand, result).await;
    assert_eq!(listener.heard(), [(0, 1, 0)]);
    store.retry_units(&ids[..1], true).await.unwrap();
    hand.reads_again(&*store).await;
    assert_eq!(hand.units[0].blocked_by, Some(ids[1]), "its key waits for another");
    hand.settle(&*store, |_| UnitResult::Held).await.unwrap();
    assert_eq!(store.retry_units(&ids, false).await.unwrap().acts, [Acted::Held, Acted::Done]);
    for _ in 0..2 {
        hand.reads_again(&*store).await;
        listener.settle(&*store, &hand, |_| dispatched()).await;
    }
    assert_eq!(listener.heard(), [(1, 0, 1)]);
}

/// What cannot be done says why, and asked twice changes nothing.
pub async fn what_cannot_be_done_says_why<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_failed_head(&*store, 1).await;
    let more = ["F-2", "F-3"].map(|name| intent(&kafka("t"), name, 1));
    let more = write_intents(&*store, more.to_vec()).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| if unit.unit == more[0] { dispatched() } else { retry(LONG) };
    hand.settle(&*store, result).await.unwrap();
    let ready = write_intents(&*store, vec![intent(&kafka("t"), "F-4", 1)]).await[0];
    let [head, held, sent, waiting] = [ids[0], ids[1], more[0], more[1]];
    let nobody = OutboxId(ready.0 + 1_000_000);
    let pending = OutboxStatus::Pending;
    let before = store.outbox_rows(100).await.unwrap();
    assert_eq!(
        store.retry_units(&[nobody, held, sent, ready], false).await.unwrap().acts,
        [Acted::NotFound, Acted::Held, Acted::AlreadyEnded, Acted::WrongStatus(pending)]
    );
    assert_eq!(
        store.skip_units(&[nobody, held, sent, ready, waiting]).await.unwrap().acts,
        [
            Acted::NotFound,
            Acted::Held,
            Acted::AlreadyEnded,
            Acted::WrongStatus(pending),
            Acted::WrongStatus(pending),
        ]
    );
    assert_eq!(store.outbox_rows(100).await.unwrap(), before);
    let twice = store.skip_units(&[head, head]).await.unwrap().acts;
    assert_eq!(twice, [Acted::Done, Acted::AlreadyDone]);
    let before = store.outbox_rows(100).await.unwrap();
    assert_eq!(store.skip_units(&[head]).await.unwrap().acts, [Acted::AlreadyDone]);
    assert_eq!(store.retry_units(&[head], false).await.unwrap().acts, [Acted::AlreadyEnded]);
    assert_eq!(store.outbox_rows(100).await.unwrap(), before);
}
