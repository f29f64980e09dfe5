//! Counting what waits.

use std::collections::BTreeMap;

use dipmo_domain::StoreError;
use dipmo_store::{Backlog, OpenJobs, Waiting};
use rusqlite::Row;

use crate::rows;
use crate::sql::{self, Sql};
use crate::tx::Tx;

/// All of it as of one moment.
pub(crate) fn count(tx: &Tx<'_>) -> Result<Backlog, StoreError> {
    // The queue of the inbox is '', and there is no other.
    let inbox = by_queue(tx, &sql::backlog_inbox())?.into_values().next();
    let timers = tx.one(&sql::backlog_timers(), [], |row| row.get(0))?;
    Ok(Backlog {
        inbox: inbox.unwrap_or_default(),
        outbox: by_queue(tx, &sql::backlog_outbox())?,
        jobs: tx.all(&sql::backlog_jobs(), [], open_jobs)?.into_iter().collect(),
        timers: timers.unwrap_or_default(),
        at: tx.now(),
    })
}

fn by_queue(tx: &Tx<'_>, sql: &Sql) -> Result<BTreeMap<String, Waiting>, StoreError> {
    let all = tx.all(sql, [tx.now().as_micros()], |row| Ok((row.get(0)?, waiting(row)?)))?;
    Ok(all.into_iter().collect())
}

fn waiting(row: &Row<'_>) -> rusqlite::Result<Waiting> {
    Ok(Waiting {
        ready: row.get(1)?,
        retrying: row.get(2)?,
        held: row.get(3)?,
        parked: row.get(4)?,
        failed: row.get(5)?,
        oldest: rows::maybe_time(row, 6)?,
    })
}

fn open_jobs(row: &Row<'_>) -> rusqlite::Result<(String, OpenJobs)> {
    Ok((row.get(0)?, OpenJobs { jobs: row.get(1)?, oldest: rows::time(row, 2)? }))
}
