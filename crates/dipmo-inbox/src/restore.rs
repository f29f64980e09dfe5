//! The way back: from what is stored to the record that it was made of.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, Coded, Headers, HeadersError, Json, Timestamp};
use thiserror::Error;

use crate::originals::{TOMBSTONE, shown_millis};
use crate::{Body, Message, NewMessage, Originals, Record};

/// A row that dipmo did not write: the record cannot be told from it.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// `HEADERS` has another shape.
    #[error(transparent)]
    Headers(#[from] HeadersError),
    /// A column that holds base64 holds something else.
    #[error("{column} is not base64: {reason}")]
    NotBase64 {
        /// The column, or the field of `ORIGINALS`.
        column: &'static str,
        /// What the decoder met.
        reason: base64::DecodeError,
    },
    /// Neither `PAYLOAD` nor `RAW_PAYLOAD_BASE64` is there.
    #[error("the message has neither PAYLOAD nor RAW_PAYLOAD_BASE64")]
    NoValue,
}

impl Coded for RestoreError {
    fn code(&self) -> Code {
        Code::new("message-unrestorable")
    }
}

impl Message {
    /// The record that this message was made of, byte for byte.
    ///
    /// # Errors
    /// When something else than dipmo wrote the row.
    pub fn record(&self) -> Result<Record, RestoreError> {
        let value = Columns {
            payload: self.payload.as_ref(),
            base64: self.raw_payload_base64.as_deref(),
            originals: &self.originals,
        };
        Ok(Record {
            topic: self.originals.topic.as_ref().unwrap_or(&self.topic).clone(),
            partition: self.partition,
            offset: self.offset,
            key: key(&self.originals, self.key_str.as_deref())?,
            headers: self.headers()?,
            timestamp_millis: millis(&self.originals, self.event_ts),
            value: value.restore()?,
        })
    }
}

impl NewMessage {
    /// The record that this message was made of, byte for byte.
    ///
    /// # Errors
    /// Never for a message that was made of a record; its fields are public, so others can exist.
    pub fn record(&self) -> Result<Record, RestoreError> {
        let (payload, base64) = match &self.body {
            Body::Json(payload) => (Some(payload), None),
            Body::Undecodable { base64, .. } => (None, Some(base64.as_str())),
        };
        let value = Columns { payload, base64, originals: &self.originals };
        Ok(Record {
            topic: self.originals.topic.as_ref().unwrap_or(&self.topic).clone(),
            partition: self.partition,
            offset: self.offset,
            key: key(&self.originals, self.key_str.as_deref())?,
            headers: Headers::clone(&self.headers),
            timestamp_millis: millis(&self.originals, self.event_ts),
            value: value.restore()?,
        })
    }
}

/// The columns that hold a value.
struct Columns<'a> {
    payload: Option<&'a Json>,
    base64: Option<&'a str>,
    originals: &'a Originals,
}

impl Columns<'_> {
    fn restore(&self) -> Result<Option<Vec<u8>>, RestoreError> {
        let originals = self.originals;
        if originals.tombstone {
            return Ok(None);
        }
        if let Some(value) = &originals.value_base64 {
            return decode("ORIGINALS.valueBase64", value).map(Some);
        }
        if let Some(bytes) = self.base64 {
            return decode("RAW_PAYLOAD_BASE64", bytes).map(Some);
        }
        let payload = self.payload.ok_or(RestoreError::NoValue)?.as_str();
        Ok(match &originals.around {
            Some([before, after]) => Some([before, payload, after].concat().into_bytes()),
            None if payload == TOMBSTONE => None,
            None => Some(payload.as_bytes().to_vec()),
        })
    }
}

fn key(originals: &Originals, key_str: Option<&str>) -> Result<Option<Vec<u8>>, RestoreError> {
    match &originals.key_base64 {
        Some(base64) => decode("ORIGINALS.keyBase64", base64).map(Some),
        None => Ok(key_str.map(|text| text.as_bytes().to_vec())),
    }
}

fn millis(originals: &Originals, event_ts: Option<Timestamp>) -> i64 {
    originals.event_ts_millis.unwrap_or_else(|| shown_millis(event_ts))
}

