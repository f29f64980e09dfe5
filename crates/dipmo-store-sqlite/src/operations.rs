//! Operations: their rows, who performs them, and what somebody says about them.

use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_store::admin::{
    AuditEntry, Listing, NewOperation, Operation, OperationChange, OperationId, OperationLease,
    OperationState, Page,
};
use rusqlite::Row;

use crate::error::unexpected;
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{audit, rows, sql};

/// Writes an operation of so many items, and the entry of the audit.
pub(crate) fn insert(
    tx: &Tx<'_>,
    new: &NewOperation,
    items: usize,
) -> Result<Operation, StoreError> {
    let AuditEntry { actor, reason, .. } = &new.entry;
    let insert = sql::operation_insert();
    let params = (
        new.act.as_str(),
        new.target.side().as_str(),
        new.force,
        new.per_second,
        actor,
        reason,
        tx.now().as_micros(),
        items,
    );
    let id = tx.one(&insert, params, |row| row.get(0))?.map(OperationId);
    let id = id.ok_or_else(|| unexpected(insert.name, "an operation got no number"))?;
    let target = format!("operation/{}", id.0);
    audit::write(tx, &AuditEntry { target, ..new.entry.clone() })?;
    Ok(there(tx, id)?.operation)
}

/// Leases an operation that runs and that nobody has.
pub(crate) fn take(
    tx: &Tx<'_>,
    id: Option<OperationId>,
    owner: &str,
    duration: Duration,
) -> Result<Option<OperationLease>, StoreError> {
    let (now, until) = (tx.now().as_micros(), tx.now().after(duration).as_micros());
    let params = (id.map(|id| id.0), owner, now, until);
    let taken = tx.one(&sql::operation_take(), params, |row| row.get(0))?.map(OperationId);
    taken.map(|id| there(tx, id)).transpose()
}

/// Prolongs a lease, and ends the operation with its last item.
pub(crate) fn renew(
    tx: &Tx<'_>,
    lease: &OperationLease,
    duration: Duration,
) -> Result<Operation, StoreError> {
    let id = lease.operation.id;
    let until = tx.now().after(duration).as_micros();
    let params = (id.0, lease.epoch, until, tx.now().as_micros());
    tx.run(&sql::operation_renew(), params)?;
    checked(tx, lease)
}

/// Gives a lease back that is still ours.
pub(crate) fn give_back(tx: &Tx<'_>, lease: &OperationLease) -> Result<(), StoreError> {
    tx.run(&sql::operation_give_back(), (lease.operation.id.0, lease.epoch)).map(drop)
}

/// The operation of a lease. Fails when somebody else took it, or it does not run any more.
pub(crate) fn running(tx: &Tx<'_>, lease: &OperationLease) -> Result<Operation, StoreError> {
    let operation = checked(tx, lease)?;
    match operation.state {
        OperationState::Running => Ok(operation),
        _ => Err(lost(lease)),
    }
}

/// Writes what somebody said about an operation, unless that changes nothing.
pub(crate) fn change(
    tx: &Tx<'_>,
    id: OperationId,
    change: OperationChange,
    entry: &AuditEntry,
) -> Result<Option<Operation>, StoreError> {
    let Some(found) = find(tx, id)? else { return Ok(None) };
    let Some(state) = found.operation.state.after(change) else {
        return Ok(Some(found.operation));
    };
    let ended = (state == OperationState::Cancelled).then(|| tx.now().as_micros());
    tx.run(&sql::operation_change(), (id.0, state.as_str(), ended))?;
    audit::write(tx, entry)?;
    there(tx, id).map(|found| Some(found.operation))
}

/// An operation, as whoever leased it last has it.
pub(crate) fn find(tx: &Tx<'_>, id: OperationId) -> Result<Option<OperationLease>, StoreError> {
    tx.one(&sql::operation_find(), [id.0], lease)
}

/// Operations, the newest first.
pub(crate) fn list(tx: &Tx<'_>, page: Page) -> Result<Listing<Operation>, StoreError> {
    // One more than is wanted tells whether any follow.
    let params = (page.before.unwrap_or(i64::MAX), page.rows() + 1);
    let mut rows = tx.all(&sql::operation_list(), params, |row| Ok(lease(row)?.operation))?;
    let follow = rows.len() > as_usize(page.rows());
    rows.truncate(as_usize(page.rows()));
    let last = rows.last().filter(|_| follow);
    let (next, searched_to) = last.map(|last| (last.id.0, last.created_at)).unzip();
    Ok(Listing { rows, next, searched_to })
}

fn checked(tx: &Tx<'_>, lease: &OperationLease) -> Result<Operation, StoreError> {
    let found = find(tx, lease.operation.id)?.filter(|found| found.epoch == lease.epoch);
    found.map(|found| found.operation).ok_or_else(|| lost(lease))
}

fn there(tx: &Tx<'_>, id: OperationId) -> Result<OperationLease, StoreError> {
    let missing = || unexpected(sql::operation_find().name, format!("no operation {}", id.0));
    find(tx, id)?.ok_or_else(missing)
}

fn lost(lease: &OperationLease) -> StoreError {
    StoreError::Fenced { what: format!("operation {}", lease.operation.id.0) }
}

fn lease(row: &Row<'_>) -> rusqlite::Result<OperationLease> {
    let operation = Operation {
        id: OperationId(row.get(0)?),
        act: rows::parsed(row, 1)?,
        side: rows::parsed(row, 2)?,
        force: row.get(3)?,
        per_second: row.get(4)?,
        actor: row.get(5)?,
        reason: row.get(6)?,
        created_at: rows::time(row, 7)?,
        state: rows::parsed(row, 8)?,
        ended_at: rows::maybe_time(row, 9)?,
        items: row.get(10)?,
        met: row.get(11)?,
        done: row.get(12)?,
        owner: row.get(13)?,
    };
    Ok(OperationLease { operation, epoch: row.get(14)? })
}
