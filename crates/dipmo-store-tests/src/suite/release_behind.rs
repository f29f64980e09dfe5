//! Letting others pass: what failed stays as it is, and what is held behind it goes on (trap 12).

use dipmo_domain::{InboxStatus, OrderKey, OutboxStatus};
use dipmo_outbox::UnitResult;
use dipmo_store::{Acted, ClaimedMessage, SettlementKind, Side};

use super::operate::behind_a_head;
use super::outbox_hold::{held_behind_a_head, units};
use super::poison::poison;
use crate::Fixture;
use crate::support::{
    Ear, LONG, Script, batch, block_of, dispatch_all, done, event, failed, failure, intent, kafka,
    retry, row_of, rows, stored, take, work_off, write_intents,
};

fn numbers(tried: &[ClaimedMessage]) -> Vec<i64> {
    tried.iter().map(|claimed| claimed.message.offset).collect()
}

/// The head stays FAILED, those behind it go on in order, and it can be decided about later.
pub async fn trap_12_the_head_stays_and_others_pass<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 3).await;
    let before = row_of(&*store, ids[0]).await;
    let mut ear = Ear::on(&*store, Side::Inbox);
    let operated = store.release_behind(&ids[..1]).await.unwrap();
    assert_eq!((operated.acts, operated.releasing), (vec![Acted::Done], false));
    ear.hears().await;
    assert_eq!(row_of(&*store, ids[0]).await, before);
    stored(&*store, &[event("F-1", 4)]).await;
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [1, 2, 3, 4]);
    assert_eq!(block_of(&*store, &OrderKey::new("F-1")).await, None);
    assert_eq!(store.backlog().await.unwrap().inbox.failed, 1, "a person still has to decide");
    let overtaken = Acted::Overtaken { by: ids[1] };
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [overtaken]);
    assert_eq!(store.skip(&ids[..1]).await.unwrap().acts, [Acted::Done]);
}

/// Who retries it before anything passed brings it back in its place.
pub async fn released_and_retried_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 2).await;
    store.release_behind(&ids[..1]).await.unwrap();
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::Done]);
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [0, 1, 2]);
}

/// Thousands behind it go in bounded steps.
pub async fn many_go_in_steps<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 720).await;
    assert!(store.release_behind(&ids[..1]).await.unwrap().releasing);
    let held = rows(&*store).await.iter().filter(|row| row.held_behind.is_some()).count();
    assert_eq!(held, 220);
    assert_eq!(store.release_behind(&ids[..1]).await.unwrap().acts, [Acted::AlreadyDone]);
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), (1..=720).collect::<Vec<_>>());
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Failed);
}

/// One that cannot be decoded leaves the line of its key, wherever it stands in it.
pub async fn what_cannot_be_decoded_leaves_the_line<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [poison("F-1", 0), event("F-1", 1), poison("F-1", 2), event("F-1", 3)];
    let ids = stored(&*store, &messages).await;
    assert!(work_off(&*store, |_| done()).await.is_empty());
    assert_eq!(store.release_behind(&ids[2..3]).await.unwrap().acts, [Acted::Done]);
    assert!(work_off(&*store, |_| done()).await.is_empty(), "the first one still heads the line");
    assert_eq!(store.release_behind(&ids[..1]).await.unwrap().acts, [Acted::Done]);
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [1, 3]);
    for id in [ids[0], ids[2]] {
        assert_eq!(row_of(&*store, id).await.status, InboxStatus::SerdeError);
    }
    assert_eq!(store.release_behind(&ids[..1]).await.unwrap().acts, [Acted::AlreadyDone]);
}

/// What is parked of its key does not wait for its version any more.
pub async fn trap_13_what_is_parked_is_due<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 7), event("F-1", 6)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        7 => SettlementKind::Parked { at_most: LONG },
        _ => failed(true),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    store.release_behind(&ids[1..]).await.unwrap();
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [7]);
}

/// What cannot be done says why, and changes nothing.
pub async fn what_cannot_be_done_says_why<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = behind_a_head(&*store, retry(LONG), 1).await;
    ids.extend(stored(&*store, &[event("F-2", 9), event("F-3", 8)]).await);
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        9 => failed(false),
        _ => done(),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    ids.extend(stored(&*store, &[event("F-4", 1)]).await);
    let before = rows(&*store).await;
    let (waits, received) = (InboxStatus::Retry, InboxStatus::Received);
    assert_eq!(
        store.release_behind(&ids).await.unwrap().acts,
        [
            Acted::WrongStatus(waits),
            Acted::Held,
            Acted::AlreadyDone,
            Acted::AlreadyEnded,
            Acted::WrongStatus(received),
        ]
    );
    assert_eq!(rows(&*store).await, before);
}

/// The same for units.
pub async fn units_stay_and_others_pass<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 720).await;
    let refused = |_: &_| UnitResult::Failed { failure: failure("no"), block: true };
    let acts = store.release_behind_units(&ids[..2]).await.unwrap().acts;
    assert_eq!(acts, [Acted::WrongStatus(OutboxStatus::Pending), Acted::Held]);
    hand.settle(&*store, refused).await.unwrap();
    hand.give_back(&*store).await;
    let mut ear = Ear::on(&*store, Side::Outbox);
    let operated = store.release_behind_units(&ids[..1]).await.unwrap();
    assert_eq!((operated.acts, operated.releasing), (vec![Acted::Done], true));
    ear.hears().await;
    let acts = store.release_behind_units(&ids[..1]).await.unwrap().acts;
    assert_eq!(acts, [Acted::AlreadyDone]);
    let mut hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(units(&hand), ids[1..=500]);
    assert_eq!(store.release_units(1_000).await, Ok(220));
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[1..]);
    hand.give_back(&*store).await;
    assert_eq!(dispatch_all(&*store, &kafka("t")).await.len(), 720);
    let fresh = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 9)]).await;
    assert_eq!(dispatch_all(&*store, &kafka("t")).await[0].unit, fresh[0], "the key is free");
    assert_eq!(store.backlog().await.unwrap().outbox["KAFKA:t"].failed, 1);
    let acts = store.retry_units(&ids[..1], false).await.unwrap().acts;
    assert_eq!(acts, [Acted::Overtaken { by: ids[1] }]);
}
