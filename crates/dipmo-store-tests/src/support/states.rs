//! Rows of the process `SUITE`.

use std::collections::BTreeMap;

use dipmo_domain::{Json, ProcessKey};
use dipmo_store::StateWrite;

/// An instance of the process `SUITE`.
#[must_use]
pub fn suite_key(id: &str) -> ProcessKey {
    ProcessKey { process: "SUITE".to_owned(), id: id.to_owned() }
}

/// Makes an instance.
#[must_use]
pub fn new_state(id: &str) -> StateWrite {
    StateWrite {
        key: suite_key(id),
        expected_version: None,
        version: 1,
        state: "STARTED".to_owned(),
        context: Json::parse(r#"{"reference":"R-1"}"#).unwrap(),
        event_versions: BTreeMap::new(),
        attempts: 0,
        last_event_ts: None,
        failure: None,
    }
}

/// Moves an instance from one version to the next.
#[must_use]
pub fn changed_state(id: &str, from: i64) -> StateWrite {
    StateWrite {
        expected_version: Some(from),
        version: from + 1,
        state: "WAITING".to_owned(),
        ..new_state(id)
    }
}
