//! What failed and was overtaken: a retry would put older effects on newer ones, so it says so.

use dipmo_domain::{InboxStatus, OutboxId, Outcome};
use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::{Acted, ClaimedMessage, SettlementKind, Store};

use crate::Fixture;
use crate::support::{
    LONG, Script, batch, dispatch_all, dispatched, done, event, failed, failure, intent, kafka,
    retry, row_of, rows, stored, take, with_record, work_off, write_intents,
};

/// Messages of one key, settled each in its own way, in one batch or one after the other.
async fn settled(
    store: &dyn Store,
    kinds: &[SettlementKind],
    at_once: bool,
) -> Vec<dipmo_domain::InboxId> {
    let mut ids = Vec::new();
    let events: Vec<_> = (0..).zip(kinds).map(|(number, _)| event("F-1", number)).collect();
    for events in events.chunks(if at_once { events.len() } else { 1 }) {
        ids.extend(stored(store, events).await);
        let kinds = kinds.to_vec();
        let verdict = move |claimed: &ClaimedMessage| {
            kinds[usize::try_from(claimed.message.offset).unwrap()].clone()
        };
        batch(store, Script::settling(verdict)).await.unwrap();
    }
    ids
}

/// What failed is not retried over a later message that was processed, unless by force.
pub async fn a_later_message_was_processed<F: Fixture>() {
    for at_once in [false, true] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let kinds = [failed(false), failed(false), done(), done()];
        let ids = settled(&*store, &kinds, at_once).await;
        stored(&*store, &[event("F-2", 9)]).await;
        let before = rows(&*store).await;
        let overtaken = Acted::Overtaken { by: ids[2] };
        assert_eq!(store.retry(&ids[..2], false).await.unwrap().acts, [overtaken; 2]);
        assert_eq!(rows(&*store).await, before, "nothing changed");
        work_off(&*store, |_| done()).await;
        assert_eq!(store.retry(&ids[..1], true).await.unwrap().acts, [Acted::Done]);
        assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Retry);
        assert_eq!(work_off(&*store, |_| failed(false)).await.len(), 1);
        let again = store.retry(&ids[..1], false).await.unwrap().acts;
        assert_eq!(again, [overtaken], "it fails again, and is as late as before");
        assert_eq!(store.skip(&ids[..2]).await.unwrap().acts, [Acted::Done; 2]);
    }
}

/// What nobody processed has overtaken nobody: not what failed, was skipped or ignored, and not
/// what came before.
pub async fn nothing_later_was_processed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ignored = SettlementKind::Processed(Outcome::Ignored);
    let kinds = [done(), failed(false), failed(false), failed(false), ignored];
    let ids = settled(&*store, &kinds, false).await;
    store.skip(&ids[2..3]).await.unwrap();
    stored(&*store, &[event("F-1", 5), event("F-2", 1)]).await;
    assert_eq!(store.retry(&ids[1..2], false).await.unwrap().acts, [Acted::Done]);
    let tried: Vec<_> = work_off(&*store, |_| done()).await;
    let numbers: Vec<_> = tried.iter().map(|claimed| claimed.message.offset).collect();
    assert_eq!(numbers, [1, 5, 1], "in order");
    let late = store.retry(&ids[3..4], false).await.unwrap().acts;
    assert!(matches!(late[..], [Acted::Overtaken { .. }]), "{late:?}");
}

/// A later message that its key waits for goes first, so it has overtaken it.
pub async fn a_later_message_is_the_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = settled(&*store, &[failed(false), retry(LONG)], true).await;
    let acts = store.retry(&ids[..1], false).await.unwrap().acts;
    assert_eq!(acts, [Acted::Overtaken { by: ids[1] }]);
    assert_eq!(store.retry(&ids, true).await.unwrap().acts, [Acted::Done; 2]);
}

/// Who has no aggregate is ordered by the key of its record, and overtaken by that.
pub async fn by_key_without_an_aggregate<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let keyed = |key: &'static str, offset| {
        with_record(|record| (record.key, record.offset) = (Some(key.into()), offset))
    };
    let ids = stored(&*store, &[keyed("K", 0), keyed("L", 1), keyed("K", 2)]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        2 => done(),
        _ => failed(false),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let acts = store.retry(&ids[..2], false).await.unwrap().acts;
    assert_eq!(acts, [Acted::Overtaken { by: ids[2] }, Acted::Done]);
}

