//! Definitions that change while instances are in flight.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::table::ProcessTable;
use dipmo_domain::StoreError;
use dipmo_store::definitions::{Definition, STRAY_IDS, StateMapping, Stray, fingerprint};
use dipmo_store::migration::{self, Applied};
use dipmo_store::schema::{Orphan, Plan, PlannedStates, PlannedTable, Schema, Status};
use dipmo_store::{StateRow, Tables};

use crate::MemoryStore;
use crate::database::Database;
use crate::schema::{MIGRATIONS, apply, install};

#[async_trait]
impl Schema for MemoryStore {
    async fn migrate_mapping(
        &self,
        tables: &Tables,
        mapping: &StateMapping,
    ) -> Result<Vec<Applied>, StoreError> {
        mapping.check(tables)?;
        let mut shared = self.lock();
        let mut database = shared.database.clone();
        mapping.cover(&strays(&database, tables))?;
        let applied = apply(&mut database, shared.now)?;
        install(&mut database, tables)?;
        for table in &tables.processes {
            move_instances(&mut database, table.process, mapping);
            remember(&mut database, table);
        }
        shared.database = database;
        Ok(applied)
    }

    async fn plan(&self, tables: &Tables) -> Result<Plan, StoreError> {
        // Installed in a clone that is dropped: what cannot be installed is no plan.
        let database = self.lock().database.clone();
        install(&mut database.clone(), tables)?;
        let mut plan = Plan {
            steps: migration::pending(&MIGRATIONS, &database.migrations)?.to_vec(),
            ..Plan::default()
        };
        let made = |table: String| PlannedTable { table, sql: String::new() };
        for table in &tables.processes {
            let Some(installed) = database.processes.get(table.process) else {
                plan.tables.push(made(table.table_name()));
                continue;
            };
            let new = table.states.iter().filter(|state| !installed.states.contains(state));
            let adds: Vec<String> = new.map(|state| (*state).to_owned()).collect();
            if !adds.is_empty() {
                let process = table.process.to_owned();
                plan.states.push(PlannedStates { process, adds, sql: String::new() });
            }
        }
        let missing =
            tables.domain.iter().filter(|table| !database.domain.contains_key(table.name));
        plan.tables.extend(missing.map(|table| made(table.name.to_owned())));
        Ok(plan)
    }

    /// The database is the store, and knows what is installed in it.
    fn learn(&self, _: &Tables) {}

    async fn status(&self, tables: &Tables) -> Result<Status, StoreError> {
        let database = self.lock().database.clone();
        let left = database.processes.values().filter(|it| tables.process(it.process).is_none());
        let orphans = left.map(|table| Orphan {
            table: table.table_name(),
            rows: Some(count(instances(&database, table.process).count())),
        });
        Ok(Status::of(&MIGRATIONS, database.migrations.clone(), orphans.collect()))
    }

    async fn strays(&self, tables: &Tables) -> Result<Vec<Stray>, StoreError> {
        self.read(|database, _| Ok(strays(database, tables)))
    }
}

fn strays(database: &Database, tables: &Tables) -> Vec<Stray> {
    tables.processes.iter().flat_map(|table| strays_of(database, table)).collect()
}

fn strays_of(database: &Database, table: &ProcessTable) -> Vec<Stray> {
    let mut by_state: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in instances(database, table.process) {
        if !table.states.contains(&row.state.as_str()) {
            by_state.entry(&row.state).or_default().push(&row.key.id);
        }
    }
    let definitions = database.definitions.get(table.process).cloned().unwrap_or_default();
    let stray = |(state, ids): (&str, Vec<&str>)| Stray {
        process: table.process.to_owned(),
        state: state.to_owned(),
        count: count(ids.len()),
        ids: ids.iter().take(STRAY_IDS).map(|id| (*id).to_owned()).collect(),
        newer: definitions.has_later(table, state),
    };
    by_state.into_iter().map(stray).collect()
}

/// Moves instances as the mapping says, and forgets the states that they leave.
fn move_instances(database: &mut Database, process: &str, mapping: &StateMapping) {
    let mut moved = Vec::new();
    for (from, to) in mapping.of(process) {
        let there = instances(database, process).filter(|row| row.state == from);
        let goes = |row: &StateRow| StateRow {
            state: to.to_owned(),
            version: row.version + 1,
            ..row.clone()
        };
        moved.extend(there.map(goes));
    }
    for row in moved {
        database.states.insert_mut(row.key.clone(), row);
    }
    let gone = mapping.gone(process);
    if let Some(installed) = database.processes.get(process).cloned() {
        let mut installed = installed;
        Arc::make_mut(&mut installed).states.retain(|state| !gone.contains(state));
        database.processes.insert_mut(process.to_owned(), installed);
    }
}

/// Remembers which states belonged together, and when they came.
fn remember(database: &mut Database, table: &ProcessTable) {
    let mut definitions = database.definitions.get(table.process).cloned().unwrap_or_default();
    if definitions.find(table).is_none() {
        let generation = definitions.generation(table);
        // A look costs nothing here: it is never spared.
        let new = Definition { generation, states: fingerprint(table), settled: false };
        definitions.0.push(new);
        database.definitions.insert_mut(table.process.to_owned(), definitions);
    }
}

fn instances<'a>(database: &'a Database, process: &'a str) -> impl Iterator<Item = &'a StateRow> {
    database.states.values().filter(move |row| row.key.process == process)
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
