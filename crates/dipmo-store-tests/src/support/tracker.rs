//! Tracks what workers decide: each aggregate must see 1, 2, 3 … and nothing else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use dipmo_store::{ClaimedMessage, SettlementKind};

/// Shared by all workers of a test.
#[derive(Clone, Default)]
pub struct Tracker(Arc<Mutex<Tracked>>);

#[derive(Default)]
struct Tracked {
    last: HashMap<String, i64>,
    ended: usize,
    violations: Vec<String>,
}

impl Tracker {
    /// Notes a decision on a message, and gives it back.
    ///
    /// It is noted inside the batch: the lane is locked, so the next decision on the aggregate is
    /// made after this one has been committed.
    ///
    /// # Panics
    /// When another worker did.
    #[must_use]
    pub fn decide(&self, claimed: &ClaimedMessage, kind: SettlementKind) -> SettlementKind {
        let mut tracked = self.0.lock().unwrap();
        let aggregate = claimed.message.aggregate_id.clone().unwrap_or_default();
        let (number, last) = (claimed.message.offset, *tracked.last.get(&aggregate).unwrap_or(&0));
        if number != last + 1 {
            let violation = format!("{aggregate}: {number} was tried after {last} had ended");
            tracked.violations.push(violation);
        }
        if matches!(kind, SettlementKind::Processed(_) | SettlementKind::Failed { .. }) {
            tracked.last.insert(aggregate, number);
            tracked.ended += 1;
        }
        kind
    }

    /// How many messages have ended.
    ///
    /// # Panics
    /// When a worker did.
    #[must_use]
    pub fn ended(&self) -> usize {
        self.0.lock().unwrap().ended
    }

    /// What was decided out of order.
    ///
    /// # Panics
    /// When a worker did.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.0.lock().unwrap().violations.clone()
    }
}
