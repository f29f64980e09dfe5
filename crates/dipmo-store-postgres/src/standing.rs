//! Where messages and units stand, looked at by an operator who holds their lanes.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use dipmo_domain::{InboxStatus, OrderKey, OutboxStatus, StoreError, UnknownName};
use dipmo_store::{BoxStatus, Standing};
use tokio_postgres::Row;

use crate::blocks::Heads;
use crate::rows;
use crate::session::Session;
use crate::sql::{self, Call, Which, params};

/// A status of either box.
pub(crate) trait Status:
    BoxStatus<Id: Send> + Send + Sync + FromStr<Err = UnknownName>
{
}

impl Status for InboxStatus {}

impl Status for OutboxStatus {}

/// What was found in the lanes that are locked.
pub(crate) struct Looked<S: BoxStatus> {
    /// Destinations, empty in the inbox, and lanes, as the statements take them.
    pub(crate) lanes: (Vec<String>, Vec<i16>),
    pub(crate) standings: HashMap<i64, Standing<S>>,
    pub(crate) places: HashMap<i64, Place>,
}

/// What a change needs to know beside where something stands.
pub(crate) struct Place {
    queue: String,
    lane: i16,
    pub(crate) order_key: Option<OrderKey>,
    /// The intent, of a unit that is one of its records.
    pub(crate) intent: Option<i64>,
    pub(crate) failed: bool,
}

impl<S: BoxStatus> Looked<S> {
    /// The order keys of those of them that have one.
    pub(crate) fn keys(&self, ids: &[i64]) -> Vec<String> {
        let keys = ids.iter().filter_map(|id| self.places.get(id)?.order_key.as_ref());
        keys.map(|key| key.as_str().to_owned()).collect()
    }

    /// Those of them that may be heads of their keys.
    pub(crate) fn heads(&self, ids: &[i64]) -> Heads {
        let mut heads = Heads::default();
        for id in ids {
            let place = self.places.get(id);
            let lane = place.and_then(|place| rows::lane(place.lane).ok());
            if let (Some(place), Some(lane)) = (place, lane)
                && let Some(key) = &place.order_key
            {
                heads.push(&place.queue, key, *id, lane);
            }
        }
        heads
    }
}

/// Begins a transaction, locks lanes, and reads with a snapshot that is newer than the locks.
pub(crate) async fn lock_and_look<S: Status>(
    session: &mut Session,
    which: Which,
    ids: &[i64],
) -> Result<Looked<S>, StoreError> {
    let (looked, _) = look(session, which, lock(which, ids), Vec::new(), ids).await?;
    Ok(looked)
}

/// Locks the lanes of messages or units.
pub(crate) fn lock(which: Which, ids: &[i64]) -> Call {
    let lock = match which {
        Which::Inbox => sql::message_lanes(),
        Which::Outbox => sql::unit_lanes(),
    };
    lock.with(params![ids.to_vec()])
}

/// The same as [`lock_and_look`], with a lock of the caller's own, and statements that run behind it, before
/// anything is read; answers what those answered as well.
pub(crate) async fn look<S: Status>(
    session: &mut Session,
    which: Which,
    lock: Call,
    mut behind: Vec<Call>,
    ids: &[i64],
) -> Result<(Looked<S>, Vec<Vec<Row>>), StoreError> {
    let look = match which {
        Which::Inbox => sql::message_standing(),
        Which::Outbox => sql::unit_standing(),
    };
    let calls = vec![sql::begin().call(), lock];
    let locked = session.run(calls).await?.remove(1);
    let lanes = locked.iter().map(|row| match which {
        Which::Inbox => (String::new(), row.get::<_, i16>(0)),
        Which::Outbox => (row.get(0), row.get(1)),
    });
    let lanes: (Vec<String>, Vec<i16>) = lanes.unzip();
    behind.push(look.with(params![ids.to_vec()]));
    let mut answers = session.run(behind).await?;
    let mut looked = Looked { lanes, standings: HashMap::new(), places: HashMap::new() };
    for row in &answers.pop().unwrap_or_default() {
        looked.standings.insert(row.get(0), standing(row)?);
        looked.places.insert(row.get(0), place(row));
    }
    check_locked(&looked)?;
    Ok((looked, answers))
}

/// Something may have moved to another lane while we waited for the one that it was in.
fn check_locked<S: BoxStatus>(looked: &Looked<S>) -> Result<(), StoreError> {
    let (queues, lanes) = &looked.lanes;
    let locked: HashSet<(&str, i16)> =
        queues.iter().map(String::as_str).zip(lanes.iter().copied()).collect();
    let is_locked = |place: &Place| locked.contains(&(place.queue.as_str(), place.lane));
    if looked.places.values().all(is_locked) {
        return Ok(());
    }
    let problem = "something came, or moved to another lane, meanwhile".to_owned();
    Err(StoreError::Busy { statement: "operate", problem })
}

fn standing<S: Status>(row: &Row) -> Result<Standing<S>, StoreError> {
    let unknown = |error: UnknownName| rows::unreadable("STATUS", &error.to_string());
    Ok(Standing {
        status: row.get::<_, &str>(3).parse().map_err(unknown)?,
        attempts: u32::try_from(row.get::<_, i32>(4)).unwrap_or(0),
        retried: u32::try_from(row.get::<_, i32>(13)).unwrap_or(0),
        aside: row.get(5),
        held: row.get(6),
        parked: row.get(7),
        skipped: row.get(8),
        erased: row.get(14),
        heads: row.get(12),
        overtaken_by: row.get::<_, Option<i64>>(11).map(S::id),
    })
}

fn place(row: &Row) -> Place {
    Place {
        queue: row.get(1),
        lane: row.get(2),
        order_key: row.get::<_, Option<&str>>(9).map(OrderKey::new),
        intent: row.get(10),
        failed: row.get::<_, &str>(3) == OutboxStatus::Failed.as_str(),
    }
}
