//! Writing intents, with their units and the chunks of a batch.

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_domain::{Destination, OutboxId, StoreError, Timestamp};
use dipmo_outbox::NewIntent;

use crate::columns::check_text;
use crate::insert::headers_column;
use crate::outbox::{IntentRow, OutboxTables, UnitRow};
use crate::side::{OutboxKey, OutboxLane};

/// Writes an intent and adds its units to those of the batch.
pub(crate) fn insert_intent(
    outbox: &mut OutboxTables,
    units: &mut BTreeMap<OutboxLane, Vec<OutboxId>>,
    intent: &NewIntent,
    now: Timestamp,
) -> Result<(), StoreError> {
    check(intent).map_err(refused)?;
    let id = next_id(outbox);
    for (record, key) in intent.units() {
        let unit = if record.is_some() { next_id(outbox) } else { id };
        let destination = intent.destination.clone();
        let lane = OutboxLane { destination: destination.clone(), lane: key.lane() };
        units.entry(lane.clone()).or_default().push(unit);
        let record = record.cloned();
        let row = UnitRow { intent: id, record, key: OutboxKey { destination, key }, lane };
        outbox.units.insert_mut(unit, Arc::new(row));
    }
    let row = IntentRow {
        intent: intent.clone(),
        headers_json: headers_column(&intent.headers)?,
        created_at: now,
    };
    outbox.log.insert_mut(id, Arc::new(row));
    Ok(())
}

/// Writes intents that belong to no batch.
pub(crate) fn write_intents(
    outbox: &mut OutboxTables,
    intents: &[NewIntent],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut units = BTreeMap::new();
    intents.iter().try_for_each(|intent| insert_intent(outbox, &mut units, intent, now))?;
    write_chunks(outbox, units);
    Ok(())
}

/// Makes a chunk of the units that a batch wrote for each lane.
pub(crate) fn write_chunks(outbox: &mut OutboxTables, units: BTreeMap<OutboxLane, Vec<OutboxId>>) {
    for (lane, units) in units {
        outbox.put_chunk(&lane, units);
    }
}

const fn next_id(outbox: &mut OutboxTables) -> OutboxId {
    outbox.last_id += 1;
    OutboxId(outbox.last_id)
}

fn check(intent: &NewIntent) -> Result<(), String> {
    check_text("AGGREGATE_TYPE", &intent.aggregate_type, 50)?;
    check_text("AGGREGATE_ID", &intent.aggregate_id, 200)?;
    check_text("EVENT_TYPE", &intent.event_type, 200)?;
    let destination = intent.destination.to_string();
    check_text("DESTINATION", &destination, Destination::MAX_CHARS)
}

fn refused(problem: String) -> StoreError {
    StoreError::RowRefused { statement: "insert_intents", problem }
}
