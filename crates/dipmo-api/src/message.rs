//! A message as a process sees it: the row of the inbox, borrowed.

use dipmo_domain::{Headers, InboxId, Json, Timestamp};

/// What the inbox knows of a message, without its status.
#[derive(Clone, Copy, Debug)]
pub struct MessageView<'a> {
    /// `INBOX.ID`.
    pub inbox_id: InboxId,
    /// The producer's id of the message.
    pub message_id: &'a str,
    /// The system that it came from.
    pub source_system: &'a str,
    /// The Kafka topic, or `internal:<name>`, `http:<path>`, `timer:<process>`, `outcome:<process>`.
    pub topic: &'a str,
    /// What the message is about, if it says so.
    pub aggregate_id: Option<&'a str>,
    /// What happened, if it says so.
    pub event_type: Option<&'a str>,
    /// The version of the event's contract, if a header or a rule of the source gave it.
    pub event_version: Option<u16>,
    /// The producer's version of the aggregate, where the source has one.
    pub source_version: Option<i64>,
    /// The payload, as it was sent.
    pub payload: &'a Json,
    /// The headers, as they were sent.
    pub headers: &'a Headers,
    /// When it happened, by the producer's clock.
    pub event_ts: Option<Timestamp>,
    /// When it was stored, by the database's clock.
    pub received_at: Timestamp,
    /// How many attempts failed before this one.
    pub attempts: u32,
}

/// Names the instance that a message of dipmo's own is for, where its aggregate is only what keeps
/// it in order. Heeded on [`timer_topic`] and [`outcome_topic`] alone, which nobody else can fill.
pub const INSTANCE_HEADER: &str = "dipmo-instance";

/// The topic of a process's own timers.
#[must_use]
pub fn timer_topic(process: &str) -> String {
    format!("timer:{process}")
}

/// The topic of the outcomes that a process asked for with
/// [`Effect::expects_outcome`](crate::Effect::expects_outcome).
#[must_use]
pub fn outcome_topic(process: &str) -> String {
    format!("outcome:{process}")
}
