//! Archiving history: a month is taken out of the logs and stands aside until its files are complete.
//!
//! Start reading at `aside.rs`.

mod aside;
mod rows;

use async_trait::async_trait;
use dipmo_domain::{Json, Month, StoreError, cut_to_bytes};
use dipmo_store::admin::{
    Archive, AuditEntry, DutyLease, HistoryRow, Lot, LotAnswer, LotFiles, LotId, LotPart, LotState,
    Wish,
};
use dipmo_store::{Pruned, Side};

use crate::duties::{check, micros};
use crate::migrate::{execute, open};
use crate::rows::time;
use crate::session::Session;
use crate::sql::{self, Call, params};
use crate::store::PostgresStore;
use crate::types::PgJson;
use crate::{audit, erase, history};

pub(crate) use aside::{on_its_way, tables};
pub(crate) use rows::lot;

/// The longest problem that is kept, in bytes.
const PROBLEM: usize = 2_000;

#[async_trait]
impl Archive for PostgresStore {
    async fn set_aside(
        &self,
        lease: &DutyLease,
        month: Month,
        limit: u32,
    ) -> Result<Option<Lot>, StoreError> {
        // A transaction for each side: one that locked both logs could deadlock with a settlement.
        for side in Side::ALL {
            let mut session = self.report().await?;
            let lot = aside::run(&mut session, lease, side, month, limit).await;
            if let Some(lot) = session.finish(lot).await? {
                return Ok(Some(lot));
            }
        }
        Ok(None)
    }

    async fn lot_rows(
        &self,
        lot: LotId,
        part: LotPart,
        behind: i64,
        limit: u32,
    ) -> Result<Vec<HistoryRow>, StoreError> {
        let read = match part {
            LotPart::Messages => sql::lot_messages(),
            LotPart::Intents => sql::lot_intents(),
            LotPart::Records => sql::lot_records(),
        };
        let read = read.fill("{lot}", &lot.0.to_string());
        let rows = self.look(read.with(params![behind, i64::from(limit)])).await?;
        let row = |row: &tokio_postgres::Row| HistoryRow {
            id: row.get(0),
            line: row.get::<_, PgJson>(1).0,
        };
        Ok(rows.iter().map(row).collect())
    }

    async fn lot_archived(
        &self,
        lease: &DutyLease,
        lot: LotId,
        files: &LotFiles,
    ) -> Result<(), StoreError> {
        let LotFiles { directory, manifest, rows, records, files, bytes } = files.clone();
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let params = params![
            lot.0,
            directory,
            manifest,
            count(rows),
            count(records),
            i64::from(files),
            count(bytes)
        ];
        let calls = vec![
            sql::begin().call(),
            check(lease),
            sql::lot_archived().with(params),
            sql::commit().call(),
        ];
        self.report().await?.run(calls).await.map(drop)
    }

    async fn drop_lot(
        &self,
        lease: &DutyLease,
        lot: LotId,
        _limit: u32,
    ) -> Result<Pruned, StoreError> {
        let mut session = self.report().await?;
        let dropped = drop_lot(&mut session, lease, lot).await;
        session.finish(dropped).await
    }

    async fn tidy_history(
        &self,
        lease: &DutyLease,
        month: Month,
        limit: u32,
    ) -> Result<Pruned, StoreError> {
        let mut session = self.report().await?;
        let tidied = tidy(&mut session, lease, month, limit).await;
        session.finish(tidied).await
    }

    async fn restore_rows(
        &self,
        lease: &DutyLease,
        part: LotPart,
        rows: &[HistoryRow],
    ) -> Result<u64, StoreError> {
        let restore = match part {
            LotPart::Messages => sql::restore_messages(),
            LotPart::Intents => sql::restore_intents(),
            LotPart::Records => sql::restore_records(),
        };
        let lines: Vec<&str> = rows.iter().map(|row| row.line.as_str()).collect();
        let lines = PgJson(Json::from_store(format!("[{}]", lines.join(","))));
        let calls = vec![sql::begin().call(), check(lease), restore.with(params![lines])];
        let mut session = self.report().await?;
        let restored = restored(&mut session, calls, part, rows).await;
        session.finish(restored).await
    }

