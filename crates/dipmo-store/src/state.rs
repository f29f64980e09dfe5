//! Rows of process tables.

use std::collections::BTreeMap;

use dipmo_domain::{Failure, Json, ProcessKey, Timestamp};

/// One instance of a process as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// The process and the `ID` of the instance.
    pub key: ProcessKey,
    /// `STATE`.
    pub state: String,
    /// `VERSION`: our optimistic lock. It moves with every transition, timers included, and is
    /// never compared with a version of the producer.
    pub version: i64,
    /// `CONTEXT`: the document of the process.
    pub context: Json,
    /// `LAST_EVENT_VERSIONS`: the producer's last version, per source.
    pub event_versions: BTreeMap<String, i64>,
    /// `ATTEMPTS` of the step that is being tried.
    pub attempts: u32,
    /// `LAST_EVENT_TS`.
    pub last_event_ts: Timestamp,
    /// `ERROR_CODE` and `ERROR_MESSAGE`.
    pub failure: Option<Failure>,
}

/// What an instance becomes after one or more transitions of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateWrite {
    /// The process and the `ID` of the instance.
    pub key: ProcessKey,
    /// The VERSION that was read; `None` makes the row, which must not be there yet.
    pub expected_version: Option<i64>,
    /// The VERSION to write: one more for each transition.
    pub version: i64,
    /// `STATE`.
    pub state: String,
    /// `CONTEXT`.
    pub context: Json,
    /// `LAST_EVENT_VERSIONS`.
    pub event_versions: BTreeMap<String, i64>,
    /// `ATTEMPTS`.
    pub attempts: u32,
    /// `LAST_EVENT_TS`; `None` is the time of the database.
    pub last_event_ts: Option<Timestamp>,
    /// `ERROR_CODE` and `ERROR_MESSAGE`.
    pub failure: Option<Failure>,
}
