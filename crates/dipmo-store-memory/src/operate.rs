//! Operators: retrying and skipping, in lanes that nobody works on meanwhile.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use dipmo_domain::{
    InboxId, InboxStatus, Lane, OutboxId, OutboxStatus, Outcome, StoreError, Timestamp,
};
use dipmo_store::{
    Acted, Decoded, Failed, Operate, Operated, Reparsed, Side, Standing, check_count, judge,
};

use crate::MemoryStore;
use crate::blocks::Fate;
use crate::database::Database;
use crate::inbox::{InboxTables, comes_after};
use crate::let_go::RELEASED_AT_ONCE;
use crate::locks::LaneGuard;
use crate::operate_units::{self, retry_units, skip_units};
use crate::release::let_messages_go;
use crate::settle::wake;

#[async_trait]
impl Operate for MemoryStore {
    async fn retry(
        &self,
        messages: &[InboxId],
        force: bool,
    ) -> Result<Operated<InboxStatus>, StoreError> {
        let rule = |_, it: &Standing<InboxStatus>| it.retry(force);
        let act = |inbox: &mut InboxTables, now| retry(inbox, messages, now, rule);
        let (operated, due) = self.in_lanes_of(messages, act).await?;
        self.waking(Side::Inbox, due);
        Ok(operated)
    }

    async fn retry_failed(&self, failed: &[Failed]) -> Result<Operated<InboxStatus>, StoreError> {
        let messages: Vec<InboxId> = failed.iter().map(|failed| failed.message).collect();
        let rule = |place: usize, it: &Standing<_>| it.retry_failed(failed[place].retried);
        let act = |inbox: &mut InboxTables, now| retry(inbox, &messages, now, rule);
        let (operated, due) = self.in_lanes_of(&messages, act).await?;
        self.waking(Side::Inbox, due);
        Ok(operated)
    }

    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError> {
        let act = |inbox: &mut InboxTables, now| skip(inbox, messages, now);
        let (operated, let_go) = self.in_lanes_of(messages, act).await?;
        self.waking(Side::Inbox, let_go);
        Ok(operated)
    }

    async fn release_behind(
        &self,
        messages: &[InboxId],
    ) -> Result<Operated<InboxStatus>, StoreError> {
        let act = |inbox: &mut InboxTables, now| release_behind(inbox, messages, now);
        let (operated, let_go) = self.in_lanes_of(messages, act).await?;
        self.waking(Side::Inbox, let_go);
        Ok(operated)
    }

    async fn retry_units(
        &self,
        units: &[OutboxId],
        force: bool,
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let act =
            |database: &mut Database, now| Ok(retry_units(&mut database.outbox, units, force, now));
        let (operated, due) = self.transact(act)?;
        self.waking(Side::Outbox, due);
        Ok(operated)
    }

    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let act = |database: &mut Database, now| Ok(skip_units(&mut database.outbox, units, now));
        let (operated, let_go) = self.transact(act)?;
        self.waking(Side::Outbox, let_go);
        Ok(operated)
    }

    async fn release_behind_units(
        &self,
        units: &[OutboxId],
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let act = |database: &mut Database, now| {
            Ok(operate_units::release_behind(&mut database.outbox, units, now))
        };
        let (operated, let_go) = self.transact(act)?;
        self.waking(Side::Outbox, let_go);
        Ok(operated)
    }

    async fn reparse(
        &self,
        messages: &[Decoded],
        force: bool,
    ) -> Result<Vec<Reparsed>, StoreError> {
        self.reparse_messages(messages, force).await
    }
}

/// What a call answers, and how many it made claimable.
type Acts = (Operated<InboxStatus>, usize);

impl MemoryStore {
    /// Acts on messages while their lanes are locked.
    async fn in_lanes_of(
        &self,
        messages: &[InboxId],
        act: impl FnOnce(&mut InboxTables, Timestamp) -> Acts,
    ) -> Result<Acts, StoreError> {
        check_count(messages)?;
        let lanes = self.read(|database, _| {
            let lane = |id| Some(database.inbox.log.get(id)?.lane);
            Ok(messages.iter().filter_map(lane).collect::<BTreeSet<Lane>>())
        })?;
        self.in_lanes(&lanes, act).await
    }

    /// Changes the inbox while lanes are locked.
    pub(crate) async fn in_lanes<T>(
        &self,
        lanes: &BTreeSet<Lane>,
        change: impl FnOnce(&mut InboxTables, Timestamp) -> T,
    ) -> Result<T, StoreError> {
        let guard = self.hold(lanes).await;
        let lanes: Vec<Lane> = lanes.iter().copied().collect();
        let mut shared = self.lock();
        shared.locks.check(guard.session(), &lanes)?;
        let (mut database, now) = (shared.database.clone(), shared.now);
        let changed = change(&mut database.inbox, now);
        shared.database = database;
        // Before the guard, which takes the lock as well.
        drop(shared);
        Ok(changed)
    }

