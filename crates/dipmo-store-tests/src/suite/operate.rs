//! Operators and messages: retried as if never tried, skipped as if ended, in order either way.

use std::time::Duration;

use dipmo_domain::{InboxId, InboxStatus, OrderKey, Outcome};
use dipmo_store::{Acted, ClaimedMessage, MOST_AT_ONCE, SettlementKind, Store};

use crate::Fixture;
use crate::support::{
    LONG, Script, alone, batch, block_of, done, event, failed, retry, row_of, rows, stored,
    with_record, work_off,
};

fn key() -> OrderKey {
    OrderKey::new("F-1")
}

fn numbers(tried: &[ClaimedMessage]) -> Vec<i64> {
    tried.iter().map(|claimed| claimed.message.offset).collect()
}

/// A head so settled, with so many messages held behind it.
pub(super) async fn behind_a_head(
    store: &dyn Store,
    kind: SettlementKind,
    held: usize,
) -> Vec<InboxId> {
    let last = i64::try_from(held).unwrap();
    let messages: Vec<_> = (0..=last).map(|number| event("F-1", number)).collect();
    let ids = stored(store, &messages).await;
    let verdict = move |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => kind.clone(),
        _ => SettlementKind::Held,
    };
    assert_eq!(batch(store, Script::settling(verdict)).await.unwrap().messages.len(), held + 1);
    ids
}

/// A message that failed is tried again as if it had never been, and its key goes on behind it.
pub async fn a_failed_message_is_retried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 2).await;
    let operated = store.retry(&ids[..1], false).await.unwrap();
    assert_eq!((operated.acts, operated.releasing), (vec![Acted::Done], false));
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 0));
    assert!(row.next_attempt_at.is_some() && row.failure.is_some(), "due, and why it failed stays");
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!(numbers(&tried), [0, 1, 2]);
    assert_eq!(tried[0].attempts, 0, "attempts begin again");
    assert_eq!(row_of(&*store, ids[0]).await.attempts, 1);
}

/// Trap 12: while a retried head has not ended, nothing of its key overtakes it.
pub async fn trap_12_a_retried_head_is_not_overtaken<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 2).await;
    store.retry(&ids[..1], false).await.unwrap();
    stored(&*store, &[event("F-1", 3)]).await;
    assert_eq!(numbers(&work_off(&*store, |_| retry(LONG)).await), [0]);
    assert_eq!(row_of(&*store, ids[2]).await.held_behind, Some(ids[0]));
    store.retry(&ids[..1], false).await.unwrap();
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [0, 1, 2, 3]);
}

/// A message that waits for its next attempt is due now.
pub async fn a_waiting_message_is_due_now<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, retry(LONG), 1).await;
    assert!(work_off(&*store, |_| done()).await.is_empty());
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::Done]);
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!((numbers(&tried), tried[0].attempts), (vec![0, 1], 0));
}

/// A head that is skipped ends, untried, and what is held behind it goes on in order.
pub async fn a_skipped_head_lets_go<F: Fixture>() {
    for kind in [failed(true), retry(LONG), retry(Duration::ZERO)] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let ids = behind_a_head(&*store, kind, 3).await;
        let operated = store.skip(&ids[..1]).await.unwrap();
        assert_eq!((operated.acts, operated.releasing), (vec![Acted::Done], false));
        let row = row_of(&*store, ids[0]).await;
        assert_eq!((row.status, row.outcome), (InboxStatus::Processed, Some(Outcome::Skipped)));
        assert_eq!((row.attempts, row.next_attempt_at), (1, None), "skipping is no attempt");
        assert!(row.processed_at.is_some() && row.failure.is_some());
        stored(&*store, &[event("F-1", 4)]).await;
        assert_eq!(numbers(&work_off(&*store, |_| done()).await), [1, 2, 3, 4]);
        assert_eq!(block_of(&*store, &key()).await, None);
    }
}

/// Thousands behind a skipped head go in bounded steps, as when it ends by itself.
pub async fn many_behind_a_skipped_head_go_in_steps<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 720).await;
    assert!(store.skip(&ids[..1]).await.unwrap().releasing, "held messages remain");
    let held = rows(&*store).await.iter().filter(|row| row.held_behind.is_some()).count();
    assert_eq!(held, 220);
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), (1..=720).collect::<Vec<_>>());
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// A parked message, and one that cannot be decoded, can be skipped; they block nobody.
pub async fn what_waits_aside_can_be_skipped<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let poison = with_record(|record| record.value = Some(b"\xff".to_vec()));
    let ids = stored(&*store, &[event("F-1", 1), poison]).await;
    let parked = |_: &_| SettlementKind::Parked { at_most: LONG };
    batch(&*store, Script::settling(parked)).await.unwrap();
    assert_eq!(store.skip(&ids).await.unwrap().acts, [Acted::Done; 2]);
    for id in &ids {
        let row = row_of(&*store, *id).await;
        assert_eq!((row.status, row.outcome), (InboxStatus::Processed, Some(Outcome::Skipped)));
        assert_eq!((row.attempts, row.next_attempt_at), (0, None));
    }
    assert_eq!(store.backlog().await.unwrap().inbox.depth(), 0);
    assert_eq!(store.backlog().await.unwrap().inbox.failed, 0);
}

