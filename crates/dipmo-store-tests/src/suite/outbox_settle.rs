//! Settling units: what OUTBOX shows at each step, and what is fenced off.

use std::time::Duration;

use dipmo_domain::{OutboxStatus, StoreError};
use dipmo_outbox::{Attempt, Delivery, NewIntent, OutboxRow, UnitResult, UnitSettlement};
use dipmo_store::{Settle, Store};

use crate::Fixture;
use crate::support::{
    Hand, LONG, aggregates, dispatched, failure, intent, kafka, record_keys, take, write_intents,
};

async fn row(store: &dyn Store) -> OutboxRow {
    store.outbox_rows(1).await.unwrap().remove(0)
}

async fn one_intent(store: &dyn Store) -> Hand {
    write_intents(store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    take(store, &kafka("t"), "o").await
}

fn retry(after: Duration) -> UnitResult {
    UnitResult::Retry { after, failure: failure("busy") }
}

fn fenced(result: &Result<dipmo_store::SettleReport, StoreError>) {
    assert!(matches!(result, Err(StoreError::Fenced { .. })), "{result:?}");
}

/// Dispatched at the first attempt: attempts 1, not due.
pub async fn dispatched_at_the_first_attempt<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut hand = one_intent(&*store).await;
    let report = hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert_eq!((report.units, report.messages, report.releasing), (1, 0, false));
    let row = row(&*store).await;
    assert_eq!((row.status, row.attempts), (OutboxStatus::Dispatched, 1));
    assert_eq!((row.next_attempt_at, row.failure, row.held_behind), (None, None, None));
    hand.reads_again(&*store).await;
    assert!(hand.units.is_empty());
}

/// Trap 21: a transient failure stays PENDING, with attempts and a due time.
pub async fn trap_21_a_retry_stays_pending<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut hand = one_intent(&*store).await;
    let before = store.now().await.unwrap();
    hand.settle(&*store, |_| retry(LONG)).await.unwrap();
    let row = row(&*store).await;
    assert_eq!((row.status, row.attempts), (OutboxStatus::Pending, 1));
    assert!(row.next_attempt_at.unwrap() >= before.after(LONG));
    assert_eq!(row.failure.unwrap().code(), "busy");
    hand.reads_again(&*store).await;
    assert!(hand.units.is_empty(), "not due");
}

/// A unit that is tried again says how often it was tried; then it ends.
pub async fn attempts_count_up<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut hand = one_intent(&*store).await;
    for attempts in 1..=3 {
        hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
        hand.reads_again(&*store).await;
        assert_eq!(hand.units.len(), 1);
        assert_eq!(hand.units[0].attempt, Attempt::Again { attempts, retried: 0 });
    }
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    let row = row(&*store).await;
    assert_eq!((row.status, row.attempts), (OutboxStatus::Dispatched, 4));
    assert_eq!(row.next_attempt_at, None);
    hand.reads_again(&*store).await;
    assert!(hand.units.is_empty());
}

/// Refused for good: FAILED, and never read again.
pub async fn failed_is_not_read_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut hand = one_intent(&*store).await;
    let failed = |_: &_| UnitResult::Failed { failure: failure("refused"), block: true };
    hand.settle(&*store, failed).await.unwrap();
    let row = row(&*store).await;
    assert_eq!((row.status, row.attempts), (OutboxStatus::Failed, 1));
    assert_eq!((row.next_attempt_at, row.failure.unwrap().code()), (None, "refused"));
    hand.reads_again(&*store).await;
    assert!(hand.units.is_empty());
}

/// Not tried and nobody's fault: due at once, attempts as they were.
pub async fn later_counts_no_attempt<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut hand = one_intent(&*store).await;
    for _ in 0..2 {
        hand.settle(&*store, |_| UnitResult::Later).await.unwrap();
        hand.reads_again(&*store).await;
        assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 0, retried: 0 });
    }
    let shown = row(&*store).await;
    assert_eq!((shown.status, shown.attempts), (OutboxStatus::Pending, 0));
    assert_eq!((shown.failure, shown.held_behind), (None, None));
    hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
    hand.reads_again(&*store).await;
    hand.settle(&*store, |_| UnitResult::Later).await.unwrap();
    assert_eq!(row(&*store).await.attempts, 1);
}

/// Nobody waited for the answer: not due before its time, attempts as they were, and its key waits.
pub async fn unanswered_counts_no_attempt_and_waits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let unanswered =
        |after| move |_: &_| UnitResult::Unanswered { after, failure: failure("stopped") };
    let mut hand = one_intent(&*store).await;
    for _ in 0..2 {
        hand.settle(&*store, unanswered(Duration::ZERO)).await.unwrap();
        hand.reads_again(&*store).await;
        assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 0, retried: 0 });
    }
    let before = store.now().await.unwrap();
    hand.settle(&*store, unanswered(LONG)).await.unwrap();
    let shown = row(&*store).await;
    assert_eq!((shown.status, shown.attempts), (OutboxStatus::Pending, 0));
    assert!(shown.next_attempt_at.unwrap() >= before.after(LONG));
    assert_eq!((shown.failure.unwrap().code(), shown.held_behind), ("stopped", None));
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 2)]).await;
    hand.reads_again(&*store).await;
    let waits_for: Vec<_> = hand.units.iter().map(|unit| unit.blocked_by).collect();
    assert_eq!(waits_for, [Some(shown.id)], "it is not due, and heads its key");
}

