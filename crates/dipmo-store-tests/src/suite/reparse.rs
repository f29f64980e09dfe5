//! Decoding again: under the real id, in the old place, and never past what was processed unasked.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, OrderKey, Outcome};
use dipmo_inbox::{NewMessage, Stored};
use dipmo_store::{ClaimLimits, ClaimedMessage, Reparsed, SettlementKind, Store};

use super::poison::poison;
use crate::Fixture;
use crate::support::{
    Orderly, Script, batch, block_of, done, event, everything, failed, inside, retry, row_of, rows,
    stored, work_off,
};

pub(super) fn silent(aggregate: &str, number: i64) -> NewMessage {
    NewMessage { blocks_key: false, ..poison(aggregate, number) }
}

async fn tried(store: &dyn Store) -> Vec<String> {
    let tried = work_off(store, |_| done()).await;
    tried.into_iter().map(|claimed| claimed.message.message_id).collect()
}

/// What is tried, in order, by so many batches that take one message each.
async fn one_by_one(store: &dyn Store, batches: usize) -> Vec<i64> {
    let limits = ClaimLimits { messages: 1, ..everything() };
    let mut numbers = Vec::new();
    for _ in 0..batches {
        let (_, tried) = Orderly::new(|_| done()).run(store, limits).await.unwrap();
        numbers.extend(offsets(&tried));
    }
    numbers
}

fn offsets(tried: &[ClaimedMessage]) -> Vec<i64> {
    tried.iter().map(|claimed| claimed.message.offset).collect()
}

async fn reparse(store: &dyn Store, id: InboxId, message: NewMessage) -> Reparsed {
    store.reparse(&[(id, message)], false).await.unwrap()[0]
}

/// It says what it really is, keeps its bytes and its id, and is processed in its old place.
pub async fn it_keeps_its_place<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), poison("F-1", 2), event("F-1", 3)]).await;
    assert_eq!(tried(&*store).await, ["F-1/1"]);
    let before = row_of(&*store, ids[1]).await.message;
    let real = event("F-1", 2);
    assert_eq!(reparse(&*store, ids[1], real.clone()).await, Reparsed::Done);
    let row = row_of(&*store, ids[1]).await;
    assert_eq!((row.status, row.attempts, row.failure), (InboxStatus::Received, 0, None));
    let message = row.message;
    assert_eq!((message.id, message.received_at), (ids[1], before.received_at));
    assert_eq!(message.raw_payload_base64, before.raw_payload_base64, "the bytes stay");
    assert_eq!(message.message_id, "F-1/2");
    assert_eq!((message.aggregate_id, message.event_type), (real.aggregate_id, real.event_type));
    assert_eq!(message.payload.unwrap().as_str(), r#"{"n":2}"#);
    assert_eq!((message.event_version, message.source_version), (Some(1), Some(2)));
    assert_eq!((message.lane, message.event_ts), (real.lane, real.event_ts));
    assert_eq!(tried(&*store).await, ["F-1/2", "F-1/3"]);
    let row = row_of(&*store, ids[1]).await;
    assert_eq!((row.outcome, row.attempts), (Some(Outcome::Done), 1));
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
}

/// One that blocked nobody comes before what has not been processed yet, also when it fails.
pub async fn what_was_not_processed_waits_for_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[silent("F-1", 1), event("F-1", 2)]).await;
    assert_eq!(reparse(&*store, ids[0], event("F-1", 1)).await, Reparsed::Done);
    stored(&*store, &[event("F-1", 3)]).await;
    let seen = work_off(&*store, |_| failed(true)).await;
    assert_eq!(seen.len(), 1, "the others wait for it");
    store.retry(&ids[..1], false).await.unwrap();
    assert_eq!(tried(&*store).await, ["F-1/1", "F-1/2", "F-1/3"]);
}

