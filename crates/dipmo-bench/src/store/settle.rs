//! `store.settle`: one dispatcher empties the outbox: lease, read, settle as dispatched.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dipmo_domain::Lane;
use dipmo_outbox::{Delivery, Lease, Owner, UnitResult, UnitSettlement};
use dipmo_store::{LeaseParams, ReadParams, Settle, Store};

use super::load::Load;
use super::logic::destination;

/// Units of one read.
const UNITS: u32 = 500;

/// Longer than a round.
const LEASE: Duration = Duration::from_secs(600);

/// How long it takes until every unit is dispatched; and the units, in the order of their sending.
pub(crate) async fn run(store: &dyn Store, load: &Load) -> Result<(Duration, Vec<UnitSettlement>)> {
    let owner = Owner("bench".to_owned());
    let params = LeaseParams {
        owner: owner.clone(),
        destination: destination(),
        lanes: Lane::COUNT,
        duration: LEASE,
    };
    let mut sent = Vec::with_capacity(load.messages().len());
    let begun = Instant::now();
    let mut leases = store.lease(&params).await?;
    loop {
        let units =
            store.read(ReadParams { leases: &leases, in_flight: &[], units: UNITS }).await?;
        if units.is_empty() {
            break;
        }
        let used: HashSet<Lane> = units.iter().map(|unit| unit.lane).collect();
        // What was read from goes to the end, so that no lane starves.
        let (mut now, mut later): (Vec<Lease>, Vec<Lease>) =
            leases.into_iter().partition(|lease| used.contains(&lease.lane));
        let units: Vec<UnitSettlement> = units.into_iter().map(dispatched).collect();
        let settle = Settle {
            leases: &now,
            units: &units,
            messages: &[],
            replies: Box::new(|_| Vec::new()),
        };
        let report = store.settle(settle).await?;
        ensure!(report.units == units.len(), "settle: {} of {} units", report.units, units.len());
        later.append(&mut now);
        leases = later;
        sent.extend(units);
    }
    store.give_back(&owner, &leases).await?;
    Ok((begun.elapsed(), sent))
}

/// Acknowledged, as a broker does it: with a partition and an offset.
fn dispatched(delivery: Delivery) -> UnitSettlement {
    let external_ref = Some(format!("{}:{}", delivery.lane.index() % 8, delivery.unit));
    UnitSettlement { delivery, result: UnitResult::Dispatched { external_ref } }
}
