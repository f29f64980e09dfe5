//! Performing operations: items are judged as they stand, changed, and told of, in one transaction.
//!
//! **Invariant:** what is changed here has no result before and one after, so whoever goes on after a crash does
//! not do it again.

use std::collections::BTreeMap;

use dipmo_domain::{InboxId, InboxStatus, OutboxStatus, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_store::admin::{
    Act, Operation, OperationId, OperationItem, OperationLease, Performed, replayed,
};
use dipmo_store::{Acted, BoxStatus, Decoded, Operated, Reparsed, Side, Standing, is_blank};

use crate::error::unexpected;
use crate::history::as_count;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{inspect, messages, operate, operation_items, operations, reparse};

/// Does the act of an operation to those of its items that were not met yet.
pub(crate) fn act(
    tx: &Tx<'_>,
    lease: &OperationLease,
    ids: &[i64],
) -> Result<Performed, StoreError> {
    let operation = operations::running(tx, lease)?;
    let (act, force) = (operation.act, operation.force);
    let items = open(tx, operation.id, ids)?;
    let ids: Vec<i64> = items.iter().map(|item| item.id).collect();
    let (words, releasing) = match operation.side {
        Side::Inbox => words(&operate::act(tx, Which::Inbox, act, &ids, |place, it| {
            Standing::<InboxStatus>::perform(it, act, force, items[place].seen.as_ref())
        })?),
        Side::Outbox => words(&operate::act(tx, Which::Outbox, act, &ids, |place, it| {
            Standing::<OutboxStatus>::perform(it, act, force, items[place].seen.as_ref())
        })?),
    };
    let (met, done) = end(tx, operation.id, ids.into_iter().zip(words))?;
    Ok(Performed { met, done, releasing })
}

/// Takes those items of an operation that were not met yet as what they are decoded to now.
pub(crate) fn reparse(
    tx: &Tx<'_>,
    lease: &OperationLease,
    mut messages: Vec<Decoded>,
    gone: &[InboxId],
) -> Result<Performed, StoreError> {
    let operation = running(tx, lease, Act::Reparse)?;
    let ids: Vec<i64> = messages.iter().map(|(id, _)| id.0).collect();
    let open = open(tx, operation.id, &ids)?;
    messages.retain(|(id, _)| open.binary_search_by_key(&id.0, |item| item.id).is_ok());
    let (answers, releasing) = reparse::run(tx, &messages, operation.force)?;
    let decoded = messages.iter().zip(&answers).map(|((id, _), answer)| (id.0, answer.word()));
    let gone = gone.iter().map(|id| (id.0, Reparsed::NotFound.word()));
    let (met, done) = end(tx, operation.id, decoded.chain(gone))?;
    Ok(Performed { met, done, releasing })
}

/// Stores messages that repeat those items of an operation that were not met yet.
pub(crate) fn replay(
    tx: &Tx<'_>,
    lease: &OperationLease,
    again: &[(InboxId, NewMessage)],
    left: &[(InboxId, &'static str)],
) -> Result<Performed, StoreError> {
    let operation = running(tx, lease, Act::Replay)?;
    let ids: Vec<i64> = again.iter().map(|(id, _)| id.0).collect();
    let again: BTreeMap<i64, &NewMessage> = again.iter().map(|(id, it)| (id.0, it)).collect();
    let (mut ids_of, mut repeated, mut words) = (Vec::new(), Vec::new(), Vec::new());
    // By the order of what they repeat, which is the order of every key.
    for item in open(tx, operation.id, &ids)? {
        // It was read before, and may have been erased since.
        let first = inspect::message(tx, InboxId(item.id))?;
        let payload = first.as_ref().and_then(|row| row.message.payload.as_ref());
        if payload.is_some_and(is_blank) {
            words.push((item.id, Acted::<InboxStatus>::Erased.word()));
        } else if let Some(message) = again.get(&item.id) {
            ids_of.push(item.id);
            repeated.push((*message).clone());
        }
    }
    let stored = messages::store(tx, &repeated)?;
    words.extend(ids_of.into_iter().zip(stored.iter().map(replayed)));
    words.extend(left.iter().map(|(id, word)| (id.0, *word)));
    let (met, done) = end(tx, operation.id, words.into_iter())?;
    Ok(Performed { met, done, releasing: false })
}

/// The operation, if it runs, the lease is good, and it is there to do this to messages.
fn running(tx: &Tx<'_>, lease: &OperationLease, act: Act) -> Result<Operation, StoreError> {
    let operation = operations::running(tx, lease)?;
    if (operation.act, operation.side) == (act, Side::Inbox) {
        return Ok(operation);
    }
    let (id, is) = (operation.id.0, operation.act.as_str());
    let problem = format!("operation {id} is there to {is}, and not to {}", act.as_str());
    Err(unexpected("perform_operation", problem))
}

/// The items with these ids that were not met yet, each once, in order.
fn open(tx: &Tx<'_>, id: OperationId, ids: &[i64]) -> Result<Vec<OperationItem>, StoreError> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let find = |item| tx.one(&sql::operation_item_find(), (id.0, item), operation_items::item);
    ids.into_iter().filter_map(|item| find(item).transpose()).collect()
}

fn words<S: BoxStatus>(operated: &Operated<S>) -> (Vec<&'static str>, bool) {
    (operated.acts.iter().map(Acted::word).collect(), operated.releasing)
}

/// Writes what became of items; answers how many were met, and to how many it was done.
fn end(
    tx: &Tx<'_>,
    id: OperationId,
    results: impl Iterator<Item = (i64, &'static str)>,
) -> Result<(u64, u64), StoreError> {
    let (mut met, mut done) = (0, 0);
    for (item, word) in results {
        if tx.run(&sql::operation_item_end(), (id.0, item, word))? > 0 {
            met += 1;
            done += usize::from(word == Reparsed::Done.word());
        }
    }
    tx.run(&sql::operation_count(), (id.0, met, done))?;
    Ok((as_count(met), as_count(done)))
}
