//! Dead letters that come back: a new attempt in the old place, once for each failure.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, Outcome};
use dipmo_inbox::{BroughtBack, Ended, NewMessage, Returned};
use dipmo_store::{Acted, Failed, MOST_AT_ONCE, Store};

use super::mirror::mirrored;
use super::operate::behind_a_head;
use crate::Fixture;
use crate::support::{
    LONG, Script, batch, done, event, event_saying, everything, failed, inside, retry, row_of,
    rows, stored, work_off,
};

/// The letter of a failure before which the message had been retried so often.
fn letter(message: &NewMessage, retried: u32) -> Returned {
    let ended = Ended::Failed { retried };
    Returned { first: message.dedupe_key, ended, message: message.clone() }
}

/// The letter of a record that could not be decoded, and is an event now.
fn decoded(poison: &NewMessage, aggregate: &str, number: i64) -> Returned {
    let message = NewMessage { content: poison.content, ..event(aggregate, number) };
    Returned { message, ..undecoded(poison) }
}

/// The letter of a record that could not be decoded, and still cannot.
fn undecoded(poison: &NewMessage) -> Returned {
    Returned { first: poison.dedupe_key, ended: Ended::Undecodable, message: poison.clone() }
}

async fn bring(store: &dyn Store, letter: Returned) -> BroughtBack {
    store.bring_back(&[letter]).await.unwrap()[0]
}

async fn tried(store: &dyn Store) -> Vec<String> {
    let tried = work_off(store, |_| done()).await;
    tried.into_iter().map(|claimed| claimed.message.message_id).collect()
}

/// It is tried as if it never had been, before what is held behind it.
pub async fn a_failed_message_is_tried_again<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 2).await;
    let back = bring(&*store, letter(&event("F-1", 0), 0)).await;
    assert_eq!(back, BroughtBack::Retried(ids[0]));
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 0));
    assert_eq!(tried(&*store).await, ["F-1/0", "F-1/1", "F-1/2"]);
    assert_eq!(row_of(&*store, ids[0]).await.outcome, Some(Outcome::Done));
}

/// The same letter brings nothing back twice, before the next attempt, after it failed, and after
/// it ended; the letter of the next failure does. A claim tells how often.
pub async fn a_letter_brings_back_its_own_failure<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let message = event("F-1", 1);
    let id = stored(&*store, std::slice::from_ref(&message)).await[0];
    for retried in 0..3 {
        let claimed = batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
        assert_eq!(claimed.messages[0].retried, retried);
        let letters = [letter(&message, retried), letter(&message, retried)];
        let back = store.bring_back(&letters).await.unwrap();
        assert_eq!(back, [BroughtBack::Retried(id), BroughtBack::Left(id)]);
        assert_eq!(bring(&*another, letter(&message, retried)).await, BroughtBack::Left(id));
    }
    batch(&*store, Script::settling(|_| retry(LONG))).await.unwrap();
    let before = rows(&*store).await;
    for retried in 0..=3 {
        assert_eq!(bring(&*store, letter(&message, retried)).await, BroughtBack::Left(id));
    }
    assert_eq!(rows(&*store).await, before, "it waits for its next attempt");
    store.retry(&[id], false).await.unwrap();
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let all: Vec<_> = (0..4).map(|retried| letter(&message, retried)).collect();
    let back = store.bring_back(&all).await.unwrap();
    assert_eq!(back[..3], [BroughtBack::Left(id); 3], "those failures are over");
    assert_eq!(back[3], BroughtBack::Retried(id), "all letters of a topic, read again");
    assert_eq!(tried(&*store).await.len(), 1);
}

/// An operator was faster: the letter is of a failure that is over.
pub async fn an_operator_was_faster<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let message = event("F-1", 1);
    let id = stored(&*store, std::slice::from_ref(&message)).await[0];
    work_off(&*store, |_| failed(true)).await;
    store.retry(&[id], false).await.unwrap();
    work_off(&*store, |_| failed(true)).await;
    assert_eq!(bring(&*store, letter(&message, 0)).await, BroughtBack::Left(id));
    assert_eq!(row_of(&*store, id).await.status, InboxStatus::Failed);
    assert_eq!(bring(&*store, letter(&message, 1)).await, BroughtBack::Retried(id));
}

/// What ended otherwise, or was never tried, is left alone.
pub async fn what_did_not_fail_is_left<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [event("F-1", 1), event("F-2", 2)];
    let mut ids = stored(&*store, &messages).await;
    work_off(&*store, |_| failed(true)).await;
    store.skip(&ids[..1]).await.unwrap();
    store.retry(&ids[1..], false).await.unwrap();
    work_off(&*store, |_| done()).await;
    let fresh = event("F-3", 3);
    ids.extend(stored(&*store, std::slice::from_ref(&fresh)).await);
    let before = rows(&*store).await;
    for (message, id) in messages.iter().chain([&fresh]).zip(ids) {
        for retried in 0..3 {
            assert_eq!(bring(&*store, letter(message, retried)).await, BroughtBack::Left(id));
        }
    }
    assert_eq!(rows(&*store).await, before);
    assert_eq!(tried(&*store).await, ["F-3/3"]);
}

