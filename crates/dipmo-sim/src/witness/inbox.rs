//! Messages: each ends once, and none before an earlier one of its key.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use dipmo_domain::{InboxId, InboxStatus, OrderKey, Outcome};
use dipmo_inbox::InboxRow;
use dipmo_store::{Settlement, SettlementKind};

use crate::fault::Done;
use crate::sim::Sim;
use crate::world::BLOCKING;

/// What is known of messages.
pub(super) struct InboxWitness {
    /// The newest message that was seen.
    pub(super) last: InboxId,
    keys: BTreeMap<InboxId, OrderKey>,
    /// Source and version of each.
    versions: BTreeMap<InboxId, (String, Option<i64>)>,
    /// Those that have not ended, by key; one that failed and blocks its key stays here.
    open: BTreeMap<OrderKey, BTreeSet<InboxId>>,
    /// Those that wait for a version, or did before they were held: others may pass them.
    parked: BTreeSet<InboxId>,
    /// Those that came back behind others: the later ones that had been met by then, and may still
    /// go first.
    passed_by: BTreeMap<InboxId, BTreeSet<InboxId>>,
    ended: BTreeMap<InboxId, SettlementKind>,
    /// Those that failed, and a later one of their key that was processed since.
    overtaken: BTreeMap<InboxId, InboxId>,
    /// Those that a person could decide about: tried and not ended well, parked, or undecodable.
    met: BTreeSet<InboxId>,
    /// Those that their key waits for, because they cannot be decoded.
    barriers: BTreeSet<InboxId>,
    /// Those that turned out to be others when they were decoded again.
    duplicates: BTreeSet<InboxId>,
    /// How often each failed for good.
    failures: BTreeMap<InboxId, usize>,
}

impl Default for InboxWitness {
    fn default() -> Self {
        Self {
            last: InboxId(0),
            keys: BTreeMap::new(),
            versions: BTreeMap::new(),
            open: BTreeMap::new(),
            parked: BTreeSet::new(),
            passed_by: BTreeMap::new(),
            ended: BTreeMap::new(),
            overtaken: BTreeMap::new(),
            met: BTreeSet::new(),
            barriers: BTreeSet::new(),
            duplicates: BTreeSet::new(),
            failures: BTreeMap::new(),
        }
    }
}

impl InboxWitness {
    pub(super) fn arrived(&mut self, row: &InboxRow) {
        let id = row.message.id;
        self.last = self.last.max(id);
        let version = (row.message.source_system.clone(), row.message.source_version);
        self.versions.insert(id, version);
        let is_garbled = row.status == InboxStatus::SerdeError;
        let blocks = is_garbled && row.message.event_type.as_deref() == Some(BLOCKING);
        if is_garbled {
            self.met.insert(id);
        }
        if blocks {
            self.barriers.insert(id);
        }
        // What is nobody's, or cannot be decoded, holds up nobody, unless it says so.
        let counts = blocks || !is_garbled && row.message.topic != "nowhere";
        if let Some(key) = row.message.order_key().filter(|_| counts) {
            self.open.entry(key.clone()).or_default().insert(id);
            self.keys.insert(id, key);
        }
    }

    /// An operator retried it; answers what is wrong with that.
    pub(super) fn retried(&mut self, id: InboxId, force: bool) -> Option<String> {
        let is_failed = matches!(self.ended.get(&id), Some(SettlementKind::Failed { .. }));
        if let Some(later) = self.overtaken.get(&id).filter(|_| is_failed && !force) {
            return Some(format!("message {id} was retried in silence behind {later}"));
        }
        match self.ended.get(&id) {
            None | Some(SettlementKind::Failed { block: true, .. }) => {}
            Some(SettlementKind::Failed { block: false, .. }) => {
                // Its key has gone on without it.
                if let Some(key) = self.keys.get(&id).cloned() {
                    self.open.entry(key.clone()).or_default().insert(id);
                    self.comes_back(id, &key);
                }
            }
            Some(before) => return Some(format!("message {id} was retried after {before:?}")),
        }
        self.ended.remove(&id);
        None
    }

    /// An operator let go what it held; answers what is wrong with that.
    pub(super) fn released(&mut self, id: InboxId) -> Option<String> {
        if self.barriers.remove(&id) {
            self.forget(id);
            return None;
        }
        match self.ended.get_mut(&id) {
            Some(SettlementKind::Failed { block, .. }) if *block => *block = false,
            before => {
                return Some(format!("others were let past message {id}, which is {before:?}"));
            }
        }
        self.close(id);
        None
    }

    /// An operator decoded it again; answers what is wrong with that.
    pub(super) fn decoded(
        &mut self,
        id: InboxId,
        key: Option<&OrderKey>,
        force: bool,
    ) -> Option<String> {
        self.forget(id);
        self.barriers.remove(&id);
        self.met.remove(&id);
        let key = key?;
        let went_on = |other: &&InboxId| {
            // One that was another all along did nothing.
            !self.duplicates.contains(other)
                && self.ended.get(other).is_some_and(SettlementKind::goes_on)
        };
        let went_on = self.later(id, key).find(went_on).copied();
        // A later one for which its key waits already goes first.
        self.comes_back(id, key);
        self.keys.insert(id, key.clone());
        self.open.entry(key.clone()).or_default().insert(id);
        let later = went_on.filter(|_| !force)?;
        Some(format!("message {id} was decoded again in silence behind {later}"))
    }

    /// Those of its key that came later.
    fn later(&self, id: InboxId, key: &OrderKey) -> impl Iterator<Item = &InboxId> {
        let later = self.keys.range((Bound::Excluded(id), Bound::Unbounded));
        later.filter(move |(_, of)| *of == key).map(|(other, _)| other)
    }

