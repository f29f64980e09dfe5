//! The schema: nothing to create, but the same rules as in a database.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::table::{Column, DomainTable, ProcessTable, ProjectedColumn};
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::migration::{self, Applied, Migration};
use dipmo_store::{Store, Tables};

use crate::MemoryStore;
use crate::database::{Database, Map};
use crate::domain::{DomainRows, no_sql};
use crate::states::check_row;

/// Memory has no past: one step that creates everything.
pub(crate) const MIGRATIONS: [Migration; 1] =
    [Migration { version: 1, name: "memory", sql: "", breaks_older: false }];

#[async_trait]
impl Store for MemoryStore {
    async fn check_schema(&self) -> Result<(), StoreError> {
        self.read(|_, _| Ok(()))
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.lock().now)
    }
}

pub(crate) fn apply(database: &mut Database, now: Timestamp) -> Result<Vec<Applied>, StoreError> {
    let pending = migration::pending(&MIGRATIONS, &database.migrations)?;
    let applied = |step: &Migration| Applied {
        version: step.version,
        name: step.name.to_owned(),
        checksum: step.checksum(),
        breaks_older: step.breaks_older,
        applied_at: now,
    };
    let applied: Vec<Applied> = pending.iter().map(applied).collect();
    database.migrations.extend(applied.clone());
    Ok(applied)
}

pub(crate) fn install(database: &mut Database, tables: &Tables) -> Result<(), StoreError> {
    if let Some(sql) = tables.sql().next() {
        return Err(no_sql(sql));
    }
    for table in &tables.processes {
        install_process(database, table)
            .map_err(|problem| StoreError::TableMismatch { table: table.table_name(), problem })?;
    }
    for table in &tables.domain {
        install_domain(database, table).map_err(|problem| StoreError::TableMismatch {
            table: table.name.to_owned(),
            problem,
        })?;
    }
    for fact in &tables.facts {
        database.facts.insert_mut(fact.name, fact.clone());
    }
    Ok(())
}

/// The columns of a table stay as it was made; its states become those of the definition and of all
/// before it: an older instance that starts again must not forbid those of a newer one.
fn install_process(database: &mut Database, table: &Arc<ProcessTable>) -> Result<(), String> {
    let mut table = Arc::clone(table);
    if let Some(installed) = database.processes.get(table.process) {
        let is_new = |column: &&ProjectedColumn| !installed.projected.contains(column);
        if let Some(column) = table.projected.iter().find(is_new) {
            return Err(format!("it has no column {} of {}", column.name, column.field));
        }
        let table = Arc::make_mut(&mut table);
        table.projected.clone_from(&installed.projected);
        let older = installed.states.iter().filter(|state| !table.states.contains(state));
        let older: Vec<_> = older.copied().collect();
        table.states.extend(older);
    }
    let mut rows = database.states.values().filter(|row| row.key.process == table.process);
    rows.try_for_each(|row| check_row(&table, row))?;
    database.processes.insert_mut(table.process.to_owned(), table);
    Ok(())
}

/// A table stays as it was made: it may have more columns than the definition, not less.
fn install_domain(database: &mut Database, table: &Arc<DomainTable>) -> Result<(), String> {
    let Some(DomainRows { table: installed, .. }) = database.domain.get(table.name) else {
        let rows = DomainRows { table: Arc::clone(table), rows: Map::default() };
        database.domain.insert_mut(table.name, rows);
        return Ok(());
    };
    if installed.key != table.key {
        return Err(format!("its key is {:?}", installed.key));
    }
    let kind = |name| installed.column(name).map(|column| column.kind);
    let is_other = |column: &&Column| kind(column.name) != Some(column.kind);
    match table.columns.iter().find(is_other) {
        None => Ok(()),
        Some(column) => Err(format!("it has no column {} of {:?}", column.name, column.kind)),
    }
}
