//! The tables of the outbox.

use std::sync::Arc;

use dipmo_domain::{Json, OutboxId, RecordKey, Timestamp};
use dipmo_outbox::{Epoch, NewIntent, Owner};

use crate::blocks::Blocks;
use crate::database::Map;
use crate::exceptions::Exceptions;
use crate::index::Index;
use crate::job_tables::JobTables;
use crate::side::{OutboxKey, OutboxLane, OutboxSide};

/// Where every intent and unit stands.
#[derive(Clone, Default)]
pub(crate) struct OutboxTables {
    /// Of intents and units.
    pub(crate) last_id: i64,
    pub(crate) log: Map<OutboxId, Arc<IntentRow>>,
    pub(crate) units: Map<OutboxId, Arc<UnitRow>>,
    /// The chunks of each lane, by the first id of each.
    pub(crate) ready: Index<OutboxLane, OutboxId>,
    /// The units of each chunk, sorted.
    pub(crate) chunks: Map<OutboxId, Vec<OutboxId>>,
    /// Units that were dispatched at the first attempt, with the id at the destination.
    pub(crate) done: Map<OutboxId, Option<String>>,
    pub(crate) exceptions: Exceptions<OutboxSide>,
    pub(crate) blocks: Blocks<OutboxSide>,
    /// How many units of each intent have ended.
    pub(crate) tallies: Map<OutboxId, Tally>,
    pub(crate) leases: Map<OutboxLane, LeaseRow>,
    pub(crate) jobs: JobTables,
}

/// An intent; never changes.
pub(crate) struct IntentRow {
    pub(crate) intent: NewIntent,
    pub(crate) headers_json: Option<Json>,
    pub(crate) created_at: Timestamp,
}

/// A unit of delivery; never changes.
pub(crate) struct UnitRow {
    pub(crate) intent: OutboxId,
    pub(crate) record: Option<RecordKey>,
    pub(crate) key: OutboxKey,
    pub(crate) lane: OutboxLane,
}

/// The ended units of an intent.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) dispatched: u64,
    pub(crate) failed: u64,
    /// How often units that had failed were retried.
    pub(crate) retried: u32,
}

/// Who delivers a lane.
#[derive(Clone)]
pub(crate) struct LeaseRow {
    pub(crate) owner: Option<Owner>,
    pub(crate) epoch: Epoch,
    pub(crate) until: Timestamp,
}

impl OutboxTables {
    /// Makes a chunk of units, sorted, of one lane.
    pub(crate) fn put_chunk(&mut self, lane: &OutboxLane, units: Vec<OutboxId>) {
        if let Some(first) = units.first().copied() {
            self.ready.add(lane, first);
            self.chunks.insert_mut(first, units);
        }
    }

    /// The units of an intent, in order: their ids follow its own.
    pub(crate) fn units_of(
        &self,
        intent: OutboxId,
    ) -> impl Iterator<Item = (OutboxId, &Arc<UnitRow>)> {
        let is_alone = self.units.contains_key(&intent);
        let records = self.log.get(&intent).map_or(0, |row| row.intent.records.len());
        let records = i64::try_from(records).unwrap_or(0);
        let ids = if is_alone { intent.0..=intent.0 } else { intent.0 + 1..=intent.0 + records };
        ids.map(OutboxId).filter_map(|id| Some((id, self.units.get(&id)?)))
    }
}
