//! A message that is ready to be stored: it fits every column, and loses no byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{
    Coded as _, ContentHash, DedupeKey, Destination, ErrorStage, Failure, Headers, Json, Lane,
    OrderKey, Timestamp,
};

use crate::originals::{Originals, fit_into, fit_key, keep_value, shown_millis};
use crate::{DeadLetter, Ending, Identity, Record};

/// A row for the INBOX that has no id yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// `MESSAGE_ID`.
    pub message_id: String,
    /// `SOURCE_SYSTEM`.
    pub source_system: String,
    /// `TOPIC`.
    pub topic: String,
    /// `PARTITION_NUM`.
    pub partition: i32,
    /// `OFFSET_NUM`.
    pub offset: i64,
    /// `KEY_STR`.
    pub key_str: Option<String>,
    /// `AGGREGATE_ID`.
    pub aggregate_id: Option<String>,
    /// `EVENT_TYPE`.
    pub event_type: Option<String>,
    /// The version of the event's contract.
    pub event_version: Option<u16>,
    /// The producer's version of the aggregate.
    pub source_version: Option<i64>,
    /// `PAYLOAD` or `RAW_PAYLOAD_BASE64`.
    pub body: Body,
    /// `HEADERS`.
    pub headers: Headers,
    /// `EVENT_TS`.
    pub event_ts: Option<Timestamp>,
    /// What does not fit the columns above.
    pub originals: Originals,
    /// What keeps this message in order with others; `None` is alone.
    pub order_key: Option<OrderKey>,
    /// The lane of the order key, or of the message when it is alone.
    pub lane: Lane,
    /// What recognises it again.
    pub dedupe_key: DedupeKey,
    /// What tells a duplicate from another message with the same id.
    pub content: ContentHash,
    /// Its order key waits for it, if it cannot be decoded: later messages are held behind it until
    /// a person has decided. Means nothing for a message that can be decoded, or is alone.
    pub blocks_key: bool,
    /// Where it is mirrored to, if it cannot be decoded, by the transaction that stores it. Means
    /// nothing for a message that can be decoded.
    pub mirrored_to: Option<Destination>,
}

/// The value of a record: understood, or kept as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A JSON payload; a tombstone is JSON `null`.
    Json(Json),
    /// `SERDE_ERROR`: the bytes in base64, and why they could not be decoded.
    Undecodable {
        /// Base64 of the bytes of the wire, never of a decoded string.
        base64: String,
        /// `ERROR_CODE` and `ERROR_MESSAGE`.
        failure: Failure,
    },
}

impl Body {
    /// `PAYLOAD` and `RAW_PAYLOAD_BASE64`, one of them NULL.
    #[must_use]
    pub fn columns(&self) -> (Option<Json>, Option<String>) {
        match self {
            Self::Json(payload) => (Some(payload.clone()), None),
            Self::Undecodable { base64, .. } => (None, Some(base64.clone())),
        }
    }
}

impl NewMessage {
    /// A message from a record whose value is JSON, or a tombstone; what is neither is kept as
    /// undecodable. Never fails: whatever a broker delivers can be stored.
    #[must_use]
    pub fn from_record(record: &Record, identity: &Identity) -> Self {
        let body = match &record.value {
            None => Body::Json(Json::null()),
            Some(bytes) => Json::from_bytes(bytes).map_or_else(
                |error| undecodable(bytes, Failure::coded(error.code(), &error.to_string())),
                Body::Json,
            ),
        };
        Self::new(record, identity, body)
    }

    /// A message from a record that a decoder of its own (Avro, a schema) gave up on.
    #[must_use]
    pub fn undecodable(record: &Record, identity: &Identity, failure: Failure) -> Self {
        let body = undecodable(record.value.as_deref().unwrap_or_default(), failure);
        Self::new(record, identity, body)
    }

    /// A message whose value was decoded elsewhere; the value itself is kept where `payload` is
    /// not all of it.
    #[must_use]
    pub fn decoded(record: &Record, identity: &Identity, payload: Json) -> Self {
        Self::new(record, identity, Body::Json(payload))
    }

