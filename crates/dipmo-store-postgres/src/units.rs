//! Units as they are read, before their intents are known.

use std::collections::HashMap;

use dipmo_domain::{Destination, Lane, OutboxId, RecordKey, StoreError, Timestamp};
use dipmo_outbox::{Attempt, ChunkRef};
use tokio_postgres::Row;

use crate::dispatch::destination;
use crate::rows;
use crate::types::PgTime;

/// A unit without its intent.
pub(crate) struct Unit {
    pub(crate) id: OutboxId,
    pub(crate) intent: i64,
    pub(crate) destination: Destination,
    pub(crate) lane: Lane,
    pub(crate) logged_at: Timestamp,
    pub(crate) record: Option<RecordKey>,
    pub(crate) attempt: Attempt,
}

/// The units of `outbox_read`, a chunk a row, and of `outbox_read_due`.
pub(crate) fn of(chunks: &[Row], due: &[Row]) -> Result<Vec<Unit>, StoreError> {
    let mut names = Names::default();
    let mut units = Vec::new();
    for row in chunks {
        let shared = Shared::new(row, &mut names, Attempt::First(ChunkRef(OutboxId(row.get(0)))))?;
        let ids: Vec<i64> = row.get(4);
        let intents: Option<Vec<Option<i64>>> = row.get(5);
        let keys: Option<Vec<Option<String>>> = row.get(6);
        let mut intents = intents.unwrap_or_default().into_iter();
        let mut keys = keys.unwrap_or_default().into_iter();
        units.extend(
            ids.into_iter()
                .map(|id| shared.unit(id, intents.next().flatten(), keys.next().flatten())),
        );
    }
    for row in due {
        let attempts = u32::try_from(row.get::<_, i32>(0)).unwrap_or(0);
        let retried = u32::try_from(row.get::<_, i32>(7)).unwrap_or(0);
        let shared = Shared::new(row, &mut names, Attempt::Again { attempts, retried })?;
        units.push(shared.unit(row.get(4), row.get(5), row.get(6)));
    }
    Ok(units)
}

/// What the units of a row share.
struct Shared {
    destination: Destination,
    lane: Lane,
    logged_at: Timestamp,
    attempt: Attempt,
}

impl Shared {
    fn new(row: &Row, names: &mut Names, attempt: Attempt) -> Result<Self, StoreError> {
        Ok(Self {
            destination: names.destination(row.get(1))?,
            lane: rows::lane(row.get(2))?,
            logged_at: row.get::<_, PgTime>(3).0,
            attempt,
        })
    }

    /// A unit; without a record it is its own intent.
    fn unit(&self, id: i64, intent: Option<i64>, record: Option<String>) -> Unit {
        Unit {
            id: OutboxId(id),
            intent: intent.unwrap_or(id),
            destination: self.destination.clone(),
            lane: self.lane,
            logged_at: self.logged_at,
            record: record.map(RecordKey),
            attempt: self.attempt,
        }
    }
}

/// Destinations by their names: thousands of units go to a few of them.
#[derive(Default)]
struct Names(HashMap<String, Destination>);

impl Names {
    fn destination(&mut self, name: &str) -> Result<Destination, StoreError> {
        if let Some(known) = self.0.get(name) {
            return Ok(known.clone());
        }
        let parsed = destination(name)?;
        self.0.insert(name.to_owned(), parsed.clone());
        Ok(parsed)
    }
}
