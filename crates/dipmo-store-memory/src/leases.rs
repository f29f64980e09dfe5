//! Leases on lanes of the outbox: taken, prolonged, given back.

use std::collections::BTreeSet;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_outbox::{Epoch, Job, Lease, Owner};
use dipmo_store::LeaseParams;

use crate::outbox::{LeaseRow, OutboxTables};
use crate::side::OutboxLane;

/// Takes lanes with work that nobody holds, the longest left alone first.
pub(crate) fn lease(outbox: &mut OutboxTables, params: &LeaseParams, now: Timestamp) -> Vec<Lease> {
    let of_destination = |lane: &&OutboxLane| lane.destination == params.destination;
    let mut free: Vec<_> = lanes_with_work(outbox, now)
        .into_iter()
        .filter(of_destination)
        .filter(|lane| is_free(outbox.leases.get(lane), now))
        .map(|lane| (outbox.leases.get(lane).map(|row| row.until), lane.clone()))
        .collect();
    free.sort();
    free.truncate(params.lanes.into());
    let until = now.after(params.duration);
    free.into_iter().map(|(_, lane)| take(outbox, lane, &params.owner, until)).collect()
}

/// Prolongs the leases that are still the owner's, and answers them.
pub(crate) fn renew(
    outbox: &mut OutboxTables,
    owner: &Owner,
    leases: &[Lease],
    until: Timestamp,
) -> Vec<Lease> {
    change_own(outbox, owner, leases, |row| LeaseRow { until, ..row })
}

/// Makes the leases that are still the owner's free.
pub(crate) fn give_back(
    outbox: &mut OutboxTables,
    owner: &Owner,
    leases: &[Lease],
    now: Timestamp,
) {
    change_own(outbox, owner, leases, |row| LeaseRow { owner: None, until: now, ..row });
}

/// The lanes of all destinations that have something to deliver now, but for those that jobs hold.
pub(crate) fn lanes_with_work(outbox: &OutboxTables, now: Timestamp) -> BTreeSet<&OutboxLane> {
    let lanes = outbox.ready.keys().chain(outbox.exceptions.due_lanes(now));
    lanes.filter(|lane| !outbox.jobs.hold(lane)).collect()
}

/// The jobs that have not ended and whose lanes nobody has leased, the oldest first.
pub(crate) fn free_jobs(outbox: &OutboxTables, now: Timestamp) -> impl Iterator<Item = &Job> {
    let is_free = move |lane| is_free(outbox.leases.get(lane), now);
    outbox.jobs.open().filter(move |job| outbox.jobs.lanes_of(job.id).all(is_free))
}

/// The lanes of leases, if all of them are still theirs.
pub(crate) fn still_leased(
    outbox: &OutboxTables,
    leases: &[Lease],
) -> Result<BTreeSet<OutboxLane>, StoreError> {
    let lane = |lease: &Lease| {
        let lane = lane_of(lease);
        match outbox.leases.get(&lane) {
            Some(row) if row.epoch == lease.epoch => Ok(lane),
            _ => Err(fenced(format!("{} of {}", lease.lane, lease.destination))),
        }
    };
    leases.iter().map(lane).collect()
}

/// Something is no longer as it was in somebody's hands.
pub(crate) const fn fenced(what: String) -> StoreError {
    StoreError::Fenced { what }
}

/// The lane that a lease is on.
pub(crate) fn lane_of(lease: &Lease) -> OutboxLane {
    OutboxLane { destination: lease.destination.clone(), lane: lease.lane }
}

fn is_free(row: Option<&LeaseRow>, now: Timestamp) -> bool {
    row.is_none_or(|row| row.owner.is_none() || row.until <= now)
}

/// Leases a lane, whoever had it before.
pub(crate) fn take(
    outbox: &mut OutboxTables,
    lane: OutboxLane,
    owner: &Owner,
    until: Timestamp,
) -> Lease {
    let epoch = Epoch(outbox.leases.get(&lane).map_or(0, |row| row.epoch.0) + 1);
    let lease = Lease { destination: lane.destination.clone(), lane: lane.lane, epoch };
    outbox.leases.insert_mut(lane, LeaseRow { owner: Some(owner.clone()), epoch, until });
    lease
}

fn change_own(
    outbox: &mut OutboxTables,
    owner: &Owner,
    leases: &[Lease],
    change: impl Fn(LeaseRow) -> LeaseRow,
) -> Vec<Lease> {
    let mut own = Vec::new();
    for lease in leases {
        let lane = lane_of(lease);
        let row = outbox.leases.get(&lane).cloned();
        let is_own = |row: &LeaseRow| row.owner.as_ref() == Some(owner) && row.epoch == lease.epoch;
        if let Some(row) = row.filter(is_own) {
            outbox.leases.insert_mut(lane, change(row));
            own.push(lease.clone());
        }
    }
    own
}
