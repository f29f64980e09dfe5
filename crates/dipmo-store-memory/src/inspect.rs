//! Looking without touching.

use async_trait::async_trait;
use dipmo_api::FactRow;
use dipmo_api::table::DomainTable;
use dipmo_domain::{DedupeKey, OutboxId, ProcessKey, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{OutboxRow, RecordRow};
use dipmo_store::{Backlog, Incident, Inspect, Known, StateRow};

use crate::MemoryStore;
use crate::backlog::backlog;
use crate::domain::read_rows;
use crate::rows::{inbox_row, outbox_row, record_row};
use crate::states::instance;

#[async_trait]
impl Inspect for MemoryStore {
    async fn inbox_rows(&self, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        self.read(|database, _| {
            let newest = database.inbox.log.values().rev().take(as_usize(limit));
            Ok(newest.map(|message| inbox_row(&database.inbox, message)).collect())
        })
    }

    async fn outbox_rows(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        self.read(|database, _| {
            let newest = database.outbox.log.iter().rev().take(as_usize(limit));
            Ok(newest.map(|(id, row)| outbox_row(&database.outbox, *id, row)).collect())
        })
    }

    async fn records(&self, intent: OutboxId) -> Result<Vec<RecordRow>, StoreError> {
        self.read(|database, _| {
            let units = database.outbox.units_of(intent);
            Ok(units.filter_map(|(id, unit)| record_row(&database.outbox, id, unit)).collect())
        })
    }

    async fn instance(&self, key: &ProcessKey) -> Result<Option<StateRow>, StoreError> {
        self.read(|database, _| Ok(instance(database, key)?.cloned()))
    }

    async fn domain_rows(&self, table: &DomainTable) -> Result<Vec<FactRow>, StoreError> {
        self.read(|database, _| read_rows(database, table))
    }

    async fn incidents(&self, limit: u32) -> Result<Vec<Incident>, StoreError> {
        self.read(|database, _| {
            Ok(database.inbox.incidents.iter().rev().take(as_usize(limit)).cloned().collect())
        })
    }

    async fn known(&self, keys: &[DedupeKey]) -> Result<Vec<Option<Known>>, StoreError> {
        self.read(|database, _| {
            let known = |key| {
                let row = database.inbox.ids.get(key)?;
                Some(Known { message: row.message, content: row.content })
            };
            Ok(keys.iter().map(known).collect())
        })
    }

    async fn backlog(&self) -> Result<Backlog, StoreError> {
        self.read(|database, now| Ok(backlog(database, now)))
    }
}

fn as_usize(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
