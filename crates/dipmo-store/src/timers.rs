//! The message that a due timer becomes.

use dipmo_api::{INSTANCE_HEADER, timer_topic};
use dipmo_domain::{Headers, Json, ProcessKey};
use dipmo_inbox::{Identity, NewMessage, Record};

/// A timer whose time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueTimer {
    /// Whose timer it is.
    pub instance: ProcessKey,
    /// Its name.
    pub name: String,
    /// The aggregate that its message is ordered with.
    pub aggregate_id: String,
    /// The type of the event.
    pub event_type: String,
    /// Its payload.
    pub payload: Json,
}

/// The inbox message of a timer. `sequence` is a number that no other firing ever had: a timer
/// that is set again after it fired is a new message, not a duplicate.
#[must_use]
pub fn timer_message(timer: &DueTimer, sequence: i64) -> NewMessage {
    let record = Record {
        topic: timer_topic(&timer.instance.process),
        partition: 0,
        offset: sequence,
        key: None,
        headers: Headers::default().with(INSTANCE_HEADER, &timer.instance.id),
        timestamp_millis: -1,
        value: Some(timer.payload.as_str().as_bytes().to_vec()),
    };
    let identity = Identity {
        source_system: "timer".to_owned(),
        message_id: Some(format!("{}:{}:{sequence}", timer.instance.process, timer.name)),
        aggregate_id: Some(timer.aggregate_id.clone()),
        event_type: Some(timer.event_type.clone()),
        ..Identity::default()
    };
    NewMessage::decoded(&record, &identity, timer.payload.clone())
}
