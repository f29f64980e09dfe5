//! Parking: a message waits for an earlier version; its key goes on without it (trap 13).

use std::time::Duration;

use dipmo_domain::{InboxStatus, OrderKey};
use dipmo_store::{Changes, SettlementKind};

use crate::Fixture;
use crate::support::{
    LONG, Script, batch, block_of, done, event, retry, row_of, settle, stored, work_off,
};

const fn parked(at_most: Duration) -> SettlementKind {
    SettlementKind::Parked { at_most }
}

fn key() -> OrderKey {
    OrderKey::new("F-1")
}

/// A parked message shows RECEIVED and its deadline, and was not tried.
pub async fn a_parked_message_waits_untried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 3)]).await;
    let now = batch(&*store, Script::settling(|_| parked(LONG))).await.unwrap().now.unwrap();
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Received, 0));
    assert!(row.next_attempt_at.unwrap() >= now.after(LONG));
    assert_eq!((row.held_behind, row.failure, row.outcome), (None, None, None));
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// Its key goes on without it.
pub async fn its_key_goes_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 3)]).await;
    batch(&*store, Script::settling(|_| parked(LONG))).await.unwrap();
    let second = stored(&*store, &[event("F-1", 2)]).await;
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!(tried.iter().map(|claimed| claimed.message.id).collect::<Vec<_>>(), second);
}

/// When the gap closes, what is parked behind it is due at once.
pub async fn trap_13_a_gap_closes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let late = stored(&*store, &[event("F-1", 3), event("F-1", 4)]).await;
    batch(&*store, Script::settling(|_| parked(LONG))).await.unwrap();
    stored(&*store, &[event("F-1", 2)]).await;
    let closes = Script::writing(|_| Changes { wake: vec![key()], ..Changes::default() });
    batch(&*store, closes).await.unwrap();
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), late, "both are due, in order");
    assert!(ran.messages.iter().all(|claimed| claimed.attempts == 0));
    let row = row_of(&*store, late[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Processed, 1));
    assert_eq!(row.next_attempt_at, None);
}

/// Waking a key wakes nobody else, and nothing but what is parked.
pub async fn waking_is_for_parked_messages_of_the_key<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [event("F-1", 3), event("F-1", 4), event("F-2", 3)];
    let ids = stored(&*store, &messages).await;
    let retried = ids[1];
    let script =
        Script::settling(
            move |claimed| {
                if claimed.message.id == retried { retry(LONG) } else { parked(LONG) }
            },
        );
    batch(&*store, script).await.unwrap();
    stored(&*store, &[event("F-3", 1)]).await;
    let wakes = Script::writing(|_| Changes { wake: vec![key()], ..Changes::default() });
    batch(&*store, wakes).await.unwrap();
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [ids[0]]);
}

/// A message that is parked in the batch that wakes its key is woken as well: it waits for the very
/// gap that closes here.
pub async fn parked_and_woken_in_one_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 3), event("F-1", 2)]).await;
    let late = ids[0];
    let script = Script::changing(move |batch, _| Changes {
        settlements: settle(batch, |claimed| {
            Some(if claimed.message.id == late { parked(LONG) } else { done() })
        })
        .settlements,
        wake: vec![key()],
        ..Changes::default()
    });
    batch(&*store, script).await.unwrap();
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), [late]);
}

/// When the deadline comes the message is due, and the logic is told that waiting has ended.
pub async fn the_deadline_comes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 3)]).await;
    let first = batch(&*store, Script::settling(|_| parked(Duration::ZERO))).await.unwrap();
    assert_eq!(first.messages[0].parked_until, None);
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), ids);
    let until = ran.messages[0].parked_until.unwrap();
    assert!(first.now.unwrap() <= until && until <= ran.now.unwrap());
}

/// Parked again: the first deadline stays, however often it is woken.
pub async fn parking_again_keeps_the_deadline<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 5)]).await;
    batch(&*store, Script::settling(|_| parked(LONG))).await.unwrap();
    let deadline = row_of(&*store, ids[0]).await.next_attempt_at;
    for number in 1..=3 {
        stored(&*store, &[event("F-1", number)]).await;
        let wakes = Script::writing(|_| Changes { wake: vec![key()], ..Changes::default() });
        batch(&*store, wakes).await.unwrap();
        let again = Script::settling(|_| parked(2 * LONG));
        let ran = batch(&*store, again).await.unwrap();
        assert_eq!((ran.ids(), ran.messages[0].parked_until), (ids.clone(), deadline));
        assert_eq!(row_of(&*store, ids[0]).await.next_attempt_at, deadline);
        assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
    }
}

/// A message that was parked can fail like any other, and then its key waits for it.
pub async fn parked_then_retried_blocks<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 3)]).await;
    batch(&*store, Script::settling(|_| parked(Duration::ZERO))).await.unwrap();
    batch(&*store, Script::settling(|_| retry(LONG))).await.unwrap();
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 1));
    let later = stored(&*store, &[event("F-1", 4)]).await;
    assert!(work_off(&*store, |_| done()).await.is_empty(), "it is held");
    assert_eq!(row_of(&*store, later[0]).await.held_behind, Some(ids[0]));
}

/// A head that is parked lets its key go on without it.
pub async fn a_parked_head_ends_its_block<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    let head = ids[0];
    let verdict = move |claimed: &dipmo_store::ClaimedMessage| {
        if claimed.message.id == head { retry(Duration::ZERO) } else { SettlementKind::Held }
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let ran = batch(&*store, Script::settling(|_| parked(LONG))).await.unwrap();
    assert_eq!((ran.ids(), ran.messages[0].attempts), (vec![head], 1));
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), ids[1..]);
    assert_eq!(block_of(&*store, &key()).await, None);
}

/// Waking is for parked messages: one that is held since then waits for its head alone.
pub async fn a_held_message_is_not_woken<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let late = stored(&*store, &[event("F-1", 5)]).await[0];
    batch(&*store, Script::settling(|_| parked(Duration::ZERO))).await.unwrap();
    let head = stored(&*store, &[event("F-1", 2)]).await[0];
    let verdict = move |claimed: &dipmo_store::ClaimedMessage| {
        if claimed.message.id == head { retry(LONG) } else { SettlementKind::Held }
    };
    assert_eq!(batch(&*store, Script::settling(verdict)).await.unwrap().ids(), [late, head]);
    stored(&*store, &[event("F-2", 1)]).await;
    let wakes = Script::writing(|_| Changes { wake: vec![key()], ..Changes::default() });
    batch(&*store, wakes).await.unwrap();
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
    assert_eq!(row_of(&*store, late).await.held_behind, Some(head));
}
