//! What is wanted of a list. All that is said must hold; what is not said is not asked.

use dipmo_domain::{
    Destination, Fingerprint, InboxId, InboxStatus, OutboxId, OutboxStatus, Timestamp,
};

/// What a message or unit waits for beside its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waits {
    /// The head of its order key.
    Held,
    /// A version that is missing; messages only.
    Parked,
}

impl Waits {
    /// As people write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Parked => "parked",
        }
    }
}

/// Which messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// `STATUS`: any of these.
    pub status: Vec<InboxStatus>,
    /// Held or parked ones only; they have not ended.
    pub waits: Option<Waits>,
    /// `TOPIC`.
    pub topic: Option<String>,
    /// `EVENT_TYPE`.
    pub event_type: Option<String>,
    /// `SOURCE_SYSTEM`.
    pub source_system: Option<String>,
    /// `AGGREGATE_ID`.
    pub aggregate: Option<String>,
    /// `MESSAGE_ID`.
    pub message_id: Option<String>,
    /// `ERROR_CODE` of the last failure; of messages that left the straight path.
    pub error_code: Option<String>,
    /// The group of the last failure, while the message counts in it: see
    /// [`Failures`](super::Failures).
    pub failure: Option<Fingerprint>,
    /// `RECEIVED_AT` at or after this.
    pub since: Option<Timestamp>,
    /// `RECEIVED_AT` before this.
    pub until: Option<Timestamp>,
    /// Occurs, as it is written, in `PAYLOAD`, `HEADERS`, `KEY_STR`, `MESSAGE_ID`, `AGGREGATE_ID` or
    /// `ERROR_MESSAGE`.
    pub text: Option<String>,
}

/// Which units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitFilter {
    /// `STATUS`: any of these.
    pub status: Vec<OutboxStatus>,
    /// Held ones only; they are PENDING. [`Waits::Parked`] finds nothing.
    pub waits: Option<Waits>,
    /// `DESTINATION`.
    pub destination: Option<Destination>,
    /// `EVENT_TYPE` of the intent.
    pub event_type: Option<String>,
    /// `AGGREGATE_ID` of the intent.
    pub aggregate: Option<String>,
    /// `RECORD_KEY`.
    pub record: Option<String>,
    /// Those of one intent.
    pub intent: Option<OutboxId>,
    /// Those of intents that a message caused.
    pub cause: Option<InboxId>,
    /// `ERROR_CODE` of the last failure; of units that left the straight path.
    pub error_code: Option<String>,
    /// The group of the last failure, while the unit counts in it.
    pub failure: Option<Fingerprint>,
    /// `CREATED_AT` at or after this.
    pub since: Option<Timestamp>,
    /// `CREATED_AT` before this.
    pub until: Option<Timestamp>,
    /// Occurs, as it is written, in `PAYLOAD` or `HEADERS` of the intent, `RECORD_KEY`, `AGGREGATE_ID` or
    /// `ERROR_MESSAGE`.
    pub text: Option<String>,
}

/// Which instances of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceFilter {
    /// `STATE`.
    pub state: Option<String>,
    /// How the `ID` begins.
    pub id_prefix: Option<String>,
    /// Only those with a failure.
    pub failed: bool,
}
