//! A row of the INBOX as it is read: the message, which never changes, and where it stands.

use dipmo_domain::{
    ErrorStage, Failure, Headers, HeadersError, InboxId, InboxStatus, Json, JsonError, Lane,
    OrderKey, Outcome, Timestamp,
};

use crate::{NewMessage, Originals};

/// The columns that are written once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `ID`.
    pub id: InboxId,
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
    /// `EVENT_VERSION`.
    pub event_version: Option<u16>,
    /// `SOURCE_VERSION`.
    pub source_version: Option<i64>,
    /// `PAYLOAD`.
    pub payload: Option<Json>,
    /// `HEADERS`, as stored: few readers want them, so they are parsed on request.
    pub headers_json: Option<Json>,
    /// `RAW_PAYLOAD_BASE64`.
    pub raw_payload_base64: Option<String>,
    /// `EVENT_TS`.
    pub event_ts: Option<Timestamp>,
    /// `RECEIVED_AT`.
    pub received_at: Timestamp,
    /// `ORIGINALS`.
    pub originals: Originals,
    /// `LANE`.
    pub lane: Lane,
}

impl Message {
    /// The row of a new message.
    ///
    /// # Errors
    /// When its headers have no JSON form, which those of a broker have.
    pub fn of(id: InboxId, new: &NewMessage, received_at: Timestamp) -> Result<Self, JsonError> {
        let (payload, raw_payload_base64) = new.body.columns();
        Ok(Self {
            id,
            message_id: new.message_id.clone(),
            source_system: new.source_system.clone(),
            topic: new.topic.clone(),
            partition: new.partition,
            offset: new.offset,
            key_str: new.key_str.clone(),
            aggregate_id: new.aggregate_id.clone(),
            event_type: new.event_type.clone(),
            event_version: new.event_version,
            source_version: new.source_version,
            payload,
            headers_json: new.headers.to_column()?,
            raw_payload_base64,
            event_ts: new.event_ts,
            received_at,
            originals: new.originals.clone(),
            lane: new.lane,
        })
    }

    /// The bytes of the record's key.
    #[must_use]
    pub fn key(&self) -> Option<Vec<u8>> {
        self.originals.key(self.key_str.as_deref())
    }

    /// The headers of the record.
    ///
    /// # Errors
    /// When something else than dipmo wrote the column.
    pub fn headers(&self) -> Result<Headers, HeadersError> {
        self.headers_json.as_ref().map_or_else(|| Ok(Headers::default()), Headers::from_json)
    }

    /// What keeps it in order with others; the same as when it was new.
    #[must_use]
    pub fn order_key(&self) -> Option<OrderKey> {
        // A fitted aggregate id is its own order key: fitting what fits changes nothing.
        let aggregate = self.aggregate_id.as_deref().map(OrderKey::new);
        aggregate.or_else(|| self.key().as_deref().map(OrderKey::from_bytes))
    }

    /// True for one that comes after `other` of the same order key: by the versions of their
    /// producer where both have one, else as they came.
    #[must_use]
    pub fn comes_after(&self, other: &Self) -> bool {
        let versions = self.source_version.zip(other.source_version);
        let versions = versions.filter(|_| self.source_system == other.source_system);
        match versions {
            Some((this, other)) if this != other => this > other,
            _ => self.id > other.id,
        }
    }
}

/// A message and the columns that move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxRow {
    /// What came.
    pub message: Message,
    /// `STATUS`.
    pub status: InboxStatus,
    /// `ATTEMPTS`: how often processing was tried.
    pub attempts: u32,
    /// `NEXT_ATTEMPT_AT`.
    pub next_attempt_at: Option<Timestamp>,
    /// `PROCESSED_AT`.
    pub processed_at: Option<Timestamp>,
    /// `OUTCOME`: how it ended, when it did.
    pub outcome: Option<Outcome>,
    /// `HELD_BEHIND`: the message that this one waits for.
    pub held_behind: Option<InboxId>,
    /// `ERROR_STAGE`.
    pub error_stage: Option<ErrorStage>,
    /// `ERROR_CODE` and `ERROR_MESSAGE` of the last failure.
    pub failure: Option<Failure>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Identity, Record};

    fn message(id: i64, source: &str, version: Option<i64>) -> Message {
        let source_system = source.to_owned();
        let identity = Identity { source_system, source_version: version, ..Identity::default() };
        let new = NewMessage::decoded(&Record::default(), &identity, Json::null());
        Message::of(InboxId(id), &new, Timestamp::EPOCH).unwrap()
    }

    #[test]
    fn trap_13_versions_of_one_producer_say_what_comes_after() {
        let late = message(9, "crm", Some(5));
        assert!(message(1, "crm", Some(6)).comes_after(&late));
        assert!(!late.comes_after(&message(1, "crm", Some(6))));
        for other in
            [message(1, "crm", Some(5)), message(1, "erp", Some(6)), message(1, "crm", None)]
        {
            assert!(late.comes_after(&other), "as they came: {other:?}");
            assert!(!other.comes_after(&late), "as they came: {other:?}");
        }
    }
}
