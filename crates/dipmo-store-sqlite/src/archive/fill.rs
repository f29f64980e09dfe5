//! Setting history aside: the ids of what is settled, in portions.

use dipmo_domain::{Month, StoreError};
use dipmo_store::Side;
use dipmo_store::admin::{Lot, LotId, LotState};

use super::find;
use crate::error::unexpected;
use crate::tx::Tx;
use crate::{rows, sql};

/// So many rows make a lot at most: what one lot takes to write and to drop stays short.
const MOST: i64 = 100_000;

/// The lot that is on its way, or a new one, with another portion in it.
pub(super) fn set_aside(tx: &Tx<'_>, month: Month, limit: u32) -> Result<Option<Lot>, StoreError> {
    let Some(lot) = open(tx, month)? else { return Ok(None) };
    if lot.state == LotState::Filling {
        fill(tx, &lot, limit)?;
    }
    find(tx, lot.id).map(Some)
}

/// The lot that is on its way, or one that is begun for the oldest that is settled.
fn open(tx: &Tx<'_>, month: Month) -> Result<Option<Lot>, StoreError> {
    if let Some(id) = tx.one(&sql::lot_open(), (), |row| row.get(0))? {
        return find(tx, LotId(id)).map(Some);
    }
    for side in Side::ALL {
        if let Some(lot) = begin(tx, side, month)? {
            return Ok(Some(lot));
        }
    }
    Ok(None)
}

fn begin(tx: &Tx<'_>, side: Side, month: Month) -> Result<Option<Lot>, StoreError> {
    let first = match side {
        Side::Inbox => sql::lot_messages_first(),
        Side::Outbox => sql::lot_intents_first(),
    };
    let oldest = tx.one(&first, [month.start().as_micros()], |row| rows::time(row, 0))?;
    let Some(oldest) = oldest.map(Month::of) else { return Ok(None) };
    let begin = sql::lot_begin();
    let params = (side.as_str(), oldest.start().as_micros(), tx.now().as_micros());
    let id = tx.one(&begin, params, |row| row.get(0))?;
    let id = id.ok_or_else(|| unexpected(begin.name, "a lot was begun without a number"))?;
    find(tx, LotId(id)).map(Some)
}

fn fill(tx: &Tx<'_>, lot: &Lot, limit: u32) -> Result<(), StoreError> {
    let size = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (rows, last) = tx.one(&sql::lot_size(), [lot.id.0], size)?.unwrap_or_default();
    let portion = i64::from(limit).min(MOST - rows);
    let statement = match lot.side {
        Side::Inbox => sql::lot_messages_fill(),
        Side::Outbox => sql::lot_intents_fill(),
    };
    let (from, to) = (lot.month.start().as_micros(), lot.month.next().start().as_micros());
    let added = tx.run(&statement, (lot.id.0, from, to, last, portion))?;
    let added = i64::try_from(added).unwrap_or(i64::MAX);
    if added < i64::from(limit) || rows + added >= MOST {
        let (now, then) = (LotState::Filling.as_str(), LotState::Aside.as_str());
        tx.run(&sql::lot_state(), (lot.id.0, now, then, None::<i64>))?;
    }
    Ok(())
}
