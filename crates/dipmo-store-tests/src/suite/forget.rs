//! Forgetting dedupe ids: only behind the horizon, and never of a message that stands (trap 10).

use dipmo_domain::{Month, Timestamp};
use dipmo_inbox::Stored;
use dipmo_store::Store;

use crate::Fixture;
use crate::support::{LONG, Script, alone, batch, done, event, retry, rows, stored};

/// Forgets until nothing more is to be forgotten.
async fn forget_all(store: &dyn Store, time: Timestamp, limit: u32) {
    while store.forget_ids_before(time, limit).await.unwrap().more {}
}

async fn drop_history(store: &dyn Store) {
    let month = Month::of(store.now().await.unwrap()).next();
    while store.drop_before(month, 1_000).await.unwrap().more {}
}

async fn in_an_hour(store: &dyn Store) -> Timestamp {
    store.now().await.unwrap().after(LONG)
}

/// Ids whose message is gone are forgotten: the message would be new again.
pub async fn ids_without_a_message_go<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    drop_history(&*store).await;
    forget_all(&*store, in_an_hour(&*store).await, 1_000).await;
    let again = store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert!(matches!(again[0], Stored::New(id) if id > ids[0]), "{again:?}");
}

/// Ids whose message still stands are kept, settled or not.
pub async fn ids_of_messages_that_stand_stay<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 2), event("F-3", 3)]).await;
    let script = Script::settling(|claimed| match claimed.message.offset {
        1 => done(),
        _ => retry(LONG),
    });
    batch(&*store, script).await.unwrap();
    forget_all(&*store, in_an_hour(&*store).await, 1_000).await;
    let messages = [event("F-1", 1), event("F-2", 2), event("F-3", 3)];
    let again = store.store(&messages, &[]).await.unwrap();
    assert_eq!(again, [0, 1, 2].map(|place| Stored::Duplicate(ids[place])));

    drop_history(&*store).await;
    forget_all(&*store, in_an_hour(&*store).await, 1_000).await;
    let again = store.store(&messages, &[]).await.unwrap();
    assert!(matches!(again[0], Stored::New(_)), "its message was dropped");
    assert_eq!(again[1..], [1, 2].map(|place| Stored::Duplicate(ids[place])));
}

/// Ids that are not older than the time stay, whether their message does or not.
pub async fn newer_ids_stay<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let received = rows(&*store).await[0].message.received_at;
    batch(&*store, Script::process_all()).await.unwrap();
    drop_history(&*store).await;
    forget_all(&*store, received, 1_000).await;
    assert_eq!(store.store(&[event("F-1", 1)], &[]).await, Ok(vec![Stored::Duplicate(ids[0])]));
}

/// Forgetting in small steps ends, and forgets all.
pub async fn small_steps_end<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages: Vec<_> = (0..50).map(alone).collect();
    stored(&*store, &messages).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let standing = stored(&*store, &(50..60).map(alone).collect::<Vec<_>>()).await;
    drop_history(&*store).await;
    forget_all(&*store, in_an_hour(&*store).await, 7).await;
    stored(&*store, &messages).await;
    assert_eq!(rows(&*store).await.len(), messages.len() + standing.len());
}

/// The horizon is told, and never goes back.
pub async fn the_horizon_never_goes_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    assert_eq!(store.dedupe_horizon().await, Ok(None), "nothing was ever forgotten");
    let now = store.now().await.unwrap();
    forget_all(&*store, now, 10).await;
    assert_eq!(store.dedupe_horizon().await, Ok(Some(now)));
    forget_all(&*store, Timestamp::EPOCH, 10).await;
    assert_eq!(fixture.another().await.dedupe_horizon().await, Ok(Some(now)));
    let later = now.after(LONG);
    forget_all(&*store, later, 10).await;
    assert_eq!(store.dedupe_horizon().await, Ok(Some(later)));
}
