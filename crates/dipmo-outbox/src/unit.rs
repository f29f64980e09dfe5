//! Units of delivery: what is sent, and what became of it.

use std::time::Duration;

use dipmo_domain::{
    Destination, Failure, InboxId, Json, Lane, OrderKey, OutboxId, ProcessKey, RecordKey, Timestamp,
};

use crate::JobId;

/// One unit to deliver: an intent, or one record of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The unit; of an intent without records it is the intent itself.
    pub unit: OutboxId,
    /// The intent: `OUTBOX.ID`.
    pub intent: OutboxId,
    /// The record that is meant, of an intent with records.
    pub record: Option<RecordKey>,
    /// Units with the same key at the same destination are delivered one after the other.
    pub order_key: OrderKey,
    /// `DESTINATION`.
    pub destination: Destination,
    /// The lane that it is leased with.
    pub lane: Lane,
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
    /// `CREATED_AT`.
    pub created_at: Timestamp,
    /// The message that caused it.
    pub cause: Option<InboxId>,
    /// `RECEIVED_AT` of that message, where its delivery is what somebody waits for since then.
    pub caused_at: Option<Timestamp>,
    /// The process that wants to hear how it ended.
    pub reply_to: Option<ProcessKey>,
    /// First attempt, or one of more.
    pub attempt: Attempt,
    /// The unit that its order key waits for: this one is not to be sent but settled as
    /// [`UnitResult::Held`].
    pub blocked_by: Option<OutboxId>,
}

/// Whether a unit is still in the chunk that it was written in, or has a row of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Never tried; settled together with all other units of its chunk.
    First(ChunkRef),
    /// Tried so often before, or put aside.
    Again {
        /// How often it was tried.
        attempts: u32,
        /// How often an operator retried it after it had failed: a settlement of an attempt from
        /// before that is refused.
        retried: u32,
    },
}

/// The units that one batch wrote for one lane of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkRef(pub OutboxId);

/// What became of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitResult {
    /// The destination acknowledged it, under this id of its own where it told one.
    Dispatched {
        /// Such as a Salesforce record id.
        external_ref: Option<String>,
    },
    /// Not now: due again after the delay, and the units behind it wait.
    Retry {
        /// Counted by the database's clock.
        after: Duration,
        /// Why.
        failure: Failure,
    },
    /// Nobody waited for the answer: due again after the delay, the units behind it wait, and no
    /// attempt is counted.
    Unanswered {
        /// Counted by the database's clock.
        after: Duration,
        /// Why.
        failure: Failure,
    },
    /// Not tried: another unit of its order key has to go first.
    Held,
    /// Not tried, and nobody's fault: due at once, and the units behind it wait.
    Later,
    /// It stays in the job that it is in, while others of its chunk leave it.
    InJob(JobId),
    /// Refused for good.
    Failed {
        /// Why.
        failure: Failure,
        /// True holds the units behind it until a person decides.
        block: bool,
    },
}

/// A unit and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitSettlement {
    /// What was delivered, as it was read.
    pub delivery: Delivery,
    /// What became of it.
    pub result: UnitResult,
}
