//! Blocks: order keys that wait for their head.

use dipmo_domain::{InboxId, Lane, OrderKey, OutboxId, StoreError};
use dipmo_outbox::Attempt;
use dipmo_store::Block;

use crate::sql::{self, Which};
use crate::tx::Tx;

/// The block of an order key, if it has one.
pub(crate) fn find(
    tx: &Tx<'_>,
    which: Which,
    queue: &str,
    key: &OrderKey,
) -> Result<Option<Block>, StoreError> {
    tx.one(&sql::block_find(which), (queue, key.as_str()), |row| {
        let released_to = row.get::<_, Option<i64>>(1)?.map(InboxId);
        Ok(Block { head: InboxId(row.get(0)?), released_to })
    })
}

/// The unit that a unit of the outbox has to wait for.
pub(crate) fn head_before(
    tx: &Tx<'_>,
    queue: &str,
    key: &OrderKey,
    (unit, attempt): (OutboxId, Attempt),
) -> Result<Option<OutboxId>, StoreError> {
    let block = find(tx, Which::Outbox, queue, key)?;
    // The rule is the same in both boxes, though it is written in ids of the inbox.
    let waits = block.filter(|block| !block.lets_pass(InboxId(unit.0)));
    let head = waits.map(|block| OutboxId(block.head.0));
    // One that was never tried waits for earlier ones only: a later head left a job in which this
    // one stayed.
    let is_new = matches!(attempt, Attempt::First(_) | Attempt::Again { attempts: 0, retried: 0 });
    Ok(head.filter(|head| *head < unit || !is_new))
}

/// Makes an order key wait for a message or unit.
pub(crate) fn set(
    tx: &Tx<'_>,
    which: Which,
    (queue, lane): (&str, Lane),
    key: &OrderKey,
    head: i64,
) -> Result<(), StoreError> {
    let params = (queue, key.as_str(), lane.index(), head);
    tx.run(&sql::block_set(which), params).map(drop)
}
