//! What of a delivery goes into a record of Kafka.

use std::borrow::Cow;

use dipmo_domain::{Destination, Header, Headers};
use dipmo_inbox::dead_letter;
use dipmo_outbox::Delivery;
use rdkafka::message::OwnedHeaders;

use crate::error::SinkError;

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

/// The value and the headers of a record.
pub(crate) struct Content<'a> {
    /// `None` is a tombstone.
    pub(crate) value: Option<Cow<'a, [u8]>>,
    pub(crate) headers: OwnedHeaders,
}

impl<'a> Content<'a> {
    /// The value is the payload as it stands. Of a dead letter it is what the payload stands for:
    /// the bytes of the record that could not be decoded, or could not be processed.
    pub(crate) fn of(delivery: &'a Delivery, message_id_prefix: &str) -> Result<Self, SinkError> {
        let own = match &delivery.headers_json {
            Some(json) => Headers::from_json(json)?,
            None => Headers::default(),
        };
        if delivery.aggregate_type == dead_letter::AGGREGATE_TYPE {
            let (own, value) = dead_letter::on_the_wire(&own, &delivery.payload)?;
            let headers = headers(&own, delivery, message_id_prefix)?;
            return Ok(Self { value: value.map(Cow::Owned), headers });
        }
        let value = Some(Cow::Borrowed(delivery.payload.as_str().as_bytes()));
        Ok(Self { value, headers: headers(&own, delivery, message_id_prefix)? })
    }
}

/// The headers: those of the intent as they are, trace context included, and ours where it has
/// none of that name.
fn headers(
    own: &Headers,
    delivery: &Delivery,
    message_id_prefix: &str,
) -> Result<OwnedHeaders, SinkError> {
    let own = own.as_slice();
    let mut all = OwnedHeaders::new_with_capacity(own.len() + 6);
    for Header { name, value } in own {
        if name.contains('\0') {
            return Err(SinkError::HeaderName { name: name.clone() });
        }
        all = all.insert(rdkafka::message::Header { key: name, value: value.as_ref() });
    }
    for (name, value) in ours(delivery, message_id_prefix) {
        if !own.iter().any(|header| header.name == name) {
            all = all.insert(rdkafka::message::Header { key: name, value: Some(&*value) });
        }
    }
    Ok(all)
}

fn ours<'a>(
    delivery: &'a Delivery,
    message_id_prefix: &str,
) -> impl Iterator<Item = (&'static str, Cow<'a, str>)> {
    // The same for every attempt: a downstream inbox makes them one by it.
    let message_id = format!("{message_id_prefix}{}", delivery.idempotency_key());
    let always = [
        ("message-id", message_id.into()),
        ("event-type", delivery.event_type.as_str().into()),
        ("event-version", delivery.event_version.to_string().into()),
        ("aggregate-type", delivery.aggregate_type.as_str().into()),
        ("aggregate-id", delivery.aggregate_id.as_str().into()),
    ];
    let cause = delivery.cause.map(|cause| ("causation-id", cause.0.to_string().into()));
    always.into_iter().chain(cause)
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{ErrorStage, Failure, Json, Lane, OrderKey, OutboxId, RecordKey, Timestamp};
    use dipmo_inbox::{DeadLetter, Ending, Record};
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
            caused_at: None,
            reply_to: None,
            attempt: Attempt::Again { attempts: 1, retried: 0 },
            blocked_by: None,
        }
    }

    fn headers(delivery: &Delivery, message_id_prefix: &str) -> OwnedHeaders {
        Content::of(delivery, message_id_prefix).unwrap().headers
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
        let all = names_and_values(&headers(&delivery(&own, None), "emea-"));
        let ids: Vec<_> = all.iter().filter(|(name, _)| name == "message-id").collect();
        assert_eq!(ids, [&("message-id".to_owned(), Some(b"mine".to_vec()))]);
        assert!(all.contains(&("traceparent".to_owned(), Some(b"00-ab-cd-01".to_vec()))));
        let none = names_and_values(&headers(&delivery(&Headers::default(), None), "x-"));
        assert!(none.contains(&("message-id".to_owned(), Some(b"x-dipmo-7".to_vec()))));
        assert!(none.contains(&("event-version".to_owned(), Some(b"2".to_vec()))));
    }

    #[test]
    fn headers_without_a_value_empty_binary_and_repeated_ones_go_out_as_they_are() {
        let own = [("a", None), ("a", Some(vec![])), ("a", Some(vec![0, 255]))];
        let own = own.map(|(name, value)| Header { name: name.to_owned(), value });
        let all = headers(&delivery(&Headers::new(own.to_vec()), None), "");
        let values: Vec<_> = names_and_values(&all).into_iter().take(3).map(|it| it.1).collect();
        assert_eq!(values, [None, Some(vec![]), Some(vec![0, 255])]);
    }

    fn letter(value: Option<&[u8]>) -> Delivery {
        let failure = Failure::new("json-not-utf8", "not UTF-8");
        let record = Record {
            topic: "orders".to_owned(),
            headers: Headers::default().with("message-id", "theirs"),
            value: value.map(<[u8]>::to_vec),
            ..Record::default()
        };
        let letter = DeadLetter {
            record,
            source_system: "ihub".to_owned(),
            message_id: "theirs".to_owned(),
            ending: Ending { stage: ErrorStage::ConsumerSerde, failure, attempts: 0, retried: 0 },
        };
        Delivery {
            aggregate_type: dead_letter::AGGREGATE_TYPE.to_owned(),
            payload: letter.payload(),
            ..delivery(&letter.headers(), None)
        }
    }

    #[test]
    fn trap_2_a_dead_letter_has_the_bytes_of_its_record() {
        for value in [Some(&b"\xff\x00{"[..]), Some(b""), Some(b"{}"), None] {
            let letter = letter(value);
            let content = Content::of(&letter, "").unwrap();
            assert_eq!(content.value.as_deref(), value);
            let names: Vec<String> =
                names_and_values(&content.headers).into_iter().map(|it| it.0).collect();
            assert_eq!(names[..2], ["message-id", dead_letter::TOPIC]);
            assert!(!names.contains(&dead_letter::VALUE.to_owned()), "{names:?}");
        }
    }

    #[test]
    fn only_a_dead_letter_is_taken_for_one() {
        let own = letter(None);
        let other = Delivery { aggregate_type: "ORDER".to_owned(), ..own };
        assert_eq!(Content::of(&other, "").unwrap().value.as_deref(), Some(&b"null"[..]));
    }
}
