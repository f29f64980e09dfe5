//! What was promised, and how often it was kept.

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::admin::{Slo, SloCount, SloHour};
use rusqlite::Row;

use crate::history::as_count;
use crate::{SqliteStore, rows, sql};

const HOUR_MICROS: i64 = 3_600_000_000;

#[async_trait]
impl Slo for SqliteStore {
    async fn add_slo(&self, counts: &[SloCount]) -> Result<(), StoreError> {
        let counts = counts.to_vec();
        self.write(move |tx| {
            let now = tx.now().as_micros();
            let hour = now - now.rem_euclid(HOUR_MICROS);
            for SloCount { name, good, total } in &counts {
                tx.run(&sql::slo_add(), (hour, name, good, total))?;
            }
            Ok(())
        })
        .await
    }

    async fn slo_hours(&self, since: Timestamp) -> Result<Vec<SloHour>, StoreError> {
        self.read(move |tx| tx.all(&sql::slo_hours(), [since.as_micros()], hour)).await
    }

    async fn forget_slo(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write(move |tx| tx.run(&sql::slo_forget(), [before.as_micros()]).map(as_count)).await
    }
}

fn hour(row: &Row<'_>) -> rusqlite::Result<SloHour> {
    let count = SloCount { name: row.get(1)?, good: row.get(2)?, total: row.get(3)? };
    Ok(SloHour { hour: rows::time(row, 0)?, count })
}
