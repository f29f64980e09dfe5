//! A dispatcher's hand: lanes that it leased, and what it read of them.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use dipmo_domain::{Destination, OrderKey, OutboxId, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, Lease, Owner, UnitResult, UnitSettlement};
use dipmo_store::{IntentEnd, LeaseParams, ReadParams, Replies, Settle, SettleReport, Store};

use super::LONG;

/// Leases, and the units that were read under them.
#[derive(Clone, Debug)]
pub struct Hand {
    /// Who holds them.
    pub owner: Owner,
    /// The lanes.
    pub leases: Vec<Lease>,
    /// The units.
    pub units: Vec<Delivery>,
}

/// Leases all lanes of a destination that have work, and reads all of it.
pub async fn take(store: &dyn Store, destination: &Destination, owner: &str) -> Hand {
    Hand::leasing(store, destination, owner, LONG).await
}

/// Dispatches everything that can be read of a destination; answers the units, in order.
pub async fn dispatch_all(store: &dyn Store, destination: &Destination) -> Vec<Delivery> {
    let mut all = Vec::new();
    loop {
        let hand = take(store, destination, "dispatch-all").await;
        let sends = hand.in_order(|_| dispatched());
        hand.settle(store, |unit| sends[&unit.unit].clone()).await.unwrap();
        hand.give_back(store).await;
        let let_go = store.release_units(1_000).await.unwrap();
        if hand.units.is_empty() && let_go == 0 {
            return all;
        }
        let is_sent = |unit: &Delivery| sends[&unit.unit] != UnitResult::Held;
        all.extend(hand.units.into_iter().filter(is_sent));
    }
}

/// Acknowledged, without an id of the destination's own.
#[must_use]
pub const fn dispatched() -> UnitResult {
    UnitResult::Dispatched { external_ref: None }
}

impl Hand {
    /// Leases for a time, and reads.
    pub async fn leasing(
        store: &dyn Store,
        destination: &Destination,
        owner: &str,
        duration: Duration,
    ) -> Self {
        let owner = Owner(owner.to_owned());
        let params = LeaseParams {
            owner: owner.clone(),
            destination: destination.clone(),
            lanes: u8::MAX,
            duration,
        };
        let leases = store.lease(&params).await.unwrap();
        let units = read(store, &leases).await;
        Self { owner, leases, units }
    }

    /// Reads again under the same leases.
    pub async fn reads_again(&mut self, store: &dyn Store) {
        self.units = read(store, &self.leases).await;
    }

    /// What becomes of each unit when order is kept: what its key does not let pass is held.
    pub fn in_order(
        &self,
        mut result: impl FnMut(&Delivery) -> UnitResult,
    ) -> HashMap<OutboxId, UnitResult> {
        let mut blocked_here: HashSet<&OrderKey> = HashSet::new();
        let mut results = HashMap::new();
        for unit in &self.units {
            let waits = unit.blocked_by.is_some() || blocked_here.contains(&unit.order_key);
            let result = if waits { UnitResult::Held } else { result(unit) };
            let blocks = match &result {
                UnitResult::Retry { .. } | UnitResult::Unanswered { .. } | UnitResult::Later => {
                    true
                }
                UnitResult::Failed { block, .. } => *block,
                UnitResult::Dispatched { .. } | UnitResult::Held | UnitResult::InJob(_) => false,
            };
            if blocks {
                blocked_here.insert(&unit.order_key);
            }
            results.insert(unit.unit, result);
        }
        results
    }

    /// Settles every unit as the closure says.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn settle(
        &self,
        store: &dyn Store,
        result: impl Fn(&Delivery) -> UnitResult,
    ) -> Result<SettleReport, StoreError> {
        self.settle_with(store, result, &[], Box::new(|_: &[IntentEnd]| Vec::new())).await
    }

    /// Settles every unit, with messages for the inbox and replies.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn settle_with(
        &self,
        store: &dyn Store,
        result: impl Fn(&Delivery) -> UnitResult,
        messages: &[NewMessage],
        replies: Replies,
    ) -> Result<SettleReport, StoreError> {
        let settlement = |delivery: &Delivery| UnitSettlement {
            delivery: delivery.clone(),
            result: result(delivery),
        };
        let units: Vec<_> = self.units.iter().map(settlement).collect();
        store.settle(Settle { leases: &self.leases, units: &units, messages, replies }).await
    }

    /// Gives the lanes back.
    pub async fn give_back(&self, store: &dyn Store) {
        store.give_back(&self.owner, &self.leases).await.unwrap();
    }
}

async fn read(store: &dyn Store, leases: &[Lease]) -> Vec<Delivery> {
    let units = store.read(ReadParams { leases, in_flight: &[], units: 1_000_000 }).await.unwrap();
    assert!(units.is_sorted_by_key(|delivery| delivery.unit), "units come in the order of ids");
    units
}
