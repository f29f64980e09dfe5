//! What arrived at destinations, and the rules for it.
//!
//! A destination drops what it has had before by its idempotency key. So a unit may arrive again,
//! but never
//!
//! 1. for the first time behind a newer unit of its key, nor
//! 2. at all, once it or a newer unit of its key has been settled: nobody would send the newer one
//!    again, and a destination that cannot tell a repetition would end with the older.
//!
//! There are three excuses. An operator who retries what failed after others were let past it does
//! so by force, unless the others are still on the wire; from then on only those pass it that
//! somebody had read before. Two more are beyond what any engine can do: the sender was stopped with
//! the request half way out of the door, or the clock of the database jumped ahead while it sent,
//! so that its lease ended before its time.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use dipmo_domain::OutboxId;
use dipmo_outbox::{Delivery, UnitResult};

/// A destination and an order key.
type Key = (String, String);

/// Everything that ever arrived.
#[derive(Default)]
pub(crate) struct Outside {
    newest: BTreeMap<Key, OutboxId>,
    newest_settled: BTreeMap<Key, OutboxId>,
    arrived: BTreeSet<OutboxId>,
    /// What arrived last of each key.
    last: BTreeMap<Key, OutboxId>,
    /// Those of which something arrived with an excuse.
    excused: BTreeSet<Key>,
    refused: BTreeSet<OutboxId>,
    /// Those that operators retried after their key had gone on without them.
    late: BTreeSet<OutboxId>,
    /// Those of them that have not arrived since, and the later ones that may still go first.
    passed_by: BTreeMap<OutboxId, BTreeSet<OutboxId>>,
    /// All that anybody ever read.
    read: BTreeMap<OutboxId, Key>,
    /// Those that failed, and a later one of their key that was delivered since.
    overtaken: BTreeMap<OutboxId, OutboxId>,
    /// Those whose attempts operators set back while they may have been on the wire.
    set_back: BTreeSet<OutboxId>,
    /// Those that operators gave up.
    skipped: BTreeSet<OutboxId>,
    intents: BTreeMap<OutboxId, OutboxId>,
    keys: BTreeMap<OutboxId, Key>,
    /// How often units of each intent were retried after they had failed.
    retries: BTreeMap<OutboxId, u32>,
    ended: BTreeMap<OutboxId, UnitResult>,
    /// At which count of retries each intent had ended.
    ends: BTreeMap<OutboxId, BTreeSet<u32>>,
}

impl Outside {
    /// Takes what a courier has in hand from now on.
    pub(crate) fn read(&mut self, deliveries: &[Delivery]) {
        self.read.extend(deliveries.iter().map(|delivery| (delivery.unit, key_of(delivery))));
    }

    /// Takes an arrival; answers what is wrong with it.
    pub(crate) fn arrive(&mut self, delivery: &Delivery, excused: bool) -> Option<String> {
        let (unit, key) = (delivery.unit, key_of(delivery));
        let first = self.arrived.insert(unit);
        self.last.insert(key.clone(), unit);
        self.passed_by.remove(&unit);
        let newest = self.newest.get(&key).copied().filter(|newest| *newest > unit);
        let settled = self.newest_settled.get(&key).copied().filter(|newest| *newest >= unit);
        if excused {
            // Nor can others be blamed for coming behind it.
            self.excused.insert(key);
            return None;
        }
        if let Some(earlier) = self.passes(delivery) {
            return Some(format!("unit {unit} arrived before {earlier}, which was retried first"));
        }
        if self.late.contains(&unit) {
            let delivered = matches!(self.ended.get(&unit), Some(UnitResult::Dispatched { .. }));
            return delivered.then(|| format!("unit {unit} arrived when it had been settled"));
        }
        let entry = self.newest.entry(key.clone()).or_insert(unit);
        *entry = unit.max(*entry);
        let (destination, key) = key;
        match (first, newest, settled) {
            (true, Some(newer), _) => Some(format!(
                "unit {unit} of {key:?} arrived at {destination} for the first time behind {newer}"
            )),
            (_, _, Some(newer)) => Some(format!(
                "unit {unit} of {key:?} arrived at {destination} when {newer} had been settled"
            )),
            _ => None,
        }
    }

    /// One that was retried before anybody had read this one, and must arrive before it.
    fn passes(&self, delivery: &Delivery) -> Option<OutboxId> {
        let (unit, key) = (delivery.unit, key_of(delivery));
        let mut earlier = self.passed_by.range(..unit);
        let is_passed = |(other, passed_by): &(&OutboxId, &BTreeSet<OutboxId>)| {
            self.keys.get(*other) == Some(&key) && !passed_by.contains(&unit)
        };
        earlier.find(is_passed).map(|(other, _)| *other)
    }

    pub(crate) fn refuse(&mut self, unit: OutboxId) {
        self.refused.insert(unit);
    }

