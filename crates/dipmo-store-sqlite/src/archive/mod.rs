//! Archiving history: ids are set aside, and the rows stay where they are until they are dropped by them.

mod drop;
mod fill;
mod restore;
mod rows;

use async_trait::async_trait;
use dipmo_domain::{Json, Month, StoreError, Timestamp, cut_to_bytes};
use dipmo_store::Pruned;
use dipmo_store::admin::{
    Archive, AuditEntry, DutyLease, HistoryRow, Lot, LotAnswer, LotFiles, LotId, LotPart, Wish,
};

use crate::tx::Tx;
use crate::work::as_usize;
use crate::{SqliteStore, audit, duties, erase, sql};

pub(crate) use rows::lot;

/// The longest problem that is kept, in bytes.
const PROBLEM: usize = 2_000;

#[async_trait]
impl Archive for SqliteStore {
    async fn set_aside(
        &self,
        lease: &DutyLease,
        month: Month,
        limit: u32,
    ) -> Result<Option<Lot>, StoreError> {
        let lease = lease.clone();
        self.write(move |tx| {
            duties::check(tx, &lease)?;
            fill::set_aside(tx, month, limit)
        })
        .await
    }

    async fn lot_rows(
        &self,
        lot: LotId,
        part: LotPart,
        behind: i64,
        limit: u32,
    ) -> Result<Vec<HistoryRow>, StoreError> {
        let sql = match part {
            LotPart::Messages => sql::lot_messages(),
            LotPart::Intents => sql::lot_intents(),
            LotPart::Records => sql::lot_records(),
        };
        let row = |row: &rusqlite::Row<'_>| {
            Ok(HistoryRow { id: row.get(0)?, line: Json::from_store(row.get::<_, String>(1)?) })
        };
        self.read(move |tx| tx.all(&sql, (lot.0, behind, limit), row)).await
    }

    async fn lot_archived(
        &self,
        lease: &DutyLease,
        lot: LotId,
        files: &LotFiles,
    ) -> Result<(), StoreError> {
        let (lease, it) = (lease.clone(), files.clone());
        self.write(move |tx| {
            duties::check(tx, &lease)?;
            let now = tx.now().as_micros();
            let params =
                (lot.0, now, it.directory, it.manifest, it.rows, it.records, it.files, it.bytes);
            let changed = tx.run(&sql::lot_archived(), params)?;
            expect(changed, lot)
        })
        .await
    }

    async fn drop_lot(
        &self,
        lease: &DutyLease,
        lot: LotId,
        limit: u32,
    ) -> Result<Pruned, StoreError> {
        let lease = lease.clone();
        self.write(move |tx| {
            duties::check(tx, &lease)?;
            drop::some(tx, lot, as_usize(limit))
        })
        .await
    }

    async fn tidy_history(
        &self,
        lease: &DutyLease,
        month: Month,
        limit: u32,
    ) -> Result<Pruned, StoreError> {
        let lease = lease.clone();
        // What told where a message stood went with it. Jobs are counted as nothing, as ever.
        self.write(move |tx| {
            duties::check(tx, &lease)?;
            tx.run(&sql::job_drop(), (month.start().as_micros(), limit))?;
            Ok(Pruned::default())
        })
        .await
    }

    async fn restore_rows(
        &self,
        lease: &DutyLease,
        part: LotPart,
        rows: &[HistoryRow],
    ) -> Result<u64, StoreError> {
        let (lease, rows) = (lease.clone(), rows.to_vec());
        self.write(move |tx| {
            duties::check(tx, &lease)?;
            let restored = restore::all(tx, part, &rows)?;
            erase::blank_restored(tx, part, &rows)?;
            Ok(restored)
        })
        .await
    }

    async fn wish(
        &self,
        lot: LotId,
        wish: Wish,
        entry: &AuditEntry,
    ) -> Result<Option<Lot>, StoreError> {
        let entry = entry.clone();
        self.write(move |tx| {
            let hold = wish.hold().map(|it| i64::try_from(it.as_micros()).unwrap_or(i64::MAX));
            if tx.run(&sql::lot_wish(), (lot.0, wish.as_str(), hold))? == 0 {
                return Ok(None);
            }
            audit::write(tx, &entry)?;
            find(tx, lot).map(Some)
        })
        .await
    }

    async fn answer_wish(
        &self,
        lease: &DutyLease,
        lot: LotId,
        answer: &LotAnswer,
    ) -> Result<(), StoreError> {
        let (lease, answer) = (lease.clone(), answer.clone());
        self.write(move |tx| {
            duties::check(tx, &lease)?;
            let (problem, until) = match answer {
                LotAnswer::Sound => (None, None),
                LotAnswer::Damaged(problem) => (Some(cut_to_bytes(&problem, PROBLEM)), None),
                LotAnswer::Restored { hold } => (None, Some(tx.now().after(hold))),
            };
            let until = until.map(Timestamp::as_micros);
            tx.run(&sql::lot_answer(), (lot.0, tx.now().as_micros(), problem, until)).map(drop)
        })
        .await
    }

    async fn wished_lots(&self, limit: u32) -> Result<Vec<Lot>, StoreError> {
        self.read(move |tx| tx.all(&sql::lot_wished(), [limit], lot)).await
    }

    async fn held_month(&self) -> Result<Option<Month>, StoreError> {
        self.read(|tx| {
            let now = tx.now().as_micros();
            let found = tx.one(&sql::lot_held(), [now], |row| crate::rows::maybe_time(row, 0))?;
            Ok(found.flatten().map(Month::of))
        })
        .await
    }

    async fn lots(&self, before: Option<LotId>, limit: u32) -> Result<Vec<Lot>, StoreError> {
        let before = before.map_or(i64::MAX, |it| it.0);
        self.read(move |tx| tx.all(&sql::lot_list(), (before, limit), lot)).await
    }
}

/// A lot that is there.
fn find(tx: &Tx<'_>, lot: LotId) -> Result<Lot, StoreError> {
    let found = tx.one(&sql::lot_find(), [lot.0], rows::lot)?;
    found.ok_or_else(|| gone(lot))
}

/// Fails when the lot was not as it had to be.
fn expect(changed: usize, lot: LotId) -> Result<(), StoreError> {
    if changed == 0 { Err(gone(lot)) } else { Ok(()) }
}

fn gone(lot: LotId) -> StoreError {
    StoreError::Fenced { what: format!("lot {}", lot.0) }
}
