//! The items of an operation while they are met: which are open, and what became of them.

use std::collections::BTreeMap;

use dipmo_store::admin::{OperationLease, Seen};
use tokio_postgres::Row;

use super::rows::seen;
use crate::rows::count;
use crate::sql::{self, Call, params};

/// What became of some items.
#[derive(Clone, Copy, Default)]
pub(super) struct Counted {
    pub(super) met: u64,
    pub(super) done: u64,
}

/// What is asked before any item is met: whether the lease is good, which keeps the operation locked from then on,
/// and which of these items are open.
pub(super) fn checks(lease: &OperationLease, ids: Vec<i64>) -> Vec<Call> {
    let id = lease.operation.id.0;
    vec![
        sql::operation_check().with(params![id, lease.epoch]),
        sql::operation_open().with(params![id, ids]),
    ]
}

/// The items that are open, by what [`checks`] answered, and how each was seen.
pub(super) fn open(answers: &[Vec<Row>]) -> BTreeMap<i64, Option<Seen>> {
    let rows = answers.last().map(Vec::as_slice).unwrap_or_default();
    rows.iter().map(|row| (row.get(0), seen(row))).collect()
}

/// Writes what became of items.
pub(super) fn meet(lease: &OperationLease, ids: Vec<i64>, words: Vec<&'static str>) -> Call {
    sql::operation_met().with(params![lease.operation.id.0, ids, words])
}

/// What [`meet`] answered.
pub(super) fn counted(rows: &[Row]) -> Counted {
    let of = |row: &Row| Counted { met: count(row, 0), done: count(row, 1) };
    rows.first().map(of).unwrap_or_default()
}
