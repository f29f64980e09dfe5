//! History by month: partitions ahead, and behind.

use async_trait::async_trait;
use dipmo_domain::{Month, StoreError, Timestamp};
use dipmo_store::{History, Pruned, Side};

use crate::migrate::{execute, open};
use crate::session::Session;
use crate::sql::{self, Sql, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

/// The logs that are kept by month, and the column that says which.
const LOGS: [(&str, &str); 3] = [
    ("inbox_log", "received_at"),
    ("outbox_log", "created_at"),
    ("outbox_record_log", "created_at"),
];

#[async_trait]
impl History for PostgresStore {
    async fn prepare_months(&self, ahead: u8) -> Result<(), StoreError> {
        let mut session = self.report().await?;
        session.run(open()).await?;
        prepare(&mut session, ahead).await?;
        session.run(vec![sql::commit().call()]).await.map(|_| ())
    }

    async fn drop_before(&self, month: Month, limit: u32) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        // A transaction for each side: one that locked both logs could deadlock with a settlement.
        for side in Side::ALL.map(Logs::of) {
            let mut session = self.report().await?;
            session.run(open()).await?;
            if let Some(oldest) = oldest_month(&mut session, side, month).await? {
                let (rows, carried) = drop_month(&mut session, side, &oldest).await?;
                pruned.rows += rows.saturating_sub(carried);
                pruned.carried += carried;
                pruned.more = true;
            }
            session.run(vec![sql::commit().call()]).await?;
        }
        if !pruned.more {
            let mut session = self.report().await?;
            session.run(open()).await?;
            pruned = sweep(&mut session, month, limit).await?;
            session.run(vec![sql::commit().call()]).await?;
        }
        Ok(pruned)
    }

    async fn forget_ids_before(&self, time: Timestamp, limit: u32) -> Result<Pruned, StoreError> {
        let mut session = self.report().await?;
        let forget = sql::dedupe_forget().with(params![PgTime(time), i64::from(limit)]);
        let horizon = sql::horizon_put().with(params![time.as_micros().to_string()]);
        let calls = vec![sql::begin().call(), horizon, forget, sql::commit().call()];
        let gone: i64 = session.run(calls).await?[2][0].get(0);
        let rows = u64::try_from(gone).unwrap_or(0);
        Ok(Pruned { rows, carried: 0, more: rows >= u64::from(limit) })
    }

    async fn dedupe_horizon(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.report().await?.run(vec![sql::horizon_get().call()]).await?.remove(0);
        Ok(rows.first().and_then(|row| Timestamp::from_micros(row.get(0))))
    }
}

/// Makes partitions for the current month and so many after it. A month that was missed finds its
/// rows in the rest: they move.
pub(crate) async fn prepare(session: &mut Session, ahead: u8) -> Result<(), StoreError> {
    let rows = session.run(vec![sql::clock().call()]).await?;
    let mut month = Month::of(rows[0][0].get::<_, PgTime>(0).0);
    for _ in 0..=ahead {
        for (log, column) in LOGS {
            let partition = format!("{log}_{}", month.suffix());
            let exists =
                format!("select count(*) from pg_class where oid = to_regclass('{partition}')");
            if scalar(session, &exists).await? == 0 {
                execute(session, "history_prepare", &create(log, column, &partition, month))
                    .await?;
            }
        }
        month = month.next();
    }
    Ok(())
}

/// Made aside, filled and then attached. The log is locked meanwhile: a claim that planned before and
/// reads after would look for the moved rows where they are no more.
fn create(log: &str, column: &str, partition: &str, month: Month) -> String {
    let (from, to) = (month.start(), month.next().start());
    format!(
        "lock table {log} in access exclusive mode;
         create table {partition} (like {log} including all);
         with moved as (
             delete from {log}_rest where {column} >= '{from}' and {column} < '{to}' returning *)
         insert into {partition} select * from moved;
         alter table {log} attach partition {partition} for values from ('{from}') to ('{to}')"
    )
}

/// `YYYYMM` of the oldest month of a side with a partition, if it lies before `month`.
pub(crate) async fn oldest_month(
    session: &mut Session,
    side: Logs,
    month: Month,
) -> Result<Option<String>, StoreError> {
    let text = "select right(c.relname, 6) from pg_inherits i join pg_class c on c.oid = i.inhrelid \
                where i.inhparent = $1::text::regclass and c.relname ~ '_[0-9]{6}$' \
                and right(c.relname, 6) < $2 order by 1 limit 1";
    let find = Sql::dynamic("history_oldest", text.to_owned());
    let rows = session.run(vec![find.with(params![side.logs[0], month.suffix()])]).await?.remove(0);
    Ok(rows.first().map(|row| row.get(0)))
}

