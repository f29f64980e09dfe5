//! Puts a delivery together from its unit, its intent and the block of its order key.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use dipmo_domain::{
    Destination, InboxId, Json, Lane, OrderKey, OutboxId, ProcessKey, RecordKey, StoreError,
    Timestamp,
};
use dipmo_outbox::{Attempt, Delivery};
use rusqlite::Row;

use crate::error::unexpected;
use crate::tx::Tx;
use crate::{blocks, rows, sql};

/// A unit as it was read.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) id: OutboxId,
    /// Its intent and its record, of an intent with records.
    pub(crate) record: Option<(OutboxId, RecordKey)>,
    pub(crate) attempt: Attempt,
}

/// Reads each intent once, however many of its records are read.
#[derive(Debug, Default)]
pub(crate) struct Composer {
    intents: HashMap<OutboxId, Intent>,
}

impl Composer {
    /// The delivery of a unit of a lane.
    pub(crate) fn delivery(
        &mut self,
        tx: &Tx<'_>,
        unit: Unit,
        (destination, lane): (&Destination, Lane),
    ) -> Result<Delivery, StoreError> {
        let id = unit.record.as_ref().map_or(unit.id, |(intent, _)| *intent);
        let intent = self.intent(tx, id)?.clone();
        let record = unit.record.map(|(_, record)| record);
        let order_key = OrderKey::new(record.as_ref().map_or(&intent.aggregate_id, |it| &it.0));
        let queue = destination.to_string();
        Ok(Delivery {
            unit: unit.id,
            intent: id,
            record,
            blocked_by: blocks::head_before(tx, &queue, &order_key, (unit.id, unit.attempt))?,
            order_key,
            destination: destination.clone(),
            lane,
            aggregate_type: intent.aggregate_type,
            aggregate_id: intent.aggregate_id,
            event_type: intent.event_type,
            event_version: intent.event_version,
            payload: intent.payload,
            headers_json: intent.headers_json,
            created_at: intent.created_at,
            cause: intent.cause,
            caused_at: intent.caused_at,
            reply_to: intent.reply_to,
            attempt: unit.attempt,
        })
    }

    fn intent(&mut self, tx: &Tx<'_>, id: OutboxId) -> Result<&Intent, StoreError> {
        match self.intents.entry(id) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => {
                let find = sql::intent_find();
                let missing = || unexpected(find.name, format!("there is no intent {id}"));
                let intent = tx.one(&find, [id.0], intent)?.ok_or_else(missing)?;
                Ok(unknown.insert(intent))
            }
        }
    }
}

/// What the units of an intent share.
#[derive(Clone, Debug)]
struct Intent {
    aggregate_type: String,
    aggregate_id: String,
    event_type: String,
    event_version: u16,
    payload: Json,
    headers_json: Option<Json>,
    created_at: Timestamp,
    cause: Option<InboxId>,
    caused_at: Option<Timestamp>,
    reply_to: Option<ProcessKey>,
}

fn intent(row: &Row<'_>) -> rusqlite::Result<Intent> {
    Ok(Intent {
        aggregate_type: row.get(0)?,
        aggregate_id: row.get(1)?,
        event_type: row.get(2)?,
        event_version: row.get(3)?,
        payload: Json::from_store(row.get::<_, String>(4)?),
        headers_json: rows::maybe_json(row, 5)?,
        created_at: rows::time(row, 6)?,
        cause: row.get::<_, Option<i64>>(7)?.map(InboxId),
        reply_to: rows::reply_to(row, 8)?,
        caused_at: rows::maybe_time(row, 10)?,
    })
}
