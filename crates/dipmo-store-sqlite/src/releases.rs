//! How a block ends: those behind its head are let go, in order, so many at a time.

use std::collections::HashSet;

use dipmo_domain::{OrderKey, StoreError};

use crate::blocks::{find, set};
use crate::jobs;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// How many are let go in the transaction that ends their block; `release` goes on with the rest.
pub(crate) const AT_ONCE: usize = 500;

/// Lets go up to `limit` that are held behind heads that ended; answers how many.
pub(crate) fn release(tx: &Tx<'_>, which: Which, limit: usize) -> Result<usize, StoreError> {
    let mut gone = 0;
    while gone < limit {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let next = match which {
            Which::Inbox => sql::block_next(),
            Which::Outbox => sql::unit_block_next(),
        };
        let ended: Option<(String, String)> = tx.one(&next, (), read)?;
        let Some((queue, key)) = ended else { break };
        gone += let_go(tx, which, (&queue, &key), limit - gone)?.count;
    }
    Ok(gone)
}

/// The blocks that end in a transaction.
///
/// Those behind them are let go last: a later message of the key may be held in the same
/// transaction, and must neither pass those before it nor be left behind when the block goes.
#[derive(Debug)]
pub(crate) struct Endings {
    which: Which,
    heads: Vec<(String, OrderKey, i64)>,
    ended: Vec<(String, OrderKey)>,
    held: HashSet<(String, OrderKey)>,
}

impl Endings {
    pub(crate) fn new(which: Which) -> Self {
        Self { which, heads: Vec::new(), ended: Vec::new(), held: HashSet::new() }
    }

    /// If this one is the head of its key's block, the block is to end.
    pub(crate) fn ended(&mut self, queue: &str, key: &OrderKey, id: i64) {
        self.heads.push((queue.to_owned(), key.clone(), id));
    }

    /// This key has somebody held; it must not wait for nobody.
    pub(crate) fn held(&mut self, queue: &str, key: &OrderKey) {
        self.held.insert((queue.to_owned(), key.clone()));
    }

    /// Ends the blocks, for the next wave to see: one with nobody behind it is gone at once.
    pub(crate) fn mark(&mut self, tx: &Tx<'_>) -> Result<(), StoreError> {
        for (queue, key, head) in self.heads.drain(..) {
            let block = (queue.as_str(), key.as_str());
            if tx.run(&sql::block_end(self.which), (block.0, block.1, head))? == 0 {
                continue;
            }
            let first = (block.0, block.1, 1);
            if tx.one(&sql::release_take(self.which), first, |_| Ok(()))?.is_some() {
                self.ended.push((queue, key));
            } else {
                tx.run(&sql::block_lift(self.which), block)?;
            }
        }
        Ok(())
    }

    /// Lets go those behind ended blocks; true when some remain to be let go.
    pub(crate) fn apply(mut self, tx: &Tx<'_>) -> Result<bool, StoreError> {
        self.mark(tx)?;
        let (mut budget, mut releasing) = (AT_ONCE, false);
        for (queue, key) in &self.ended {
            // A later wave may have set a new head.
            let block = find(tx, self.which, queue, key)?;
            if block.is_some_and(|block| block.has_ended()) {
                if self.waits_for_a_job(tx, queue, key)? {
                    releasing = true;
                    continue;
                }
                let gone = let_go(tx, self.which, (queue, key.as_str()), budget)?;
                budget -= gone.count;
                releasing |= gone.more;
            }
        }
        for (queue, key) in &self.held {
            // The block went between reading and settling: there is nothing to wait for.
            if find(tx, self.which, queue, key)?.is_none() {
                if self.waits_for_a_job(tx, queue, key)? {
                    make_head(tx, queue, key)?;
                    continue;
                }
                let_go(tx, self.which, (queue, key.as_str()), usize::MAX)?;
            }
        }
        Ok(releasing)
    }

    /// Nothing is let go in a lane that a job holds: it would be overtaken by what is in the job. It
    /// is let go when the job ends.
    fn waits_for_a_job(
        &self,
        tx: &Tx<'_>,
        queue: &str,
        key: &OrderKey,
    ) -> Result<bool, StoreError> {
        Ok(self.which == Which::Outbox && jobs::holds(tx, queue, key.lane())?)
    }
}

/// Makes the first that is held for a key its head, due now: later ones may be in the job that
/// holds their lane.
fn make_head(tx: &Tx<'_>, queue: &str, key: &OrderKey) -> Result<(), StoreError> {
    let first = (queue, key.as_str(), 1);
    let Some(head) =
        tx.one(&sql::release_take(Which::Outbox), first, |row| row.get::<_, i64>(0))?
    else {
        return Ok(());
    };
    let revive = (queue, key.as_str(), head, tx.now().as_micros());
    tx.run(&sql::release_revive(Which::Outbox), revive)?;
    set(tx, Which::Outbox, (queue, key.lane()), key, head)
}

struct Gone {
    count: usize,
    more: bool,
}

/// Lets go up to `limit` of those held for a key, in order, and lifts its block with the last.
fn let_go(
    tx: &Tx<'_>,
    which: Which,
    (queue, key): (&str, &str),
    limit: usize,
) -> Result<Gone, StoreError> {
    // One more than may go tells whether any remain.
    let asked = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let mut held: Vec<(i64, u32, bool)> =
        tx.all(&sql::release_take(which), (queue, key, asked), read)?;
    let mut more = held.len() > limit;
    held.truncate(limit);
    let barrier = held.iter().position(|(_, _, is_barrier)| *is_barrier);
    let barrier = barrier.map(|at| held.split_off(at)[0].0);
    if let Some((last, ..)) = held.last() {
        tx.arrived(which.into());
        // A chunk reaches over none that becomes due: chunks of a job come one after the other.
        for run in held.chunk_by(|(_, one, _), (_, next, _)| (*one == 0) == (*next == 0)) {
            if let ([(first, 0, _), ..], Some((last, ..))) = (run, run.last()) {
                tx.run(&sql::release_ready(which), (queue, key, last, first))?;
            }
        }
        tx.run(&sql::release_drop(which), (queue, key, last))?;
        tx.run(&sql::release_revive(which), (queue, key, last, tx.now().as_micros()))?;
        tx.run(&sql::block_move(which), (queue, key, last))?;
    }
    if let Some(head) = barrier {
        // Its turn has come: the key waits for it from now on.
        tx.run(&sql::block_head(which), (queue, key, head))?;
        more = false;
    } else if !more {
        tx.run(&sql::block_lift(which), (queue, key))?;
    }
    Ok(Gone { count: held.len(), more })
}
