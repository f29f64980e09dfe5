//! What became of units: checked against leases and chunks, then written.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_domain::{OutboxId, StoreError, Timestamp};
use dipmo_inbox::{NewMessage, Stored};
use dipmo_outbox::{Attempt, ChunkRef, JobId, UnitResult, UnitSettlement};
use dipmo_store::{Settle, SettleReport};

use crate::database::Database;
use crate::exceptions::Exception;
use crate::insert::insert;
use crate::intent_end::count_ended;
use crate::job_tables::Part;
use crate::leases::{fenced, still_leased};
use crate::let_go::RELEASED_AT_ONCE;
use crate::outbox::OutboxTables;
use crate::release::{free_units, let_units_go};
use crate::side::{OutboxColumns, OutboxKey, OutboxLane};
use crate::unit_result::{changed, fate, is_open};

/// Writes a settlement, all of it or nothing.
pub(crate) fn settle_units(
    database: &mut Database,
    settle: Settle<'_>,
    now: Timestamp,
) -> Result<SettleReport, StoreError> {
    let outbox = &mut database.outbox;
    let lanes = still_leased(outbox, settle.leases)?;
    let jobs = take_parts(outbox, settle.units)?;
    let (mut ended_keys, mut ended_intents) = (Vec::new(), Vec::new());
    for settlement in settle.units {
        let unit = settlement.delivery.unit;
        settle_unit(outbox, &lanes, &mut ended_keys, settlement, now)?;
        stay(outbox, &jobs, settlement)?;
        ended_intents.extend(count_ended(outbox, unit, &settlement.result));
    }
    let releasing = let_units_go(outbox, &ended_keys, RELEASED_AT_ONCE, now).releasing;
    free_units(outbox, held(settle.units), now);
    let mut messages = store_new(database, settle.messages, now)?;
    if !ended_intents.is_empty() {
        messages += store_new(database, &(settle.replies)(&ended_intents), now)?;
    }
    Ok(SettleReport { units: settle.units.len(), messages, releasing, at: now })
}

/// Removes the chunks that are settled; each must be there with exactly these units. Takes them,
/// and the units with rows of their own, out of jobs; answers which were in which.
fn take_parts(
    outbox: &mut OutboxTables,
    units: &[UnitSettlement],
) -> Result<BTreeMap<OutboxId, JobId>, StoreError> {
    let mut chunks: BTreeMap<OutboxId, Vec<OutboxId>> = BTreeMap::new();
    for settlement in units {
        if let Attempt::First(ChunkRef(chunk)) = settlement.delivery.attempt {
            chunks.entry(chunk).or_default().push(settlement.delivery.unit);
        }
    }
    for (chunk, mut units) in chunks {
        units.sort_unstable();
        let lane = outbox.units.get(&chunk).map(|unit| unit.lane.clone());
        let lane = lane.filter(|_| outbox.chunks.get(&chunk) == Some(&units));
        let lane = lane.ok_or_else(|| fenced(format!("chunk {chunk}")))?;
        outbox.chunks.remove_mut(&chunk);
        outbox.ready.remove(&lane, &chunk);
    }
    let parts: BTreeSet<_> = units.iter().map(part).collect();
    Ok(parts.into_iter().filter_map(|id| Some((id, outbox.jobs.leave(id)?))).collect())
}

/// The chunk, or the unit with a row of its own.
const fn part(settlement: &UnitSettlement) -> OutboxId {
    match settlement.delivery.attempt {
        Attempt::First(ChunkRef(chunk)) => chunk,
        Attempt::Again { .. } => settlement.delivery.unit,
    }
}

/// Puts a unit that is to stay in its job back, as one with a row of its own.
fn stay(
    outbox: &mut OutboxTables,
    jobs: &BTreeMap<OutboxId, JobId>,
    settlement: &UnitSettlement,
) -> Result<(), StoreError> {
    let UnitResult::InJob(job) = settlement.result else { return Ok(()) };
    let unit = settlement.delivery.unit;
    let lane = outbox.units.get(&unit).map(|row| row.lane.clone());
    let lane = lane.filter(|_| jobs.get(&part(settlement)) == Some(&job));
    let lane = lane.ok_or_else(|| fenced(format!("unit {unit} in job {job}")))?;
    outbox.jobs.join(job, &lane, Part::row(unit));
    Ok(())
}

fn settle_unit(
    outbox: &mut OutboxTables,
    lanes: &BTreeSet<OutboxLane>,
    ended: &mut Vec<OutboxKey>,
    settlement: &UnitSettlement,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (id, result) = (settlement.delivery.unit, &settlement.result);
    let lost = || fenced(format!("unit {id}"));
    let unit = outbox.units.get(&id).filter(|unit| lanes.contains(&unit.lane)).cloned();
    let unit = unit.ok_or_else(lost)?;
    match (settlement.delivery.attempt, result) {
        (Attempt::First(_), UnitResult::Dispatched { external_ref }) => {
            outbox.done.insert_mut(id, external_ref.clone());
        }
        (Attempt::First(_), _) => {
            let (lane, key) = (unit.lane.clone(), unit.key.clone());
            let row = Exception::untried(lane, Some(key), OutboxColumns::PENDING);
            outbox.exceptions.put(id, changed(row, result, now));
        }
        (Attempt::Again { retried, .. }, _) => {
            let row = outbox.exceptions.get(id).filter(|row| is_open(row, retried)).cloned();
            outbox.exceptions.put(id, changed(row.ok_or_else(lost)?, result, now));
        }
    }
    outbox.blocks.settle(ended, &unit.key, id, fate(result));
    if matches!(result, UnitResult::Dispatched { .. }) {
        outbox.exceptions.overtake(&unit.key, id, |earlier| id > earlier);
    }
    Ok(())
}

fn held(units: &[UnitSettlement]) -> Vec<OutboxId> {
    let held = units.iter().filter(|settlement| settlement.result == UnitResult::Held);
    held.map(|settlement| settlement.delivery.unit).collect()
}

/// Stores messages; answers how many were new.
fn store_new(
    database: &mut Database,
    messages: &[NewMessage],
    now: Timestamp,
) -> Result<usize, StoreError> {
    let mut new = 0;
    for message in messages {
        new += usize::from(matches!(insert(&mut database.inbox, message, now)?, Stored::New(_)));
    }
    Ok(new)
}
