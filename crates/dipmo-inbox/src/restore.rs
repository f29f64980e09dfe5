//! The way back: from what is stored to the record that it was made of.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, Coded, Headers, HeadersError, Json, Timestamp};
use thiserror::Error;

use crate::originals::shown_millis;
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
            None if payload == Json::null().as_str() => None,
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
