//! What arrived at destinations, and the rules for it.
//!
//! A destination drops what it has had before by its idempotency key. So a unit may arrive again,
//! but never
//!
//! 1. for the first time behind a newer unit of its key, nor
//! 2. at all, once it or a newer unit of its key has been settled: nobody would send the newer one
//!    again, and a destination that cannot tell a repetition would end with the older.
//!
//! There are two excuses, and both are beyond what any engine can do: the sender was stopped with
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
    ended: BTreeMap<OutboxId, UnitResult>,
}

impl Outside {
    /// Takes an arrival; answers what is wrong with it.
    pub(crate) fn arrive(&mut self, delivery: &Delivery, excused: bool) -> Option<String> {
        let (unit, key) = (delivery.unit, key_of(delivery));
        let first = self.arrived.insert(unit);
        let newest = self.newest.get(&key).copied().filter(|newest| *newest > unit);
        let settled = self.newest_settled.get(&key).copied().filter(|newest| *newest >= unit);
        if excused {
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