/// Where later messages were processed, nothing is done but by force.
pub async fn later_ones_were_processed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [silent("F-1", 1), event("F-1", 2), event("F-1", 3), event("F-2", 4)];
    let ids = stored(&*store, &messages).await;
    let ignored = |_: &_| SettlementKind::Processed(Outcome::Ignored);
    batch(&*store, Script::settling(ignored)).await.unwrap();
    stored(&*store, &[event("F-1", 5)]).await;
    let last = stored(&*store, &[event("F-1", 6)]).await[0];
    assert_eq!(tried(&*store).await, ["F-1/5", "F-1/6"]);
    let before = rows(&*store).await;
    let conflict = reparse(&*store, ids[0], event("F-1", 1)).await;
    let Reparsed::Conflict { later } = conflict else { panic!("{conflict:?}") };
    assert!(later > ids[3] && later < last, "the first that had effects: {later}");
    assert_eq!(rows(&*store).await, before);
    let forced = store.reparse(&[(ids[0], event("F-1", 1))], true).await;
    assert_eq!(forced, Ok(vec![Reparsed::Done]));
    assert_eq!(tried(&*store).await, ["F-1/1"]);
}

/// One whose real id is known ends as a duplicate, and holds up nobody.
pub async fn a_known_id_is_a_duplicate<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [event("F-1", 1), poison("F-1", 2), poison("F-1", 3), event("F-1", 4)];
    let ids = stored(&*store, &messages).await;
    assert_eq!(tried(&*store).await, ["F-1/1"]);
    let decoded = [(ids[1], event("F-1", 1)), (ids[2], event("F-1", 1))];
    let answers = store.reparse(&decoded, false).await.unwrap();
    assert_eq!(answers, [Reparsed::Duplicate(ids[0]); 2]);
    for id in &ids[1..3] {
        let row = row_of(&*store, *id).await;
        assert_eq!((row.status, row.outcome), (InboxStatus::Processed, Some(Outcome::Duplicate)));
    }
    assert_eq!(tried(&*store).await, ["F-1/4"]);
}

/// It is recognised again under both of its ids, and two of one call know each other.
pub async fn it_is_recognised_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[poison("F-1", 1), poison("F-1", 2)]).await;
    let decoded = [(ids[0], event("F-1", 1)), (ids[1], event("F-1", 1))];
    let answers = store.reparse(&decoded, false).await.unwrap();
    assert_eq!(answers, [Reparsed::Done, Reparsed::Duplicate(ids[0])]);
    let again = store.store(&[event("F-1", 1), poison("F-1", 1)], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(ids[0]); 2]);
    assert_eq!(tried(&*store).await, ["F-1/1"]);
}

/// It turns out to be of another aggregate: its key goes on, and the other one waits for it.
pub async fn it_is_of_another_aggregate<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [poison("F-1", 1), event("F-1", 2), event("F-9", 3)];
    let ids = stored(&*store, &messages).await;
    let only_first = |claimed: &ClaimedMessage| {
        if claimed.message.offset == 2 { SettlementKind::Held } else { failed(false) }
    };
    batch(&*store, Script::settling(only_first)).await.unwrap();
    stored(&*store, &[event("F-9", 4)]).await;
    assert_eq!(reparse(&*store, ids[0], event("F-9", 1)).await, Reparsed::Done);
    let seen = tried(&*store).await;
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen.contains(&"F-1/2".to_owned()), "its old key goes on: {seen:?}");
    let place = |name: &str| seen.iter().position(|seen| seen == name).unwrap();
    assert!(place("F-9/1") < place("F-9/4"), "its new key waited for it: {seen:?}");
    for name in ["F-1", "F-9"] {
        assert_eq!(block_of(&*store, &OrderKey::new(name)).await, None);
    }
}

/// In line behind a head that failed, it waits for its turn as any other.
pub async fn it_waits_for_its_turn<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let first = stored(&*store, &[event("F-1", 1)]).await;
    work_off(&*store, |_| failed(true)).await;
    let ids = stored(&*store, &[poison("F-1", 2), event("F-1", 3)]).await;
    assert!(tried(&*store).await.is_empty());
    assert_eq!(reparse(&*store, ids[0], event("F-1", 2)).await, Reparsed::Done);
    assert!(tried(&*store).await.is_empty());
    assert_eq!(row_of(&*store, ids[0]).await.held_behind, Some(first[0]));
    store.retry(&first, false).await.unwrap();
    assert_eq!(tried(&*store).await, ["F-1/1", "F-1/2", "F-1/3"]);
}

