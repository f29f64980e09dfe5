//! Intents, and a batch that writes them.

use dipmo_domain::{Destination, Headers, Json, OutboxId, RecordKey};
use dipmo_outbox::NewIntent;
use dipmo_store::{Changes, Store};

use super::{Script, batch, marker, stored};

/// An intent of an aggregate for a destination.
#[must_use]
pub fn intent(destination: &Destination, aggregate: &str, number: i64) -> NewIntent {
    NewIntent {
        aggregate_type: "Suite".to_owned(),
        aggregate_id: aggregate.to_owned(),
        event_type: "SuiteIntent".to_owned(),
        event_version: 1,
        payload: Json::parse(&format!(r#"{{"n":{number}}}"#)).unwrap(),
        headers: Headers::default(),
        destination: destination.clone(),
        records: Vec::new(),
        reply_to: None,
        cause: None,
        caused_at: None,
    }
}

/// A Kafka topic.
#[must_use]
pub fn kafka(topic: &str) -> Destination {
    Destination::Kafka { topic: topic.to_owned() }
}

/// `INTERNAL`.
#[must_use]
pub const fn internal() -> Destination {
    Destination::internal()
}

/// So many keys of records.
#[must_use]
pub fn record_keys(count: usize) -> Vec<RecordKey> {
    (0..count).map(|number| RecordKey(format!("REC-{number}"))).collect()
}

/// Writes intents in one batch, whose message is processed by it; answers their ids, in order.
///
/// # Panics
/// When the store refuses.
pub async fn write_intents(store: &dyn Store, intents: Vec<NewIntent>) -> Vec<OutboxId> {
    let count = intents.len();
    stored(store, &[marker()]).await;
    let script = Script::writing(move |_| Changes { intents, ..Changes::default() });
    let ran = batch(store, script).await.unwrap();
    assert_eq!(ran.report.intents, count, "the report counts the intents");
    let limit = u32::try_from(count).unwrap();
    let mut ids: Vec<_> =
        store.outbox_rows(limit).await.unwrap().iter().map(|row| row.id).collect();
    ids.reverse();
    ids
}
