//! Timers: set and cancelled in a batch, turned into messages when they are due.

use dipmo_api::TimerChange;
use dipmo_domain::{Json, ProcessKey, StoreError};
use dipmo_store::{DueTimer, TimerWrite, timer_message};
use rusqlite::{Row, params};

use crate::tx::Tx;
use crate::{messages, rows, sql};

/// Sets and cancels timers, in order.
pub(crate) fn write(tx: &Tx<'_>, writes: &[TimerWrite]) -> Result<(), StoreError> {
    for TimerWrite { instance, aggregate_id, change } in writes {
        match change {
            TimerChange::Set { name, after, event_type, payload } => {
                let due_at = tx.now().after(*after).as_micros();
                let payload = payload.as_str();
                let ProcessKey { process, id } = instance;
                let params = params![process, id, name, aggregate_id, event_type, payload, due_at];
                tx.run(&sql::timer_set(), params)?;
            }
            TimerChange::Cancel { name } => {
                tx.run(&sql::timer_cancel(), (&instance.process, &instance.id, name))?;
            }
        }
    }
    Ok(())
}

/// Turns timers that are due into messages; answers how many.
pub(crate) fn fire(tx: &Tx<'_>, limit: u32) -> Result<usize, StoreError> {
    let mut due = tx.all(&sql::timer_take(), (tx.now().as_micros(), limit), |row| {
        Ok((rows::time(row, 6)?, due_timer(row)?))
    })?;
    if due.is_empty() {
        return Ok(0);
    }
    due.sort_by_key(|(due_at, _)| *due_at);
    let first = tx.take_numbers("timer", due.len())?;
    let new: Vec<_> =
        (first..).zip(&due).map(|(number, (_, timer))| timer_message(timer, number)).collect();
    messages::store(tx, &new)?;
    Ok(due.len())
}

fn due_timer(row: &Row<'_>) -> rusqlite::Result<DueTimer> {
    Ok(DueTimer {
        instance: ProcessKey { process: row.get(0)?, id: row.get(1)? },
        name: row.get(2)?,
        aggregate_id: row.get(3)?,
        event_type: row.get(4)?,
        payload: Json::from_store(row.get::<_, String>(5)?),
    })
}