/// Earlier messages that nobody has claimed yet come first, however small the batches are.
pub async fn trap_12_it_overtakes_nothing_that_is_ready<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for number in 1..=4 {
        stored(&*store, &[event("F-1", number)]).await;
    }
    let id = stored(&*store, &[silent("F-1", 5)]).await[0];
    assert_eq!(reparse(&*store, id, event("F-1", 5)).await, Reparsed::Done);
    assert_eq!(one_by_one(&*store, 5).await, [1, 2, 3, 4, 5]);
}

/// A later one that was decoded before it, and has not been tried, waits for it: also in batches of
/// one, which take what became due first.
pub async fn trap_12_a_later_one_was_decoded_before_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for number in 1..=3 {
        ids.extend(stored(&*store, &[silent("F-1", number)]).await);
    }
    for (id, number) in ids.into_iter().zip([1, 2, 3]).rev() {
        assert_eq!(reparse(&*store, id, event("F-1", number)).await, Reparsed::Done);
    }
    assert_eq!(one_by_one(&*store, 6).await, [1, 2, 3]);
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
}

/// While its key's block is being lifted, it comes before those that were let go and not tried yet.
pub async fn trap_12_it_comes_before_what_was_just_let_go<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let head = stored(&*store, &[event("F-1", 0)]).await;
    work_off(&*store, |_| failed(true)).await;
    let late = stored(&*store, &[silent("F-1", 1)]).await[0];
    let behind: Vec<_> = (2..=520).map(|number| event("F-1", number)).collect();
    stored(&*store, &behind).await;
    let held = |_: &_| SettlementKind::Held;
    assert_eq!(batch(&*store, Script::settling(held)).await.unwrap().messages.len(), 519);
    // A batch of one has room for what was met before, and none for what is decoded only now.
    stored(&*store, &[event("F-2", 1_000)]).await;
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    store.skip(&head).await.unwrap();
    assert_eq!(reparse(&*store, late, event("F-1", 1)).await, Reparsed::Done);
    let mut numbers = one_by_one(&*store, 3).await;
    numbers.extend(offsets(&work_off(&*store, |_| done()).await));
    numbers.retain(|number| *number < 1_000);
    assert_eq!(numbers, (1..=520).collect::<Vec<_>>());
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
}

/// What cannot be done says why, and changes nothing.
pub async fn what_cannot_be_done_says_why<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[poison("F-1", 1), event("F-2", 2)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let before = rows(&*store).await;
    let real = event("F-1", 1);
    let asked = [
        (ids[0], poison("F-1", 1)),
        (ids[1], real.clone()),
        (InboxId(ids[1].0 + 1_000_000), real.clone()),
    ];
    let answers = store.reparse(&asked, true).await.unwrap();
    let ended = Reparsed::WrongStatus(InboxStatus::Processed);
    assert_eq!(answers, [Reparsed::Undecodable, ended, Reparsed::NotFound]);
    assert_eq!(rows(&*store).await, before);
    assert!(store.reparse(&[], false).await.unwrap().is_empty());
    assert_eq!(reparse(&*store, ids[0], real.clone()).await, Reparsed::Done);
    let twice = Reparsed::WrongStatus(InboxStatus::Received);
    assert_eq!(reparse(&*store, ids[0], real).await, twice);
}

/// Trap 17: it waits for a batch that has the lane to which it goes.
pub async fn trap_17_it_waits_for_a_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let ids = stored(&*store, &[poison("F-1", 1), event("F-9", 2)]).await;
    let (gate, task) = inside(&store, everything(), Script::process_all()).await;
    let decoded = [(ids[0], event("F-9", 1))];
    let mut acting = tokio::spawn(async move { another.reparse(&decoded, false).await });
    let early = tokio::time::timeout(Duration::from_millis(300), &mut acting).await;
    assert!(early.is_err(), "the batch has the lane: {early:?}");
    gate.open();
    assert_eq!(task.await.unwrap().unwrap().ids(), ids[1..]);
    let answers = acting.await.unwrap().unwrap();
    assert_eq!(answers, [Reparsed::Conflict { later: ids[1] }], "it sees what the batch did");
}