/// A chunk is settled whole: a part of it is fenced, and nothing is written.
pub async fn a_part_of_a_chunk_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    // Three units of one key are in one lane, so they are one chunk.
    write_intents(&*store, (1..=3).map(|n| intent(&kafka("t"), "F-1", n)).collect()).await;
    let whole = take(&*store, &kafka("t"), "o").await;
    assert_eq!(whole.units.len(), 3);
    assert!(whole.units.iter().all(|unit| unit.attempt == whole.units[0].attempt));
    for left_out in 0..3 {
        let mut part = whole.clone();
        part.units.remove(left_out);
        fenced(&part.settle(&*store, |_| dispatched()).await);
    }
    let rows = store.outbox_rows(10).await.unwrap();
    assert!(rows.iter().all(|row| row.attempts == 0), "nothing was written");
    assert_eq!(whole.settle(&*store, |_| dispatched()).await.unwrap().units, 3);
}

/// A unit that is given twice does not stand for another one of its chunk.
pub async fn a_unit_given_twice_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, (1..=2).map(|n| intent(&kafka("t"), "F-1", n)).collect()).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.units[1] = hand.units[0].clone();
    fenced(&hand.settle(&*store, |_| dispatched()).await);
    assert!(store.outbox_rows(10).await.unwrap().iter().all(|row| row.attempts == 0));
}

/// Settling twice is fenced, at the first attempt and later.
pub async fn settling_twice_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut hand = one_intent(&*store).await;
    hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
    fenced(&hand.settle(&*store, |_| dispatched()).await);
    assert_eq!(row(&*store).await.attempts, 1);
    hand.reads_again(&*store).await;
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    fenced(&hand.settle(&*store, |_| retry(Duration::ZERO)).await);
    let row = row(&*store).await;
    assert_eq!((row.status, row.attempts), (OutboxStatus::Dispatched, 2));
}

/// A unit of a lane that is not among the leases is fenced.
pub async fn a_unit_of_another_lane_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(2);
    let intents = names.iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    write_intents(&*store, intents).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.leases.pop();
    fenced(&hand.settle(&*store, |_| dispatched()).await);
    assert!(store.outbox_rows(10).await.unwrap().iter().all(|row| row.attempts == 0));
}

/// A chunk of many lanes' worth of records, each way at once.
pub async fn many_results_in_one_settlement<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let many = NewIntent { records: record_keys(400), ..intent(&kafka("t"), "F-1", 1) };
    let intents = write_intents(&*store, vec![many]).await;
    let place = |unit: &Delivery| unit.record.as_ref().unwrap().0[4..].parse::<usize>().unwrap();
    let hand = take(&*store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| match place(unit) % 4 {
        0 => UnitResult::Dispatched { external_ref: Some(format!("ref-{}", place(unit))) },
        1 => retry(LONG),
        2 => UnitResult::Failed { failure: failure("refused"), block: false },
        _ => UnitResult::Later,
    };
    assert_eq!(hand.settle(&*store, result).await.unwrap().units, 400);
    let records = store.records(intents[0]).await.unwrap();
    for (place, record) in records.iter().enumerate() {
        let shown = (record.status, record.attempts, record.external_ref.clone());
        let expected = match place % 4 {
            0 => (OutboxStatus::Dispatched, 1, Some(format!("ref-{place}"))),
            1 => (OutboxStatus::Pending, 1, None),
            2 => (OutboxStatus::Failed, 1, None),
            _ => (OutboxStatus::Pending, 0, None),
        };
        assert_eq!(shown, expected, "record {place}");
    }
}

/// Settling nothing is no error, and tells the time of the database.
pub async fn an_empty_settlement_is_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let units: &[UnitSettlement] = &[];
    let replies = Box::new(|_: &[_]| Vec::new());
    let settle = Settle { leases: &[], units, messages: &[], replies };
    let before = store.now().await.unwrap();
    let report = store.settle(settle).await.unwrap();
    assert_eq!((report.units, report.messages, report.releasing), (0, 0, false));
    assert!(before <= report.at && report.at <= store.now().await.unwrap());
}

/// A unit that says that it was tried before must have a row that waits, and is not held.
pub async fn a_unit_without_a_row_that_waits_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = (1..=2).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    write_intents(&*store, intents).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let again = |unit: &Delivery| {
        let attempt = Attempt::Again { attempts: 0, retried: 0 };
        Hand { units: vec![Delivery { attempt, ..unit.clone() }], ..hand.clone() }
    };
    fenced(&again(&hand.units[1]).settle(&*store, |_| dispatched()).await);
    let first = hand.units[0].unit;
    let holds = |unit: &Delivery| {
        if unit.unit == first { retry(LONG) } else { UnitResult::Held }
    };
    hand.settle(&*store, holds).await.unwrap();
    fenced(&again(&hand.units[1]).settle(&*store, |_| dispatched()).await);
    let rows = store.outbox_rows(10).await.unwrap();
    assert_eq!((rows[0].attempts, rows[0].held_behind), (0, Some(first)), "nothing was written");
}

/// A lease counts for its own destination, and under its own epoch.
pub async fn a_lease_of_something_else_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let both = ["t", "u"].map(|topic| intent(&kafka(topic), "F-1", 1));
    write_intents(&*store, both.to_vec()).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let other = take(&*store, &kafka("u"), "o").await;
    let swapped = Hand { leases: other.leases.clone(), ..hand.clone() };
    fenced(&swapped.settle(&*store, |_| dispatched()).await);
    let mut forged = hand.clone();
    forged.leases[0].epoch.0 += 1;
    fenced(&forged.settle(&*store, |_| dispatched()).await);
    assert!(store.outbox_rows(10).await.unwrap().iter().all(|row| row.attempts == 0));
    hand.settle(&*store, |_| dispatched()).await.unwrap();
}