    /// True when it is named by this place, because the record told no id.
    #[must_use]
    pub fn is_named_by_place(&self, topic: &str, partition: i32, offset: i64) -> bool {
        let id = self.originals.message_id.as_ref().unwrap_or(&self.message_id);
        *id == place_name(topic, partition, offset)
    }

    /// Gives it another id, where its own would be taken for that of another message: a topic that
    /// was made anew has the same places for other records.
    pub fn rename(&mut self, id: &str) {
        let source_system = self.originals.source_system.as_ref().unwrap_or(&self.source_system);
        self.dedupe_key = DedupeKey::of(source_system, id);
        if self.order_key.is_none() {
            self.lane = Lane::of(id.as_bytes());
        }
        self.message_id = fit_into(id, 200, &mut self.originals.message_id);
    }

    fn new(record: &Record, identity: &Identity, body: Body) -> Self {
        let mut originals = Originals::default();
        let id = match identity.message_id.as_deref() {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => place_name(&record.topic, record.partition, record.offset),
        };
        let aggregate = identity.aggregate_id.as_deref().filter(|id| !id.is_empty());
        let order_key = aggregate
            .map(OrderKey::new)
            .or_else(|| record.key.as_deref().map(OrderKey::from_bytes));
        let brokers_time = Timestamp::from_kafka_millis(record.timestamp_millis);
        let event_ts = identity.event_ts.or(brokers_time);
        if shown_millis(event_ts) != record.timestamp_millis {
            originals.event_ts_millis = Some(record.timestamp_millis);
        }
        keep_value(record.value.as_deref(), &body, &mut originals);
        Self {
            dedupe_key: DedupeKey::of(&identity.source_system, &id),
            content: ContentHash::of(record.value.as_deref()),
            lane: order_key.as_ref().map_or_else(|| Lane::of(id.as_bytes()), OrderKey::lane),
            message_id: fit_into(&id, 200, &mut originals.message_id),
            source_system: fit_into(&identity.source_system, 100, &mut originals.source_system),
            topic: fit_into(&record.topic, 200, &mut originals.topic),
            partition: record.partition,
            offset: record.offset,
            key_str: record.key.as_deref().map(|key| fit_key(key, &mut originals.key_base64)),
            aggregate_id: aggregate.map(|id| fit_into(id, 200, &mut originals.aggregate_id)),
            event_type: identity
                .event_type
                .as_deref()
                .map(|name| fit_into(name, 200, &mut originals.event_type)),
            event_version: identity.event_version,
            source_version: identity.source_version,
            body,
            headers: record.headers.clone(),
            event_ts,
            originals,
            order_key,
            blocks_key: false,
            mirrored_to: None,
        }
    }

    /// The same, and its order key waits for it if it cannot be decoded.
    #[must_use]
    pub const fn blocking_its_key(mut self) -> Self {
        self.blocks_key = true;
        self
    }

    /// The order key that waits for it: it cannot be decoded, and was told to block.
    #[must_use]
    pub fn blocked_key(&self) -> Option<&OrderKey> {
        let is_poison = matches!(self.body, Body::Undecodable { .. });
        self.order_key.as_ref().filter(|_| is_poison && self.blocks_key)
    }

    /// The letter that mirrors it, and where that goes: it cannot be decoded, and is to be mirrored.
    #[must_use]
    pub fn dead_letter(&self) -> Option<(DeadLetter, &Destination)> {
        let (Some(to), Body::Undecodable { failure, .. }) = (&self.mirrored_to, &self.body) else {
            return None;
        };
        let (stage, failure) = (ErrorStage::ConsumerSerde, failure.clone());
        let ending = Ending { stage, failure, attempts: 0, retried: 0 };
        // A message that was made of a record gives it back; there are no others.
        DeadLetter::of_new(self, ending).ok().map(|letter| (letter, to))
    }
}