/// Asked twice, the second time says so and changes nothing.
pub async fn asked_twice_changes_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = behind_a_head(&*store, failed(true), 1).await;
    store.retry(&ids[..1], false).await.unwrap();
    let before = rows(&*store).await;
    fixture.tick().await;
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::AlreadyDone]);
    assert_eq!(rows(&*store).await, before);
    store.skip(&ids[..1]).await.unwrap();
    let before = rows(&*store).await;
    fixture.tick().await;
    assert_eq!(store.skip(&ids[..1]).await.unwrap().acts, [Acted::AlreadyDone]);
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::AlreadyEnded]);
    assert_eq!(rows(&*store).await, before);
}

/// What cannot be done says why, for each message in its place, and leaves it as it is.
pub async fn what_cannot_be_done_says_why<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = behind_a_head(&*store, failed(true), 1).await;
    ids.extend(stored(&*store, &[event("F-2", 1), event("F-3", 1)]).await);
    let verdict = |claimed: &ClaimedMessage| match claimed.message.aggregate_id.as_deref() {
        Some("F-2") => done(),
        _ => retry(Duration::ZERO),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    batch(&*store, Script::process_all()).await.unwrap();
    let poison = with_record(|record| record.value = Some(b"\xff".to_vec()));
    ids.extend(stored(&*store, &[poison, alone(1)]).await);
    let [head, held, straight, detour, poison, ready] = ids[..] else { panic!() };
    let nobody = InboxId(ready.0 + 1_000_000);
    let before = rows(&*store).await;
    let asked = [nobody, held, straight, detour, poison, ready];
    let (received, serde) = (InboxStatus::Received, InboxStatus::SerdeError);
    assert_eq!(
        store.retry(&asked, false).await.unwrap().acts,
        [
            Acted::NotFound,
            Acted::Held,
            Acted::AlreadyEnded,
            Acted::AlreadyEnded,
            Acted::WrongStatus(serde),
            Acted::WrongStatus(received),
        ]
    );
    assert_eq!(
        store.skip(&[nobody, held, straight, detour, ready]).await.unwrap().acts,
        [
            Acted::NotFound,
            Acted::Held,
            Acted::AlreadyEnded,
            Acted::AlreadyEnded,
            Acted::WrongStatus(received),
        ]
    );
    assert_eq!(rows(&*store).await, before);
    let twice = store.skip(&[head, head]).await.unwrap().acts;
    assert_eq!(twice, [Acted::Done, Acted::AlreadyDone]);
    assert!(store.skip(&[]).await.unwrap().acts.is_empty());
}

/// A message that failed and blocks nobody: its key goes on, whatever becomes of it.
pub async fn a_message_that_blocks_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 0), event("F-1", 1), alone(2)]).await;
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    stored(&*store, &[event("F-1", 3)]).await;
    assert_eq!(store.retry(&ids[..2], false).await.unwrap().acts, [Acted::Done; 2]);
    assert_eq!(store.skip(&[ids[1], ids[2]]).await.unwrap().acts, [Acted::Done; 2]);
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [0, 3]);
}

/// A retried message whose key waits for another one waits as well, and comes before what is newer.
pub async fn a_retried_message_waits_for_the_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 0), event("F-1", 1), event("F-1", 2)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => failed(false),
        1 => retry(LONG),
        _ => SettlementKind::Held,
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    store.retry(&ids[..1], true).await.unwrap();
    assert!(work_off(&*store, |_| done()).await.is_empty(), "its key waits");
    assert_eq!(row_of(&*store, ids[0]).await.held_behind, Some(ids[1]));
    store.retry(&ids[1..2], false).await.unwrap();
    assert_eq!(numbers(&work_off(&*store, |_| done()).await), [1, 0, 2]);
}

/// Who is not the head of its key ends no block when it is skipped.
pub async fn who_is_not_the_head_ends_no_block<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 0), event("F-1", 1), event("F-1", 2)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => failed(false),
        1 => failed(true),
        _ => SettlementKind::Held,
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    assert_eq!(store.skip(&ids[..1]).await.unwrap().acts, [Acted::Done]);
    assert_eq!(row_of(&*store, ids[2]).await.held_behind, Some(ids[1]));
    assert!(work_off(&*store, |_| done()).await.is_empty());
}

/// As many as a call may take, of many lanes; more are refused as a whole.
pub async fn a_thousand_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let count = i64::try_from(MOST_AT_ONCE).unwrap();
    let messages: Vec<_> = (0..count).map(|n| event(&format!("F-{n}"), 1)).collect();
    let ids = stored(&*store, &messages).await;
    batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    let too_many: Vec<_> = ids.iter().chain(&ids[..1]).copied().collect();
    assert!(store.retry(&too_many, false).await.is_err() && store.skip(&too_many).await.is_err());
    assert_eq!(store.retry(&ids, false).await.unwrap().acts, vec![Acted::Done; MOST_AT_ONCE]);
    assert_eq!(store.skip(&ids).await.unwrap().acts, vec![Acted::Done; MOST_AT_ONCE]);
    assert!(rows(&*store).await.iter().all(|row| row.outcome == Some(Outcome::Skipped)));
    assert!(work_off(&*store, |_| done()).await.is_empty());
}