    async fn wish(
        &self,
        lot: LotId,
        wish: Wish,
        entry: &AuditEntry,
    ) -> Result<Option<Lot>, StoreError> {
        let mut session = self.report().await?;
        let wished = wished(&mut session, lot, wish, entry).await;
        session.finish(wished).await
    }

    async fn answer_wish(
        &self,
        lease: &DutyLease,
        lot: LotId,
        answer: &LotAnswer,
    ) -> Result<(), StoreError> {
        let (problem, hold) = match answer {
            LotAnswer::Sound => (None, None),
            LotAnswer::Damaged(problem) => (Some(cut_to_bytes(problem, PROBLEM)), None),
            LotAnswer::Restored { hold } => (None, Some(micros(*hold))),
        };
        let answered = sql::lot_answer().with(params![lot.0, problem, hold]);
        let calls = vec![sql::begin().call(), check(lease), answered, sql::commit().call()];
        self.report().await?.run(calls).await.map(drop)
    }

    async fn wished_lots(&self, limit: u32) -> Result<Vec<Lot>, StoreError> {
        let rows = self.look(sql::lot_wished().with(params![i64::from(limit)])).await?;
        rows.iter().map(lot).collect()
    }

    async fn held_month(&self) -> Result<Option<Month>, StoreError> {
        let rows = self.look(sql::lot_held().call()).await?;
        Ok(time(&rows[0], 0).map(Month::of))
    }

    async fn lots(&self, before: Option<LotId>, limit: u32) -> Result<Vec<Lot>, StoreError> {
        let before = before.map_or(i64::MAX, |it| it.0);
        let rows = self.look(sql::lot_list().with(params![before, i64::from(limit)])).await?;
        rows.iter().map(lot).collect()
    }
}

/// Puts rows back; what is of an erased aggregate is blank before anybody sees it.
async fn restored(
    session: &mut Session,
    calls: Vec<Call>,
    part: LotPart,
    rows: &[HistoryRow],
) -> Result<u64, StoreError> {
    let answers = session.run(calls).await?;
    erase::blank_restored(session, part, rows).await?;
    session.run(vec![sql::commit().call()]).await?;
    Ok(crate::rows::count(&answers[2][0], 0))
}

async fn wished(
    session: &mut Session,
    lot: LotId,
    wish: Wish,
    entry: &AuditEntry,
) -> Result<Option<Lot>, StoreError> {
    let hold = wish.hold().map(micros);
    let wished = sql::lot_wish().with(params![lot.0, wish.as_str(), hold]);
    let answers = session.run(vec![sql::begin().call(), wished]).await?;
    let found = answers[1].first().map(rows::lot).transpose()?;
    let end = if found.is_some() {
        vec![audit::insert(entry), sql::commit().call()]
    } else {
        vec![sql::rollback().call()]
    };
    session.run(end).await?;
    Ok(found)
}

/// Drops the tables of a lot: nobody but who archives knows of them.
async fn drop_lot(
    session: &mut Session,
    lease: &DutyLease,
    id: LotId,
) -> Result<Pruned, StoreError> {
    session.run(open()).await?;
    session.run(vec![check(lease)]).await?;
    let found = session.run(vec![sql::lot_find().with(params![id.0])]).await?.remove(0);
    let lot = found.first().map(lot).transpose()?;
    let Some(lot) = lot.filter(|lot| lot.state == LotState::Archived) else {
        return Err(StoreError::Fenced { what: format!("lot {}", id.0) });
    };
    for table in tables(lot.side, id) {
        execute(session, "lot_drop", &format!("drop table {table}")).await?;
    }
    let dropped = params![id.0, LotState::Dropped.as_str()];
    session.run(vec![sql::lot_state().with(dropped), sql::commit().call()]).await?;
    let rows = lot.files.map_or(0, |files| files.rows + files.records);
    Ok(Pruned { rows, carried: 0, more: false })
}

async fn tidy(
    session: &mut Session,
    lease: &DutyLease,
    month: Month,
    limit: u32,
) -> Result<Pruned, StoreError> {
    session.run(vec![sql::begin().call(), check(lease)]).await?;
    let mut pruned = Pruned::default();
    if on_its_way(session).await?.is_none() {
        pruned = history::sweep_small(session, month, limit).await?;
    }
    session.run(vec![sql::commit().call()]).await?;
    Ok(pruned)
}
