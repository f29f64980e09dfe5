//! Leases: who may send, and until when.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_outbox::{Delivery, Epoch, Lease, Owner};
use dipmo_store::Store as _;
use futures_util::FutureExt as _;

use crate::sim::Sim;

/// A lease as the database has it.
pub(super) struct LeaseSeen {
    pub(super) owner: String,
    epoch: Epoch,
    pub(super) until: Timestamp,
    /// Whether nothing went wrong any more when it was taken: then it is given back.
    pub(super) calm: bool,
}

/// Leases were taken or prolonged; the clock had jumped so often when they were asked for.
pub(crate) fn leased(
    sim: &Arc<Sim>,
    owner: &Owner,
    leases: &[Lease],
    duration: Duration,
    jumps: u64,
) {
    let until = now(sim).after(duration);
    for lease in leases {
        sim.step(format_args!("{owner} leases {} of {}", lease.lane, lease.destination));
        let (owner, calm) = (owner.0.clone(), sim.is_calm());
        let seen = LeaseSeen { owner, epoch: lease.epoch, until, calm };
        let mut witness = sim.witness();
        witness.leases.insert(key(lease), seen);
        witness.jumps.insert((key(lease), lease.epoch.0), jumps);
    }
}

/// Leases were given back.
pub(crate) fn given_back(sim: &Arc<Sim>, owner: &Owner, leases: &[Lease]) {
    let mut witness = sim.witness();
    for lease in leases {
        let is_own = |seen: &LeaseSeen| seen.owner == owner.0 && seen.epoch == lease.epoch;
        if witness.leases.get(&key(lease)).is_some_and(is_own) {
            witness.leases.remove(&key(lease));
        }
    }
}

/// A slice is about to be sent. It must be done before the lease ends under which it is sent, as
/// far as its sender can know: the database's clock may have jumped. Answers how often it had when
/// the first of the leases was taken.
pub(crate) fn may_send(sim: &Arc<Sim>, name: &str, slice: &[Delivery]) -> u64 {
    let done = now(sim).after(sim.options.engine.dispatch.deadline);
    let witness = sim.witness();
    let hand = witness.hands.get(&tokio::task::try_id());
    let mut first = sim.clock.jumps();
    let mut wrong = None;
    for delivery in slice {
        let lease = hand
            .into_iter()
            .flatten()
            .find(|lease| lease.lane == delivery.lane && lease.destination == delivery.destination);
        let Some(lease) = lease else {
            wrong = Some(format!("{name} sends {} without a lease", delivery.unit));
            continue;
        };
        let jumps = witness.jumps.get(&(key(lease), lease.epoch.0)).copied().unwrap_or(0);
        let could_know = jumps == sim.clock.jumps();
        first = first.min(jumps);
        match witness.leases.get(&key(lease)).filter(|seen| seen.epoch == lease.epoch) {
            Some(seen) if could_know && done > seen.until => {
                let over = done.since(seen.until).as_millis();
                let unit = delivery.unit;
                wrong = Some(format!("{name} sends {unit} up to {over} ms past its lease"));
            }
            None if could_know => {
                wrong = Some(format!("{name} sends {} with a lost lease", delivery.unit));
            }
            _ => {}
        }
    }
    drop(witness);
    wrong.into_iter().for_each(|what| sim.violation(what));
    first
}

fn now(sim: &Sim) -> Timestamp {
    sim.store.now().now_or_never().and_then(Result::ok).unwrap_or(Timestamp::EPOCH)
}

fn key(lease: &Lease) -> (String, u8) {
    (lease.destination.to_string(), lease.lane.index())
}
