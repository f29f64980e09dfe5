//! Dropping history: settled rows of past months go, everything else stays as it was.

use std::time::Duration;

use dipmo_domain::{InboxStatus, Month, OutboxStatus};
use dipmo_inbox::Stored;
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::{ClaimedMessage, IntentEnd, Pruned, SettlementKind, Store};

use crate::Fixture;
use crate::support::{
    LONG, Script, alone, batch, dispatch_all, dispatched, done, event, event_saying, failed,
    failure, intent, kafka, record_keys, retry, rows, stored, suite_key, take, with_record,
    work_off, write_intents,
};

/// The month after the present one: everything that there is lies before it.
async fn next_month(store: &dyn Store) -> Month {
    Month::of(store.now().await.unwrap()).next()
}

/// Drops until nothing more is to be dropped.
async fn drop_all(store: &dyn Store, month: Month, limit: u32) -> Pruned {
    let mut sum = Pruned::default();
    loop {
        let pruned = store.drop_before(month, limit).await.unwrap();
        sum.rows += pruned.rows;
        sum.carried += pruned.carried;
        if !pruned.more {
            return sum;
        }
    }
}

/// One message in each place that a message can be in.
fn verdict(claimed: &ClaimedMessage) -> SettlementKind {
    match claimed.message.offset {
        1 => done(),
        2 => retry(LONG),
        3 => failed(true),
        4 => SettlementKind::Parked { at_most: LONG },
        5 => SettlementKind::Held,
        _ => retry(Duration::ZERO),
    }
}

/// What is PROCESSED goes; what is not stays as it was, with its id and its time.
pub async fn settled_messages_go_and_others_stay<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = ["F-1", "F-2", "F-3", "F-4", "F-3", "F-6"];
    let mut messages: Vec<_> = (1..).zip(names).map(|(number, name)| event(name, number)).collect();
    messages.push(with_record(|record| record.value = Some(b"{".to_vec())));
    let ids = stored(&*store, &messages).await;
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let after_retry = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(after_retry.ids(), [ids[5]], "ended after a retry");
    let ready = stored(&*store, &[event("F-7", 7)]).await[0];

    let before = rows(&*store).await;
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    let left = rows(&*store).await;
    let expected: Vec<_> =
        before.into_iter().filter(|row| row.status != InboxStatus::Processed).collect();
    assert_eq!(left, expected, "the unsettled rows, to the letter");
    assert_eq!(left.len(), 6);
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), [ready]);
}

/// What stays goes on as if nothing had happened.
pub async fn what_stays_goes_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    work_off_once(&*store).await;
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    store.prepare_months(1).await.unwrap();
    let more = stored(&*store, &[event("F-1", 3)]).await;
    let tried = work_off(&*store, |_| done()).await;
    let tried: Vec<_> = tried.iter().map(|claimed| claimed.message.id).collect();
    assert_eq!(tried, [ids[0], ids[1], more[0]]);
    assert!(rows(&*store).await.iter().all(|row| row.status == InboxStatus::Processed));
}

/// The first one is retried, the others are held.
async fn work_off_once(store: &dyn Store) {
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    batch(store, Script::settling(verdict)).await.unwrap();
}

/// Months that are not before the given one are left alone.
pub async fn the_present_month_stays<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[alone(1)]).await;
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    dispatch_all(&*store, &kafka("t")).await;
    let (messages, intents) = (rows(&*store).await, store.outbox_rows(10).await.unwrap());
    let present = Month::of(messages[0].message.received_at);
    assert_eq!(drop_all(&*store, present, 1_000).await.rows, 0);
    assert_eq!(rows(&*store).await, messages);
    assert_eq!(store.outbox_rows(10).await.unwrap(), intents);
}

/// Dropping history forgets nobody: what was processed is a duplicate still.
pub async fn dedupe_outlives_history<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    assert!(rows(&*store).await.is_empty());
    let again = store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(ids[0])]);
    let other = event_saying("F-1", 1, "[]");
    assert_eq!(store.store(&[other], &[]).await, Ok(vec![Stored::Conflict(ids[0])]));
    assert_eq!(store.incidents(10).await.unwrap().len(), 1);
    assert!(rows(&*store).await.is_empty());
}

/// Ids go on where they were: nothing new gets an id that was dropped.
pub async fn ids_are_never_used_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let intents = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    dispatch_all(&*store, &kafka("t")).await;
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    assert!(stored(&*store, &[event("F-1", 2)]).await[0] > ids[0]);
    let later = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 2)]).await;
    assert!(later[0] > intents[0]);
}

