//! Counting what waits.
//!
//! On a session for hot statements, although nobody waits for it: there every table is read by an
//! index, so that what has ended costs nothing, whatever the planner believes of its share.

use dipmo_domain::StoreError;
use dipmo_store::{Backlog, OpenJobs, Waiting};
use tokio_postgres::Row;

use crate::rows;
use crate::sql;
use crate::store::PostgresStore;
use crate::types::PgTime;

/// All of it as of one moment, in one round trip.
pub(crate) async fn count(store: &PostgresStore) -> Result<Backlog, StoreError> {
    let calls = vec![
        sql::begin_read().call(),
        sql::backlog_inbox().call(),
        sql::backlog_outbox().call(),
        sql::backlog_jobs().call(),
        sql::backlog_timers().call(),
        sql::commit().call(),
    ];
    let answers = store.hot().await?.run(calls).await?;
    let (messages, units, jobs, timers) = (&answers[1], &answers[2], &answers[3], &answers[4][0]);
    Ok(Backlog {
        inbox: messages.first().map(waiting).unwrap_or_default(),
        outbox: units.iter().map(|row| (row.get(0), waiting(row))).collect(),
        jobs: jobs.iter().map(|row| (row.get(0), open_jobs(row))).collect(),
        timers: number(timers, 0),
        at: timers.get::<_, PgTime>(1).0,
    })
}

fn waiting(row: &Row) -> Waiting {
    Waiting {
        ready: number(row, 1),
        retrying: number(row, 2),
        held: number(row, 3),
        parked: number(row, 4),
        failed: number(row, 5),
        oldest: rows::time(row, 6),
    }
}

fn open_jobs(row: &Row) -> OpenJobs {
    OpenJobs { jobs: number(row, 1), oldest: row.get::<_, PgTime>(2).0 }
}

fn number(row: &Row, at: usize) -> u64 {
    u64::try_from(row.get::<_, i64>(at)).unwrap_or(0)
}
