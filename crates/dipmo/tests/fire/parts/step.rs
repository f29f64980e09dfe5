//! A step, as a message says it.

use dipmo_domain::Json;
use dipmo_inbox::{Identity, NewMessage, Record};
use serde::{Deserialize, Serialize};

/// What a step wants done.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Step {
    /// Its place, from 1.
    pub(crate) n: i64,
    /// Fail for now until so many attempts were made.
    pub(crate) fails: u32,
    /// Tell these destinations.
    pub(crate) tell: Vec<String>,
    /// Look whether the row of the step before is there.
    pub(crate) look: bool,
    /// Ring under one of the names of [`TIMERS`](super::numbers::TIMERS).
    pub(crate) ring: Option<usize>,
    /// The publisher takes it at the second attempt only.
    pub(crate) refuse: bool,
    /// So many instances that decide this stop themselves there.
    pub(crate) stop_deciding: u32,
    /// So many instances that deliver this stop themselves there.
    pub(crate) stop_sending: u32,
    /// Anything at all, passed on.
    pub(crate) text: String,
}

/// A step as a message; the aggregate and the number are its id.
pub(crate) fn message(aggregate: &str, step: &Step) -> NewMessage {
    let payload = Json::of(step).unwrap();
    let record = Record {
        topic: "numbers".to_owned(),
        offset: step.n,
        timestamp_millis: -1,
        value: Some(payload.as_str().as_bytes().to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "fire".to_owned(),
        message_id: Some(format!("{aggregate}/{}", step.n)),
        aggregate_id: Some(aggregate.to_owned()),
        event_type: Some("Step".to_owned()),
        event_version: Some(1),
        source_version: None,
        event_ts: None,
    };
    NewMessage::decoded(&record, &identity, payload)
}