/// DISPATCHED intents go; PENDING and FAILED ones stay and can be delivered.
pub async fn settled_intents_go_and_others_stay<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut intents: Vec<_> = (1..=5).map(|n| intent(&kafka("t"), &format!("F-{n}"), n)).collect();
    intents.push(intent(&kafka("t"), "F-4", 6));
    let ids = write_intents(&*store, intents).await;
    let result = |unit: &Delivery| match unit.unit {
        id if id == ids[0] => dispatched(),
        id if id == ids[1] => UnitResult::Retry { after: LONG, failure: failure("busy") },
        id if id == ids[2] => UnitResult::Failed { failure: failure("no"), block: true },
        id if id == ids[5] => UnitResult::Held,
        _ => UnitResult::Later,
    };
    let hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, result).await.unwrap();
    hand.give_back(&*store).await;
    write_intents(&*store, vec![intent(&kafka("t"), "F-6", 6)]).await;
    let before = store.outbox_rows(10).await.unwrap();
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    let left = store.outbox_rows(10).await.unwrap();
    let expected: Vec<_> =
        before.into_iter().filter(|row| row.status != OutboxStatus::Dispatched).collect();
    assert_eq!(left, expected);
    let sent = dispatch_all(&*store, &kafka("t")).await;
    assert_eq!(sent.len(), 4, "two that were put off, one that was held, one that is new");
}

/// An intent with records goes when all of them are through, and stays whole until then.
pub async fn an_intent_with_records_stays_whole<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let many = |count| NewIntent {
        records: record_keys(count),
        reply_to: Some(suite_key("S-1")),
        ..intent(&kafka("t"), "F-1", 1)
    };
    let ids = write_intents(&*store, vec![many(20), many(3)]).await;
    let result = |unit: &Delivery| match unit.record.as_ref().unwrap().0.as_str() {
        "REC-7" => UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") },
        _ => dispatched(),
    };
    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, result).await.unwrap();
    let records = store.records(ids[0]).await.unwrap();
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    let left: Vec<_> = store.outbox_rows(10).await.unwrap().iter().map(|row| row.id).collect();
    assert_eq!(left, [ids[0]]);
    assert_eq!(store.records(ids[0]).await.unwrap(), records, "all of its records stay");

    hand.reads_again(&*store).await;
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let hears = heard.clone();
    let replies = Box::new(move |ends: &[IntentEnd]| {
        hears.lock().unwrap().extend(ends.iter().map(|end| (end.intent, end.dispatched)));
        Vec::new()
    });
    hand.settle_with(&*store, |_| dispatched(), &[], replies).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), [(ids[0], 20)], "and are counted");
    drop_all(&*store, month, 1_000).await;
    assert!(store.outbox_rows(10).await.unwrap().is_empty());
    assert!(store.records(ids[0]).await.unwrap().is_empty());
}

/// Intents that an operator gave up go, with records and without; one that failed only stays.
pub async fn what_was_given_up_goes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let many = NewIntent { records: record_keys(2), ..intent(&kafka("t"), "F-1", 1) };
    let intents = vec![many, intent(&kafka("t"), "F-2", 1), intent(&kafka("t"), "F-3", 1)];
    let ids = write_intents(&*store, intents).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let refused = |unit: &Delivery| match unit.record.as_ref().map(|record| record.0.as_str()) {
        Some("REC-0") => dispatched(),
        _ => UnitResult::Failed { failure: failure("no"), block: true },
    };
    hand.settle(&*store, refused).await.unwrap();
    let month = next_month(&*store).await;
    drop_all(&*store, month, 1_000).await;
    assert_eq!(store.outbox_rows(10).await.unwrap().len(), 3, "what failed waits for a person");
    let record = store.records(ids[0]).await.unwrap()[1].id;
    store.skip_units(&[record, ids[1]]).await.unwrap();
    drop_all(&*store, month, 1_000).await;
    let left: Vec<_> = store.outbox_rows(10).await.unwrap().iter().map(|row| row.id).collect();
    assert_eq!(left, [ids[2]]);
    assert!(store.records(ids[0]).await.unwrap().is_empty());
}

/// Dropping in small steps ends, and drops the same.
pub async fn small_steps_end<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &(0..100).map(alone).collect::<Vec<_>>()).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let month = next_month(&*store).await;
    drop_all(&*store, month, 7).await;
    assert!(rows(&*store).await.is_empty());
    drop_all(&*store, month, 7).await;
}

/// Room for months to come can be made again and again.
pub async fn months_can_be_prepared_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    for ahead in [1, 3, 0, 3] {
        let (here, there) =
            tokio::join!(store.prepare_months(ahead), another.prepare_months(ahead));
        assert_eq!((here, there), (Ok(()), Ok(())));
    }
    stored(&*store, &[alone(1)]).await;
}
