//! Sending units a second time: as new intents, which name what they repeat.

use std::collections::HashSet;
use std::time::Duration;

use dipmo_domain::{Headers, Json, OutboxId, OutboxStatus, ProcessKey, StoreError};
use dipmo_outbox::{NewIntent, OutboxRow, UnitResult};
use dipmo_store::admin::{Act, Operable, UnitFilter, ended_units};
use dipmo_store::{Acted, Side};

use super::actions::{begin, items, lease, perform_all, results_of, units};
use crate::OperableFixture;
use crate::suite::outbox_hold::held_behind_a_head;
use crate::support::{
    Ear, LONG, dispatch_all, failure, intent, kafka, record_keys, take, write_intents,
};

fn refused() -> UnitResult {
    UnitResult::Failed { failure: failure("refused"), block: true }
}

async fn rows(store: &dyn Operable) -> Vec<OutboxRow> {
    let mut rows = store.outbox_rows(100).await.unwrap();
    rows.reverse();
    rows
}

/// Units that were delivered, each of a key of its own.
async fn delivered(store: &dyn Operable, count: i64) -> Vec<OutboxId> {
    let intents = (0..count).map(|n| intent(&kafka("t"), &format!("F-{n}"), n)).collect();
    let ids = write_intents(store, intents).await;
    dispatch_all(store, &kafka("t")).await;
    ids
}

/// A unit that was delivered goes out again as a new intent of the same content; the first stays as it is.
pub async fn a_unit_is_sent_a_second_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let reply_to = Some(ProcessKey { process: "HIT".to_owned(), id: "1".to_owned() });
    let payload = Json::parse(r#"{"z": 1.50, "a": "\u00e4"}"#).unwrap();
    let headers = Headers::default().with("trace", "17");
    let first = NewIntent { payload, headers, reply_to, ..intent(&kafka("t"), "F-1", 1) };
    write_intents(&*store, vec![first]).await;
    let sent = dispatch_all(&*store, &kafka("t")).await;
    let before = rows(&*store).await;
    let operation = begin(&*store, Act::Resend, units(&[before[0].id])).await;
    assert_eq!(rows(&*store).await, before, "nothing is sent by a beginning");
    let operation = perform_all(&*store, &operation).await;
    assert_eq!((operation.met, operation.done), (1, 1));
    let after = rows(&*store).await;
    assert_eq!(after[..1], before, "the first stays as it is");
    let again = &after[1];
    assert_eq!((again.status, again.attempts), (OutboxStatus::Pending, 0));
    let expected = OutboxRow {
        id: again.id,
        created_at: again.created_at,
        status: OutboxStatus::Pending,
        attempts: 0,
        reply_to: None,
        resend_of: Some(before[0].id),
        ..before[0].clone()
    };
    assert_eq!(*again, expected);
    assert!(again.id > before[0].id && again.created_at >= before[0].created_at);
    let resent = dispatch_all(&*store, &kafka("t")).await;
    assert_eq!(resent.len(), 1);
    assert_eq!(resent[0].payload, sent[0].payload);
    assert_eq!(resent[0].headers_json, sent[0].headers_json);
    assert_ne!(resent[0].idempotency_key(), sent[0].idempotency_key());
    assert_eq!(rows(&*store).await[1].status, OutboxStatus::Dispatched);
}

/// Of an intent with records one goes out again, and the counts of the first stay as they are.
pub async fn a_record_is_sent_a_second_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let of_records = NewIntent { records: record_keys(3), ..intent(&kafka("t"), "F-1", 1) };
    let first = write_intents(&*store, vec![of_records]).await[0];
    dispatch_all(&*store, &kafka("t")).await;
    let (before, records) = (rows(&*store).await, store.records(first).await.unwrap());
    let wanted = [records[1].id, records[2].id];
    let operation = begin(&*store, Act::Resend, units(&wanted)).await;
    assert_eq!(perform_all(&*store, &operation).await.done, 2);
    let after = rows(&*store).await;
    assert_eq!((after.len(), &after[0]), (3, &before[0]));
    assert_eq!(store.records(first).await.unwrap(), records);
    for (again, record) in after[1..].iter().zip(&records[1..]) {
        assert_eq!((again.status, again.resend_of), (OutboxStatus::Pending, Some(record.id)));
        let of_again = store.records(again.id).await.unwrap();
        assert_eq!(of_again.len(), 1);
        assert_eq!(of_again[0].record, record.record);
    }
    let sent = dispatch_all(&*store, &kafka("t")).await;
    let keys: HashSet<_> = sent.iter().filter_map(|unit| unit.record.clone()).collect();
    assert_eq!(keys, records[1..].iter().map(|record| record.record.clone()).collect());
    assert!(rows(&*store).await.iter().all(|row| row.status == OutboxStatus::Dispatched));
}

