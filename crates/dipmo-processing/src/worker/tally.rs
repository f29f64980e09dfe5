//! What a batch did, counted while it is decided and kept only if it was committed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dipmo_domain::{InboxId, Lane, OrderKey, Outcome, Timestamp};
use dipmo_store::SettlementKind;

use super::item::Item;

/// The figures of one batch.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// All messages that were claimed, in order.
    pub(crate) ids: Vec<InboxId>,
    pub(crate) lanes: BTreeMap<Lane, u64>,
    pub(crate) order_keys: BTreeMap<OrderKey, u64>,
    pub(crate) ended: BTreeMap<Outcome, u64>,
    pub(crate) retried: u64,
    pub(crate) failed: u64,
    pub(crate) held: u64,
    pub(crate) parked: u64,
    /// Process, state before (empty for a new instance), state after.
    pub(crate) transitions: BTreeMap<(String, String, &'static str), u64>,
    /// How long each message that ended had been here.
    pub(crate) latencies: Vec<Duration>,
}

/// A tally that the worker reads after the store has taken the batch.
#[derive(Clone, Default)]
pub(crate) struct SharedTally(Arc<Mutex<Tally>>);

impl SharedTally {
    pub(crate) fn claimed(&self, ids: Vec<InboxId>, items: &[Item]) {
        let mut tally = self.lock();
        for item in items {
            *tally.lanes.entry(item.claimed.message.lane).or_default() += 1;
            if let Some(key) = &item.order_key {
                match tally.order_keys.get_mut(key) {
                    Some(count) => *count += 1,
                    None => drop(tally.order_keys.insert(key.clone(), 1)),
                }
            }
        }
        tally.ids = ids;
    }

    pub(crate) fn settled(&self, item: &Item, kind: &SettlementKind, now: Timestamp) {
        let mut tally = self.lock();
        match kind {
            SettlementKind::Processed(outcome) => {
                *tally.ended.entry(*outcome).or_default() += 1;
                tally.latencies.push(now.since(item.claimed.message.received_at));
            }
            SettlementKind::Retry { .. } => tally.retried += 1,
            SettlementKind::Failed { .. } => tally.failed += 1,
            SettlementKind::Held => tally.held += 1,
            SettlementKind::Parked { .. } => tally.parked += 1,
        }
    }

    pub(crate) fn advanced(&self, process: &str, from: Option<&str>, to: &'static str) {
        let edge = (process.to_owned(), from.unwrap_or_default().to_owned(), to);
        *self.lock().transitions.entry(edge).or_default() += 1;
    }

    pub(crate) fn take(&self) -> Tally {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
