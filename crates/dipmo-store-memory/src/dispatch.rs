//! The port of the dispatcher, and what it reads.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, OutboxId, StoreError, Timestamp};
use dipmo_outbox::{Attempt, ChunkRef, Delivery, Lease, Owner};
use dipmo_store::{Dispatch, LeaseParams, ReadParams, Settle, SettleReport, Side};

use crate::MemoryStore;
use crate::leases::{give_back, lane_of, lanes_with_work, lease, renew};
use crate::outbox::OutboxTables;
use crate::outbox_settle::settle_units;
use crate::release::release_units;
use crate::side::OutboxLane;

#[async_trait]
impl Dispatch for MemoryStore {
    async fn due_destinations(&self) -> Result<Vec<Destination>, StoreError> {
        self.read(|database, now| {
            let lanes = lanes_with_work(&database.outbox, now);
            let destinations: BTreeSet<_> = lanes.iter().map(|lane| &lane.destination).collect();
            Ok(destinations.into_iter().cloned().collect())
        })
    }

    async fn lease(&self, params: &LeaseParams) -> Result<Vec<Lease>, StoreError> {
        self.transact(|database, now| Ok(lease(&mut database.outbox, params, now)))
    }

    async fn renew(
        &self,
        owner: &Owner,
        leases: &[Lease],
        duration: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        self.transact(|database, now| {
            Ok(renew(&mut database.outbox, owner, leases, now.after(duration)))
        })
    }

    async fn give_back(&self, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError> {
        self.transact(|database, now| {
            give_back(&mut database.outbox, owner, leases, now);
            Ok(())
        })
    }

    async fn read(&self, params: ReadParams<'_>) -> Result<Vec<Delivery>, StoreError> {
        MemoryStore::read(self, |database, now| Ok(read_units(&database.outbox, &params, now)))
    }

    async fn settle(&self, settle: Settle<'_>) -> Result<SettleReport, StoreError> {
        let report = self.transact(|database, now| settle_units(database, settle, now))?;
        self.waking(Side::Inbox, report.messages);
        Ok(report)
    }

    async fn release_units(&self, limit: u32) -> Result<usize, StoreError> {
        self.transact(|database, now| Ok(release_units(&mut database.outbox, limit, now)))
            .map(|count| self.waking(Side::Outbox, count))
    }
}

/// Whole chunks in the order of ids, and what is due again, sorted by unit. No chunk while more is
/// due than is read: a unit that is cut off need not head its key, and a ready one would overtake
/// it.
fn read_units(outbox: &OutboxTables, params: &ReadParams<'_>, now: Timestamp) -> Vec<Delivery> {
    let limit = usize::try_from(params.units).unwrap_or(usize::MAX);
    let lanes: BTreeSet<_> = params.leases.iter().map(lane_of).collect();
    let mut due = lanes.iter().flat_map(|lane| outbox.exceptions.due(lane, now));
    let first = due.by_ref().take(limit);
    let mut units: Vec<_> = first.map(|unit| (unit, again(outbox, unit))).collect();
    if due.next().is_none() {
        units.extend(ready_units(outbox, params, &lanes, limit));
    }
    units.sort_unstable_by_key(|(unit, _)| *unit);
    units.into_iter().filter_map(|(unit, attempt)| delivery(outbox, unit, attempt)).collect()
}

fn ready_units(
    outbox: &OutboxTables,
    params: &ReadParams<'_>,
    lanes: &BTreeSet<OutboxLane>,
    limit: usize,
) -> Vec<(OutboxId, Attempt)> {
    let in_flight: BTreeSet<_> = params.in_flight.iter().map(|chunk| chunk.0).collect();
    let chunks: BTreeSet<_> = lanes.iter().flat_map(|lane| outbox.ready.of(lane)).collect();
    let mut units = Vec::new();
    for chunk in chunks.difference(&in_flight.iter().collect()) {
        if units.len() >= limit {
            break;
        }
        let of_chunk = outbox.chunks.get(chunk).into_iter().flatten();
        units.extend(of_chunk.map(|unit| (*unit, Attempt::First(ChunkRef(**chunk)))));
    }
    units
}

fn again(outbox: &OutboxTables, unit: OutboxId) -> Attempt {
    let row = outbox.exceptions.get(unit);
    let (attempts, retried) = row.map_or((0, 0), |row| (row.attempts, row.retried));
    Attempt::Again { attempts, retried }
}

fn delivery(outbox: &OutboxTables, id: OutboxId, attempt: Attempt) -> Option<Delivery> {
    let unit = outbox.units.get(&id)?;
    let row = outbox.log.get(&unit.intent)?;
    let intent = &row.intent;
    Some(Delivery {
        unit: id,
        intent: unit.intent,
        record: unit.record.clone(),
        order_key: unit.key.key.clone(),
        destination: intent.destination.clone(),
        lane: unit.lane.lane,
        aggregate_type: intent.aggregate_type.clone(),
        aggregate_id: intent.aggregate_id.clone(),
        event_type: intent.event_type.clone(),
        event_version: intent.event_version,
        payload: intent.payload.clone(),
        headers_json: row.headers_json.clone(),
        created_at: row.created_at,
        cause: intent.cause,
        reply_to: intent.reply_to.clone(),
        attempt,
        blocked_by: outbox.blocks.blocked_by(&unit.key, id),
    })
}