/// Takes a month out of the logs of a side, puts back what is not settled, and drops the rest.
/// Answers how many rows there were, and how many were put back.
async fn drop_month(
    session: &mut Session,
    side: Logs,
    month: &str,
) -> Result<(u64, u64), StoreError> {
    let (mut rows, mut carried) = (0, 0);
    for log in side.logs {
        rows += scalar(session, &format!("select count(*) from {log}_{month}")).await?;
    }
    for log in side.logs {
        let text = format!("alter table {log} detach partition {log}_{month}");
        execute(session, "history_drop", &text).await?;
    }
    for carry in side.carries {
        carried += scalar(session, &carry.replace("{month}", month)).await?;
    }
    for log in side.logs {
        execute(session, "history_drop", &format!("drop table {log}_{month}")).await?;
    }
    Ok((rows, carried))
}

/// Sweeps when all months before are gone.
async fn sweep(session: &mut Session, month: Month, limit: u32) -> Result<Pruned, StoreError> {
    let carried = sweep_by(session, CARRIED, month, limit).await?;
    let small = sweep_small(session, month, limit).await?;
    let rows = carried.rows + small.rows;
    Ok(Pruned { rows, carried: 0, more: carried.more || small.more })
}

/// Sweeps the small rows of what was dropped before a month.
pub(crate) async fn sweep_small(
    session: &mut Session,
    month: Month,
    limit: u32,
) -> Result<Pruned, StoreError> {
    // Counted as nothing: one stands for thousands of units.
    let jobs =
        Sql::dynamic("history_sweep", include_str!("../sql/history_sweep_jobs.sql").to_owned());
    session.run(vec![jobs.with(params![PgTime(month.start()), i64::from(limit)])]).await?;
    sweep_by(session, SMALL, month, limit).await
}

async fn sweep_by(
    session: &mut Session,
    sweeps: &[&str],
    month: Month,
    limit: u32,
) -> Result<Pruned, StoreError> {
    let mut pruned = Pruned::default();
    for text in sweeps {
        let sweep = Sql::dynamic("history_sweep", (*text).to_owned())
            .with(params![PgTime(month.start()), i64::from(limit)]);
        let gone =
            u64::try_from(session.run(vec![sweep]).await?[0][0].get::<_, i64>(0)).unwrap_or(0);
        pruned.rows += gone;
        pruned.more |= gone >= u64::from(limit);
    }
    Ok(pruned)
}

/// The one number that a statement answers.
pub(crate) async fn scalar(session: &mut Session, text: &str) -> Result<u64, StoreError> {
    let rows = session.run(vec![Sql::dynamic("history", text.to_owned()).call()]).await?;
    Ok(u64::try_from(rows[0][0].get::<_, i64>(0)).unwrap_or(0))
}

/// The logs of one box, and the statements that put back what is not settled.
#[derive(Clone, Copy)]
pub(crate) struct Logs {
    pub(crate) logs: &'static [&'static str],
    pub(crate) carries: &'static [&'static str],
}

impl Logs {
    pub(crate) const fn of(side: Side) -> Self {
        match side {
            Side::Inbox => Self {
                logs: &["inbox_log"],
                carries: &[include_str!("../sql/history_carry_messages.sql")],
            },
            Side::Outbox => Self {
                logs: &["outbox_log", "outbox_record_log"],
                carries: &[
                    include_str!("../sql/history_carry_intents.sql"),
                    include_str!("../sql/history_carry_records.sql"),
                ],
            },
        }
    }
}

/// Settled rows that were carried.
const CARRIED: &[&str] = &[
    include_str!("../sql/history_sweep_messages.sql"),
    include_str!("../sql/history_sweep_intents.sql"),
    include_str!("../sql/history_sweep_records.sql"),
];

/// The small rows that told where dropped ones stood.
const SMALL: &[&str] = &[
    include_str!("../sql/history_sweep_inbox_exceptions.sql"),
    include_str!("../sql/history_sweep_outbox_exceptions.sql"),
    include_str!("../sql/history_sweep_progress.sql"),
    include_str!("../sql/history_sweep_edits.sql"),
    include_str!("../sql/history_sweep_inbox_done.sql"),
    include_str!("../sql/history_sweep_outbox_done.sql"),
];
