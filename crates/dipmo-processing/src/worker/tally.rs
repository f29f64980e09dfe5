//! What a batch did, counted while it is decided and kept only if it was committed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dipmo_domain::{InboxId, Lane, OrderKey, Outcome, Timestamp};
use dipmo_store::SettlementKind;

use super::item::Item;

/// An order key is notable with one message in so many of a batch.
const NOTABLE: u64 = 64;

/// The figures of one batch.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// All messages that were claimed, in order.
    pub(crate) ids: Vec<InboxId>,
    pub(crate) lanes: BTreeMap<Lane, u64>,
    /// Order keys with a notable share of the batch.
    pub(crate) hot_keys: Vec<(OrderKey, u64)>,
    pub(crate) ended: BTreeMap<Outcome, u64>,
    pub(crate) retried: u64,
    /// Those that failed for good, with their codes.
    pub(crate) failed: Vec<(InboxId, String)>,
    /// Of those that failed, the ones for which no dead letter could be made.
    pub(crate) unmirrored: u64,
    pub(crate) held: u64,
    pub(crate) parked: u64,
    /// Few edges are taken in a batch, so that looking through them beats hashing.
    pub(crate) transitions: Vec<(Edge, u64)>,
    /// How long each message that ended had been here.
    pub(crate) latencies: Vec<Duration>,
}

/// Process, state before (empty for a new instance), state after.
pub(crate) type Edge = (String, String, &'static str);

/// A tally that the worker reads after the store has taken the batch.
#[derive(Clone, Default)]
pub(crate) struct SharedTally(Arc<Mutex<Tally>>);

impl SharedTally {
    pub(crate) fn claimed(&self, ids: Vec<InboxId>, items: &[Item]) {
        let mut tally = self.lock();
        let mut keys: HashMap<&OrderKey, u64> = HashMap::new();
        for item in items {
            *tally.lanes.entry(item.claimed.message.lane).or_default() += 1;
            if let Some(key) = &item.order_key {
                *keys.entry(key).or_default() += 1;
            }
        }
        let notable =
            |(_, count): &(&OrderKey, u64)| *count > 1 && *count * NOTABLE >= count_of(items);
        let hot = keys.into_iter().filter(notable);
        tally.hot_keys = hot.map(|(key, count)| (key.clone(), count)).collect();
        tally.hot_keys.sort_unstable();
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
            SettlementKind::Failed { failure, .. } => {
                tally.failed.push((item.claimed.message.id, failure.code().to_owned()));
            }
            SettlementKind::Held => tally.held += 1,
            SettlementKind::Parked { .. } => tally.parked += 1,
        }
    }

    pub(crate) fn unmirrored(&self) {
        self.lock().unmirrored += 1;
    }

    pub(crate) fn advanced(&self, process: &str, from: Option<&str>, to: &'static str) {
        let from = from.unwrap_or_default();
        let transitions = &mut self.lock().transitions;
        let same = |((one, two, three), _): &&mut (Edge, u64)| {
            one == process && two == from && *three == to
        };
        match transitions.iter_mut().find(same) {
            Some((_, count)) => *count += 1,
            None => transitions.push(((process.to_owned(), from.to_owned(), to), 1)),
        }
    }

    pub(crate) fn take(&self) -> Tally {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count_of(items: &[Item]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}
