//! Rows of the OUTBOX and of OUTBOX_RECORD as they are read.

use dipmo_domain::{
    Destination, Failure, InboxId, Json, OutboxId, OutboxStatus, ProcessKey, RecordKey, Timestamp,
};

/// All columns of the OUTBOX of the seeds, and those beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxRow {
    /// `ID`.
    pub id: OutboxId,
    /// `AGGREGATE_TYPE`.
    pub aggregate_type: String,
    /// `AGGREGATE_ID`.
    pub aggregate_id: String,
    /// `EVENT_TYPE`.
    pub event_type: String,
    /// `EVENT_VERSION`.
    pub event_version: u16,
    /// `PAYLOAD`.
    pub payload: Json,
    /// `HEADERS`, as stored.
    pub headers_json: Option<Json>,
    /// `DESTINATION`.
    pub destination: Destination,
    /// `CREATED_AT`.
    pub created_at: Timestamp,
    /// `STATUS`; of an intent with records: pending while one of them is, failed when one is.
    pub status: OutboxStatus,
    /// `ATTEMPTS`.
    pub attempts: u32,
    /// `NEXT_ATTEMPT_AT`.
    pub next_attempt_at: Option<Timestamp>,
    /// `ERROR_CODE` and `ERROR_MESSAGE`.
    pub failure: Option<Failure>,
    /// `CAUSE_ID`: the message that caused it.
    pub cause: Option<InboxId>,
    /// `REPLY_PROCESS` and `REPLY_ID`.
    pub reply_to: Option<ProcessKey>,
    /// `HELD_BEHIND`: the unit that this one waits for.
    pub held_behind: Option<OutboxId>,
    /// `OUTCOME` is SKIPPED: an operator gave up what failed of it.
    pub skipped: bool,
    /// `RESEND_OF`: the unit that an operator had sent a second time by this intent.
    pub resend_of: Option<OutboxId>,
}

/// One record of an intent with records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRow {
    /// `ID`: the unit.
    pub id: OutboxId,
    /// `OUTBOX_ID`: the intent.
    pub intent: OutboxId,
    /// `DESTINATION`.
    pub destination: Destination,
    /// `RECORD_KEY`.
    pub record: RecordKey,
    /// `STATUS`.
    pub status: OutboxStatus,
    /// `ATTEMPTS`.
    pub attempts: u32,
    /// `NEXT_ATTEMPT_AT`.
    pub next_attempt_at: Option<Timestamp>,
    /// `ERROR_CODE` and `ERROR_MESSAGE`.
    pub failure: Option<Failure>,
    /// `EXTERNAL_REF`: the id at the destination, such as that of a job or a record.
    pub external_ref: Option<String>,
    /// `HELD_BEHIND`: the unit that this one waits for.
    pub held_behind: Option<OutboxId>,
    /// `OUTCOME` is SKIPPED: an operator gave up what failed of it.
    pub skipped: bool,
}