    /// Takes a settlement that was committed; answers what is wrong with it.
    pub(crate) fn settled(&mut self, delivery: &Delivery, result: &UnitResult) -> Option<String> {
        let unit = delivery.unit;
        if let Some(before) = self.ended.get(&unit) {
            return Some(format!("unit {unit} was settled as {result:?} after {before:?}"));
        }
        self.intents.insert(unit, delivery.intent);
        self.keys.insert(unit, key_of(delivery));
        let goes_outside = delivery.destination.to_string() != "INTERNAL:mirror";
        if matches!(result, UnitResult::Dispatched { .. } | UnitResult::Failed { .. }) {
            self.passed_by.remove(&unit);
        }
        match result {
            UnitResult::Dispatched { .. } => {
                self.ended.insert(unit, result.clone());
                let entry = self.newest_settled.entry(key_of(delivery)).or_insert(unit);
                *entry = unit.max(*entry);
                self.overtake(delivery);
                if let Some(earlier) = self.passes(delivery).filter(|_| !goes_outside) {
                    return Some(format!("unit {unit} went in before {earlier}"));
                }
                (goes_outside && !self.arrived.contains(&unit))
                    .then(|| format!("unit {unit} was settled as delivered, and never arrived"))
            }
            UnitResult::Failed { .. } => {
                self.ended.insert(unit, result.clone());
                None
            }
            UnitResult::Retry { .. }
            | UnitResult::Unanswered { .. }
            | UnitResult::Held
            | UnitResult::Later
            | UnitResult::InJob(_) => None,
        }
    }

    /// Notes for those of its key that failed before it that it went on without them.
    fn overtake(&mut self, later: &Delivery) {
        let key = key_of(later);
        let failed = self.ended.range(..later.unit).filter(|(unit, ended)| {
            matches!(ended, UnitResult::Failed { .. }) && self.keys.get(unit) == Some(&key)
        });
        let failed: Vec<OutboxId> = failed.map(|(unit, _)| *unit).collect();
        for unit in failed {
            self.overtaken.entry(unit).or_insert(later.unit);
        }
    }

    /// An operator retried it; answers what is wrong with that.
    pub(crate) fn retried(&mut self, unit: OutboxId, force: bool) -> Option<String> {
        let blocked = match self.ended.get(&unit) {
            // It waited for its next attempt, which comes earlier now; or somebody has it in hand.
            None => {
                self.set_back.insert(unit);
                return None;
            }
            Some(UnitResult::Failed { block, .. }) if !self.skipped.contains(&unit) => *block,
            Some(before) => return Some(format!("unit {unit} was retried after {before:?}")),
        };
        if let Some(later) = self.overtaken.get(&unit).filter(|_| !force) {
            return Some(format!("unit {unit} was retried in silence behind {later}"));
        }
        self.ended.remove(&unit);
        if !blocked {
            self.late.insert(unit);
            let later = self.read.range((Bound::Excluded(unit), Bound::Unbounded));
            let later = later.filter(|(_, key)| Some(*key) == self.keys.get(&unit));
            let later = later.map(|(other, _)| *other).collect();
            self.passed_by.insert(unit, later);
        }
        let intent = self.intents.get(&unit).copied().unwrap_or(unit);
        *self.retries.entry(intent).or_default() += 1;
        None
    }

    /// An operator let go what it held; answers what is wrong with that.
    pub(crate) fn released(&mut self, unit: OutboxId) -> Option<String> {
        match self.ended.get_mut(&unit) {
            Some(UnitResult::Failed { block, .. }) if *block => *block = false,
            before => {
                return Some(format!("others were let past unit {unit}, which is {before:?}"));
            }
        }
        None
    }

    /// An operator gave it up; answers what is wrong with that.
    pub(crate) fn skipped(&mut self, unit: OutboxId) -> Option<String> {
        let failed = matches!(self.ended.get(&unit), Some(UnitResult::Failed { .. }));
        (!self.skipped.insert(unit) || !failed)
            .then(|| format!("unit {unit} was given up after {:?}", self.ended.get(&unit)))
    }

    pub(crate) fn was_skipped(&self, unit: OutboxId) -> bool {
        self.skipped.contains(&unit)
    }

    /// Takes down that an intent has ended, if all of its units have.
    pub(crate) fn note_end(&mut self, intent: OutboxId, units: usize) {
        let of_intent = |unit: &&OutboxId| self.intents.get(unit) == Some(&intent);
        if self.ended.keys().filter(of_intent).count() == units {
            let retries = self.retries(intent);
            self.ends.entry(intent).or_default().insert(retries);
        }
    }

    /// At which count of retries an intent had ended.
    pub(crate) fn ends(&self, intent: OutboxId) -> BTreeSet<u32> {
        self.ends.get(&intent).cloned().unwrap_or_default()
    }

    /// How often units of an intent were retried after they had failed.
    pub(crate) fn retries(&self, intent: OutboxId) -> u32 {
        self.retries.get(&intent).copied().unwrap_or(0)
    }

    /// True for a unit that may have failed for good after fewer attempts than its row says.
    pub(crate) fn was_set_back(&self, unit: OutboxId) -> bool {
        self.set_back.contains(&unit)
    }

    pub(crate) fn was_refused(&self, unit: OutboxId) -> bool {
        self.refused.contains(&unit)
    }

    /// A record that did not end with the newest of what was delivered to it; nothing is said of
    /// those with excuses.
    pub(crate) fn not_newest(&self) -> Option<String> {
        let late: BTreeSet<&Key> =
            self.late.iter().filter_map(|unit| self.keys.get(unit)).collect();
        let excused = |key: &Key| late.contains(key) || self.excused.contains(key);
        let mut last = self.last.iter().filter(|(key, _)| !excused(key));
        last.find_map(|(key, last)| {
            let newest = self.newest_settled.get(key).filter(|newest| *newest > last)?;
            Some(format!("{key:?} ended with unit {last}, and not with {newest}"))
        })
    }

    pub(crate) fn arrivals(&self) -> usize {
        self.arrived.len()
    }
}

fn key_of(delivery: &Delivery) -> Key {
    (delivery.destination.to_string(), delivery.order_key.as_str().to_owned())
}
