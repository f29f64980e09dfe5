//! Letting go what is held behind heads that ended.
//!
//! Nothing is let go in a lane that a job holds. What is held comes before what is in the job, and
//! would be overtaken by it: its block stays, so that units of its key leave the job as well, and it
//! is let go when the job ends.
//!
//! Messages are let go only in lanes that nobody works on. A batch that has claimed later messages
//! of a key reads its block after that: if the block went in between, they would overtake those
//! that were just let go. Units need no such care: a dispatcher reads units and blocks in one
//! moment, and who was told to wait for a block that went meanwhile is let go when it is held.

use dipmo_domain::{InboxId, OrderKey, OutboxId, StoreError, Timestamp};

use crate::MemoryStore;
use crate::inbox::InboxTables;
use crate::let_go::LetGo;
use crate::outbox::OutboxTables;
use crate::side::OutboxKey;

impl MemoryStore {
    /// Goes on with blocks that are being lifted; answers how many messages were let go. Waits for
    /// a lane only when all that could be let go is in lanes that somebody works on.
    pub(crate) async fn release_messages(&self, limit: u32) -> Result<usize, StoreError> {
        let freed = self.lock().locks.freed();
        loop {
            // Asked for before looking, so that a lane that is freed in between is heard of.
            let lane_freed = freed.notified();
            match self.release_in_free_lanes(as_usize(limit))? {
                Some(count) => return Ok(count),
                None => lane_freed.await,
            }
        }
    }

    /// `None` when there is something to let go in locked lanes only.
    fn release_in_free_lanes(&self, limit: usize) -> Result<Option<usize>, StoreError> {
        let mut shared = self.lock();
        shared.database.check_schema()?;
        let keys = shared.database.inbox.blocks.being_lifted();
        let (free, locked): (Vec<_>, Vec<_>) =
            keys.into_iter().partition(|key| shared.locks.is_free(key.lane()));
        let mut database = shared.database.clone();
        let count = let_messages_go(&mut database.inbox, &free, limit, shared.now).count;
        shared.database = database;
        let must_wait = count == 0 && limit > 0 && !locked.is_empty();
        Ok((!must_wait).then_some(count))
    }
}

/// Goes on with blocks of units that are being lifted; answers how many were let go.
pub(crate) fn release_units(outbox: &mut OutboxTables, limit: u32, now: Timestamp) -> usize {
    let keys = outbox.blocks.being_lifted();
    let_units_go(outbox, &keys, as_usize(limit), now).count
}

pub(crate) fn let_messages_go(
    inbox: &mut InboxTables,
    keys: &[OrderKey],
    limit: usize,
    now: Timestamp,
) -> LetGo<InboxId> {
    let let_go = inbox.blocks.let_go(&mut inbox.exceptions, keys, limit, now);
    make_ready(inbox, &let_go.ready);
    let_go
}

/// Lets go those of `held` whose key waits for nothing.
pub(crate) fn free_messages(inbox: &mut InboxTables, held: &[InboxId], now: Timestamp) {
    let ready = inbox.blocks.free_unblocked(&mut inbox.exceptions, held, now);
    make_ready(inbox, &ready);
}

/// Lets go what is held behind the ended heads of `keys`, but in lanes that jobs hold.
pub(crate) fn let_units_go(
    outbox: &mut OutboxTables,
    keys: &[OutboxKey],
    limit: usize,
    now: Timestamp,
) -> LetGo<OutboxId> {
    let (in_jobs, free): (Vec<_>, Vec<_>) =
        keys.iter().cloned().partition(|key| outbox.jobs.hold(&key.lane()));
    let mut let_go = outbox.blocks.let_go(&mut outbox.exceptions, &free, limit, now);
    make_chunks(outbox, &let_go.ready);
    for key in in_jobs {
        let_go.releasing |= outbox.blocks.end(&outbox.exceptions, &key);
    }
    let_go
}

/// Lets go those of `held` whose key waits for nothing. In a lane that a job holds the key waits for
/// the first of them: else what comes later of it in the job would overtake them.
pub(crate) fn free_units(outbox: &mut OutboxTables, mut held: Vec<OutboxId>, now: Timestamp) {
    held.sort_unstable();
    let is_in_job =
        |id: &OutboxId| outbox.units.get(id).is_some_and(|unit| outbox.jobs.hold(&unit.lane));
    let (in_jobs, free): (Vec<_>, Vec<_>) = held.into_iter().partition(is_in_job);
    let ready = outbox.blocks.free_unblocked(&mut outbox.exceptions, &free, now);
    make_chunks(outbox, &ready);
    for id in in_jobs {
        outbox.blocks.head_unblocked(&mut outbox.exceptions, id, now);
    }
}

fn make_ready(inbox: &mut InboxTables, ids: &[InboxId]) {
    for id in ids {
        if let Some(message) = inbox.log.get(id) {
            inbox.ready.add(&message.lane, *id);
        }
    }
}

/// Each unit that is ready again is a chunk of its own.
fn make_chunks(outbox: &mut OutboxTables, ids: &[OutboxId]) {
    for id in ids {
        if let Some(unit) = outbox.units.get(id).cloned() {
            outbox.put_chunk(&unit.lane, vec![*id]);
        }
    }
}

fn as_usize(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
