//! Deliveries, publishers, and what must be true of a topic afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dipmo_domain::{Destination, Headers, InboxId, Json, OrderKey, OutboxId, Timestamp};
use dipmo_kafka::testing::{self, ReadRecord};
use dipmo_outbox::{Attempt, Delivery, Ending, Published};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use tokio_util::sync::CancellationToken;

/// A publisher for the broker of the tests.
pub(crate) fn publisher() -> KafkaPublisher {
    KafkaPublisher::new(KafkaSinkOptions::new(testing::options())).unwrap()
}

/// A delivery whose payload is its number.
pub(crate) fn delivery(topic: &str, key: &str, unit: i64) -> Delivery {
    let order_key = OrderKey::new(key);
    Delivery {
        unit: OutboxId(unit),
        intent: OutboxId(unit),
        record: None,
        lane: order_key.lane(),
        order_key,
        destination: Destination::Kafka { topic: topic.to_owned() },
        aggregate_type: "PARCEL".to_owned(),
        aggregate_id: key.to_owned(),
        event_type: "ParcelLeft".to_owned(),
        event_version: 3,
        payload: Json::of(&unit).unwrap(),
        headers_json: None,
        created_at: Timestamp::EPOCH,
        cause: Some(InboxId(unit + 1)),
        caused_at: None,
        reply_to: None,
        attempt: Attempt::Again { attempts: 0, retried: 0 },
        blocked_by: None,
    }
}

/// With a payload of so many bytes.
pub(crate) fn sized(mut delivery: Delivery, bytes: usize) -> Delivery {
    // Not to be compressed away.
    let text: String = std::iter::repeat_with(fastrand::alphanumeric).take(bytes - 2).collect();
    delivery.payload = Json::of(&text).unwrap();
    delivery
}

/// With headers of its own.
pub(crate) fn with_headers(mut delivery: Delivery, headers: &Headers) -> Delivery {
    delivery.headers_json = Some(headers.to_json().unwrap());
    delivery
}

/// An end of the engine, and what brings it about.
pub(crate) fn ending() -> (Ending, CancellationToken, CancellationToken) {
    let (begun, due) = (CancellationToken::new(), CancellationToken::new());
    (Ending::new(begun.clone(), due.clone()), begun, due)
}

/// Comes back when a producer has something that is not answered yet.
pub(crate) async fn until_in_flight(publisher: &KafkaPublisher) {
    while publisher.metrics().snapshot().in_flight == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn is_delivered(answer: &Published) -> bool {
    matches!(answer, Published::Delivered { .. })
}

/// The code of a refusal.
pub(crate) fn refused(answer: &Published) -> &str {
    match answer {
        Published::Refused(failure) => failure.code(),
        other => panic!("not refused: {other:?}"),
    }
}

/// The message ids of each key, in the order of its partition; a key must be in one partition.
pub(crate) fn ids_by_key(records: &[ReadRecord]) -> BTreeMap<String, Vec<String>> {
    let mut partitions = BTreeMap::new();
    let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in records {
        let key = String::from_utf8(record.key.clone().unwrap()).unwrap();
        let partition = *partitions.entry(key.clone()).or_insert(record.partition);
        assert_eq!(partition, record.partition, "{key} is in two partitions");
        ids.entry(key).or_default().push(record.headers.text("message-id").unwrap().to_owned());
    }
    ids
}

/// The message ids of deliveries, by key, in their order.
pub(crate) fn expected<'a>(
    deliveries: impl IntoIterator<Item = &'a Delivery>,
) -> BTreeMap<String, Vec<String>> {
    let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for delivery in deliveries {
        ids.entry(delivery.aggregate_id.clone()).or_default().push(delivery.idempotency_key());
    }
    ids
}

/// What a reader keeps who knows the ids that it has seen; only some may come twice.
pub(crate) fn once(
    arrived: &BTreeMap<String, Vec<String>>,
    may_double: &BTreeSet<String>,
) -> BTreeMap<String, Vec<String>> {
    let keep = |ids: &Vec<String>| {
        let mut seen = Vec::<String>::new();
        for id in ids {
            if seen.contains(id) {
                assert!(may_double.contains(id), "{id} was acknowledged and came again");
                continue;
            }
            seen.push(id.clone());
        }
        seen
    };
    arrived.iter().map(|(key, ids)| (key.clone(), keep(ids))).collect()
}