    /// It is tried again behind others of its key: those that were met before, and nobody else, may
    /// still go first.
    fn comes_back(&mut self, id: InboxId, key: &OrderKey) {
        let met = self.later(id, key).filter(|other| self.met.contains(other));
        let met = met.copied().collect();
        self.passed_by.insert(id, met);
    }

    /// It turned out to be another one; answers what is wrong with that.
    pub(super) fn duplicate(&mut self, id: InboxId, first: InboxId) -> Option<String> {
        self.close(id);
        self.barriers.remove(&id);
        self.met.remove(&id);
        self.duplicates.insert(id);
        let before = self.ended.insert(id, SettlementKind::Processed(Outcome::Duplicate));
        (before.is_some() || first == id)
            .then(|| format!("message {id}, which is {before:?}, was taken for {first}"))
    }

    pub(super) fn was_duplicate(&self, id: InboxId) -> bool {
        self.duplicates.contains(&id)
    }

    pub(super) fn failures(&self, id: InboxId) -> usize {
        self.failures.get(&id).copied().unwrap_or(0)
    }

    /// True when the first is later than the second: by their versions, or else as they came.
    fn comes_after(&self, one: InboxId, other: InboxId) -> bool {
        match (self.versions.get(&one), self.versions.get(&other)) {
            (Some((source, Some(this))), Some((same, Some(that))))
                if source == same && this != that =>
            {
                this > that
            }
            _ => one > other,
        }
    }

    /// Nobody waits for it any more.
    fn close(&mut self, id: InboxId) {
        if let Some(key) = self.keys.get(&id) {
            self.open.entry(key.clone()).or_default().remove(&id);
        }
    }

    /// It waits for nobody either.
    fn forget(&mut self, id: InboxId) {
        self.close(id);
        self.keys.remove(&id);
    }

    /// An operator skipped it; answers what is wrong with that.
    pub(super) fn skipped(&mut self, id: InboxId) -> Option<String> {
        if let Some(before @ SettlementKind::Processed(_)) = self.ended.get(&id) {
            return Some(format!("message {id} was skipped after {before:?}"));
        }
        if !self.met.remove(&id) {
            return Some(format!("message {id} was skipped, and nobody had tried it"));
        }
        self.ended.insert(id, SettlementKind::Processed(Outcome::Skipped));
        self.parked.remove(&id);
        self.barriers.remove(&id);
        self.close(id);
        None
    }

    pub(super) fn was_skipped(&self, id: InboxId) -> bool {
        self.ended.get(&id) == Some(&SettlementKind::Processed(Outcome::Skipped))
    }

    /// Takes a settlement that was committed; answers what is wrong with it.
    fn settled(&mut self, settlement: &Settlement) -> Option<String> {
        let Settlement { message: id, kind } = settlement;
        if let Some(before) = self.ended.get(id) {
            return Some(format!("message {id} was settled as {kind:?} after {before:?}"));
        }
        match kind {
            SettlementKind::Held => {}
            SettlementKind::Processed(_) => drop(self.met.remove(id)),
            SettlementKind::Retry { .. } | SettlementKind::Parked { .. } => {
                self.met.insert(*id);
            }
            SettlementKind::Failed { .. } => {
                self.met.insert(*id);
                *self.failures.entry(*id).or_default() += 1;
            }
        }
        let Some(key) = self.keys.get(id) else {
            self.ended.insert(*id, kind.clone());
            return None;
        };
        if kind.goes_on() {
            let failed = self.ended.iter().filter(|(earlier, ended)| {
                let is_failed = matches!(ended, SettlementKind::Failed { .. });
                is_failed && self.comes_after(*id, **earlier) && self.keys.get(earlier) == Some(key)
            });
            let failed: Vec<InboxId> = failed.map(|(earlier, _)| *earlier).collect();
            for earlier in failed {
                self.overtaken.entry(earlier).or_insert(*id);
            }
        }
        let open = self.open.entry(key.clone()).or_default();
        match kind {
            SettlementKind::Held => return None,
            SettlementKind::Parked { .. } => {
                self.parked.insert(*id);
                return None;
            }
            SettlementKind::Retry { .. } => {}
            SettlementKind::Failed { block: true, .. } => {
                self.ended.insert(*id, kind.clone());
            }
            SettlementKind::Processed(_) | SettlementKind::Failed { block: false, .. } => {
                self.ended.insert(*id, kind.clone());
                open.remove(id);
            }
        }
        self.parked.remove(id);
        self.passed_by.remove(id);
        let lets_pass = |earlier: &&InboxId| {
            let passed_by = self.passed_by.get(earlier);
            self.parked.contains(earlier) || passed_by.is_some_and(|later| later.contains(id))
        };
        let earlier = open.range(..*id).find(|earlier| !lets_pass(earlier));
        earlier.map(|earlier| format!("message {id} of {key:?} was tried before {earlier} ended"))
    }
}

/// A batch was committed.
pub(crate) fn batch(sim: &Arc<Sim>, name: &str, done: &Done) {
    // Messages that came while it was decided are older than this commit.
    super::new_messages(sim, name);
    for changes in &done.changes {
        for settlement in &changes.settlements {
            let Settlement { message, kind } = settlement;
            sim.step(format_args!("{name} settles {message}: {kind:?}"));
            let wrong = sim.witness().inbox.settled(settlement);
            wrong.into_iter().for_each(|what| sim.violation(what));
        }
        for write in &changes.timers {
            sim.witness().timers.wrote(write);
        }
    }
}
