//! Claiming: which messages a batch gets.

use dipmo_domain::{InboxStatus, Lane, StoreError};
use dipmo_store::{ClaimLimits, ClaimedMessage};

use crate::chunks::{self, LaneOf, Share};
use crate::due;
use crate::rows::{self, MESSAGE_COLUMNS};
use crate::sql::{self, Which};
use crate::tx::Tx;

/// A message, and the status of its exception row if it has one.
pub(crate) struct Claim {
    pub(crate) message: ClaimedMessage,
    pub(crate) again: Option<InboxStatus>,
}

/// Lanes that have something to do.
pub(crate) fn lanes(tx: &Tx<'_>, limits: &ClaimLimits) -> Result<Vec<Lane>, StoreError> {
    let params = (tx.now().as_micros(), limits.start.index(), limits.lanes, Lane::COUNT);
    tx.all(&sql::lane_lock(), params, |row| rows::lane(row, 0))
}

/// Takes messages of lanes, sorted by id. Ready rows are gone from here on.
pub(crate) fn take(tx: &Tx<'_>, lanes: &[Lane], limit: u32) -> Result<Vec<Claim>, StoreError> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let lanes: Vec<_> =
        lanes.iter().map(|lane| LaneOf { queue: String::new(), lane: *lane }).collect();
    let ready = if due::is_over(tx, Which::Inbox, &lanes, limit)? { 0 } else { limit };
    let shares = chunks::pick(tx, Which::Inbox, &lanes, ready, &[])?;
    let mut claims = Vec::new();
    for share in &shares {
        for chunk in &share.chunks {
            claims.extend(take_chunk(tx, share.of.lane, *chunk)?);
        }
    }
    let mut room = limit;
    for decoded in [false, true] {
        for share in &shares {
            let due = take_due(tx, share, decoded, room)?;
            room -= due.len();
            claims.extend(due);
        }
    }
    claims.sort_unstable_by_key(|claim| claim.message.message.id);
    Ok(claims)
}

fn take_chunk(tx: &Tx<'_>, lane: Lane, chunk: i64) -> Result<Vec<Claim>, StoreError> {
    let claims = tx.all(&sql::inbox_take(), (lane.index(), chunk), |row| {
        let message = rows::message(row)?;
        Ok(Claim {
            message: ClaimedMessage { message, attempts: 0, parked_until: None, retried: 0 },
            again: None,
        })
    })?;
    tx.all(&sql::chunk_settle(Which::Inbox), ("", lane.index(), chunk), |_| Ok(()))?;
    Ok(claims)
}

/// Takes what is due of a lane: what was decoded only now, which comes last, or all else.
fn take_due(
    tx: &Tx<'_>,
    share: &Share<'_>,
    decoded: bool,
    room: usize,
) -> Result<Vec<Claim>, StoreError> {
    let before = if decoded { share.stays } else { i64::MAX };
    let params = (share.of.lane.index(), tx.now().as_micros(), decoded, before, room);
    tx.all(&sql::inbox_take_due(), params, |row| {
        Ok(Claim {
            message: ClaimedMessage {
                message: rows::message(row)?,
                attempts: row.get(MESSAGE_COLUMNS)?,
                parked_until: rows::maybe_time(row, MESSAGE_COLUMNS + 1)?,
                retried: row.get(MESSAGE_COLUMNS + 3)?,
            },
            again: Some(rows::parsed(row, MESSAGE_COLUMNS + 2)?),
        })
    })
}