fn decode(column: &'static str, base64: &str) -> Result<Vec<u8>, RestoreError> {
    STANDARD.decode(base64).map_err(|reason| RestoreError::NotBase64 { column, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_domain::{Failure, Header, InboxId};
    use proptest::prelude::*;

    use crate::Identity;

    fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 0..most)
    }

    fn any_record() -> impl Strategy<Value = Record> {
        let header = ("[a-z-]{0,9}", prop::option::of(bytes(20)));
        let value = prop_oneof![
            bytes(60),
            Just(b"null".to_vec()),
            Just(b" null ".to_vec()),
            r#"\{"id":"x","data":(null|[0-9]{1,3}|\{"a":1\})\}"#.prop_map(String::into_bytes),
        ];
        let topic = prop_oneof!["[a-z]{1,9}".boxed(), "[a-z]{201,249}".boxed()];
        let millis = prop_oneof![Just(-1), any::<i64>(), -10_000i64..2_000_000_000_000];
        let key = prop_oneof![bytes(9).boxed(), Just(vec![b'k'; 4_001]).boxed()];
        (
            (topic, any::<i32>(), any::<i64>(), millis),
            prop::option::of(key),
            prop::collection::vec(header, 0..4),
            prop::option::of(value),
        )
            .prop_map(
                |((topic, partition, offset, timestamp_millis), key, headers, value)| {
                    let header = |(name, value)| Header { name, value };
                    let headers = Headers::new(headers.into_iter().map(header).collect());
                    Record { topic, partition, offset, key, headers, timestamp_millis, value }
                },
            )
    }

    fn row(message: &NewMessage) -> Message {
        Message::of(InboxId(1), message, Timestamp::EPOCH).unwrap()
    }

    proptest! {
        #[test]
        fn a_row_gives_back_its_record(
            record in any_record(),
            micros in prop::option::of(any::<i64>()),
            payload in prop::option::of("null|[1-9][0-9]?|\"x\""),
            refused in any::<bool>(),
        ) {
            let event_ts = micros.and_then(Timestamp::from_micros);
            let identity = Identity { event_ts, ..Identity::default() };
            let message = match payload {
                _ if refused => NewMessage::undecodable(&record, &identity, Failure::new("X", "x")),
                None => NewMessage::from_record(&record, &identity),
                Some(text) => NewMessage::decoded(&record, &identity, Json::parse(&text).unwrap()),
            };
            prop_assert_eq!(&message.record().unwrap(), &record);
            prop_assert_eq!(row(&message).record().unwrap(), record);
        }
    }

    #[test]
    fn most_records_need_no_originals() {
        let record = Record {
            topic: "orders".into(),
            key: Some(b"F-1".to_vec()),
            timestamp_millis: 1_700_000_000_000,
            value: Some(b"{}".to_vec()),
            ..Record::default()
        };
        for record in [Record { value: None, timestamp_millis: -1, ..record.clone() }, record] {
            let message = NewMessage::from_record(&record, &Identity::default());
            assert!(message.originals.is_empty(), "{:?}", message.originals);
        }
    }

    #[test]
    fn trap_7_the_events_own_time_keeps_the_brokers() {
        let record = Record { timestamp_millis: -1, ..Record::default() };
        let event_ts = Timestamp::from_micros(5_000_001);
        let message =
            NewMessage::from_record(&record, &Identity { event_ts, ..Identity::default() });
        assert_eq!(message.event_ts, event_ts);
        assert_eq!(message.originals.event_ts_millis, Some(-1));
    }

    #[test]
    fn a_row_that_dipmo_did_not_write_is_an_error() {
        let mut row = row(&NewMessage::from_record(&Record::default(), &Identity::default()));
        row.payload = None;
        assert_eq!(row.record().unwrap_err().code().as_str(), "message-unrestorable");
        row.raw_payload_base64 = Some("?".into());
        assert!(row.record().unwrap_err().to_string().starts_with("RAW_PAYLOAD_BASE64"));
        row.headers_json = Some(Json::empty_object());
        assert!(matches!(
            row.record(),
            Err(RestoreError::Headers(_) | RestoreError::NotBase64 { .. })
        ));
    }
}