/// What was given up is sent again; what waits or failed is not, and says why.
pub async fn each_has_its_word<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let (hand, mut ids) = held_behind_a_head(&*store, 1).await;
    hand.settle(&*store, |_| refused()).await.unwrap();
    hand.give_back(&*store).await;
    let others = ["F-2", "F-3"].map(|key| intent(&kafka("u"), key, 1)).to_vec();
    ids.extend(write_intents(&*store, others).await);
    let hand = take(&*store, &kafka("u"), "o").await;
    hand.settle(&*store, |_| refused()).await.unwrap();
    hand.give_back(&*store).await;
    let given_up = store.skip_units(&ids[2..3]).await.unwrap();
    assert_eq!(given_up.acts, [Acted::Done]);
    ids.extend(write_intents(&*store, vec![intent(&kafka("v"), "F-4", 1)]).await);
    let of_records = NewIntent { records: record_keys(1), ..intent(&kafka("w"), "F-5", 1) };
    ids.extend(write_intents(&*store, vec![of_records]).await);
    dispatch_all(&*store, &kafka("w")).await;
    ids.push(OutboxId(ids[5].0 + 1_000_000));
    let operation = begin(&*store, Act::Resend, units(&ids)).await;
    assert_eq!(perform_all(&*store, &operation).await.done, 1);
    let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let words = [
        "WRONG_STATUS", // It failed, and can be retried.
        "HELD",
        "DONE", // It was given up.
        "WRONG_STATUS",
        "WRONG_STATUS", // It was never sent.
        "NOT_FOUND",    // An intent with records is no unit.
        "NOT_FOUND",
    ];
    assert_eq!(results_of(&*store, operation.id, &numbers).await, words);
    let sent = dispatch_all(&*store, &kafka("u")).await;
    assert_eq!(sent.len(), 1, "what was given up, and not what failed");
}

/// It comes behind all that waits for its key: what is ready, and what is held behind a head.
pub async fn it_waits_its_turn<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let first = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 0)]).await[0];
    dispatch_all(&*store, &kafka("t")).await;
    let (hand, ids) = held_behind_a_head(&*store, 1).await;
    let operation = begin(&*store, Act::Resend, units(&[first])).await;
    assert_eq!(perform_all(&*store, &operation).await.done, 1);
    hand.give_back(&*store).await;
    let sent = dispatch_all(&*store, &kafka("t")).await;
    let sent: Vec<OutboxId> = sent.iter().map(|unit| unit.unit).collect();
    assert_eq!((sent.len(), &sent[..2]), (3, &ids[..]));
    assert_eq!(rows(&*store).await[3].resend_of, Some(first));
}

/// However often and by however many an operation is performed, each unit is sent again once.
pub async fn each_is_sent_again_once<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = delivered(&*store, 4).await;
    let operation = begin(&*store, Act::Resend, units(&ids)).await;
    let lease = lease(&*store, &operation).await;
    let all = items(&*store, operation.id).await;
    let (one, two) = tokio::join!(store.perform(&lease, &all), another.perform(&lease, &all));
    assert_eq!(one.unwrap().done + two.unwrap().done, 4);
    assert_eq!(store.perform(&lease, &all).await.unwrap().met, 0);
    let again = rows(&*store).await.split_off(4);
    let of: HashSet<_> = again.iter().filter_map(|row| row.resend_of).collect();
    assert_eq!((again.len(), of), (4, ids.into_iter().collect()));
}

/// Whoever lost the lease, or was told to wait, sends nothing.
pub async fn a_lease_that_was_taken_over_sends_nothing<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let ids = delivered(&*store, 2).await;
    let operation = begin(&*store, Act::Resend, units(&ids)).await;
    let old = store.take_operation(None, "one", Duration::ZERO).await.unwrap().unwrap();
    fixture.tick().await;
    let new = another.take_operation(None, "two", LONG).await.unwrap().unwrap();
    let all = items(&*store, operation.id).await;
    let performed = store.perform(&old, &all).await;
    assert!(matches!(performed, Err(StoreError::Fenced { .. })), "{performed:?}");
    assert_eq!(rows(&*store).await.len(), 2);
    assert_eq!(another.perform(&new, &all).await.unwrap().done, 2);
    assert_eq!(rows(&*store).await.len(), 4);
}

/// Whoever waits for units is woken.
pub async fn dispatchers_are_woken<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = delivered(&*store, Ear::ROUNDS).await;
    let mut ear = Ear::on(&*store, Side::Outbox);
    for id in ids {
        let operation = begin(&*store, Act::Resend, units(&[id])).await;
        ear.forgets();
        perform_all(&*store, &operation).await;
        ear.hears().await;
    }
}

/// A filter finds what was delivered or given up, and no second delivery.
pub async fn what_a_filter_finds<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = delivered(&*store, 2).await;
    let more = ["F-8", "F-9"].map(|key| intent(&kafka("u"), key, 1)).to_vec();
    let more = write_intents(&*store, more).await;
    let hand = take(&*store, &kafka("u"), "o").await;
    hand.settle(&*store, |_| refused()).await.unwrap();
    store.skip_units(&more[..1]).await.unwrap();
    write_intents(&*store, vec![intent(&kafka("t"), "F-7", 1)]).await;
    let found = async |filter: UnitFilter| {
        let mut found = ended_units(&*store, &filter).await.unwrap().expect("it is not too wide");
        found.sort_unstable();
        found
    };
    let expected = [ids[0].0, ids[1].0, more[0].0];
    assert_eq!(found(UnitFilter::default()).await, expected);
    let operation = begin(&*store, Act::Resend, units(&ids)).await;
    perform_all(&*store, &operation).await;
    dispatch_all(&*store, &kafka("t")).await;
    let to_t = UnitFilter { destination: Some(kafka("t")), ..UnitFilter::default() };
    let f_7 = rows(&*store).await[4].id.0;
    assert_eq!(found(to_t.clone()).await, [ids[0].0, ids[1].0, f_7]);
    let pending = UnitFilter { status: vec![OutboxStatus::Pending], ..UnitFilter::default() };
    assert!(found(pending).await.is_empty());
    let none = store.preview(Act::Resend, &dipmo_store::admin::Target::Units(to_t)).await.unwrap();
    assert_eq!(none.items, 0, "a filter is looked through before");
}
