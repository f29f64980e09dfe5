//! Reading units to deliver.

use dipmo_domain::{OutboxId, RecordKey, StoreError};
use dipmo_outbox::{Attempt, ChunkRef, Delivery, Lease};
use rusqlite::Row;

use crate::chunks::{self, LaneOf};
use crate::delivery::{Composer, Unit};
use crate::due;
use crate::jobs;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// The units of leased lanes, in order; nothing of a lane that a job holds.
pub(crate) fn read(
    tx: &Tx<'_>,
    leases: &[Lease],
    in_flight: &[ChunkRef],
    limit: usize,
) -> Result<Vec<Delivery>, StoreError> {
    let leases = jobs::without_jobs(tx, leases)?;
    let in_flight: Vec<_> = in_flight.iter().map(|chunk| chunk.0.0).collect();
    let (mut composer, mut deliveries) = (Composer::default(), Vec::new());
    for lane in to_deliver(tx, &leases, &in_flight, limit)? {
        let at = (&lane.lease.destination, lane.lease.lane);
        for unit in ready_units(tx, &lane)?.into_iter().chain(lane.due) {
            deliveries.push(composer.delivery(tx, unit, at)?);
        }
    }
    deliveries.sort_unstable_by_key(|delivery| delivery.unit);
    Ok(deliveries)
}

/// What is to be delivered now of a lane.
#[derive(Debug)]
pub(crate) struct ToDeliver<'a> {
    pub(crate) lease: &'a Lease,
    /// The chunks, by their first ids, and how many units they have.
    pub(crate) chunks: Vec<i64>,
    pub(crate) ready: usize,
    pub(crate) due: Vec<Unit>,
}

/// Whole chunks, and what is due again, of each lane.
pub(crate) fn to_deliver<'a>(
    tx: &Tx<'_>,
    leases: &[&'a Lease],
    in_flight: &[i64],
    limit: usize,
) -> Result<Vec<ToDeliver<'a>>, StoreError> {
    let lanes: Vec<_> = leases
        .iter()
        .map(|lease| LaneOf { queue: lease.destination.to_string(), lane: lease.lane })
        .collect();
    let ready = if due::is_over(tx, Which::Outbox, &lanes, limit)? { 0 } else { limit };
    let shares = chunks::pick(tx, Which::Outbox, &lanes, ready, in_flight)?;
    let (mut found, mut room) = (Vec::new(), limit);
    for (share, lease) in shares.into_iter().zip(leases) {
        let due = due_units(tx, share.of, room)?;
        room -= due.len();
        found.push(ToDeliver { lease, chunks: share.chunks, ready: share.rows, due });
    }
    Ok(found)
}

fn ready_units(tx: &Tx<'_>, lane: &ToDeliver<'_>) -> Result<Vec<Unit>, StoreError> {
    let queue = lane.lease.destination.to_string();
    let mut units = Vec::new();
    for chunk in &lane.chunks {
        let attempt = Attempt::First(ChunkRef(OutboxId(*chunk)));
        let params = (&queue, lane.lease.lane.index(), chunk);
        units.extend(tx.all(&sql::outbox_read(), params, |row| unit(row, attempt))?);
    }
    Ok(units)
}

fn due_units(tx: &Tx<'_>, of: &LaneOf, room: usize) -> Result<Vec<Unit>, StoreError> {
    let params = (&of.queue, of.lane.index(), tx.now().as_micros(), room);
    tx.all(&sql::outbox_read_due(), params, |row| {
        unit(row, Attempt::Again { attempts: row.get(3)?, retried: row.get(4)? })
    })
}

/// A unit, from the first columns of a row.
pub(crate) fn unit(row: &Row<'_>, attempt: Attempt) -> rusqlite::Result<Unit> {
    let intent = row.get::<_, Option<i64>>(1)?.map(OutboxId);
    let record = row.get::<_, Option<String>>(2)?.map(RecordKey);
    Ok(Unit { id: OutboxId(row.get(0)?), record: intent.zip(record), attempt })
}
