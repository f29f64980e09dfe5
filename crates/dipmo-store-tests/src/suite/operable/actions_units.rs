//! Performing an operation on units of the outbox.

use dipmo_domain::{OutboxId, OutboxStatus};
use dipmo_outbox::{Attempt, NewIntent, OutboxRow, UnitResult};
use dipmo_store::Side;
use dipmo_store::admin::{Act, Operable, Target, UnitFilter};

use super::actions::{begin, lease, perform_all, results_of, units};
use crate::OperableFixture;
use crate::suite::outbox_hold::held_behind_a_head;
use crate::support::{
    Ear, LONG, dispatch_all, dispatched, failure, intent, kafka, record_keys, take, write_intents,
};

fn refused() -> UnitResult {
    UnitResult::Failed { failure: failure("refused"), block: true }
}

/// A head that failed, with two units held behind it; nobody has the lane.
async fn behind_a_failed_head(store: &dyn Operable) -> Vec<OutboxId> {
    let (hand, ids) = held_behind_a_head(store, 2).await;
    hand.settle(store, |_| refused()).await.unwrap();
    hand.give_back(store).await;
    ids
}

async fn row_of(store: &dyn Operable, id: OutboxId) -> OutboxRow {
    let rows = store.outbox_rows(100).await.unwrap();
    rows.into_iter().find(|row| row.id == id).unwrap()
}

async fn sent(store: &dyn Operable) -> Vec<OutboxId> {
    dispatch_all(store, &kafka("t")).await.iter().map(|unit| unit.unit).collect()
}

fn numbers(ids: &[OutboxId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

/// Each act, on what a filter finds and on ids, does what it does to one unit.
pub async fn each_act_is_done<F: OperableFixture>() {
    for act in [Act::Retry, Act::Skip, Act::Release] {
        for by_filter in [true, false] {
            let fixture = F::fresh().await;
            let store = fixture.operable();
            let ids = behind_a_failed_head(&*store).await;
            let filter = Target::Units(UnitFilter::default());
            let target = if by_filter { filter } else { units(&ids[..1]) };
            let operation = begin(&*store, act, target).await;
            assert_eq!(operation.side, Side::Outbox);
            let operation = perform_all(&*store, &operation).await;
            assert_eq!((operation.items, operation.met, operation.done), (1, 1, 1), "{act:?}");
            let row = row_of(&*store, ids[0]).await;
            let (stands, goes_on) = match act {
                Act::Retry => ((OutboxStatus::Pending, 0, false), &ids[..]),
                Act::Skip => ((OutboxStatus::Failed, 2, true), &ids[1..]),
                _ => ((OutboxStatus::Failed, 2, false), &ids[1..]),
            };
            assert_eq!((row.status, row.attempts, row.skipped), stands, "{act:?}");
            assert_eq!(sent(&*store).await, goes_on, "{act:?}");
        }
    }
}

/// What cannot be done has a word for it, each unit its own.
pub async fn each_has_its_word<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let mut ids = behind_a_failed_head(&*store).await;
    let of_records = NewIntent { records: record_keys(1), ..intent(&kafka("u"), "F-2", 1) };
    ids.extend(write_intents(&*store, vec![of_records, intent(&kafka("v"), "F-3", 1)]).await);
    dispatch_all(&*store, &kafka("u")).await;
    let record = store.records(ids[3]).await.unwrap()[0].id;
    ids.extend([record, OutboxId(ids[4].0 + 1_000_000)]);
    let operation = begin(&*store, Act::Retry, units(&ids)).await;
    let operation = perform_all(&*store, &operation).await;
    assert_eq!((operation.met, operation.done), (7, 1));
    let words = ["DONE", "HELD", "HELD", "NOT_FOUND", "WRONG_STATUS", "ALREADY_ENDED", "NOT_FOUND"];
    assert_eq!(results_of(&*store, operation.id, &numbers(&ids)).await, words);
}

/// A unit that was retried and failed again since is left alone, and one that was done is not done again.
pub async fn a_unit_is_done_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let fail = async || {
        let hand = take(&*store, &kafka("t"), "o").await;
        hand.settle(&*store, |_| refused()).await.unwrap();
        hand.give_back(&*store).await;
        hand.units[0].attempt
    };
    fail().await;
    let late = begin(&*store, Act::Retry, units(&ids)).await;
    let operation = begin(&*store, Act::Retry, units(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let items = store.next_items(&lease, 10).await.unwrap();
    assert_eq!(store.perform(&lease, &items).await.unwrap().done, 1);
    assert_eq!(fail().await, Attempt::Again { attempts: 0, retried: 1 });
    assert_eq!(store.perform(&lease, &items).await.unwrap().met, 0);
    assert_eq!(perform_all(&*store, &late).await.done, 0);
    assert_eq!(results_of(&*store, late.id, &numbers(&ids)).await, ["CHANGED"]);
    assert_eq!(row_of(&*store, ids[0]).await.status, OutboxStatus::Failed);
}

/// Records are done each on its own, and the intent counts them.
pub async fn records_are_done_each<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let of_records = NewIntent { records: record_keys(3), ..intent(&kafka("t"), "F-1", 1) };
    let intent = write_intents(&*store, vec![of_records]).await[0];
    let hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, |_| refused()).await.unwrap();
    hand.give_back(&*store).await;
    let records: Vec<_> = store.records(intent).await.unwrap().iter().map(|row| row.id).collect();
    let operation = begin(&*store, Act::Skip, units(&records[..1])).await;
    perform_all(&*store, &operation).await;
    assert!(!row_of(&*store, intent).await.skipped, "two are left");
    let filter = UnitFilter { intent: Some(intent), ..UnitFilter::default() };
    let operation = begin(&*store, Act::Retry, Target::Units(filter)).await;
    assert_eq!(perform_all(&*store, &operation).await.done, 2);
    assert_eq!(row_of(&*store, intent).await.status, OutboxStatus::Pending);
    assert_eq!(sent(&*store).await, records[1..]);
    let row = row_of(&*store, intent).await;
    assert_eq!((row.status, row.skipped), (OutboxStatus::Failed, true));
}

/// Whoever waits for units is woken.
pub async fn dispatchers_are_woken<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let intents = (0..Ear::ROUNDS).map(|n| intent(&kafka("t"), &format!("F-{n}"), n)).collect();
    let ids = write_intents(&*store, intents).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let busy = || UnitResult::Retry { after: LONG, failure: failure("busy") };
    hand.settle(&*store, |_| busy()).await.unwrap();
    let mut ear = Ear::on(&*store, Side::Outbox);
    for id in ids {
        let operation = begin(&*store, Act::Retry, units(&[id])).await;
        ear.forgets();
        perform_all(&*store, &operation).await;
        ear.hears().await;
    }
    hand.settle(&*store, |_| dispatched()).await.unwrap_err();
}
