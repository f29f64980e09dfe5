//! What is to be delivered now, and what a dispatcher is told of it.

use std::collections::BTreeSet;

use dipmo_domain::{OutboxId, Timestamp};
use dipmo_outbox::{Attempt, ChunkRef, Delivery};
use dipmo_store::ReadParams;

use crate::leases::lane_of;
use crate::outbox::OutboxTables;
use crate::side::OutboxLane;

/// What a read takes.
pub(crate) struct ToDeliver {
    /// Units that are due again.
    pub(crate) due: Vec<OutboxId>,
    /// Chunks, in the order of ids.
    pub(crate) chunks: Vec<OutboxId>,
}

impl ToDeliver {
    /// Whole chunks in the order of ids, and what is due again. No chunk while more is due than is
    /// read: a unit that is cut off need not head its key, and a ready one would overtake it.
    ///
    /// Nothing of a lane that a job holds: what is in the job goes no other way, and what is not
    /// would overtake it.
    pub(crate) fn now(outbox: &OutboxTables, params: &ReadParams<'_>, now: Timestamp) -> Self {
        let limit = usize::try_from(params.units).unwrap_or(usize::MAX);
        let lanes = params.leases.iter().map(lane_of);
        let lanes: BTreeSet<_> = lanes.filter(|lane| !outbox.jobs.hold(lane)).collect();
        let mut due = lanes.iter().flat_map(|lane| outbox.exceptions.due(lane, now));
        let first: Vec<_> = due.by_ref().take(limit).collect();
        let chunks = match due.next() {
            None => ready_chunks(outbox, params, &lanes, limit),
            Some(_) => Vec::new(),
        };
        Self { due: first, chunks }
    }
}

/// Sorted by unit.
pub(crate) fn read_units(
    outbox: &OutboxTables,
    params: &ReadParams<'_>,
    now: Timestamp,
) -> Vec<Delivery> {
    let ToDeliver { due, chunks } = ToDeliver::now(outbox, params, now);
    let due = due.into_iter().filter_map(|unit| unit_again(outbox, unit));
    let ready = chunks.into_iter().flat_map(|chunk| units_of_chunk(outbox, chunk));
    let mut units: Vec<_> = due.chain(ready).collect();
    units.sort_unstable_by_key(|delivery| delivery.unit);
    units
}

/// The units of a chunk, in order.
pub(crate) fn units_of_chunk(
    outbox: &OutboxTables,
    chunk: OutboxId,
) -> impl Iterator<Item = Delivery> {
    let units = outbox.chunks.get(&chunk).into_iter().flatten();
    units.filter_map(move |unit| delivery(outbox, *unit, Attempt::First(ChunkRef(chunk))))
}

/// A unit with a row of its own.
pub(crate) fn unit_again(outbox: &OutboxTables, unit: OutboxId) -> Option<Delivery> {
    let row = outbox.exceptions.get(unit);
    let (attempts, retried) = row.map_or((0, 0), |row| (row.attempts, row.retried));
    delivery(outbox, unit, Attempt::Again { attempts, retried })
}

fn ready_chunks(
    outbox: &OutboxTables,
    params: &ReadParams<'_>,
    lanes: &BTreeSet<OutboxLane>,
    limit: usize,
) -> Vec<OutboxId> {
    let in_flight: BTreeSet<_> = params.in_flight.iter().map(|chunk| chunk.0).collect();
    let ready: BTreeSet<_> = lanes.iter().flat_map(|lane| outbox.ready.of(lane)).copied().collect();
    let (mut chunks, mut units) = (Vec::new(), 0);
    for chunk in ready.difference(&in_flight) {
        if units >= limit {
            break;
        }
        units += outbox.chunks.get(chunk).map_or(0, Vec::len);
        chunks.push(*chunk);
    }
    chunks
}

fn delivery(outbox: &OutboxTables, id: OutboxId, attempt: Attempt) -> Option<Delivery> {
    let unit = outbox.units.get(&id)?;
    let row = outbox.log.get(&unit.intent)?;
    let intent = &row.intent;
    // One that was never tried waits for earlier ones only: a later head left a job that it stayed in.
    let is_new = matches!(attempt, Attempt::First(_) | Attempt::Again { attempts: 0, retried: 0 });
    let head = outbox.blocks.blocked_by(&unit.key, id).filter(|head| *head < id || !is_new);
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
        caused_at: intent.caused_at,
        reply_to: intent.reply_to.clone(),
        attempt,
        blocked_by: head,
    })
}
