//! Claiming a batch: lock lanes that have work, then read what is in them.

use dipmo_domain::{InboxId, InboxStatus, Lane, StoreError, Timestamp};
use dipmo_store::{ClaimLimits, ClaimedBatch, ClaimedMessage};

use crate::MemoryStore;
use crate::database::Database;
use crate::inbox::InboxTables;
use crate::locks::LaneGuard;
use crate::store::Shared;

/// A claimed batch; the lanes are free again when it is dropped.
pub(crate) struct Claim {
    pub(crate) guard: LaneGuard,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) now: Timestamp,
    pub(crate) messages: Vec<InboxId>,
    /// The state in which the batch was claimed.
    pub(crate) database: Database,
}

impl MemoryStore {
    /// `None` when there is nothing to do.
    pub(crate) fn claim(&self, limits: ClaimLimits) -> Result<Option<Claim>, StoreError> {
        let mut shared = self.lock();
        shared.database.check_schema()?;
        let lanes = lanes_with_work(&shared, limits);
        let messages = messages_of(&shared.database.inbox, &lanes, limits.messages, shared.now);
        if messages.is_empty() {
            return Ok(None);
        }
        let now = shared.now;
        let session = shared.locks.lock(&lanes, now);
        Ok(Some(Claim {
            guard: LaneGuard::new(self.clone(), session),
            lanes,
            now,
            messages,
            database: shared.database.clone(),
        }))
    }
}

impl Claim {
    pub(crate) fn batch(&self) -> ClaimedBatch {
        let inbox = &self.database.inbox;
        let messages = self.messages.iter().filter_map(|id| claimed(inbox, *id)).collect();
        ClaimedBatch { now: self.now, messages }
    }
}

fn lanes_with_work(shared: &Shared, limits: ClaimLimits) -> Vec<Lane> {
    let inbox = &shared.database.inbox;
    let has_work = |lane: &Lane| {
        inbox.ready.first(lane).is_some() || inbox.exceptions.due(lane, shared.now).next().is_some()
    };
    let from_start = Lane::all().filter(|lane| *lane >= limits.start);
    let wrapped = Lane::all().filter(|lane| *lane < limits.start);
    from_start
        .chain(wrapped)
        .filter(|lane| shared.locks.is_free(*lane) && has_work(lane))
        .take(limits.lanes.into())
        .collect()
}

/// What is due goes first. While more is due than a batch takes, nothing else is taken: what is cut
/// off need not head its key, and another message of that key would overtake it. This ends: each
/// batch works off a limit of them, and one that is due again waited for its back-off and has one
/// attempt less.
///
/// One that was decoded again is due as well, but was never met. It comes after the others, and
/// after earlier ones of its lane that are ready.
fn messages_of(inbox: &InboxTables, lanes: &[Lane], limit: u32, now: Timestamp) -> Vec<InboxId> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let due = |lane| inbox.exceptions.due(lane, now);
    let mut met = lanes.iter().flat_map(due).filter(|id| !is_unmet(inbox, *id));
    let mut taken: Vec<InboxId> = met.by_ref().take(limit).collect();
    if met.next().is_none() {
        let ready = ready_of(inbox, lanes, limit);
        let goes = |lane, id| is_unmet(inbox, id) && !is_early(inbox, lane, id, &ready);
        let decoded = lanes.iter().flat_map(|lane| due(lane).filter(move |id| goes(lane, *id)));
        let decoded: Vec<InboxId> = decoded.take(limit - taken.len()).collect();
        taken.extend(ready.into_iter().chain(decoded));
    }
    taken.sort_unstable();
    taken
}

/// The oldest of what is ready, sorted.
fn ready_of(inbox: &InboxTables, lanes: &[Lane], limit: usize) -> Vec<InboxId> {
    // No lane can give more than the limit, so no more of each is looked at.
    let mut ready: Vec<InboxId> =
        lanes.iter().flat_map(|lane| inbox.ready.of(lane).take(limit)).copied().collect();
    ready.sort_unstable();
    ready.truncate(limit);
    ready
}

/// True for one that was decoded again, and was never met.
fn is_unmet(inbox: &InboxTables, id: InboxId) -> bool {
    inbox.exceptions.get(id).is_some_and(|row| {
        row.columns.status == InboxStatus::Received && row.columns.parked_until.is_none()
    })
}

/// True when earlier ones of its lane stay ready: one that was never met would overtake them.
fn is_early(inbox: &InboxTables, lane: &Lane, id: InboxId, taken: &[InboxId]) -> bool {
    let mut stay = inbox.ready.of(lane).filter(|ready| taken.binary_search(ready).is_err());
    stay.next().is_some_and(|first| *first < id)
}

fn claimed(inbox: &InboxTables, id: InboxId) -> Option<ClaimedMessage> {
    let row = inbox.exceptions.get(id);
    Some(ClaimedMessage {
        message: inbox.log.get(&id)?.as_ref().clone(),
        attempts: row.map_or(0, |row| row.attempts),
        parked_until: row.and_then(|row| row.columns.parked_until),
        retried: row.map_or(0, |row| row.retried),
    })
}
