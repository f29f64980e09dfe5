//! Sending a second time: a new intent of the same content, which names the unit that was sent before.

use dipmo_domain::{OrderKey, StoreError};
use dipmo_store::{Acted, Operated, Side, Standing, judge};
use rusqlite::Row;

use crate::intents::Writer;
use crate::operate::{Status, look};
use crate::sql::{self, Which};
use crate::tx::Tx;

/// What is read of a unit that is to be sent again.
struct Original {
    intent: i64,
    destination: String,
    aggregate: String,
    record: Option<String>,
}

/// Sends those units again of which the rule says so; they stay as they are.
pub(crate) fn run<S: Status>(
    tx: &Tx<'_>,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S>,
) -> Result<Operated<S>, StoreError> {
    let (standings, _) = look(tx, Which::Outbox, ids)?;
    let (acts, done) = judge(ids, &standings, rule);
    let mut writer = Writer::default();
    for unit in done {
        if let Some(original) = tx.one(&sql::resend_find(), [unit], read)? {
            again(tx, &mut writer, unit, &original)?;
        }
    }
    Ok(Operated { acts, releasing: false })
}

fn again(
    tx: &Tx<'_>,
    writer: &mut Writer,
    unit: i64,
    original: &Original,
) -> Result<(), StoreError> {
    let Original { intent, destination, aggregate, record } = original;
    let now = tx.now().as_micros();
    let new = tx.take_numbers("outbox", 1 + usize::from(record.is_some()))?;
    tx.run(&sql::resend_insert(), (intent, new, unit, now))?;
    let Some(record) = record else {
        writer.ready(tx, destination, &OrderKey::new(aggregate), new)?;
        tx.arrived(Side::Outbox);
        return Ok(());
    };
    tx.run(&sql::record_insert(), (new + 1, now, new, destination, record))?;
    tx.run(&sql::progress_insert(), (new, 1))?;
    writer.ready(tx, destination, &OrderKey::new(record), new + 1)?;
    tx.arrived(Side::Outbox);
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Original> {
    Ok(Original {
        intent: row.get(0)?,
        destination: row.get(1)?,
        aggregate: row.get(2)?,
        record: row.get(3)?,
    })
}
