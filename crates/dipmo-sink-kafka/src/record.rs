//! What of a delivery goes into a record of Kafka.

use dipmo_domain::{Destination, Header, Headers, HeadersError};
use dipmo_outbox::Delivery;
use rdkafka::message::OwnedHeaders;

/// The topic of a delivery.
pub(crate) fn topic(delivery: &Delivery) -> Option<&str> {
    match &delivery.destination {
        Destination::Kafka { topic } => Some(topic),
        _ => None,
    }
}

/// What keeps its place among others: the aggregate, or the record that it is about. Two intents of
/// different aggregates about one record must end up in one partition, or nothing orders them.
pub(crate) fn key(delivery: &Delivery) -> &str {
    delivery.record.as_ref().map_or(&delivery.aggregate_id, |record| &record.0)
}

/// The headers: those of the intent as they are, trace context included, and ours where it has
/// none of that name.
pub(crate) fn headers(
    delivery: &Delivery,
    message_id_prefix: &str,
) -> Result<OwnedHeaders, HeadersError> {
    let own = match &delivery.headers_json {
        Some(json) => Headers::from_json(json)?,
        None => Headers::default(),
    };
    let own = own.as_slice();
    let mut all = OwnedHeaders::new_with_capacity(own.len() + 6);
    for Header { name, value } in own {
        all = all.insert(rdkafka::message::Header { key: name, value: value.as_ref() });
    }
    for (name, value) in ours(delivery, message_id_prefix) {
        if !own.iter().any(|header| header.name == name) {
            all = all.insert(rdkafka::message::Header { key: name, value: Some(&value) });
        }
    }
    Ok(all)
}

fn ours(
    delivery: &Delivery,
    message_id_prefix: &str,
) -> impl Iterator<Item = (&'static str, String)> {
    let always = [
        // The same for every attempt: a downstream inbox makes them one by it.
        ("message-id", format!("{message_id_prefix}{}", delivery.idempotency_key())),
        ("event-type", delivery.event_type.clone()),
        ("event-version", delivery.event_version.to_string()),
        ("aggregate-type", delivery.aggregate_type.clone()),
        ("aggregate-id", delivery.aggregate_id.clone()),
    ];
    let cause = delivery.cause.map(|cause| ("causation-id", cause.0.to_string()));
    always.into_iter().chain(cause)
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{Json, Lane, OrderKey, OutboxId, RecordKey, Timestamp};
    use dipmo_outbox::Attempt;
    use rdkafka::message::Headers as _;

    use super::*;

    fn delivery(headers: &Headers, record: Option<&str>) -> Delivery {
        let order_key = OrderKey::new(record.unwrap_or("A-1"));
        Delivery {
            unit: OutboxId(7),
            intent: OutboxId(7),
            record: record.map(|record| RecordKey(record.to_owned())),
            lane: Lane::of(order_key.as_str().as_bytes()),
            order_key,
            destination: Destination::Kafka { topic: "t".to_owned() },
            aggregate_type: "ORDER".to_owned(),
            aggregate_id: "A-1".to_owned(),
            event_type: "OrderPaid".to_owned(),
            event_version: 2,
            payload: Json::empty_object(),
            headers_json: Some(headers.to_json().unwrap()),
            created_at: Timestamp::EPOCH,
            cause: None,
            reply_to: None,
            attempt: Attempt::Again { attempts: 1, retried: 0 },
            blocked_by: None,
        }
    }

    fn names_and_values(headers: &OwnedHeaders) -> Vec<(String, Option<Vec<u8>>)> {
        let pair = |it: rdkafka::message::Header<'_, &[u8]>| {
            (it.key.to_owned(), it.value.map(<[u8]>::to_vec))
        };
        headers.as_borrowed().iter().map(pair).collect()
    }

    #[test]
    fn trap_24_the_key_is_the_aggregate_and_of_a_record_the_record() {
        assert_eq!(key(&delivery(&Headers::default(), None)), "A-1");
        assert_eq!(key(&delivery(&Headers::default(), Some("R-9"))), "R-9");
    }

    #[test]
    fn a_header_of_the_intent_wins_and_is_not_doubled() {
        let own = Headers::default().with("message-id", "mine").with("traceparent", "00-ab-cd-01");
        let all = names_and_values(&headers(&delivery(&own, None), "emea-").unwrap());
        let ids: Vec<_> = all.iter().filter(|(name, _)| name == "message-id").collect();
        assert_eq!(ids, [&("message-id".to_owned(), Some(b"mine".to_vec()))]);
        assert!(all.contains(&("traceparent".to_owned(), Some(b"00-ab-cd-01".to_vec()))));
        let none = names_and_values(&headers(&delivery(&Headers::default(), None), "x-").unwrap());
        assert!(none.contains(&("message-id".to_owned(), Some(b"x-dipmo-7".to_vec()))));
        assert!(none.contains(&("event-version".to_owned(), Some(b"2".to_vec()))));
    }

    #[test]
    fn headers_without_a_value_empty_binary_and_repeated_ones_go_out_as_they_are() {
        let own = [("a", None), ("a", Some(vec![])), ("a", Some(vec![0, 255]))];
        let own = own.map(|(name, value)| Header { name: name.to_owned(), value });
        let all = headers(&delivery(&Headers::new(own.to_vec()), None), "").unwrap();
        let values: Vec<_> = names_and_values(&all).into_iter().take(3).map(|it| it.1).collect();
        assert_eq!(values, [None, Some(vec![]), Some(vec![0, 255])]);
    }
}
