//! Versions of producers that nobody waits for: their messages failed or were skipped, and their
//! order keys go on without them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dipmo_api::Versions;
use dipmo_domain::OrderKey;
use dipmo_inbox::Message;
use dipmo_store::{MOST_PASSED_OVER, PassedOver};

use super::item::{Item, Taker};

/// What the database knew when the batch began, and what failed in it since.
#[derive(Default)]
pub(crate) struct Gaps(HashMap<OrderKey, BTreeMap<String, BTreeSet<i64>>>);

impl Gaps {
    pub(crate) fn learn(&mut self, found: Vec<PassedOver>) {
        for PassedOver { order_key, source_system, version } in found {
            self.add(order_key, source_system, version);
        }
    }

    /// Notes a message of this batch; answers whether anybody could have waited for it.
    pub(crate) fn note(&mut self, item: &Item) -> bool {
        let message = &item.claimed.message;
        let (Some(key), Some(version)) = (&item.order_key, message.source_version) else {
            return false;
        };
        self.add(key.clone(), message.source_system.clone(), version);
        true
    }

    /// True for a version that the source of a message sent, and that nobody will process.
    pub(crate) fn has(&self, key: Option<&OrderKey>, message: &Message, version: i64) -> bool {
        let Some(sources) = key.and_then(|key| self.0.get(key)) else { return false };
        let Some(versions) = sources.get(&message.source_system) else { return false };
        // Only the newest are told: before so many failures in a row nobody looks for more.
        let more = sources.values().map(BTreeSet::len).sum::<usize>() >= MOST_PASSED_OVER;
        versions.contains(&version) || more && versions.first().is_some_and(|it| version < *it)
    }

    fn add(&mut self, key: OrderKey, source: String, version: i64) {
        self.0.entry(key).or_default().entry(source).or_default().insert(version);
    }
}

/// The order keys of those messages that may miss a version.
pub(crate) fn keys_of(items: &[Item]) -> Vec<OrderKey> {
    let keys: BTreeSet<&OrderKey> = items
        .iter()
        .filter(|item| counts(item))
        .filter_map(|item| item.order_key.as_ref())
        .collect();
    keys.into_iter().cloned().collect()
}

fn counts(item: &Item) -> bool {
    let versions = match &item.taker {
        Taker::Process(asked) => asked.versions,
        _ => return false,
    };
    matches!(versions, Versions::Contiguous { .. }) && item.claimed.message.source_version.is_some()
}
