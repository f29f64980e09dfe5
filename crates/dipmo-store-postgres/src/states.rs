//! Rows of process tables: one read and at most two writes for each process of a wave.

use std::collections::BTreeMap;

use dipmo_domain::{Json, ProcessKey, StoreError};
use dipmo_store::{StateRow, StateWrite, Tables};
use tokio_postgres::Row;

use crate::projected::Projected;
use crate::rows;
use crate::sql::{Call, Param, Sql, params};
use crate::types::{PgJson, PgTime};

/// Instances of one process to read.
pub(crate) struct StateRead {
    process: String,
    sql: Sql,
    ids: Vec<String>,
}

pub(crate) fn reads(tables: &Tables, keys: Vec<ProcessKey>) -> Result<Vec<StateRead>, StoreError> {
    let mut by_process: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for key in keys {
        by_process.entry(key.process).or_default().push(key.id);
    }
    by_process
        .into_iter()
        .map(|(process, ids)| Ok(StateRead { sql: find(&table(tables, &process)?), process, ids }))
        .collect()
}

impl StateRead {
    pub(crate) fn call(&self) -> Call {
        self.sql.clone().with(params![self.ids.clone()])
    }

    pub(crate) fn rows(&self, rows: &[Row]) -> Result<Vec<(ProcessKey, StateRow)>, StoreError> {
        rows.iter()
            .map(|row| state(&self.process, row).map(|state| (state.key.clone(), state)))
            .collect()
    }
}

/// The name of a process's table, in lower case as PostgreSQL folds it.
pub(crate) fn table(tables: &Tables, process: &str) -> Result<String, StoreError> {
    tables.process(process).map(|table| table.table_name().to_lowercase()).ok_or_else(|| {
        StoreError::SchemaMissing {
            problem: format!("process {process} has no table; migrate first"),
        }
    })
}

pub(crate) fn find(table: &str) -> Sql {
    Sql::dynamic("state_find", include_str!("../sql/state_find.sql").replace("{table}", table))
}

pub(crate) fn state(process: &str, row: &Row) -> Result<StateRow, StoreError> {
    let versions: Option<PgJson> = row.get(4);
    let versions = versions.map_or_else(|| Ok(BTreeMap::new()), |json| json.0.read());
    Ok(StateRow {
        key: ProcessKey { process: process.to_owned(), id: row.get(0) },
        state: row.get(1),
        version: row.get(2),
        context: row.get::<_, PgJson>(3).0,
        event_versions: versions
            .map_err(|error| rows::unreadable("LAST_EVENT_VERSIONS", &error.to_string()))?,
        attempts: u32::try_from(row.get::<_, i32>(5)).unwrap_or(0),
        last_event_ts: row.get::<_, PgTime>(6).0,
        failure: rows::failure(row, 7),
    })
}

/// The statements that write instances: new ones are inserted, others updated where VERSION is the
/// one that was read. Both fail unless they touch every row.
pub(crate) fn writes(tables: &Tables, states: Vec<StateWrite>) -> Result<Vec<Call>, StoreError> {
    let mut by_process: BTreeMap<(String, bool), Vec<StateWrite>> = BTreeMap::new();
    for state in states {
        let is_new = state.expected_version.is_none();
        by_process.entry((state.key.process.clone(), is_new)).or_default().push(state);
    }
    by_process
        .into_iter()
        .map(|((process, is_new), states)| {
            let (name, text) = if is_new {
                ("state_insert", include_str!("../sql/state_insert.sql"))
            } else {
                ("state_update", include_str!("../sql/state_update.sql"))
            };
            let projected = Projected::of(tables, &process);
            let text = projected.render(text).replace("{table}", &table(tables, &process)?);
            let mut params = write(process, &states);
            params.extend(projected.params(&states));
            Ok(Sql::dynamic(name, text).with(params))
        })
        .collect()
}

fn write(process: String, states: &[StateWrite]) -> Vec<Param> {
    macro_rules! column {
        ($of:expr) => {
            states.iter().map($of).collect::<Vec<_>>()
        };
    }
    let versions = |state: &StateWrite| match state.event_versions.is_empty() {
        true => None,
        false => Json::of(&state.event_versions).ok().map(PgJson),
    };
    params![
        column!(|s| s.key.id.clone()),
        column!(|s| s.state.clone()),
        column!(|s| s.version),
        column!(|s| PgJson(s.context.clone())),
        column!(versions),
        column!(|s| i32::try_from(s.attempts).unwrap_or(i32::MAX)),
        column!(|s| s.last_event_ts.map(PgTime)),
        column!(|s| s.failure.as_ref().map(|failure| failure.code().to_owned())),
        column!(|s| s.failure.as_ref().map(|failure| failure.message().to_owned())),
        column!(|s| s.expected_version.unwrap_or(0)),
        process,
    ]
}
