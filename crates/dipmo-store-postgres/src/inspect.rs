//! Looking without touching.

use std::collections::HashMap;

use async_trait::async_trait;
use dipmo_api::FactRow;
use dipmo_api::table::DomainTable;
use dipmo_domain::{ContentHash, DedupeKey, InboxId, OutboxId, ProcessKey, RecordKey, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{OutboxRow, RecordRow};
use dipmo_store::{Backlog, Incident, Inspect, Known, StateRow};
use tokio_postgres::Row;

use crate::dispatch::destination;
use crate::rows::{self, MESSAGE_COLUMNS, name};
use crate::sql::{self, Call, Sql, params};
use crate::store::PostgresStore;
use crate::types::{PgJson, PgTime, PgUuid};
use crate::{backlog, facts, states};

impl PostgresStore {
    /// Runs one statement that only reads.
    pub(crate) async fn look(&self, call: Call) -> Result<Vec<Row>, StoreError> {
        Ok(self.report().await?.run(vec![call]).await?.remove(0))
    }
}

#[async_trait]
impl Inspect for PostgresStore {
    async fn inbox_rows(&self, limit: u32) -> Result<Vec<InboxRow>, StoreError> {
        let call = sql::inbox_rows().with(params![i64::from(limit), i64::MIN, i64::MAX]);
        self.look(call).await?.iter().map(inbox_row).collect()
    }

    async fn outbox_rows(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        let call = sql::outbox_rows().with(params![i64::from(limit), i64::MIN, i64::MAX]);
        self.look(call).await?.iter().map(outbox_row).collect()
    }

    async fn records(&self, intent: OutboxId) -> Result<Vec<RecordRow>, StoreError> {
        let rows = self.look(sql::record_rows().with(params![intent.0])).await?;
        rows.iter().map(record_row).collect()
    }

    async fn instance(&self, key: &ProcessKey) -> Result<Option<StateRow>, StoreError> {
        let table = states::table(&self.tables(), &key.process)?;
        let rows = self.look(states::find(&table).with(params![vec![key.id.clone()]])).await?;
        rows.first().map(|row| states::state(&key.process, row)).transpose()
    }

    async fn domain_rows(&self, table: &DomainTable) -> Result<Vec<FactRow>, StoreError> {
        let names: Vec<_> = table.columns.iter().map(|column| column.name.to_lowercase()).collect();
        let text = format!(
            "select {} from {} order by {}",
            names.join(", "),
            table.name.to_lowercase(),
            table.key.join(", ").to_lowercase(),
        );
        let rows = self.look(Sql::dynamic("domain_rows", text).call()).await?;
        rows.iter().map(|row| facts::fact_row(&table.columns, row)).collect()
    }

    async fn incidents(&self, limit: u32) -> Result<Vec<Incident>, StoreError> {
        let rows = self.look(sql::incident_rows().with(params![i64::from(limit)])).await?;
        let incident = |row: &Row| Incident {
            first: InboxId(row.get(0)),
            source_system: row.get(1),
            message_id: row.get(2),
            topic: row.get(3),
            partition: row.get(4),
            offset: row.get(5),
            raw_payload_base64: row.get(6),
            payload: row.get::<_, Option<PgJson>>(7).map(|json| json.0.as_str().to_owned()),
            received_at: row.get::<_, PgTime>(8).0,
        };
        Ok(rows.iter().map(incident).collect())
    }

    async fn known(&self, keys: &[DedupeKey]) -> Result<Vec<Option<Known>>, StoreError> {
        let keys: Vec<PgUuid> = keys.iter().map(|key| PgUuid(*key.as_bytes())).collect();
        let rows = self.look(sql::inbox_duplicates().with(params![keys.clone()])).await?;
        let known = |row: &Row| {
            let (content, message) = (ContentHash(row.get(1)), InboxId(row.get(2)));
            (row.get::<_, PgUuid>(0), Known { message, content })
        };
        let known: HashMap<PgUuid, Known> = rows.iter().map(known).collect();
        Ok(keys.iter().map(|key| known.get(key).copied()).collect())
    }

    async fn backlog(&self) -> Result<Backlog, StoreError> {
        backlog::count(self).await
    }
}

/// A message and where it stands, from the columns of `inbox_rows`.
pub(crate) fn inbox_row(row: &Row) -> Result<InboxRow, StoreError> {
    let at = MESSAGE_COLUMNS;
    Ok(InboxRow {
        message: rows::message(row)?,
        attempts: u32::try_from(row.get::<_, i32>(at)).unwrap_or(0),
        status: name(row.get(at + 1))?,
        next_attempt_at: rows::time(row, at + 2),
        processed_at: rows::time(row, at + 3),
        outcome: row.get::<_, Option<&str>>(at + 4).map(name).transpose()?,
        held_behind: row.get::<_, Option<i64>>(at + 5).map(InboxId),
        error_stage: row.get::<_, Option<&str>>(at + 6).map(name).transpose()?,
        failure: rows::failure(row, at + 7),
    })
}

/// An intent and where it stands, from the columns of `outbox_rows` and `outbox_caused`.
pub(crate) fn outbox_row(row: &Row) -> Result<OutboxRow, StoreError> {
    let process: Option<String> = row.get(6);
    Ok(OutboxRow {
        id: OutboxId(row.get(0)),
        cause: row.get::<_, Option<i64>>(1).map(InboxId),
        event_version: u16::try_from(row.get::<_, i32>(2)).unwrap_or(u16::MAX),
        aggregate_type: row.get(3),
        aggregate_id: row.get(4),
        event_type: row.get(5),
        reply_to: process.map(|process| ProcessKey { process, id: row.get(7) }),
        headers_json: row.get::<_, Option<PgJson>>(8).map(|json| json.0),
        payload: row.get::<_, PgJson>(9).0,
        created_at: row.get::<_, PgTime>(10).0,
        destination: destination(row.get(11))?,
        status: name(row.get(12))?,
        attempts: u32::try_from(row.get::<_, i32>(13)).unwrap_or(0),
        next_attempt_at: rows::time(row, 14),
        failure: rows::failure(row, 15),
        held_behind: row.get::<_, Option<i64>>(17).map(OutboxId),
        skipped: row.get(18),
        resend_of: row.get::<_, Option<i64>>(19).map(OutboxId),
    })
}

fn record_row(row: &Row) -> Result<RecordRow, StoreError> {
    Ok(RecordRow {
        id: OutboxId(row.get(0)),
        intent: OutboxId(row.get(1)),
        destination: destination(row.get(2))?,
        record: RecordKey(row.get(3)),
        status: name(row.get(4))?,
        attempts: u32::try_from(row.get::<_, i32>(5)).unwrap_or(0),
        next_attempt_at: rows::time(row, 6),
        failure: rows::failure(row, 7),
        external_ref: row.get(9),
        held_behind: row.get::<_, Option<i64>>(10).map(OutboxId),
        skipped: row.get(11),
    })
}
