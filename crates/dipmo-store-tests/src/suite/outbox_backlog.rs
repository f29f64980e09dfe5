//! What waits in the outbox, counted by destination, unit by unit.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::{Destination, Timestamp};
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::{Store, Waiting};

use super::outbox_hold::{held_behind_a_head, retry};
use crate::Fixture;
use crate::support::{
    LONG, dispatch_all, dispatched, failure, intent, kafka, record_keys, take, write_intents,
};

async fn outbox(store: &dyn Store) -> BTreeMap<String, Waiting> {
    store.backlog().await.unwrap().outbox
}

async fn waiting_for(store: &dyn Store, destination: &Destination) -> Waiting {
    outbox(store).await.get(&destination.to_string()).copied().unwrap_or_default()
}

/// CREATED_AT of the newest intent.
async fn newest(store: &dyn Store) -> Option<Timestamp> {
    store.outbox_rows(1).await.unwrap().first().map(|row| row.created_at)
}

/// Each destination counts for itself, and one without anything is not there.
pub async fn destinations_count_for_themselves<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1), intent(&kafka("t"), "F-2", 1)])
        .await;
    let first = newest(&*store).await;
    fixture.tick().await;
    write_intents(&*store, vec![intent(&kafka("t"), "F-3", 1), intent(&kafka("u"), "F-1", 1)])
        .await;
    let second = newest(&*store).await;
    let ready = |ready, oldest| Waiting { ready, oldest, ..Waiting::default() };
    let both = [("KAFKA:t".to_owned(), ready(3, first)), ("KAFKA:u".to_owned(), ready(1, second))];
    assert_eq!(outbox(&*store).await, both.into());
    dispatch_all(&*store, &kafka("t")).await;
    assert_eq!(outbox(&*store).await, [("KAFKA:u".to_owned(), ready(1, second))].into());
}

/// An intent with records counts as often as it has records, as long as they are not delivered.
pub async fn records_are_units<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let many = NewIntent { records: record_keys(70), ..intent(&kafka("t"), "F-1", 1) };
    write_intents(&*store, vec![many]).await;
    let oldest = newest(&*store).await;
    let expected = Waiting { ready: 70, oldest, ..Waiting::default() };
    assert_eq!(waiting_for(&*store, &kafka("t")).await, expected);
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(waiting_for(&*store, &kafka("t")).await, expected, "a lease is no delivery");
    let first = hand.units[0].unit;
    let all_but_one = |unit: &Delivery| if unit.unit == first { retry(LONG) } else { dispatched() };
    hand.settle(&*store, all_but_one).await.unwrap();
    let expected = Waiting { retrying: 1, ..Waiting::default() };
    assert_eq!(waiting_for(&*store, &kafka("t")).await, expected);
}

/// Units behind a head are held, and ready when it is through.
pub async fn held_units<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, _) = held_behind_a_head(&*store, 3).await;
    let oldest = newest(&*store).await;
    let expected = Waiting { retrying: 1, held: 3, oldest, ..Waiting::default() };
    assert_eq!(waiting_for(&*store, &kafka("t")).await, expected);
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    let expected = Waiting { ready: 3, oldest, ..Waiting::default() };
    assert_eq!(waiting_for(&*store, &kafka("t")).await, expected);
}

/// A retry is something to work on when it is due; what was put off is at once.
pub async fn retries<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let oldest = newest(&*store).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    for (result, oldest) in
        [(UnitResult::Later, oldest), (retry(Duration::ZERO), oldest), (retry(LONG), None)]
    {
        hand.settle(&*store, |_| result.clone()).await.unwrap();
        let expected = Waiting { retrying: 1, oldest, ..Waiting::default() };
        assert_eq!(waiting_for(&*store, &kafka("t")).await, expected, "{result:?}");
        hand.reads_again(&*store).await;
    }
}

/// A unit that failed waits for a person.
pub async fn failed_units<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1), intent(&kafka("t"), "F-1", 2)])
        .await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let head = hand.units[0].unit;
    let refuse = |unit: &Delivery| match unit.unit == head {
        true => UnitResult::Failed { failure: failure("refused"), block: true },
        false => UnitResult::Held,
    };
    hand.settle(&*store, refuse).await.unwrap();
    let expected = Waiting { failed: 1, held: 1, ..Waiting::default() };
    assert_eq!(waiting_for(&*store, &kafka("t")).await, expected);
}

/// What was dispatched does not count, at the first attempt or later.
pub async fn history_does_not_count<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, _) = held_behind_a_head(&*store, 2).await;
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    hand.reads_again(&*store).await;
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert!(outbox(&*store).await.is_empty());
}
