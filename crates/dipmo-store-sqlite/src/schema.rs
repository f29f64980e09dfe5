//! Migrating, and looking at the schema without changing it.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::migration::{self, Applied};
use dipmo_store::schema::{Orphan, Plan, Schema, Status};
use dipmo_store::{StateMapping, Stray, Tables};

use crate::migrate::{self, MIGRATIONS};
use crate::tables::{self, Change};
use crate::tx::Tx;
use crate::{SqliteStore, ddl, definitions, sql};

#[async_trait]
impl Schema for SqliteStore {
    /// One transaction, whatever it moves: a table whose CHECK changes is copied anyway, and no batch
    /// can be in the middle of anything while it runs.
    async fn migrate_mapping(
        &self,
        tables: &Tables,
        mapping: &StateMapping,
    ) -> Result<Vec<Applied>, StoreError> {
        mapping.check(tables)?;
        let (tables, mapping) = (Arc::new(tables.clone()), mapping.clone());
        let ours = Arc::clone(&tables);
        let install = move |tx: &mut Tx<'_>| {
            let applied = migrate::apply(tx)?;
            definitions::refuse_strays(tx, &tables, &mapping)?;
            tables::install(tx, &tables, &mapping)?;
            definitions::remember(tx, &tables)?;
            Ok(applied)
        };
        let applied = self.write(install).await?;
        self.set_tables(ours);
        Ok(applied)
    }

    async fn plan(&self, tables: &Tables) -> Result<Plan, StoreError> {
        let tables = tables.clone();
        self.read(move |tx| {
            let steps = migration::pending(MIGRATIONS, &migrate::found(tx)?)?.to_vec();
            let mut plan = Plan { steps, ..Plan::default() };
            for change in tables::changes(tx, &tables, &StateMapping::default())? {
                match change {
                    Change::Table(table) => plan.tables.push(table),
                    Change::States(states) => plan.states.push(states),
                }
            }
            Ok(plan)
        })
        .await
    }

    fn learn(&self, tables: &Tables) {
        self.set_tables(Arc::new(tables.clone()));
    }

    async fn status(&self, tables: &Tables) -> Result<Status, StoreError> {
        let tables = tables.clone();
        self.read(move |tx| Ok(Status::of(MIGRATIONS, migrate::found(tx)?, orphans(tx, &tables)?)))
            .await
    }

    async fn strays(&self, tables: &Tables) -> Result<Vec<Stray>, StoreError> {
        let tables = tables.clone();
        self.read(move |tx| definitions::strays(tx, &tables)).await
    }
}

fn orphans(tx: &Tx<'_>, tables: &Tables) -> Result<Vec<Orphan>, StoreError> {
    let there: Vec<String> = tx.all(&sql::process_tables(), (), |row| row.get(0))?;
    let is_ours = |name: &String| tables.processes.iter().any(|table| table.table_name() == *name);
    let orphan = |table: String| {
        // One that somebody made WITHOUT ROWID cannot be told without reading it.
        let rows = tx.one(&sql::process_rows(&ddl::quoted(&table)), (), |row| row.get(0));
        Orphan { table, rows: rows.ok().flatten() }
    };
    Ok(there.into_iter().filter(|name| !is_ours(name)).map(orphan).collect())
}
