//! Leases: who may send, and until when.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_outbox::{Delivery, Epoch, Lease, Owner};
use dipmo_store::Store as _;
use futures_util::FutureExt as _;

use super::Witness;
use crate::sim::Sim;

/// A lease as the database has it.
pub(super) struct LeaseSeen {
    pub(super) owner: String,
    epoch: Epoch,
    pub(super) until: Timestamp,
    /// Whether nothing went wrong any more when it was taken: then it is given back.
    pub(super) calm: bool,
}

/// What somebody who has a lease in hand can know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Ours,
    /// It ended or is somebody else's, and its holder should know.
    Lost,
    /// It may be, because the clock jumped.
    Unknown,
}

impl Witness {
    /// How a lease stands for somebody who needs it until then.
    pub(super) fn standing(&self, sim: &Sim, lease: &Lease, until: Timestamp) -> Standing {
        let seen = self.leases.get(&key(lease)).filter(|seen| seen.epoch == lease.epoch);
        if seen.is_some_and(|seen| until <= seen.until) {
            Standing::Ours
        } else if self.jumps_at(lease) == sim.clock.jumps() || self.told_lost.contains(lease) {
            Standing::Lost
        } else {
            Standing::Unknown
        }
    }

    /// Whoever asked to prolong leases was told which of them are still theirs.
    pub(crate) fn told(&mut self, leases: &[Lease], renewed: &[Lease]) {
        let lost = leases.iter().filter(|lease| !renewed.contains(lease));
        self.told_lost.extend(lost.cloned());
    }

    /// How often the clock had jumped when a lease was last asked for.
    fn jumps_at(&self, lease: &Lease) -> u64 {
        self.jumps.get(&(key(lease), lease.epoch.0)).copied().unwrap_or(0)
    }

    /// Who has a lane has it under an epoch of its own. Answers what is wrong.
    fn hold(&mut self, owner: &Owner, lease: &Lease) -> Option<String> {
        let now = (lease.epoch, owner.0.clone());
        let last = self.epochs.insert(key(lease), now.clone())?;
        let fits = last == now || last.0 < now.0;
        let (lane, to) = (lease.lane, &lease.destination);
        (!fits).then(|| format!("lane {lane} of {to} went from {last:?} to {now:?}"))
    }
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
        let seen =
            LeaseSeen { owner: owner.0.clone(), epoch: lease.epoch, until, calm: sim.is_calm() };
        let mut witness = sim.witness();
        witness.leases.insert(key(lease), seen);
        witness.jumps.insert((key(lease), lease.epoch.0), jumps);
        let wrong = witness.hold(owner, lease);
        drop(witness);
        wrong.into_iter().for_each(|what| sim.violation(what));
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

/// A slice is about to be sent. It must be done within its deadline, before the lease ends under
/// which it is sent, as far as its sender can know: the database's clock may have jumped. Answers
/// how often it had when the first of the leases was taken.
pub(crate) fn may_send(sim: &Arc<Sim>, name: &str, slice: &[Delivery], deadline: Duration) -> u64 {
    let done = now(sim).after(deadline);
    let witness = sim.witness();
    let hand = witness.hands.get(&tokio::task::try_id());
    let mut first = sim.clock.jumps();
    let mut wrong = None;
    for delivery in slice {
        let unit = delivery.unit;
        let lease = hand
            .into_iter()
            .flatten()
            .find(|lease| lease.lane == delivery.lane && lease.destination == delivery.destination);
        let Some(lease) = lease else {
            wrong = Some(format!("{name} sends {unit} without a lease"));
            continue;
        };
        first = first.min(witness.jumps_at(lease));
        match (witness.standing(sim, lease, done), witness.jobs.holder(&key(lease))) {
            (Standing::Lost, _) => {
                wrong = Some(format!("{name} sends {unit} past its lease, or with a lost one"));
            }
            (Standing::Ours, Some(job)) => {
                wrong = Some(format!("{name} sends {unit} past job {job}, which holds its lane"));
            }
            _ => {}
        }
    }
    drop(witness);
    wrong.into_iter().for_each(|what| sim.violation(what));
    first
}

pub(super) fn now(sim: &Sim) -> Timestamp {
    sim.store.now().now_or_never().and_then(Result::ok).unwrap_or(Timestamp::EPOCH)
}

pub(super) fn key(lease: &Lease) -> (String, u8) {
    (lease.destination.to_string(), lease.lane.index())
}
