//! Dropping what is settled and old, and forgetting ids.

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, InboxId, InboxStatus, Month, OutboxId, StoreError, Timestamp};
use dipmo_outbox::JobId;
use dipmo_store::{History, Pruned};

use crate::MemoryStore;
use crate::database::Database;
use crate::inbox::{IdRow, InboxTables};
use crate::outbox::OutboxTables;
use crate::rows::is_settled;

#[async_trait]
impl History for MemoryStore {
    /// There is room for every month.
    async fn prepare_months(&self, _ahead: u8) -> Result<(), StoreError> {
        self.read(|_, _| Ok(()))
    }

    async fn drop_before(&self, month: Month, limit: u32) -> Result<Pruned, StoreError> {
        self.transact(|database, _| Ok(drop_before(database, month.start(), limit)))
    }

    async fn forget_ids_before(&self, time: Timestamp, limit: u32) -> Result<Pruned, StoreError> {
        self.transact(|database, _| Ok(forget_ids(&mut database.inbox, time, limit)))
    }

    async fn dedupe_horizon(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|database, _| Ok(database.inbox.horizon))
    }
}

/// Drops settled messages first, then settled intents, then ended jobs, at most `limit` of all
/// together.
fn drop_before(database: &mut Database, time: Timestamp, limit: u32) -> Pruned {
    let Database { inbox, outbox, .. } = database;
    let (messages, kept_messages) = old_messages(inbox, time);
    let (intents, kept_intents) = old_intents(outbox, time);
    let jobs = old_jobs(outbox, time);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let old = messages.len() + intents.len() + jobs.len();
    let from_inbox = messages.len().min(limit);
    let from_outbox = intents.len().min(limit - from_inbox);
    let from_jobs = jobs.len().min(limit - from_inbox - from_outbox);
    let dropped = from_inbox + from_outbox + from_jobs;
    messages.iter().take(from_inbox).for_each(|id| drop_message(inbox, *id));
    intents.iter().take(from_outbox).for_each(|id| drop_intent(outbox, *id));
    jobs.iter().take(from_jobs).for_each(|id| outbox.jobs.forget(*id));
    Pruned {
        rows: count(dropped),
        carried: count(kept_messages + kept_intents),
        more: dropped < old,
    }
}

/// The settled messages from before a time, and how many others there are.
fn old_messages(inbox: &InboxTables, time: Timestamp) -> (Vec<InboxId>, usize) {
    let old = inbox.log.iter().filter(|(_, message)| message.received_at < time);
    let (settled, open): (Vec<InboxId>, Vec<InboxId>) =
        old.map(|(id, _)| *id).partition(|id| is_processed(inbox, *id));
    (settled, open.len())
}

/// The settled intents from before a time, and how many others there are.
fn old_intents(outbox: &OutboxTables, time: Timestamp) -> (Vec<OutboxId>, usize) {
    let old = outbox.log.iter().filter(|(_, row)| row.created_at < time);
    let (settled, open): (Vec<OutboxId>, Vec<OutboxId>) =
        old.map(|(id, _)| *id).partition(|id| is_settled(outbox, *id));
    (settled, open.len())
}

/// The jobs that ended before a time: nothing is left in them.
fn old_jobs(outbox: &OutboxTables, time: Timestamp) -> Vec<JobId> {
    let old = outbox.jobs.ended().filter(|job| job.phase_at < time);
    old.map(|job| job.id).collect()
}

fn is_processed(inbox: &InboxTables, id: InboxId) -> bool {
    let status = |id| inbox.exceptions.get(id).map(|row| row.columns.status);
    inbox.done.contains_key(&id) || status(id) == Some(InboxStatus::Processed)
}

fn drop_message(inbox: &mut InboxTables, id: InboxId) {
    inbox.log.remove_mut(&id);
    inbox.done.remove_mut(&id);
    inbox.exceptions.remove(id);
}

fn drop_intent(outbox: &mut OutboxTables, id: OutboxId) {
    let units: Vec<OutboxId> = outbox.units_of(id).map(|(unit, _)| unit).collect();
    for unit in units {
        outbox.units.remove_mut(&unit);
        outbox.done.remove_mut(&unit);
        outbox.exceptions.remove(unit);
    }
    outbox.tallies.remove_mut(&id);
    outbox.log.remove_mut(&id);
}

fn forget_ids(inbox: &mut InboxTables, time: Timestamp, limit: u32) -> Pruned {
    let is_old = |row: &IdRow| row.received_at < time && !inbox.log.contains_key(&row.message);
    let old: Vec<DedupeKey> =
        inbox.ids.iter().filter(|(_, row)| is_old(row)).map(|(key, _)| *key).collect();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    for key in old.iter().take(limit) {
        inbox.ids.remove_mut(key);
    }
    // Also when some are left: what was forgotten can no longer be recognised.
    inbox.horizon = inbox.horizon.max(Some(time));
    Pruned { rows: count(old.len().min(limit)), carried: 0, more: old.len() > limit }
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
