//! Sees every commit, the moment that it happens, and knows what may follow it.

mod inbox;
mod jobs;
mod leases;
mod operators;
mod reparsing;
mod timers;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use dipmo_domain::InboxId;
use dipmo_outbox::{Epoch, Lease, UnitSettlement};
use dipmo_store::Inspect as _;
use futures_util::FutureExt as _;
use tokio::task::Id;

use crate::sim::Sim;
use inbox::InboxWitness;
use jobs::JobsSeen;
pub(crate) use jobs::{begun, changed, given, may_go_on, must_be, taken};
use leases::LeaseSeen;
pub(crate) use leases::{given_back, leased, may_send};
pub(crate) use operators::{
    released, released_units, retried, retried_units, skipped, skipped_units,
};
pub(crate) use reparsing::reparsed;
use timers::Timers;

pub(crate) use inbox::batch;

/// What the commits so far have come to.
#[derive(Default)]
pub(crate) struct Witness {
    inbox: InboxWitness,
    pub(crate) timers: Timers,
    /// By destination and lane.
    leases: BTreeMap<(String, u8), LeaseSeen>,
    /// What each task has leased; only ever looked up by its key.
    pub(crate) hands: HashMap<Option<Id>, Vec<Lease>>,
    pub(crate) jobs: JobsSeen,
    /// The last epoch of each lane, and whose it was.
    epochs: BTreeMap<(String, u8), (Epoch, String)>,
    /// Leases whose holders were told that they are lost.
    told_lost: HashSet<Lease>,
    /// How often the clock had jumped when each lease was last asked for, by its epoch as well.
    jumps: BTreeMap<((String, u8), i64), u64>,
}

impl Witness {
    /// True for a message that an operator skipped.
    pub(crate) fn was_skipped(&self, message: InboxId) -> bool {
        self.inbox.was_skipped(message)
    }

    /// True for a message that turned out to be another one when it was decoded again.
    pub(crate) fn was_duplicate(&self, message: InboxId) -> bool {
        self.inbox.was_duplicate(message)
    }

    /// How often a message failed for good.
    pub(crate) fn failures(&self, message: InboxId) -> usize {
        self.inbox.failures(message)
    }

    /// Leases that are still somebody's by the clock of the database, although nothing kept them
    /// from being given back.
    pub(crate) fn leases_left(&self, now: dipmo_domain::Timestamp) -> Vec<String> {
        let left = self.leases.iter().filter(|(_, seen)| seen.calm && seen.until > now);
        left.map(|((destination, lane), seen)| {
            format!("lane {lane} of {destination}, {}", seen.owner)
        })
        .collect()
    }
}

/// Units were settled.
pub(crate) fn settled(sim: &Arc<Sim>, name: &str, units: &[UnitSettlement]) {
    for UnitSettlement { delivery, result } in units {
        sim.step(format_args!("{name} settles unit {}: {result:?}", delivery.unit));
        let wrong = sim.outside().settled(delivery, result);
        let of_job = sim.witness().jobs.settled(delivery.unit, result);
        wrong.into_iter().chain(of_job).for_each(|what| sim.violation(what));
        let records = sim.store.records(delivery.intent).now_or_never().and_then(Result::ok);
        let units = records.map_or(1, |records| records.len().max(1));
        sim.outside().note_end(delivery.intent, units);
    }
    new_messages(sim, name);
}

/// Looks for messages that were not there at the last look.
pub(crate) fn new_messages(sim: &Arc<Sim>, name: &str) {
    let last = sim.witness().inbox.last;
    let mut limit = 16;
    let rows = loop {
        let Some(Ok(rows)) = sim.store.inbox_rows(limit).now_or_never() else {
            return sim.violation("the inbox cannot be read");
        };
        let all_new = rows.last().is_some_and(|row| row.message.id > last);
        if !all_new || rows.len() < usize::try_from(limit).unwrap_or(usize::MAX) {
            break rows;
        }
        limit *= 4;
    };
    for row in rows.iter().rev().filter(|row| row.message.id > last) {
        sim.step(format_args!(
            "{name} stores {} {} of {:?} on {}",
            row.message.id, row.message.message_id, row.message.aggregate_id, row.message.topic
        ));
        let mut witness = sim.witness();
        witness.inbox.arrived(row);
        let wrong = witness.timers.fired(&row.message);
        drop(witness);
        wrong.into_iter().for_each(|what| sim.violation(what));
    }
}
