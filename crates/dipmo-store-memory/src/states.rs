//! Rows of process tables: inserted, or updated under their version.

use std::collections::{BTreeMap, HashMap};

use dipmo_api::table::ProcessTable;
use dipmo_domain::{ProcessKey, StoreError, Timestamp};
use dipmo_store::{StateRow, StateWrite};
use serde::de::IgnoredAny;

use crate::columns::check_text;
use crate::database::Database;

/// The longest `ID` of an instance.
const ID_CHARS: usize = 200;

/// The instances that exist.
pub(crate) fn read_states(
    database: &Database,
    keys: &[ProcessKey],
) -> Result<HashMap<ProcessKey, StateRow>, StoreError> {
    let mut found = HashMap::new();
    for key in keys {
        if let Some(row) = instance(database, key)? {
            found.insert(key.clone(), row.clone());
        }
    }
    Ok(found)
}

/// One instance, if it exists.
pub(crate) fn instance<'a>(
    database: &'a Database,
    key: &ProcessKey,
) -> Result<Option<&'a StateRow>, StoreError> {
    table(database, &key.process)?;
    Ok(database.states.get(key))
}

/// Writes instances; one that is not as it was read is a conflict.
pub(crate) fn write_states(
    database: &mut Database,
    writes: &[StateWrite],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut conflicts = Vec::new();
    for write in writes {
        let row = row(write, now);
        check_row(table(database, &write.key.process)?, &row).map_err(refused)?;
        let stored = database.states.get(&write.key).map(|row| row.version);
        if stored == write.expected_version {
            database.states.insert_mut(write.key.clone(), row);
        } else {
            conflicts.push(&write.key.process);
        }
    }
    match conflicts.first() {
        None => Ok(()),
        Some(process) => Err(StoreError::VersionConflict {
            process: (*process).clone(),
            changed: conflicts.iter().filter(|other| other == &process).count(),
        }),
    }
}

/// What the constraints of the table say about a row.
pub(crate) fn check_row(table: &ProcessTable, row: &StateRow) -> Result<(), String> {
    check_text("ID", &row.key.id, ID_CHARS)?;
    if !table.states.contains(&row.state.as_str()) {
        return Err(format!("{} does not allow STATE {:?}", table.state_check, row.state));
    }
    // Only whether a field is there counts: nothing reads a projected column back.
    let fields: BTreeMap<String, Option<IgnoredAny>> = row.context.read().unwrap_or_default();
    let is_there = |field: &str| matches!(fields.get(field), Some(Some(_)));
    match table.projected.iter().find(|column| column.required && !is_there(column.field)) {
        None => Ok(()),
        Some(column) => Err(format!("{} must not be NULL", column.name)),
    }
}

fn row(write: &StateWrite, now: Timestamp) -> StateRow {
    StateRow {
        key: write.key.clone(),
        state: write.state.clone(),
        version: write.version,
        context: write.context.clone(),
        event_versions: write.event_versions.clone(),
        attempts: write.attempts,
        last_event_ts: write.last_event_ts.unwrap_or(now),
        failure: write.failure.clone(),
    }
}

fn table<'a>(database: &'a Database, process: &str) -> Result<&'a ProcessTable, StoreError> {
    let table = database.processes.get(process).map(|table| &**table);
    table.ok_or_else(|| StoreError::SchemaMissing {
        problem: format!("process {process} has no table"),
    })
}

fn refused(problem: String) -> StoreError {
    StoreError::RowRefused { statement: "write_states", problem }
}
