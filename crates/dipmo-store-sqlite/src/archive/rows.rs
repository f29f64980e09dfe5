//! Lots as rows.

use std::time::Duration;

use dipmo_domain::Month;
use dipmo_store::admin::{Lot, LotFiles, LotId, Wish};
use rusqlite::Row;

use crate::rows::{maybe_time, parsed, time};

/// A lot, from the columns of `lot_find`, `lot_list` and `lot_wished`.
pub(crate) fn lot(row: &Row<'_>) -> rusqlite::Result<Lot> {
    let hold = row.get::<_, Option<u64>>(14)?.map(Duration::from_micros);
    Ok(Lot {
        id: LotId(row.get(0)?),
        side: parsed(row, 1)?,
        month: Month::of(time(row, 2)?),
        state: parsed(row, 3)?,
        aside_at: time(row, 4)?,
        archived_at: maybe_time(row, 5)?,
        dropped_at: maybe_time(row, 6)?,
        files: files(row)?,
        wish: Wish::read(row.get::<_, Option<String>>(13)?.as_deref(), hold),
        checked_at: maybe_time(row, 15)?,
        problem: row.get(16)?,
        restored_at: maybe_time(row, 17)?,
        restored_until: maybe_time(row, 18)?,
    })
}

fn files(row: &Row<'_>) -> rusqlite::Result<Option<LotFiles>> {
    let Some(directory) = row.get(7)? else { return Ok(None) };
    Ok(Some(LotFiles {
        directory,
        manifest: row.get(8)?,
        rows: row.get(9)?,
        records: row.get(10)?,
        files: row.get(11)?,
        bytes: row.get(12)?,
    }))
}
