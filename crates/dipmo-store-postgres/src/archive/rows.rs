//! Lots as rows.

use std::time::Duration;

use dipmo_domain::{Month, StoreError};
use dipmo_store::admin::{Lot, LotFiles, LotId, Wish};
use tokio_postgres::Row;

use crate::rows::{count, name, time};
use crate::types::PgTime;

/// A lot, from the columns that all statements about lots answer.
pub(crate) fn lot(row: &Row) -> Result<Lot, StoreError> {
    let hold = row.get::<_, Option<i64>>(14).and_then(|it| u64::try_from(it).ok());
    Ok(Lot {
        id: LotId(row.get(0)),
        side: name(row.get(1))?,
        month: Month::of(row.get::<_, PgTime>(2).0),
        state: name(row.get(3))?,
        aside_at: row.get::<_, PgTime>(4).0,
        archived_at: time(row, 5),
        dropped_at: time(row, 6),
        files: row.get::<_, Option<String>>(7).map(|directory| files(directory, row)),
        wish: Wish::read(row.get(13), hold.map(Duration::from_micros)),
        checked_at: time(row, 15),
        problem: row.get(16),
        restored_at: time(row, 17),
        restored_until: time(row, 18),
    })
}

fn files(directory: String, row: &Row) -> LotFiles {
    LotFiles {
        directory,
        manifest: row.get(8),
        rows: count(row, 9),
        records: count(row, 10),
        files: u32::try_from(count(row, 11)).unwrap_or(u32::MAX),
        bytes: count(row, 12),
    }
}
