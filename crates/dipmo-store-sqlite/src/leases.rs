//! Leases: who delivers a lane, and whether that is still so.

use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_outbox::{Epoch, Lease, Owner};
use dipmo_store::LeaseParams;

use crate::tx::Tx;
use crate::{rows, sql};

/// Takes lanes that have something to deliver and belong to nobody.
pub(crate) fn take(tx: &Tx<'_>, params: &LeaseParams) -> Result<Vec<Lease>, StoreError> {
    let given = (
        params.destination.to_string(),
        &params.owner.0,
        tx.now().as_micros(),
        tx.now().after(params.duration).as_micros(),
        params.lanes,
    );
    let mut leases = tx.all(&sql::lease_take(), given, |row| {
        Ok(Lease {
            destination: params.destination.clone(),
            lane: rows::lane(row, 0)?,
            epoch: Epoch(row.get(1)?),
        })
    })?;
    leases.sort_unstable_by_key(|lease| lease.lane);
    Ok(leases)
}

/// Prolongs leases; answers those that are still ours.
pub(crate) fn renew(
    tx: &Tx<'_>,
    owner: &Owner,
    leases: Vec<Lease>,
    duration: Duration,
) -> Result<Vec<Lease>, StoreError> {
    let until = tx.now().after(duration).as_micros();
    let mut ours = Vec::new();
    for lease in leases {
        let destination = lease.destination.to_string();
        let params = (destination, lease.lane.index(), &owner.0, lease.epoch.0, until);
        if tx.run(&sql::lease_renew(), params)? > 0 {
            ours.push(lease);
        }
    }
    Ok(ours)
}

/// Gives leases back that are still ours.
pub(crate) fn give_back(tx: &Tx<'_>, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError> {
    for lease in leases {
        let (destination, now) = (lease.destination.to_string(), tx.now().as_micros());
        let params = (destination, lease.lane.index(), &owner.0, lease.epoch.0, now);
        tx.run(&sql::lease_give_back(), params)?;
    }
    Ok(())
}

/// Fails unless every lease still has its epoch.
pub(crate) fn check(tx: &Tx<'_>, leases: &[Lease]) -> Result<(), StoreError> {
    for lease in leases {
        let place = (lease.destination.to_string(), lease.lane.index());
        let epoch: Option<i64> = tx.one(&sql::lease_check(), place, |row| row.get(0))?;
        if epoch != Some(lease.epoch.0) {
            let what = format!("{} of {}", lease.lane, lease.destination);
            return Err(StoreError::Fenced { what });
        }
    }
    Ok(())
}
