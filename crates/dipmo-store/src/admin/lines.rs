//! Rows of lists: what one wants to see of many, without payloads.

use dipmo_domain::{
    Destination, ErrorStage, Failure, InboxId, InboxStatus, Lane, OutboxId, OutboxStatus, Outcome,
    RecordKey, Timestamp,
};
use dipmo_outbox::JobId;

/// A message in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageLine {
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
    /// `AGGREGATE_ID`.
    pub aggregate_id: Option<String>,
    /// `EVENT_TYPE`.
    pub event_type: Option<String>,
    /// `RECEIVED_AT`.
    pub received_at: Timestamp,
    /// `LANE`.
    pub lane: Lane,
    /// `STATUS`.
    pub status: InboxStatus,
    /// `ATTEMPTS`.
    pub attempts: u32,
    /// `NEXT_ATTEMPT_AT`.
    pub next_attempt_at: Option<Timestamp>,
    /// `PROCESSED_AT`.
    pub processed_at: Option<Timestamp>,
    /// `OUTCOME`.
    pub outcome: Option<Outcome>,
    /// It waits for a version that is missing.
    pub parked: bool,
    /// `HELD_BEHIND`.
    pub held_behind: Option<InboxId>,
    /// `ERROR_STAGE`.
    pub error_stage: Option<ErrorStage>,
    /// The last failure.
    pub failure: Option<Failure>,
}

/// A unit in a list: an intent, or a record of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitLine {
    /// `ID`.
    pub id: OutboxId,
    /// The intent; the unit itself, when it has no records.
    pub intent: OutboxId,
    /// `RECORD_KEY`.
    pub record: Option<RecordKey>,
    /// `DESTINATION`.
    pub destination: Destination,
    /// `AGGREGATE_TYPE` of the intent.
    pub aggregate_type: String,
    /// `AGGREGATE_ID` of the intent.
    pub aggregate_id: String,
    /// `EVENT_TYPE` of the intent.
    pub event_type: String,
    /// `CAUSE_ID`.
    pub cause: Option<InboxId>,
    /// `CREATED_AT`.
    pub created_at: Timestamp,
    /// `STATUS`.
    pub status: OutboxStatus,
    /// `ATTEMPTS`.
    pub attempts: u32,
    /// `NEXT_ATTEMPT_AT`.
    pub next_attempt_at: Option<Timestamp>,
    /// `DISPATCHED_AT`.
    pub dispatched_at: Option<Timestamp>,
    /// `EXTERNAL_REF`: what the destination calls it.
    pub external_ref: Option<String>,
    /// `HELD_BEHIND`.
    pub held_behind: Option<OutboxId>,
    /// The job that it is in.
    pub job: Option<JobId>,
    /// An operator gave it up.
    pub skipped: bool,
    /// The last failure.
    pub failure: Option<Failure>,
    /// `RESEND_OF`: the unit that an operator had sent a second time by this one.
    pub resend_of: Option<OutboxId>,
}

/// A lane of a destination that somebody has leased, or a job holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneLine {
    /// The destination.
    pub destination: String,
    /// The lane.
    pub lane: Lane,
    /// Who has it; the lease may have run out.
    pub owner: Option<String>,
    /// Until when.
    pub lease_until: Option<Timestamp>,
    /// The job that holds it.
    pub job: Option<JobId>,
}
