//! Lists for people, and one thing whole.
//!
//! Start reading at `messages.rs`: a filter chooses a [`Source`](source::Source), the source finds where the
//! page ends, and one statement reads what fits the filter between there and where the page begins.

mod instances;
mod messages;
mod source;
mod units;

use async_trait::async_trait;
use dipmo_domain::{InboxId, OutboxId, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{JobId, OutboxRow};
use dipmo_store::admin::{
    Browse, InstanceFilter, InstancePage, LaneLine, Listing, MessageFilter, MessageLine, Page,
    UnitFilter, UnitLine,
};
use tokio_postgres::Row;

use crate::inspect::{inbox_row, outbox_row};
use crate::rows;
use crate::sql::{self, params};
use crate::store::PostgresStore;

#[async_trait]
impl Browse for PostgresStore {
    async fn messages(
        &self,
        filter: &MessageFilter,
        page: Page,
    ) -> Result<Listing<MessageLine>, StoreError> {
        messages::list(self, filter, page).await
    }

    async fn message(&self, id: InboxId) -> Result<Option<InboxRow>, StoreError> {
        let rows = self.look(sql::inbox_rows().with(params![1_i64, id.0, id.0])).await?;
        rows.first().map(inbox_row).transpose()
    }

    async fn units(
        &self,
        filter: &UnitFilter,
        page: Page,
    ) -> Result<Listing<UnitLine>, StoreError> {
        units::list(self, filter, page).await
    }

    async fn intent(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
        let record = self.look(sql::record_intent().with(params![id.0])).await?;
        let intent: i64 = record.first().map_or(id.0, |row| row.get(0));
        let rows = self.look(sql::outbox_rows().with(params![1_i64, intent, intent])).await?;
        rows.first().map(outbox_row).transpose()
    }

    async fn caused_by(
        &self,
        messages: &[InboxId],
        limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let messages: Vec<i64> = messages.iter().map(|message| message.0).collect();
        let calls = vec![
            sql::begin_read().call(),
            sql::browse_settings().call(),
            sql::outbox_caused().with(params![messages, i64::from(limit)]),
            sql::commit().call(),
        ];
        self.report().await?.run(calls).await?[2].iter().map(outbox_row).collect()
    }

    async fn instances(
        &self,
        process: &str,
        filter: &InstanceFilter,
        behind: Option<&str>,
        limit: u32,
    ) -> Result<InstancePage, StoreError> {
        instances::list(self, process, filter, behind, limit).await
    }

    async fn lanes(&self) -> Result<Vec<LaneLine>, StoreError> {
        self.look(sql::lane_rows().call()).await?.iter().map(lane).collect()
    }
}

fn lane(row: &Row) -> Result<LaneLine, StoreError> {
    Ok(LaneLine {
        destination: row.get(0),
        lane: rows::lane(row.get(1))?,
        owner: row.get(2),
        lease_until: rows::time(row, 3),
        job: row.get::<_, Option<i64>>(4).map(JobId),
    })
}