/// Two messages of one key: the first version `first`, then `second`, settled each in its own way.
async fn two_versions(
    store: &dyn Store,
    first: (i64, SettlementKind),
    second: (i64, SettlementKind),
) -> Vec<dipmo_domain::InboxId> {
    let ids = stored(store, &[event("F-1", first.0), event("F-1", second.0)]).await;
    let verdict = move |claimed: &ClaimedMessage| {
        let (_, kind) =
            if claimed.message.source_version == Some(first.0) { &first } else { &second };
        kind.clone()
    };
    batch(store, Script::settling(verdict)).await.unwrap();
    ids
}

/// Trap 13: a later version that came before overtakes when it is processed, and when its key waits
/// for it.
pub async fn trap_13_a_later_version_came_before<F: Fixture>() {
    for then in [done(), retry(LONG)] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let parked = SettlementKind::Parked { at_most: LONG };
        let ids = two_versions(&*store, (6, parked), (5, failed(false))).await;
        store.retry(&ids[..1], false).await.unwrap();
        let went_on = batch(&*store, Script::settling(move |_| then.clone())).await.unwrap();
        assert_eq!(went_on.ids(), ids[..1]);
        let acts = store.retry(&ids[1..], false).await.unwrap().acts;
        assert_eq!(acts, [Acted::Overtaken { by: ids[0] }]);
        assert_eq!(store.retry(&ids[1..], true).await.unwrap().acts, [Acted::Done]);
    }
}

/// Trap 13: an earlier version that came later overtakes nobody.
pub async fn trap_13_an_earlier_version_came_later<F: Fixture>() {
    for then in [done(), retry(LONG)] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let ids = two_versions(&*store, (6, failed(false)), (5, then)).await;
        assert_eq!(store.retry(&ids[..1], false).await.unwrap().acts, [Acted::Done]);
        assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Retry);
    }
}

/// Versions of two producers say nothing about each other: what came later is later.
pub async fn versions_of_two_producers<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut other = event("F-1", 5);
    other.source_system = "another".to_owned();
    let ids = stored(&*store, &[event("F-1", 6), other]).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.source_version {
        Some(6) => failed(false),
        _ => done(),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    let acts = store.retry(&ids[..1], false).await.unwrap().acts;
    assert_eq!(acts, [Acted::Overtaken { by: ids[1] }]);
}

/// The same for units, each by its destination and key.
pub async fn a_later_unit_was_delivered<F: Fixture>() {
    for retried_first in [false, true] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let keys = ["F-1", "F-2", "F-1", "F-1"];
        let intents = keys.map(|key| intent(&kafka("t"), key, 1)).to_vec();
        let ids = write_intents(&*store, intents).await;
        let elsewhere = write_intents(&*store, vec![intent(&kafka("u"), "F-2", 1)]).await;
        assert_eq!(dispatch_all(&*store, &kafka("u")).await.len(), elsewhere.len());
        let mut hand = take(&*store, &kafka("t"), "o").await;
        let (third, refused) =
            (ids[2], UnitResult::Failed { failure: failure("no"), block: false });
        let result = move |unit: &Delivery| match unit.unit {
            id if id > third => UnitResult::Held,
            id if id < third => refused.clone(),
            _ if retried_first => UnitResult::Later,
            _ => dispatched(),
        };
        hand.settle(&*store, result).await.unwrap();
        while !hand.units.is_empty() {
            hand.reads_again(&*store).await;
            hand.settle(&*store, |_| dispatched()).await.unwrap();
        }
        hand.give_back(&*store).await;
        let acts = store.retry_units(&ids[..2], false).await.unwrap().acts;
        assert_eq!(acts, [Acted::Overtaken { by: third }, Acted::Done]);
        assert_eq!(store.retry_units(&ids[..1], true).await.unwrap().acts, [Acted::Done]);
        let sent = dispatch_all(&*store, &kafka("t")).await;
        let sent: Vec<OutboxId> = sent.iter().map(|unit| unit.unit).collect();
        assert_eq!(sent, ids[..2]);
    }
}