/// What could not be decoded is what it is now, under its real id and in its old place; again it
/// changes nothing, also when it failed meanwhile.
pub async fn poison_is_decoded<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let poison = mirrored("F-1", 2).blocking_its_key();
    let ids = stored(&*store, &[event("F-1", 1), poison.clone(), event("F-1", 3)]).await;
    assert_eq!(tried(&*store).await, ["F-1/1"]);
    assert_eq!(bring(&*store, undecoded(&poison)).await, BroughtBack::Undecodable(ids[1]));
    let back = decoded(&poison, "F-1", 2);
    let twice = store.bring_back(&[back.clone(), back.clone()]).await.unwrap();
    assert_eq!(twice, [BroughtBack::Decoded(ids[1]), BroughtBack::Left(ids[1])]);
    let seen = work_off(&*store, |_| failed(true)).await;
    assert_eq!(seen.len(), 1, "the others wait for it");
    assert_eq!(bring(&*store, back.clone()).await, BroughtBack::Left(ids[1]));
    let of_the_failure = Returned { ended: Ended::Failed { retried: 0 }, ..back.clone() };
    assert_eq!(bring(&*store, of_the_failure).await, BroughtBack::Retried(ids[1]));
    assert_eq!(tried(&*store).await, ["F-1/2", "F-1/3"]);
    assert_eq!(bring(&*store, back).await, BroughtBack::Left(ids[1]));
    assert_eq!(outcome(&*store, ids[1]).await, Some(Outcome::Done));
}

async fn outcome(store: &dyn Store, id: InboxId) -> Option<Outcome> {
    row_of(store, id).await.outcome
}

/// Poison whose real id is known is a duplicate; where later messages were processed, a person
/// decides.
pub async fn poison_that_cannot_go_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (known, late) = (mirrored("F-1", 2), mirrored("F-2", 3));
    let same = NewMessage { content: known.content, ..event("F-1", 1) };
    let messages = [same, known.clone(), late.clone(), event("F-2", 4)];
    let ids = stored(&*store, &messages).await;
    assert_eq!(tried(&*store).await, ["F-1/1", "F-2/4"]);
    let letters = [decoded(&known, "F-1", 1), decoded(&late, "F-2", 3)];
    let back = store.bring_back(&letters).await.unwrap();
    assert_eq!(back, [BroughtBack::Decoded(ids[1]), BroughtBack::TooLate(ids[2])]);
    assert_eq!(outcome(&*store, ids[1]).await, Some(Outcome::Duplicate));
    assert_eq!(row_of(&*store, ids[2]).await.status, InboxStatus::SerdeError);
    assert!(tried(&*store).await.is_empty());
}

/// A letter that somebody changed is not the message, and one that nobody knows is new.
pub async fn what_is_not_known<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let message = event("F-1", 1);
    let id = stored(&*store, std::slice::from_ref(&message)).await[0];
    work_off(&*store, |_| failed(true)).await;
    let before = rows(&*store).await;
    let changed = letter(&event_saying("F-1", 1, "{}"), 0);
    let unknown = letter(&event("F-9", 9), 0);
    let back = store.bring_back(&[changed, unknown]).await.unwrap();
    assert_eq!(back, [BroughtBack::Differs(id), BroughtBack::Unknown]);
    assert_eq!(rows(&*store).await, before);
    assert_eq!(store.bring_back(&[]).await, Ok(Vec::new()));
}

/// More than an operator may name in one call, in their places.
pub async fn thousands_of_letters<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let count = i64::try_from(MOST_AT_ONCE).unwrap() + 200;
    let messages: Vec<_> = (0..count).map(|n| event(&format!("F-{n}"), 1)).collect();
    let ids = stored(&*store, &messages).await;
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let letters: Vec<_> = messages.iter().map(|message| letter(message, 0)).collect();
    let back = store.bring_back(&letters).await.unwrap();
    assert!(back.iter().zip(&ids).all(|(back, id)| *back == BroughtBack::Retried(*id)));
    assert_eq!(tried(&*store).await.len(), ids.len());
    let failed = vec![Failed { message: ids[0], retried: 0 }; MOST_AT_ONCE + 1];
    assert!(store.retry_failed(&failed).await.is_err());
}

/// Trap 17: it waits for a batch that has the lane, and sees what that did.
pub async fn trap_17_it_waits_for_a_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let ids = behind_a_head(&*store, retry(Duration::ZERO), 0).await;
    let (gate, task) = inside(&store, everything(), Script::settling(|_| failed(true))).await;
    let failure = [Failed { message: ids[0], retried: 0 }];
    let mut acting = tokio::spawn(async move { another.retry_failed(&failure).await });
    let early = tokio::time::timeout(Duration::from_millis(300), &mut acting).await;
    assert!(early.is_err(), "the batch has the lane: {early:?}");
    gate.open();
    task.await.unwrap().unwrap();
    assert_eq!(acting.await.unwrap().unwrap().acts, [Acted::Done], "it failed meanwhile");
    assert_eq!(tried(&*store).await, ["F-1/0"]);
}
