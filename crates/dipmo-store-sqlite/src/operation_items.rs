//! The items of operations: what a filter or ids stand for, each as it stands.

use std::collections::BTreeMap;

use dipmo_domain::{InboxStatus, OutboxStatus, StoreError};
use dipmo_store::admin::{
    Act, MOST_IN_OPERATION, MessageFilter, OperationId, OperationItem, Preview, Seen, Target,
    UnitFilter,
};
use dipmo_store::{Side, Standing};
use rusqlite::{Row, params_from_iter};

use crate::filters::{self, Wanted};
use crate::history::as_count;
use crate::operate::{Status, look};
use crate::sql::{self, Sql, Which};
use crate::tx::Tx;
use crate::work::as_usize;

/// How many ids a preview names.
const SAMPLE: usize = 10;

/// What an operation would be about, in the order of ids: one more than it may have at most.
pub(crate) fn find(
    tx: &Tx<'_>,
    act: Act,
    target: &Target,
) -> Result<Vec<OperationItem>, StoreError> {
    match target {
        Target::Messages(filter) => messages(tx, act, filter),
        Target::Units(filter) => units(tx, act, filter),
        Target::Ids { side: Side::Inbox, ids } => by_id::<InboxStatus>(tx, Which::Inbox, ids),
        Target::Ids { side: Side::Outbox, ids } => by_id::<OutboxStatus>(tx, Which::Outbox, ids),
    }
}

/// What is told of items before an operation begins.
pub(crate) fn preview(items: &[OperationItem]) -> Preview {
    let mut by_status = BTreeMap::new();
    for seen in items.iter().filter_map(|item| item.seen.as_ref()) {
        *by_status.entry(seen.status.clone()).or_default() += 1;
    }
    let sample = items.iter().take(SAMPLE).map(|item| item.id).collect();
    Preview { items: as_count(items.len()), by_status, sample }
}

/// Writes the items of an operation.
pub(crate) fn insert(
    tx: &Tx<'_>,
    operation: OperationId,
    items: Vec<OperationItem>,
) -> Result<(), StoreError> {
    for OperationItem { id, seen, .. } in items {
        let attempts = seen.as_ref().map(|seen| seen.attempts);
        let retried = seen.as_ref().map(|seen| seen.retried);
        let params = (operation.0, id, seen.map(|seen| seen.status), attempts, retried);
        tx.run(&sql::operation_item_insert(), params)?;
    }
    Ok(())
}

/// An item, from its row.
pub(crate) fn item(row: &Row<'_>) -> rusqlite::Result<OperationItem> {
    let status: Option<String> = row.get(1)?;
    let seen = status.map(|status| {
        Ok::<_, rusqlite::Error>(Seen { status, attempts: row.get(2)?, retried: row.get(3)? })
    });
    Ok(OperationItem { id: row.get(0)?, seen: seen.transpose()?, result: row.get(4)? })
}

fn messages(
    tx: &Tx<'_>,
    act: Act,
    filter: &MessageFilter,
) -> Result<Vec<OperationItem>, StoreError> {
    let mut wanted = filters::messages(filter, "e.status");
    wanted.plain(match act {
        Act::Retry => {
            "e.held = 0 AND e.status IN ('FAILED', 'RETRY', 'RECEIVED') \
             AND (e.status <> 'RECEIVED' OR e.parked_until IS NOT NULL)"
        }
        Act::Skip => {
            "(e.held = 0 OR e.status = 'SERDE_ERROR') \
             AND e.status IN ('FAILED', 'RETRY', 'RECEIVED', 'SERDE_ERROR') \
             AND (e.status <> 'RECEIVED' OR e.parked_until IS NOT NULL)"
        }
        Act::Release => "e.status IN ('FAILED', 'SERDE_ERROR')",
        Act::Reparse => "e.status = 'SERDE_ERROR'",
        Act::Resend | Act::Replay => return Ok(Vec::new()),
    });
    found(tx, &sql::operation_messages(&wanted.text()), wanted)
}

fn units(tx: &Tx<'_>, act: Act, filter: &UnitFilter) -> Result<Vec<OperationItem>, StoreError> {
    let mut wanted = filters::units(filter, "e.status");
    wanted.plain(match act {
        Act::Retry => {
            "e.held = 0 AND e.status IN ('FAILED', 'PENDING') \
             AND (e.status = 'FAILED' OR e.attempts > 0)"
        }
        Act::Skip | Act::Release => "e.status = 'FAILED'",
        Act::Reparse | Act::Resend | Act::Replay => return Ok(Vec::new()),
    });
    found(tx, &sql::operation_units(&wanted.text()), wanted)
}

fn found(tx: &Tx<'_>, sql: &Sql, wanted: Wanted) -> Result<Vec<OperationItem>, StoreError> {
    let most = i64::from(MOST_IN_OPERATION) + 1;
    let params = wanted.params.into_iter().chain([most.into()]);
    tx.all(sql, params_from_iter(params), item)
}

fn by_id<S: Status>(
    tx: &Tx<'_>,
    which: Which,
    ids: &[i64],
) -> Result<Vec<OperationItem>, StoreError> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids.truncate(as_usize(MOST_IN_OPERATION + 1));
    let (standings, _) = look::<S>(tx, which, &ids)?;
    let seen = |id: &i64| standings.get(id).map(Standing::seen);
    Ok(ids.iter().map(|id| OperationItem { id: *id, seen: seen(id), result: None }).collect())
}
