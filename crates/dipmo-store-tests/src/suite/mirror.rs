//! What cannot be decoded is mirrored: an intent in the transaction of the message, once.

use std::collections::HashSet;

use dipmo_domain::{Destination, Headers, InboxId, InboxStatus};
use dipmo_inbox::{DeadLetter, NewMessage, Record, Stored, dead_letter};
use dipmo_outbox::OutboxRow;
use dipmo_store::{DeadLetters, Side, Store};

use super::poison::poison;
use crate::Fixture;
use crate::support::{Ear, dispatch_all, event, polled_at_most, rows, stored};

/// Where poison of the suite goes.
fn letters() -> Destination {
    "KAFKA:suite-dlt".parse().unwrap()
}

pub(super) fn mirrored(aggregate: &str, number: i64) -> NewMessage {
    let message = poison(aggregate, number);
    NewMessage { blocks_key: false, mirrored_to: Some(letters()), ..message }
}

async fn outbox(store: &dyn Store) -> Vec<OutboxRow> {
    let mut rows = store.outbox_rows(1_000_000).await.unwrap();
    rows.reverse();
    rows
}

/// What is read of the record that a publisher makes of a letter.
fn read(row: &OutboxRow) -> DeadLetter {
    let headers = Headers::from_json(row.headers_json.as_ref().unwrap()).unwrap();
    let (headers, value) = dead_letter::on_the_wire(&headers, &row.payload).unwrap();
    DeadLetter::read(&Record { headers, value, ..Record::default() }).unwrap().unwrap()
}

/// A letter has all that its message has, to the byte; what can be decoded has none, nor has poison
/// that nobody wants mirrored.
pub async fn poison_has_a_letter<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let decodable = NewMessage { mirrored_to: Some(letters()), ..event("F-1", 1) };
    let messages = [decodable, mirrored("F-1", 2), poison("F-2", 3)];
    let ids = stored(&*store, &messages).await;
    let rows = outbox(&*store).await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((rows[0].cause, &rows[0].destination), (Some(ids[1]), &letters()));
    assert_eq!(rows[0].aggregate_type, DeadLetters::AGGREGATE_TYPE);
    let letter = read(&rows[0]);
    assert_eq!(letter.record, messages[1].record().unwrap());
    assert_eq!(Some((letter, &letters())), messages[1].dead_letter());
    assert_eq!(dispatch_all(&*store, &letters()).await.len(), 1);
}

/// One that blocks its key is stored in another way, and mirrored all the same.
pub async fn poison_that_blocks_has_a_letter<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[mirrored("F-1", 1).blocking_its_key(), event("F-1", 2)]).await;
    assert_eq!(outbox(&*store).await.len(), 1);
}

/// Traps 3 and 11: poison that comes again is mirrored once, in one call or by another instance.
pub async fn trap_3_redelivered_poison_is_mirrored_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let messages = [mirrored("F-1", 1), mirrored("F-1", 2), mirrored("F-1", 1)];
    let answers = store.store(&messages, &[]).await.unwrap();
    assert!(matches!(answers[..], [Stored::New(_), Stored::New(_), Stored::Duplicate(_)]));
    another.store(&messages, &[]).await.unwrap();
    let causes: Vec<_> = outbox(&*store).await.iter().filter_map(|row| row.cause).collect();
    let ids: Vec<InboxId> = rows(&*store).await.iter().map(|row| row.message.id).collect();
    assert_eq!(causes, ids);
}

/// Trap 11: a message and its letter are there both or not at all, wherever a call is cut off.
pub async fn trap_11_a_letter_comes_with_its_message<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, looker) = (fixture.store(), fixture.another().await);
    let odd = NewMessage { message_id: "a\0b".to_owned(), ..event("F-1", 2) };
    if store.store(&[mirrored("F-0", 0), odd], &[]).await.is_err() {
        assert!(outbox(&*looker).await.is_empty(), "a refused call leaves no letter");
    }
    for polls in 0..30 {
        let number = i64::try_from(polls).unwrap() + 1;
        polled_at_most(polls, store.store(&[mirrored("F-1", number)], &[])).await;
        // What is cut off may still end elsewhere, so each is looked for after the other was seen.
        let letters_first = causes(&*looker).await;
        let poison: HashSet<InboxId> = rows(&*looker)
            .await
            .into_iter()
            .filter(|row| row.status == InboxStatus::SerdeError)
            .map(|row| row.message.id)
            .collect();
        let letters_then = causes(&*looker).await;
        assert!(letters_first.is_subset(&poison), "a letter without its message");
        assert!(poison.is_subset(&letters_then), "a message without its letter");
    }
}

async fn causes(store: &dyn Store) -> HashSet<InboxId> {
    outbox(store).await.iter().filter_map(|row| row.cause).collect()
}

/// Thousands in one call, to more than one topic, in the order of each key.
pub async fn thousands_of_letters<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let other: Destination = "KAFKA:other-dlt".parse().unwrap();
    let messages: Vec<_> = (0..2_500)
        .map(|number| {
            let mut message = mirrored(&format!("F-{}", number % 50), number);
            if number % 5 == 0 {
                message.mirrored_to = Some(other.clone());
            }
            message
        })
        .collect();
    let ids = stored(&*store, &messages).await;
    assert_eq!(causes(&*store).await, ids.into_iter().collect());
    let here = dispatch_all(&*store, &letters()).await;
    let there = dispatch_all(&*store, &other).await;
    assert_eq!((here.len(), there.len()), (2_000, 500));
    for units in [here, there] {
        for key in 0..50 {
            let of_key = units.iter().filter(|unit| unit.aggregate_id == format!("F-{key}"));
            assert!(of_key.map(|unit| unit.cause).is_sorted());
        }
    }
}

/// A letter wakes who delivers.
pub async fn a_letter_wakes_dispatchers<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Outbox);
    for round in 0..Ear::ROUNDS {
        stored(&*store, &[mirrored("F-1", round)]).await;
        ear.hears().await;
    }
}
