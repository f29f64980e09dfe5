//! A record as a source delivered it, and what was found out about it.

use dipmo_domain::{Headers, Timestamp};

/// One record from the wire: bytes, not text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// A Kafka topic, or `internal:<name>`, `http:<path>`, `timer:<process>`.
    pub topic: String,
    /// 0 for records that did not come from Kafka.
    pub partition: i32,
    /// The offset, or a sequence for records that did not come from Kafka.
    pub offset: i64,
    /// The key; it may be missing, empty, or no text.
    pub key: Option<Vec<u8>>,
    /// The headers.
    pub headers: Headers,
    /// Milliseconds since 1970 as the broker gave them; `-1` is none.
    pub timestamp_millis: i64,
    /// The value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
}

/// What the extraction rules of the source found in a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Where it comes from, such as `ihub`: half of what makes a message unique.
    pub source_system: String,
    /// The producer's id; without one, or with an empty one, `topic:partition:offset` stands in.
    pub message_id: Option<String>,
    /// The business aggregate; messages of one aggregate are processed in order.
    pub aggregate_id: Option<String>,
    /// The logical type, such as `MembersCreated`.
    pub event_type: Option<String>,
    /// The version of the event's contract, where it is not in the payload.
    pub event_version: Option<u16>,
    /// The producer's version of the aggregate, where it sends one.
    pub source_version: Option<i64>,
    /// When it happened, where the event says so; else the broker's time stands in.
    pub event_ts: Option<Timestamp>,
}
