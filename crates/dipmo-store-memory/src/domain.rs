//! Rows of domain tables: written by natural key, read as facts.

use std::collections::HashSet;
use std::sync::Arc;

use dipmo_api::sql::UserSql;
use dipmo_api::table::DomainTable;
use dipmo_api::{DomainWrite, FactRequest, FactRow, FactSource, Facts, WriteTarget};
use dipmo_domain::{StoreError, Value};

use crate::columns::{RowKey, check_value};
use crate::database::{Database, Map};

/// A table and its rows.
#[derive(Clone)]
pub(crate) struct DomainRows {
    pub(crate) table: Arc<DomainTable>,
    pub(crate) rows: Map<RowKey, FactRow>,
}

/// Writes or deletes one row. A statement is refused: there is no SQL in memory.
pub(crate) fn write(database: &mut Database, write: &DomainWrite) -> Result<(), StoreError> {
    let table = match write.target() {
        WriteTarget::Upsert(table) | WriteTarget::Delete(table) => table,
        WriteTarget::Run(statement) => return Err(no_sql(UserSql::Statement(statement))),
    };
    let mut stored = rows_of(database, table)?.clone();
    let key = RowKey(write.key());
    let there = stored.rows.get(&key);
    if write.is_delete() {
        if there.is_some_and(|row| deletes(write, row)) {
            stored.rows.remove_mut(&key);
        }
    } else {
        let row = merged(&stored.table, there, write);
        check_row(&stored.table, &row).map_err(refused)?;
        if there.is_none_or(|row| is_newer(write, row)) {
            stored.rows.insert_mut(key, row);
        }
    }
    database.domain.insert_mut(table.name, stored);
    Ok(())
}

/// The rows for each request, in the order of the table's key.
pub(crate) fn read_facts(
    database: &Database,
    requests: &[FactRequest],
) -> Result<Facts, StoreError> {
    let mut facts = Facts::default();
    let mut asked = HashSet::new();
    // Asked twice, a fact is the same rows, not twice as many.
    for request in requests.iter().filter(|request| asked.insert(*request)) {
        let fact = database.facts.get(request.name).ok_or_else(|| StoreError::SchemaMissing {
            problem: format!("fact {} was not installed", request.name),
        })?;
        let (table, by) = match &fact.source {
            FactSource::Table { table, by } => (table, by),
            FactSource::Query { query, .. } => return Err(no_sql(UserSql::Query(query))),
        };
        // NULL equals nothing, not even NULL.
        let key = request.key.one().filter(|key| **key != Value::Null);
        let is_asked = |row: &&FactRow| key.is_some() && row.get(by) == key;
        for row in rows_of(database, table)?.rows.values().filter(is_asked) {
            facts.add(request.clone(), shown(table, row));
        }
    }
    Ok(facts)
}

/// All rows, in the order of the table's key.
pub(crate) fn read_rows(
    database: &Database,
    table: &DomainTable,
) -> Result<Vec<FactRow>, StoreError> {
    Ok(rows_of(database, table)?.rows.values().map(|row| shown(table, row)).collect())
}

pub(crate) fn rows_of<'a>(
    database: &'a Database,
    table: &DomainTable,
) -> Result<&'a DomainRows, StoreError> {
    database.domain.get(table.name).ok_or_else(|| StoreError::SchemaMissing {
        problem: format!("table {} was not installed", table.name),
    })
}

/// The columns that the reader knows; the table may have more.
pub(crate) fn shown(table: &DomainTable, row: &FactRow) -> FactRow {
    let known = table.columns.iter().filter_map(|column| row.get_key_value(column.name));
    known.map(|(name, value)| (*name, value.clone())).collect()
}

/// What the constraints of the table say about a row.
fn check_row(table: &DomainTable, row: &FactRow) -> Result<(), String> {
    table
        .columns
        .iter()
        .try_for_each(|column| check_value(column, row.get(column.name).unwrap_or(&Value::Null)))
}

/// The row as the write leaves it: what is not named keeps what it has, or is NULL in a new row.
fn merged(table: &DomainTable, there: Option<&FactRow>, write: &DomainWrite) -> FactRow {
    let value = |name: &'static str| {
        let value = write.value(name).or_else(|| there?.get(name));
        (name, value.cloned().unwrap_or(Value::Null))
    };
    table.columns.iter().map(|column| value(column.name)).collect()
}

fn is_newer(write: &DomainWrite, row: &FactRow) -> bool {
    versions(write, row).is_none_or(|(new, stored)| new > stored)
}

fn deletes(write: &DomainWrite, row: &FactRow) -> bool {
    versions(write, row).is_none_or(|(new, stored)| stored <= new)
}

/// The version of the write and that of the row, where the table has one and the write gives it.
fn versions(write: &DomainWrite, row: &FactRow) -> Option<(i64, i64)> {
    let column = write.table()?.version?;
    let new = write.value(column)?.as_integer()?;
    Some((new, row.get(column)?.as_integer()?))
}

/// Never ignored: a process that reads or writes by SQL would decide on nothing.
pub(crate) fn no_sql(sql: UserSql<'_>) -> StoreError {
    StoreError::SqlUnsupported { sql: sql.title(), store: "the store in memory" }
}

fn refused(problem: String) -> StoreError {
    StoreError::RowRefused { statement: "write_rows", problem }
}
