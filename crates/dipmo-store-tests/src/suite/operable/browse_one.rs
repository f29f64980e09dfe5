//! One message and one intent whole, and what a message caused.

use dipmo_domain::{InboxId, OutboxId};
use dipmo_outbox::NewIntent;
use dipmo_store::admin::{Page, UnitFilter};

use super::browse_units::written;
use crate::OperableFixture;
use crate::support::{
    event, every_message, intent, kafka, record_keys, rows, stored, write_intents,
};

/// Every message is shown as the inbox shows it.
pub async fn a_message<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    for row in rows(&*store).await {
        assert_eq!(store.message(row.message.id).await, Ok(Some(row)));
    }
    for nobody in [0, -1, i64::MIN, i64::MAX] {
        assert_eq!(store.message(InboxId(nobody)).await, Ok(None));
    }
}

/// Every intent is shown as the outbox shows it, also by the ids of its records.
pub async fn an_intent<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    written(&*store).await;
    let intents = store.outbox_rows(100).await.unwrap();
    let units = store.units(&UnitFilter::default(), Page::first(100)).await.unwrap().rows;
    assert_eq!((intents.len(), units.len()), (9, 12));
    for unit in units {
        let intent = intents.iter().find(|row| row.id == unit.intent).cloned();
        assert!(intent.is_some());
        assert_eq!(store.intent(unit.id).await, Ok(intent.clone()), "{unit:?}");
        assert_eq!(store.intent(unit.intent).await, Ok(intent));
    }
    for nobody in [0, -1, i64::MIN, i64::MAX] {
        assert_eq!(store.intent(OutboxId(nobody)).await, Ok(None));
    }
}

/// What messages caused, in the order of ids, no more than asked, each once.
pub async fn what_messages_caused<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let [first, second, third] =
        stored(&*store, &[event("F-1", 1), event("F-1", 2), event("F-1", 3)]).await[..]
    else {
        panic!("three were stored")
    };
    let by = |cause: InboxId, number| NewIntent {
        cause: Some(cause),
        ..intent(&kafka("t"), "a", number)
    };
    let whole = NewIntent { records: record_keys(3), ..by(first, 2) };
    let intents = vec![by(first, 0), by(second, 1), whole, intent(&kafka("t"), "a", 3)];
    let ids = write_intents(&*store, intents).await;
    let late = write_intents(&*store, vec![by(first, 4)]).await[0];
    let caused = async |messages: &[InboxId], limit| -> Vec<_> {
        let rows = store.caused_by(messages, limit).await.unwrap();
        let shown = store.outbox_rows(10).await.unwrap();
        assert!(rows.iter().all(|row| shown.contains(row)));
        rows.iter().map(|row| row.id).collect()
    };
    assert_eq!(caused(&[first], 10).await, [ids[0], ids[2], late]);
    assert_eq!(caused(&[second, first, first], 10).await, [ids[0], ids[1], ids[2], late]);
    assert_eq!(caused(&[second, first], 2).await, [ids[0], ids[1]]);
    assert_eq!(caused(&[third], 10).await, []);
    assert_eq!(caused(&[], 10).await, []);
    assert_eq!(caused(&[first], 0).await, []);
}
