//! Rows of process tables.

use std::collections::BTreeMap;

use dipmo_domain::{Failure, Json, ProcessKey, StoreError};
use dipmo_store::{StateRow, StateWrite};
use rusqlite::{Row, params};

use crate::ddl::quoted;
use crate::error::unreadable;
use crate::tx::Tx;
use crate::{rows, sql};

/// An instance, if it is there.
pub(crate) fn find(tx: &Tx<'_>, key: &ProcessKey) -> Result<Option<StateRow>, StoreError> {
    tx.one(&sql::state_find(&table(&key.process)), [&key.id], |row| read(row, key))
        .map_err(|error| no_table(error, &key.process))
}

/// Writes instances. All of them must be as they were read.
pub(crate) fn write(tx: &Tx<'_>, writes: &[StateWrite]) -> Result<(), StoreError> {
    let mut changed: BTreeMap<&str, usize> = BTreeMap::new();
    for write in writes {
        if write_one(tx, write)? != 1 {
            *changed.entry(&write.key.process).or_default() += 1;
        }
    }
    match changed.into_iter().next() {
        None => Ok(()),
        Some((process, changed)) => {
            Err(StoreError::VersionConflict { process: process.to_owned(), changed })
        }
    }
}

fn write_one(tx: &Tx<'_>, write: &StateWrite) -> Result<usize, StoreError> {
    let table = table(&write.key.process);
    let versions = serde_json::to_string(&write.event_versions).map_err(|error| {
        StoreError::RowRefused { statement: "state_update", problem: error.to_string() }
    })?;
    let last_event_ts = write.last_event_ts.unwrap_or(tx.now()).as_micros();
    let code = write.failure.as_ref().map(Failure::code);
    let message = write.failure.as_ref().map(Failure::message);
    let done = match write.expected_version {
        None => tx.run(
            &sql::state_insert(&table),
            params![
                write.key.id,
                write.state,
                write.version,
                write.context.as_str(),
                versions,
                write.attempts,
                last_event_ts,
                code,
                message,
            ],
        ),
        Some(expected) => tx.run(
            &sql::state_update(&table),
            params![
                write.key.id,
                write.state,
                write.version,
                write.context.as_str(),
                versions,
                write.attempts,
                last_event_ts,
                code,
                message,
                expected,
            ],
        ),
    };
    done.map_err(|error| no_table(error, &write.key.process))
}

/// An instance, from the first columns of a row.
pub(crate) fn read(row: &Row<'_>, key: &ProcessKey) -> rusqlite::Result<StateRow> {
    let versions = row.get_ref(3)?.as_str()?;
    Ok(StateRow {
        key: key.clone(),
        state: row.get(0)?,
        version: row.get(1)?,
        context: Json::from_store(row.get::<_, String>(2)?),
        event_versions: serde_json::from_str(versions).map_err(|error| unreadable(3, error))?,
        attempts: row.get(4)?,
        last_event_ts: rows::time(row, 5)?,
        failure: rows::failure(row, 6)?,
    })
}

/// `<NAME>_PROCESS`, in quotes: a name that nobody checked cannot become SQL.
pub(crate) fn table(process: &str) -> String {
    quoted(&format!("{process}_PROCESS"))
}

/// Says which table it is that is not there.
pub(crate) fn no_table(error: StoreError, process: &str) -> StoreError {
    match error {
        StoreError::SchemaMissing { problem } => {
            StoreError::TableMismatch { table: format!("{process}_PROCESS"), problem }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_become_sql() {
        let name = table("X\"; DROP TABLE inbox_log; --");
        assert_eq!(name, "\"X\"\"; DROP TABLE inbox_log; --_PROCESS\"");
    }
}
