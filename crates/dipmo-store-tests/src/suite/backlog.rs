//! What waits in the inbox, counted: what each message counts as, and which is the oldest.

use std::time::Duration;

use dipmo_api::TimerChange;
use dipmo_domain::{InboxId, Json, OrderKey, Timestamp};
use dipmo_store::{Changes, ClaimedMessage, SettlementKind, Store, TimerWrite, Waiting};

use crate::Fixture;
use crate::support::{
    LONG, Script, aggregates, alone, batch, done, event, failed, marker, retry, row_of, stored,
    suite_key, with_record,
};

async fn inbox(store: &dyn Store) -> Waiting {
    store.backlog().await.unwrap().inbox
}

async fn received_at(store: &dyn Store, id: InboxId) -> Option<Timestamp> {
    Some(row_of(store, id).await.message.received_at)
}

/// Settles the first message of a key one way, and those behind it as held.
fn head_first(head: InboxId, kind: SettlementKind) -> Script {
    Script::settling(
        move |claimed: &ClaimedMessage| {
            if claimed.message.id == head { kind.clone() } else { SettlementKind::Held }
        },
    )
}

/// Nothing waits in an empty database, and the moment is the database's.
pub async fn nothing_waits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let before = store.now().await.unwrap();
    let backlog = store.backlog().await.unwrap();
    let after = store.now().await.unwrap();
    assert_eq!((backlog.inbox, backlog.timers), (Waiting::default(), 0));
    assert!(backlog.outbox.is_empty());
    assert!(before <= backlog.at && backlog.at <= after);
}

/// Messages of all lanes and calls are ready, and the first of them is the oldest; every instance
/// says so.
pub async fn ready_messages<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let first = stored(&*store, &[alone(1), alone(2)]).await[0];
    fixture.tick().await;
    let more: Vec<_> = aggregates(20).iter().map(|name| event(name, 1)).collect();
    stored(&*store, &more).await;
    let oldest = received_at(&*store, first).await;
    let expected = Waiting { ready: 22, oldest, ..Waiting::default() };
    assert_eq!(inbox(&*store).await, expected);
    assert_eq!(inbox(&*fixture.another().await).await, expected);
}

/// A retry counts whether it is due or not; only one that is due is something to work on.
pub async fn retries<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::settling(|_| retry(LONG))).await.unwrap();
    assert_eq!(inbox(&*store).await, Waiting { retrying: 1, ..Waiting::default() });
    fixture.tick().await;
    let due = stored(&*store, &[event("F-2", 1)]).await[0];
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    let oldest = received_at(&*store, due).await;
    assert_eq!(inbox(&*store).await, Waiting { retrying: 2, oldest, ..Waiting::default() });
}

/// Those behind a head are held, and ready when it has ended.
pub async fn held_messages<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    fixture.tick().await;
    let behind = stored(&*store, &[event("F-1", 2), event("F-1", 3)]).await;
    let oldest = received_at(&*store, ids[0]).await;
    batch(&*store, head_first(ids[0], retry(Duration::ZERO))).await.unwrap();
    let expected = Waiting { retrying: 1, held: 2, oldest, ..Waiting::default() };
    assert_eq!(inbox(&*store).await, expected);
    batch(&*store, Script::process_all()).await.unwrap();
    let oldest = received_at(&*store, behind[0]).await;
    assert_eq!(inbox(&*store).await, Waiting { ready: 2, oldest, ..Waiting::default() });
}

/// A message that was tried and then held is held and no retry; let go, it is one that is due.
pub async fn a_tried_message_is_held<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    batch(&*store, head_first(ids[0], retry(Duration::ZERO))).await.unwrap();
    let now = inbox(&*store).await;
    assert_eq!((now.ready, now.retrying, now.held), (0, 1, 1));
    batch(&*store, Script::process_all()).await.unwrap();
    let oldest = received_at(&*store, ids[1]).await;
    assert_eq!(inbox(&*store).await, Waiting { retrying: 1, oldest, ..Waiting::default() });
}

/// A parked message is not to be worked on before it is woken.
pub async fn parked_messages<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let late = stored(&*store, &[event("F-1", 3)]).await[0];
    let park = |_: &ClaimedMessage| SettlementKind::Parked { at_most: LONG };
    batch(&*store, Script::settling(park)).await.unwrap();
    assert_eq!(inbox(&*store).await, Waiting { parked: 1, ..Waiting::default() });
    fixture.tick().await;
    stored(&*store, &[event("F-1", 2)]).await;
    let wake = vec![OrderKey::new("F-1")];
    batch(&*store, Script::writing(|_| Changes { wake, ..Changes::default() })).await.unwrap();
    let oldest = received_at(&*store, late).await;
    assert_eq!(inbox(&*store).await, Waiting { parked: 1, oldest, ..Waiting::default() });
}

/// What failed waits for a person, as what nobody can decode does; neither is something to work on.
pub async fn failed_messages<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let poison = with_record(|record| record.value = Some(b"\xff{".to_vec()));
    stored(&*store, &[poison]).await;
    assert_eq!(inbox(&*store).await, Waiting { failed: 1, ..Waiting::default() });
    let ids = stored(&*store, &[event("F-1", 1), event("F-1", 2)]).await;
    batch(&*store, head_first(ids[0], failed(true))).await.unwrap();
    assert_eq!(inbox(&*store).await, Waiting { failed: 2, held: 1, ..Waiting::default() });
}

/// When the oldest has ended, the next one is the oldest.
pub async fn the_oldest_moves_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let first = stored(&*store, &[alone(1)]).await[0];
    fixture.tick().await;
    let second = stored(&*store, &[alone(2)]).await[0];
    assert_eq!(inbox(&*store).await.oldest, received_at(&*store, first).await);
    let verdict = move |claimed: &ClaimedMessage| {
        if claimed.message.id == first { done() } else { retry(Duration::ZERO) }
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    assert_eq!(inbox(&*store).await.oldest, received_at(&*store, second).await);
    batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(inbox(&*store).await, Waiting::default());
}

/// What has ended does not count, at the first attempt or later.
pub async fn history_does_not_count<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 1), event("F-2", 1), alone(1)]).await;
    batch(&*store, Script::settling(|_| retry(Duration::ZERO))).await.unwrap();
    batch(&*store, Script::process_all()).await.unwrap();
    stored(&*store, &[event("F-3", 1), alone(2)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(inbox(&*store).await, Waiting::default());
}

/// A timer counts from when it is set until it fires or is cancelled; then its message does.
pub async fn timers<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[marker()]).await;
    let set = |name, after| TimerWrite {
        instance: suite_key("S-1"),
        aggregate_id: "S-1".to_owned(),
        change: TimerChange::Set {
            name,
            after,
            event_type: "TimedOut",
            payload: Json::empty_object(),
        },
    };
    let timers = vec![set("soon", Duration::ZERO), set("late", LONG)];
    batch(&*store, Script::writing(|_| Changes { timers, ..Changes::default() })).await.unwrap();
    let backlog = store.backlog().await.unwrap();
    assert_eq!((backlog.timers, backlog.inbox), (2, Waiting::default()));
    store.fire_timers(10).await.unwrap();
    let backlog = store.backlog().await.unwrap();
    assert_eq!((backlog.timers, backlog.inbox.ready), (1, 1));
}
