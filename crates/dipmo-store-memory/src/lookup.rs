//! Rows of domain tables by keys.

use std::collections::HashSet;

use async_trait::async_trait;
use dipmo_api::sql::UserSql;
use dipmo_api::table::Column;
use dipmo_api::{FactDefinition, FactRow, FactSource};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Lookup;

use crate::MemoryStore;
use crate::columns::is_of_kind;
use crate::database::Database;
use crate::domain::{no_sql, rows_of, shown};

#[async_trait]
impl Lookup for MemoryStore {
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError> {
        self.read(|database, _| look_up(database, fact, keys))
    }
}

fn look_up(
    database: &Database,
    fact: &FactDefinition,
    keys: &[Value],
) -> Result<Vec<FactRow>, StoreError> {
    let (table, by) = match &fact.source {
        FactSource::Table { table, by } => (table, *by),
        FactSource::Query { query, .. } => return Err(no_sql(UserSql::Query(query))),
    };
    let stored = rows_of(database, table)?;
    let lacks = |name: &str| StoreError::SchemaMissing {
        problem: format!("table {} has no column {name}", table.name),
    };
    let is_missing = |column: &&Column| stored.table.column(column.name).is_none();
    if let Some(column) = table.columns.iter().find(is_missing) {
        return Err(lacks(column.name));
    }
    let column = table.column(by).ok_or_else(|| lacks(by))?;
    if !keys.iter().all(|key| is_of_kind(column.kind, key)) {
        let problem = format!("a key is not of {:?}, as {by} is", column.kind);
        return Err(StoreError::RowRefused { statement: "look_up", problem });
    }
    // NULL equals nothing, not even NULL.
    let keys: HashSet<&Value> = keys.iter().filter(|key| **key != Value::Null).collect();
    let is_asked = |row: &&FactRow| row.get(by).is_some_and(|value| keys.contains(value));
    Ok(stored.rows.values().filter(is_asked).map(|row| shown(table, row)).collect())
}
