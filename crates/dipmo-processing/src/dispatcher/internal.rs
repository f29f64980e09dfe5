//! Deliveries that become messages of the inbox, and the answers to processes that asked.

use std::collections::HashMap;

use dipmo_api::{
    DELIVERED, DELIVERY_FAILED, DeliveryReport, FailedDelivery, INSTANCE_HEADER, outcome_topic,
};
use dipmo_domain::{Destination, Headers, Json, OutboxId};
use dipmo_inbox::{ANSWERS, Identity, NewMessage, Record};
use dipmo_outbox::{Delivery, UnitSettlement};
use dipmo_store::{IntentEnd, Replies};

/// A delivery to whoever subscribes. Its id is that of the unit, which makes it one message however
/// often it is delivered.
pub(super) fn message(delivery: &Delivery) -> NewMessage {
    let headers = delivery.headers_json.as_ref().map(Headers::from_json);
    let record = Record {
        topic: topic(delivery),
        partition: 0,
        offset: delivery.unit.0,
        key: None,
        headers: headers.and_then(Result::ok).unwrap_or_default(),
        timestamp_millis: delivery.created_at.as_micros().div_euclid(1_000),
        value: Some(delivery.payload.as_str().as_bytes().to_vec()),
    };
    let identity = Identity {
        source_system: "internal".to_owned(),
        message_id: Some(format!("outbox:{}", delivery.unit.0)),
        aggregate_id: Some(delivery.aggregate_id.clone()),
        event_type: Some(delivery.event_type.clone()),
        event_version: Some(delivery.event_version),
        source_version: None,
        event_ts: None,
    };
    NewMessage::decoded(&record, &identity, delivery.payload.clone())
}

/// `INTERNAL:<name>` is the topic `internal:<name>`; without a name it is that of who speaks.
fn topic(delivery: &Delivery) -> String {
    match &delivery.destination {
        Destination::Internal { name: Some(name) } => format!("internal:{name}"),
        _ => format!("internal:{}", delivery.aggregate_type),
    }
}

/// What makes the answers for intents that end with these units.
pub(super) fn replies(units: &[UnitSettlement]) -> Replies {
    let wanted = units.iter().filter(|unit| unit.delivery.reply_to.is_some());
    let event_types: HashMap<OutboxId, String> =
        wanted.map(|unit| (unit.delivery.intent, unit.delivery.event_type.clone())).collect();
    Box::new(move |ended| {
        let answer = |end: &IntentEnd| reply(end, event_types.get(&end.intent)?);
        ended.iter().filter_map(answer).collect()
    })
}

fn reply(end: &IntentEnd, event_type: &str) -> Option<NewMessage> {
    let failed = end.failures.iter().map(|unit| FailedDelivery {
        record: unit.record.as_ref().map(|record| record.0.clone()),
        code: unit.failure.code().to_owned(),
        message: unit.failure.message().to_owned(),
    });
    let report = DeliveryReport {
        event_type: event_type.to_owned(),
        dispatched: end.dispatched,
        failed: end.failed,
        failures: failed.collect(),
    };
    let payload = Json::of(&report).ok()?;
    let record = Record {
        topic: outcome_topic(&end.reply_to.process),
        partition: 0,
        offset: end.intent.0,
        key: None,
        headers: Headers::default().with(INSTANCE_HEADER, &end.reply_to.id),
        timestamp_millis: -1,
        value: Some(payload.as_str().as_bytes().to_vec()),
    };
    let name = if end.failed == 0 { DELIVERED } else { DELIVERY_FAILED };
    // An answer of its own for each end: after a retry the first one no longer holds.
    let again = if end.retried > 0 { format!(":{}", end.retried) } else { String::new() };
    let identity = Identity {
        source_system: ANSWERS.to_owned(),
        message_id: Some(format!("outbox:{}{again}", end.intent.0)),
        aggregate_id: Some(end.reply_to.id.clone()),
        event_type: Some(name.to_owned()),
        ..Identity::default()
    };
    Some(NewMessage::decoded(&record, &identity, payload))
}
