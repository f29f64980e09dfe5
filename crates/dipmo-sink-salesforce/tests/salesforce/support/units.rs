//! Units to deliver, and what their answers say.

use std::time::Duration;

use dipmo_domain::{Json, OrderKey, OutboxId, RecordKey, Timestamp};
use dipmo_outbox::{Attempt, ChunkRef, Delivery, Published};

/// A unit about a record, whose payload is any JSON.
pub(crate) fn unit(
    destination: &str,
    number: i64,
    key: &str,
    payload: &serde_json::Value,
) -> Delivery {
    let order_key = OrderKey::new(key);
    Delivery {
        unit: OutboxId(number),
        intent: OutboxId(number),
        record: Some(RecordKey(key.to_owned())),
        lane: order_key.lane(),
        order_key,
        destination: destination.parse().unwrap(),
        aggregate_type: "FAMILY".to_owned(),
        aggregate_id: "F-1".to_owned(),
        event_type: "MembersCreated".to_owned(),
        event_version: 1,
        payload: Json::of(payload).unwrap(),
        headers_json: None,
        created_at: Timestamp::EPOCH,
        cause: None,
        caused_at: None,
        reply_to: None,
        attempt: Attempt::First(ChunkRef(OutboxId(number))),
        blocked_by: None,
    }
}

/// One unit for each key, all of one intent, as an intent with many records has them.
pub(crate) fn units(
    destination: &str,
    keys: impl IntoIterator<Item = String>,
    payload: &serde_json::Value,
) -> Vec<Delivery> {
    let whole = unit(destination, 1, "", payload);
    let one = |(place, key): (usize, String)| Delivery {
        unit: OutboxId(2 + i64::try_from(place).unwrap()),
        order_key: OrderKey::new(&key),
        record: Some(RecordKey(key)),
        ..whole.clone()
    };
    keys.into_iter().enumerate().map(one).collect()
}

pub(crate) fn is_delivered(answer: &Published) -> bool {
    matches!(answer, Published::Delivered { .. })
}

/// The code and the message of a refusal.
pub(crate) fn refused(answer: &Published) -> (&str, &str) {
    match answer {
        Published::Refused(failure) => (failure.code(), failure.message()),
        other => panic!("{other:?} is no refusal"),
    }
}

/// The code of an answer that says to try again, and when.
pub(crate) fn retried(answer: &Published) -> (&str, Option<Duration>) {
    match answer {
        Published::Retry { failure, after } => (failure.code(), *after),
        other => panic!("{other:?} is no retry"),
    }
}
