//! Lists for people, and one thing whole.
//!
//! A page is made in two steps: ids from whatever index finds the fewest, the newest first, and then those of them
//! that fit the filter. So any filter is right with any index, and how many rows a page costs is known.
//!
//! **Invariant:** no page looks through more than so many ids (`listing.rs`), whatever the history.

mod aside;
mod ids;
mod instances;
mod messages;
mod units;

use async_trait::async_trait;
use dipmo_domain::{InboxId, OutboxId, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{JobId, OutboxRow};
use dipmo_store::admin::{
    Browse, InstanceFilter, InstancePage, LaneLine, Listing, MessageFilter, MessageLine, Page,
    UnitFilter, UnitLine,
};
use rusqlite::Row;

use self::messages::MessageList;
use self::units::UnitList;
use crate::listing::walk;
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{SqliteStore, inspect, rows, sql};

#[async_trait]
impl Browse for SqliteStore {
    async fn messages(
        &self,
        filter: &MessageFilter,
        page: Page,
    ) -> Result<Listing<MessageLine>, StoreError> {
        let filter = filter.clone();
        self.read(move |tx| walk(tx, &MessageList::of(tx, &filter)?, page)).await
    }

    async fn message(&self, id: InboxId) -> Result<Option<InboxRow>, StoreError> {
        self.read(move |tx| inspect::message(tx, id)).await
    }

    async fn units(
        &self,
        filter: &UnitFilter,
        page: Page,
    ) -> Result<Listing<UnitLine>, StoreError> {
        let filter = filter.clone();
        self.read(move |tx| {
            let mut listing = walk(tx, &UnitList::of(tx, &filter)?, page)?;
            units::find_jobs(tx, &mut listing.rows)?;
            Ok(listing)
        })
        .await
    }

    async fn intent(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
        self.read(move |tx| {
            let intent = tx.one(&sql::record_intent(), [id.0], |row| row.get(0))?;
            inspect::intent(tx, intent.map_or(id, OutboxId))
        })
        .await
    }

    async fn caused_by(
        &self,
        messages: &[InboxId],
        limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let messages = messages.to_vec();
        self.read(move |tx| caused_by(tx, &messages, limit)).await
    }

    async fn instances(
        &self,
        process: &str,
        filter: &InstanceFilter,
        behind: Option<&str>,
        limit: u32,
    ) -> Result<InstancePage, StoreError> {
        let (process, filter) = (process.to_owned(), filter.clone());
        let behind = behind.map(str::to_owned);
        self.read(move |tx| instances::page(tx, &process, &filter, behind.as_deref(), limit)).await
    }

    async fn lanes(&self) -> Result<Vec<LaneLine>, StoreError> {
        self.read(|tx| tx.all(&sql::lane_rows(), (), lane)).await
    }
}

fn caused_by(tx: &Tx<'_>, messages: &[InboxId], limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
    let mut ids: Vec<i64> = Vec::new();
    for message in messages {
        ids.extend(tx.all(&sql::intents_caused(), (message.0, limit), |row| row.get::<_, i64>(0))?);
    }
    ids.sort_unstable();
    ids.dedup();
    let ids = ids.into_iter().take(as_usize(limit));
    ids.filter_map(|id| inspect::intent(tx, OutboxId(id)).transpose()).collect()
}

fn lane(row: &Row<'_>) -> rusqlite::Result<LaneLine> {
    Ok(LaneLine {
        destination: row.get(0)?,
        lane: rows::lane(row, 1)?,
        owner: row.get(2)?,
        lease_until: rows::maybe_time(row, 3)?,
        job: row.get::<_, Option<i64>>(4)?.map(JobId),
    })
}
