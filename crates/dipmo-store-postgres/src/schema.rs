//! Migrating, and looking at the schema without changing it.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::migration::{self, Applied};
use dipmo_store::schema::{Orphan, Plan, Schema, Status};
use dipmo_store::{StateMapping, Stray, Tables};
use tokio_postgres::Row;

use crate::ddl::{self, Change};
use crate::migrate::{self, MIGRATIONS};
use crate::session::Session;
use crate::store::PostgresStore;
use crate::{definitions, sql};

#[async_trait]
impl Schema for PostgresStore {
    async fn migrate_mapping(
        &self,
        tables: &Tables,
        mapping: &StateMapping,
    ) -> Result<Vec<Applied>, StoreError> {
        let applied = migrate::run(self, tables, mapping).await?;
        self.set_tables(tables);
        Ok(applied)
    }

    async fn plan(&self, tables: &Tables) -> Result<Plan, StoreError> {
        let mut session = looking(self).await?;
        let plan = plan(&mut session, tables).await;
        seen(session, plan).await
    }

    fn learn(&self, tables: &Tables) {
        self.set_tables(tables);
    }

    async fn status(&self, tables: &Tables) -> Result<Status, StoreError> {
        let mut session = looking(self).await?;
        let status = status(&mut session, tables).await;
        seen(session, status).await
    }

    async fn strays(&self, tables: &Tables) -> Result<Vec<Stray>, StoreError> {
        let session = looking(self).await?;
        let strays = definitions::strays(&session, tables).await;
        seen(session, strays).await
    }
}

/// A transaction that cannot write: what it locks is what every reader locks, until it ends.
async fn looking(store: &PostgresStore) -> Result<Session, StoreError> {
    let mut session = store.report().await?;
    session.run(vec![sql::begin_read().call()]).await?;
    Ok(session)
}

/// Ends it.
async fn seen<T>(mut session: Session, seen: Result<T, StoreError>) -> Result<T, StoreError> {
    if seen.is_ok() {
        session.run(vec![sql::commit().call()]).await?;
    }
    session.finish(seen).await
}

async fn plan(session: &mut Session, tables: &Tables) -> Result<Plan, StoreError> {
    let steps = migration::pending(MIGRATIONS, &migrate::found(session).await?)?.to_vec();
    let mut plan = Plan { steps, ..Plan::default() };
    for change in ddl::changes(session, tables, &StateMapping::default()).await? {
        match change {
            Change::Table(table) => plan.tables.push(table),
            Change::States(states) => plan.states.push(states),
        }
    }
    Ok(plan)
}

async fn status(session: &mut Session, tables: &Tables) -> Result<Status, StoreError> {
    let applied = migrate::found(session).await?;
    // The count is that of the last ANALYZE, by hand or by autovacuum; below zero, there was none.
    let text = "select upper(c.relname::text), c.reltuples::int8 from pg_class c \
                where c.relnamespace = current_schema()::text::regnamespace \
                and c.relkind in ('r', 'p') and c.relname like '%\\_process' \
                and (select count(*) from pg_attribute a \
                     where a.attrelid = c.oid and not a.attisdropped \
                     and a.attname in ('id', 'state', 'version', 'context')) = 4 \
                order by 1";
    let rows = definitions::query(session, text, &[]).await?;
    let orphan =
        |row: &Row| Orphan { table: row.get(0), rows: u64::try_from(row.get::<_, i64>(1)).ok() };
    let is_ours = |name: &str| tables.processes.iter().any(|table| table.table_name() == name);
    let orphans = rows.iter().map(orphan).filter(|orphan| !is_ours(&orphan.table)).collect();
    Ok(Status::of(MIGRATIONS, applied, orphans))
}
