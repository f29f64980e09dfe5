//! Versions that nobody waits for: their messages failed or were skipped (trap 13).

use dipmo_domain::{InboxStatus, OrderKey};
use dipmo_store::{Acted, ClaimedMessage, Needs, PassedOver, SettlementKind, Store};

use crate::Fixture;
use crate::support::{
    LONG, Script, alone, batch, done, event, failed, marker, retry, row_of, stored, work_off,
};

const PARKED: SettlementKind = SettlementKind::Parked { at_most: LONG };

/// The versions of `F-1` that were passed over. Nothing else may be there to claim.
async fn passed_over(store: &dyn Store) -> Vec<i64> {
    stored(store, &[marker()]).await;
    let key = OrderKey::new("F-1");
    let needs = Needs { passed_over: vec![key.clone()], ..Needs::default() };
    let ran = batch(store, Script::reading(needs)).await.unwrap();
    let versions = ran.found[0].passed_over.iter().map(|it| {
        assert_eq!((&it.order_key, it.source_system.as_str()), (&key, "suite"));
        let PassedOver { version, .. } = it;
        *version
    });
    let mut versions: Vec<i64> = versions.collect();
    versions.sort_unstable();
    versions
}

/// What failed or was skipped is passed over; what waits, is parked or ended is not.
pub async fn trap_13_what_failed_or_was_skipped<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let events = [1, 2, 3, 4, 5].map(|number| event("F-1", number));
    let ids = stored(&*store, &events).await;
    stored(&*store, &[event("F-2", 6), alone(7)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => done(),
        2 => PARKED,
        3 => failed(false),
        4 => retry(LONG),
        5 => SettlementKind::Held,
        _ => failed(false),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    assert_eq!(passed_over(&*store).await, [3]);
    store.skip(&ids[1..2]).await.unwrap();
    assert_eq!(passed_over(&*store).await, [2, 3]);
    store.retry(&ids[2..3], true).await.unwrap();
    assert_eq!(store.skip(&ids[3..4]).await.unwrap().acts, [Acted::Done]);
    let tried = work_off(&*store, |_| done()).await;
    assert_eq!(tried.iter().map(|it| it.message.offset).collect::<Vec<_>>(), [3, 5]);
    assert_eq!(passed_over(&*store).await, [2, 4], "what was retried is not passed over");
}

/// What is parked behind a message is due when that is skipped.
pub async fn trap_13_a_skip_wakes_what_is_parked<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[2, 4, 5].map(|number| event("F-1", number))).await;
    stored(&*store, &[event("F-2", 9)]).await;
    batch(&*store, Script::settling(|_| PARKED)).await.unwrap();
    store.skip(&ids[..1]).await.unwrap();
    let ran = batch(&*store, Script::settling(|_| PARKED)).await.unwrap();
    assert_eq!(ran.ids(), ids[1..], "those of its key, and nobody else");
    assert!(ran.messages.iter().all(|it| it.parked_until.is_some() && it.retried == 0));
}

/// A parked message is retried: it waits no longer, and says that somebody decided so.
pub async fn trap_13_a_parked_message_is_retried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 3), event("F-1", 4)]).await;
    batch(&*store, Script::settling(|_| PARKED)).await.unwrap();
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::Done]);
    let row = row_of(&*store, ids[0]).await;
    assert_eq!((row.status, row.attempts), (InboxStatus::Retry, 0));
    assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::AlreadyDone]);
    let ran = batch(&*store, Script::settling(|_| failed(true))).await.unwrap();
    assert_eq!(ran.ids(), ids[..1]);
    let claimed = &ran.messages[0];
    assert_eq!((claimed.parked_until, claimed.retried), (None, 1));
    store.retry(&ids[..1], false).await.unwrap();
    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!((ran.messages[0].attempts, ran.messages[0].retried), (0, 2), "each retry counts");
}
