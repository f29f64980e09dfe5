//! More is due than a batch or a read takes: nothing ready goes first, and all of it goes on.
//!
//! What an operator retried under the policy `skip` heads no key. When the limit cuts it off, a
//! later one of its key that is ready would overtake it.

use std::time::Duration;

use dipmo_domain::{InboxId, Lane, OutboxId};
use dipmo_outbox::{Attempt, UnitResult};
use dipmo_store::{Acted, ClaimLimits, ReadParams, Store};

use super::outbox_hold::retry;
use super::reparse::silent;
use crate::Fixture;
use crate::support::{
    Hand, Script, aggregate_in, aggregates, batch, batch_of, dispatched, event, everything, failed,
    failure, intent, kafka, stored, take, write_intents,
};

/// So many aggregates of one lane.
fn neighbours(count: usize) -> Vec<String> {
    let lane = Lane::from_index(7).unwrap();
    (0..count).map(|nth| aggregate_in(lane, nth)).collect()
}

/// What each batch gets, until there is nothing left.
async fn batches(store: &dyn Store, messages: u32) -> Vec<Vec<InboxId>> {
    let mut all = Vec::new();
    loop {
        let limits = ClaimLimits { messages, ..everything() };
        let ran = batch_of(store, limits, Script::process_all()).await.unwrap();
        if ran.messages.is_empty() {
            return all;
        }
        all.push(ran.ids());
    }
}

/// Messages that failed and block nobody are retried; a later one of the last key is ready. It
/// comes when everything that is due is in the batch.
pub async fn trap_12_messages_wait_for_what_is_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = neighbours(7);
    let events: Vec<_> = names.iter().map(|name| event(name, 1)).collect();
    let ids = stored(&*store, &events).await;
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    let later = stored(&*store, &[event(&names[6], 2)]).await[0];
    assert_eq!(store.retry(&ids, false).await.unwrap().acts, [Acted::Done; 7]);
    let expected: [&[InboxId]; 3] = [&ids[..3], &ids[3..6], &[ids[6], later]];
    assert_eq!(batches(&*store, 3).await, expected);
}

/// The same over lanes: the limit is for all of them together.
pub async fn trap_12_over_many_lanes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(7);
    let events: Vec<_> = names.iter().map(|name| event(name, 1)).collect();
    let ids = stored(&*store, &events).await;
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    for name in &names {
        stored(&*store, &[event(name, 2)]).await;
    }
    store.retry(&ids, false).await.unwrap();
    let batches = batches(&*store, 3).await;
    let due = batches.iter().take(2).flatten();
    assert!(due.clone().all(|id| ids.contains(id)), "{batches:?}");
    assert_eq!(due.count(), 6, "the limit is used");
    assert!(batches[2].len() > 1, "with the last one that is due the others go on: {batches:?}");
    assert_eq!(batches.concat().len(), 14);
}

/// Those that were decoded again wait for earlier ones that are ready. However many they are, they
/// do not keep those from going.
pub async fn decoded_ones_do_not_stop_what_they_wait_for<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = neighbours(4);
    let mut ids = stored(&*store, &[event(&names[0], 0)]).await;
    let mut decoded = Vec::new();
    for (number, name) in (1..).zip(&names[1..]) {
        let id = stored(&*store, &[silent(name, number)]).await[0];
        decoded.push((id, event(name, number)));
        ids.push(id);
    }
    store.reparse(&decoded, false).await.unwrap();
    let batches = batches(&*store, 1).await;
    assert_eq!(batches[0][0], ids[0]);
    assert_eq!(batches.concat(), ids);
}

/// What each read gets, until there is nothing left; everything is delivered.
async fn reads(store: &dyn Store, hand: &mut Hand, units: u32) -> Vec<Vec<OutboxId>> {
    let mut all = Vec::new();
    loop {
        let params = ReadParams { leases: &hand.leases, in_flight: &[], units };
        hand.units = store.read(params).await.unwrap();
        if hand.units.is_empty() {
            return all;
        }
        hand.settle(store, |_| dispatched()).await.unwrap();
        all.push(hand.units.iter().map(|unit| unit.unit).collect());
    }
}

/// Units that were refused and block nobody are retried; a later one of the last key is ready.
pub async fn trap_23_units_wait_for_what_is_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = neighbours(7);
    let intents = names.iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    let ids = write_intents(&*store, intents).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    let refused = |_: &_| UnitResult::Failed { failure: failure("refused"), block: false };
    hand.settle(&*store, refused).await.unwrap();
    let later = write_intents(&*store, vec![intent(&kafka("t"), &names[6], 2)]).await[0];
    assert_eq!(store.retry_units(&ids, false).await.unwrap().acts, [Acted::Done; 7]);
    let expected: [&[OutboxId]; 3] = [&ids[..3], &ids[3..6], &[ids[6], later]];
    assert_eq!(reads(&*store, &mut hand, 3).await, expected);
}

/// What is due comes with what is ready as long as all of it fits.
pub async fn units_come_along_when_all_that_is_due_fits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = neighbours(3);
    let intents = names[..2].iter().map(|name| intent(&kafka("t"), name, 1)).collect();
    let mut ids = write_intents(&*store, intents).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
    ids.extend(write_intents(&*store, vec![intent(&kafka("t"), &names[2], 1)]).await);
    let params = ReadParams { leases: &hand.leases, in_flight: &[], units: 2 };
    hand.units = store.read(params).await.unwrap();
    let read: Vec<_> = hand.units.iter().map(|unit| unit.unit).collect();
    assert_eq!(read, ids);
    assert!(matches!(hand.units[2].attempt, Attempt::First(_)));
}
