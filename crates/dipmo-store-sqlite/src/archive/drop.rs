//! Dropping what is in a lot, and nothing else.

use dipmo_domain::StoreError;
use dipmo_store::admin::{LotId, LotState};
use dipmo_store::{Pruned, Side};

use super::{find, gone};
use crate::history::{as_count, drop_intent, drop_message};
use crate::sql;
use crate::tx::Tx;

/// Drops some of a lot that was archived; all of it was, when nothing is left.
pub(super) fn some(tx: &Tx<'_>, id: LotId, limit: usize) -> Result<Pruned, StoreError> {
    let lot = find(tx, id)?;
    if lot.state != LotState::Archived {
        return Err(gone(id));
    }
    let ids: Vec<i64> = tx.all(&sql::lot_row_list(), (id.0, limit), |row| row.get(0))?;
    let (mut rows, mut met) = (0, 0);
    for row in &ids {
        // An intent goes whole, so the last one may go over the limit.
        if rows >= limit {
            break;
        }
        rows += match lot.side {
            Side::Inbox => drop_message(tx, *row)?,
            Side::Outbox => drop_intent(tx, *row)?,
        };
        tx.run(&sql::lot_row_drop(), (id.0, row))?;
        met += 1;
    }
    let more = met < ids.len() || ids.len() == limit;
    if !more {
        let (now, then) = (LotState::Archived.as_str(), LotState::Dropped.as_str());
        tx.run(&sql::lot_state(), (id.0, now, then, tx.now().as_micros()))?;
    }
    Ok(Pruned { rows: as_count(rows), carried: 0, more })
}
