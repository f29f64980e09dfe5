//! Deliveries for tests of this crate.

use dipmo_domain::{Json, OrderKey, OutboxId, RecordKey, Timestamp};
use dipmo_outbox::{Attempt, Delivery};

/// A delivery about a record, with an empty payload.
pub(crate) fn delivery(key: &str) -> Delivery {
    let order_key = OrderKey::new(key);
    Delivery {
        unit: OutboxId(7),
        intent: OutboxId(7),
        record: Some(RecordKey(key.to_owned())),
        lane: order_key.lane(),
        order_key,
        destination: "HTTP:SFDC:Collections:Contact".parse().expect("a destination"),
        aggregate_type: "FAMILY".to_owned(),
        aggregate_id: "F-1".to_owned(),
        event_type: "MembersCreated".to_owned(),
        event_version: 1,
        payload: Json::empty_object(),
        headers_json: None,
        created_at: Timestamp::EPOCH,
        cause: None,
        caused_at: None,
        reply_to: None,
        attempt: Attempt::Again { attempts: 0, retried: 0 },
        blocked_by: None,
    }
}
