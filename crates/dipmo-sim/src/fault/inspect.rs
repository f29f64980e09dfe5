//! The ports that the engine only looks through, or hardly uses.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::FactRow;
use dipmo_api::sql::{CheckedQuery, CheckedStatement};
use dipmo_api::table::DomainTable;
use dipmo_domain::{DedupeKey, Month, OutboxId, ProcessKey, StoreError, Timestamp};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{OutboxRow, RecordRow};
use dipmo_store::migration::Applied;
use dipmo_store::schema::{Plan, Schema, Status};
use dipmo_store::{
    Backlog, History, Incident, Inspect, Known, Probe, Probed, Pruned, StateMapping, StateRow,
    Store, Stray, Tables,
};

use crate::fault::Faulty;

#[async_trait]
impl Store for Faulty {
    async fn check_schema(&self) -> Result<(), StoreError> {
        self.sim.store.check_schema().await
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.sim.store.now().await
    }
}

#[async_trait]
impl Schema for Faulty {
    async fn migrate_mapping(
        &self,
        tables: &Tables,
        mapping: &StateMapping,
    ) -> Result<Vec<Applied>, StoreError> {
        self.sim.store.migrate_mapping(tables, mapping).await
    }

    async fn plan(&self, tables: &Tables) -> Result<Plan, StoreError> {
        self.sim.store.plan(tables).await
    }

    fn learn(&self, tables: &Tables) {
        self.sim.store.learn(tables);
    }

    async fn status(&self, tables: &Tables) -> Result<Status, StoreError> {
        self.sim.store.status(tables).await
    }

    async fn strays(&self, tables: &Tables) -> Result<Vec<Stray>, StoreError> {
        self.sim.store.strays(tables).await
    }
}

#[async_trait]
impl History for Faulty {
    async fn prepare_months(&self, ahead: u8) -> Result<(), StoreError> {
        self.call("prepare_months", move |store| async move { store.prepare_months(ahead).await })
            .await
    }

    async fn drop_before(&self, month: Month, limit: u32) -> Result<Pruned, StoreError> {
        self.sim.store.drop_before(month, limit).await
    }

    async fn forget_ids_before(&self, time: Timestamp, limit: u32) -> Result<Pruned, StoreError> {
        self.sim.store.forget_ids_before(time, limit).await
    }

    async fn dedupe_horizon(&self) -> Result<Option<Timestamp>, StoreError> {
        self.sim.store.dedupe_horizon().await
    }
}

#[async_trait]
impl Probe for Faulty {
    async fn probe(
        &self,
        queries: &[Arc<CheckedQuery>],
        statements: &[Arc<CheckedStatement>],
    ) -> Result<Vec<Probed>, StoreError> {
        self.sim.store.probe(queries, statements).await
    }
}

#[async_trait]
impl Inspect for Faulty {
    async fn inbox_rows(&self, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        self.sim.store.inbox_rows(limit).await
    }

    async fn outbox_rows(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        self.sim.store.outbox_rows(limit).await
    }

    async fn records(&self, intent: OutboxId) -> Result<Vec<RecordRow>, StoreError> {
        self.sim.store.records(intent).await
    }

    async fn instance(&self, key: &ProcessKey) -> Result<Option<StateRow>, StoreError> {
        self.sim.store.instance(key).await
    }

    async fn domain_rows(&self, table: &DomainTable) -> Result<Vec<FactRow>, StoreError> {
        self.sim.store.domain_rows(table).await
    }

    async fn incidents(&self, limit: u32) -> Result<Vec<Incident>, StoreError> {
        self.sim.store.incidents(limit).await
    }

    async fn known(&self, keys: &[DedupeKey]) -> Result<Vec<Option<Known>>, StoreError> {
        self.sim.store.known(keys).await
    }

    async fn backlog(&self) -> Result<Backlog, StoreError> {
        self.sim.store.backlog().await
    }
}
