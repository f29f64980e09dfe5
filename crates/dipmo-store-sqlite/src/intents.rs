//! Intents into the outbox, with their units in chunks.

use std::collections::HashMap;

use dipmo_domain::{Json, Lane, OrderKey, StoreError, Timestamp};
use dipmo_outbox::NewIntent;
use dipmo_store::Side;
use rusqlite::params;

use crate::sql::{self, Which};
use crate::tx::Tx;

/// Writes the intents of one batch: all its units for a lane of a destination are one chunk,
/// whichever wave they come from.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    chunks: HashMap<(String, Lane), i64>,
    /// How many intents were written.
    pub(crate) written: usize,
}

impl Writer {
    /// Writes intents, in order.
    pub(crate) fn write(&mut self, tx: &Tx<'_>, intents: &[NewIntent]) -> Result<(), StoreError> {
        let count = intents.iter().map(|intent| 1 + intent.records.len()).sum();
        if count == 0 {
            return Ok(());
        }
        let mut ids = tx.take_numbers("outbox", count)?..;
        let mut next = || ids.next().unwrap_or(i64::MAX);
        for intent in intents {
            let id = next();
            let destination = intent.destination.to_string();
            log(tx, intent, id, &destination)?;
            for (record, key) in intent.units() {
                let Some(record) = record else {
                    self.ready(tx, &destination, &key, id)?;
                    continue;
                };
                let unit = next();
                let created_at = tx.now().as_micros();
                tx.run(&sql::record_insert(), (unit, created_at, id, &destination, &record.0))?;
                self.ready(tx, &destination, &key, unit)?;
            }
            self.written += 1;
        }
        tx.arrived(Side::Outbox);
        Ok(())
    }

    /// Makes a unit ready, behind all of its lane that is.
    pub(crate) fn ready(
        &mut self,
        tx: &Tx<'_>,
        destination: &str,
        key: &OrderKey,
        unit: i64,
    ) -> Result<(), StoreError> {
        let lane = key.lane();
        let chunk = match self.chunks.get(&(destination.to_owned(), lane)) {
            Some(chunk) => *chunk,
            None => {
                tx.run(&sql::lane_add(), (destination, lane.index()))?;
                self.chunks.insert((destination.to_owned(), lane), unit);
                unit
            }
        };
        let params = (destination, lane.index(), chunk, unit);
        tx.run(&sql::ready_insert(Which::Outbox), params).map(drop)
    }
}

fn log(tx: &Tx<'_>, intent: &NewIntent, id: i64, destination: &str) -> Result<(), StoreError> {
    let insert = sql::outbox_insert();
    let headers =
        (!intent.headers.is_empty()).then(|| intent.headers.to_json()).transpose().map_err(
            |error| StoreError::RowRefused { statement: insert.name, problem: error.to_string() },
        )?;
    let params = params![
        id,
        intent.aggregate_type,
        intent.aggregate_id,
        intent.event_type,
        intent.event_version,
        intent.payload.as_str(),
        headers.as_ref().map(Json::as_str),
        destination,
        tx.now().as_micros(),
        intent.cause.map(|cause| cause.0),
        intent.reply_to.as_ref().map(|reply_to| &reply_to.process),
        intent.reply_to.as_ref().map(|reply_to| &reply_to.id),
        intent.caused_at.map(Timestamp::as_micros),
    ];
    tx.run(&insert, params)?;
    if !intent.records.is_empty() {
        tx.run(&sql::progress_insert(), (id, intent.records.len()))?;
    }
    Ok(())
}