/// The id of a record that tells none.
fn place_name(topic: &str, partition: i32, offset: i64) -> String {
    format!("{topic}:{partition}:{offset}")
}

fn undecodable(bytes: &[u8], failure: Failure) -> Body {
    Body::Undecodable { base64: STANDARD.encode(bytes), failure }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(value: Option<&[u8]>) -> Record {
        Record {
            topic: "orders".into(),
            offset: 7,
            timestamp_millis: -1,
            value: value.map(<[u8]>::to_vec),
            ..Record::default()
        }
    }

    fn message(record: &Record) -> NewMessage {
        NewMessage::from_record(
            record,
            &Identity { source_system: "crm".into(), ..Identity::default() },
        )
    }

    #[test]
    fn trap_1_a_tombstone_is_the_payload_null() {
        assert_eq!(message(&record(None)).body, Body::Json(Json::null()));
    }

    #[test]
    fn trap_2_base64_is_of_the_bytes_of_the_wire() {
        let Body::Undecodable { base64, failure } = message(&record(Some(b"\xff\xfe{"))).body
        else {
            panic!("bytes that are no JSON were taken for JSON");
        };
        assert_eq!(STANDARD.decode(base64).unwrap(), b"\xff\xfe{");
        assert_eq!(failure.code(), "json-not-utf8");
    }

    #[test]
    fn trap_5_a_key_comes_back_byte_for_byte() {
        let long = vec![b'k'; 5_000];
        for key in [&b"plain"[..], b"", b"\xff\x00\x01", b"a\0b", &long] {
            let made = message(&Record { key: Some(key.to_vec()), ..record(None) });
            assert_eq!(made.originals.key(made.key_str.as_deref()).as_deref(), Some(key));
        }
        assert_eq!(message(&record(None)).key_str, None);
    }

    #[test]
    fn trap_6_an_empty_or_long_id_never_collides() {
        let with_id = |id: &str| {
            let identity = Identity { message_id: Some(id.into()), ..Identity::default() };
            NewMessage::from_record(&record(None), &identity)
        };
        assert_eq!(with_id("").message_id, "orders:0:7");
        let (a, b) = (with_id(&"x".repeat(201)), with_id(&"x".repeat(202)));
        assert_ne!(a.message_id, b.message_id);
        assert_ne!(a.dedupe_key, b.dedupe_key);
        assert_eq!(a.originals.message_id, Some("x".repeat(201)));
    }

    #[test]
    fn trap_9_a_place_that_is_used_again_gets_another_name() {
        let mut renamed = message(&record(None));
        assert!(renamed.is_named_by_place("orders", 0, 7));
        renamed.rename("orders:0:7:1");
        let identity = Identity {
            source_system: "crm".into(),
            message_id: Some("orders:0:7:1".into()),
            ..Identity::default()
        };
        assert_eq!(renamed, NewMessage::from_record(&record(None), &identity));
        assert!(!renamed.is_named_by_place("orders", 0, 7));
    }

    #[test]
    fn trap_7_odd_timestamps_are_kept() {
        let at = |millis| message(&Record { timestamp_millis: millis, ..record(None) });
        assert_eq!((at(-1).event_ts, at(-1).originals.event_ts_millis), (None, None));
        assert_eq!(at(i64::MAX).originals.event_ts_millis, Some(i64::MAX));
        assert_eq!(at(-5).event_ts.map(Timestamp::as_micros), Some(-5_000));
    }

    #[test]
    fn trap_12_order_is_by_aggregate_then_key_then_alone() {
        let keyed = Record { key: Some(b"K".to_vec()), ..record(None) };
        let identity = Identity { aggregate_id: Some("F-1".into()), ..Identity::default() };
        let both = NewMessage::from_record(&keyed, &identity);
        assert_eq!(both.order_key, Some(OrderKey::new("F-1")));
        assert_eq!(message(&keyed).order_key, Some(OrderKey::new("K")));
        assert_eq!(message(&record(None)).order_key, None);
    }
}
