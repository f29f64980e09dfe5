//! Intents with records: each record is a unit with a fate of its own (trap 23).

use std::time::Duration;

use std::collections::HashSet;

use dipmo_domain::{OrderKey, OutboxStatus, RecordKey};
use dipmo_outbox::{Delivery, NewIntent, UnitResult};

use crate::Fixture;
use crate::support::{LONG, dispatched, failure, intent, kafka, record_keys, take, write_intents};

fn with_records(count: usize) -> NewIntent {
    NewIntent { records: record_keys(count), ..intent(&kafka("t"), "F-1", 1) }
}

/// Two thousand records are two thousand units, each with an id and a lane of its own.
pub async fn two_thousand_records<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = write_intents(&*store, vec![with_records(2_000)]).await;
    let records = store.records(intents[0]).await.unwrap();
    let keys: Vec<_> = records.iter().map(|record| record.record.clone()).collect();
    assert_eq!(keys, record_keys(2_000), "in order");
    assert!(records.is_sorted_by(|a, b| a.id < b.id));
    let pending = |record: &dipmo_outbox::RecordRow| {
        (record.status, record.attempts, record.intent) == (OutboxStatus::Pending, 0, intents[0])
            && record.destination == kafka("t")
            && record.failure.is_none()
            && record.external_ref.is_none()
            && record.held_behind.is_none()
    };
    assert!(records.iter().all(pending));

    let hand = take(&*store, &kafka("t"), "o").await;
    let ids: Vec<_> = hand.units.iter().map(|unit| unit.unit).collect();
    assert_eq!(ids, records.iter().map(|record| record.id).collect::<Vec<_>>());
    for unit in &hand.units {
        let key = OrderKey::new(&unit.record.as_ref().unwrap().0);
        assert_eq!((&unit.order_key, unit.lane), (&key, key.lane()));
        assert_eq!((unit.intent, unit.payload.as_str()), (intents[0], r#"{"n":1}"#));
    }
    let report = hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert_eq!(report.units, 2_000);
    let row = store.outbox_rows(1).await.unwrap().remove(0);
    assert_eq!((row.id, row.status), (intents[0], OutboxStatus::Dispatched));
}

/// Each record is settled for itself, and shows how.
pub async fn each_record_has_its_own_outcome<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = write_intents(&*store, vec![with_records(4)]).await;
    let result = |unit: &Delivery| match unit.record.as_ref().unwrap().0.as_str() {
        "REC-0" => UnitResult::Dispatched { external_ref: Some("001xx".to_owned()) },
        "REC-1" => UnitResult::Retry { after: LONG, failure: failure("busy") },
        "REC-2" => UnitResult::Failed { failure: failure("refused"), block: false },
        _ => dispatched(),
    };
    take(&*store, &kafka("t"), "o").await.settle(&*store, result).await.unwrap();
    let records = store.records(intents[0]).await.unwrap();
    let shown: Vec<_> = records
        .iter()
        .map(|r| (r.status, r.attempts, r.failure.as_ref().map(dipmo_domain::Failure::code)))
        .collect();
    assert_eq!(
        shown,
        [
            (OutboxStatus::Dispatched, 1, None),
            (OutboxStatus::Pending, 1, Some("busy")),
            (OutboxStatus::Failed, 1, Some("refused")),
            (OutboxStatus::Dispatched, 1, None),
        ]
    );
    assert_eq!(records[0].external_ref.as_deref(), Some("001xx"));
    assert_eq!(records[3].external_ref, None);
    assert!(records[1].next_attempt_at.is_some() && records[0].next_attempt_at.is_none());
}

/// The status of the intent: pending while one record is, else failed when one is.
pub async fn the_intent_sums_up_its_records<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![with_records(3)]).await;
    let status = async || store.outbox_rows(1).await.unwrap()[0].status;
    let retry = || UnitResult::Retry { after: Duration::ZERO, failure: failure("b") };
    let first = |unit: &Delivery| match unit.record.as_ref().unwrap().0.as_str() {
        "REC-0" => UnitResult::Failed { failure: failure("refused"), block: false },
        "REC-1" => retry(),
        _ => dispatched(),
    };
    let mut hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(status().await, OutboxStatus::Pending);
    hand.settle(&*store, first).await.unwrap();
    assert_eq!(status().await, OutboxStatus::Pending, "one record is still to go");
    hand.reads_again(&*store).await;
    assert_eq!(hand.units.len(), 1);
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert_eq!(status().await, OutboxStatus::Failed);
}

/// The same record twice in an intent is two units, one after the other.
pub async fn the_same_record_twice<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let key = RecordKey("ü/ \"'".to_owned());
    let twice = NewIntent { records: vec![key.clone(), key.clone()], ..with_records(0) };
    write_intents(&*store, vec![twice]).await;
    let units = take(&*store, &kafka("t"), "o").await.units;
    assert_eq!(units.len(), 2);
    assert!(units.iter().all(|unit| unit.record.as_ref() == Some(&key)));
    assert_ne!(units[0].unit, units[1].unit);
}

/// Intents with and without records, mixed in one batch, keep their order within a lane.
pub async fn units_of_all_kinds_share_one_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let about = |records: Vec<RecordKey>, aggregate: &str| NewIntent {
        records,
        ..intent(&kafka("t"), aggregate, 1)
    };
    let record = || vec![RecordKey("REC-0".to_owned())];
    // The second intent is about the aggregate of the same name: the same order key.
    let intents = vec![about(record(), "F-1"), about(vec![], "REC-0"), about(record(), "F-2")];
    let ids = write_intents(&*store, intents).await;
    let units = take(&*store, &kafka("t"), "o").await.units;
    assert_eq!(units.iter().map(|unit| unit.intent).collect::<Vec<_>>(), ids);
    let keys: HashSet<_> = units.iter().map(|unit| unit.order_key.clone()).collect();
    assert_eq!(keys.len(), 1);
}

/// An intent without records has none.
pub async fn no_records_are_no_records<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = write_intents(&*store, vec![with_records(0)]).await;
    assert!(store.records(ids[0]).await.unwrap().is_empty());
}
