//! Decoding again what could not be decoded: under its real id, in its old place.

use std::collections::HashMap;

use dipmo_domain::{InboxId, InboxStatus, Outcome, StoreError, Timestamp};
use dipmo_inbox::{Body, NewMessage, SameOrder, Stored};
use dipmo_store::{Decoded, Reparsed, Side, objections};
use rusqlite::params;

use crate::operate::{Place, end, look};
use crate::releases::Endings;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{blocks, messages};

/// Answers for each message in its place, and whether held ones remain to be let go.
pub(crate) fn run(
    tx: &Tx<'_>,
    decoded: &[Decoded],
    force: bool,
) -> Result<(Vec<Reparsed>, bool), StoreError> {
    let ids: Vec<i64> = decoded.iter().map(|(id, _)| id.0).collect();
    let (standings, places) = look::<InboxStatus>(tx, Which::Inbox, &ids)?;
    let standings = standings.into_iter().map(|(id, standing)| (InboxId(id), standing)).collect();
    let objections = objections(decoded, &standings, &later(tx, decoded)?, force);
    let mut endings = Endings::new(Which::Inbox);
    let mut answers = Vec::new();
    for ((id, message), objection) in decoded.iter().zip(objections) {
        answers.push(match objection {
            Some(objection) => objection,
            None => decode(tx, &mut endings, *id, message, &places[&id.0])?,
        });
    }
    Ok((answers, endings.apply(tx)?))
}

fn decode(
    tx: &Tx<'_>,
    endings: &mut Endings,
    id: InboxId,
    message: &NewMessage,
    place: &Place,
) -> Result<Reparsed, StoreError> {
    let first = match messages::known(tx, message, id.0)? {
        Some(Stored::Conflict(first)) => return Ok(Reparsed::Impostor(first)),
        Some(Stored::Duplicate(first)) if first != id => Some(first),
        _ => None,
    };
    let stays = first.is_none() && place.order_key == message.order_key;
    if let Some(key) = place.order_key.as_ref().filter(|_| !stays) {
        endings.ended("", key, id.0);
    }
    if let Some(first) = first {
        end(tx, Which::Inbox, id.0, InboxStatus::Processed.as_str(), Outcome::Duplicate)?;
        return Ok(Reparsed::Duplicate(first));
    }
    rewrite(tx, id, message)?;
    let mut waits = false;
    if let Some(key) = &message.order_key {
        // What comes later waits until it has been processed.
        tx.run(&sql::block_bar(), (key.as_str(), message.lane.index(), id.0))?;
        let block = blocks::find(tx, Which::Inbox, "", key)?;
        waits = block.is_some_and(|block| !block.lets_pass(id));
    }
    let due = (!waits).then(|| tx.now().as_micros());
    let key = message.order_key.as_ref().map(dipmo_domain::OrderKey::as_str);
    tx.run(&sql::exception_reparse(), (id.0, message.lane.index(), key, due))?;
    tx.arrived(Side::Inbox);
    Ok(Reparsed::Done)
}

fn rewrite(tx: &Tx<'_>, id: InboxId, message: &NewMessage) -> Result<(), StoreError> {
    let Body::Json(payload) = &message.body else { return Ok(()) };
    let params = params![
        id.0,
        message.message_id,
        message.source_system,
        message.aggregate_id,
        message.event_type,
        message.event_version,
        message.source_version,
        payload.as_str(),
        message.event_ts.map(Timestamp::as_micros),
        messages::originals(message)?,
        message.lane.index(),
    ];
    tx.run(&sql::message_reparse(), params).map(drop)
}

/// The first messages of the same order keys that were processed before their turn.
fn later(tx: &Tx<'_>, decoded: &[Decoded]) -> Result<HashMap<InboxId, InboxId>, StoreError> {
    let mut found = HashMap::new();
    for (id, message) in decoded {
        let Some(SameOrder { aggregate_id, key_str, key_base64 }) = message.same_order() else {
            continue;
        };
        let read = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>(0);
        let params = (id.0, aggregate_id, key_str, key_base64);
        let later = tx.one(&sql::message_later(), params, read)?.flatten();
        found.extend(later.map(|later| (*id, InboxId(later))));
    }
    Ok(found)
}
