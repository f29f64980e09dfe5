//! Letting go what is held behind heads that ended.
//!
//! No lane is locked for this: only held rows and their block change, which no batch has claimed.
//! Who is held behind a block that went meanwhile would wait for ever, and is let go as well.

use dipmo_domain::{InboxId, OrderKey, OutboxId, Timestamp};

use crate::inbox::InboxTables;
use crate::let_go::LetGo;
use crate::outbox::OutboxTables;
use crate::side::OutboxKey;

/// Goes on with blocks that are being lifted; answers how many messages were let go.
pub(crate) fn release_messages(inbox: &mut InboxTables, limit: u32, now: Timestamp) -> usize {
    let keys = inbox.blocks.being_lifted();
    let_messages_go(inbox, &keys, as_usize(limit), now).count
}

/// The same for units.
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

pub(crate) fn let_units_go(
    outbox: &mut OutboxTables,
    keys: &[OutboxKey],
    limit: usize,
    now: Timestamp,
) -> LetGo<OutboxId> {
    let let_go = outbox.blocks.let_go(&mut outbox.exceptions, keys, limit, now);
    make_chunks(outbox, &let_go.ready);
    let_go
}

/// Lets go those of `held` whose key waits for nothing.
pub(crate) fn free_units(outbox: &mut OutboxTables, held: &[OutboxId], now: Timestamp) {
    let ready = outbox.blocks.free_unblocked(&mut outbox.exceptions, held, now);
    make_chunks(outbox, &ready);
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
