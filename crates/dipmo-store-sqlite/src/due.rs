//! Whether more is due than a batch or a read takes: then nothing ready is taken.
//!
//! What the limit cuts off need not head its key, so that a ready one of its key would overtake it.
//! This ends: each batch works off a limit of them, and one that is due again waited for its
//! back-off and has one attempt less.

use dipmo_domain::StoreError;

use crate::chunks::LaneOf;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// True when more than `limit` rows of these lanes are due; it counts no further.
pub(crate) fn is_over(
    tx: &Tx<'_>,
    which: Which,
    lanes: &[LaneOf],
    limit: usize,
) -> Result<bool, StoreError> {
    let (count, now, mut room) = (sql::due_count(which), tx.now().as_micros(), limit);
    for LaneOf { queue, lane } in lanes {
        let params = (queue, lane.index(), now, room.saturating_add(1));
        let due = tx.one(&count, params, |row| row.get::<_, usize>(0))?.unwrap_or(0);
        let Some(left) = room.checked_sub(due) else { return Ok(true) };
        room = left;
    }
    Ok(false)
}
