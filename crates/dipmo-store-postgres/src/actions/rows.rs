//! Operations and their items, as they come from the statements.

use dipmo_domain::StoreError;
use dipmo_store::admin::{Operation, OperationId, OperationItem, OperationLease, Seen};
use tokio_postgres::Row;

use crate::rows::{self, count, name, time};
use crate::types::PgTime;

/// How many columns [`operation`] reads; what stands beside an operation comes after them.
const OPERATION_COLUMNS: usize = 14;

/// An operation, from the columns that all statements of operations share.
pub(super) fn operation(row: &Row) -> Result<Operation, StoreError> {
    let per_second: Option<i32> = row.get(4);
    Ok(Operation {
        id: OperationId(row.get(0)),
        act: name(row.get(1))?,
        side: name(row.get(2))?,
        force: row.get(3),
        per_second: per_second.and_then(|most| u32::try_from(most).ok()?.try_into().ok()),
        actor: row.get(5),
        reason: row.get(6),
        created_at: row.get::<_, PgTime>(7).0,
        state: name(row.get(8))?,
        ended_at: time(row, 9),
        items: count(row, 10),
        met: count(row, 11),
        done: count(row, 12),
        owner: row.get(13),
    })
}

/// The first row as an operation, when there is one.
pub(super) fn first(rows: &[Row]) -> Result<Option<Operation>, StoreError> {
    rows.first().map(operation).transpose()
}

/// The one row of a statement that always answers one.
pub(super) fn only(rows: &[Row]) -> Result<Operation, StoreError> {
    first(rows)?.ok_or_else(|| rows::unreadable("DIPMO_OPERATION", "the operation is gone"))
}

/// An operation with the epoch of its lease.
pub(super) fn lease(row: &Row) -> Result<OperationLease, StoreError> {
    Ok(OperationLease { operation: operation(row)?, epoch: row.get(OPERATION_COLUMNS) })
}

/// An item with its result.
pub(super) fn item(row: &Row) -> OperationItem {
    OperationItem { id: row.get(0), seen: seen(row), result: row.get(4) }
}

/// How an item stood: its status, attempts and retries come after its id.
pub(super) fn seen(row: &Row) -> Option<Seen> {
    let number = |at: usize| u32::try_from(row.get::<_, i32>(at)).unwrap_or(0);
    let status: Option<String> = row.get(1);
    status.map(|status| Seen { status, attempts: number(2), retried: number(3) })
}
