//! Setting history aside: a whole month, or what was carried over from one and is settled since.
//!
//! What is not settled goes back into the log in the same transaction, so that what stands aside changes only where it is erased.

use dipmo_domain::{Month, StoreError};
use dipmo_store::Side;
use dipmo_store::admin::{DutyLease, Lot, LotId, LotState};

use super::rows;
use crate::duties::check;
use crate::history::{Logs, oldest_month, scalar};
use crate::migrate::{execute, open};
use crate::rows::{count, time};
use crate::session::Session;
use crate::sql::{self, Sql, params};
use crate::types::PgTime;

/// So many rows that were carried over make a lot at most.
const MOST: u64 = 100_000;

/// The lot that is on its way, or a new one of a side.
pub(super) async fn run(
    session: &mut Session,
    lease: &DutyLease,
    side: Side,
    month: Month,
    limit: u32,
) -> Result<Option<Lot>, StoreError> {
    session.run(open()).await?;
    session.run(vec![check(lease)]).await?;
    if on_its_way(session).await?.is_none() {
        begin(session, side, month).await?;
    }
    let mut lot = on_its_way(session).await?;
    if let Some(filling) = lot.as_ref().filter(|lot| lot.state == LotState::Filling) {
        fill(session, filling, limit).await?;
        lot = on_its_way(session).await?;
    }
    session.run(vec![sql::commit().call()]).await?;
    Ok(lot)
}

/// The lot that is not dropped yet.
pub(crate) async fn on_its_way(session: &mut Session) -> Result<Option<Lot>, StoreError> {
    session.run(vec![sql::lot_open().call()]).await?[0].first().map(rows::lot).transpose()
}

/// The tables that a lot stands in.
pub(crate) fn tables(side: Side, lot: LotId) -> Vec<String> {
    Logs::of(side).logs.iter().map(|log| aside(log, lot)).collect()
}

/// The table of a lot for what came out of a log.
fn aside(log: &str, lot: LotId) -> String {
    format!("{}_aside_{}", log.trim_end_matches("_log"), lot.0)
}

/// Takes out the oldest month that has something settled, or begins with what was carried over.
async fn begin(session: &mut Session, side: Side, month: Month) -> Result<(), StoreError> {
    while let Some(oldest) = oldest_month(session, Logs::of(side), month).await? {
        if take_month(session, side, &oldest).await? {
            return Ok(());
        }
    }
    let first = match side {
        Side::Inbox => sql::lot_messages_first(),
        Side::Outbox => sql::lot_intents_first(),
    };
    let rows = session.run(vec![first.with(params![PgTime(month.start())])]).await?.remove(0);
    let Some(late) = rows.first().and_then(|row| time(row, 0)) else { return Ok(()) };
    let lot = number(session, side, Month::of(late), LotState::Filling).await?;
    for log in Logs::of(side).logs {
        let text = format!("create table {} (like {log} including all)", aside(log, lot));
        execute(session, "lot_begin", &text).await?;
    }
    Ok(())
}

/// Makes a lot of a month, without what is not settled; false when nothing is left then.
async fn take_month(session: &mut Session, side: Side, suffix: &str) -> Result<bool, StoreError> {
    let logs = Logs::of(side);
    let lot = number(session, side, month_of(suffix), LotState::Aside).await?;
    for log in logs.logs {
        let text = format!("alter table {log} detach partition {log}_{suffix}");
        execute(session, "lot_begin", &text).await?;
    }
    for carry in logs.carries {
        scalar(session, &carry.replace("{month}", suffix)).await?;
    }
    for log in logs.logs {
        let text = format!("alter table {log}_{suffix} rename to {}", aside(log, lot));
        execute(session, "lot_begin", &text).await?;
    }
    let carried = match side {
        Side::Inbox => vec![sql::lot_messages_carried()],
        Side::Outbox => vec![sql::lot_intents_carried(), sql::lot_records_carried()],
    };
    for statement in carried {
        session.run(vec![named(statement, lot).call()]).await?;
    }
    let any = format!("select count(*) from (select from {} limit 1) x", aside(logs.logs[0], lot));
    if scalar(session, &any).await? > 0 {
        return Ok(true);
    }
    for table in tables(side, lot) {
        execute(session, "lot_begin", &format!("drop table {table}")).await?;
    }
    session.run(vec![sql::lot_forget().with(params![lot.0])]).await?;
    Ok(false)
}

/// Moves a portion of what was carried over into a lot; what is not a whole portion was the last.
async fn fill(session: &mut Session, lot: &Lot, limit: u32) -> Result<(), StoreError> {
    let statement = match lot.side {
        Side::Inbox => sql::lot_messages_fill(),
        Side::Outbox => sql::lot_intents_fill(),
    };
    let (from, to) = (PgTime(lot.month.start()), PgTime(lot.month.next().start()));
    let fill = named(statement, lot.id).with(params![from, to, i64::from(limit)]);
    let moved = count(&session.run(vec![fill]).await?[0][0], 0);
    let table = aside(Logs::of(lot.side).logs[0], lot.id);
    let rows = scalar(session, &format!("select count(*) from {table}")).await?;
    if moved < u64::from(limit) || rows >= MOST {
        let state = LotState::Aside.as_str();
        session.run(vec![sql::lot_state().with(params![lot.id.0, state])]).await?;
    }
    Ok(())
}

async fn number(
    session: &mut Session,
    side: Side,
    month: Month,
    state: LotState,
) -> Result<LotId, StoreError> {
    let params = params![side.as_str(), PgTime(month.start()), state.as_str()];
    let rows = session.run(vec![sql::lot_begin().with(params)]).await?;
    Ok(LotId(rows[0][0].get(0)))
}

fn named(statement: Sql, lot: LotId) -> Sql {
    statement.fill("{lot}", &lot.0.to_string())
}

/// The month of a partition, by the end of its name.
fn month_of(suffix: &str) -> Month {
    let (year, month) = suffix.split_at_checked(4).unwrap_or_default();
    let parsed = year.parse().ok().zip(month.parse().ok());
    let found = parsed.and_then(|(year, month)| Month::new(year, month));
    found.unwrap_or_else(|| Month::of(dipmo_domain::Timestamp::EPOCH))
}
