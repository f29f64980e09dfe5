//! Reports: how old what waits is, what is hot, and whether the database is as it must be.
//!
//! **Invariant:** a report reads so many rows of each lane, status and destination and no more, by the indexes that
//! lists go by; nothing that has ended is read.

use async_trait::async_trait;
use dipmo_domain::{Month, StoreError};
use dipmo_store::Side;
use dipmo_store::admin::{
    AGES, Aged, Ageing, Hot, HotAggregate, HotKey, RECENT, Reports, Soundness, Waits,
};
use tokio_postgres::Row;

use crate::listing::MOST;
use crate::rows;
use crate::session::Session;
use crate::sql::{self, Call, Sql, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

/// So many chunks of every lane are read.
const CHUNKS: i64 = 500;

#[async_trait]
impl Reports for PostgresStore {
    async fn ageing(&self) -> Result<Ageing, StoreError> {
        let bounds = || AGES.map(|age| age.as_secs_f64()).to_vec();
        let call = |sql: Sql| sql.with(params![bounds(), CHUNKS, MOST]);
        let calls =
            vec![call(sql::ageing_inbox()), call(sql::ageing_outbox()), sql::clock().call()];
        let answers = at_one_moment(self, calls).await?;
        let mut counted = Vec::new();
        for (side, rows) in Side::ALL.into_iter().zip(&answers) {
            for row in rows {
                counted.push(aged(side, row)?);
            }
        }
        let more = answers.iter().take(2).flatten().any(|row| row.get(8));
        Ok(Ageing::of(answers[2][0].get::<_, PgTime>(0).0, !more, counted))
    }

    async fn hot(&self, limit: u32) -> Result<Hot, StoreError> {
        let keys = |sql: Sql| sql.with(params![i64::from(limit), MOST]);
        let recent = sql::hot_recent().with(params![i64::from(limit), i64::from(RECENT)]);
        let calls = vec![keys(sql::hot_keys_inbox()), keys(sql::hot_keys_outbox()), recent];
        let answers = at_one_moment(self, calls).await?;
        let of = |side: Side, rows: &[Row]| -> Vec<HotKey> {
            rows.iter().map(|row| hot_key(side, row)).collect()
        };
        let mut keys = of(Side::Inbox, &answers[0]);
        keys.extend(of(Side::Outbox, &answers[1]));
        let more = answers.iter().take(2).flatten().any(|row| row.get(6));
        let aggregate = |row: &Row| HotAggregate {
            aggregate: row.get(0),
            messages: rows::count(row, 1),
            last: row.get::<_, PgTime>(2).0,
        };
        Ok(Hot {
            keys: HotKey::worst(keys, limit),
            complete: !more,
            recent: answers[2].iter().map(aggregate).collect(),
            among: answers[2].first().map_or(0, |row| rows::count(row, 3)),
        })
    }

    async fn soundness(&self) -> Result<Soundness, StoreError> {
        let rows = self.look(sql::soundness_months().call()).await?;
        let mut months = 0;
        if let Some(row) = rows.first() {
            let there: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let mut month = Month::of(row.get::<_, PgTime>(1).0);
            while there.contains(&month.suffix()) {
                (months, month) = (months + 1, month.next());
            }
        }
        let bytes = self.look(sql::soundness_size().call()).await?;
        let mut audit_is_kept = true;
        for change in [sql::soundness_change(), sql::soundness_delete()] {
            audit_is_kept &= is_refused(self.report().await?, change).await?;
        }
        Ok(Soundness { audit_is_kept, months: Some(months), bytes: rows::count(&bytes[0], 0) })
    }
}

/// Answers of one moment, by the plans of lists.
async fn at_one_moment(
    store: &PostgresStore,
    calls: Vec<Call>,
) -> Result<Vec<Vec<Row>>, StoreError> {
    let mut all = vec![sql::begin_read().call(), sql::browse_settings().call()];
    all.extend(calls);
    all.push(sql::commit().call());
    let mut answers = store.report().await?.run(all).await?;
    Ok(answers.drain(2..).collect())
}

/// Whether the database refuses a statement. It is rolled back in any case.
async fn is_refused(mut session: Session, change: Sql) -> Result<bool, StoreError> {
    let calls = vec![sql::begin().call(), change.call(), sql::rollback().call()];
    match session.run(calls).await {
        Ok(_) => Ok(false),
        Err(StoreError::AuthFailed { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

fn aged(side: Side, row: &Row) -> Result<Aged, StoreError> {
    let (held, parked): (bool, bool) = (row.get(3), row.get(4));
    Ok(Aged {
        side,
        queue: row.get(0),
        lane: rows::lane(row.get(1))?,
        status: row.get(2),
        waits: held.then_some(Waits::Held).or_else(|| parked.then_some(Waits::Parked)),
        age: usize::try_from(row.get::<_, i32>(5)).unwrap_or_default(),
        count: rows::count(row, 6),
        oldest: row.get::<_, PgTime>(7).0,
    })
}

fn hot_key(side: Side, row: &Row) -> HotKey {
    HotKey {
        side,
        queue: row.get(0),
        key: row.get(1),
        waiting: rows::count(row, 2),
        oldest: row.get::<_, PgTime>(3).0,
        head: row.get(4),
        is_aggregate: row.get::<_, Option<bool>>(5).unwrap_or_default(),
    }
}
