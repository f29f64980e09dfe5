//! Reading units to deliver: the units, then their intents once each, and what they wait for.

use std::collections::{HashMap, HashSet};

use dipmo_domain::{InboxId, Json, OrderKey, OutboxId, ProcessKey, StoreError, Timestamp};
use dipmo_outbox::{Attempt, Delivery};
use dipmo_store::ReadParams;
use tokio_postgres::Row;

use crate::dispatch::columns;
use crate::session::Session;
use crate::sql::{self, Which, params};
use crate::types::{PgJson, PgTime};
use crate::units::Unit;
use crate::{rows, units};

pub(crate) async fn read(
    mut session: Session,
    wanted: ReadParams<'_>,
) -> Result<Vec<Delivery>, StoreError> {
    let (destinations, lanes, _) = columns(wanted.leases);
    let in_flight: Vec<i64> = wanted.in_flight.iter().map(|chunk| chunk.0.0).collect();
    let queues: Vec<String> =
        destinations.iter().collect::<HashSet<_>>().into_iter().cloned().collect();
    let most = i64::from(wanted.units);
    // All reads see one moment: between two of them a block could be lifted, and a new unit would
    // seem to be free while those before it were let go.
    let answers = session
        .run(vec![
            sql::begin_read().call(),
            sql::outbox_read().with(params![destinations.clone(), lanes.clone(), most, in_flight]),
            sql::outbox_read_due().with(params![destinations, lanes, most]),
            sql::block_any().with(params![queues]),
        ])
        .await?;
    let blocks = answers[3][0].get(0);
    let complete = match units::of(&answers[1], &answers[2]) {
        Ok(units) => complete(&mut session, units, blocks).await,
        Err(error) => Err(error),
    };
    session.finish(complete).await
}

/// Adds the intents, then what the units wait for, if `blocks` says that there may be something.
pub(crate) async fn complete(
    session: &mut Session,
    units: Vec<Unit>,
    blocks: bool,
) -> Result<Vec<Delivery>, StoreError> {
    let times = || units.iter().map(|unit| unit.logged_at);
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        session.run(vec![sql::commit().call()]).await?;
        return Ok(Vec::new());
    };
    let mut ids: Vec<i64> = units.iter().map(|unit| unit.intent).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut calls = vec![sql::intent_find().with(params![ids, PgTime(first), PgTime(last)])];
    calls.extend((!blocks).then(|| sql::commit().call()));
    let rows = session.run(calls).await?.swap_remove(0);
    let mut intents: HashMap<i64, Intent> =
        rows.iter().map(|row| (row.get(0), Intent::new(row))).collect();

    let mut deliveries = Vec::with_capacity(units.len());
    for unit in units {
        // An intent without records is its only unit.
        let intent = match unit.record {
            None => intents.remove(&unit.intent),
            Some(_) => intents.get(&unit.intent).cloned(),
        };
        let Some(intent) = intent else {
            return Err(rows::unreadable("OUTBOX", &format!("unit {} has no intent", unit.id)));
        };
        deliveries.push(intent.delivery(unit));
    }
    deliveries.sort_by_key(|delivery| delivery.unit);
    if blocks {
        mark_blocked(session, &mut deliveries).await?;
    }
    Ok(deliveries)
}

/// The columns of an intent that its units share.
#[derive(Clone)]
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

impl Intent {
    fn new(row: &Row) -> Self {
        let process: Option<String> = row.get(6);
        Self {
            cause: row.get::<_, Option<i64>>(1).map(InboxId),
            event_version: u16::try_from(row.get::<_, i32>(2)).unwrap_or(u16::MAX),
            aggregate_type: row.get(3),
            aggregate_id: row.get(4),
            event_type: row.get(5),
            reply_to: process.map(|process| ProcessKey { process, id: row.get(7) }),
            headers_json: row.get::<_, Option<PgJson>>(8).map(|json| json.0),
            payload: row.get::<_, PgJson>(9).0,
            created_at: row.get::<_, PgTime>(10).0,
            caused_at: rows::time(row, 11),
        }
    }

    fn delivery(self, unit: Unit) -> Delivery {
        let order = unit.record.as_ref().map_or(self.aggregate_id.as_str(), |record| &record.0);
        Delivery {
            order_key: OrderKey::new(order),
            unit: unit.id,
            intent: OutboxId(unit.intent),
            record: unit.record,
            destination: unit.destination,
            lane: unit.lane,
            aggregate_type: self.aggregate_type,
            aggregate_id: self.aggregate_id,
            event_type: self.event_type,
            event_version: self.event_version,
            payload: self.payload,
            headers_json: self.headers_json,
            created_at: self.created_at,
            cause: self.cause,
            caused_at: self.caused_at,
            reply_to: self.reply_to,
            attempt: unit.attempt,
            blocked_by: None,
        }
    }
}

/// True for a unit that was never tried. It waits for earlier ones only: a later head left a job in
/// which this one stayed.
const fn is_new(attempt: Attempt) -> bool {
    matches!(attempt, Attempt::First(_) | Attempt::Again { attempts: 0, retried: 0 })
}

async fn mark_blocked(
    session: &mut Session,
    deliveries: &mut [Delivery],
) -> Result<(), StoreError> {
    let (queues, keys): (Vec<String>, Vec<String>) = deliveries
        .iter()
        .map(|delivery| (delivery.destination.to_string(), delivery.order_key.as_str().to_owned()))
        .unzip();
    let find = sql::block_find(Which::Outbox).with(params![queues, keys]);
    let rows = session.run(vec![find, sql::commit().call()]).await?.remove(0);
    let blocks: HashMap<(String, String), (i64, Option<i64>)> =
        rows.iter().map(|row| ((row.get(0), row.get(1)), (row.get(2), row.get(3)))).collect();
    if blocks.is_empty() {
        return Ok(());
    }
    for delivery in deliveries {
        let key = (delivery.destination.to_string(), delivery.order_key.as_str().to_owned());
        if let Some((head, released_to)) = blocks.get(&key) {
            let unit = delivery.unit.0;
            let passes = unit == *head
                || released_to.is_some_and(|last| unit <= last)
                || unit < *head && is_new(delivery.attempt);
            delivery.blocked_by = (!passes).then_some(OutboxId(*head));
        }
    }
    Ok(())
}
