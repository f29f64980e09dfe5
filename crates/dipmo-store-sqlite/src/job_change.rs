//! What becomes of a job.

use std::collections::BTreeSet;

use dipmo_domain::{Lane, StoreError};
use dipmo_outbox::{Job, JobId, JobMark, JobPhase, Lease};
use dipmo_store::JobChange;

use crate::jobs::find;
use crate::releases;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{leases, rows};

/// Changes a job under the leases of all its lanes; answers how it stands then.
pub(crate) fn run(
    tx: &Tx<'_>,
    id: JobId,
    given: &[Lease],
    change: JobChange,
) -> Result<Job, StoreError> {
    leases::check(tx, given)?;
    let fenced = || StoreError::Fenced { what: format!("job {id}") };
    let ours: BTreeSet<Lane> = given.iter().map(|lease| lease.lane).collect();
    let lanes: BTreeSet<Lane> =
        tx.all(&sql::job_check(), [id.0], |row| rows::lane(row, 0))?.into_iter().collect();
    if lanes.is_empty() || lanes != ours || given.len() != lanes.len() {
        return Err(fenced());
    }
    let job = find(tx, id)?;
    if given.iter().any(|lease| lease.destination != job.destination) {
        return Err(fenced());
    }
    let to = |phase: JobPhase, remote: Option<String>| {
        let params = (id.0, phase.as_str(), remote, tx.now().as_micros());
        tx.run(&sql::job_change(), params).map(drop)
    };
    match (job.phase, change) {
        (JobPhase::Sealed, JobChange::Made { remote }) => to(JobPhase::Made, Some(remote))?,
        (JobPhase::Made, JobChange::Afresh) => to(JobPhase::Sealed, None)?,
        (JobPhase::Made, JobChange::Given) => to(JobPhase::Given, None)?,
        (_, JobChange::Released { behind }) => {
            put_back(tx, id, start(behind))?;
            release(tx, id, start(behind))?;
        }
        (_, JobChange::Ended) => {
            end(tx, id, given)?;
            to(JobPhase::Ended, None)?;
        }
        _ => return Err(fenced()),
    }
    find(tx, id)
}

/// The place behind which units are meant.
pub(crate) fn start(behind: Option<JobMark>) -> i64 {
    behind.map_or(i64::MIN, |mark| mark.0.0)
}

/// Units that were put off are chunks again, and head nothing: earlier ones of their keys, which stayed
/// in the job, may leave it now, and due they would overtake those. Only behind the mark: for one
/// before it, later ones of its key that are left in the job have to wait.
fn put_back(tx: &Tx<'_>, id: JobId, behind: i64) -> Result<(), StoreError> {
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let rows: Vec<(i64, String, u8, Option<String>)> =
        tx.all(&sql::job_put_back(), (id.0, behind, tx.now().as_micros()), read)?;
    for (unit, queue, lane, key) in rows {
        tx.run(&sql::ready_insert(Which::Outbox), (&queue, lane, unit, unit))?;
        tx.run(&sql::exception_drop(Which::Outbox), [unit])?;
        tx.run(&sql::block_end(Which::Outbox), (&queue, key, unit))?;
    }
    Ok(())
}

/// Units leave the job. A chunk is ready and a unit that was due is due as they were; one that got a
/// row of its own in the job is a chunk of its own.
fn release(tx: &Tx<'_>, id: JobId, behind: i64) -> Result<(), StoreError> {
    tx.run(&sql::job_release(), (id.0, behind))?;
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let rows: Vec<(i64, String, u8, bool)> =
        tx.all(&sql::job_release_list(), (id.0, behind), read)?;
    for (unit, queue, lane, untried) in rows {
        if untried {
            tx.run(&sql::ready_insert(Which::Outbox), (queue, lane, unit, unit))?;
            tx.run(&sql::exception_drop(Which::Outbox), [unit])?;
        } else {
            tx.run(&sql::job_release_due(), (unit, tx.now().as_micros()))?;
        }
    }
    Ok(())
}

/// Lets the lanes of a job go, and what was held in them until then.
fn end(tx: &Tx<'_>, id: JobId, lanes: &[Lease]) -> Result<(), StoreError> {
    let sql = sql::job_empty();
    if tx.one(&sql, [id.0], |row| row.get(0))?.unwrap_or(false) {
        let problem = format!("units are left in job {id}");
        return Err(StoreError::RowRefused { statement: sql.name, problem });
    }
    for lease in lanes {
        tx.run(&sql::job_free(), (lease.destination.to_string(), lease.lane.index()))?;
    }
    releases::release(tx, Which::Outbox, releases::AT_ONCE).map(drop)
}
