//! Reading units to deliver.

use dipmo_domain::{OutboxId, RecordKey, StoreError};
use dipmo_outbox::{Attempt, ChunkRef, Delivery, Lease};
use rusqlite::Row;

use crate::chunks::{self, LaneOf, Share};
use crate::delivery::{Composer, Unit};
use crate::due;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// The units of leased lanes, in order.
pub(crate) fn read(
    tx: &Tx<'_>,
    leases: &[Lease],
    in_flight: &[ChunkRef],
    limit: usize,
) -> Result<Vec<Delivery>, StoreError> {
    let lanes: Vec<_> = leases
        .iter()
        .map(|lease| LaneOf { queue: lease.destination.to_string(), lane: lease.lane })
        .collect();
    let in_flight: Vec<_> = in_flight.iter().map(|chunk| chunk.0.0).collect();
    let ready = if due::is_over(tx, Which::Outbox, &lanes, limit)? { 0 } else { limit };
    let shares = chunks::pick(tx, Which::Outbox, &lanes, ready, &in_flight)?;
    let (mut composer, mut deliveries, mut room) = (Composer::default(), Vec::new(), limit);
    for (share, lease) in shares.iter().zip(leases) {
        let due = due_units(tx, share.of, room)?;
        room -= due.len();
        for unit in ready_units(tx, share)?.into_iter().chain(due) {
            deliveries.push(composer.delivery(tx, unit, lease)?);
        }
    }
    deliveries.sort_unstable_by_key(|delivery| delivery.unit);
    Ok(deliveries)
}

fn ready_units(tx: &Tx<'_>, share: &Share<'_>) -> Result<Vec<Unit>, StoreError> {
    let LaneOf { queue, lane } = share.of;
    let mut units = Vec::new();
    for chunk in &share.chunks {
        let attempt = Attempt::First(ChunkRef(OutboxId(*chunk)));
        let params = (queue, lane.index(), chunk);
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

fn unit(row: &Row<'_>, attempt: Attempt) -> rusqlite::Result<Unit> {
    let intent = row.get::<_, Option<i64>>(1)?.map(OutboxId);
    let record = row.get::<_, Option<String>>(2)?.map(RecordKey);
    Ok(Unit { id: OutboxId(row.get(0)?), record: intent.zip(record), attempt })
}
