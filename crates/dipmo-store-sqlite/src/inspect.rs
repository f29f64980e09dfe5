//! Looking without touching.

use async_trait::async_trait;
use dipmo_api::FactRow;
use dipmo_api::table::DomainTable;
use dipmo_domain::{
    ContentHash, DedupeKey, InboxId, Json, OutboxId, ProcessKey, RecordKey, StoreError,
};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{OutboxRow, RecordRow};
use dipmo_store::{Backlog, Incident, Inspect, Known, StateRow};
use rusqlite::Row;

use crate::rows::{self, MESSAGE_COLUMNS};
use crate::tx::Tx;
use crate::{SqliteStore, backlog, domain, sql, states};

#[async_trait]
impl Inspect for SqliteStore {
    async fn inbox_rows(&self, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        self.read(move |tx| tx.all(&sql::inbox_rows(), (limit, i64::MIN, i64::MAX), inbox_row))
            .await
    }

    async fn outbox_rows(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        self.read(move |tx| tx.all(&sql::outbox_rows(), (limit, i64::MIN, i64::MAX), outbox_row))
            .await
    }

    async fn records(&self, intent: OutboxId) -> Result<Vec<RecordRow>, StoreError> {
        self.read(move |tx| tx.all(&sql::record_rows(), [intent.0], record_row)).await
    }

    async fn instance(&self, key: &ProcessKey) -> Result<Option<StateRow>, StoreError> {
        let key = key.clone();
        self.read(move |tx| states::find(tx, &key)).await
    }

    async fn domain_rows(&self, table: &DomainTable) -> Result<Vec<FactRow>, StoreError> {
        let table = table.clone();
        self.read(move |tx| domain::all(tx, &table)).await
    }

    async fn incidents(&self, limit: u32) -> Result<Vec<Incident>, StoreError> {
        self.read(move |tx| tx.all(&sql::incident_rows(), [limit], incident)).await
    }

    async fn known(&self, keys: &[DedupeKey]) -> Result<Vec<Option<Known>>, StoreError> {
        let keys = keys.to_vec();
        self.read(move |tx| {
            let find = |key: &DedupeKey| tx.one(&sql::inbox_duplicates(), [key.as_bytes()], known);
            keys.iter().map(find).collect()
        })
        .await
    }

    async fn backlog(&self) -> Result<Backlog, StoreError> {
        self.read(backlog::count).await
    }
}

/// One message.
pub(crate) fn message(tx: &Tx<'_>, id: InboxId) -> Result<Option<InboxRow>, StoreError> {
    tx.one(&sql::inbox_rows(), (1, id.0, id.0), inbox_row)
}

/// One intent.
pub(crate) fn intent(tx: &Tx<'_>, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
    tx.one(&sql::outbox_rows(), (1, id.0, id.0), outbox_row)
}

fn known(row: &Row<'_>) -> rusqlite::Result<Known> {
    Ok(Known { content: ContentHash(row.get(0)?), message: InboxId(row.get(1)?) })
}

fn inbox_row(row: &Row<'_>) -> rusqlite::Result<InboxRow> {
    const AT: usize = MESSAGE_COLUMNS;
    Ok(InboxRow {
        message: rows::message(row)?,
        status: rows::parsed(row, AT)?,
        attempts: row.get(AT + 1)?,
        next_attempt_at: rows::maybe_time(row, AT + 2)?,
        processed_at: rows::maybe_time(row, AT + 3)?,
        outcome: rows::maybe_parsed(row, AT + 4)?,
        held_behind: row.get::<_, Option<i64>>(AT + 5)?.map(InboxId),
        error_stage: rows::maybe_parsed(row, AT + 6)?,
        failure: rows::failure(row, AT + 7)?,
    })
}

fn outbox_row(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    Ok(OutboxRow {
        id: OutboxId(row.get(0)?),
        aggregate_type: row.get(1)?,
        aggregate_id: row.get(2)?,
        event_type: row.get(3)?,
        event_version: row.get(4)?,
        payload: Json::from_store(row.get::<_, String>(5)?),
        headers_json: rows::maybe_json(row, 6)?,
        destination: rows::parsed(row, 7)?,
        created_at: rows::time(row, 8)?,
        status: rows::parsed(row, 9)?,
        attempts: row.get(10)?,
        next_attempt_at: rows::maybe_time(row, 11)?,
        failure: rows::failure(row, 12)?,
        cause: row.get::<_, Option<i64>>(14)?.map(InboxId),
        reply_to: rows::reply_to(row, 15)?,
        held_behind: rows::maybe_outbox_id(row, 17)?,
        skipped: row.get(18)?,
        resend_of: rows::maybe_outbox_id(row, 19)?,
    })
}

fn record_row(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    Ok(RecordRow {
        id: OutboxId(row.get(0)?),
        intent: OutboxId(row.get(1)?),
        destination: rows::parsed(row, 2)?,
        record: RecordKey(row.get(3)?),
        status: rows::parsed(row, 4)?,
        attempts: row.get(5)?,
        next_attempt_at: rows::maybe_time(row, 6)?,
        failure: rows::failure(row, 7)?,
        external_ref: row.get(9)?,
        held_behind: rows::maybe_outbox_id(row, 10)?,
        skipped: row.get(11)?,
    })
}

fn incident(row: &Row<'_>) -> rusqlite::Result<Incident> {
    Ok(Incident {
        first: InboxId(row.get(0)?),
        source_system: row.get(1)?,
        message_id: row.get(2)?,
        topic: row.get(3)?,
        partition: row.get(4)?,
        offset: row.get(5)?,
        raw_payload_base64: row.get(6)?,
        payload: row.get(7)?,
        received_at: rows::time(row, 8)?,
    })
}
