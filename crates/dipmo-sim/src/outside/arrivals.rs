//! What arrived at destinations, and the rules for it.
//!
//! A destination drops what it has had before by its idempotency key. So a unit may arrive again,
//! but never
//!
//! 1. for the first time behind a newer unit of its key, nor
//! 2. at all, once it or a newer unit of its key has been settled: nobody would send the newer one
//!    again, and a destination that cannot tell a repetition would end with the older.
//!
//! There are three excuses. An operator who retries what failed where the policy lets others pass
//! has been told so. Two more are beyond what any engine can do: the sender was stopped with
//! the request half way out of the door, or the clock of the database jumped ahead while it sent,
//! so that its lease ended before its time.

use std::collections::{BTreeMap, BTreeSet};

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
    refused: BTreeSet<OutboxId>,
    /// Those that operators retried after newer ones of their key had gone out.
    overtaken: BTreeSet<OutboxId>,
    /// Those that operators gave up.
    skipped: BTreeSet<OutboxId>,
    intents: BTreeMap<OutboxId, OutboxId>,
    /// How often units of each intent were retried after they had failed.
    retries: BTreeMap<OutboxId, u32>,
    ended: BTreeMap<OutboxId, UnitResult>,
}

impl Outside {
    /// Takes an arrival; answers what is wrong with it.
    pub(crate) fn arrive(&mut self, delivery: &Delivery, excused: bool) -> Option<String> {
        let (unit, key) = (delivery.unit, key_of(delivery));
        let first = self.arrived.insert(unit);
        let newest = self.newest.get(&key).copied().filter(|newest| *newest > unit);
        let settled = self.newest_settled.get(&key).copied().filter(|newest| *newest >= unit);
        if excused || self.overtaken.contains(&unit) {
            // Nor can others be blamed for coming behind it.
            return None;
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
        let goes_outside = delivery.destination.to_string() != "INTERNAL:mirror";
        match result {
            UnitResult::Dispatched { .. } => {
                self.ended.insert(unit, result.clone());
                let entry = self.newest_settled.entry(key_of(delivery)).or_insert(unit);
                *entry = unit.max(*entry);
                (goes_outside && !self.arrived.contains(&unit))
                    .then(|| format!("unit {unit} was settled as delivered, and never arrived"))
            }
            UnitResult::Failed { .. } => {
                self.ended.insert(unit, result.clone());
                None
            }
            UnitResult::Retry { .. } | UnitResult::Held | UnitResult::Later => None,
        }
    }

    /// An operator retried it; answers what is wrong with that.
    pub(crate) fn retried(&mut self, unit: OutboxId, overtaken: bool) -> Option<String> {
        match self.ended.get(&unit) {
            // It waited for its next attempt, which comes earlier now.
            None => return None,
            Some(UnitResult::Failed { .. }) if !self.skipped.contains(&unit) => {}
            Some(before) => return Some(format!("unit {unit} was retried after {before:?}")),
        }
        self.ended.remove(&unit);
        if overtaken {
            self.overtaken.insert(unit);
        }
        let intent = self.intents.get(&unit).copied().unwrap_or(unit);
        *self.retries.entry(intent).or_default() += 1;
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

    /// How often units of an intent were retried after they had failed.
    pub(crate) fn retries(&self, intent: OutboxId) -> u32 {
        self.retries.get(&intent).copied().unwrap_or(0)
    }

    pub(crate) fn was_refused(&self, unit: OutboxId) -> bool {
        self.refused.contains(&unit)
    }

    pub(crate) fn arrivals(&self) -> usize {
        self.arrived.len()
    }
}

fn key_of(delivery: &Delivery) -> Key {
    (delivery.destination.to_string(), delivery.order_key.as_str().to_owned())
}