    /// Locks lanes one after the other, in their order: two who want the same ones do not wait for
    /// each other.
    async fn hold(&self, lanes: &BTreeSet<Lane>) -> LaneGuard {
        let (session, freed) = {
            let mut shared = self.lock();
            let now = shared.now;
            (shared.locks.open(now), shared.locks.freed())
        };
        let guard = LaneGuard::new(self.clone(), session);
        for lane in lanes {
            loop {
                // Asked for before looking, so that a lane that is freed in between is heard of.
                let lane_freed = freed.notified();
                if self.lock().locks.try_take(session, *lane) {
                    break;
                }
                lane_freed.await;
            }
        }
        guard
    }
}

fn retry(
    inbox: &mut InboxTables,
    messages: &[InboxId],
    now: Timestamp,
    rule: impl Fn(usize, &Standing<InboxStatus>) -> Acted<InboxStatus>,
) -> Acts {
    let standings = standings(inbox, messages);
    let (acts, done) = judge(messages, &standings, rule);
    for id in &done {
        let Some(mut row) = inbox.exceptions.get(*id).cloned() else { continue };
        let parked = row.columns.parked_until.take().is_some();
        row.retried += u32::from(parked || row.columns.status == InboxStatus::Failed);
        row.columns.status = InboxStatus::Retry;
        row.begin_again(now);
        inbox.exceptions.put(*id, row);
    }
    (Operated { acts, releasing: false }, done.len())
}

fn skip(inbox: &mut InboxTables, messages: &[InboxId], now: Timestamp) -> Acts {
    let standings = standings(inbox, messages);
    let (acts, done) = judge(messages, &standings, |_, it| it.skip());
    for id in &done {
        let Some(mut row) = inbox.exceptions.get(*id).cloned() else { continue };
        row.due = None;
        row.held = false;
        row.columns.parked_until = None;
        row.columns.status = InboxStatus::Processed;
        row.columns.outcome = Some(Outcome::Skipped);
        row.columns.processed_at = Some(now);
        inbox.exceptions.put(*id, row);
    }
    go_on_without(inbox, &done, acts, now)
}

fn release_behind(inbox: &mut InboxTables, messages: &[InboxId], now: Timestamp) -> Acts {
    let standings = standings(inbox, messages);
    let (acts, done) = judge(messages, &standings, |_, it| it.release_behind());
    for id in &done {
        let Some(mut row) = inbox.exceptions.get(*id).cloned() else { continue };
        // One that cannot be decoded leaves the line.
        row.held = false;
        inbox.exceptions.put(*id, row);
    }
    go_on_without(inbox, &done, acts, now)
}

/// Ends the blocks of heads, lets go what they held, and wakes what waits for their versions.
fn go_on_without(
    inbox: &mut InboxTables,
    heads: &[InboxId],
    acts: Vec<Acted<InboxStatus>>,
    now: Timestamp,
) -> Acts {
    let (mut ended, mut keys) = (Vec::new(), BTreeSet::new());
    for id in heads {
        let key = inbox.exceptions.get(*id).and_then(|row| row.key.clone());
        if let Some(key) = key {
            inbox.blocks.settle(&mut ended, &key, *id, Fate::Ends);
            keys.insert(key);
        }
    }
    let let_go = let_messages_go(inbox, &ended, RELEASED_AT_ONCE, now);
    let woken: usize = keys.iter().map(|key| wake(inbox, key, now)).sum();
    (Operated { acts, releasing: let_go.releasing }, let_go.count + woken)
}

pub(crate) fn standings(
    inbox: &InboxTables,
    ids: &[InboxId],
) -> HashMap<InboxId, Standing<InboxStatus>> {
    ids.iter().filter_map(|id| Some((*id, standing(inbox, *id)?))).collect()
}

/// `None` when there is no such message.
fn standing(inbox: &InboxTables, id: InboxId) -> Option<Standing<InboxStatus>> {
    inbox.log.get(&id)?;
    Some(match inbox.exceptions.get(id) {
        Some(row) => Standing {
            status: row.columns.status,
            attempts: row.attempts,
            retried: row.retried,
            aside: true,
            held: row.held,
            parked: row.columns.parked_until.is_some(),
            skipped: row.columns.outcome == Some(Outcome::Skipped),
            erased: false,
            heads: inbox.blocks.heads(row, id),
            overtaken_by: inbox
                .blocks
                .overtaken_by(row, id, |head| comes_after(&inbox.log, head, id)),
        },
        None if inbox.done.contains_key(&id) => Standing::straight(InboxStatus::Processed),
        None => Standing::straight(InboxStatus::Received),
    })
}
