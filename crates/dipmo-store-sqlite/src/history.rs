//! Dropping history: small batches of rows, because a file has no partitions.

use async_trait::async_trait;
use dipmo_domain::{Month, StoreError, Timestamp};
use dipmo_store::{History, Pruned};

use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{SqliteStore, rows};

#[async_trait]
impl History for SqliteStore {
    async fn prepare_months(&self, _ahead: u8) -> Result<(), StoreError> {
        Ok(())
    }

    async fn drop_before(&self, month: Month, limit: u32) -> Result<Pruned, StoreError> {
        self.write(move |tx| drop_before(tx, month.start(), as_usize(limit))).await
    }

    async fn forget_ids_before(&self, time: Timestamp, limit: u32) -> Result<Pruned, StoreError> {
        self.write(move |tx| {
            // First the horizon: ids that are about to go are not to be trusted any more.
            tx.run(&sql::horizon_put(), [time.as_micros().to_string()])?;
            let gone = tx.run(&sql::dedupe_forget(), (time.as_micros(), limit))?;
            Ok(Pruned { rows: as_count(gone), carried: 0, more: gone == as_usize(limit) })
        })
        .await
    }

    async fn dedupe_horizon(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|tx| tx.one(&sql::horizon_get(), (), |row| rows::time(row, 0))).await
    }
}

/// Drops settled messages, then settled intents, from before a time.
fn drop_before(tx: &Tx<'_>, time: Timestamp, limit: usize) -> Result<Pruned, StoreError> {
    let messages: Vec<i64> =
        tx.all(&sql::history_messages(), (time.as_micros(), limit), |row| row.get(0))?;
    for id in &messages {
        drop_message(tx, *id)?;
    }
    // Counted as nothing: one stands for thousands of units.
    tx.run(&sql::job_drop(), (time.as_micros(), limit))?;
    let mut rows = messages.len();
    let params = (time.as_micros(), limit - rows);
    let intents: Vec<i64> = tx.all(&sql::history_intents(), params, |row| row.get(0))?;
    for id in intents {
        // An intent goes whole, so the last one may go over the limit.
        if rows >= limit {
            break;
        }
        rows += drop_intent(tx, id)?;
    }
    Ok(Pruned { rows: as_count(rows), carried: 0, more: rows >= limit })
}

/// Drops a message with how it ended; answers how many rows of history went.
pub(crate) fn drop_message(tx: &Tx<'_>, id: i64) -> Result<usize, StoreError> {
    drop_rows(tx, Which::Inbox, id)?;
    tx.run(&sql::edit_drop(), [id])?;
    tx.run(&sql::log_drop(Which::Inbox), [id])
}

/// Drops an intent with its records and how they ended; answers how many rows of history went.
pub(crate) fn drop_intent(tx: &Tx<'_>, id: i64) -> Result<usize, StoreError> {
    let records: Vec<i64> = tx.all(&sql::history_records(), [id], |row| row.get(0))?;
    for unit in records.iter().chain([&id]) {
        drop_rows(tx, Which::Outbox, *unit)?;
    }
    tx.run(&sql::record_drop(), [id])?;
    tx.run(&sql::progress_drop(), [id])?;
    Ok(records.len() + tx.run(&sql::log_drop(Which::Outbox), [id])?)
}

fn drop_rows(tx: &Tx<'_>, which: Which, id: i64) -> Result<(), StoreError> {
    tx.run(&sql::done_drop(which), [id])?;
    tx.run(&sql::exception_drop(which), [id]).map(drop)
}

/// A number of rows, for a report.
pub(crate) fn as_count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
